"""Parsers of what VPP 20.x to 26.x prints: by tokens and never by column, for spacing gets lost and columns shift.

Each takes a text and returns what it understood and the lines that it did not. All begin with `clean_lines`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

Unread = tuple[str, ...]
"""Lines that should have had a meaning and did not."""

_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_PROMPT = re.compile(r"^\s*(?:\S*(?:#|\$|>)\s*)?(?:sudo\s+)?(?:vppctl\s+)?sh(?:ow)?\s+[a-z]")
_NUMBER = re.compile(r"^-?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$", re.IGNORECASE)


def clean_lines(text: str) -> Iterator[str]:
    """Yield the lines that are not empty, single-spaced, without colours; commands typed at a prompt are left out."""
    for raw in _COLOUR.sub("", text).splitlines():
        line = " ".join(raw.split())
        if line and not _PROMPT.match(line) and line not in {"...", "```"}:
            yield line


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
