"""buffer-leak: buffers in use grow without end at a constant load. No tuning helps: it is a bug to report."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from vppcfg.tune.figures import count
from vppcfg.tune.finding import Evidence, Finding, Proposal, Severity
from vppcfg.tune.load import Load
from vppcfg.tune.settings import buffers_needed
from vppcfg.tune.situation import Situation

RULE = "buffer-leak"
_STEPS = 3
"""Ours: readings in a row that must each show more buffers in use, after the first."""
_STEADY = 0.2
"""Ours: the load is constant when its steps differ by no more than this share."""


def find(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per pool that grows in every one of three steps or more."""
    steps = situation.load.steps
    if len(steps) < _STEPS or not _is_steady(steps):
        return
    pools = [{pool.name: pool.used for pool in step.reading.buffers or ()} for step in steps]
    for name in sorted(pools[-1]):
        used = [pool[name] for pool in pools if name in pool]
        grows = len(used) >= _STEPS and all(later > earlier for earlier, later in pairwise(used))
        if grows and used[-1] > buffers_needed(situation.load):
            yield _finding(name, used, situation)


def _is_steady(steps: tuple[Load, ...]) -> bool:
    rates = [step.rx_pps for step in steps]
    return bool(rates) and max(rates) - min(rates) <= _STEADY * max(max(rates), 1.0)


def _finding(name: str, used: list[int], situation: Situation) -> Finding:
    series = ", ".join(count(value) for value in used)
    need = count(buffers_needed(situation.load))
    return Finding(
        rule=RULE,
        severity=Severity.RISK,
        subject=name,
        verdict=f"buffers of {name} are not given back: {count(used[-1])} are in use at a constant load",
        evidence=(
            Evidence(text=f"in use, one reading after the other: {series}",
                     source=situation.load.reading.source("buffers")),
            Evidence(text=f"rings, caches and frames under way explain {need}", source="computed"),
        ),
        proposal=Proposal(text="report it to VPP's developers, with `show buffers` and the features in use; more "
                          "buffers only put it off"),
        disproof="the number falls when the traffic stops",
    )  # fmt: skip
