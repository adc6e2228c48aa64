"""What VPP does not read of a command: its functions try formats in any order until none fits.

The formats are those of schema/vpp-commands.txt, and those below where a function in C is written with macros.
"""

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
    "interface": r"\S+",
    **dict.fromkeys(("ip", "ip4", "ip6", "mac"), _ADDRESS),
    "prefix": rf"{_ADDRESS}\s*/\s*\d+",
}
_POLICER = (  # plugins/policer/policer_cli.c
    *("color-aware", "cb <number>", "cir <number>", "eb <number>", "eir <number>", "name <word>"),
    *("rate kbps", "rate pps", "round closest", "round down", "round up"),
    *("type 1r2c", "type 1r3c", "type 2r3c-2698", "type 2r3c-4115", "type 2r3c-mef5cf1"),
    *("conform-action <any>", "exceed-action <any>", "violate-action <any>"),
)
_MORE_FORMATS = {
    "policer add": _POLICER,
    "configure policer": (*_POLICER, "index <number>"),
    # vnet/ipsec/ipsec_cli.c
    "ipsec itf create": ("instance <number>", "p2mp"),
    # plugins/vxlan-gpe/vxlan_gpe.c, plugins/geneve/geneve.c
    "create geneve tunnel": (
        *("del", "l3-mode", "encap-vrf-id <number>", "local <ip>", "remote <ip>", "vni <number>"),
        *("decap-next <any>", "group <any>"),
    ),
    "create vxlan-gpe tunnel": (
        *("del", "next-ethernet", "next-ip4", "next-ip6", "next-nsh", "decap-vrf-id <number>", "encap-vrf-id <number>"),
        *("local <ip>", "local_port <number>", "remote <ip>", "remote_port <number>", "vni <number>", "group <any>"),
    ),
}


def unread_part(command: str, rest: str, formats: Iterable[str]) -> str:
    """Return what VPP does not read of the text behind a command, '' where it reads all, or that is not known.

    A format may end within a word, as in VPP: `type1r2c` is `type 1r2c`. Of such a word all is returned.
    """
    patterns = [_pattern(each) for each in _MORE_FORMATS.get(command, formats)]
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


@cache
def _pattern(text: str) -> tuple[re.Pattern[str], bool]:
    """Return what a format matches, with the space behind it, and whether anything may follow it."""
    head, is_open, _ = text.partition(_ANY)
    parts = [
        _VALUES[word[1:-1]] if word[1:-1] in _VALUES else re.escape(word)
        for word in re.split(r"(<\w+>)|\s+", head)
        if word
    ]
    return re.compile(r"\s*".join([*parts, ""]) if text != _NOTHING else "(?!)"), bool(is_open)
