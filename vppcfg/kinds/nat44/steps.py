"""The steps of a plan that change NAT44, in order: enabled before all else, mappings removed before their addresses.

What a live session uses is touched only where it changes itself. Disabling takes everything away at once, and so does
another number of sessions, for which VPP must be disabled and enabled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vppcfg.common.names import natural_key
from vppcfg.kinds.nat44.exemptions import AddNatExemption, RemoveNatExemption
from vppcfg.kinds.nat44.exemptions import in_effect as exempt_in_effect
from vppcfg.kinds.nat44.followed import loses_address
from vppcfg.kinds.nat44.leaks import AddNatLeak, AddNatLeaks, RemoveNatLeaks
from vppcfg.kinds.nat44.mappings import AddNatMapping, RemoveNatMapping, in_effect
from vppcfg.kinds.nat44.pools import AddNatAddress, AddNatPool, RemoveNatAddress, RemoveNatPool, own_addresses
from vppcfg.kinds.nat44.settings import DisableNat44, EnableNat44, setting_operations
from vppcfg.model.nat44 import Nat44, NatAddress, NatExemption, NatLeaks, NatMapping, NatObject, NatPool
from vppcfg.model.state import State
from vppcfg.model.vpp_object import Referent
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition


def steps(transition: Transition) -> Iterator[Step]:
    """Yield the steps of NAT44, but for those of its interfaces."""
    yield from _enabling(transition)
    if transition.desired.of(Nat44) or transition.observed.of(Nat44):
        is_early = transition.resets_nat44 or _is_renumbered(transition)
        yield from _mappings(transition, is_early=is_early)
        yield from _exemptions(transition, is_early=is_early)
        yield from _pools(transition, is_early=is_early)
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
    old, new = (own_addresses(state.interfaces, interface) for state in (transition.observed, transition.desired))
    return old != new or transition.moves_ipv4(interface)


def _mappings(transition: Transition, *, is_early: bool) -> Iterator[Step]:
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


def _exemptions(transition: Transition, *, is_early: bool) -> Iterator[Step]:
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


def _pools(transition: Transition, *, is_early: bool) -> Iterator[Step]:
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
