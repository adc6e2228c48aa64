"""The rule about packets that a port or its driver has lost, received or to be sent, which no other rule explains."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from vppcfg.common.rates import count, percent, pps
from vppcfg.tune.driver_counters import driver_losses, driver_totals
from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, FindingSeverity, Remedy
from vppcfg.tune.load import PortLoad
from vppcfg.tune.reading import InterfaceCounters
from vppcfg.tune.rule_context import Situation
from vppcfg.tune.thresholds import DROP_SHARE, FAULT_PPS, MANY_PACKETS, SURELY

_NEXT = {
    "rx": "`show errors`, `show runtime` and a second reading show whether rings are short or the worker is busy",
    "tx": "a second reading shows whether the link is full, the rings are short or the device refuses packets",
}
_MEANS = {"rx": "lost packets before VPP took them", "tx": "did not send packets that VPP handed to it"}


def find_port_loss(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per port and direction whose interface or driver counts lost packets.

    A single reading has what was lost since the counters began. Of two readings the driver's counters alone count
    here: those of interfaces are judged by the rules about rings and NICs.
    """
    for port in situation.load.ports:
        if situation.load.duration_s is None:
            yield from _ever_lost(port, situation)
        else:
            yield from _growing(port, situation)


def _ever_lost(port: PortLoad, situation: Situation) -> Iterator[Finding]:
    drivers = port.hardware.counters if port.hardware else ()
    by_driver = driver_losses(drivers)
    totals = driver_totals(drivers)
    for way in ("rx", "tx"):
        by_interface = _lost_by_interface(port.counters, way)
        name, lost = max(by_interface, by_driver.get(way, ("", 0)), key=lambda pair: pair[1])
        total = max(_total_of_interface(port.counters, way, lost), totals.get(way, 0))
        if lost < MANY_PACKETS or lost < DROP_SHARE * total:
            continue
        part = "interfaces" if (name, lost) == by_interface else "hardware"
        share = f" of {count(total)} ({percent(lost / total)})" if total else ""
        text = f"`{name}` of {port.name} is {count(lost)}{share} since the counters began"
        verdict = f"{port.name} {_MEANS[way]}: {count(lost)}{share}"
        finding = _finding(port, way, verdict, Evidence(text=text, source=situation.load.reading.source(part)), 0.0)
        yield finding if total and lost >= SURELY * total else replace(finding, severity=FindingSeverity.NOTICE)


def _lost_by_interface(counters: InterfaceCounters | None, way: str) -> tuple[str, int]:
    """Return the counter of an interface that has most losses in a direction, and its count.

    Up to 26.06 `tx-error` also has what is routed to a port that is down, which is not the port's loss (684ba206873).
    """
    if counters is None:
        return "", 0
    if way == "tx":
        return "tx-error", 0 if counters.is_up is False else counters.tx_error
    lost = {"rx-miss": counters.rx_miss, "rx-no-buf": counters.rx_no_buf, "rx-error": counters.rx_error}
    return max(lost.items(), key=lambda pair: pair[1])


def _total_of_interface(counters: InterfaceCounters | None, way: str, lost: int) -> int:
    """Return how many packets came to an interface, or were handed to it; 0 when it counts none.

    VPP counts a packet as sent before its driver refuses it (vnet/interface_output.c), and none as received that its
    driver lost.
    """
    if counters is None:
        return 0
    passed = counters.rx_packets if way == "rx" else counters.tx_packets
    return max(passed + (lost if way == "rx" else 0), lost) if passed else 0


def _growing(port: PortLoad, situation: Situation) -> Iterator[Finding]:
    """Yield what the driver lost between two readings and the counters of the interface do not have."""
    known = {"rx": (port.rx_miss_pps or 0) + (port.no_buf_pps or 0) + (port.rx_error_pps or 0)}
    known["tx"] = (port.tx_error_pps or 0) + port.tx_lost_pps
    for way, (name, lost_pps) in port.driver_lost_pps.items():
        if lost_pps < FAULT_PPS or known[way] >= FAULT_PPS:
            continue
        text = f"`{name}` of {port.name} grows by {pps(lost_pps)}"
        evidence = Evidence(text=text, source=situation.load.reading.source("hardware"))
        yield _finding(port, way, f"{port.name} {_MEANS[way]}: {pps(lost_pps)}", evidence, lost_pps)


def _finding(port: PortLoad, way: str, verdict: str, evidence: Evidence, lost_pps: float) -> Finding:
    return Finding(
        rule="port-loss",
        severity=FindingSeverity.LOSS,
        subject=port.name,
        verdict=verdict,
        evidence=(evidence,),
        lost_pps=lost_pps,
        proposal=Remedy(text=_NEXT[way]),
        expectation=Expectation(text="the counter stands still once the cause is gone", basis=Basis.COMPUTED),
        disproof="the counter does not grow under the load of today",
        undecided="" if lost_pps else "whether it goes on: read it twice",
    )
