"""The way back from a change: proved before its first step, with what it does not restore in every detail."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

from vppcfg.app.intent import Intent
from vppcfg.errors import PlanProofError, PlanRefusedError
from vppcfg.model.ownership import NameGlobs
from vppcfg.operations.change import Action, Change
from vppcfg.plan.plan import Plan
from vppcfg.plan.rollback import WayBack, way_back
from vppcfg.render.plan_text import plan_text
from vppcfg.transaction.entry import UNSTOPPABLE

log = logging.getLogger("root.main")

_MOST_NAMED = 10
"""Objects that a message names."""


def lines_of_way_back(plan: Plan, intent: Intent) -> list[str]:
    """Return the lines of the way back from where a plan leads, and report what it does not restore as it was.

    Raise PlanRefusedError when there is none, unless that is accepted.
    """
    try:
        way = way_back(plan, NameGlobs(intent.unmanaged).matches)
    except PlanProofError as error:
        if not intent.is_forced:
            text = f"there would be no way back: {error.message}; nothing was changed"
            raise PlanRefusedError(text, "--no-way-back does it all the same") from error
        return [f"There is no way back: {error.message}"]
    if intent.origin not in UNSTOPPABLE and (texts := listed(way.unlike)):
        log.warning("A rollback will restore all that has an effect, but not in every detail: %s", texts)
    return plan_text(way.plan).lines


def log_unlike(way: WayBack) -> None:
    """Report what a way back, which is about to be made, does not restore as it was."""
    if way.doubt:
        log.warning("The way back to the very same state cannot be proved, so that another one is taken: %s", way.doubt)
    if texts := listed(way.unlike):
        log.warning("All that has an effect comes back, but not in every detail: %s", texts)


def listed(changes: Iterable[Change[Any]]) -> str:
    """Return in words what was done to the first objects that differ from what they were before."""
    texts = [_text(change) for change in changes]
    more = f" and {len(texts) - _MOST_NAMED} more" if len(texts) > _MOST_NAMED else ""
    return ", ".join(texts[:_MOST_NAMED]) + more


def _text(change: Change[Any]) -> str:
    """Return in words what was done to an object that this change would bring back."""
    if change.action is Action.DELETE:
        return f"{change.kind.value} {change.name} (added)"
    if change.action is Action.CREATE:
        return f"{change.kind.value} {change.name} (removed)"
    names = ", ".join(attribute.name.replace("_", " ") for attribute in change.attributes)
    return f"{change.kind.value} {change.name} ({names or 'recreated'})"
