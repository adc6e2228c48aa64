"""Sentences about what a plan does to connections through NAT44: what is lost, and who gets another address."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vppcfg.common.names import natural_key
from vppcfg.common.numbers import numbered
from vppcfg.model.nat44 import Nat44, NatAddress, NatExemption, NatMapping, NatPool
from vppcfg.model.state import State
from vppcfg.model.vpp_object import owns_all
from vppcfg.operations.object_operation import RemoveObject
from vppcfg.operations.transition import own_addresses
from vppcfg.plan.live_addresses import live_outcomes
from vppcfg.plan.plan import Plan
from vppcfg.render.impact_reasons import listed, shortened

_MOST = 5
"""Lines of one sort."""
_FOLLOWERS: dict[type[Any], str] = {NatPool: "pool", NatMapping: "mapping", NatExemption: "exemption"}
"""What follows the address of an interface."""


def nat44_lines(plan: Plan) -> Iterator[str]:
    """Yield what connections lose; nothing where the file does not decide about NAT44."""
    before, after = plan.observed.managed(plan.desired.owned), plan.desired
    if not before.of(Nat44):
        return
    if any(isinstance(each.item, Nat44) for each in plan.of(RemoveObject)):
        yield _reset(plan)
        return
    yield from _moved(plan)
    yield from _followed(plan)
    yield from shortened(list(_mappings(before, after)), _MOST, "and {} more mappings")
    yield from shortened(list(_addresses(before, after)), _MOST, "and {} more addresses")


def left_alone(plan: Plan) -> str:
    """Return notes on NAT44 that VPP has and the file leaves alone; '' where there is none."""
    observed = plan.observed
    if not observed.of(Nat44) or owns_all(plan.desired.owned, Nat44):
        return ""
    mappings, sides = len(observed.of(NatMapping)), sum(each.nat44 is not None for each in observed.interfaces.values())
    text = f"VPP has NAT44 on {sides} interface{'' if sides == 1 else 's'}"
    text += f" with {mappings:,} mapping{'' if mappings == 1 else 's'}" if mappings else ""
    return f"{text}; the file has no section `nat44`, and leaves it alone"


def _reset(plan: Plan) -> str:
    count = plan.observed.facts.nat44_sessions
    lost = "all NAT44 sessions are lost" if count is None else f"all {count:,} NAT44 sessions are lost"
    if count == 0:
        lost = "there is no session to lose"
    if count == 1:
        lost = "the only one of the NAT44 sessions is lost"
    comes_back = "disabled and enabled again" if plan.desired.of(Nat44) else "disabled"
    return f"NAT44 is {comes_back}: {lost}"


def _of_all(plan: Plan) -> str:
    sizes = plan.observed.facts.sizes
    return "" if sizes is None else f", of {sizes.nat44_sessions:,} in all"


def _moved(plan: Plan) -> Iterator[str]:
    """Yield the interfaces that go to another table: VPP finds sessions by that of packets (nat44_ed_in2out.c)."""
    both = ((each, plan.desired.interfaces.get(name)) for name, each in plan.observed.interfaces.items())
    moved = [
        before.name
        for before, after in both
        if after is not None and before.nat44 and after.nat44 and before.tables[0] != after.tables[0]
    ]
    if moved:
        names = listed(sorted(moved, key=natural_key))
        yield f"NAT44 sessions of {names} end{_of_all(plan)}, because the VRF is another one"


def _followed(plan: Plan) -> Iterator[str]:
    """Yield the interfaces that lose the address which NAT44 has of them, with what waits for another one."""
    before, after = plan.observed, plan.desired
    gone = {each.live.address.partition("/")[0] for each in live_outcomes(plan) if not each.is_kept}
    followers = {kind: before.of(kind).values() for kind in _FOLLOWERS}
    names = {each.interface for items in followers.values() for each in items} & after.interfaces.keys()
    for name in sorted(names, key=natural_key):
        old, new = (own_addresses(state.interfaces, name) for state in (before, after))
        here = before.facts.followed_addresses.intersection(old) or set(old)
        if not (lost := here - (set(new) - gone)):
            continue
        line = f"NAT44 loses {listed(sorted(lost))} of {name}, and its sessions{_of_all(plan)}"
        if set(new) <= gone and after.interfaces[name].dhcp_client is not None:
            counts = ((sum(each.interface == name for each in followers[kind]), _FOLLOWERS[kind]) for kind in followers)
            waiting = listed([numbered(count, noun) for count, noun in counts if count])
            line += f"; until the DHCP client has a lease, {waiting} of NAT44 have no address"
        yield line


def _mappings(before: State, after: State) -> Iterator[str]:
    """Yield the mappings that lead nowhere, or elsewhere, then."""
    desired = after.of(NatMapping)
    for name, old in sorted(before.of(NatMapping).items(), key=lambda item: natural_key(item[0])):
        new = desired.get(name)
        outer = f"{name.partition(':')[2]}{f' ({old.tag})' if old.tag else ''}"
        if new is None:
            yield f"{outer} no longer leads to {old.inner_end}; {_fate(old)}"
        elif (new.inner_end, new.table_id) != (old.inner_end, old.table_id):
            yield f"{outer} leads to {new.inner_end} instead of {old.inner_end}; {_fate(old)}"
        elif new != old:
            yield f"{outer} is set again; {_fate(old)}"


def _fate(old: NatMapping) -> str:
    """Return what becomes of open connections: of a port, VPP ends one (nat_ed_static_mapping_del_sessions)."""
    return "its sessions end" if old.protocol is None else "open connections stay as they are, but for one"


def _addresses(before: State, after: State) -> Iterator[str]:
    """Yield the addresses that leave the pools, and whether new connections are spread otherwise."""
    kinds: tuple[type[Any], ...] = (NatAddress, NatPool)
    gone = [each for kind in kinds for name, each in before.of(kind).items() if name not in after.of(kind)]
    come = [each for kind in kinds for name, each in after.of(kind).items() if name not in before.of(kind)]
    for each in gone:
        what = each.address if isinstance(each, NatAddress) else f"the address of {each.interface}"
        if each.is_twice:
            yield f"{what} leaves the pool of twice-NAT; open connections keep it"
        else:
            yield f"{what} leaves the pool: its sessions end, and their hosts get another address"
    if come and not gone and any(before.of(kind) for kind in kinds):
        yield "hosts inside may get another address for new connections: the pool grows"
