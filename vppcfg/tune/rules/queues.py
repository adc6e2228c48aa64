"""Rules about the queues of a port: how many there are, which threads share them, how packets are spread."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vppcfg.common.numbers import numbered
from vppcfg.common.rates import percent, pps
from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, FindingSeverity, Remedy
from vppcfg.tune.load import Load, PortLoad
from vppcfg.tune.reading import TxQueue
from vppcfg.tune.rule_context import Situation, nodes_source
from vppcfg.tune.settings import is_native, rx_queues
from vppcfg.tune.thresholds import BUSY_PORT_PPS, IMBALANCE_PPS, QUEUE_SHARE, SHARED_CLOCKS

_DECAPSULATION = re.compile(
    r"^(?!ip\d|tcp|udp|bfd|icmp)(?:[a-z-]+\d(?:-[a-z]+)*-input|esp\d-decrypt.*|l2tp-decap.*|pppoe-input)$"
)
"""How VPP calls nodes that take packets out of a tunnel: by its name and the version of the outer IP."""
_MOSTLY = 0.5
_INTERRUPT_MODES = {"interrupt", "adaptive"}
_VIRTUAL = re.compile(r"^(?:host-|tap|memif|VirtualEthernet|virtio|netmap)")
"""Ports whose peer wakes VPP: waiting is right, unless their rate shows otherwise."""


def find_rss(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per port whose packets are not spread over its queues.

    A port has several receive queues, and one of them gets all packets.
    """
    for port in situation.load.ports:
        if len(port.rx_queues) < 2:
            continue
        share = _largest_share(port, situation)
        if share is not None and share > QUEUE_SHARE:
            yield _rss_finding(port, situation, share)
        elif port.hardware and port.hardware.rss_active == "none":
            yield _rss_finding(port, situation, None)


def _tunnel_nodes(situation: Situation) -> list[str]:
    """Return the nodes that most packets pass on their way out of a tunnel."""
    passed: dict[str, int] = {}
    for thread in situation.load.threads:
        for node in thread.graph:
            if _DECAPSULATION.match(node.name):
                passed[node.name] = passed.get(node.name, 0) + node.vectors
    received = sum(thread.rx_packets for thread in situation.load.threads)
    return sorted(name for name, vectors in passed.items() if vectors > _MOSTLY * received)


def _largest_share(port: PortLoad, situation: Situation) -> float | None:
    """Return the largest part of the port's packets that one thread takes, None when that is unknown.

    VPP counts packets by thread, not by queue: a thread shows its queues when it takes packets of no other port. Of
    several queues on one thread it is unknown which one they come from, and their share is that of all of them.
    """
    threads = {queue.thread for queue in port.rx_queues}
    if len(threads) < 2:
        return None
    others = {
        queue.thread
        for other in situation.load.ports
        if other.name != port.name and (other.rx_pps is None or other.rx_pps > 1.0)
        for queue in other.rx_queues
    }
    if threads & others:
        return None
    rates = _rates(port, situation)
    total = sum(rates)
    return max(rates) / total if total > IMBALANCE_PPS else None


def _rates(port: PortLoad, situation: Situation) -> list[float]:
    """Return the packets per second that each thread with a queue of the port takes."""
    threads = {queue.thread for queue in port.rx_queues}
    return [thread.rx_pps for thread in situation.load.threads if thread.index in threads]


def _rss_finding(port: PortLoad, situation: Situation, share: float | None) -> Finding:
    count = len(port.rx_queues)
    tunnels = _tunnel_nodes(situation)
    evidence = []
    if tunnels:
        text = f"{', '.join(tunnels)} takes the packets out of a tunnel"
        evidence.append(Evidence(text=text, source=nodes_source(situation)))
    if share is not None:
        text = f"one of {count} queues gets {percent(share)} of {pps(sum(_rates(port, situation)))}"
        evidence.append(Evidence(text=text, source=nodes_source(situation)))
    if port.hardware and port.hardware.rss_active:
        source = situation.load.reading.source("hardware")
        evidence.append(Evidence(text=f"rss active: {port.hardware.rss_active}", source=source))
    return Finding(
        rule="rss",
        severity=FindingSeverity.RISK,
        subject=port.name,
        verdict=f"the packets of {port.name} are not spread over its {count} receive queues"
        if share is not None
        else f"{port.name} has {count} receive queues and spreads nothing over them",
        evidence=tuple(evidence),
        proposal=Remedy(
            text="the NIC sees the outer addresses alone, and those of one tunnel are always the same: RSS has nothing "
            "to spread by. Several tunnels with other outer addresses, a sender that varies the outer UDP source "
            "port, or a hand-off between workers help"
            if tunnels
            else f"{_spreading(port)}; {_by_software(port)}; for a single flow, a tunnel or PPPoE only a hand-off "
            "between workers helps"
        ),
        expectation=Expectation(
            text=f"up to {count} times the rate of one queue, when there are many flows", basis=Basis.COMPUTED
        ),
        disproof="the traffic is one flow: then no spreading is possible, and none is missing",
    )


def _by_software(port: PortLoad) -> str:
    """Return what spreads the packets of one queue; tried with the plugin of 26.02, which wants the type first."""
    commands = f"`soft-rss config {port.name} type 4-tuple` and `soft-rss enable {port.name}`"
    return f"from VPP 26.02 on, {commands} (plugin soft_rss) spread its packets over the workers"


def _spreading(port: PortLoad) -> str:
    """Return what spreads packets over the queues of a port; `rss` is a word of the dpdk plugin alone."""
    if is_native(port):
        return (
            "VPP's own driver chooses what it spreads by, and takes no `rss { ... }` in startup.conf: send more flows"
        )
    return "rss { ... } for this device in startup.conf, with the headers that differ between flows"


def find_queues_ignored(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per port with one queue where the configuration asks for more than it can have.

    More receive queues were asked for than the NIC has, and VPP silently took one.
    """
    for port in situation.load.ports:
        asked = situation.configured_rx_queues
        address = port.hardware.pci_address if port.hardware else None
        configured = asked.get(port.name) or asked.get(address or "", 0)
        limits = port.hardware.rx_limits if port.hardware else None
        if limits and limits.queues == 1 and configured > limits.max_queues and not is_native(port):
            yield _queues_ignored_finding(port, situation, configured, limits.max_queues)


def _queues_ignored_finding(port: PortLoad, situation: Situation, configured: int, most: int) -> Finding:
    address = port.hardware.pci_address if port.hardware else None
    return Finding(
        rule="queues-ignored",
        severity=FindingSeverity.LIMIT,
        subject=port.name,
        verdict=f"{port.name} has one receive queue: {configured} were asked for, and its NIC has {most}",
        evidence=(
            Evidence(text=f"rx: queues 1 (max {most})", source=situation.load.reading.source("hardware")),
            Evidence(text=f"rx-queues: {configured}", source="the configuration"),
        ),
        proposal=Remedy(
            text="ask for what the NIC has; VPP ignores a larger number and takes one (plugins/dpdk/device/init.c)"
            + (f"; {_by_software(port)}" if most == 1 else ""),
            settings=(rx_queues(most, configured, address),),
        ),
        expectation=Expectation(
            text=f"{most} workers can take packets from this port in place of one", basis=Basis.COMPUTED
        ),
        disproof=f"`show hardware-interfaces {port.name}` shows more than one queue",
    )


def find_shared_tx_queue(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per port with a queue that two workers or more send on, where that costs clocks.

    Workers share a transmit queue and wait for each other at its lock.
    """
    shared = {port.name: queue for port in situation.load.ports for queue in port.tx_queues if _is_contended(queue)}
    clocks = {port.name: tx_clocks(port, situation.load) for port in situation.load.ports}
    alone = [cost for name, cost in clocks.items() if name not in shared and cost]
    for port in situation.load.ports:
        cost = clocks[port.name]
        if port.name not in shared or not cost:
            continue
        reference = min(alone) if alone else None
        if reference is None or cost >= SHARED_CLOCKS * reference:
            yield _shared_tx_queue_finding(port, shared[port.name], situation, cost, reference)


def _is_contended(queue: TxQueue) -> bool:
    """Return whether two workers or more send on the queue; the main thread, which hardly ever sends, is left out."""
    return queue.is_shared and sum(thread > 0 for thread in queue.threads) >= 2


def tx_clocks(port: PortLoad, load: Load) -> float:
    """Return the clocks per packet of the port's tx node over all threads, 0 without packets."""
    nodes = [thread.by_name[name] for thread in load.threads for name in (f"{port.name}-tx",) if name in thread.by_name]
    vectors = sum(node.vectors for node in nodes)
    return sum(node.clocks for node in nodes) / vectors if vectors else 0.0


def _shared_tx_queue_finding(
    port: PortLoad, queue: TxQueue, situation: Situation, cost: float, reference: float | None
) -> Finding:
    limits = port.hardware.tx_limits if port.hardware else None
    most = f"; its NIC has {limits.max_queues}" if limits else ""
    compared = f", {cost / reference:.1f} times that of a port with queues of its own" if reference else ""
    threads = ", ".join(map(str, queue.threads))
    return Finding(
        rule="shared-tx-queue",
        severity=FindingSeverity.RISK if reference else FindingSeverity.NOTICE,
        subject=port.name,
        verdict=f"workers share transmit queue {queue.queue} of {port.name} and wait for each other",
        evidence=(
            Evidence(text=f"queue {queue.queue} is used by threads {threads}{most}",
                     source=situation.load.reading.source("tx_queues")),
            Evidence(text=f"{port.name}-tx takes {cost:.0f} clocks per packet{compared}",
                     source=nodes_source(situation)),
        ),
        proposal=Remedy(text="a transmit queue for each thread where the NIC has them, else fewer workers that "
                        "send to this port"),
        expectation=Expectation(text=f"clocks of {port.name}-tx come down to those of other ports",
                                basis=Basis.GUESS),
        disproof="the clocks stay when only one worker sends to the port",
        undecided="" if reference else "what the lock costs: compare with a port whose queues are not shared",
    )  # fmt: skip


def find_interrupt_mode(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per busy port with a queue that is not polled.

    A busy port waits for interrupts in place of being polled.
    """
    for port in situation.load.ports:
        waiting = [queue for queue in port.rx_queues if queue.mode in _INTERRUPT_MODES]
        rate = port.rx_pps
        if waiting and (rate >= BUSY_PORT_PPS if rate is not None else not _VIRTUAL.match(port.name)):
            yield _interrupt_mode_finding(port, rate, waiting[0].mode, len(waiting), situation)
    if not situation.load.queues():
        yield from _waiting_nodes(situation)


def _waiting_nodes(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per busy input node that waits for interrupts, where no queue shows its mode."""
    for thread in situation.load.forwarding:
        for node in thread.inputs:
            rate = thread.per_s(node.vectors)
            if node.state.startswith("interrupt") and rate >= BUSY_PORT_PPS:
                port = PortLoad(name=node.name, rx_pps=rate)
                yield _interrupt_mode_finding(port, rate, "interrupt", 1, situation)


def _interrupt_mode_finding(port: PortLoad, rate: float | None, mode: str, count: int, situation: Situation) -> Finding:
    return Finding(
        rule="interrupt-mode",
        severity=FindingSeverity.NOTICE if rate is None else FindingSeverity.RISK,
        subject=port.name,
        verdict=f"{port.name} waits for interrupts in place of being polled"
        if rate is None
        else f"{port.name} is busy and waits for interrupts in place of being polled",
        evidence=(
            Evidence(
                text=f"{numbered(count, 'queue')} in {mode} mode", source=situation.load.reading.source("rx_queues")
            ),
            *(() if rate is None else (
                Evidence(text=f"it receives {pps(rate)}", source=situation.load.reading.source("interfaces")),
            )),
        ),
        proposal=Remedy(
            text="poll it; from 26.06 on `interface { default-rx-mode polling }` in startup.conf does so for all ports",
            live=(f"set interface rx-mode {port.name} polling",),
        ),
        expectation=Expectation(text="shorter delay, and a higher rate before packets are missed; the CPU of the "
                                "worker is then always busy", basis=Basis.GUESS),
        disproof="delay and largest rate are the same in both modes",
        undecided="how busy it is: `show interface` twice" if rate is None else "",
    )  # fmt: skip
