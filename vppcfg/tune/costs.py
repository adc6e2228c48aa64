"""Computes the CPU clocks that graph nodes take on the busiest worker: measured at one load, and fitted over several.

VPP counts calls, packets and clocks, so the accounting is exactly linear. Two samples give what a call and what a
packet costs in a node; more give a least-squares fit and an idea of its error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import ceil, sqrt

from vppcfg.errors import UsageError
from vppcfg.record import record
from vppcfg.tune.load import Load, NodeLoad, ThreadLoad
from vppcfg.tune.thresholds import BASE_FIT_HZ

OUTPUT = "PORT-output"
SENDING = "PORT-tx"
"""Nodes of ports count together: each port's carry a part of the packets."""
_VIRTUAL_INPUTS = frozenset(
    {"af-packet-input", "af-xdp-input", "memif-input", "virtio-input", "vmxnet3-input", "tap-input", "tuntap-rx",
     "vhost-user-input", "netmap-input", "pg-input"}
)  # fmt: skip
_VIRTUAL_PORT = re.compile(r"^(?:host-|memif|tap|tun|virtio|vmxnet3-|VirtualEthernet|pg)")
_VIRTUAL_DRIVER = re.compile(r"vmxnet3|virtio|Linux PACKET|memif|tap", re.IGNORECASE)
_FALLING = 0.05
"""Ours: clocks in total that fall by more than this share while the load grows are not those of work."""
_SINGULAR = 1e-12
_ALIKE = 0.05
"""Ours: calls per packet that differ by less than this share cannot be distinguished from noise."""
ENTRY = "ethernet-input"
"""The node behind input nodes: it is called once for each port that had packets."""


@record
class NodeCost:
    """Calls, packets and clocks of one kind of node in a sample."""

    calls: int
    vectors: int
    clocks: float
    is_input: bool

    @property
    def per_packet(self) -> float:
        """Return clocks for each packet that passed the node."""
        return self.clocks / self.vectors if self.vectors else 0.0


@record
class CostSample:
    """What each kind of node cost on the busiest worker at one load."""

    name: str
    base_hz: float
    duration_s: float
    rx_packets: int
    n_graph: float
    nodes: Mapping[str, NodeCost]

    @property
    def rx_pps(self) -> float:
        """Return packets per second."""
        return self.rx_packets / self.duration_s

    @property
    def clocks_per_packet(self) -> float:
        """Return the clocks of all nodes per packet received."""
        return sum(node.clocks for node in self.nodes.values()) / self.rx_packets

    @property
    def polls(self) -> int:
        """Return how often the input nodes were called, the busiest one that is."""
        return max((node.calls for node in self.nodes.values() if node.is_input), default=0)

    @property
    def share_used(self) -> float:
        """Return the part of the worker's time that its nodes account for, idle polls included."""
        return self.clocks_per_packet * self.rx_pps / self.base_hz

    @property
    def rest_per_poll(self) -> float:
        """Return the clocks per turn of the worker's loop that no node accounts for."""
        return max(1 - self.share_used, 0.0) * self.base_hz * self.duration_s / self.polls if self.polls else 0.0

    @property
    def graph(self) -> Mapping[str, NodeCost]:
        """Return the nodes that are not input nodes."""
        return {name: node for name, node in self.nodes.items() if not node.is_input}


def sample_of(load: Load, name: str) -> CostSample:
    """Return the sample of the busiest thread of a load, called `name`.

    Raise UsageError when no packets come in, or when the clock is unknown or too coarse.
    """
    if not load.forwarding:
        raise UsageError(f"{name}: no packets come in, so their cost is unknown")
    if load.base_hz is None:
        raise UsageError(
            f"{name}: the rate of the time stamp counter is unknown", "add cpu.txt, the output of `show cpu`"
        )
    if load.base_hz < BASE_FIT_HZ:
        raise UsageError(
            f"{name}: its counter ticks {load.base_hz / 1e6:.0f} million times a second, too coarse for clocks per node"
        )
    thread = load.forwarding[0]
    if not thread.rx_packets:
        raise UsageError(
            f"{name}: no node of {thread.name} takes packets from a device, though packets come in",
            "give the whole output of `show runtime`",
        )
    require_time(thread, name)
    waiting = _waiting_nodes(load, thread)
    if waiting:
        raise UsageError(
            f"{name}: packets pass {', '.join(waiting)}, whose clocks are mostly waiting",
            "measure with packets that come in and leave through NICs",
        )
    nodes = _kinds(thread, load.port_names)
    if not any(node.clocks for node in nodes.values()):
        raise UsageError(
            f"{name}: the clocks that nodes took are missing",
            "give the whole output of `show runtime`, with the column `Clocks` or `Packet-Clocks`",
        )
    return CostSample(
        name=name,
        base_hz=load.base_hz,
        duration_s=thread.table_duration_s,
        rx_packets=thread.rx_packets,
        n_graph=thread.n_graph,
        nodes=nodes,
    )


def require_time(thread: ThreadLoad, name: str) -> None:
    """Raise UsageError when nothing in `name` shows how long the packets of a thread took."""
    if not thread.table_duration_s:
        raise UsageError(
            f"{name}: how long {thread.name} took for its packets is missing",
            "give the whole output of `show runtime`, with the lines that begin with `Time`",
        )


def _waiting_nodes(load: Load, thread: ThreadLoad) -> list[str]:
    """Return the nodes of virtual ports that packets pass, which wait for the kernel or for another process."""
    virtual = {port.name for port in load.ports if port.hardware and _VIRTUAL_DRIVER.search(port.hardware.driver)}

    def is_waiting(node: str) -> bool:
        port = node.removesuffix("-tx")
        return node in _VIRTUAL_INPUTS or (port != node and (port in virtual or bool(_VIRTUAL_PORT.match(port))))

    return [node.name for node in (*thread.inputs, *thread.graph) if node.vectors and is_waiting(node.name)]


def _kinds(thread: ThreadLoad, ports: tuple[str, ...]) -> dict[str, NodeCost]:
    kinds: dict[str, NodeCost] = {}
    outputs, senders = {f"{port}-output" for port in ports}, {f"{port}-tx" for port in ports}
    for node in (*thread.inputs, *thread.graph):
        if not node.vectors:
            continue
        kind = OUTPUT if node.name in outputs else SENDING if node.name in senders else node.name
        kinds[kind] = _sum(kinds.get(kind), node)
    return kinds


def _sum(former: NodeCost | None, node: NodeLoad) -> NodeCost:
    return NodeCost(
        calls=node.calls + (former.calls if former else 0),
        vectors=node.vectors + (former.vectors if former else 0),
        clocks=node.clocks + (former.clocks if former else 0.0),
        is_input=node.is_input,
    )


@record
class NodeFit:
    """The fitted cost of a node per call and per packet, and how far the samples are from the fit."""

    name: str
    per_call: float
    per_packet: float
    weight: float
    """Packets that pass the node for each packet received, on average over the samples."""
    is_input: bool
    error: float
    """Relative, of the samples around the line; 0 for two samples, which lie on it."""

    def clocks(self, calls_per_packet: float) -> float:
        """Return clocks per packet at so many calls per packet."""
        return self.per_call * calls_per_packet + self.per_packet


def fit_nodes(samples: Sequence[CostSample]) -> tuple[NodeFit, ...]:
    """Return the fit of every node that all samples have, the costliest first.

    Raise UsageError when the samples are fewer than two, too much alike, or of different CPUs.
    """
    names = set.intersection(*(set(sample.nodes) for sample in samples))
    if len(samples) < 2 or not names:
        raise UsageError("a fit needs two samples of the same path at different loads", "give --from twice or more")
    hertz = {sample.base_hz for sample in samples}
    if max(hertz) > 1.02 * min(hertz):
        raise UsageError("the samples are of different CPUs: their clocks are not comparable")
    by_load = sorted(samples, key=lambda sample: sample.rx_pps)
    for less, more in pairwise(by_load):
        if more.share_used < (1 - _FALLING) * less.share_used:
            raise UsageError(
                f"{more.name} takes fewer clocks in total than {less.name} at a lower load: they are not those of work",
                "take both samples of the same path, with a worker that polls",
            )
    fits = [_node_fit(name, samples) for name in names]
    return tuple(sorted(fits, key=lambda fit: (-fit.per_packet * fit.weight, fit.name)))


def _node_fit(name: str, samples: Sequence[CostSample]) -> NodeFit:
    costs = [sample.nodes[name] for sample in samples]
    calls = [cost.calls / cost.vectors for cost in costs]
    clocks = [cost.per_packet for cost in costs]
    per_call, per_packet = _costs(name, calls, clocks)
    misses = [per_call * x + per_packet - y for x, y in zip(calls, clocks, strict=True)]
    spare = len(samples) - 2
    deviation = sqrt(sum(miss * miss for miss in misses) / spare) if spare else 0.0
    return NodeFit(
        name=name,
        per_call=per_call,
        per_packet=per_packet,
        weight=sum(_weight(cost, sample) for cost, sample in zip(costs, samples, strict=True)) / len(samples),
        is_input=costs[0].is_input,
        error=deviation / (sum(clocks) / len(clocks)) if spare else 0.0,
    )


def _weight(cost: NodeCost, sample: CostSample) -> float:
    return cost.vectors / sample.rx_packets


def _costs(name: str, calls: list[float], clocks: list[float]) -> tuple[float, float]:
    """Return the cost per call and per packet.

    A negative one is noise: it counts as 0, and the other one explains everything.
    """
    if max(calls) - min(calls) < _ALIKE * max(calls):
        raise UsageError(
            f"the samples are too much alike: {name} has the same packets per call in all of them",
            "take one sample at a low and one at a high load",
        )
    per_call, per_packet = least_squares([(x, 1.0) for x in calls], clocks)
    if per_call < 0:
        return 0.0, sum(clocks) / len(clocks)
    if per_packet < 0:
        return least_squares([(x,) for x in calls], clocks)[0], 0.0
    return per_call, per_packet


@record
class PollCost:
    """The clocks that an input node takes for a poll without packets, for one with packets, and per packet."""

    per_empty_poll: float
    per_full_poll: float
    per_packet: float


@record
class TimeUse:
    """The shares of a worker's time that go into empty polls, into work, and into neither."""

    empty_polls: float
    work: float
    rest: float


def fraction_with_packets(sample: CostSample) -> float:
    """Return the share of polls that found packets, on average over the ports that had any."""
    entry = sample.nodes.get(ENTRY)
    if entry is None or not sample.polls:
        return 1.0
    ratio = entry.calls / sample.polls
    return ratio / max(ceil(ratio), 1)


def poll_cost(samples: Sequence[CostSample]) -> PollCost:
    """Return the costs of polls from three samples or more. Raise ValueError when they do not determine them."""
    if len(samples) < 3:
        raise ValueError("three samples at different loads separate idle polls from work")
    rows, values = [], []
    for sample in samples:
        node = next(node for node in sample.nodes.values() if node.is_input)
        full = fraction_with_packets(sample) * node.calls
        rows.append(((node.calls - full) / node.vectors, full / node.vectors, 1.0))
        values.append(node.per_packet)
    empty, full_poll, packet = least_squares(rows, values)
    if min(empty, full_poll, packet) < 0:
        raise ValueError("the samples contradict each other: a cost would be negative")
    return PollCost(per_empty_poll=empty, per_full_poll=full_poll, per_packet=packet)


def time_use(sample: CostSample, cost: PollCost) -> TimeUse:
    """Return the shares of a worker's time in a sample, computed with the costs of polls."""
    clocks = sample.base_hz * sample.duration_s
    empty = (1 - fraction_with_packets(sample)) * sample.polls * cost.per_empty_poll / clocks
    return TimeUse(empty_polls=empty, work=sample.share_used - empty, rest=1 - sample.share_used)


def least_squares(rows: Sequence[Sequence[float]], values: Sequence[float]) -> tuple[float, ...]:
    """Return the x for which rows * x comes closest to values. Raise ValueError when there is no single one."""
    unknowns = len(rows[0])
    square = [[sum(row[i] * row[j] for row in rows) for j in range(unknowns)] for i in range(unknowns)]
    right = [sum(row[i] * value for row, value in zip(rows, values, strict=True)) for i in range(unknowns)]
    return _solved(square, right)


def _solved(square: list[list[float]], right: list[float]) -> tuple[float, ...]:
    """Solve a square system by elimination, each time with the largest pivot of its own scale."""
    size = len(right)
    scales = [max(abs(value) for value in row) or 1.0 for row in square]
    rows = [[*(value / scale for value in row), right[i] / scale]
            for i, (row, scale) in enumerate(zip(square, scales, strict=True))]  # fmt: skip
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(rows[row][column]))
        if abs(rows[pivot][column]) < _SINGULAR:
            raise ValueError("the samples are too much alike")
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for row in range(size):
            if row != column:
                factor = rows[row][column] / rows[column][column]
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[column], strict=True)]
    return tuple(rows[i][size] / rows[i][i] for i in range(size))
