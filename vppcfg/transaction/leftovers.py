"""What VPP has kept of deleted interfaces, and would end at: a plan that touches it is refused.

No option lifts that. An operator frees it by giving the index to an interface again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vppcfg.common.names import natural_key
from vppcfg.kinds.neighbor import RemoveNeighbor, SetNeighbor
from vppcfg.kinds.policy_route_operations import CreatePolicy
from vppcfg.model.det44 import Det44Map
from vppcfg.model.nd_proxy import NdProxy
from vppcfg.model.neighbor import OrphanedNeighbor
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.plan.plan import Plan
from vppcfg.transaction.guard import Objection

_MOST = 5
"""Names in a message."""


def about_leftovers(plan: Plan) -> Iterator[Objection]:
    """Yield objections to a plan at which VPP would end because of what it has kept of deleted interfaces."""
    yield from _about_neighbors(plan)
    yield from _about_det44(plan)
    yield from _about_policies(plan)
    yield from _about_proxies(plan)


def _about_neighbors(plan: Plan) -> Iterator[Objection]:
    """Yield objections to a plan that gives static neighbours of deleted interfaces to new ones.

    VPP up to 25.10 leaves them to the next interface with the index, which may be any that is made, and ends when the
    same address is entered on another interface or taken out there (vnet/ip-neighbor/ip_neighbor.c). No option lifts
    it: VPP takes out no neighbour of an interface that is not there.
    """
    left = plan.observed.facts.left_neighbors
    if not left:
        return
    changed = {each.address for each in plan.of(SetNeighbor)} | {each.address for each in plan.of(RemoveNeighbor)}
    fatal = [each for each in left if each.address in changed]
    if fatal:
        yield Objection(
            f"VPP would end when the static neighbour {fatal[0].address} is entered or taken out, for it has kept one "
            f"of a deleted interface ({_with_indexes(fatal)})",
            _freeing(fatal[0]),
        )
    elif made := sorted(_created_names(plan), key=natural_key):
        yield Objection(
            f"VPP has kept static neighbours of deleted interfaces ({_with_indexes(left)}), which {made[0]} or "
            f"another new interface would inherit",
            _freeing(left[0]),
        )


def _about_det44(plan: Plan) -> Iterator[Objection]:
    """Yield an objection to a change of DET44's maps while it has an outside interface first that is gone."""
    index = plan.observed.facts.left_det44
    if index is None:
        return
    items = [*(each.item for each in plan.of(SetObject)), *(each.item for each in plan.of(RemoveObject))]
    if any(isinstance(each, Det44Map) for each in items):
        yield Objection(
            f"VPP would end when a map of DET44 is set or removed, for it has kept a deleted interface, index {index}",
            f"{_taking(index)}, and `set interface det44 outside loopN del` there; then delete these loopbacks",
        )


def _about_policies(plan: Plan) -> Iterator[Objection]:
    """Yield an objection to next hops for a policy that has one on a deleted interface.

    VPP resolves all next hops of a policy when one comes or goes (fib_path_list_copy_and_path_add in vnet/fib), and
    ends at one whose interface is gone (ip_pmtu_adj_delegate_adj_created in vnet/ip/ip_path_mtu.c).
    """
    left = dict(plan.observed.facts.left_policies)
    if not left:
        return
    number = next((each.item.policy_id for each in plan.of(CreatePolicy) if each.item.policy_id in left), None)
    if number is not None:
        yield Objection(
            f"VPP would end when policy {number} is set, for it has a next hop on a deleted interface, index "
            f"{left[number]}",
            f"{_taking(left[number])}; then apply again, and delete these loopbacks",
        )


def _about_proxies(plan: Plan) -> Iterator[Objection]:
    """Yield an objection to an ND proxy whose host has one on a deleted interface: VPP ends as with policies."""
    left = plan.observed.facts.left_proxies
    if not left:
        return
    proxies = (each.item for each in plan.of(SetObject) if isinstance(each.item, NdProxy) and each.item.name in left)
    proxy = next(proxies, None)
    if proxy is not None:
        yield Objection(
            f"VPP would end when {proxy.interface} answers for {proxy.address}, for it has kept that host on a "
            f"deleted interface",
            f"restart VPP, or take the number N behind `if_index:` in `show ip6 fib table {proxy.table_id} "
            f"{proxy.address}/128`, type `create loopback interface` at its prompt until one has index N in `show "
            f"interface`, and `set ip6 nd proxy loopN del {proxy.address}` there; then delete these loopbacks",
        )


def _taking(index: int) -> str:
    """Return what makes an index be that of an interface again."""
    until = f"until one has index {index} in `show interface`"
    return f"restart VPP, or type `create loopback interface` at its prompt {until}"


def _created_names(plan: Plan) -> set[str]:
    """Return the interfaces that come, and those whose LCP pair does: its device in VPP has an index too.

    What is recreated takes an index that was just freed.
    """
    observed, desired = plan.observed, plan.desired
    return {*desired.interfaces.keys() - observed.interfaces.keys(), *desired.lcps.keys() - observed.lcps.keys()}


def _with_indexes(left: Sequence[OrphanedNeighbor]) -> str:
    shown = [f"{each.address} at index {each.sw_if_index}" for each in left[:_MOST]]
    return ", ".join([*shown, *([f"{len(left) - _MOST} more"] if len(left) > _MOST else [])])


def _freeing(left: OrphanedNeighbor) -> str:
    delete = f"set ip neighbor del loopN {left.address} {left.mac}"
    return f"{_taking(left.sw_if_index)}, and `{delete}` there; then delete these loopbacks"
