"""One load as the capacity model sees it: what each kind of node cost on the busiest worker."""

from __future__ import annotations

from collections.abc import Mapping

from vppcfg.errors import UsageError
from vppcfg.record import record
from vppcfg.tune.load import Load, NodeLoad, ThreadLoad
from vppcfg.tune.thresholds import BASE_FIT_HZ

OUTPUT = "PORT-output"
SENDING = "PORT-tx"
"""Nodes of ports count together: each port's carry a part of the packets."""


@record
class NodeCost:
    """What a kind of node did in a sample."""

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
    """A worker at one load."""

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
    """Return the sample of the busiest thread. Raise UsageError when the load cannot tell what packets cost."""
    if not load.forwarding:
        raise UsageError(f"{name}: no packets come in, so that nothing can be said about what they cost")
    if load.base_hz is None:
        raise UsageError(
            f"{name}: the rate of the time stamp counter is unknown", "add cpu.txt, the output of `show cpu`"
        )
    if load.base_hz < BASE_FIT_HZ:
        raise UsageError(
            f"{name}: its counter ticks {load.base_hz / 1e6:.0f} million times a second, too coarse for clocks per node"
        )
    thread = load.forwarding[0]
    return CostSample(
        name=name,
        base_hz=load.base_hz,
        duration_s=thread.table_duration_s,
        rx_packets=thread.rx_packets,
        n_graph=thread.n_graph,
        nodes=_kinds(thread, load.port_names),
    )


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
