"""nic-pattern: the same share is lost at very different packet rates, so that no CPU, ring or buffer is behind it."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.tune.figures import percent, pps
from vppcfg.tune.finding import Basis as _Basis
from vppcfg.tune.finding import Evidence, Expectation, Finding, Proposal, Severity
from vppcfg.tune.situation import Situation, Trial
from vppcfg.tune.thresholds import DIRECTION_SPREAD, OFFERED_SHARE, PATTERN_RANGE

RULE = "nic-pattern"


def find(situation: Situation) -> Iterator[Finding]:
    """Yield a finding when trials far apart in packet rate lose about the same share."""
    losing = [trial for trial in situation.trials if trial.loss > 1 - OFFERED_SHARE]
    if len(losing) < 2 or len(losing) < len(situation.trials):
        return
    losses = [trial.loss for trial in losing]
    rates = [trial.offered_pps for trial in losing]
    if max(losses) - min(losses) <= DIRECTION_SPREAD and max(rates) >= PATTERN_RANGE * min(rates):
        yield _finding(losing, max(rates) / min(rates))


def _finding(trials: list[Trial], spread: float) -> Finding:
    least = min(trials, key=lambda trial: trial.offered_pps)
    return Finding(
        rule=RULE,
        severity=Severity.LOSS,
        subject="the port under test",
        verdict=f"packets are lost in NIC, bus or link, of a cause unknown: {percent(least.loss)} even at "
        f"{pps(least.offered_pps)}, though the trials are a factor of {spread:.0f} apart",
        evidence=tuple(
            Evidence(text=f"{trial.frame}: {pps(trial.received_pps)} of {pps(trial.offered_pps)}, "
                     f"{percent(trial.loss)} lost", source="--trial")
            for trial in trials
        ),
        lost_pps=max(trial.offered_pps - trial.received_pps for trial in trials),
        proposal=Proposal(
            text="an experiment: pcie_aspm=off on the kernel's command line and `ethtool --set-eee DEV eee off`, then "
            "the same trials; also pause frames, cable and optics, another port"
        ),
        expectation=Expectation(text="no change of startup.conf is promised to help", basis=_Basis.GUESS),
        disproof="the loss grows with the packet rate when more trials are made",
        undecided="which of power states, bus and physical layer it is: the experiment decides about the first",
    )  # fmt: skip
