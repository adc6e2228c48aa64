"""debug-build: VPP does more than it needs to: it traces packets, or is built for debugging."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, Proposal, Severity
from vppcfg.tune.situation import Situation

RULE = "debug-build"


def find(situation: Situation) -> Iterator[Finding]:
    """Yield a finding for a debug image, and one for traces."""
    reading = situation.load.reading
    if "debug" in (reading.version or "").lower():
        yield _finding(
            "this VPP is built for debugging, at about half the speed of a release",
            Evidence(text=f"version {reading.version}", source=reading.source("version")),
            Proposal(text="install a release build"),
        )
    if reading.is_tracing:
        yield _finding(
            "packets are being traced, or were: every packet is looked at by each node until the buffer is full",
            Evidence(text="there are packets in the trace buffer", source=reading.source("is_tracing")),
            Proposal(text="stop tracing", live=("clear trace",)),
        )


def _finding(verdict: str, evidence: Evidence, proposal: Proposal) -> Finding:
    return Finding(
        rule=RULE,
        severity=Severity.NOTICE,
        subject="VPP",
        verdict=verdict,
        evidence=(evidence,),
        proposal=proposal,
        expectation=Expectation(text="fewer clocks in every node", basis=Basis.GUESS),
        disproof="the clocks per packet stay the same",
    )
