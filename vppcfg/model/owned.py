"""Services that belong to whoever has their section: NAT44 and others that VPP marks as nobody's.

A file without the section leaves the service alone, so that neither a plan nor a way back may see it. A state knows by
`owned` which services it decides about, and is compared with another one in these alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from vppcfg.model.interface import FEATURE_DEFAULTS
from vppcfg.model.kinds import OBJECTS
from vppcfg.model.state import State
from vppcfg.record import evolve

SERVICES = frozenset(kind.section for kind in OBJECTS if kind.section)
"""The sections that own a service."""
FEATURE_OWNERS: Mapping[str, str] = {"nat44": "nat44"}
"""By the attribute of an interface: the section of the service that it is a part of, which has objects where it is."""


def limited_to(state: State, owned: frozenset[str]) -> State:
    """Return what a state has, without the services that are not `owned`."""
    foreign = services_in(state) - owned
    if not foreign:
        return state if state.owned == owned else replace(state, owned=owned)
    attributes = [attribute for attribute, section in FEATURE_OWNERS.items() if section in foreign]
    off = {attribute: FEATURE_DEFAULTS[attribute] for attribute in attributes}
    bare = {
        name: evolve(interface, **off)
        for name, interface in state.interfaces.items()
        if any(getattr(interface, attribute) != off[attribute] for attribute in attributes)
    }
    objects = {kind: found for kind, found in state.objects.items() if kind.section not in foreign}
    return replace(state, interfaces={**state.interfaces, **bare}, objects=objects, owned=owned)


def services_in(state: State) -> frozenset[str]:
    """Return the sections of the services that a state has anything of."""
    return frozenset(kind.section for kind, found in state.objects.items() if found) - {""}


def with_services_of(state: State, other: State, sections: Iterable[str]) -> State:
    """Return a state with some services as another one has them, on the interfaces that both have."""
    wanted = frozenset(sections)
    attributes = [attribute for attribute, section in FEATURE_OWNERS.items() if section in wanted]
    changed = {
        name: evolve(interface, **{each: getattr(other.interfaces[name], each) for each in attributes})
        for name, interface in state.interfaces.items()
        if attributes and name in other.interfaces
    }
    objects = {kind: found for kind, found in state.objects.items() if kind.section not in wanted}
    objects |= {kind: found for kind, found in other.objects.items() if kind.section in wanted}
    interfaces = {**state.interfaces, **changed}
    return replace(state, interfaces=interfaces, objects=objects, owned=state.owned | wanted)
