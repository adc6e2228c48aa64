"""What a rehearsal of a plan has shown: lines for people, and plain data for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from vppcfg.common.numbers import numbered, rounded_size
from vppcfg.plan.pauses import time_text
from vppcfg.probe.frame import frame_text
from vppcfg.probe.rehearsal import PlanRehearsal
from vppcfg.probe.transients import Transient

_WORTH_TELLING_MS = 1.0
_FIRST = 3
"""So many frames of one kind are shown; the document has all."""


def rehearsal_lines(rehearsal: PlanRehearsal) -> Iterator[str]:
    """Yield what was rehearsed, what happened on the way, and the verdict last."""
    yield (
        f"Rehearsed on VPP {rehearsal.version}: {numbered(len(rehearsal.steps), 'step')}, "
        f"{numbered(rehearsal.frames, 'frame')} in between, {rehearsal.took_s:.1f} s"
        + (f", {rounded_size(rehearsal.memory_bytes)} of memory" if rehearsal.memory_bytes else "")
    )
    for why, found in groupby(sorted(rehearsal.left_out, key=lambda each: each.why), key=lambda each: each.why):
        yield f"Not rehearsed: {_places([each.step for each in found])}, for {why}"
    if rehearsal.unclear:
        yield f"Nothing is told by {numbered(rehearsal.unclear, 'frame')} that went elsewhere before the first step"
    for step in rehearsal.steps:
        if step.blocked_ms is not None and step.blocked_ms >= _WORTH_TELLING_MS:
            estimate = "less than 1 ms" if step.estimated_ms is None else time_text(step.estimated_ms)
            yield f"Step {step.step} stopped the workers for {time_text(step.blocked_ms)} (estimated: {estimate})"
    yield from _transient_lines([each for each in rehearsal.transients if each.is_announced], "As the plan says, ")
    yield from _transient_lines(rehearsal.unannounced, "The plan does not say that ")
    if rehearsal.refused is not None:
        yield f"VPP refuses step {rehearsal.refused.step}, {rehearsal.refused.subject}: {rehearsal.refused.why}"
    for place, what in rehearsal.backs_unlike:
        yield f"The way back from step {place} does not lead to the state before: {what}"
    yield verdict(rehearsal)


def verdict(rehearsal: PlanRehearsal) -> str:
    """Return the outcome in one sentence."""
    if rehearsal.has_failed:
        return "The rehearsal failed"
    lost = numbered(len({each.frame.probe.name for each in rehearsal.transients}), "frame")
    frames = f"{lost} went astray, as the plan says" if rehearsal.transients else "no frame went astray"
    if not rehearsal.backs_from:
        return f"The rehearsal succeeded: {frames}"
    ways = len(rehearsal.backs_from)
    return f"The rehearsal succeeded: {frames}, and the way back was good from {numbered(ways, 'step')}"


def _transient_lines(transients: Sequence[Transient], head: str) -> Iterator[str]:
    def place(each: Transient) -> tuple[int, int, bool]:
        return each.first, each.last, each.is_let_through

    for (first, last, is_open), found in groupby(sorted(transients, key=place), key=place):
        some = list(found)
        behind = f"behind step {first}" if first == last else f"behind steps {first} to {last}"
        what = "are let through" if is_open else "go elsewhere than before and after"
        yield f"{head}{behind} {numbered(len(some), 'frame')} {what if len(some) > 1 else _singular(what)}:"
        for each in some[:_FIRST]:
            probe = each.frame.probe
            yield f"  {probe.purpose} ({probe.about.text}): it {each.text}"
            yield f"    in by {probe.port}: {frame_text(probe.frame)}"
        if len(some) > _FIRST:
            yield f"  {len(some) - _FIRST} more"


def _singular(what: str) -> str:
    return what.replace("are let", "is let").replace("go ", "goes ")


def _places(steps: Sequence[int]) -> str:
    return f"{'step' if len(steps) == 1 else 'steps'} {', '.join(map(str, steps))}"


def rehearsal_document(rehearsal: PlanRehearsal) -> dict[str, Any]:
    """Return the same as plain data, whole."""
    return {
        "vpp_version": rehearsal.version,
        "succeeded": not rehearsal.has_failed,
        "frames": rehearsal.frames,
        "unclear_frames": rehearsal.unclear,
        "seconds": round(rehearsal.took_s, 3),
        "memory_bytes": rehearsal.memory_bytes,
        "steps": [
            {"step": each.step, "blocked_ms": each.blocked_ms, "estimated_ms": each.estimated_ms}
            for each in rehearsal.steps
        ],
        "not_rehearsed": [
            {"step": each.step, "subject": each.subject, "reason": each.why} for each in rehearsal.left_out
        ],
        "transients": [
            {
                "first_step": each.first,
                "last_step": each.last,
                "object": each.frame.probe.about.text,
                "purpose": each.frame.probe.purpose,
                "port": each.frame.probe.port,
                "frame": frame_text(each.frame.probe.frame),
                "instead": each.text,
                "is_let_through": each.is_let_through,
                "is_announced": each.is_announced,
            }
            for each in rehearsal.transients
        ],
        "refused": None
        if rehearsal.refused is None
        else {
            "step": rehearsal.refused.step,
            "subject": rehearsal.refused.subject,
            "reason": rehearsal.refused.why,
        },
        "ways_back": [
            {"from_step": place, "difference": dict(rehearsal.backs_unlike).get(place, "")}
            for place in rehearsal.backs_from
        ],
    }
