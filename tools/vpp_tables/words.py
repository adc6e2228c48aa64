"""Stanzas of startup.conf and the words in them, from the functions that read them (VLIB_CONFIG_FUNCTION)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tools.vpp_tables.source import Tree

_STANZA = re.compile(r'^\s*VLIB_(?:EARLY_)?CONFIG_FUNCTION\s*\(\s*(\w+)\s*,\s*"([^"]+)"\s*\)', re.MULTILINE)
_UNFORMAT = re.compile(r'\bunformat\s*\(\s*([^,()]+),\s*((?:"(?:[^"\\]|\\.)*"\s*)+)[,)]')
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_CALL = re.compile(r"\b([a-z]\w+)\s*\(")
_MACRO = re.compile(r"#define _\(([^)]*)\)((?:.*\\\n)*.*)\n(?:[ \t]*\n)*[ \t]*(foreach_\w+)")
_IN_MACRO = re.compile(r'\bunformat\s*\(\s*[^,()]+,\s*((?:"[^"]*"|#\s*\w+|\s)+)[,)]')
_DEEPEST = 3


@dataclass
class Words:
    """What was read of one stanza."""

    keys: set[str] = field(default_factory=set)
    uncertain: set[str] = field(default_factory=set)
    """What the function reads by means that this program does not follow."""


def stanzas_of(tree: Tree) -> dict[str, Words]:
    """Return the words of every stanza by its name; those of blocks in braces stand among them."""
    found: dict[str, Words] = {}
    for path, text in sorted(tree.code().items()):
        if "CONFIG_FUNCTION" not in text or path.startswith("src/vlib/init."):
            continue
        for function, name in _STANZA.findall(text):
            words = found.setdefault(name, Words())
            for body in _bodies(function, text, set(), 0):
                _read(body, tree, words)
    return found


def _bodies(function: str, text: str, seen: set[str], depth: int) -> Iterator[str]:
    """Yield the body of a function, and of those of the same file that it has read a part of its input."""
    if function in seen or depth > _DEEPEST:
        return
    seen.add(function)
    for signature, body in _definitions(function, text):
        if depth and "unformat_input_t" not in signature:
            continue
        yield body
        for called in sorted(set(_CALL.findall(body))):
            if not called.startswith(("unformat", "format", "clib_error")):
                yield from _bodies(called, text, seen, depth + 1)


def _definitions(function: str, text: str) -> Iterator[tuple[str, str]]:
    for match in re.finditer(rf"^{function}\s*\(", text, re.MULTILINE):
        end = text.find(")", match.end())
        opening = text.find("{", end)
        if opening < 0 or text[end + 1 : opening].strip():
            continue
        depth, position = 0, opening
        for brace in re.finditer(r"[{}]|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)'", text[opening:]):
            depth += {"{": 1, "}": -1}.get(brace[0], 0)
            if depth == 0:
                position = opening + brace.end()
                break
        yield text[match.start() : end], text[opening:position]


def _read(body: str, tree: Tree, words: Words) -> None:
    for parameters, macro, rows in _MACRO.findall(body):
        names = [name.strip() for name in parameters.split(",")]
        for pattern in _IN_MACRO.findall(macro):
            if "#" not in pattern:
                continue
            for row in tree.lists.get(rows, ()):
                _take(_filled(pattern, dict(zip(names, row, strict=False))), words)
            if rows not in tree.lists:
                words.uncertain.add(f"the rows of {rows}")
    for _, literal in _UNFORMAT.findall(re.sub(r"#define (?:.*\\\n)*.*", "", body)):
        _take("".join(_STRING.findall(literal)), words)


def _filled(pattern: str, values: dict[str, str]) -> str:
    parts = re.findall(r'"([^"]*)"|#\s*(\w+)', pattern)
    return "".join(text or values.get(name, "") for text, name in parts)


def _take(text: str, words: Words) -> None:
    """Keep the words before the first value of a format."""
    head = text.split("%", 1)[0].strip()
    key = " ".join(head.split())
    if not key:
        if text.strip() not in {"", "%U", "%d", "%u"}:
            words.uncertain.add(f"`{text.strip()}`")
    elif "%" in text and not text.split("%", 1)[0].endswith(" "):
        words.uncertain.add(f"`{text.strip()}`")
    else:
        words.keys.add(key)
