"""Reads what a VPP counts from its stats segment, which costs VPP nothing.

VPP refreshes the counters of nodes, memory and the rates of workers every `update-interval` (10 s by default), and
counts that in a heartbeat; interfaces, errors and sessions are up to date at any time.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence

from vppcfg.model.counters import NodeTotals, VppCounters
from vppcfg.vpp.segment import SYMLINK, Segment, SegmentError

WANTED = ("/sys/", "/if/", "/err/", "/node/errors", "/mem/", "/buffer-pools/", "/nat44-ed/")
"""What is looked at. VPP has 17 more names for each interface and 4 for each node, which lead to the same counters."""
_NODE_COUNTERS = ("calls", "vectors", "clocks", "suspends")
_SIMPLE = {"drops": "drops", "punts": "punt", "rx_miss": "rx-miss", "rx_no_buf": "rx-no-buf", "rx_error": "rx-error",
           "tx_error": "tx-error"}  # fmt: skip
_NAT44 = "/nat44-ed/"
_GONE = "deleted"
"""What VPP calls an interface that was deleted (vnet/interface/stats.c)."""
_TRIES = 3
_MOST_THREADS = 1024


def open_segment(path: str) -> Segment:
    """Return the segment behind a socket with the names that are read here. Raise DataplaneError."""
    return Segment(path, WANTED)


def read_counters(segment: Segment, *, has_nodes: bool = True) -> VppCounters:
    """Return one reading, without nodes where they are not wanted. Raise DataplaneError.

    It is taken again when VPP has refreshed its counters meanwhile, for nodes would be newer than the clock shows.
    """
    for _ in range(_TRIES):
        counters = segment.read(lambda: _read(segment, has_nodes=has_nodes))
        if segment.read(lambda: segment.scalar("/sys/heartbeat")) == counters.heartbeat:
            break
    return counters


def _read(segment: Segment, *, has_nodes: bool) -> VppCounters:
    if "/if/names" not in segment.names:
        raise SegmentError("it has no /if/names")
    names = [name if name != _GONE else "" for name in segment.strings("/if/names")]
    count = len(names)
    received = [row[0::2] for row in segment.combined("/if/rx")]
    threads = segment.scalar("/sys/num_worker_threads") + 1
    if threads > _MOST_THREADS:
        raise SegmentError(f"it reports {threads} threads")
    is_counting = has_nodes and "/sys/node/calls" in segment.names
    since = segment.scalar("/sys/last_update") - segment.scalar("/sys/last_stats_clear")
    has_nat44 = f"{_NAT44}total-sessions" in segment.names
    return VppCounters(
        clock_s=time.monotonic(),
        boot_at_s=segment.scalar("/sys/boottime"),
        heartbeat=segment.scalar("/sys/heartbeat"),
        threads=("vpp_main", *(f"vpp_wk_{number}" for number in range(threads - 1))),
        names=names,
        interfaces=_columns(segment, count),
        received=received,
        vector_rates=_first(segment.simple("/sys/vector_rate_per_worker"), threads),
        loops_per_s=_first(segment.simple("/sys/loops_per_worker"), threads),
        nodes=_nodes(segment, threads) if is_counting else None,
        nodes_time_s=float(max(since, 1)) if is_counting else None,
        errors=dict(_errors(segment)),
        buffers=_families(segment, "/buffer-pools/", ("available", "cached", "used")),
        heaps=_families(segment, "/mem/", ("total", "used")),
        nat44_sessions=tuple(sum(row) for row in segment.simple(f"{_NAT44}total-sessions")) if has_nat44 else None,
        nat44_limit=segment.scalar(f"{_NAT44}max-cfg-sessions") if has_nat44 else None,
        nat44_packets=dict(_nat44_packets(segment)),
    )


def _columns(segment: Segment, count: int) -> dict[str, Sequence[int]]:
    columns: dict[str, Sequence[int]] = {}
    for direction in ("rx", "tx"):
        rows = segment.combined(f"/if/{direction}")
        columns[f"{direction}_packets"] = _summed((row[0::2] for row in rows), count)
        columns[f"{direction}_bytes"] = _summed((row[1::2] for row in rows), count)
    for name, counter in _SIMPLE.items():
        columns[name] = _summed(segment.simple(f"/if/{counter}"), count)
    return columns


def _summed(rows: Iterable[array[int]], count: int) -> Sequence[int]:
    """Return the sum over threads, `count` places long: a thread's vector may be shorter, or longer already."""
    whole = [row[:count] + array("Q", bytes(8 * max(0, count - len(row)))) for row in rows]
    return list(map(sum, zip(*whole, strict=True))) if len(whole) > 1 else whole[0] if whole else array("Q")


def _first(rows: Sequence[array[int]], threads: int) -> tuple[int, ...]:
    return tuple(rows[0][:threads]) if rows else ()


def _nodes(segment: Segment, threads: int) -> dict[str, NodeTotals]:
    tables = [segment.simple(f"/sys/node/{kind}") for kind in _NODE_COUNTERS]
    nodes = {}
    for index, name in enumerate(segment.strings("/sys/node/names")):
        calls, vectors, clocks, suspends = (
            tuple(_at(table, thread, index) for thread in range(threads)) for table in tables
        )
        if name and (any(calls) or any(suspends)):
            nodes[name] = NodeTotals(calls=calls, vectors=vectors, clocks=clocks, suspends=suspends)
    return nodes


def _at(table: Sequence[array[int]], thread: int, index: int) -> int:
    return table[thread][index] if thread < len(table) and index < len(table[thread]) else 0


def _errors(segment: Segment) -> Iterator[tuple[str, int]]:
    """Yield the counters of nodes that are not 0; each is a place in one vector."""
    rows = segment.simple("/node/errors")
    totals = _summed(rows, max(map(len, rows), default=0))
    for path, entry in segment.names.items():
        if not path.startswith("/err/"):
            continue
        if entry.type == SYMLINK:
            place = entry.value >> 32
            count = totals[place] if place < len(totals) else 0
        else:
            count = segment.scalar(path)
        if count:
            yield path.removeprefix("/err/"), count


def _families(segment: Segment, prefix: str, kinds: tuple[str, ...]) -> dict[str, Mapping[str, int]]:
    """Return the scalars PREFIX/NAME/KIND by name and kind."""
    suffix = "/" + kinds[0]
    names = [
        path.removeprefix(prefix).removesuffix(suffix)
        for path in segment.names
        if path.startswith(prefix) and path.endswith(suffix)
    ]
    return {name: {kind: segment.scalar(f"{prefix}{name}/{kind}") for kind in kinds} for name in names}


def _nat44_packets(segment: Segment) -> Iterator[tuple[tuple[str, str, str], int]]:
    """Yield what NAT44 translated and dropped, over all interfaces (foreach_nat_counter, nat44_ed.c)."""
    for path in segment.names:
        parts = path.removeprefix(_NAT44).split("/")
        if path.startswith(_NAT44) and len(parts) == 3:
            yield (parts[0], parts[1], parts[2]), segment.scalar(path)
