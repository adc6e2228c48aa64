"""What VPP does not read of a command: its functions try formats in any order until none fits."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

_ANY = "<any>"
_NOTHING = "-"
_ADDRESS = "[0-9a-fA-F:.]+"
_VALUES = {
    "number": r"[-+]?(?:0[xX][0-9a-fA-F]+|\d+)",
    "hex": "(?:0[xX])?[0-9a-fA-F]+",
    "fraction": r"[-+]?[\d.]+(?:[eE][-+]?\d+)?",
    "size": r"\d+[kKmMgG]?",
    "word": r"(?:\{[^{}]*\}|\S+)",
    "interface": r"(?<!\S)\S+",
    **dict.fromkeys(("ip", "ip4", "ip6", "mac"), _ADDRESS),
    "prefix": rf"{_ADDRESS}\s*/\s*\d+",
}


def unread_part(rest: str, formats: Iterable[str]) -> str:
    """Return what VPP does not read of the text behind a command that takes `formats` (schema/vpp-commands.txt).

    It is '' where VPP reads all, and where `formats` is empty: then nothing is known. A format may end within a word,
    as in VPP: `type1r2c` is `type 1r2c`. Of such a word all is returned.
    """
    patterns = [_pattern(each) for each in formats]
    reached, ahead = {0}, [0] if patterns else []
    while ahead:
        place = ahead.pop()
        found = [(match.end(), is_open) for pattern, is_open in patterns if (match := pattern.match(rest, place))]
        if place == len(rest) or any(is_open for _, is_open in found):
            return ""
        new = {end for end, _ in found} - reached
        reached |= new
        ahead.extend(new)
    return rest[rest.rfind(" ", 0, max(reached)) + 1 :] if patterns else ""


def interfaces_named(rest: str, formats: Iterable[str]) -> list[str]:
    """Return the words behind a command that stand where `formats` have an interface."""
    heads = (head for head, interface, _ in (each.partition("<interface>") for each in formats) if interface)
    patterns = (_pattern(head)[0].pattern for head in heads)
    return [found[1] for pattern in patterns for found in re.finditer(rf"(?<!\S){pattern}(\S+)", rest)]


@cache
def _pattern(text: str) -> tuple[re.Pattern[str], bool]:
    """Return what a format matches, with the space behind it, and whether anything may follow it."""
    head, is_open, _ = text.partition(_ANY)
    parts = [
        _VALUES[word[1:-1]] if word[0] == "<" and word[1:-1] in _VALUES else re.escape(word)
        for word in re.split(r"(<\w+>)|\s+", head)
        if word
    ]
    return re.compile(r"\s*".join([*parts, ""]) if text != _NOTHING else "(?!)"), bool(is_open)
