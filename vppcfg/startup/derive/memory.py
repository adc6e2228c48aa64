"""Computes the memory that VPP needs: buffers, heap, statistics segment, and the hugepages that they stand on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from vppcfg.common.numbers import GIB, KIB, MIB, numbered, round_up, size_text
from vppcfg.common.release import Release
from vppcfg.entries.configuration import Configuration
from vppcfg.model.dataplane import DataplaneSection
from vppcfg.model.host import Host
from vppcfg.model.nat44 import USUAL_SESSIONS, memory_bytes
from vppcfg.startup.settings import Device, Ledger, Memory, Placement, ValueOrigin

BUFFERS_SINCE_PER_NODE = Release(24, 10)
"""First release with `numa N { buffers M }` (vlib/buffer.c)."""
FRAME = 256
"""Packets that a node hands on at once (vlib/node.h)."""
THREAD_CACHE = 512
"""Buffers that a thread keeps for itself (vlib/buffer.h)."""
TAP_RING = 256
"""Descriptors per direction of an LCP's TAP (plugins/linux-cp/lcp_interface.c)."""
FEWEST_BUFFERS = 16384
"""VPP's default (vlib/buffer.c)."""
HUGE_HEAP_ROUTES = 500_000
"""From here on the heap stands on hugepages, for the sake of the TLB."""
BYTES_PER_ROUTE = 463
"""Of the main heap, measured with a million IPv4 routes."""
HEAP_BASE_BYTES = 512 * MIB
EAL_BYTES_PER_NODE = 16 * MIB
"""What DPDK itself takes (plugins/dpdk/device/init.c)."""
_STEP_BYTES = 2 * MIB
"""Buffers come in numbers that fill the usual hugepage."""
_HUGE_STATSEG_BYTES = 128 * MIB
_MBUF_BYTES, _HEADER_BYTES, _CACHE_LINE = 192, 256, 64
_ACL_BYTES = 64 * MIB


def buffer_bytes(data_size: int, *, has_dpdk: bool) -> int:
    """Return the memory of one buffer: headers and data, an odd number of cache lines (vlib/buffer.c)."""
    return round_up((_MBUF_BYTES if has_dpdk else 0) + _HEADER_BYTES + data_size, _CACHE_LINE) | _CACHE_LINE


def reserves_by_node(host: Host) -> bool:
    """Return whether the kernel takes hugepages of each node from its command line, as Linux does from 5.16 on."""
    return host.has_kernel(5, 16)


def pages_for(buffers: int, per_page: int) -> int:
    """Return how many pages a pool of buffers takes (vlib/buffer.c)."""
    return -(-buffers // per_page)


def size_memory(
    configuration: Configuration,
    section: DataplaneSection,
    host: Host,
    placement: Placement,
    devices: Sequence[Device],
    release: Release,
    ledger: Ledger,
) -> Memory:
    """Return heaps, buffers and hugepages."""
    sizer = _Sizer(configuration, section, host, placement, devices, ledger)
    needs = sizer.buffer_needs()
    heap, is_heap_huge = sizer.main_heap()
    statseg, is_statseg_huge = sizer.statseg()
    buffers = max(needs.values()) if section.buffers.per_numa is None else section.buffers.per_numa
    differs = section.buffers.per_numa is None and release >= BUFFERS_SINCE_PER_NODE
    buffers_of = {node: need for node, need in needs.items() if differs and need != buffers}
    huge_bytes = (heap if is_heap_huge else 0, statseg if is_statseg_huge else 0)
    per_node = {node: buffers_of.get(node, buffers) for node in needs}
    computed = sizer.hugepages(per_node, huge_bytes)
    return Memory(
        main_heap_bytes=heap,
        is_heap_huge=is_heap_huge,
        statseg_bytes=statseg,
        is_statseg_huge=is_statseg_huge,
        data_size=section.buffers.data_size,
        buffers=buffers,
        buffers_of=buffers_of,
        hugepage_bytes=sizer.page_bytes,
        hugepages=sizer.chosen_hugepages(computed),
        need={**sizer.needs, "hugepages": sum(computed.values())},
    )


class _Sizer:
    def __init__(
        self,
        configuration: Configuration,
        section: DataplaneSection,
        host: Host,
        placement: Placement,
        devices: Sequence[Device],
        ledger: Ledger,
    ) -> None:
        self._configuration = configuration
        self._section = section
        self._host = host
        self._placement = placement
        self._devices = devices
        self._ledger = ledger
        self.needs: dict[str, int] = {}
        self.page_bytes = self._page_bytes()
        self._has_dpdk = any(device.driver is None for device in devices)
        self._buffer_bytes = buffer_bytes(section.buffers.data_size, has_dpdk=self._has_dpdk)
        self._per_page = max(1, self.page_bytes // self._buffer_bytes)
        self._step = max(1, _STEP_BYTES // self._buffer_bytes)

    def _page_bytes(self) -> int:
        required = self._section.memory.hugepage_bytes
        size = required or self._host.default_hugepage_bytes or 2 * MIB
        origin = ValueOrigin.FILE if required else ValueOrigin.HOST
        reason = "set in the file" if required else "the kernel's default size"
        self._ledger.add("memory.hugepage-size", size_text(size), origin, reason)
        return size

    # Buffers

    def buffer_needs(self) -> dict[int, int]:
        """Return the buffers that each node with memory needs, and explain them."""
        needs = {node: self._buffer_need(node) for node in self._host.node_ids}
        self.needs["buffers-floor"] = max(floor for floor, _, _ in needs.values())
        self.needs["buffers"] = max(number for _, number, _ in needs.values())
        if self._section.buffers.per_numa is not None:
            self._ledger.add("buffers.per-numa", self._section.buffers.per_numa, ValueOrigin.FILE, "set in the file")
        else:
            for node, (_, number, reason) in needs.items():
                where = f" (node {node})" if len(needs) > 1 else ""
                self._ledger.add(f"buffers.per-numa{where}", number, ValueOrigin.FORMULA, reason)
        self._ledger.given("buffers.data-size", self._section.buffers.data_size, "VPP's default, in bytes")
        return {node: number for node, (_, number, _) in needs.items()}

    def _buffer_need(self, node: int) -> tuple[int, int, str]:
        """Return the floor, the number with margin and the formula of a node."""
        threads = self._placement.threads
        here = [device for device in self._devices if device.nic is None or self._host.node_of(device.nic) == node]
        rx = sum(device.rx_queues * device.rx_descriptors for device in here)
        tx = sum(device.tx_queues_of(threads) * device.tx_descriptors for device in self._devices)
        taps = self._tap_descriptors()
        all_queues = sum(device.rx_queues for device in self._devices)
        polled = max(1, -(-all_queues // max(1, threads - 1)))
        flight = threads * (THREAD_CACHE + FRAME * polled)
        floor = rx + tx + taps + flight
        number = max(FEWEST_BUFFERS, round_up(math.ceil(floor * 1.25), self._step))
        reason = (
            f"1.25 x ({rx} in receive rings + {tx} in transmit rings + {taps} in TAPs + {numbered(threads, 'thread')} "
            f"x ({THREAD_CACHE} + {FRAME} x {numbered(polled, 'queue')})) = {math.ceil(floor * 1.25)}, in steps of "
            f"{self._step}, which fill 2M, {FEWEST_BUFFERS} at least"
        )
        return floor, number, reason

    def _tap_descriptors(self) -> int:
        """Return the descriptors of all TAPs; the LCP of a sub-interface is a VLAN device on another's TAP."""
        ports = self._configuration.interfaces.values()
        lcps = sum(port.lcp is not None and port.parent is None for port in ports)
        taps = sum(virtual.descriptors for virtual in self._configuration.virtual.values())
        return 2 * TAP_RING * lcps + taps

    # Heap and statistics

    def main_heap(self) -> tuple[int, bool]:
        """Return the size of the main heap, and whether it stands on hugepages."""
        routes = self._section.memory.routes
        self._ledger.given("memory.routes", routes, "a router with default routes and its own networks")
        acl_bytes = _ACL_BYTES if any(port.acls for port in self._configuration.interfaces.values()) else 0
        nat = self._nat_bytes()
        nat_bytes = sum(nat.values())
        formula = max(GIB, round_up(HEAP_BASE_BYTES + KIB * routes + acl_bytes + nat_bytes, 64 * MIB))
        self.needs["main-heap"] = HEAP_BASE_BYTES + BYTES_PER_ROUTE * routes + acl_bytes + nat_bytes
        is_huge = routes > HUGE_HEAP_ROUTES
        required = self._section.memory.main_heap_bytes
        if required is not None:
            self._ledger.add("memory.main-heap", size_text(required), ValueOrigin.FILE, "set in the file")
        else:
            acl = " + 64M for ACLs" if acl_bytes else ""
            of_nat = "".join(f" + {size_text(round_up(size, MIB))} for {what}" for what, size in nat.items())
            reason = f"max(1G, 512M + 1K x {routes} routes{acl}{of_nat}), in steps of 64M"
            self._ledger.add("memory.main-heap", size_text(formula), ValueOrigin.FORMULA, reason)
        if is_huge:
            reason = f"{routes} routes are more than {HUGE_HEAP_ROUTES}"
            self._ledger.add("memory.main-heap-page-size", "default-hugepage", ValueOrigin.FORMULA, reason)
        return required or formula, is_huge

    def _nat_bytes(self) -> dict[str, int]:
        """Return what the sessions of each sort of NAT take of the main heap."""
        det44, nat44 = self._configuration.det44, self._configuration.nat44
        found = {"DET44": sum(each.memory_bytes for each in det44.maps) if det44 is not None else 0}
        if nat44 is not None:
            found["NAT44"] = memory_bytes(nat44.sessions or USUAL_SESSIONS, self._placement.threads)
        return {what: size for what, size in found.items() if size}

    def statseg(self) -> tuple[int, bool]:
        """Return the size of the statistics segment, and whether it stands on hugepages."""
        threads, routes = self._placement.threads, self._section.memory.routes
        interfaces = len(self._configuration.interfaces)
        per_interface = 2448 + 300 * threads
        nodes = MIB + 48 * KIB * threads
        xstats = len(self._devices) * 700 * (144 + 8 * threads)
        used = 32 * MIB + 2 * per_interface * interfaces + nodes + xstats
        formula = max(64 * MIB, round_up(used + 96 * routes * threads, 64 * MIB))
        self.needs["statseg"] = used + 48 * routes * threads
        required = self._section.statseg_bytes
        if required is not None:
            self._ledger.add("statseg", size_text(required), ValueOrigin.FILE, "set in the file")
        else:
            reason = (
                f"max(64M, 32M + 96 x {routes} routes x {numbered(threads, 'thread')} + 2 x {per_interface} x "
                f"{numbered(interfaces, 'interface')} + {nodes} for graph nodes + {xstats} for counters of devices), "
                "in steps of 64M"
            )
            self._ledger.add("statseg", size_text(formula), ValueOrigin.FORMULA, reason)
        size = required or formula
        return size, size > _HUGE_STATSEG_BYTES

    # Hugepages

    def hugepages(self, buffers: Mapping[int, int], huge_bytes: tuple[int, int]) -> dict[int, int]:
        """Return the hugepages that each node needs; heap and statistics stand on the node of the main core."""
        main = self._host.cpu_by_id.get(self._placement.main_core)
        home = main.node if main is not None and main.node in buffers else next(iter(buffers))
        pages = {}
        for node, number in buffers.items():
            parts = [pages_for(number, self._per_page)]
            if self._has_dpdk:
                parts.append(-(-EAL_BYTES_PER_NODE // self.page_bytes))
            if node == home:
                parts += [-(-size // self.page_bytes) for size in huge_bytes if size]
            pages[node] = math.ceil(sum(parts) * 1.05)
            where = f" (node {node})" if len(buffers) > 1 else ""
            reason = f"1.05 x ({' + '.join(map(str, parts))}) pages for buffers, DPDK and what else stands on them"
            if self._section.kernel.hugepages is None:
                self._ledger.add(f"kernel.hugepages{where}", pages[node], ValueOrigin.FORMULA, reason)
        return pages

    def chosen_hugepages(self, computed: Mapping[int, int]) -> dict[int, int]:
        """Return the hugepages of each node: computed, or the file's number, which Linux spreads evenly."""
        required = self._section.kernel.hugepages
        if required is None and reserves_by_node(self._host):
            return dict(computed)
        if required is None:
            most = max(computed.values())
            reason = f"{most} on each node, for Linux {self._host.kernel_release} spreads them evenly"
            self._ledger.add("kernel.hugepages", most * len(computed), ValueOrigin.HOST, reason)
            return dict.fromkeys(computed, most)
        self._ledger.add(
            "kernel.hugepages", required, ValueOrigin.FILE, "set in the file; Linux spreads them over the nodes"
        )
        share, rest = divmod(required, len(computed))
        return {node: share + (index < rest) for index, node in enumerate(computed)}
