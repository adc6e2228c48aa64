"""How long VPP forwards nothing while a plan is carried out, in words and for programs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from vppcfg.common.names import natural_key
from vppcfg.plan.pauses import StepPause, time_text, total_of
from vppcfg.plan.plan import Plan
from vppcfg.render.impact_reasons import listed

_TABLES = {
    "routes": "routes that may lead there",
    "interfaces": "interfaces",
    "nat44_sessions": "sessions of NAT44",
}
"""The tables with whose sizes a pause grows."""


def pause_lines(plan: Plan) -> Iterator[str]:
    """Yield a line for each sort of steps for which VPP forwards nothing for more than a millisecond, and the sum."""
    found: dict[str, list[StepPause]] = defaultdict(list)
    for each in plan.pauses.steps:
        if each.ms is not None:
            found[each.pause.doing].append(each)
    for doing, steps in found.items():
        yield _line(doing, steps, plan)
    if len(found) > 1 and plan.pauses.total_ms is not None:
        yield f"VPP forwards nothing for {time_text(plan.pauses.total_ms)} in all, at most"


def unknown_line(plan: Plan) -> str:
    """Return that it is not known of some steps for how long VPP stands still, '' where it is known."""
    unknown = [each for each in plan.pauses.steps if each.ms is None]
    if not unknown:
        return ""
    tables = sorted({_TABLES[each.pause.of].split(" that")[0] for each in unknown})
    steps = "1 step" if len(unknown) == 1 else f"{len(unknown):,} steps"
    return (
        f"How long VPP forwards nothing for {steps} is not known: it grows with the number of {' and '.join(tables)}, "
        "and VPP's statistics could not be read"
    )


def _line(doing: str, steps: Sequence[StepPause], plan: Plan) -> str:
    """Return a line about steps of one sort."""
    pause, times = steps[0].pause, [each.ms or 0.0 for each in steps]
    subjects = sorted({plan.operations[each.step].subject for each in steps}, key=natural_key)
    words = time_text(max(times))
    if len(steps) > 1 and not pause.is_bound:
        words += f" at once, {time_text(total_of(steps))} in all,"
    sizes = plan.observed.facts.sizes
    count = getattr(sizes, pause.of) if sizes is not None and pause.us_each else 0
    reason = f" ({count:,} {_TABLES[pause.of]})" if count else ""
    about = "up to" if pause.is_bound else "about"
    return f"VPP forwards nothing for {about} {words} while {doing.format(listed(subjects))}{reason}"


def pause_document(plan: Plan) -> dict[str, Any]:
    """Return how long VPP forwards nothing, for programs."""
    found, sizes = plan.pauses, plan.observed.facts.sizes
    return {
        "longest_ms": _rounded(found.longest_ms),
        "total_ms": _rounded(found.total_ms),
        "sizes": None if sizes is None else asdict(sizes),
        "steps": [
            {"operation": each.step, "ms": _rounded(each.ms), "is_bound": each.pause.is_bound} for each in found.steps
        ],
    }


def _rounded(ms: float | None) -> float | None:
    return None if ms is None else round(ms, 1)
