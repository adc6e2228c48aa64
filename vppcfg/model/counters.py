"""One reading of a VPP's counters, from its stats segment: columns by sw_if_index, and by thread.

All counters count from VPP's start, or since they were cleared. Rates come from two readings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from vppcfg.record import record

INTERFACE_COUNTERS = (
    "rx_packets",
    "rx_bytes",
    "tx_packets",
    "tx_bytes",
    "drops",
    "punts",
    "rx_miss",
    "rx_no_buf",
    "rx_error",
    "tx_error",
)
"""What VPP counts of each interface."""
INPUT_NODES = frozenset(
    {
        "dpdk-input", "af-packet-input", "af-xdp-input", "memif-input", "virtio-input", "vmxnet3-input", "avf-input",
        "rdma-input", "tap-input", "vhost-user-input", "pg-input", "netmap-input", "tuntap-rx", "ena-input",
    }
)  # fmt: skip
"""Nodes that take packets from devices; those of VPP's own drivers are called PORT-rx."""

NO_ERROR = "no error"
"""The reason under which nodes count packets that went on."""


@record
class NodeTotals:
    """A graph node, by thread."""

    calls: tuple[int, ...]
    vectors: tuple[int, ...]
    clocks: tuple[int, ...]
    suspends: tuple[int, ...]


@record
class VppCounters:
    """One reading."""

    clock_s: float
    """When it was taken, by a clock that never goes back."""
    boot_at_s: int = 0
    """When VPP started, in Unix seconds; 0 when it does not report it."""
    heartbeat: int = 0
    """How often VPP has refreshed what is not up to date at any time: nodes, memory, rates of workers."""
    threads: tuple[str, ...] = ("vpp_main",)
    names: Sequence[str] = ()
    """Names of interfaces as they were created, by sw_if_index; '' where there is none."""
    interfaces: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """By the names of INTERFACE_COUNTERS and then by sw_if_index."""
    received: Sequence[Sequence[int]] = ()
    """Packets received, by thread and sw_if_index."""
    vector_rates: tuple[int, ...] = ()
    """Packets per call of internal nodes between the last two refreshes, whole numbers, by thread."""
    loops_per_s: tuple[int, ...] = ()
    """Turns of the main loop, by thread."""
    nodes: Mapping[str, NodeTotals] | None = None
    """Nodes that have run; None where VPP does not count them (`statseg { per-node-counters on }`)."""
    nodes_time_s: float | None = None
    """What the counters of nodes cover."""
    errors: Mapping[str, int] = field(default_factory=dict)
    """By NODE/REASON, those that are not 0."""
    buffers: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """By pool: available, cached, used."""
    heaps: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """By heap: total, used, in bytes."""
    nat44_sessions: tuple[int, ...] | None = None
    """By thread; None without NAT44."""
    nat44_limit: int | None = None
    """Most sessions per thread."""
    nat44_packets: Mapping[tuple[str, str, str], int] = field(default_factory=dict)
    """By direction, path and protocol."""
    policers: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """By result: conform, exceed, violate; of each policer by its index packets and bytes, one behind the other."""

    def of_interface(self, counter: str, index: int) -> int:
        """Return what is counted of an interface, 0 beyond the end: VPP makes vectors longer as it goes."""
        column = self.interfaces.get(counter, ())
        return column[index] if index < len(column) else 0


def takes_from_devices(node: str) -> bool:
    """Return whether a node takes packets from devices; its calls that find none count too."""
    return node in INPUT_NODES or node.endswith("-rx")
