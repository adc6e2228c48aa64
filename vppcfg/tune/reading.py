"""A reading of a VPP: its counters and its hardware at one time. A part that was not read is None.

All counters are totals since a VPP began to count, or since `clear runtime` for those of nodes; rates come later.
"""

from __future__ import annotations

from vppcfg.record import record


@record
class NodeCounters:
    """A graph node on one thread."""

    name: str
    calls: int
    vectors: int
    clocks: float
    """Ticks of the time stamp counter in total."""
    state: str = ""
    """As printed; empty where the source does not show it."""
    suspends: int = 0
    clocks_error: float = 0.0
    """Relative error of `clocks`: printed figures have three digits."""


@record
class PrintedRates:
    """The line `vector rates in ...` of `show runtime`, in packets per second."""

    received_pps: float
    sent_pps: float
    dropped_pps: float
    punted_pps: float


@record
class ThreadCounters:
    """One thread of VPP; thread 0 is the main thread."""

    index: int
    name: str
    lcore: int | None = None
    time_s: float | None = None
    """What the counters of the nodes cover."""
    clock_s: float | None = None
    """When they were read, by a clock that goes on from reading to reading; finer than `time_s`."""
    loops_per_s: float | None = None
    vector_rate: float | None = None
    """Packets per call of the graph in the last seconds, as printed in the header."""
    printed: PrintedRates | None = None
    nodes: tuple[NodeCounters, ...] = ()
    is_named: bool = True
    """Whether a line names the thread; a VPP without workers prints none."""
    is_whole: bool = True
    """Whether the table is known to end where it ends; the last one of a text may have been cut."""


@record
class ErrorCounter:
    """A counter of a node, errors or not, summed over threads."""

    node: str
    reason: str
    count: int
    severity: str = ""
    """As printed; VPP 20.09 and older and the stats segment have none."""


@record
class InterfaceCounters:
    """An interface's counters since VPP began; those that VPP leaves out when they are 0 are 0."""

    name: str
    rx_packets: int = 0
    rx_bytes: int | None = 0
    tx_packets: int = 0
    tx_bytes: int | None = 0
    """None for bytes that may have been cut."""
    drops: int = 0
    punts: int = 0
    rx_miss: int = 0
    rx_no_buf: int = 0
    rx_error: int = 0
    tx_error: int = 0
    rx_by_thread: tuple[int, ...] = ()
    """The received packets by the thread that took them; empty when unknown."""
    mtu: int | None = None
    is_up: bool | None = None
    is_failed: bool = False
    """Whether VPP could not set the port up: its state is `error`."""
    is_whole: bool = True
    """Whether all of its counters are there; those of the last interface of a text may have been cut."""


@record
class QueueLimits:
    """Queues and descriptors of one direction of a port, as the dpdk plugin or VPP's own drivers print them."""

    queues: int
    max_queues: int
    descriptors: int
    min_descriptors: int
    max_descriptors: int
    align: int


@record
class RxQueue:
    """A receive queue and the thread that polls it."""

    interface: str
    queue: int
    thread: int
    mode: str
    """polling, interrupt or adaptive; `unknown` where the source does not show it."""


@record
class TxQueue:
    """A transmit queue and the threads that send on it."""

    interface: str
    queue: int
    threads: tuple[int, ...]
    is_shared: bool


@record
class Hardware:
    """A port as `show hardware-interfaces` describes it."""

    name: str
    is_up: bool
    link_bps: int | None = None
    driver: str = ""
    """The line that names the driver, such as `Intel e1000`."""
    rx_queues: tuple[RxQueue, ...] = ()
    tx_queues: tuple[TxQueue, ...] = ()
    rx_limits: QueueLimits | None = None
    tx_limits: QueueLimits | None = None
    pci_address: str | None = None
    pci_id: str | None = None
    numa: int | None = None
    max_frame: int | None = None
    rss_active: str | None = None
    tx_burst: str | None = None
    rx_burst: str | None = None
    tx_offloads: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    counters: tuple[tuple[str, int], ...] = ()
    """What the driver counts, such as `rx missed`; those of 0 are not printed."""
    is_whole: bool = True
    """Whether all that is printed about the port is there; the last port of a text may have been cut."""
    has_errors: bool = False
    """Whether the driver reports that setting the port up failed."""
    native_driver: str = ""
    """VPP's own driver of a device below `devices`, such as `iavf`; '' when the port is none of them."""


@record
class BufferPool:
    """The packet buffers of one NUMA node."""

    name: str
    total: int
    available: int
    cached: int
    used: int
    numa: int | None = None
    data_size: int | None = None
    """Bytes of packet in a buffer."""


@record
class Heap:
    """A heap of VPP, such as `main heap` and `stat segment`."""

    name: str
    total_bytes: int
    used_bytes: int


@record
class Processor:
    """The processor, as `show cpu` prints it."""

    model: str
    base_hz: float | None
    """The rate of the time stamp counter, which clocks are counted in."""


@record
class PciDevice:
    """A row of `show pci`."""

    address: str
    gt_per_s: float | None
    width: int | None
    socket: int | None = None
    pci_id: str = ""
    driver: str = ""


@record
class ThreadPlace:
    """Where a thread of VPP runs."""

    index: int
    name: str
    cpu: int | None
    socket: int | None = None


@record
class HostFacts:
    """What the kernel reports about the CPUs that VPP's threads run on; empty parts are unknown."""

    isolated: frozenset[int] | None = None
    siblings: tuple[frozenset[int], ...] = ()
    """Groups of hyper-threads that share a core."""
    sockets: tuple[tuple[int, int], ...] = ()
    """CPU and its NUMA node."""
    governors: tuple[tuple[int, str], ...] = ()
    frequencies_khz: tuple[tuple[int, int, int], ...] = ()
    """CPU, present and largest frequency."""
    pci_links: tuple[tuple[str, float, int, float, int], ...] = ()
    """Address, GT/s and lanes in use, GT/s and lanes that device and slot could do."""
    preemptions: tuple[tuple[str, int], ...] = ()
    """Thread name and how often it was taken off its CPU against its will between the readings."""


@record
class Reading:
    """Everything that one look at a VPP found."""

    taken_s: float | None = None
    """When the interface and error counters were read, in seconds of some clock."""
    version: str | None = None
    threads: tuple[ThreadCounters, ...] | None = None
    max_vectors: tuple[tuple[int, str, int], ...] = ()
    """Thread, node and the largest vector, from `show runtime max`."""
    errors: tuple[ErrorCounter, ...] | None = None
    interfaces: tuple[InterfaceCounters, ...] | None = None
    hardware: tuple[Hardware, ...] | None = None
    rx_queues: tuple[RxQueue, ...] | None = None
    tx_queues: tuple[TxQueue, ...] | None = None
    buffers: tuple[BufferPool, ...] | None = None
    heaps: tuple[Heap, ...] | None = None
    cpu: Processor | None = None
    pci: tuple[PciDevice, ...] | None = None
    places: tuple[ThreadPlace, ...] | None = None
    is_tracing: bool | None = None
    is_debug_build: bool = False
    """Whether a prompt shows that the image was built for debugging."""
    host: HostFacts | None = None
    sources: tuple[tuple[str, str], ...] = ()
    """Which part came from where, for evidence."""
    open_parts: frozenset[str] = frozenset()
    """Parts read from texts that may have been cut: nothing shows that their last line is the last one."""
    remarks: tuple[str, ...] = ()
    """What could not be read, and what follows from that."""

    def is_closed(self, part: str) -> bool:
        """Return whether a part is known to be whole."""
        return part not in self.open_parts

    def source(self, part: str) -> str:
        """Return the name of the source that a part was read from."""
        return dict(self.sources).get(part, "the reading")
