"""Keys of interfaces that are more than a plain value: what the file says of each, and what that is in the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from vppcfg.common.addresses import canonical_address, canonical_host, canonical_prefix, is_link_local
from vppcfg.config.yaml.text import KeyValue, Value
from vppcfg.model.features import (
    RaPrefix,
    RouterAdvertisements,
    ra_prefixes_in_order,
)


def unmanaged_addresses_of(raw: Sequence[str]) -> tuple[str, ...]:
    """Return the prefixes that `unmanaged-addresses` lists, a host as one that has it alone."""
    return tuple(prefix for text in raw if (prefix := canonical_prefix(text)))


DEFAULT_RA = RouterAdvertisements()
_RA_SWITCHES = {"managed": "is_managed", "other": "has_other", "unicast": "is_unicast"}
"""Attributes that are on or off, by the keys of the file."""


def shortest_interval_s(longest_s: int) -> int:
    """Return the shortest time between advertisements where the file says the longest alone, as VPP has it."""
    return longest_s * 3 // 4


def ra_of(raw: Mapping[str, Any]) -> RouterAdvertisements:
    """Return the router advertisements that `ra` asks for; a prefix that is none is kept for a rule to find."""
    interval = raw.get("interval") or DEFAULT_RA.max_interval_s
    lifetime = raw.get("lifetime")
    prefixes = [_prefix_of(str(prefix), value or {}) for prefix, value in (raw.get("prefixes") or {}).items()]
    sound = [each for each in prefixes if canonical_address(each.prefix)]
    return RouterAdvertisements(
        **{attribute: bool(raw.get(key)) for key, attribute in _RA_SWITCHES.items()},
        lifetime_s=DEFAULT_RA.lifetime_s if lifetime is None else lifetime,
        max_interval_s=interval,
        min_interval_s=raw.get("min-interval") or shortest_interval_s(interval),
        prefixes=(*ra_prefixes_in_order(sound), *(each for each in prefixes if each not in sound)),
    )


def _prefix_of(text: str, value: Mapping[str, Any]) -> RaPrefix:
    return RaPrefix(
        prefix=canonical_address(text) or text,
        is_on_link=value.get("on-link") is not False,
        is_autonomous=value.get("autonomous") is not False,
    )


def ra_said(ra: RouterAdvertisements) -> Value:
    """Return the value of `ra`."""
    shortest = shortest_interval_s(ra.max_interval_s)
    return (
        *(KeyValue(key, True) for key, attribute in _RA_SWITCHES.items() if getattr(ra, attribute)),
        *([KeyValue("lifetime", ra.lifetime_s)] if ra.lifetime_s != DEFAULT_RA.lifetime_s else []),
        *([KeyValue("interval", ra.max_interval_s)] if ra.max_interval_s != DEFAULT_RA.max_interval_s else []),
        *([KeyValue("min-interval", ra.min_interval_s)] if ra.min_interval_s != shortest else []),
        *([KeyValue("prefixes", tuple(_prefix_said(each) for each in ra.prefixes))] if ra.prefixes else []),
    )


def _prefix_said(prefix: RaPrefix) -> KeyValue:
    off = {"on-link": prefix.is_on_link, "autonomous": prefix.is_autonomous}
    return KeyValue(prefix.prefix, tuple(KeyValue(key, False) for key, is_on in off.items() if not is_on))


def why_no_ra(ra: RouterAdvertisements) -> str | None:
    """Return why `ra` cannot say router advertisements, None when it can."""
    if not ra.is_sent:
        return "it has settings for router advertisements and sends none"
    if ra.is_ending:
        return "its router advertisements are about to end"
    if not ra.has_link_layer_address:
        return "its router advertisements leave out its MAC address"
    if (ra.initial_count, ra.initial_interval_s) != (DEFAULT_RA.initial_count, DEFAULT_RA.initial_interval_s):
        return "its first router advertisements come at another pace"
    return next((f"its router advertisements {reason}" for each in ra.prefixes if (reason := _why_not(each))), None)


def _why_not(prefix: RaPrefix) -> str | None:
    if not prefix.is_lasting:
        return f"let {prefix.prefix} run out"
    if not prefix.is_named:
        return f"have {prefix.prefix} and do not name it"
    return None if canonical_prefix(prefix.prefix) == prefix.prefix else f"name {prefix.prefix}, which is no network"


def link_local_of(raw: str) -> str:
    """Return the address that `link-local` asks for; one that is none is kept for the schema's check."""
    return canonical_host(raw) or raw


def why_no_link_local(address: str) -> str | None:
    """Return why `link-local` cannot say an address, None when it can."""
    return None if is_link_local(address) else f"its link-local address is {address}, which is none"
