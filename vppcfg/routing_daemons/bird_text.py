"""Reads a configuration of BIRD: what it includes, and its statements, as far as comparing and checking need it."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator

from vppcfg.record import record

_INCLUDE = re.compile(r'^(?P<blank>[ \t]*)include[ \t]*"(?P<name>[^"\n]*)"[ \t]*;', re.MULTILINE)
_DEPTH = 8
"""How deep BIRD follows includes (MAX_INCLUDE_DEPTH, conf/cf-lex.l)."""
_TOKEN = re.compile(r'#[^\n]*|/\*.*?\*/|"[^"\n]*"|\'[^\'\n]*\'|[{};]|[^\s{};"\'#/]+|/|\s+', re.DOTALL)


class IncludeError(ValueError):
    """An include of BIRD cannot be followed; the text names it and the reason."""


def with_includes(path: str, depth: int = 0) -> str:
    """Return the text of a file with everything that it includes in its place. Raise IncludeError, OSError."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        text = file.read()
    if not _INCLUDE.search(text):
        return text
    if depth >= _DEPTH:
        raise IncludeError(f"{path} is the end of {_DEPTH} includes in each other, and BIRD follows no more")
    return _INCLUDE.sub(lambda found: _included(path, found["name"], depth), text)


def _included(path: str, name: str, depth: int) -> str:
    """Return the text of what an include names: a file, or all that fit a pattern, by name as BIRD takes them."""
    pattern = os.path.join(os.path.dirname(path), name)
    names = sorted(glob.glob(pattern)) if glob.has_magic(pattern) else [pattern]
    try:
        return "".join(with_includes(each, depth + 1) for each in names)
    except OSError as error:
        raise IncludeError(f"{path} includes {name}, which cannot be read: {error.strerror}") from error


@record
class Statement:
    """One statement at the top level of a configuration."""

    words: tuple[str, ...]
    """All of its tokens, without comments."""

    @property
    def kind(self) -> str:
        """Return its first word."""
        return self.words[0]

    @property
    def head(self) -> tuple[str, ...]:
        """Return the words before its block."""
        return self.words[: self.words.index("{")] if "{" in self.words else self.words

    @property
    def name(self) -> str:
        """Return the name of a protocol, template, filter, function or constant; '' of others, and without one."""
        head = self.head
        if self.kind in {"protocol", "template"}:
            place = 3 if head[1:3] in {("ospf", "v2"), ("ospf", "v3"), ("kernel", "ipv4")} else 2
            return head[place] if len(head) > place and head[place] != "from" else ""
        return head[1].partition("(")[0] if self.kind in {"filter", "function", "define"} and len(head) > 1 else ""

    @property
    def base(self) -> str:
        """Return the template that it is made from, '' for none."""
        head = self.head
        return head[head.index("from") + 1] if "from" in head[:-1] else ""


def statements(text: str) -> Iterator[Statement]:
    """Yield the statements of a configuration, in their order."""
    words: list[str] = []
    depth = 0
    for token in _TOKEN.findall(text):
        if token.isspace() or token.startswith(("#", "/*")):
            continue
        if not words and token == ";":
            continue
        words.append(token)
        depth += (token == "{") - (token == "}")
        if depth <= 0 and token in {";", "}"}:
            yield Statement(words=tuple(words))
            words, depth = [], 0
    if words:
        yield Statement(words=tuple(words))
