"""stats.json, what was read from VPP's stats segment, in; the parts of a reading that it has out.

Shape: `clock_s` when it was read, `time_s` since the counters of nodes were cleared, `threads` by index, `nodes` by
name with calls, vectors, clocks and suspends per thread, `errors` by NODE/REASON, `interfaces`, `buffers`, `heaps`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vppcfg.tune.reading import BufferPool, ErrorCounter, Heap, InterfaceCounters, NodeCounters, ThreadCounters

_PORT_NODES = ("-tx", "-output")
Parts = dict[str, Any]
"""Fields of Reading."""

_INTERFACE_FIELDS = ("rx_packets", "rx_bytes", "tx_packets", "tx_bytes", "drops", "punts", "rx_miss", "rx_no_buf",
                     "rx_error", "tx_error")  # fmt: skip


def parts_of_stats(document: Any, names: Mapping[int, str] | None = None) -> Parts:
    """Return the fields of Reading in the document. Raise ValueError when its shape is another.

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
    return InterfaceCounters(name=name, **{field: int(row.get(field, 0)) for field in _INTERFACE_FIELDS})


def _pool(name: str, row: Mapping[str, Any]) -> BufferPool:
    available, cached, used = (int(row[kind]) for kind in ("available", "cached", "used"))
    total = available + cached + used
    return BufferPool(name=name, total=total, available=available, cached=cached, used=used)


def _heap(name: str, row: Mapping[str, Any]) -> Heap:
    return Heap(name=name, total_bytes=int(row["total"]), used_bytes=int(row["used"]))
