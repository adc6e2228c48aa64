"""What a VPP did in an interval: counters of threads and ports as differences and rates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from vppcfg.common.rates import CHECKSUM_BYTES, SMALLEST_FRAME, line_rate_pps
from vppcfg.model.counters import takes_from_devices
from vppcfg.record import record
from vppcfg.tune.drop_reasons import DropReason, drop_reason
from vppcfg.tune.reading import ErrorCounter, Hardware, InterfaceCounters, PrintedRates, Reading, RxQueue, TxQueue
from vppcfg.tune.thresholds import FRAME

_MOST_PACKETS = 0.75
"""Ours: share of the busiest node's packets from which on a node is one that most packets pass."""
_DROPS_WHAT_IT_SENDS = re.compile(r"^(?:VirtualEthernet|tap|virtio|Bond)")


@record
class NodeLoad:
    """A node on one thread in an interval."""

    name: str
    calls: int
    vectors: int
    clocks: float
    state: str = ""
    suspends: int = 0
    clocks_error: float = 0.0

    @property
    def is_input(self) -> bool:
        """Return whether the node takes packets from a device."""
        return takes_from_devices(self.name)

    @property
    def vectors_per_call(self) -> float:
        """Return packets per call; for an input node, calls that found no packets count too."""
        return self.vectors / self.calls if self.calls else 0.0

    @property
    def clocks_per_packet(self) -> float:
        """Return ticks per packet; of a node without packets, 0."""
        return self.clocks / self.vectors if self.vectors else 0.0


@dataclass(frozen=True, kw_only=True)
class ThreadLoad:
    """A thread in an interval."""

    index: int
    name: str
    duration_s: float | None
    """What the rates are taken over; None when unknown, and then there are none."""
    nodes: tuple[NodeLoad, ...]
    lcore: int | None = None
    printed: PrintedRates | None = None
    vector_rate: float | None = None
    """Packets per call of the graph in the last seconds, by the header."""
    disagreement: float = 0.0
    """How far, as a share of it, the header's receive rate is from what the table gives; 0 below 3 %."""
    table_duration_s: float = 0.0
    is_known: bool = True
    """Whether anything shows which thread this is: a line that names it, or the processes of the main thread."""
    queues: int = 0
    """Receive queues that the thread polls, 0 when unknown."""

    @property
    def is_main(self) -> bool:
        """Return whether this is VPP's main thread."""
        return self.index == 0 and self.is_known

    @cached_property
    def by_name(self) -> Mapping[str, NodeLoad]:
        """Return the nodes by name."""
        return {node.name: node for node in self.nodes}

    @cached_property
    def inputs(self) -> tuple[NodeLoad, ...]:
        """Return the nodes that take packets from devices."""
        return tuple(node for node in self.nodes if node.is_input)

    @cached_property
    def graph(self) -> tuple[NodeLoad, ...]:
        """Return the nodes that packets pass through, input nodes left out."""
        return tuple(node for node in self.nodes if node.vectors and node.calls and not node.is_input)

    @property
    def is_fed_by_generator(self) -> bool:
        """Return whether all packets are those of the packet generator, which fills its vectors whatever the load."""
        return {node.name for node in self.inputs if node.vectors} == {"pg-input"}

    @cached_property
    def rx_packets(self) -> int:
        """Return the packets taken from devices."""
        return sum(node.vectors for node in self.inputs)

    @property
    def rx_pps(self) -> float:
        """Return packets taken from devices per second; where their rows are missing, what the header printed."""
        if self.rx_packets:
            return self.per_s(self.rx_packets)
        return self.printed.received_pps if self.printed else 0.0

    def per_s(self, packets: float) -> float:
        """Return a number of packets as a rate, 0 when nothing shows how long they took."""
        return packets / self.duration_s if self.duration_s else 0.0

    @cached_property
    def n_graph(self) -> float:
        """Return the mean vector of the graph: 1 is idle, 256 is full."""
        calls = sum(node.calls for node in self.graph)
        return sum(node.vectors for node in self.graph) / calls if calls else 0.0

    @cached_property
    def vectors(self) -> float:
        """Return the mean vector of the nodes that most packets pass, the fullest of them.

        Ports that packets are spread over have smaller ones, however full the thread is, and drops of many nodes come
        together. Where rows are missing it is what the header has, or full polls show.
        """
        most = max((node.vectors for node in self.graph), default=0)
        busy = [
            node.vectors_per_call
            for node in self.graph
            if node.vectors >= _MOST_PACKETS * most and not node.name.endswith("drop")
        ]
        return max(busy, default=max(self.vector_rate or 0.0, min(self.n_rx, FRAME)))

    @cached_property
    def n_rx(self) -> float:
        """Return packets per call of the busiest input node, 256 times the queues at most."""
        busy = [node.vectors_per_call for node in self.inputs if node.vectors]
        return max(busy, default=0.0)

    @cached_property
    def clocks_per_packet(self) -> float:
        """Return the ticks of all nodes per packet received, idle polls included."""
        total = sum(node.clocks for node in (*self.inputs, *self.graph))
        return total / self.rx_packets if self.rx_packets else 0.0

    @property
    def polls_per_s(self) -> float:
        """Return how often the busiest input node was called."""
        return self.per_s(max((node.calls for node in self.inputs), default=0))


@dataclass(frozen=True, kw_only=True)
class PortLoad:
    """A port in an interval. A rate is None when no counter shows it."""

    name: str
    rx_pps: float | None = None
    tx_pps: float | None = None
    """What was sent."""
    handed_pps: float | None = None
    """What the graph handed to the port."""
    tx_lost: float = 0.0
    """Packets handed to the port and not sent."""
    tx_lost_pps: float = 0.0
    rx_miss_pps: float | None = None
    no_buf_pps: float | None = None
    rx_error_pps: float | None = None
    tx_error_pps: float | None = None
    drops_pps: float | None = None
    punts_pps: float | None = None
    driver_lost_pps: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    """What the driver counts as lost, by direction: the name of its counter, and packets per second."""
    rx_frame: float | None = None
    """Mean size of received frames in bytes with checksum."""
    tx_frame: float | None = None
    mtu: int | None = None
    counters: InterfaceCounters | None = None
    """What its interface had counted at the last reading, since VPP began or the counters were cleared."""
    hardware: Hardware | None = None
    rx_queues: tuple[RxQueue, ...] = ()
    tx_queues: tuple[TxQueue, ...] = ()
    rx_is_inferred: bool = False
    """Whether `rx_pps` follows from the other ports."""

    @property
    def link_bps(self) -> int | None:
        """Return the speed of the link."""
        return self.hardware.link_bps if self.hardware else None

    @property
    def drops_of(self) -> int:
        """Return the packets that its counter `drops` is a part of.

        Those are what it received, and what it was to send too where a driver counts as a drop what it could not send
        (plugins/vhost/vhost_user_output.c, plugins/tap/tx_node.c, vnet/devices/virtio/device.c, vnet/bonding/device.c).
        """
        if self.counters is None:
            return 0
        sent = self.counters.tx_packets if _DROPS_WHAT_IT_SENDS.match(self.name) else 0
        return self.counters.rx_packets + sent

    @property
    def tx_deficit(self) -> float:
        """Return the share of packets handed to the port that was not sent; nodes and errors are read in turn."""
        handed = self.handed_pps or 0.0
        return min(self.tx_lost_pps / handed, 1.0) if handed else 0.0

    def line_pps(self, frame: float | None) -> float | None:
        """Return the line rate in packets per second for a frame size, by default the smallest one.

        None means that the speed of the link is unknown.
        """
        return line_rate_pps(self.link_bps, max(frame or 0, SMALLEST_FRAME)) if self.link_bps else None


@record
class ErrorRate:
    """How often a node counted an error in the interval; since VPP began when there is one reading only."""

    node: str
    reason: str
    count: int
    per_s: float | None
    severity: str = ""


@dataclass(frozen=True, kw_only=True)
class Load:
    """What a VPP did between two readings, or in the time that one reading of `show runtime` covers."""

    reading: Reading
    """The last one."""
    duration_s: float | None
    """Between the readings; None for one reading."""
    former: Reading | None = field(default=None, repr=False)
    """The first one, None when there is one only."""
    threads: tuple[ThreadLoad, ...] = ()
    ports: tuple[PortLoad, ...] = ()
    errors: tuple[ErrorRate, ...] = ()
    remarks: tuple[str, ...] = ()
    steps: tuple[Load, ...] = field(default=(), repr=False)
    """The same for each pair of readings in a row, when there are more than two."""

    @cached_property
    def workers(self) -> tuple[ThreadLoad, ...]:
        """Return the threads other than the main one."""
        return tuple(thread for thread in self.threads if not thread.is_main)

    @cached_property
    def forwarding(self) -> tuple[ThreadLoad, ...]:
        """Return the threads that take packets, busiest first."""
        busy = [thread for thread in self.threads if thread.rx_packets or thread.rx_pps]
        return tuple(sorted(busy, key=lambda thread: (-thread.rx_pps, thread.index)))

    @cached_property
    def port_names(self) -> tuple[str, ...]:
        """Return the names of the ports."""
        return tuple(port.name for port in self.ports)

    @cached_property
    def rx_pps(self) -> float:
        """Return packets taken from devices per second by all threads."""
        return sum(thread.rx_pps for thread in self.threads)

    @property
    def base_hz(self) -> float | None:
        """Return the rate of the time stamp counter."""
        return self.reading.cpu.base_hz if self.reading.cpu else None

    @property
    def covered_s(self) -> float | None:
        """Return how long the counters of nodes cover."""
        return max((thread.duration_s for thread in self.threads if thread.duration_s), default=None)

    @cached_property
    def drops(self) -> Mapping[DropReason, tuple[ErrorRate, ...]]:
        """Return the counters that count drops by their reason, largest first."""
        found: dict[DropReason, tuple[ErrorRate, ...]] = {}
        for rate in self.errors:
            why = drop_reason(rate.node, rate.reason, rate.severity)
            if why is not None:
                found[why] = (*found.get(why, ()), rate)
        return found

    def queues(self) -> tuple[RxQueue, ...]:
        """Return all receive queues."""
        return tuple(queue for port in self.ports for queue in port.rx_queues)


def errors_by_key(counters: Iterable[ErrorCounter]) -> dict[tuple[str, str], int]:
    """Return counts by node and reason."""
    return {(counter.node, counter.reason): counter.count for counter in counters}


def frame_size(packets: float, octets: float) -> float | None:
    """Return the mean frame size in bytes with its checksum, which VPP does not count; None without packets."""
    return octets / packets + CHECKSUM_BYTES if packets else None
