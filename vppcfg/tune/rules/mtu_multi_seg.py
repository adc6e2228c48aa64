"""mtu-multi-seg: large packets are allowed, and the driver is told that every packet fits one buffer."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.tune.figures import pps
from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, Proposal, Severity
from vppcfg.tune.load import PortLoad
from vppcfg.tune.settings import multi_seg
from vppcfg.tune.situation import Situation

RULE = "mtu-multi-seg"
_DATA_SIZE = 2048
"""Bytes of packet in a buffer (VPP: vlib/buffer.h)."""
_FRAMING = 22
"""Ethernet header, two VLAN tags."""


def find(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per port of the dpdk plugin with large packets and without multi-seg."""
    for port in situation.load.ports:
        hardware = port.hardware
        is_plain = hardware is not None and bool(hardware.flags) and "maybe-multiseg" not in hardware.flags
        if hardware and hardware.rx_limits and is_plain and (port.mtu or 0) + _FRAMING > _DATA_SIZE:
            yield _finding(port, port.mtu or 0, situation)


def _finding(port: PortLoad, mtu: int, situation: Situation) -> Finding:
    reading = situation.load.reading
    lost = port.rx_error_pps or 0.0
    evidence = [
        Evidence(text=f"MTU {mtu}", source=reading.source("interfaces")),
        Evidence(
            text="multi-seg is off: a packet may fill one buffer of 2048 bytes", source=reading.source("hardware")
        ),
    ]
    if lost:
        text = f"rx-error grows by {pps(lost)}"
        evidence.append(Evidence(text=text, source=reading.source("interfaces")))
    return Finding(
        rule=RULE,
        severity=Severity.LOSS if lost else Severity.RISK,
        subject=port.name,
        verdict=f"{port.name} is to take packets of {mtu} bytes and drops those above 2048",
        evidence=tuple(evidence),
        lost_pps=lost,
        proposal=Proposal(text="multi-seg on, or an MTU of up to 2000, or larger buffers",
                          settings=(multi_seg(is_on=True),)),
        expectation=Expectation(text="large packets pass; sending costs somewhat more per packet",
                                basis=Basis.COMPUTED),
        disproof="a ping of the full MTU with `do not fragment` is answered",
    )  # fmt: skip
