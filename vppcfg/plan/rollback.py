"""The rollback: from where a plan leads to where it started, and from any state to one that was before."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import field, replace
from typing import Any, TypeVar

from vppcfg.engine.table_kind import AnyTable
from vppcfg.errors import PlanProofError
from vppcfg.kinds.kind_list import TABLES
from vppcfg.model.bond import Bond
from vppcfg.model.interface import InterfaceKind, OtherMatch
from vppcfg.model.kinds import is_marked
from vppcfg.model.linux_neighbors import as_in_linux
from vppcfg.model.lists_of_others import with_lists_of_others
from vppcfg.model.live_state import claimed, with_live_of
from vppcfg.model.memif import memif_name, sockets_in_use
from vppcfg.model.ownership import is_foreign
from vppcfg.model.state import State, tables_in_use
from vppcfg.model.vpp_object import Objects, Referent, is_owned, without_empty
from vppcfg.model.vrf import UNMANAGED_VRF, FibTable
from vppcfg.operations.change import Action, Change
from vppcfg.operations.recreate import is_refilled, replaced_interfaces
from vppcfg.plan.bootstrap_state import restorable
from vppcfg.plan.diff import diff
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.plan.proof import WrongEndError
from vppcfg.record import record

_T = TypeVar("_T")


def reverse_plan(plan: Plan) -> Plan:
    """Return the plan that undoes `plan`, as far as VPP can be brought back: see `restorable` and `with_live_of`."""
    end = end_of(plan)
    return make_plan(end, with_live_of(restorable(plan.observed), end))


def rollback_plan(plan: Plan, is_unmanaged: Callable[[str], bool]) -> Plan:
    """Return the plan of `way_back`."""
    return way_back(plan, is_unmanaged).plan


def way_back(plan: Plan, is_unmanaged: Callable[[str], bool]) -> WayBack:
    """Return the way from where a plan leads to where it started, as a rollback will plan it there.

    It is proved for every MAC that VPP may show by then. Raise PlanProofError when there is none.
    """
    created = created_ports(plan.observed, plan.desired)

    def proved(end: State) -> WayBack:
        target = closest_to(plan.observed, end, is_unmanaged, created, plan.desired)
        return prove_way_back(target, lambda state: make_plan(end, state))

    end = end_of(plan)
    way = proved(end)
    if (other := _with_former_macs(end, plan.observed)) is not None:
        proved(other)
    return way


def end_of(plan: Plan) -> State:
    """Return where a plan leads, as far as that is known before it is carried out.

    Which MAC a bond gets from its members is known only where the desired state has it, or a member stays.
    """
    reached = plan.reached
    before, after = plan.observed.virtual_as(Bond), plan.desired.virtual_as(Bond)
    replaced = replaced_interfaces(plan.observed, plan.desired) if before else {}
    bonds = {
        name: replace(reached.interfaces[name], mac=plan.desired.interfaces[name].mac)
        for name, bond in after.items()
        if name not in before or name in replaced or is_refilled(before[name], bond)
    }
    return replace(reached, interfaces={**reached.interfaces, **bonds}) if bonds else reached


def _with_former_macs(end: State, former: State) -> State | None:
    """Return the end of a plan with those MACs as they were that it leaves open, None where it leaves none open.

    A member that leaves its bond gets its own MAC, which its bond may have had from it.
    """
    was = former.interfaces
    again = {
        name: replace(interface, mac=was[name].mac)
        for name, interface in end.interfaces.items()
        if not interface.mac and name in was and was[name].mac
    }
    return replace(end, interfaces={**end.interfaces, **again}) if again else None


def created_ports(before: State, after: State) -> frozenset[str]:
    """Return the ports that a change from one state to another makes, which bear their mark a moment later."""
    return frozenset(
        name
        for name, interface in after.interfaces.items()
        if is_marked(interface.kind) and name not in before.interfaces
    )


@record
class Reachable:
    """The state to go to, as much like a former one as can be reached, and the ports that only the former one had."""

    state: State
    missing: tuple[str, ...]
    others: tuple[str, ...] = ()
    """Interfaces of others that routes and the like lead to, and that only the former one had."""
    in_effect: Callable[[], State] = field(compare=False)
    """Returns what no more than has the effect of the former state, also where nothing has changed it."""
    in_detail: Callable[[], State] = field(compare=False)
    """Returns what is the former state in every detail, whether VPP can be brought there or not."""

    @property
    def awaited(self) -> tuple[str, ...]:
        """Return all interfaces that others must create before the former state can come back whole."""
        return (*self.missing, *self.others)

    def is_reached(self, now: State) -> bool:
        """Return whether a state is as the former one, or has the same effect."""
        return not any(diff(now, self.state)) or not any(diff(now, self.in_effect()))


@record
class WayBack:
    """A plan to a former state that is proved."""

    plan: Plan
    target: Reachable
    doubt: str = ""
    """Why a state that is more like the former one could not be proved, '' where it was."""

    @property
    def unlike(self) -> tuple[Change[Any], ...]:
        """Return what would still have to change for every detail to be as it was; nothing of this has an effect."""
        found = diff(self.plan.reached, self.target.in_detail())
        return tuple(change for change in found if not _is_mac_of_member(change, self.plan.desired))


def _is_mac_of_member(change: Change[Any], state: State) -> bool:
    is_mac = change.action is Action.UPDATE and [each.name for each in change.attributes] == ["mac"]
    return is_mac and any(change.name in bond.members for bond in state.virtual_as(Bond).values())


def prove_way_back(target: Reachable, planned: Callable[[State], Plan]) -> WayBack:
    """Return the way to a former state that can be proved; `planned` returns the plan to a state.

    Where that is not the nearest one, the way leads to what is the same in effect, and where that cannot be proved
    either, to where its steps lead. Raise PlanProofError when there is none.
    """
    first: PlanProofError
    try:
        return WayBack(plan=planned(target.state), target=target)
    except PlanProofError as error:
        first = error
    except LookupError as error:
        first = PlanProofError(f"{error} is not there")
    for end in (target.in_effect(), *_ends_shown_by(first, target.state)):
        with suppress(PlanProofError, LookupError):
            return WayBack(plan=planned(end), target=target, doubt=first.message)
    raise first


def closest_to(
    former: State,
    now: State,
    is_unmanaged: Callable[[str], bool],
    created: Collection[str] = (),
    ours: State | None = None,
    left: State | None = None,
) -> Reachable:
    """Return `former` with everything that no plan may touch, or can make, as it is `now`.

    As now are objects with the tag of another program or covered by `is_unmanaged`, now or formerly; new ports; Linux,
    when one of both states does not know it; the MPLS table, which is never removed; live addresses, except those that
    `ours`, the target of the change, configures. Ports that were `created` on the way from one to the other are ours
    although they may not have the mark yet. What has changed, and VPP cannot restore in every detail, is the same in
    effect: see `restorable`. Lists of others that interfaces apply are as now, but for those that were taken off on
    the way: `left` is where the last change led, None where it did not get there. Neighbours of Linux are as now.
    """
    whole, former = former, _restorable(former, now)
    kept = _kept(former, now, is_unmanaged, created, ours)
    missing = tuple(
        interface.name
        for interface in former.interfaces.values()
        if interface.kind is InterfaceKind.PHYSICAL and interface.name not in now.interfaces
    )
    gone = _with_children(missing, former)
    lost = (name for name in _led_to(former) if name in kept and name not in now.interfaces and name not in gone)

    def merged(state: State) -> State:
        live = now if ours is None else claimed(now, ours)
        state = as_in_linux(with_lists_of_others(state, now, left), now)
        return with_live_of(_merged(state, now, kept, gone, is_unmanaged, ours), live)

    return Reachable(
        state=merged(former),
        missing=missing,
        others=tuple(dict.fromkeys(lost)),
        in_effect=lambda: merged(restorable(whole)),
        in_detail=lambda: merged(whole),
    )


def _merged(
    former: State,
    now: State,
    kept: Collection[str],
    gone: Collection[str],
    is_unmanaged: Callable[[str], bool],
    ours: State | None,
) -> State:
    """Return a former state with what is `kept` as it is now, and without what is `gone`."""

    def merged(old: Mapping[str, _T], new: Mapping[str, _T]) -> dict[str, _T]:
        ours = {name: value for name, value in old.items() if name not in kept and name not in gone}
        return {**ours, **{name: value for name, value in new.items() if name in kept}}

    lcps, virtual = merged(former.lcps, now.lcps), merged(former.virtual, now.virtual)
    is_linux_known = former.facts.has_linux and now.facts.has_linux
    devices = merged(former.linux, now.linux) if is_linux_known else now.linux
    state = replace(
        former,
        interfaces=merged(former.interfaces, now.interfaces),
        lcps=lcps,
        virtual=virtual,
        vrfs=_merged_tables(former, now, kept, gone, is_unmanaged),
        linux={name: device for name, device in devices.items() if name in lcps or name in virtual},
        has_mpls_table=former.has_mpls_table or now.has_mpls_table,
        facts=replace(now.facts, memif_sockets=_kept_sockets(former, now, is_unmanaged)),
        owned=former.owned if ours is None else former.owned | ours.owned,
    )
    state = state.with_tables({kind.table: _merged_table(kind, former, now, is_unmanaged) for kind in TABLES})
    return replace(state, objects=_possible_objects(state)).with_own_places()


def _ends_shown_by(error: Exception, desired: State) -> Iterator[State]:
    """Yield where the steps of a plan lead that does not lead to `desired`, when that is why it could not be proved."""
    for each in (error, error.__cause__):
        if isinstance(each, WrongEndError):
            yield replace(each.reached, owned=desired.owned, unmanaged=desired.unmanaged)


def _restorable(former: State, now: State) -> State:
    """Return `restorable(former)`, but for interfaces and LCP pairs that are now exactly as they were.

    Nothing has to be set on these, so they keep every detail; a sub-interface does so only together with its parent.
    A member that leaves its bond and joins it again gets the MAC of the bond, so that no member keeps one of its own.
    """
    found = restorable(former)
    before, after = former.managed(now.owned).interfaces, now.managed(now.owned).interfaces
    same = {
        name
        for name, each in before.items()
        if each == after.get(name) and former.virtual.get(name) == now.virtual.get(name)
    }
    kept = [name for name in same if former.interfaces[name].parent is None or former.interfaces[name].parent in same]
    pairs = {name: former.lcps[name] for name in kept if name in former.lcps}
    pairs = {name: pair for name, pair in pairs.items() if pair == now.lcps.get(name)}
    as_they_are = {name: replace(former.interfaces[name], mac=found.interfaces[name].mac) for name in kept}
    interfaces = {**found.interfaces, **as_they_are}
    return replace(found, interfaces=interfaces, lcps={**found.lcps, **pairs})


def _led_to(state: State) -> Iterator[str]:
    """Yield the interfaces that routes, policy routes and other objects that a state owns refer to."""
    users = [each for found in state.objects.values() for each in found.values() if is_owned(each, state.owned)]
    steered = [route for each in state.interfaces.values() for route in each.policy_routes]
    references = [reference for each in users for reference in each.references()]
    references += [reference for each in steered for reference in each.references()]
    yield from (each.name for each in references if each.referent is Referent.INTERFACE)


def _possible_objects(state: State) -> Objects:
    """Return the objects of a state of which all is there that they refer to."""
    return without_empty(
        {
            kind: {name: each for name, each in found.items() if state.has_all(each.references())}
            for kind, found in state.objects.items()
        }
    )


def _kept_sockets(former: State, now: State, is_unmanaged: Callable[[str], bool]) -> tuple[tuple[int, str], ...]:
    """Return the sockets of memifs that stay as they are, if a memif is at them or they were there before."""
    kept = {*dict(former.facts.memif_sockets), *sockets_in_use(now.virtual.items())}
    return tuple(
        (number, file)
        for number, file in now.facts.memif_sockets
        if number in kept or is_unmanaged(memif_name(number, 0))
    )


def _kept(
    former: State, now: State, is_unmanaged: Callable[[str], bool], created: Collection[str], ours: State | None
) -> set[str]:
    """Return the names of interfaces that stay as they are now, and of those that are not ours and are gone."""
    kept: set[str] = set()
    taken_over = _taken_over(former, now if ours is None else ours)
    for interfaces, is_now in ((now.interfaces, True), (former.interfaces, False)):
        for interface in sorted(interfaces.values(), key=lambda interface: interface.parent is not None):
            is_new_port = (
                is_now
                and interface.kind is InterfaceKind.PHYSICAL
                and interface.name not in former.interfaces
                and not (interface.name in created and interface.name in now.virtual)
            )
            is_of_others = is_foreign(interface.tag) and interface.name not in taken_over
            is_left = is_of_others or is_unmanaged(interface.name) or isinstance(interface.encapsulation, OtherMatch)
            if is_new_port or is_left or interface.parent in kept:
                kept.add(interface.name)
    return kept


def _taken_over(former: State, later: State) -> set[str]:
    """Return the interfaces that bore the tag of another program and do not later: `apply --adopt` has had them."""
    theirs = {name for name, interface in former.interfaces.items() if is_foreign(interface.tag)}
    return {name for name in theirs & later.interfaces.keys() if not is_foreign(later.interfaces[name].tag)}


def _with_children(ports: tuple[str, ...], state: State) -> set[str]:
    if not ports:
        return set()
    children = state.sub_interfaces_by_parent()
    return {*ports, *(child for port in ports for child in children.get(port, ()))}


def _merged_table(kind: AnyTable, former: State, now: State, is_unmanaged: Callable[[str], bool]) -> dict[str, Any]:
    def is_not_ours(name: str, item: Any) -> bool:
        return kind.is_not_ours(name, item, is_unmanaged)

    return _merged_objects(kind.in_state(former), kind.in_state(now), is_not_ours)


def _merged_tables(
    former: State, now: State, kept: Collection[str], gone: Collection[str], is_unmanaged: Callable[[str], bool]
) -> dict[str, FibTable]:
    """Return the FIB tables to go to: those that interfaces are in that stay as they are now stay too.

    So do those without an owner, because VPP named them; of former ones, what comes back needs them.
    """

    def is_not_ours(key: str, table: FibTable) -> bool:
        return table.is_unnamed or is_unmanaged(f"{UNMANAGED_VRF}{table.name}")

    held = set(tables_in_use(now, kept))
    needed = set(tables_in_use(former, [name for name in former.interfaces if name not in kept and name not in gone]))
    stay = {key: table for key, table in now.vrfs.items() if key in held or is_not_ours(key, table)}
    ours = {key: table for key, table in former.vrfs.items() if key in needed or not is_not_ours(key, table)}
    return {**ours, **stay}


def _merged_objects(
    former: Mapping[str, _T], now: Mapping[str, _T], is_not_ours: Callable[[str, _T], bool]
) -> dict[str, _T]:
    ours = {name: item for name, item in former.items() if not is_not_ours(name, item)}
    return {**ours, **{name: item for name, item in now.items() if is_not_ours(name, item)}}
