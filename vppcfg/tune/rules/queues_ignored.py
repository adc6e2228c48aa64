"""queues-ignored: more receive queues were asked for than the NIC has, and VPP silently took one."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, Proposal, Severity
from vppcfg.tune.load import PortLoad
from vppcfg.tune.settings import rx_queues
from vppcfg.tune.situation import Situation

RULE = "queues-ignored"


def find(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per port with one queue where the configuration asks for more than it can have."""
    for port in situation.load.ports:
        wanted = situation.configured_rx_queues.get(port.name, 0)
        limits = port.hardware.rx_limits if port.hardware else None
        if limits and limits.queues == 1 and wanted > limits.max_queues:
            yield _finding(port, situation, wanted, limits.max_queues)


def _finding(port: PortLoad, situation: Situation, wanted: int, most: int) -> Finding:
    address = port.hardware.pci_address if port.hardware else None
    return Finding(
        rule=RULE,
        severity=Severity.LIMIT,
        subject=port.name,
        verdict=f"{port.name} has one receive queue: {wanted} were asked for, and its NIC has {most}",
        evidence=(
            Evidence(text=f"rx: queues 1 (max {most})", source=situation.load.reading.source("hardware")),
            Evidence(text=f"rx-queues: {wanted}", source="the configuration"),
        ),
        proposal=Proposal(
            text="ask for what the NIC has; VPP ignores a larger number and takes one (plugins/dpdk/device/init.c)",
            settings=(rx_queues(most, wanted, address),),
        ),
        expectation=Expectation(
            text=f"{most} workers can take packets from this port in place of one", basis=Basis.COMPUTED
        ),
        disproof=f"`show hardware-interfaces {port.name}` shows more than one queue",
    )
