"""Writes what a router has counted as metrics for Prometheus.

Series are labelled with names and never with indexes, so that they go on when VPP is restarted or gives an interface
another index; what starts again at 0 is a reset to Prometheus. How many there are is bounded by interfaces, threads,
and the nodes and reasons of VPP: nodes that VPP has once for each interface are counted together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from vppcfg.model.counters import NO_ERROR, VppCounters, takes_from_devices
from vppcfg.model.monitored import (
    MonitoredDet44Map,
    MonitoredInterface,
    MonitoredPolicer,
    MonitoredVirtualRouter,
    RouterSnapshot,
)
from vppcfg.model.virtual_router import VrrpState
from vppcfg.render.exposition import Labels, label_text, labelled_metric, metric

COUNTER, GAUGE = "counter", "gauge"
METRICS: Mapping[str, tuple[str, str]] = {
    "vpp_up": (GAUGE, "Whether VPP's counters can be read."),
    "vpp_info": (GAUGE, "VPP's version."),
    "vpp_start_time_seconds": (GAUGE, "When VPP started, in Unix time."),
    "vpp_heartbeat_total": (COUNTER, "How often VPP has refreshed counters of nodes, memory and rates of workers."),
    "vpp_refresh_timestamp_seconds": (GAUGE, "When VPP was first seen with its present heartbeat, in Unix time."),
    "vpp_names_known": (GAUGE, "Whether VPP's API reports the names of interfaces now."),
    "vpp_interface_info": (GAUGE, "What an interface is: its device in Linux, description, VRF and kind."),
    "vpp_interface_admin_up": (GAUGE, "Whether an interface is set up."),
    "vpp_interface_link_up": (GAUGE, "Whether an interface has a link."),
    "vpp_interface_speed_bytes": (GAUGE, "Speed of the link, in bytes per second."),
    "vpp_interface_receive_packets_total": (COUNTER, "Packets received."),
    "vpp_interface_receive_bytes_total": (COUNTER, "Bytes received, without checksums of frames."),
    "vpp_interface_transmit_packets_total": (COUNTER, "Packets sent."),
    "vpp_interface_transmit_bytes_total": (COUNTER, "Bytes sent, without checksums of frames."),
    "vpp_interface_drops_total": (COUNTER, "Packets received on an interface and dropped."),
    "vpp_interface_punts_total": (COUNTER, "Packets received on an interface and handed to the host."),
    "vpp_interface_receive_missed_total": (COUNTER, "Packets that found no free descriptor in the NIC."),
    "vpp_interface_receive_no_buffer_total": (COUNTER, "Times that a driver found no free buffer."),
    "vpp_interface_receive_errors_total": (COUNTER, "Frames received with errors."),
    "vpp_interface_transmit_errors_total": (COUNTER, "Packets that could not be sent."),
    "vpp_receive_queue_info": (GAUGE, "Which thread polls a receive queue, and how."),
    "vpp_worker_receive_packets_total": (COUNTER, "Packets that a thread took from ports."),
    "vpp_worker_vectors_per_call": (
        GAUGE,
        "Packets per call of the graph between VPP's last two refreshes, cut to whole.",
    ),
    "vpp_worker_loops_per_second": (GAUGE, "Turns of a thread's main loop."),
    "vpp_worker_graph_calls_total": (COUNTER, "Calls of nodes that packets pass through, input nodes left out."),
    "vpp_worker_graph_vectors_total": (COUNTER, "Packets in those calls; over calls, 1 is idle and 256 full."),
    "vpp_node_calls_total": (COUNTER, "Calls of a node on a thread."),
    "vpp_node_vectors_total": (COUNTER, "Packets that passed a node on a thread."),
    "vpp_node_clocks_total": (COUNTER, "Ticks of the time stamp counter in a node on a thread."),
    "vpp_node_errors_total": (COUNTER, "What a node counted by reason, drops and others; there from the first on."),
    "vpp_buffers": (GAUGE, "Packet buffers of a pool by state."),
    "vpp_heap_size_bytes": (GAUGE, "Size of a heap."),
    "vpp_heap_used_bytes": (GAUGE, "Part of a heap that is in use."),
    "vpp_nat44_sessions": (GAUGE, "Sessions of NAT44 by thread."),
    "vpp_nat44_sessions_limit": (GAUGE, "Most sessions of NAT44 of one thread."),
    "vpp_nat44_packets_total": (COUNTER, "Packets that NAT44 translated or dropped, by direction, path and protocol."),
    "vpp_det44_sessions": (GAUGE, "Sessions of a map of DET44."),
    "vpp_det44_hosts": (GAUGE, "Addresses inside of a map of DET44; each may have 1,000 sessions."),
    "vpp_policer_rate_bytes": (GAUGE, "Rate of a policer, in bytes per second."),
    "vpp_policer_packets_total": (COUNTER, "Packets within the rate of a policer (conform), and above."),
    "vpp_policer_bytes_total": (COUNTER, "The same in bytes, from the IP header on where VPP routes."),
    "vpp_vrrp_state": (GAUGE, "Whether a virtual router is in a state: stopped, backup, master, interface-down."),
    "vpp_vrrp_priority": (GAUGE, "Priority of a virtual router now, without what tracked interfaces take off."),
    "vppcfg_metrics_read_timestamp_seconds": (GAUGE, "When VPP was read for these metrics, in Unix time."),
    "vppcfg_metrics_read_duration_seconds": (GAUGE, "How long that took."),
    "vppcfg_build_info": (GAUGE, "Version of vppcfg."),
}
"""Every metric of a router: its type, and what it means."""
MOST_POLICERS = 500
"""So many policers have series of their own; more are counted together by their rate's name."""
MOST_REASONS = 2000
"""So many pairs of node and reason have series of their own; what is more counts as node `other`."""
_OTHER = "other"
_PORT_KINDS = frozenset({"physical", "tap", "host-interface", "memif", "vhost-user"})
_OF_INTERFACES = ("-output", "-tx")
_COLUMNS = {
    "rx_packets": "receive_packets",
    "rx_bytes": "receive_bytes",
    "tx_packets": "transmit_packets",
    "tx_bytes": "transmit_bytes",
    "drops": "drops",
    "punts": "punts",
    "rx_miss": "receive_missed",
    "rx_no_buf": "receive_no_buffer",
    "rx_error": "receive_errors",
    "tx_error": "transmit_errors",
}


class RouterMetrics:
    """Writes one look after the other; a series that was there once ends only with its interface or with VPP."""

    def __init__(self, version: str) -> None:
        """`version` is that of vppcfg."""
        self._version = version
        self._reasons: dict[tuple[str, str], None] = {}

    def text(self, snapshot: RouterSnapshot) -> str:
        """Return the metrics of one look."""
        return "".join(f"{line}\n" for line in self._lines(snapshot))

    def _lines(self, snapshot: RouterSnapshot) -> Iterator[str]:
        counters = snapshot.counters
        yield from _one("vpp_up", counters is not None)
        yield from _one("vppcfg_metrics_read_timestamp_seconds", snapshot.taken_at_s)
        yield from _one("vppcfg_metrics_read_duration_seconds", snapshot.took_s)
        yield from _one("vppcfg_build_info", 1, (("version", self._version),))
        if counters is None:
            return
        if snapshot.version:
            yield from _one("vpp_info", 1, (("version", snapshot.version),))
        yield from _one("vpp_start_time_seconds", counters.boot_at_s)
        yield from _one("vpp_heartbeat_total", counters.heartbeat)
        yield from _one("vpp_refresh_timestamp_seconds", snapshot.refreshed_at_s)
        yield from _one("vpp_names_known", not snapshot.problem)
        yield from _interface_lines(snapshot.interfaces, counters)
        yield from _queue_lines(snapshot, counters)
        yield from _worker_lines(snapshot, counters)
        yield from _node_lines(counters)
        yield from self._error_lines(counters)
        yield from _resource_lines(counters)
        yield from _nat44_lines(counters)
        yield from _det44_lines(snapshot.det44_maps)
        yield from _policer_lines(snapshot.policers, counters)
        yield from _vrrp_lines(snapshot.virtual_routers)

    def _error_lines(self, counters: VppCounters) -> Iterator[str]:
        folded: Counter[tuple[str, str]] = Counter()
        interfaces = frozenset(counters.names)
        for key, count in counters.errors.items():
            node, _, reason = key.rpartition("/")
            if reason == NO_ERROR:
                continue
            pair = (_folded(node, interfaces), reason)
            if pair not in self._reasons and len(self._reasons) >= MOST_REASONS:
                pair = (_OTHER, _OTHER)
            self._reasons[pair] = None
            folded[pair] += count
        samples = (
            ((("node", node), ("reason", reason)), folded[node, reason]) for node, reason in sorted(self._reasons)
        )
        yield from _metric("vpp_node_errors_total", samples)


def _metric(name: str, samples: Iterable[tuple[Labels, float]]) -> Iterator[str]:
    kind, text = METRICS[name]
    return metric(name, kind, text, samples)


def _one(name: str, value: float, labels: Labels = ()) -> Iterator[str]:
    return _metric(name, [(labels, value)])


def _interface_lines(interfaces: Sequence[MonitoredInterface], counters: VppCounters) -> Iterator[str]:
    known = [each for each in interfaces if each.kind]
    yield from _metric("vpp_interface_info", ((_info(each), 1) for each in interfaces))
    labels = {each.index: label_text((("interface", each.name),)) for each in interfaces}
    states = {
        "vpp_interface_admin_up": [(each, float(each.is_up)) for each in known],
        "vpp_interface_link_up": [(each, float(each.has_link)) for each in known if not each.is_sub],
        "vpp_interface_speed_bytes": [(each, each.link_bps / 8) for each in known if each.link_bps and not each.is_sub],
    }
    for name, values in states.items():
        kind, text = METRICS[name]
        yield from labelled_metric(name, kind, text, [(labels[each.index], value) for each, value in values])
    for column, word in _COLUMNS.items():
        name = f"vpp_interface_{word}_total"
        kind, text = METRICS[name]
        row = counters.interfaces.get(column, ())
        samples = [(label, row[index] if index < len(row) else 0) for index, label in labels.items()]
        yield from labelled_metric(name, kind, text, samples)


def _info(each: MonitoredInterface) -> Labels:
    return (
        ("interface", each.name),
        ("lcp", each.lcp),
        ("description", each.description),
        ("vrf", each.vrf),
        ("kind", each.kind),
    )


def _queue_lines(snapshot: RouterSnapshot, counters: VppCounters) -> Iterator[str]:
    samples: list[tuple[Labels, float]] = [
        (
            (
                ("interface", each.interface),
                ("queue", str(each.queue)),
                ("worker", _thread_name(counters, each.thread)),
                ("mode", each.mode),
            ),
            1,
        )
        for each in snapshot.queues
    ]
    yield from _metric("vpp_receive_queue_info", samples)


def _worker_lines(snapshot: RouterSnapshot, counters: VppCounters) -> Iterator[str]:
    polled = {each.interface for each in snapshot.queues}
    ports = [
        each.index for each in snapshot.interfaces if each.name in polled or (not polled and each.kind in _PORT_KINDS)
    ]
    received = [sum(row[index] for index in ports if index < len(row)) for row in counters.received]
    yield from _by_worker("vpp_worker_receive_packets_total", counters, received)
    yield from _by_worker("vpp_worker_vectors_per_call", counters, counters.vector_rates)
    yield from _by_worker("vpp_worker_loops_per_second", counters, counters.loops_per_s)
    if counters.nodes is not None:
        graph = [node for name, node in counters.nodes.items() if not takes_from_devices(name) and any(node.vectors)]
        for name, kind in (("calls", "calls"), ("vectors", "vectors")):
            totals = [sum(column) for column in zip(*(getattr(node, kind) for node in graph), strict=True)]
            yield from _by_worker(f"vpp_worker_graph_{name}_total", counters, totals)


def _by_worker(name: str, counters: VppCounters, values: Sequence[float]) -> Iterator[str]:
    return _metric(name, (((("worker", _thread_name(counters, place)),), value) for place, value in enumerate(values)))


def _node_lines(counters: VppCounters) -> Iterator[str]:
    """Yield what nodes did on the threads that have run them."""
    interfaces = frozenset(counters.names)
    folded: dict[str, Counter[tuple[str, str]]] = {kind: Counter() for kind in ("calls", "vectors", "clocks")}
    for name, node in (counters.nodes or {}).items():
        label = _folded(name, interfaces)
        for thread, calls in enumerate(node.calls):
            if calls:
                pair = (label, _thread_name(counters, thread))
                folded["calls"][pair] += calls
                folded["vectors"][pair] += node.vectors[thread]
                folded["clocks"][pair] += node.clocks[thread]
    for kind, values in folded.items():
        samples = (((("node", node), ("worker", worker)), count) for (node, worker), count in sorted(values.items()))
        yield from _metric(f"vpp_node_{kind}_total", samples)


def _resource_lines(counters: VppCounters) -> Iterator[str]:
    buffers: list[tuple[Labels, float]] = [
        ((("pool", pool), ("state", state)), count)
        for pool, states in sorted(counters.buffers.items())
        for state, count in states.items()
    ]
    yield from _metric("vpp_buffers", buffers)
    for name, kind in (("vpp_heap_size_bytes", "total"), ("vpp_heap_used_bytes", "used")):
        yield from _metric(name, (((("heap", heap),), row[kind]) for heap, row in sorted(counters.heaps.items())))


def _nat44_lines(counters: VppCounters) -> Iterator[str]:
    if counters.nat44_sessions is None:
        return
    yield from _by_worker("vpp_nat44_sessions", counters, counters.nat44_sessions)
    yield from _one("vpp_nat44_sessions_limit", counters.nat44_limit or 0)
    samples: list[tuple[Labels, float]] = [
        ((("direction", direction), ("path", path), ("protocol", protocol)), count)
        for (direction, path, protocol), count in sorted(counters.nat44_packets.items())
    ]
    yield from _metric("vpp_nat44_packets_total", samples)


def _det44_lines(maps: Sequence[MonitoredDet44Map]) -> Iterator[str]:
    if maps:
        labels = [(("inside", each.inside), ("outside", each.outside)) for each in maps]
        yield from _metric("vpp_det44_sessions", zip(labels, (each.sessions for each in maps), strict=True))
        yield from _metric("vpp_det44_hosts", zip(labels, (each.hosts for each in maps), strict=True))


def _policer_lines(policers: Sequence[MonitoredPolicer], counters: VppCounters) -> Iterator[str]:
    """Yield what each policer let pass; with many of them, what those of a rate let pass together."""
    if not policers:
        return
    is_folded = len(policers) > MOST_POLICERS
    rates = {_policer_labels(each, is_folded=is_folded): each.rate_kbps * 125 for each in policers}
    yield from _metric("vpp_policer_rate_bytes", rates.items())
    for place, unit in enumerate(("packets", "bytes")):
        counts: Counter[Labels] = Counter()
        for each in policers:
            labels = _policer_labels(each, is_folded=is_folded)
            for result, column in counters.policers.items():
                word = "conform" if result == "conform" else "above"
                at = 2 * each.index + place
                counts[(*labels, ("result", word))] += column[at] if at < len(column) else 0
        yield from _metric(f"vpp_policer_{unit}_total", counts.items())


def _policer_labels(each: MonitoredPolicer, *, is_folded: bool) -> Labels:
    return (("policer", each.policer), ("user", "" if is_folded else each.user))


def _vrrp_lines(routers: Sequence[MonitoredVirtualRouter]) -> Iterator[str]:
    """Yield a series for each state, so that one that ends is 0 and not missing."""
    if routers:
        states = [
            ((*_vrrp_labels(each), ("state", state.value)), float(each.state == state.value))
            for each in routers
            for state in VrrpState
        ]
        yield from _metric("vpp_vrrp_state", states)
        yield from _metric("vpp_vrrp_priority", ((_vrrp_labels(each), each.priority) for each in routers))


def _vrrp_labels(router: MonitoredVirtualRouter) -> Labels:
    family = "ipv6" if router.is_ipv6 else "ipv4"
    return (("interface", router.interface), ("vr_id", str(router.vr_id)), ("family", family))


def _thread_name(counters: VppCounters, thread: int) -> str:
    return counters.threads[thread] if thread < len(counters.threads) else f"thread {thread}"


def _folded(node: str, interfaces: frozenset[str]) -> str:
    """Return the name of a node, one for all interfaces of those that each of them has."""
    for suffix in _OF_INTERFACES:
        if node.endswith(suffix) and node.removesuffix(suffix) in interfaces:
            return f"interface{suffix}"
    return node
