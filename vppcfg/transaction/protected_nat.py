"""The impact of a plan on NAT44 by names that `protected` may have: mappings, and interfaces that give an address."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.nat44 import MARK, Nat44, NatMapping, NatPool
from vppcfg.operations.object_operation import RemoveObject
from vppcfg.plan.impact import Impact
from vppcfg.plan.plan import Plan


def nat_impacts(plan: Plan) -> dict[str, Impact]:
    """Return the worst impact by `nat44:NAME` of a mapping, and by the interface that gives an address."""
    found: dict[str, Impact] = {}
    for name, impact in _impacts(plan):
        found[name] = max(impact, found.get(name, Impact.NONE))
    return found


def _impacts(plan: Plan) -> Iterator[tuple[str, Impact]]:
    before = plan.observed.managed(plan.desired.owned)
    mappings, pools = before.of(NatMapping), before.of(NatPool)
    if not mappings and not pools:
        return
    all_lost = any(isinstance(each.item, Nat44) for each in plan.of(RemoveObject))
    items: list[NatMapping | NatPool] = [*mappings.values(), *pools.values()]
    for each in items:
        if not plan.desired.of(type(each)).get(each.name):
            impact = Impact.REMOVE
        else:
            impact = plan.impacts.get(each.name, Impact.FLAP if all_lost else Impact.NONE)
        if impact is Impact.NONE:
            continue
        if isinstance(each, NatMapping) and each.tag:
            yield f"{MARK}{each.tag}", impact
        if each.interface:
            yield each.interface, impact
