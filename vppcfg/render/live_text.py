"""The text about live addresses: which program set them, and what a plan does to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vppcfg.plan.live_addresses import LiveOutcome, live_outcomes
from vppcfg.plan.plan import Plan

_MOST = 10
"""So many lines are shown; the rest is counted."""


def live_lines(plan: Plan) -> Iterator[str]:
    """Yield a line for each live address that a plan leaves alone or loses, those that it loses first."""
    outcomes = sorted(live_outcomes(plan), key=lambda each: each.is_kept)
    yield from (_line(each) for each in outcomes[:_MOST])
    if len(outcomes) > _MOST:
        yield f"{len(outcomes) - _MOST} more such addresses; `--format json` has all"


def _line(outcome: LiveOutcome) -> str:
    beginning = outcome.live.whose(outcome.interface)
    return f"{beginning}: {'left alone' if outcome.is_kept else 'lost, and no rollback brings it back'}"


def live_document(plan: Plan) -> list[dict[str, Any]]:
    """Return what happens to all live addresses, for programs."""
    return [
        {
            "interface": each.interface,
            "address": each.live.address,
            "source": each.live.source.value,
            "is_kept": each.is_kept,
        }
        for each in live_outcomes(plan)
    ]
