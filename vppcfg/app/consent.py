"""What stands between a plan and its being made: how far it may go, the difference shown, and perhaps a question."""

from __future__ import annotations

import logging
from contextlib import nullcontext, suppress

from vppcfg.app.console import Console
from vppcfg.app.workplace import Workplace
from vppcfg.errors import PlanRefusedError, UsageError
from vppcfg.plan.impact import Impact
from vppcfg.plan.plan import Plan
from vppcfg.record import record
from vppcfg.transaction import guard as guards
from vppcfg.transaction.accepted import was_rolled_back

log = logging.getLogger("root.main")


@record
class Terms:
    """How far a change may go, and what is to become of it."""

    max_impact: Impact = Impact.REMOVE
    """More than this to traffic is refused."""
    force: bool = False
    """Whether to delete most of what exists, apply a file that was rolled back, or do without a way back."""
    keep: bool = False
    """Whether to stay when every step succeeds and VPP shows something else."""
    adopt: bool = False
    """Whether to take over interfaces that carry somebody else's tag."""
    confirm_s: float | None = None
    """Seconds within which somebody must confirm, None for no need to."""
    wait: bool = False
    """Whether to return only when that is decided."""
    comment: str = ""
    """What the journal is to say about the change."""


def refuse_rolled_back(digest: str, place: Workplace, terms: Terms) -> None:
    """Raise PlanRefusedError for a file that was rolled back, unless that is forced."""
    record = was_rolled_back(reversed(place.records), digest)
    if record is not None and not terms.force:
        raise PlanRefusedError(
            f"this very file was rolled back (change {record.entry.number}, {record.at}); nothing was changed",
            "correct the file, or apply it all the same with --force",
        )


def guard(plan: Plan, protected: tuple[str, ...], terms: Terms, console: Console, *, is_boot: bool = False) -> None:
    """Show the plan; raise PlanRefusedError when it does more than is allowed, or when the operator says no."""
    with suppress(UsageError) if is_boot else nullcontext():
        console.show_plan(plan)
    guards.check_impact(plan, terms.max_impact)
    guards.check_protected(plan, protected)
    if is_boot and (text := guards.mass_deletion(plan)):
        log.warning("%s", text)
    elif not terms.force:
        guards.check_mass_deletion(plan)
    if not is_boot:
        ask(plan, console)


def ask(plan: Plan, console: Console) -> None:
    """Raise PlanRefusedError when the impact calls for a question, and the answer is no."""
    if plan.impact >= Impact.RECREATE and not console.agrees(plan):
        raise PlanRefusedError("not confirmed; nothing was changed", "--yes skips the question")
