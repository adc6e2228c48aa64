"""The guards: what a plan must not do without an option that allows it, such as touch a protected interface."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from vppcfg.common.names import natural_key
from vppcfg.dataplane import Dataplane
from vppcfg.errors import ExitCode, PlanRefusedError
from vppcfg.kinds.kind_list import KINDS, OBJECT_KINDS
from vppcfg.model.attachment import Attachment
from vppcfg.model.nat44 import MARK, Nat44, NatMapping, NatPool
from vppcfg.model.path_mtu import PathMtu
from vppcfg.model.vpp_object import OF_OTHERS
from vppcfg.model.vrf import FibTable, ForeignRoutes
from vppcfg.operations.change import Action, ObjectKind
from vppcfg.operations.object_operation import RemoveObject
from vppcfg.plan.impact import Effect, Impact
from vppcfg.plan.pauses import time_text
from vppcfg.plan.plan import Plan
from vppcfg.plan.services import ServicePart
from vppcfg.plan.unmanaged import UnmanagedChange, harmful, irremovable, unmanaged_changes
from vppcfg.record import record


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


FEW = 10
"""Fewer deletions than this are never a mass."""
_COUNTED = frozenset({ObjectKind.INTERFACE, ObjectKind.LCP, ObjectKind.BRIDGE})
_MOST = 5
"""Names in a message."""


@record
class Limits:
    """How far a plan may go; each guard has a word of its own that lifts it."""

    max_impact: Impact = Impact.REMOVE
    """More than this to traffic is refused."""
    max_pause_ms: float | None = None
    """For how long VPP may forward nothing at once, as far as that can be foreseen; None for any time."""
    override_protected: bool = False
    """Whether the plan may affect protected interfaces."""
    allow_mass_deletion: bool = False
    """Whether most of what exists may be deleted."""
    lose_unmanaged: bool = False
    """Whether configuration of other programs on interfaces and in tables may be lost or left without effect."""
    no_way_back: bool = False
    """Whether to do without a rollback where there would be none."""


class Objection(NamedTuple):
    """Why a plan is refused."""

    text: str
    hint: str
    """What lifts the guard, or what to do before."""
    code: ExitCode = ExitCode.REFUSED
    """With which a change is refused for this."""

    def error(self) -> PlanRefusedError:
        """Return it as the error with which nothing is changed."""
        return PlanRefusedError(f"{self.text}; nothing was changed", self.hint)


def objections(plan: Plan, protected: Collection[str], limits: Limits) -> Iterator[Objection]:
    """Yield all objections of the guards to a plan."""
    if plan.impact > limits.max_impact:
        yield Objection(
            f"the plan's impact is {plan.impact.label}, more than --max-impact {limits.max_impact.label}",
            f"--max-impact {plan.impact.label} allows it",
        )
    if limits.max_pause_ms is not None and (text := too_long(plan, limits.max_pause_ms)):
        yield Objection(text, "a larger number, or no --max-pause, allows it")
    if not limits.override_protected and (text := harm(plan, protected)):
        yield Objection(text, "--override-protected does it all the same")
    if not limits.allow_mass_deletion and (text := mass_deletion(plan)):
        yield Objection(text, "--allow-mass-deletion does it all the same")


def check(plan: Plan, protected: Collection[str], limits: Limits) -> None:
    """Raise PlanRefusedError with the first objection to a plan."""
    for objection in objections(plan, protected, limits):
        raise objection.error()


def harm(plan: Plan, protected: Collection[str]) -> str:
    """Return the message about a plan that does anything to the services of what is protected; '' for any other."""
    impacts = nat_impacts(plan) if protected else {}
    for name, effect in plan.effects.items():
        for each in {name, *_holders(name, effect, plan)}:
            impacts[each] = max(effect.impact, impacts.get(each, effect.impact))
    hurt = sorted((name for name in protected if name in impacts), key=lambda name: -impacts[name])
    if not hurt:
        return ""
    shown = [f"{impacts[name].label} on {name}" for name in hurt[:_MOST]]
    more = [f"impact on {len(hurt) - _MOST} more"] if len(hurt) > _MOST else []
    return f"the plan has impact on what the file protects: {', '.join([*shown, *more])}"


def _holders(name: str, effect: Effect, plan: Plan) -> Iterator[str]:
    """Yield the interfaces whose packets, or whose own objects such as virtual routers, an effect is on."""
    for loss in effect.losses:
        yield from loss.interfaces
        if not isinstance(loss.part, ServicePart) and (item := plan.observed.of(loss.part).get(name)) is not None:
            yield item.scope


def too_long(plan: Plan, limit_ms: float) -> str:
    """Return the message about a plan with a step for which VPP forwards nothing for longer than allowed, else ''.

    What is not known may be longer.
    """
    longest = plan.pauses.longest_ms
    if longest is None:
        return f"it is not known for how long VPP will forward nothing, and --max-pause {limit_ms:g} is to hold"
    if longest <= limit_ms:
        return ""
    step = next(each for each in plan.pauses.steps if each.ms == longest)
    doing = step.pause.doing.format(plan.operations[step.step].subject)
    about = "up to" if step.pause.is_bound else "about"
    return (
        f"VPP will forward nothing for {about} {time_text(longest)} while {doing}, more than --max-pause {limit_ms:g}"
    )


def mass_deletion(plan: Plan) -> str:
    """Return the message about a plan that deletes more than half of what exists; '' for any other."""
    observed = plan.observed
    existing = len(observed.interfaces) + len(observed.lcps) + len(observed.bridges)
    deleted = sum(change.action is Action.DELETE and change.kind in _COUNTED for change in plan.changes)
    if deleted < FEW or 2 * deleted <= existing:
        return ""
    return f"the plan deletes {deleted} of {existing} interfaces, LCP pairs and bridges"


def about_unmanaged(plan: Plan, protected: Collection[str], limits: Limits) -> Iterator[Objection]:
    """Yield objections to a plan that loses configuration of other programs on what it touches.

    No option lifts the protection of an interface, nor that VPP would leave something to the next interface.
    """
    if left := irremovable(plan):
        yield Objection(
            f"VPP would leave {_attached(left)} to the next interface with the same index",
            "remove it first, at VPP's prompt or where it was configured",
        )
    found = harmful(unmanaged_changes(plan))
    if guarded := [each for each in found if each.holder in protected]:
        yield Objection(
            f"the plan takes from a protected interface what vppcfg does not manage: {_listed(guarded)}",
            "remove it there first, or take the interface out of `protected`",
        )
    elif found and not limits.lose_unmanaged:
        yield Objection(
            f"the plan takes away what vppcfg does not manage: {_listed(found)}",
            "--lose-unmanaged does it all the same",
        )


def _listed(found: Sequence[UnmanagedChange]) -> str:
    more = [f"{len(found) - _MOST} more"] if len(found) > _MOST else []
    return "; ".join([*map(str, found[:_MOST]), *more])


def _attached(left: Sequence[Attachment]) -> str:
    shown = [f"{each.label} of {each.holder}" for each in left[:_MOST]]
    return ", ".join([*shown, *([f"{len(left) - _MOST} more"] if len(left) > _MOST else [])])


def final_objections(plan: Plan, dataplane: Dataplane | None) -> Iterator[Objection]:
    """Yield the objections that no option lifts; without a dataplane none about routes of others.

    Raise DataplaneError when VPP does not report what a guard must know.
    """
    yield from about_leftovers(plan)
    yield from about_replaced(plan)
    if dataplane is not None:
        yield from about_routes(plan, dataplane)


def about_replaced(plan: Plan) -> Iterator[Objection]:
    """Yield an objection to a plan whose objects would replace some of another program. No option lifts it."""
    by = plan.desired.hidden_by
    if taken := sorted((name for name in by if by[name] == OF_OTHERS), key=natural_key):
        yield Objection(
            f"VPP has {', '.join(taken)} of another program, which would lose it",
            "take another one, or remove that one from VPP",
        )


def about_leftovers(plan: Plan) -> Iterator[Objection]:
    """Yield objections to a plan at which VPP would end because of what it has kept of deleted interfaces.

    No option lifts that. An operator frees it by giving the index to an interface again.
    """
    for kind in KINDS:
        for each in kind.fatal_leftovers(plan.operations, plan.observed, plan.desired):
            yield Objection(each.text, each.hint)


def about_routes(plan: Plan, dataplane: Dataplane) -> Iterator[Objection]:
    """Yield objections to a plan that deletes FIB tables with routes of other programs.

    No option lifts it: VPP would leave the routes to the next table that is made, or keep the table for them. Nothing
    is asked when no table goes. Raise DataplaneError.
    """
    tables = deleted_tables(plan)
    found: dict[str, list[ForeignRoutes]] = {}
    for routes in dataplane.foreign_routes(tables) if tables else ():
        found.setdefault(routes.table.key, []).append(routes)
    for table in tables:
        if left := [each for each in found.get(table.key, ()) if not _is_taken_off(each, plan)]:
            yield _objection(table, left)


def _is_taken_off(routes: ForeignRoutes, plan: Plan) -> bool:
    """Return whether the plan removes the routes itself, and brings them back where their table comes back."""
    if routes.source == _TYPED:
        return any(each.holder == routes.table.key for each in plan.observed.unmanaged)
    return any(kind.removes_routes(routes, plan.operations, plan.observed) for kind in OBJECT_KINDS)


def deleted_tables(plan: Plan) -> tuple[FibTable, ...]:
    """Return the FIB tables that a plan deletes, to come back with another name or not."""
    vrfs = (change for change in plan.changes if change.kind is ObjectKind.VRF)
    return tuple(change.before for change in vrfs if change.before is not None)


_TYPED = "CLI"
"""What VPP calls the source of the routes that come from its prompt."""


def _objection(table: FibTable, found: Sequence[ForeignRoutes]) -> Objection:
    ways = sorted({_advice(routes) for routes in found})
    return Objection(
        f"{table.name} is to go, and {table.key} has routes that only who made them can remove: "
        f"{'; '.join(_shown(routes) for routes in found)}",
        f"remove them first: {'; '.join(ways)}",
    )


def _advice(routes: ForeignRoutes) -> str:
    number = routes.table.table_id
    if routes.source == _TYPED:
        return f"at VPP's prompt, `ip route del {_in_order(routes)[0]} table {number}` and so on"
    if routes.source.startswith("lcp-rt"):
        return f"in Linux, those of its table {number}"
    if routes.source in PathMtu.fib_sources:
        host = _in_order(routes)[0].partition("/")[0]
        return f"set `path-mtu: {{ {host}: 1280 }}` and so on in the VRF, apply that, and delete the VRF with them"
    return f"where {routes.source} has them from"


def _shown(routes: ForeignRoutes) -> str:
    """Return the routes of one source, the first ones by name."""
    source = "typed at VPP's prompt" if routes.source == _TYPED else f"of {routes.source}"
    prefixes = _in_order(routes)
    more = f" and {len(prefixes) - _MOST} more" if len(prefixes) > _MOST else ""
    return f"{', '.join(prefixes[:_MOST])}{more} {source}" if prefixes else f"those {source}"


def _in_order(routes: ForeignRoutes) -> list[str]:
    return sorted(routes.prefixes, key=natural_key)
