"""Keys and their values as plain data, and as YAML text: the content of an entry of a file, and how that is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple, Union

import yaml

from vppcfg.common.printable import is_harmless, quoted

WIDTH = 100
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9]*[0-9/][A-Za-z0-9/._]*|[0-9a-f][0-9a-f.:]*/[0-9]{1,3}")
"""Texts that mean themselves without quotes everywhere: a word with a digit in it, such as e0 or eth1/0/0.100, and
addresses. For all others PyYAML is asked."""

_DIGITS = re.compile(r"[0-9:]+")
_RESOLVER: Any = yaml.resolver.Resolver()
_TEXT = "tag:yaml.org,2002:str"


def scalar(text: str) -> str:
    """Return `text` as a YAML scalar, for block and flow alike."""
    if _PLAIN.fullmatch(text):
        return text
    return _quoted(text) if is_harmless(text) else quoted(text)


class KeyValue(NamedTuple):
    """One key of an entry, with its value."""

    key: str | int
    value: Value
    is_default: bool = False
    """Whether an absent key means this value."""
    is_set_at_creation: bool = False
    """Whether an object is made with it, so that it is shown for a new one even when it is as by default."""
    is_block: bool = False
    """Whether the file has it on lines of its own, below the key, rather than in one line."""


Value = Union[str, int, "list[Any]", "tuple[KeyValue, ...]"]
"""Text, a number, true or false; a list of values; or a map."""


def inline(value: Value) -> str:
    """Return a value as YAML in one line; of a map what is as by default is left out."""
    if isinstance(value, str):
        return scalar(value)
    if isinstance(value, tuple):
        entries = [f"{_key(item.key)}: {inline(item.value)}" for item in value if not item.is_default]
        return f"{{ {', '.join(entries)} }}" if entries else "{}"
    if isinstance(value, list):
        return f"[ {', '.join([inline(item) for item in value])} ]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def key_lines(keys: Iterable[KeyValue]) -> list[str]:
    """Return the text of some keys of an entry; what is as by default is left out."""
    return [line for key in keys if not key.is_default for line in _lines_of(key)]


def _lines_of(key: KeyValue) -> list[str]:
    name, value = _key(key.key), key.value
    if value.__class__ is str:
        return [f"{name}: {scalar(value)}"]
    if isinstance(value, tuple) and key.is_block:
        return [f"{name}:", *indented(key_lines(value), 1)]
    line = f"{name}: {inline(value)}"
    if isinstance(value, list) and (key.is_block or len(line) > WIDTH):
        return [f"{name}:", *(f"  - {inline(item)}" for item in value)]
    return [line]


@lru_cache(maxsize=1 << 12)
def _key(key: str | int) -> str:
    """Return a key, a text in quotes where YAML takes it for something else: `on`, `10`, addresses of digits."""
    if isinstance(key, int):
        return str(key)
    tag: str = _RESOLVER.resolve(yaml.ScalarNode, key, (True, False))
    return key if tag == _TEXT and not _DIGITS.fullmatch(key) else scalar(key)


def indented(lines: Iterable[str], depth: int) -> Iterator[str]:
    """Return lines moved `depth` levels to the right."""
    return (f"{'  ' * depth}{line}" for line in lines)


@lru_cache(maxsize=1 << 12)
def _quoted(text: str) -> str:
    """Return `text` as PyYAML writes it inside of a flow list, quoted where it would mean something else."""
    line: str = yaml.safe_dump([text], default_flow_style=True, allow_unicode=True, width=1 << 20)
    return line.strip().removeprefix("[").removesuffix("]")
