"""Advice on a value that the schema refuses: what to write in its place, as the end of a message."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from vppcfg.common.addresses import canonical_address, canonical_prefix, is_wildcard
from vppcfg.common.resemblance import did_you_mean

_TRUTHS = {"on": True, "yes": True, "true": True, "off": False, "no": False, "false": False}
_READ_AS: Mapping[bool, str] = {True: "on, yes and true", False: "off, no and false"}
"""What YAML 1.1 takes for each truth value."""
_MEANT: Mapping[object, str] = {
    **dict.fromkeys((True, "enabled", "enable"), "up"),
    **dict.fromkeys((False, "disabled", "disable", "shutdown"), "down"),
    **dict.fromkeys(("allow", "accept", "pass"), "permit"),
    **dict.fromkeys(("drop", "reject", "block", "discard"), "deny"),
    "in": "inside",
    "out": "outside",
}
"""Words of VPP's prompt and of other products, and truth values, for words of ours."""
_OF_WORDS: Mapping[str, Callable[[str], str | None]] = {
    "address": canonical_address,
    "prefix": canonical_prefix,
    "endpoint": canonical_prefix,
}
"""What a word of the schema makes of an address with a length."""
_QUOTED = "is text, because it is in quotes; remove them"


def on_choice(value: Any, choices: Sequence[str]) -> str:
    """Return what to write where one of several words is needed."""
    if not isinstance(value, str | bool):
        return ""
    meant = _MEANT.get(value.lower() if isinstance(value, str) else value)
    if isinstance(value, bool):
        read = f": YAML reads {_READ_AS[value]} as that"
        return f"{read}; write `{meant}`" if meant in choices else f"{read}; put text in quotes"
    return f"; did you mean `{meant}`?" if meant in choices else did_you_mean(value, choices)


def on_quotes(value: Any, accepts: Callable[[Any], bool]) -> str | None:
    """Return what is wrong with a text that would be right without its quotes; None for anything else."""
    if not isinstance(value, str):
        return None
    if re.fullmatch(r"[-+]?(0|[1-9][0-9]{0,18})", value) and accepts(int(value)):
        return _QUOTED
    return _QUOTED if value.lower() in _TRUTHS and accepts(_TRUTHS[value.lower()]) else None


def on_mask(value: Any, word: str) -> str:
    """Return what to write in place of an address with a wildcard mask; '' where a word takes no prefix."""
    if not isinstance(value, str) or not is_wildcard(value):
        return ""
    host, _, mask = value.partition("/")
    length = 32 - int(ipaddress.IPv4Address(mask)).bit_length()
    proper = _OF_WORDS[word](f"{host}/{length}") if word in _OF_WORDS else None
    return f"; {mask} is a wildcard mask: write `{proper}`" if proper is not None else ""
