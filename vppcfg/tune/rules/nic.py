"""Rules about network cards: packets lost before VPP sees them, slow drivers, packets too large for a buffer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from vppcfg.common.rates import percent, pps
from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, FindingSeverity, Remedy, Setting
from vppcfg.tune.load import PortLoad, ThreadLoad
from vppcfg.tune.rule_context import FrameTrial, Situation, nodes_source
from vppcfg.tune.rules.rings import is_bursty
from vppcfg.tune.settings import (
    are_plain,
    is_native,
    larger_ring,
    live_ring,
    longer_rx_rings,
    multi_seg,
    tx_checksum_offload,
)
from vppcfg.tune.thresholds import DIRECTION_SPREAD, LIGHT_VECTOR, LINE_SHARE, OFFERED_SHARE, PATTERN_RANGE, TX_DEFICIT

_SUSPICIOUS = 0.5
"""Ours: from this share of line rate on it is worth asking what was offered."""
_DATA_SIZE = 2048
"""Bytes of packet in a buffer (VPP: vlib/buffer.h)."""
_FRAMING = 22
"""Ethernet header, two VLAN tags."""


def find_nic_bound(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per port that receives less than it is sent.

    Packets are lost in the NIC or on the bus before VPP sees them, and its workers have time to spare.
    """
    if any(port.tx_deficit >= TX_DEFICIT for port in situation.load.ports):
        return
    if not any(port.rx_pps for port in situation.load.ports):
        yield from _short_of_offer(situation)
    for port in situation.load.ports:
        threads = situation.pollers(port)
        if not port.rx_pps or not threads or not all(_is_light(thread, situation) for thread in threads):
            continue
        line = situation.rx_line_pps(port)
        if line and port.rx_pps >= OFFERED_SHARE * line:
            continue
        finding = _nic_bound_judge(port, threads, situation, line)
        if finding:
            yield finding


def _short_of_offer(situation: Situation) -> Iterator[Finding]:
    """Yield a finding when all threads together receive less than is sent to one port, where no port has a rate."""
    offered = situation.offered.get("") or sum(situation.offered.values())
    threads, received = situation.load.forwarding, situation.load.rx_pps
    if not threads or not received or received >= OFFERED_SHARE * offered:
        return
    if not all(_is_light(thread, situation) for thread in threads):
        return
    names = sorted({node.name for thread in threads for node in thread.inputs if node.vectors})
    port = PortLoad(name=", ".join(names) or "the receiving port", rx_pps=received)
    known = replace(situation, offered={port.name: offered})
    yield _nic_bound_finding(port, threads, known, None, offered - received)


def _is_light(thread: ThreadLoad, situation: Situation) -> bool:
    return thread.n_graph < LIGHT_VECTOR and thread.n_rx < LIGHT_VECTOR * situation.busy_queues(thread)


def _nic_bound_judge(
    port: PortLoad, threads: tuple[ThreadLoad, ...], situation: Situation, line: float | None
) -> Finding | None:
    received = port.rx_pps or 0.0
    offered = situation.offered_to(port)
    missed = port.rx_miss_pps or 0.0
    if offered is None and missed and is_bursty(threads, situation) is not False:
        return None  # rx-ring is what a burst is
    lost = max(offered - received if offered else 0.0, missed)
    if (offered and received < OFFERED_SHARE * offered) or missed:
        return _nic_bound_finding(port, threads, situation, line, lost)
    if offered is None and line and _SUSPICIOUS * line <= received < LINE_SHARE * line and not missed:
        return _nic_bound_suspicion(port, threads, situation, line)
    return None


def _nic_bound_evidence(
    port: PortLoad, threads: tuple[ThreadLoad, ...], situation: Situation, line: float | None
) -> tuple[Evidence, ...]:
    received = port.rx_pps or 0.0
    source = nodes_source(situation)
    how = " (what the other port is handed)" if port.rx_is_inferred else ""
    of_line = f", {percent(received / line)} of its line rate of {pps(line)}" if line else ""
    parts = [Evidence(text=f"{port.name} receives {pps(received)}{of_line}{how}", source=source)]
    offered = situation.offered_to(port)
    if offered:
        parts.append(Evidence(text=f"{pps(offered)} are sent to it", source="--offered"))
    if port.rx_miss_pps:
        missed = f"the NIC misses {pps(port.rx_miss_pps)}"
        parts.append(Evidence(text=missed, source=situation.load.reading.source("interfaces")))
    for thread in threads:
        text = f"{thread.name} finds {thread.n_rx:.2f} packets per poll and passes on {thread.n_graph:.2f} per call"
        parts.append(Evidence(text=f"{text} (256 is full)", source=source))
        if thread.disagreement:
            parts.append(_contradiction(thread, source))
    if situation.load_note:
        parts.append(Evidence(text=situation.load_note, source="the fitted model"))
    return tuple(parts)


def _contradiction(thread: ThreadLoad, source: str) -> Evidence:
    table = thread.rx_packets / thread.table_duration_s
    printed = thread.rx_pps
    share = percent(abs(thread.disagreement))
    text = f"table and header of {thread.name} disagree by {share}: {pps(table)} against {pps(printed)}; the header"
    return Evidence(text=f"{text} is taken", source=source)


def _nic_bound_finding(
    port: PortLoad, threads: tuple[ThreadLoad, ...], situation: Situation, line: float | None, lost: float
) -> Finding:
    limits = port.hardware.rx_limits if port.hardware else None
    more = larger_ring(limits) if limits else None
    rings = "try longer receive rings once; then another" if more or not limits else (
        f"its receive rings of {limits.descriptors} descriptors are as long as they get; try another"
    )  # fmt: skip
    return Finding(
        rule="nic-bound",
        severity=FindingSeverity.LOSS,
        subject=port.name,
        verdict=f"{port.name} loses packets in its NIC, before VPP sees them; the CPU is not the limit, and an "
        "increase of workers will not help",
        evidence=_nic_bound_evidence(port, threads, situation, line),
        lost_pps=lost,
        proposal=Remedy(
            text=f"{rings} port or NIC, its PCIe slot, pause frames; as an "
            "experiment pcie_aspm=off on the kernel's command line and `ethtool --set-eee` off",
            settings=longer_rx_rings(port, situation.load.ports),
            live=live_ring(port, "rx", more),
        ),
        expectation=Expectation(
            text="at most line rate; if twice the ring gives less than 1 %, it is a limit of NIC or bus for this "
            "pattern of traffic"
            if more or not limits
            else "at most line rate; it may be a limit of NIC or bus for this pattern of traffic",
            basis=Basis.GUESS,
        ),
        disproof=f"{port.name} receives everything at the same rate in another pattern of traffic, or more workers "
        "raise the rate",
    )


def _nic_bound_suspicion(port: PortLoad, threads: tuple[ThreadLoad, ...], situation: Situation, line: float) -> Finding:
    return Finding(
        rule="nic-bound",
        severity=FindingSeverity.NOTICE,
        subject=port.name,
        verdict=f"{port.name} may lose packets before VPP sees them, or there is no more traffic",
        evidence=_nic_bound_evidence(port, threads, situation, line),
        disproof=f"what is sent to {port.name} is no more than what it receives",
        undecided="what is sent to the port: ask the sender, and give --offered RATE",
    )


def find_nic_pattern(situation: Situation) -> Iterator[Finding]:
    """Yield a finding when trials far apart in packet rate lose about the same share.

    The same share is lost at very different packet rates, so that no CPU, ring or buffer is behind it.
    """
    losing = [trial for trial in situation.trials if trial.loss > 1 - OFFERED_SHARE]
    if len(losing) < 2 or len(losing) < len(situation.trials):
        return
    losses = [trial.loss for trial in losing]
    rates = [trial.offered_pps for trial in losing]
    if max(losses) - min(losses) <= DIRECTION_SPREAD and max(rates) >= PATTERN_RANGE * min(rates):
        yield _nic_pattern_finding(losing, max(rates) / min(rates))


def _nic_pattern_finding(trials: list[FrameTrial], spread: float) -> Finding:
    least = min(trials, key=lambda trial: trial.offered_pps)
    return Finding(
        rule="nic-pattern",
        severity=FindingSeverity.LOSS,
        subject="the port under test",
        verdict=f"packets are lost in NIC, bus or link, for an unknown cause: {percent(least.loss)} even at "
        f"{pps(least.offered_pps)}, though the trials are a factor of {spread:.0f} apart",
        evidence=tuple(
            Evidence(text=f"{trial.frame}: {pps(trial.received_pps)} of {pps(trial.offered_pps)}, "
                     f"{percent(trial.loss)} lost", source="--trial")
            for trial in trials
        ),
        lost_pps=max(trial.offered_pps - trial.received_pps for trial in trials),
        proposal=Remedy(
            text="an experiment: pcie_aspm=off on the kernel's command line and `ethtool --set-eee DEV eee off`, then "
            "the same trials; also pause frames, cable and optics, another port"
        ),
        expectation=Expectation(text="no change of startup.conf is promised to help", basis=Basis.GUESS),
        disproof="the loss grows with the packet rate when more trials are made",
        undecided="which of power states, bus and physical layer it is: the experiment decides about the first",
    )  # fmt: skip


def find_port_failed(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per port that VPP could not set up.

    The driver refused queues or descriptors; VPP goes on without the port.
    """
    reading = situation.load.reading
    for port in situation.load.ports:
        evidence = []
        if port.hardware is not None and port.hardware.has_errors:
            evidence.append(Evidence(text="the driver reports errors", source=reading.source("hardware")))
        if port.counters is not None and port.counters.is_failed:
            evidence.append(Evidence(text="its state is `error`", source=reading.source("interfaces")))
        if evidence:
            yield Finding(
                rule="port-failed",
                severity=FindingSeverity.LOSS,
                subject=port.name,
                verdict=f"VPP could not set {port.name} up, and nothing passes it",
                evidence=tuple(evidence),
                proposal=Remedy(
                    text="`show hardware-interfaces` shows what the driver refused after `Errors:`; often that is the "
                    "number of its queues or descriptors, or an offload that `no-tx-checksum-offload` leaves out"
                ),
                expectation=Expectation(text="the port comes up after VPP is restarted", basis=Basis.GUESS),
                disproof="the same errors occur with VPP's defaults",
            )


def find_slow_burst(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per port with a scalar burst function.

    The driver sends or receives packets one by one, though it has a faster way.
    """
    for port in situation.load.ports:
        bursts = (port.hardware.rx_burst, port.hardware.tx_burst) if port.hardware else (None, None)
        slow = [name for name in bursts if name and "scalar" in name.lower()]
        if slow:
            yield _slow_burst_finding(port, slow, situation, is_tx=bool(bursts[1] and "scalar" in bursts[1].lower()))


def _slow_burst_finding(port: PortLoad, slow: list[str], situation: Situation, *, is_tx: bool) -> Finding:
    return Finding(
        rule="slow-burst",
        severity=FindingSeverity.NOTICE,
        subject=port.name,
        verdict=f"the driver of {port.name} handles packets one by one",
        evidence=tuple(Evidence(text=name, source=situation.load.reading.source("hardware")) for name in slow),
        proposal=Remedy(
            text="what keeps drivers from their vector functions: packets of several buffers, checksum offload, "
            "descriptor counts that are no power of two, max-simd-bitwidth",
            settings=_slow_burst_settings(port, situation) if is_tx else (),
        ),
        expectation=Expectation(text="fewer clocks in the tx and input nodes; how many has not been measured",
                                basis=Basis.GUESS),
        disproof="the burst function stays scalar: then this driver has no other on this CPU",
    )  # fmt: skip


def _slow_burst_settings(port: PortLoad, situation: Situation) -> tuple[Setting, ...]:
    offloads = port.hardware.tx_offloads if port.hardware else ()
    settings = []
    if "multi-segs" in offloads and are_plain(situation.load.ports):
        settings.append(multi_seg(is_on=False))
    if any(offload.endswith("-cksum") for offload in offloads):
        settings.append(tx_checksum_offload(is_on=False))
    return tuple(settings)


def find_mtu_multi_seg(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per port of the dpdk plugin with large packets and without multi-seg.

    Large packets are allowed, and the driver assumes that every packet fits one buffer.
    """
    size = _data_size(situation)
    for port in situation.load.ports:
        hardware = port.hardware
        is_plain = hardware is not None and bool(hardware.flags) and "maybe-multiseg" not in hardware.flags
        is_dpdk = hardware is not None and hardware.rx_limits is not None and not is_native(port)
        if is_dpdk and is_plain and (port.mtu or 0) + _FRAMING > size:
            yield _mtu_multi_seg_finding(port, port.mtu or 0, size, situation)


def _data_size(situation: Situation) -> int:
    """Return the bytes of packet in the smallest buffer; what VPP has by itself where nothing shows it."""
    sizes = [pool.data_size for pool in situation.load.reading.buffers or () if pool.data_size is not None]
    return min(sizes, default=_DATA_SIZE)


def _mtu_multi_seg_finding(port: PortLoad, mtu: int, size: int, situation: Situation) -> Finding:
    reading = situation.load.reading
    lost = port.rx_error_pps or 0.0
    evidence = [
        Evidence(text=f"MTU {mtu}", source=reading.source("interfaces")),
        Evidence(
            text=f"multi-seg is off: a packet may fill one buffer of {size} bytes", source=reading.source("hardware")
        ),
    ]
    if lost:
        text = f"rx-error grows by {pps(lost)}"
        evidence.append(Evidence(text=text, source=reading.source("interfaces")))
    return Finding(
        rule="mtu-multi-seg",
        severity=FindingSeverity.LOSS if lost else FindingSeverity.RISK,
        subject=port.name,
        verdict=f"{port.name} is to take packets of {mtu} bytes and drops those above {size}",
        evidence=tuple(evidence),
        lost_pps=lost,
        proposal=Remedy(text="multi-seg on, or an MTU of up to 2000, or larger buffers",
                        settings=(multi_seg(is_on=True),)),
        expectation=Expectation(text="large packets pass; sending costs somewhat more per packet",
                                basis=Basis.COMPUTED),
        disproof="a ping of the full MTU with `do not fragment` is answered",
    )  # fmt: skip
