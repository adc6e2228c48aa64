"""NAT44 put together: its kinds of objects, their steps, and how entries that VPP lists twice are distinguished."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from vppcfg.engine.object_kind import AnyObjectKind
from vppcfg.entries.section import Section
from vppcfg.kinds.nat44 import exemptions, leaks, mappings, pools, section, settings
from vppcfg.kinds.nat44.pools import own_addresses
from vppcfg.kinds.nat44.rules import RULES
from vppcfg.kinds.nat44.steps import steps
from vppcfg.model.nat44 import NatAddress, NatExemption, NatMapping, NatPool
from vppcfg.model.state import State
from vppcfg.model.vpp_object import VppObject, by_name
from vppcfg.operations.request import NO_INDEX, Known
from vppcfg.operations.stages import Step
from vppcfg.operations.transition import Transition
from vppcfg.wire.codec import text_of_address
from vppcfg.wire.reading import Replies, VppReader

_USERS = "nat44_user_dump"
_POOLS = ("nat44_interface_addr_dump", "nat44_interface_addr_details")
_ADDRESSES = ("nat44_address_dump", "nat44_address_details")
_MAPPINGS = (
    ("nat44_static_mapping_dump", "nat44_static_mapping_details", "external_sw_if_index", "external_ip_address"),
    ("nat44_identity_mapping_dump", "nat44_identity_mapping_details", "sw_if_index", "ip_address"),
)
"""Mappings and exemptions by interface are listed once more at the address that VPP has taken, as by no interface."""


class Nat44Kind(settings.NatSettingsKind):
    """The settings, and what is about all of NAT44."""

    foreign_keys = ("nat", "snat", "dnat", "masquerade", "port-forward", "port-forwards")
    rules = RULES

    def sections(self) -> tuple[Section, ...]:
        """Return the section `nat44`."""
        return (section.NAT44,)

    def setting_steps(self, transition: Transition) -> Iterator[Step]:
        """Yield the steps of all its objects."""
        yield from steps(transition)

    def read_facts(
        self, connection: VppReader, replies: Replies, known: Known, found: Mapping[str, Mapping[int, Any]]
    ) -> dict[str, Any]:
        """Return which interfaces have an address that NAT44 follows, and the addresses that it has taken.

        VPP takes the first address of the interface into the pool, passes over others while that is there, and takes
        it out with it (nat44_ed_add_del_interface_address_cb in plugins/nat/nat44-ed/nat44_ed.c, from 23.06 to 26.10).
        So the pool follows a new address that comes after the old one has gone, and is empty where it came before.
        NAT44-EI, NAT64 and cnat take every address, and need no such care.
        """
        rows = [(index, b"") for (index,) in _rows(connection, replies, *_POOLS, "sw_if_index")]
        rows += [(NO_INDEX, raw) for (raw,) in _rows(connection, replies, *_ADDRESSES, "ip_address")]
        rows += [row for each in _MAPPINGS for row in _rows(connection, replies, *each)]
        names = frozenset(known.names[index] for index, _ in rows if index in known.names)
        taken = frozenset(text_of_address(0, raw) for index, raw in rows if index == NO_INDEX) if names else frozenset()
        return {"address_followers": names, "followed_addresses": taken}

    def finish(self, state: State) -> State:
        """Return a state without what VPP lists a second time, because it follows the address of an interface."""
        found: dict[type[VppObject], Mapping[str, VppObject]] = {
            NatAddress: by_name(_own_addresses(state)),
            NatPool: by_name(_pools(state)),
            NatMapping: by_name(_mappings(state)),
            NatExemption: by_name(_exemptions(state)),
        }
        if not any(kind in state.objects for kind in found):
            return state
        objects = {**state.objects, **found}
        return replace(state, objects={kind: items for kind, items in objects.items() if items})


def _rows(connection: VppReader, replies: Replies, dump: str, details: str, *paths: str) -> list[tuple[Any, ...]]:
    return connection.rows(replies, details, *paths) if connection.offers(dump) else []


def count_sessions(connection: VppReader) -> int:
    """Return how many sessions there are now, by what VPP has of each host inside."""
    if not connection.offers(_USERS):
        return 0
    replies = connection.ask([connection.request(_USERS)[1]])
    rows = connection.rows(replies, "nat44_user_details", "nsessions", "nstaticsessions")
    return sum(dynamic + static for dynamic, static in rows)


def _given(state: State) -> dict[str, str]:
    """Return the address that VPP has taken of each interface that gives one, by the name of the pool."""
    there = state.of(NatAddress)
    found = {}
    for pool in state.of(NatPool).values():
        for address in own_addresses(state.interfaces, pool.interface):
            name = NatAddress(address=address, is_twice=pool.is_twice).name
            if name in there and there[name].table_id is None:
                found[pool.name] = name
    return found


def _own_addresses(state: State) -> Iterator[NatAddress]:
    given = set(_given(state).values())
    yield from (each for name, each in state.of(NatAddress).items() if name not in given)


def _pools(state: State) -> Iterator[NatPool]:
    given = _given(state)
    for name, pool in state.of(NatPool).items():
        is_empty = name not in given and len(own_addresses(state.interfaces, pool.interface)) == 1
        yield replace(pool, is_empty=is_empty)


def _mappings(state: State) -> Iterator[NatMapping]:
    """Yield the mappings; those by interface with all their flags, which their second entry has."""
    listed = dict(state.of(NatMapping))
    found = []
    for mapping in state.of(NatMapping).values():
        if not mapping.interface:
            continue
        addresses = own_addresses(state.interfaces, mapping.interface)
        twin = next((each for address in addresses if (each := listed.get(_twin(mapping, address)))), None)
        if twin is not None and _is_same(mapping, twin):
            del listed[twin.name]
            found.append(replace(mapping, twice=twin.twice, is_out_to_in_only=twin.is_out_to_in_only))
        else:
            found.append(replace(mapping, is_idle=len(addresses) == 1))
    yield from (each for each in listed.values() if not each.interface)
    yield from found


def _twin(mapping: NatMapping, address: str) -> str:
    return mappings.in_effect(mapping, address).name


def _is_same(mapping: NatMapping, twin: NatMapping) -> bool:
    return (mapping.local, mapping.local_port, mappings.full_tag(mapping)) == (twin.local, twin.local_port, twin.tag)


def _exemptions(state: State) -> Iterator[NatExemption]:
    """Yield the exemptions; of several tables, VPP gives all of one end the tag of the first one, which may be gone."""
    listed = dict(state.of(NatExemption))
    found = []
    for each in state.of(NatExemption).values():
        if each.interface:
            addresses = own_addresses(state.interfaces, each.interface)
            names = (exemptions.in_effect(each, address).name for address in addresses)
            there = [name for name in names if name in listed]
            if there:
                del listed[min(there, key=lambda name: listed[name].tag != each.tag)]
            found.append(replace(each, is_idle=not there and len(addresses) == 1))
    yield from (each for each in listed.values() if not each.interface)
    yield from found


KINDS: tuple[AnyObjectKind, ...] = (
    Nat44Kind(),
    pools.ADDRESS_KIND,
    pools.POOL_KIND,
    mappings.KIND,
    exemptions.KIND,
    leaks.KIND,
)
"""In the order in which state documents have them."""
