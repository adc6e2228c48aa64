"""The keys of an interface whose value has one type in the file and another one in VPP (`EntryKey`), in file order.

They stand apart from `kind_list` because sections of interfaces look at them, and rules at these sections. There are
many interfaces, and each function here is called for every one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from operator import attrgetter
from typing import Any

from vppcfg.entries.configuration import Configuration, InterfaceConfig
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.entry_key import EntryKey
from vppcfg.entries.section import NamedReference
from vppcfg.kinds import address, neighbor
from vppcfg.kinds.acl_section import ACLS_KEY
from vppcfg.kinds.lcp.entry import LCP
from vppcfg.kinds.policy_route_section import POLICY_ROUTES
from vppcfg.kinds.tag_rewrite import TAG_REWRITE
from vppcfg.kinds.vrf_section import VRF_KEY
from vppcfg.model.interface import Interface
from vppcfg.model.problem import KeyPath
from vppcfg.model.state import State

EARLY_KEYS: tuple[EntryKey, ...] = (
    LCP,
    VRF_KEY,
    address.KIND,
)
"""Written in an entry above the plain keys such as `mtu`."""
LATE_KEYS: tuple[EntryKey, ...] = (
    TAG_REWRITE,
    neighbor.KIND,
    POLICY_ROUTES,
    ACLS_KEY,
)
"""Written below them."""
ENTRY_KEYS: tuple[EntryKey, ...] = (*EARLY_KEYS, *LATE_KEYS)

_BY_KEY = {each.key: each for each in ENTRY_KEYS}
_OF_INTERFACE = {field.name for field in fields(Interface)}
_SKIPPED_WHEN_EMPTY = tuple(
    each for each in ENTRY_KEYS if each.attribute in _OF_INTERFACE and not each.has_meaning_when_absent
)
"""Those that need no call for an interface with nothing in the attribute of the same name."""
_ASKED_ALWAYS = tuple(each for each in ENTRY_KEYS if each not in _SKIPPED_WHEN_EMPTY)
_values_of_skippable = attrgetter(*(each.attribute for each in _SKIPPED_WHEN_EMPTY))


def _with_own(method: str) -> tuple[EntryKey, ...]:
    """Return the keys that have more than the usual method."""
    return tuple(each for each in ENTRY_KEYS if getattr(type(each), method) is not getattr(EntryKey, method))


_WITH_REFERENCES, _WITH_UNSUPPORTED, _WITH_TO_DESIRED = (
    _with_own(method) for method in ("references", "unsupported_key", "to_desired")
)
"""The keys that override each method; the others need no call."""


def parsed(raw: Mapping[str, Any], path: KeyPath) -> dict[str, Any]:
    """Return by attribute what the keys of an entry of the right shape stand for."""
    found = {}
    for key, given in raw.items():
        if given is not None and key in _BY_KEY:
            found[_BY_KEY[key].attribute] = _BY_KEY[key].parse(given, path)
    return found


def references(configuration: Configuration) -> Iterator[NamedReference]:
    """Yield what the keys of all interfaces name elsewhere in the file."""
    for interface in configuration.interfaces.values():
        for each in _WITH_REFERENCES:
            if getattr(interface, each.attribute):
                yield from each.references(interface)


def of_observed(interface: Interface, state: State, path: KeyPath) -> dict[str, Any]:
    """Return by attribute what stands for an observed interface; what it has nothing of is as by default."""
    found = {each.attribute: each.from_state(interface, state, path) for each in _ASKED_ALWAYS}
    for each, value in zip(_SKIPPED_WHEN_EMPTY, _values_of_skippable(interface), strict=True):
        if value:
            found[each.attribute] = each.from_state(interface, state, path)
    return found


def unsupported_reason(interface: Interface, state: State) -> str | None:
    """Return why no file can set what an observed interface has of the keys, None when one can."""
    for each in _WITH_UNSUPPORTED:
        reason = each.unsupported_key(interface, state)
        if reason is not None:
            return reason
    return None


def wanted(config: InterfaceConfig, base: Interface, desired: DesiredStateBuilder) -> dict[str, Any]:
    """Return the attributes of an interface that follow from its entry; `base` is what it starts from."""
    found: dict[str, Any] = {}
    for each in _WITH_TO_DESIRED:
        found |= each.to_desired(config, base, desired)
    return found


def without_entry(base: Interface) -> dict[str, Any]:
    """Return the attributes of an interface that the file creates and has no entry for."""
    return {attribute: value for each in _WITH_TO_DESIRED for attribute, value in each.without_entry(base).items()}
