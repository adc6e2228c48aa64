"""NAT44 put together: its kinds of objects, their steps, and how entries that VPP lists twice are distinguished."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from vppcfg.common.names import natural_key
from vppcfg.engine.object_kind import AnyObjectKind
from vppcfg.entries.section import Section
from vppcfg.kinds.nat44 import exemptions, leaks, mappings, pools, section, settings
from vppcfg.kinds.nat44.exemptions import AddNatExemption, RemoveNatExemption
from vppcfg.kinds.nat44.exemptions import in_effect as exempt_in_effect
from vppcfg.kinds.nat44.followed import FOLLOWERS, removal_stage
from vppcfg.kinds.nat44.leaks import AddNatLeak, AddNatLeaks, RemoveNatLeaks
from vppcfg.kinds.nat44.mappings import AddNatMapping, RemoveNatMapping, in_effect
from vppcfg.kinds.nat44.pools import AddNatAddress, AddNatPool, RemoveNatAddress, RemoveNatPool
from vppcfg.kinds.nat44.rules import RULES
from vppcfg.kinds.nat44.settings import DisableNat44, EnableNat44, setting_operations
from vppcfg.model.attachment import Attachment
from vppcfg.model.nat44 import Nat44, NatAddress, NatExemption, NatLeaks, NatMapping, NatObject, NatPool
from vppcfg.model.state import State
from vppcfg.model.vpp_object import Referent, VppObject, by_name
from vppcfg.operations.operation import Operation
from vppcfg.operations.request import NO_INDEX, Known
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition, loses_address, own_addresses, renumbers
from vppcfg.wire.codec import text_of_address
from vppcfg.wire.reading import Replies, VppReader


def steps(transition: Transition) -> Iterator[Step]:
    """Yield the steps of NAT44, but for those of its interfaces."""
    yield from _enabling(transition)
    if transition.desired.of(Nat44) or transition.observed.of(Nat44):
        is_early = transition.resets_nat44 or _is_renumbered(transition)
        yield from _mapping_steps(transition, is_early=is_early)
        yield from _exemption_steps(transition, is_early=is_early)
        yield from _pool_steps(transition, is_early=is_early)
        yield from _interface_pools(transition, is_early=is_early)
        yield from _leaks(transition)


def _enabling(transition: Transition) -> Iterator[Step]:
    before, after = _settings(transition.observed), _settings(transition.desired)
    if before is not None and transition.resets_nat44:
        yield Step(stage=Stage.DISABLE_NAT, operation=DisableNat44(item=before))
        before = None
    if after is None:
        return
    if before is None:
        yield Step(stage=Stage.ENABLE_NAT, operation=EnableNat44(item=after))
        sessions, inside, outside = after.enable_settings
        before = Nat44(sessions=sessions, inside_table=inside, outside_table=outside)
    for operation in setting_operations(before, after):
        yield Step(stage=Stage.SET_NAT, operation=operation)


def _settings(state: State) -> Nat44 | None:
    return next(iter(state.of(Nat44).values()), None)


def _is_renumbered(transition: Transition) -> bool:
    """Return whether an interface is renumbered whose address something follows.

    Its address may be one that stands by itself until then, and VPP cannot distinguish these two: what goes, goes
    before.
    """
    states = (transition.observed, transition.desired)
    followed = {
        each.name
        for state in states
        for kind in (NatPool, NatMapping, NatExemption)
        for item in state.of(kind).values()
        for each in item.references()
        if each.referent is Referent.INTERFACE
    }
    return any(_addresses_differ(name, transition) for name in followed)


def _addresses_differ(interface: str, transition: Transition) -> bool:
    return renumbers(interface, transition.observed, transition.desired) or transition.moves_ipv4(interface)


def _mapping_steps(transition: Transition, *, is_early: bool) -> Iterator[Step]:
    before = transition.observed.of(NatMapping)
    after = transition.desired.of(NatMapping)
    for name in sorted({*before, *after}, key=natural_key):
        old, new = before.get(name), after.get(name)
        if old == new and old is not None and not is_renewed(old, transition):
            continue
        if old is not None and not transition.resets_nat44:
            for address in _idle_at(old, transition):
                yield Step(stage=Stage.TURN_OFF, operation=AddNatMapping(item=in_effect(old, address)))
            yield Step(stage=_removal(old, transition, is_early=is_early), operation=RemoveNatMapping(item=old))
        if new is not None:
            yield Step(stage=Stage.SET_OBJECT, operation=AddNatMapping(item=new))


def _exemption_steps(transition: Transition, *, is_early: bool) -> Iterator[Step]:
    """Yield the steps of exemptions, which all go before NAT44 is disabled."""
    before, after = transition.observed.of(NatExemption), transition.desired.of(NatExemption)
    for name in sorted({*before, *after}, key=natural_key):
        old, new = before.get(name), after.get(name)
        if old == new and old is not None and not is_renewed(old, transition):
            continue
        if old is not None:
            for address in _idle_at(old, transition):
                twin = exempt_in_effect(old, address)
                yield Step(stage=Stage.TURN_OFF, operation=AddNatExemption(item=twin))
            yield Step(stage=_removal(old, transition, is_early=is_early), operation=RemoveNatExemption(item=old))
        if new is not None:
            yield Step(stage=Stage.SET_OBJECT, operation=AddNatExemption(item=new))


def _removal(item: NatObject, transition: Transition, *, is_early: bool) -> Stage:
    """Return when a mapping goes: right before others come, unless what it refers to goes before."""
    is_early = is_early or is_renewed(item, transition)
    return Stage.REMOVE_OBJECT if is_early else Stage.REMOVE_NAT_MAPPING


def _pool_steps(transition: Transition, *, is_early: bool) -> Iterator[Step]:
    before, after = transition.observed.of(NatAddress), transition.desired.of(NatAddress)
    for name in sorted({*before, *after}, key=natural_key):
        old, new = before.get(name), after.get(name)
        if old == new and old is not None and not is_renewed(old, transition):
            continue
        if old is not None and not transition.resets_nat44:
            is_in_the_way = new is not None or _is_given_by_interface(old, transition)
            late = Stage.FREE_NAT_ADDRESS if is_in_the_way else Stage.REMOVE_NAT_ADDRESS
            stage = Stage.REMOVE_NAT_POOL if is_early or _loses_reference(old, transition) else late
            yield Step(stage=stage, operation=RemoveNatAddress(item=old))
        if new is not None:
            yield Step(stage=Stage.ADD_NAT_POOL, operation=AddNatAddress(item=new))


def _interface_pools(transition: Transition, *, is_early: bool) -> Iterator[Step]:
    before, after = transition.observed.of(NatPool), transition.desired.of(NatPool)
    for name in sorted({*before, *after}, key=natural_key):
        old, new = before.get(name), after.get(name)
        if old == new and old is not None and not is_renewed(old, transition):
            continue
        if old is not None and not transition.resets_nat44:
            for address in _idle_at(old, transition):
                twin = NatAddress(address=address, is_twice=old.is_twice)
                yield Step(stage=Stage.TURN_OFF, operation=AddNatAddress(item=twin))
            stage = Stage.REMOVE_NAT_POOL if is_early or is_renewed(old, transition) else Stage.FREE_NAT_ADDRESS
            yield Step(stage=stage, operation=RemoveNatPool(item=old))
        if new is not None:
            yield Step(stage=Stage.ADD_NAT_POOL, operation=AddNatPool(item=new))


def _leaks(transition: Transition) -> Iterator[Step]:
    before, after = transition.observed.of(NatLeaks), transition.desired.of(NatLeaks)
    for name in sorted({*before, *after}, key=natural_key):
        old, new = before.get(name), after.get(name)
        is_extended = old is not None and new is not None and set(old.targets) <= set(new.targets)
        is_broken = transition.resets_nat44 or (old is not None and _loses_reference(old, transition))
        if old is not None and not transition.resets_nat44 and (is_broken or not is_extended):
            yield Step(stage=_removal(old, transition, is_early=False), operation=RemoveNatLeaks(item=old))
        if new is not None:
            kept = old if is_extended and not is_broken else None
            yield from _list(kept, new)


def _list(kept: NatLeaks | None, new: NatLeaks) -> Iterator[Step]:
    if kept is None:
        yield Step(stage=Stage.ADD_NAT_POOL, operation=AddNatLeaks(item=new))
    for target in new.targets:
        if kept is None or target not in kept.targets:
            yield Step(stage=Stage.ADD_NAT_POOL, operation=AddNatLeak(table_id=new.table_id, target=target))


def is_renewed(item: NatObject, transition: Transition) -> bool:
    """Return whether something that stays as it is must be removed and added during the change."""
    if transition.resets_nat44 or _loses_reference(item, transition):
        return True
    names = (each.name for each in item.references() if each.referent is Referent.INTERFACE)
    states = transition.observed, transition.desired
    return any(loses_address(name, *states, is_moved=transition.moves_ipv4(name)) for name in names)


def _idle_at(item: NatPool | NatMapping | NatExemption, transition: Transition) -> list[str]:
    """Return the address of an interface that something follows and VPP has not taken.

    VPP removes what follows the interface only with the address: it is added by itself before, and goes along.
    """
    is_idle = item.is_empty if isinstance(item, NatPool) else item.is_idle
    return own_addresses(transition.observed.interfaces, item.interface) if is_idle else []


def _loses_reference(item: NatObject, transition: Transition) -> bool:
    gone: Mapping[Referent, frozenset[str]] = {
        Referent.INTERFACE: transition.to_delete,
        Referent.TABLE: transition.deleted_tables,
    }
    return any(each.name in gone[each.referent] for each in item.references())


def _is_given_by_interface(item: NatAddress, transition: Transition) -> bool:
    """Return whether an interface that is to give its address to the pool has just this one."""
    pools = transition.desired.of(NatPool).values()
    interfaces = (transition.desired.interfaces.get(pool.interface) for pool in pools)
    return any(
        address.partition("/")[0] == item.address
        for interface in interfaces
        if interface is not None
        for address in interface.addresses
    )


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
    own_attachments = FOLLOWERS

    def sections(self) -> tuple[Section, ...]:
        """Return the section `nat44`."""
        return (section.NAT44,)

    def setting_steps(self, transition: Transition) -> Iterator[Step]:
        yield from steps(transition)

    def attachment_removal(
        self, attachment: Attachment, removal: Sequence[Operation], transition: Transition
    ) -> Sequence[Step] | None:
        stage = removal_stage(attachment, transition)
        return None if stage is None else [Step(stage=stage, operation=each) for each in removal]

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
    """Return the address that VPP has taken of each interface that gives one, by the name of the pool.

    It took the first one that the interface had then: others of the interface stand in the pool by themselves.
    """
    there = {name for name, each in state.of(NatAddress).items() if each.table_id is None}
    found = {}
    for pool in state.of(NatPool).values():
        addresses = own_addresses(state.interfaces, pool.interface)
        names = (NatAddress(address=address, is_twice=pool.is_twice).name for address in addresses)
        if taken := next((name for name in names if name in there), None):
            found[pool.name] = taken
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
