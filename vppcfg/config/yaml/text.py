"""Pieces of YAML text: scalars, lists and maps in one line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

import yaml

WIDTH = 100
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9]*[0-9/][A-Za-z0-9/._]*|[0-9a-f][0-9a-f.:]*/[0-9]{1,3}")
"""Texts that mean themselves without quotes everywhere: a word with a digit in it, such as e0 or eth1/0/0.100, and
addresses. For all others PyYAML is asked."""


def scalar(text: str) -> str:
    """Return `text` as a YAML scalar, for block and flow alike."""
    return text if _PLAIN.fullmatch(text) else _quoted(text)


def flow_map(items: Mapping[str, str]) -> str:
    """Return a map of finished values in one line."""
    return f"{{ {', '.join(f'{key}: {value}' for key, value in items.items())} }}"


def flow_list(items: Iterable[str]) -> str:
    """Return a list of finished values in one line."""
    return f"[ {', '.join(items)} ]"


def list_lines(key: str, items: list[str]) -> Iterator[str]:
    """Return a list of finished values below its key: in one line when it fits."""
    inline = f"{key}: {flow_list(items)}"
    if len(inline) <= WIDTH:
        yield inline
    else:
        yield f"{key}:"
        yield from (f"  - {item}" for item in items)


def indented(lines: Iterable[str], depth: int) -> Iterator[str]:
    """Return lines moved `depth` levels to the right."""
    return (f"{'  ' * depth}{line}" for line in lines)


@lru_cache(maxsize=1 << 12)
def _quoted(text: str) -> str:
    """Return `text` as PyYAML writes it inside of a flow list, quoted where it would mean something else."""
    line: str = yaml.safe_dump([text], default_flow_style=True, allow_unicode=True, width=1 << 20)
    return line.strip().removeprefix("[").removesuffix("]")
