"""clock-low: the CPU of a worker runs slower than it could."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.tune.figures import percent, short
from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, Proposal, Severity
from vppcfg.tune.load import ThreadLoad
from vppcfg.tune.situation import Situation
from vppcfg.tune.thresholds import CLOCK_SLOW

RULE = "clock-low"


def find(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per worker on a slow CPU."""
    host = situation.load.reading.host
    if host is None:
        return
    governors = dict(host.governors)
    clocks = {cpu: (now, most) for cpu, now, most in host.frequencies_khz}
    for worker in situation.load.workers:
        if worker.lcore is None:
            continue
        now, most = clocks.get(worker.lcore, (0, 0))
        is_slow = bool(most) and now < CLOCK_SLOW * most
        governor = governors.get(worker.lcore, "")
        if is_slow or governor not in {"", "performance"}:
            yield _finding(worker, now, most, governor, is_slow=is_slow)


def _finding(worker: ThreadLoad, now: int, most: int, governor: str, *, is_slow: bool) -> Finding:
    evidence = []
    if most:
        text = f"CPU {worker.lcore} runs at {short(now * 1e3)}Hz of {short(most * 1e3)}Hz"
        evidence.append(Evidence(text=text, source="/sys/devices/system/cpu/cpuN/cpufreq"))
    if governor:
        text = f"its governor is `{governor}`"
        evidence.append(Evidence(text=text, source="/sys/devices/system/cpu/cpuN/cpufreq"))
    return Finding(
        rule=RULE,
        severity=Severity.RISK if is_slow else Severity.NOTICE,
        subject=worker.name,
        verdict=f"the CPU of {worker.name} runs slower than it could"
        if is_slow
        else f"the governor of {worker.name}'s CPU may slow it down",
        evidence=tuple(evidence),
        proposal=Proposal(text="governor `performance`; if it is set, look at cooling and power limits"),
        expectation=Expectation(
            text=f"the rate grows with the clock, by {percent(most / now - 1)} at most" if is_slow and now
            else "no slow start after idle times", basis=Basis.COMPUTED if is_slow else Basis.GUESS,
        ),
        disproof="clocks per packet are the same at full clock",
    )  # fmt: skip
