"""The parts of an ACL term that match: addresses, protocol, ports, ICMP types and codes. They know no defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vppcfg.common.addresses import canonical_prefix
from vppcfg.config.parse.prefix_list import PrefixList

ANY = "any"
EVERYWHERE = PrefixList(ipv4=("0.0.0.0/0",), ipv6=("::/0",))
MAX_PROTOCOL = 255
Range = tuple[int, int]
_NO_NAMES: Mapping[str, int] = {}


def parse_endpoint(raw: str | None, lists: Mapping[str, PrefixList]) -> PrefixList | None:
    """Parse `source` or `destination`; None when it names no list that there is."""
    if raw is None or raw == ANY:
        return EVERYWHERE
    prefix = canonical_prefix(raw)
    return lists.get(raw) if prefix is None else PrefixList.of((prefix,))


def parse_protocol(raw: int | str | None, names: Mapping[str, int]) -> int | None:
    """Parse `protocol`, 0 for any; None when there is no such protocol."""
    if raw is None or raw == ANY:
        return 0
    number = names.get(raw.lower()) if isinstance(raw, str) else raw
    if number is None and isinstance(raw, str):
        number = _number(raw)
    return number if number is not None and 0 <= number <= MAX_PROTOCOL else None


def parse_range(raw: Any, largest: int, names: Mapping[str, int] = _NO_NAMES) -> Range | None:
    """Parse a number, a name, `a-b`, `a-` or `-b`, of which YAML reads the last as a number; None when out of range."""
    if raw is None or raw == ANY:
        return 0, largest
    if isinstance(raw, int):
        first, last = (raw, raw) if raw >= 0 else (0, -raw)
        return _within(first, last, largest)
    text = raw.lower().replace(" ", "")
    single = _bound(text, names)
    if single is not None:
        return _within(single, single, largest)
    for position in (index for index, sign in enumerate(text) if sign == "-"):
        left, right = text[:position], text[position + 1 :]
        first_bound = 0 if left == "" else _bound(left, names)
        last_bound = largest if right == "" else _bound(right, names)
        if (left or right) and first_bound is not None and last_bound is not None:
            return _within(first_bound, last_bound, largest)
    return None


def _bound(text: str, names: Mapping[str, int]) -> int | None:
    return names[text] if text in names else _number(text)


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 6 else None


def _within(first: int, last: int, largest: int) -> Range | None:
    return (first, last) if first <= last <= largest else None
