"""What a router does now: the rates between two snapshots of its counters, by names.

A counter that is lower than before was cleared, and counts from 0. An interface that was not there before, or whose
name another one had, has no rates yet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vppcfg.model.counters import NO_ERROR, NodeTotals, VppCounters, takes_from_devices
from vppcfg.model.monitored import MonitoredInterface, RouterSnapshot
from vppcfg.record import record

_FRAME_GAP_BYTES = 24
"""Preamble, checksum and gap of a frame on an Ethernet link, which VPP does not count (IEEE 802.3)."""
_PORT_KINDS = frozenset({"physical", "tap", "host-interface", "memif", "vhost-user"})
Refreshes = tuple[VppCounters, VppCounters]
"""The first readings after two refreshes of the counters of nodes."""
_LOST = ("rx_miss", "rx_no_buf", "rx_error", "tx_error")


@record
class InterfaceRates:
    """An interface and what it does in a second; None where nothing shows yet."""

    interface: MonitoredInterface
    rx_bps: float | None = None
    tx_bps: float | None = None
    rx_pps: float | None = None
    tx_pps: float | None = None
    drops_pps: float | None = None
    punts_pps: float | None = None
    lost_pps: float | None = None
    """What NIC or driver lost: missed, without a buffer, damaged, not sent."""

    @property
    def line_share(self) -> float | None:
        """Return the share of its line rate that the busier direction of a link carries."""
        speed = self.interface.link_bps
        if not speed or self.rx_bps is None or self.rx_pps is None or self.tx_bps is None or self.tx_pps is None:
            return None
        gaps = 8 * _FRAME_GAP_BYTES
        return max(self.rx_bps + gaps * self.rx_pps, self.tx_bps + gaps * self.tx_pps) / speed


@record
class WorkerRates:
    """A thread and what it does in a second."""

    index: int
    name: str
    rx_pps: float | None = None
    vectors: float | None = None
    """Packets per call of the graph: 1 is idle, 256 full; by nodes where they are counted, else as VPP reports it."""
    loops_per_s: int | None = None
    queues: tuple[str, ...] = ()
    """The receive queues that it polls."""
    sessions: int | None = None
    """Of NAT44."""


@record
class NodeRates:
    """A node on all threads in a second."""

    name: str
    pps: float
    calls_per_s: float
    vectors: float
    """Packets per call."""
    clocks_per_packet: float | None
    """Ticks; None without packets."""
    clocks_per_s: float


@record
class ReasonRate:
    """What a node counts, by reason."""

    node: str
    reason: str
    per_s: float | None
    total: int


@record
class RouterRates:
    """A router in an interval."""

    seconds: float | None
    """None after the first look."""
    interfaces: tuple[InterfaceRates, ...] = ()
    workers: tuple[WorkerRates, ...] = ()
    nodes: tuple[NodeRates, ...] = ()
    """Those that packets pass."""
    has_nodes: bool = False
    """Whether VPP has refreshed its counters of nodes twice."""
    reasons: tuple[ReasonRate, ...] = ()

    @property
    def rx_pps(self) -> float | None:
        """Return the packets that all threads take from ports."""
        known = [worker.rx_pps for worker in self.workers if worker.rx_pps is not None]
        return sum(known) if known else None


def rates_between(
    before: RouterSnapshot | None, now: RouterSnapshot, refreshed: Refreshes | None = None
) -> RouterRates:
    """Return the rates from one look to the next; those of nodes from one refresh by VPP to the next."""
    if now.counters is None:
        return RouterRates(seconds=None)
    former = before.counters if before is not None else None
    if former is not None and former.boot_at_s != now.counters.boot_at_s:
        former = refreshed = None
    seconds = now.counters.clock_s - former.clock_s if former is not None else 0.0
    interval = seconds if seconds > 0 else None
    then = {each.name: each.index for each in before.interfaces} if before is not None and former is not None else {}
    return RouterRates(
        seconds=interval,
        interfaces=tuple(
            _interface(each, former, now.counters, then.get(each.name), interval) for each in now.interfaces
        ),
        workers=_workers(former, now, interval, refreshed),
        nodes=_nodes(refreshed),
        has_nodes=refreshed is not None and refreshed[1].nodes is not None,
        reasons=_reasons(former, now.counters, interval),
    )


def _gained(before: int, now: int) -> int:
    return now - before if now >= before else now


def _interface(
    each: MonitoredInterface, former: VppCounters | None, now: VppCounters, then: int | None, seconds: float | None
) -> InterfaceRates:
    """Return the rates of an interface, which had the index `then`."""
    if former is None or then is None or seconds is None:
        return InterfaceRates(interface=each)

    def rate(counter: str) -> float:
        return _gained(former.of_interface(counter, then), now.of_interface(counter, each.index)) / seconds

    return InterfaceRates(
        interface=each,
        rx_bps=8 * rate("rx_bytes"),
        tx_bps=8 * rate("tx_bytes"),
        rx_pps=rate("rx_packets"),
        tx_pps=rate("tx_packets"),
        drops_pps=rate("drops"),
        punts_pps=rate("punts"),
        lost_pps=sum(rate(counter) for counter in _LOST),
    )


def _workers(
    former: VppCounters | None, now: RouterSnapshot, seconds: float | None, refreshed: Refreshes | None
) -> tuple[WorkerRates, ...]:
    counters = now.counters
    assert counters is not None
    polled = {each.interface for each in now.queues}
    ports = [each.index for each in now.interfaces if each.name in polled or (not polled and each.kind in _PORT_KINDS)]
    vectors = _graph_vectors(refreshed, len(counters.threads))
    found = []
    for index, name in enumerate(counters.threads):
        rx_pps = None
        if former is not None and seconds is not None:
            rx_pps = _gained(_received(former, index, ports), _received(counters, index, ports)) / seconds
        found.append(
            WorkerRates(
                index=index,
                name=name,
                rx_pps=rx_pps,
                vectors=vectors.get(index, _place(counters.vector_rates, index)),
                loops_per_s=_place(counters.loops_per_s, index),
                queues=tuple(f"{each.interface} {each.queue}" for each in now.queues if each.thread == index),
                sessions=_place(counters.nat44_sessions or (), index),
            )
        )
    return tuple(found)


def _received(counters: VppCounters, thread: int, ports: Sequence[int]) -> int:
    row = counters.received[thread] if thread < len(counters.received) else ()
    return sum(row[index] for index in ports if index < len(row))


def _place(values: Sequence[int], index: int) -> int | None:
    return values[index] if index < len(values) else None


def _graph_vectors(refreshed: Refreshes | None, threads: int) -> dict[int, float]:
    """Return packets per call of the graph by thread, for threads that packets passed between two refreshes."""
    found: dict[int, float] = {}
    changes = _node_changes(refreshed)
    for thread in range(threads):
        graph = [each for name, each in changes.items() if not takes_from_devices(name) and _at(each.vectors, thread)]
        if calls := sum(_at(each.calls, thread) for each in graph):
            found[thread] = sum(_at(each.vectors, thread) for each in graph) / calls
    return found


def _at(values: Sequence[int], index: int) -> int:
    return values[index] if index < len(values) else 0


def _node_changes(refreshed: Refreshes | None) -> Mapping[str, NodeTotals]:
    """Return what nodes did between two refreshes; nothing when there were none."""
    if refreshed is None or refreshed[0].nodes is None or refreshed[1].nodes is None:
        return {}
    before, now = refreshed[0].nodes, refreshed[1].nodes
    found = {}
    for name, totals in now.items():
        former = before.get(name)
        columns = [
            tuple(_gained(_at(getattr(former, kind), thread) if former else 0, count)
                  for thread, count in enumerate(getattr(totals, kind)))
            for kind in ("calls", "vectors", "clocks", "suspends")
        ]  # fmt: skip
        found[name] = NodeTotals(calls=columns[0], vectors=columns[1], clocks=columns[2], suspends=columns[3])
    return found


def _nodes(refreshed: Refreshes | None) -> tuple[NodeRates, ...]:
    changes = _node_changes(refreshed)
    seconds = refreshed[1].clock_s - refreshed[0].clock_s if refreshed is not None else 0.0
    if seconds <= 0:
        return ()
    found = []
    for name, totals in changes.items():
        calls, vectors, clocks = sum(totals.calls), sum(totals.vectors), sum(totals.clocks)
        if vectors:
            found.append(
                NodeRates(
                    name=name,
                    pps=vectors / seconds,
                    calls_per_s=calls / seconds,
                    vectors=vectors / calls if calls else 0.0,
                    clocks_per_packet=clocks / vectors,
                    clocks_per_s=clocks / seconds,
                )
            )
    return tuple(sorted(found, key=lambda node: (-node.clocks_per_s, node.name)))


def _reasons(former: VppCounters | None, now: VppCounters, seconds: float | None) -> tuple[ReasonRate, ...]:
    """Return what nodes counted, what grows most first."""
    found = []
    for key, count in now.errors.items():
        node, _, reason = key.rpartition("/")
        if reason == NO_ERROR:
            continue
        per_s = None
        if former is not None and seconds is not None:
            per_s = _gained(former.errors.get(key, 0), count) / seconds
        found.append(ReasonRate(node=node, reason=reason, per_s=per_s, total=count))
    return tuple(sorted(found, key=lambda each: (-(each.per_s or 0.0), -each.total, each.node, each.reason)))
