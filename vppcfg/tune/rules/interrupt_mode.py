"""interrupt-mode: a busy port waits for interrupts in place of being polled."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.tune.figures import pps
from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, Proposal, Severity
from vppcfg.tune.load import PortLoad
from vppcfg.tune.situation import Situation
from vppcfg.tune.thresholds import BUSY_PORT_PPS

RULE = "interrupt-mode"
_MODES = {"interrupt", "adaptive"}


def find(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per busy port with a queue that is not polled."""
    for port in situation.load.ports:
        waiting = [queue for queue in port.rx_queues if queue.mode in _MODES]
        rate = port.rx_pps or 0.0
        if waiting and rate >= BUSY_PORT_PPS:
            yield _finding(port, rate, waiting[0].mode, len(waiting), situation)


def _finding(port: PortLoad, rate: float, mode: str, count: int, situation: Situation) -> Finding:
    return Finding(
        rule=RULE,
        severity=Severity.RISK,
        subject=port.name,
        verdict=f"{port.name} is busy and waits for interrupts in place of being polled",
        evidence=(
            Evidence(text=f"{count} queue(s) in {mode} mode", source=situation.load.reading.source("rx_queues")),
            Evidence(text=f"it receives {pps(rate)}", source=situation.load.reading.source("interfaces")),
        ),
        proposal=Proposal(
            text="poll it; from 26.06 on `interface { default-rx-mode polling }` in startup.conf does so for all ports",
            live=(f"set interface rx-mode {port.name} polling",),
        ),
        expectation=Expectation(text="shorter delay, and a higher rate before packets are missed; the CPU of the "
                                "worker is then always busy", basis=Basis.GUESS),
        disproof="delay and largest rate are the same in both modes",
    )  # fmt: skip
