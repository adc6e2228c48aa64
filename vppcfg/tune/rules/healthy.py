"""healthy: nothing is lost, nothing is at its limit."""

from __future__ import annotations

from vppcfg.tune.figures import percent, pps
from vppcfg.tune.finding import Evidence, Finding, Severity
from vppcfg.tune.situation import Situation, nodes_source
from vppcfg.tune.thresholds import OFFERED_SHARE

RULE = "healthy"


def find(situation: Situation) -> Finding | None:
    """Return the finding for a dataplane in which no rule has found anything, None when nothing was measured."""
    if not situation.load.threads and not situation.trials:
        return None
    busy = situation.load.forwarding
    evidence = [
        Evidence(text=f"{thread.name} forwards {pps(thread.rx_pps)} with {thread.n_graph:.2f} packets per call "
                 "(256 is full)", source=nodes_source(situation))
        for thread in busy
    ]  # fmt: skip
    evidence += [
        Evidence(text=f"{trial.frame}: {pps(trial.received_pps)} of {pps(trial.offered_pps)} come back, "
                 f"{percent(1 - trial.loss)}", source="--trial")
        for trial in situation.trials if trial.loss <= 1 - OFFERED_SHARE
    ]  # fmt: skip
    if situation.load_note:
        evidence.append(Evidence(text=situation.load_note, source="the fitted model"))
    if situation.load.threads and not busy:
        evidence.append(Evidence(text="no packets come in", source=nodes_source(situation)))
    return Finding(
        rule=RULE,
        severity=Severity.GOOD,
        subject="VPP",
        verdict="nothing is lost and nothing is at its limit",
        evidence=tuple(evidence),
        disproof="a sender counts more packets than VPP receives: give --offered",
    )
