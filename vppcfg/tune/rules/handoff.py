"""handoff: packets are dropped on their way from one worker to another, whose queue is full."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.tune.figures import pps
from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, Proposal, Severity
from vppcfg.tune.load import ErrorRate
from vppcfg.tune.situation import Situation
from vppcfg.tune.thresholds import FAULT_PPS

RULE = "handoff"
_REASONS = ("congestion drop", "congestion_drop", "sess_drop")


def find(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per node that drops packets while it hands them over."""
    for rate in situation.load.errors:
        if (rate.per_s or 0.0) >= FAULT_PPS and rate.reason.lower() in _REASONS:
            yield _finding(rate, rate.per_s or 0.0, situation)


def _finding(rate: ErrorRate, lost: float, situation: Situation) -> Finding:
    return Finding(
        rule=RULE,
        severity=Severity.LOSS,
        subject=rate.node,
        verdict=f"{rate.node} drops {pps(lost)}: the worker that the packets go to does not keep up",
        evidence=(
            Evidence(text=f"`{rate.reason}` grows by {pps(lost)}", source=situation.load.reading.source("errors")),
        ),
        lost_pps=lost,
        proposal=Proposal(text="more workers, or RSS over the headers that the feature needs, so that packets come to "
                          "the right worker at once"),
        expectation=Expectation(text="fewer packets change workers, and fewer are dropped on the way",
                                basis=Basis.GUESS),
        disproof="the drops go on when the load is spread evenly",
    )  # fmt: skip
