"""Rules about descriptor rings: receive rings shorter than bursts, and transmit rings that are full."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from vppcfg.common.rates import count, packets, percent, pps
from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, FindingSeverity, Remedy
from vppcfg.tune.load import ErrorRate, Load, PortLoad, ThreadLoad
from vppcfg.tune.ports import by_name, is_ring_full
from vppcfg.tune.rule_context import Situation, nodes_source
from vppcfg.tune.settings import (
    are_plain,
    is_native,
    larger_ring,
    live_ring,
    longer_rx_rings,
    longer_tx_rings,
    multi_seg,
    tx_descriptors,
)
from vppcfg.tune.thresholds import FRAME, LINE_SHARE, ONE_OFF_RINGS, RING_FILLED, SATURATED_VECTOR, TX_DEFICIT

_LARGEST_RING = 4096
"""What a ring has at most where nothing shows its length: a loss of no more may have happened once."""
_LONGER_RING = 1024
"""Twice what VPP takes for a NIC on a machine without an L3 cache (plugins/dpdk/device/init.c)."""
_DPDK_NAME = re.compile(r"^(?:\w*GigabitEthernet|VirtualFunctionEthernet|UnknownEthernet)[0-9a-f]+/[0-9a-f]+/[0-9a-f]+")
"""How the dpdk plugin names ports (plugins/dpdk/device/init.c)."""
_NOTHING_SENT = 0.99
"""Ours: from this share of lost packets on, a port sends nothing, whatever its ring."""
_KEPT = 0.75
"""What longer rings have saved of the loss: 2.58 % became 0.67 % on the machine of the measurement."""


def find_rx_ring(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per port that misses packets in bursts.

    Bursts, or pauses of a worker, are longer than a receive ring, though the worker keeps up on average.
    """
    for port in situation.load.ports:
        threads = situation.pollers(port)
        if not port.rx_miss_pps or not threads:
            continue
        is_relaxed = all(
            thread.n_rx < RING_FILLED * situation.busy_queues(thread) and thread.vectors < SATURATED_VECTOR
            for thread in threads
        )
        bursty = is_bursty(threads, situation)
        if is_relaxed and bursty is not False:
            yield _rx_ring_finding(port, threads, situation, port.rx_miss_pps, is_certain=bursty is True)


def is_bursty(threads: Sequence[ThreadLoad], situation: Situation) -> bool | None:
    """Return whether one of the threads has met a full frame; None when `show runtime max` was not read."""
    indexes = {thread.index for thread in threads}
    vectors = [most for index, _, most in situation.load.reading.max_vectors if index in indexes]
    return max(vectors) >= FRAME if vectors else None


def _rx_ring_finding(
    port: PortLoad, threads: Sequence[ThreadLoad], situation: Situation, missed: float, *, is_certain: bool
) -> Finding:
    limits = port.hardware.rx_limits if port.hardware else None
    more = larger_ring(limits) if limits else None
    ring = f" of {limits.descriptors}" if limits else ""
    means = ", ".join(f"{thread.name} {thread.n_rx:.1f}" for thread in threads)
    return Finding(
        rule="rx-ring",
        severity=FindingSeverity.LOSS,
        subject=port.name,
        verdict=f"{port.name} misses {pps(missed)} in bursts: its receive ring{ring} is shorter than they are",
        evidence=(
            Evidence(text=f"rx-miss grows by {pps(missed)}", source=situation.load.reading.source("interfaces")),
            Evidence(text=f"packets per poll on average: {means}", source=nodes_source(situation)),
        ),
        lost_pps=missed,
        proposal=Remedy(
            text=("longer receive rings; and find" if more or not limits else "its rings are as long as they get: find")
            + " what makes the worker pause: route changes, `show runtime`, interrupts on its CPU",
            settings=longer_rx_rings(port, situation.load.ports),
            live=live_ring(port, "rx", more),
        ),
        expectation=Expectation(text=_survived_pause(port, more), basis=Basis.COMPUTED),
        disproof="the rate of missed packets stays the same with rings of twice the length",
        undecided="" if is_certain else "whether any frame was full: `show runtime max` shows it (256 vectors at max)",
    )


def _survived_pause(port: PortLoad, more: int | None) -> str:
    line = port.line_pps(None)
    if not line or not more:
        return "pauses twice as long are survived"
    return f"{more} descriptors cover a pause of {more / line * 1e6:.0f} µs at line rate with 64 bytes"


def find_tx_descriptors(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per starving port, worst first.

    A port drops what it is handed because its transmit ring is full, though its link is not.
    """
    starving = [port for port in situation.load.ports if _starves(port, situation)]
    for port in sorted(starving, key=lambda port: (-port.tx_lost_pps, port.name)):
        yield _tx_descriptors_finding(port, situation)
    named = {f"{port.name}-tx" for port in situation.load.ports if port.handed_pps}
    for rate in situation.load.errors:
        is_old = rate.per_s is None and situation.load.duration_s is None and rate.node not in named
        if is_old and is_ring_full(rate.reason) and rate.count > _LARGEST_RING:
            yield _once_starved(rate, situation)


def _once_starved(rate: ErrorRate, situation: Situation) -> Finding:
    """Return the finding for a counter of full rings that nothing gives a rate."""
    port = PortLoad(name=rate.node.removesuffix("-tx"))
    return Finding(
        rule="tx-descriptors",
        severity=FindingSeverity.LOSS,
        subject=port.name,
        verdict=f"{port.name} has dropped {packets(rate.count)} because its transmit ring was full",
        evidence=(
            Evidence(text=f"`{rate.reason}` counts {count(rate.count)} since VPP began or counters were cleared",
                     source=situation.load.reading.source("errors")),
        ),
        proposal=_tx_descriptors_proposal(port, situation),
        expectation=_tx_descriptors_expectation(port, situation),
        disproof="the link was full: then no ring is long enough",
        undecided="whether it goes on, and whether the link is full: `show errors`, `show hardware-interfaces`",
    )  # fmt: skip


def is_dpdk(name: str, situation: Situation) -> bool:
    """Return whether a port is one of the dpdk plugin, where no description of its hardware shows it.

    Errors of its nodes and input nodes name the driver; a name shows it only where nothing else does.
    """
    if any(rate.node.startswith(f"{name}-") and "dpdk" in rate.reason for rate in situation.load.errors):
        return True
    inputs = {node.name for thread in situation.load.threads for node in thread.inputs}
    return bool(_DPDK_NAME.match(name)) and (not inputs or "dpdk-input" in inputs)


def _starves(port: PortLoad, situation: Situation) -> bool:
    limits = port.hardware.tx_limits if port.hardware else None
    ring = limits.descriptors if limits else _LARGEST_RING
    if port.tx_lost_pps <= 0 or port.tx_lost <= ONE_OFF_RINGS * ring:
        return False
    handed = port.handed_pps if port.handed_pps else (port.tx_pps or 0.0) + port.tx_lost_pps
    line = situation.tx_line_pps(port)
    if port.tx_lost_pps < TX_DEFICIT * handed or (line and (port.tx_pps or 0.0) >= LINE_SHARE * line):
        return False
    saturated = any(thread.vectors >= SATURATED_VECTOR for thread in situation.load.forwarding)
    return is_sustained(port, situation.load) and (not saturated or not limits)


def is_sustained(port: PortLoad, load: Load) -> bool:
    """Return whether a port lost packets in two steps or more, or in the only one; always without steps."""
    if not load.steps:
        return True
    losses = [by_name(step.ports)[port.name].tx_lost_pps for step in load.steps if port.name in step.port_names]
    return sum(loss > 0 for loss in losses) >= min(2, len(losses))


def _tx_descriptors_finding(port: PortLoad, situation: Situation) -> Finding:
    if port.tx_deficit >= _NOTHING_SENT:
        return _stuck_finding(port, situation)
    return Finding(
        rule="tx-descriptors",
        severity=FindingSeverity.LOSS,
        subject=port.name,
        verdict=f"{port.name} drops {pps(port.tx_lost_pps)} because its transmit ring is full, though its link is not",
        evidence=_tx_descriptors_evidence(port, situation),
        lost_pps=port.tx_lost_pps,
        proposal=_tx_descriptors_proposal(port, situation),
        expectation=_tx_descriptors_expectation(port, situation),
        disproof=f"the share of lost packets stays when the ring of {port.name} is twice as long and packets have "
        "one buffer",
        undecided=_what_decides(port, situation),
    )  # fmt: skip


def _stuck_finding(port: PortLoad, situation: Situation) -> Finding:
    """Return the finding for a port that sends nothing any more: no ring is long enough for that."""
    return Finding(
        rule="tx-descriptors",
        severity=FindingSeverity.LOSS,
        subject=port.name,
        verdict=f"{port.name} drops all of the {pps(port.handed_pps or 0.0)} that it is handed: its transmit ring is "
        "full, and the other end takes nothing",
        evidence=_tx_descriptors_evidence(port, situation),
        lost_pps=port.tx_lost_pps,
        proposal=Remedy(
            text="the other end: whether the program that reads a memif, TAP or vhost ring runs, whether the link of a "
            "NIC is up and not paused; a longer ring fills up, too"
        ),
        expectation=Expectation(text="packets leave as soon as the other end takes them", basis=Basis.COMPUTED),
        disproof=f"`tx packets` of {port.name} grow on the other end",
    )


def _what_decides(port: PortLoad, situation: Situation) -> str:
    if not port.link_bps and is_dpdk(port.name, situation):
        return "the speed of the link, which may be full: `show hardware-interfaces` shows it"
    if situation.knows_frame(port) or not port.link_bps:
        return ""
    return "the frame size: 64 bytes are assumed, and with larger frames the link may be full; give --frame"


def _tx_descriptors_evidence(port: PortLoad, situation: Situation) -> tuple[Evidence, ...]:
    source = nodes_source(situation)
    parts = []
    if port.handed_pps:
        share = percent(port.tx_deficit)
        text = f"{count(port.tx_lost)} packets were handed to {port.name} and not sent: {share}"
        parts.append(Evidence(text=text, source=source))
    line = situation.tx_line_pps(port)
    if line and port.tx_pps:
        text = f"it sends {pps(port.tx_pps)}, {percent(port.tx_pps / line)} of its line rate of {pps(line)}"
        parts.append(Evidence(text=text, source=source))
    for rate in situation.load.errors:
        if rate.node == f"{port.name}-tx" and is_ring_full(rate.reason):
            when = "in the interval" if rate.per_s is not None else "since VPP began or counters were cleared"
            text = f"`{rate.reason}` counts {count(rate.count)} {when}"
            parts.append(Evidence(text=text, source=situation.load.reading.source("errors")))
    limits = port.hardware.tx_limits if port.hardware else None
    if limits:
        text = f"{limits.descriptors} descriptors of up to {limits.max_descriptors}"
        parts.append(Evidence(text=text, source=situation.load.reading.source("hardware")))
    return tuple(parts)


def _tx_descriptors_proposal(port: PortLoad, situation: Situation) -> Remedy:
    limits = port.hardware.tx_limits if port.hardware else None
    if limits is None and is_dpdk(port.name, situation):
        return Remedy(
            text=f"longer transmit rings first: {_LONGER_RING} descriptors, or twice as many as `show "
            "hardware-interfaces` shows; then packets of one buffer each, which lets drivers send the "
            "simple way",
            settings=(
                tx_descriptors(_LONGER_RING, None),
                *((multi_seg(is_on=False),) if are_plain(situation.load.ports) else ()),
            ),
            live=(f"set dpdk interface descriptors {port.name} tx {_LONGER_RING}",),
        )
    if limits is None and is_native(port):
        text = "longer transmit rings below `devices`; how long they are, and may be, is not known of this driver"
        return Remedy(text=text)
    if limits is None:
        return Remedy(
            text="longer rings where the interface is made (a memif's ring-size, a TAP's tx-ring-size), or a reader "
            "at its other end that keeps up"
        )
    settings = [*longer_tx_rings(port, situation.load.ports)]
    more = larger_ring(limits)
    if is_native(port):
        text = "longer transmit rings" if settings else "another port: its transmit rings are as long as they get"
        return Remedy(text=text, settings=tuple(settings))
    if _uses_many_buffers(port, situation):
        settings.append(multi_seg(is_on=False))
    return Remedy(
        text="longer transmit rings first; then packets of one buffer each, which lets drivers send the simple way",
        settings=tuple(settings),
        live=live_ring(port, "tx", more),
    )


def _uses_many_buffers(port: PortLoad, situation: Situation) -> bool:
    hardware = port.hardware
    if hardware is None or not are_plain(situation.load.ports):
        return False
    return not hardware.tx_offloads or "multi-segs" in hardware.tx_offloads


def _tx_descriptors_expectation(port: PortLoad, situation: Situation) -> Expectation:
    has_limits = port.hardware is not None and port.hardware.tx_limits is not None
    if not has_limits and not is_dpdk(port.name, situation):
        return Expectation(
            text="fewer drops in bursts; a reader that is always too slow still loses packets", basis=Basis.GUESS
        )
    more = f": {pps(port.tx_lost_pps * _KEPT)} more" if port.tx_lost_pps else ""
    return Expectation(
        text=f"a quarter of the loss remains{more}. Both changes at once brought an "
        "Atom E3950 with i210 and i211 from 2.88 to 2.94 of 2.97 Mpps (64 bytes, both ways); what each of them "
        "gave was not measured",
        basis=Basis.MEASURED,
        gain_pps=port.tx_lost_pps * _KEPT or None,
    )
