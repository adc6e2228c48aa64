"""egress-oversubscribed: a port is handed more than its link carries, and drops the rest."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.tune.figures import percent, pps
from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, Proposal, Severity
from vppcfg.tune.load import PortLoad
from vppcfg.tune.situation import Situation, nodes_source
from vppcfg.tune.thresholds import LINE_SHARE, TX_DEFICIT

RULE = "egress-oversubscribed"


def find(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per port that drops while its link is full."""
    for port in situation.load.ports:
        line = situation.tx_line_pps(port)
        if line and port.tx_pps and port.tx_deficit >= TX_DEFICIT and port.tx_pps >= LINE_SHARE * line:
            yield _finding(port, situation, port.tx_pps, line)


def _finding(port: PortLoad, situation: Situation, sent: float, line: float) -> Finding:
    source = nodes_source(situation)
    return Finding(
        rule=RULE,
        severity=Severity.LOSS,
        subject=port.name,
        verdict=f"{port.name} is handed more than its link carries, and drops {pps(port.tx_lost_pps)}",
        evidence=(
            Evidence(text=f"it is handed {pps(port.handed_pps or 0.0)}", source=source),
            Evidence(text=f"it sends {pps(sent)}, {percent(sent / line)} of its line rate of {pps(line)}",
                     source=source),
        ),
        lost_pps=port.tx_lost_pps,
        proposal=Proposal(text="a faster port or a bond, or policing where the traffic comes in; longer rings only "
                          "delay the drops"),
        expectation=Expectation(text="no change of VPP gives more on this link", basis=Basis.COMPUTED),
        disproof="the frames are smaller than assumed, so that the link is not full",
    )  # fmt: skip
