"""Reads the documents of a capture: stats.json (VPP's stats segment), api.json (its API), host.json (the kernel).

Shape of stats.json: `clock_s` when it was read, `time_s` since the counters of nodes were cleared, `threads` by index,
`nodes` by name with calls, vectors, clocks and suspends per thread, `errors` by NODE/REASON, `interfaces`, `buffers`,
`heaps`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from vppcfg.model.host import Host, host_of
from vppcfg.tune.reading import (
    BufferPool,
    ErrorCounter,
    Heap,
    HostFacts,
    InterfaceCounters,
    NodeCounters,
    PciDevice,
    RxQueue,
    ThreadCounters,
    ThreadPlace,
    TxQueue,
)

_PORT_NODES = ("-tx", "-output")
_POOL = re.compile(r"default-numa-(\d+)")
"""What VPP calls the buffers of a NUMA node (vlib_buffer_main_init_numa_node in vlib/buffer.c)."""
Parts = dict[str, Any]
"""Fields of Reading."""
_INTERFACE_FIELDS = ("rx_packets", "rx_bytes", "tx_packets", "tx_bytes", "drops", "punts", "rx_miss", "rx_no_buf",
                     "rx_error", "tx_error")  # fmt: skip
_MODES = {0: "unknown", 1: "polling", 2: "interrupt", 3: "adaptive"}
"""vl_api_rx_mode_t (VPP: vnet/interface_types.api)."""


def parts_of_stats(document: Any, names: Mapping[int, str] | None = None) -> Parts:
    """Return the fields of Reading that stats.json gives. Raise ValueError when it has another shape.

    VPP does not follow a renamed interface there, neither in its row nor in the counters of its nodes: `names`, by
    sw_if_index, puts that right.
    """
    try:
        renamed = _renamed(document, names or {})
        parts: Parts = {}
        if document.get("nodes"):
            parts["threads"] = _threads(document)
        if document.get("errors") is not None:
            parts["errors"] = tuple(_error(key, count, renamed) for key, count in document["errors"].items() if count)
        if document.get("interfaces"):
            parts["interfaces"] = tuple(
                _interface(renamed.get(name, name), row) for name, row in document["interfaces"].items()
            )
        if document.get("buffers"):
            parts["buffers"] = tuple(_pool(name, row) for name, row in document["buffers"].items())
        if document.get("heaps"):
            parts["heaps"] = tuple(_heap(name, row) for name, row in document["heaps"].items())
        return parts
    except (AttributeError, KeyError, TypeError, IndexError, ValueError) as error:
        raise ValueError(f"{type(error).__name__} at {error}") from error


def _threads(document: Mapping[str, Any]) -> tuple[ThreadCounters, ...]:
    names = [str(name) for name in document["threads"]]
    time_s = float(document["time_s"])
    clock_s = float(document["clock_s"]) if document.get("clock_s") is not None else None
    return tuple(
        ThreadCounters(index=index, name=name, time_s=time_s, clock_s=clock_s, nodes=_nodes(document["nodes"], index))
        for index, name in enumerate(names)
    )


def _nodes(rows: Mapping[str, Any], thread: int) -> tuple[NodeCounters, ...]:
    nodes = []
    for name, row in rows.items():
        calls, vectors, clocks, suspends = (
            int(row[kind][thread]) for kind in ("calls", "vectors", "clocks", "suspends")
        )
        if calls or suspends:
            nodes.append(NodeCounters(name=name, calls=calls, vectors=vectors, clocks=float(clocks), suspends=suspends))
    return tuple(nodes)


def _renamed(document: Any, names: Mapping[int, str]) -> dict[str, str]:
    """Return the present name of each interface that has another one in the document."""
    rows = (document.get("interfaces") or {}).items()
    present = {name: names.get(int(row.get("sw_if_index", -1)), name) for name, row in rows}
    return {name: now for name, now in present.items() if name != now}


def _error(key: str, count: Any, renamed: Mapping[str, str]) -> ErrorCounter:
    node, _, reason = key.rpartition("/")
    for suffix in _PORT_NODES:
        name = node.removesuffix(suffix)
        if name in renamed:
            node = renamed[name] + suffix
            break
    return ErrorCounter(node=node, reason=reason, count=int(count))


def _interface(name: str, row: Mapping[str, Any]) -> InterfaceCounters:
    counters: dict[str, Any] = {field: int(row.get(field, 0)) for field in _INTERFACE_FIELDS}
    by_thread = tuple(int(count) for count in row.get("rx_by_thread", ()))
    return InterfaceCounters(name=name, rx_by_thread=by_thread, **counters)


def _pool(name: str, row: Mapping[str, Any]) -> BufferPool:
    available, cached, used = (int(row[kind]) for kind in ("available", "cached", "used"))
    total = available + cached + used
    node = _POOL.fullmatch(name)
    numa = int(node[1]) if node else None
    return BufferPool(name=name, total=total, available=available, cached=cached, used=used, numa=numa)


def _heap(name: str, row: Mapping[str, Any]) -> Heap:
    return Heap(name=name, total_bytes=int(row["total"]), used_bytes=int(row["used"]))


def cpu_set(text: str) -> frozenset[int]:
    """Return the CPUs in a list such as `1-3,5` or `1-3:1`. Raise ValueError."""
    cpus: set[int] = set()
    for part in filter(None, text.strip().replace(" ", "").split(",")):
        first, _, last = part.partition(":")[0].partition("-")
        cpus.update(range(int(first), int(last or first) + 1))
    return frozenset(cpus)


def parts_of_host(document: Any) -> Parts:
    """Return the machine from host.json, of a capture or of `vppcfg host`.

    Raise ValueError when the document has another shape.
    """
    try:
        facts = _of_inventory(host_of(document)) if "cpus" in document else _of_capture(document)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{type(error).__name__} at {error}") from error
    if facts == HostFacts():
        if document.keys().isdisjoint(each.name for each in fields(HostFacts)):
            raise ValueError("it has nothing of a machine")
        return {}
    links = tuple(PciDevice(address=each[0], gt_per_s=each[1], width=each[2]) for each in facts.pci_links)
    return {"host": facts, "pci": links} if links else {"host": facts}


def _of_capture(document: Any) -> HostFacts:
    return HostFacts(
        isolated=cpu_set(document["isolated"]) if document.get("isolated") is not None else None,
        siblings=tuple(cpu_set(group) for group in document.get("siblings", ())),
        sockets=tuple((int(cpu), int(node)) for cpu, node in document.get("sockets", {}).items()),
        governors=tuple((int(cpu), str(name)) for cpu, name in document.get("governors", {}).items()),
        frequencies_khz=tuple(
            (int(cpu), int(now), int(most)) for cpu, (now, most) in document.get("frequencies_khz", {}).items()
        ),
        pci_links=tuple(
            (str(address), float(speed), int(width), float(max_speed), int(max_width))
            for address, (speed, width, max_speed, max_width) in document.get("pci_links", {}).items()
        ),
        preemptions=tuple((str(name), int(count)) for name, count in document.get("preemptions", {}).items()),
    )


def _of_inventory(host: Host) -> HostFacts:
    """Return what an inventory has of it, which is all but the clocks."""
    links = []
    for nic in host.nics:
        if (now := nic.link) is not None:
            most = min(filter(None, (nic.link_max, nic.slot_max)), key=lambda link: link.rate, default=now)
            links.append((nic.address, now.speed_gts, now.width, most.speed_gts, most.width))
    return HostFacts(
        isolated=frozenset(cpu.id for cpu in host.cpus if cpu.is_isolated),
        siblings=tuple(dict.fromkeys(frozenset(cpu.siblings) for cpu in host.cpus if cpu.siblings)),
        sockets=tuple((cpu.id, cpu.node) for cpu in host.cpus),
        pci_links=tuple(links),
    )


def parts_of_api(document: Any) -> Parts:
    """Return version, threads and placement from api.json. Raise ValueError when it has another shape."""
    try:
        parts: Parts = {}
        if document.get("version"):
            parts["version"] = str(document["version"])
        if document.get("threads"):
            parts["places"] = tuple(_place(row) for row in document["threads"])
        if document.get("rx_placement") is not None:
            parts["rx_queues"] = tuple(_rx_queue(row) for row in document["rx_placement"])
        if document.get("tx_placement") is not None:
            parts["tx_queues"] = tuple(_tx_queue(row) for row in document["tx_placement"])
        return parts
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{type(error).__name__} at {error}") from error


def interface_names(document: Any) -> dict[int, str]:
    """Return the names of interfaces by sw_if_index from api.json; none when it has another shape."""
    try:
        return {int(index): str(name) for index, name in (document.get("interfaces") or {}).items()}
    except (AttributeError, TypeError, ValueError):
        return {}


def _place(row: Mapping[str, Any]) -> ThreadPlace:
    return ThreadPlace(
        index=int(row["id"]), name=str(row["name"]), cpu=int(row["cpu_id"]), socket=int(row["cpu_socket"])
    )


def _rx_queue(row: Mapping[str, Any]) -> RxQueue:
    mode = _MODES.get(int(row["mode"]), "unknown")
    return RxQueue(interface=str(row["interface"]), queue=int(row["queue"]), thread=int(row["thread"]), mode=mode)


def _tx_queue(row: Mapping[str, Any]) -> TxQueue:
    threads = tuple(int(thread) for thread in row["threads"])
    return TxQueue(
        interface=str(row["interface"]), queue=int(row["queue"]), threads=threads, is_shared=bool(row["shared"])
    )
