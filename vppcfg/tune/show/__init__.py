"""Parsers of what VPP 20.x to 26.x prints: by tokens and never by column, for spacing gets lost and columns shift.

Each takes a text and returns what it understood and the lines that it did not. All begin with `clean_lines`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Unread = tuple[str, ...]
"""Lines that should have had a meaning and did not."""

_ENDLESS = re.compile(r"[0-9]{100,}")
"""More than four counters of 64 bits without a space between; no float holds one of 310 digits."""
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_PROMPT = re.compile(r"^\s*(?:\S*(?:#|\$|>)\s*)?(?:sudo\s+)?(?:vppctl\s+)?sh(?:ow)?\s+[a-z]")
_NUMBER = re.compile(r"^-?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$", re.IGNORECASE)


def without_colours(text: str) -> str:
    """Return a text without what colours a terminal."""
    return _COLOUR.sub("", text)


def clean_lines(text: str) -> Iterator[str]:
    """Yield the lines that are not empty, single-spaced, without colours; commands typed at a prompt are left out.

    An endless number, which no VPP shows, is cut out.
    """
    for raw in without_colours(text).splitlines():
        line = _ENDLESS.sub("...", " ".join(raw.split()))
        if line and not _PROMPT.match(line) and line not in {"...", "```"}:
            yield line


T = TypeVar("T")
_MOST_PIECES = 3
_LONGEST_LINE = 400
"""Characters; VPP's own rows have 140 at most."""


def joined(lines: Iterable[str], read: Callable[[str], T | None]) -> Iterator[tuple[str, T | None]]:
    """Yield lines with what `read` makes of them, put together again where a narrow terminal wrapped them.

    A line that means nothing alone is tried with up to two more behind it, with and without a space between.
    """
    waiting = list(lines)
    place = 0
    while place < len(waiting):
        value = read(waiting[place])
        size = 1
        for pieces in range(2, _MOST_PIECES + 1) if value is None else ():
            rows = waiting[place : place + pieces]
            if len(rows) < pieces or sum(map(len, rows)) > _LONGEST_LINE or read(rows[-1]) is not None:
                break  # what means something alone is no rest of a line
            tried = (read(text) for text in _seams(rows))
            value = next((found for found in tried if found is not None), None)
            if value is not None:
                size = pieces
                break
        yield waiting[place], value
        place += size


def _seams(rows: list[str]) -> Iterator[str]:
    """Yield the texts that rows may have been before they were wrapped: the seam was a space, or inside a word."""
    if len(rows) == 1:
        yield rows[0]
        return
    for rest in _seams(rows[1:]):
        yield f"{rows[0]} {rest}"
        yield rows[0] + rest


def number(text: str) -> float:
    """Return a number as VPP prints it (`.61`, `9.14e1`). Raise ValueError when it is none."""
    if not _NUMBER.match(text):
        raise ValueError(f"{text!r} is not a number")
    return float(text)


def whole(text: str) -> int:
    """Return a whole number from 0. Raise ValueError when it is none."""
    if not (text.isascii() and text.isdecimal()):
        raise ValueError(f"{text!r} is no whole number")
    return int(text)
