"""Reads what a VPP counts from its stats segment, which costs VPP nothing.

VPP refreshes the counters of nodes, memory and the rates of workers every `update-interval` (10 s by default), and
counts that in a heartbeat; interfaces, errors and sessions are up to date at any time.
"""

from __future__ import annotations

import logging
import time
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from operator import add

from vppcfg.common.bounds import NODE_PLACES, SEGMENT_NAMES, SEGMENT_PLACES, SEGMENT_VECTOR_BYTES
from vppcfg.model.counters import NodeTotals, VppCounters
from vppcfg.vpp.segment import SYMLINK, Segment, SegmentError, TooLargeError

WANTED = ("/sys/", "/if/", "/err/", "/node/errors", "/mem/", "/buffer-pools/", "/nat44-ed/", "/net/policer/")
"""What is looked at. VPP has 17 more names for each interface and 4 for each node, which lead to the same counters."""
_NODE_COUNTERS = ("calls", "vectors", "clocks", "suspends")
_SIMPLE = {"drops": "drops", "punts": "punt", "rx_miss": "rx-miss", "rx_no_buf": "rx-no-buf", "rx_error": "rx-error",
           "tx_error": "tx-error"}  # fmt: skip
_NAT44, _POLICERS = "/nat44-ed/", "/net/policer/"
_GONE = "deleted"
"""What VPP calls an interface that was deleted (vnet/interface/stats.c)."""
_TRIES = 3
_MOST_THREADS = 1024
_log = logging.getLogger(__name__)


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
    threads = segment.scalar("/sys/num_worker_threads") + 1
    if threads > _MOST_THREADS:
        raise SegmentError(f"it reports {threads} threads")
    if count * threads > SEGMENT_PLACES:
        raise TooLargeError(segment.path, f"it has {count:,} interfaces on {threads} threads")
    nodes = _nodes(segment, threads) if has_nodes and "/sys/node/calls" in segment.names else None
    since = segment.scalar("/sys/last_update") - segment.scalar("/sys/last_stats_clear")
    has_nat44 = f"{_NAT44}total-sessions" in segment.names
    return VppCounters(
        clock_s=time.monotonic(),
        boot_at_s=segment.scalar("/sys/boottime"),
        heartbeat=segment.scalar("/sys/heartbeat"),
        threads=("vpp_main", *(f"vpp_wk_{number}" for number in range(threads - 1))),
        names=names,
        interfaces=_columns(segment, count),
        received=[row[0 : 2 * count : 2] for row in islice(segment.combined("/if/rx"), threads)],
        vector_rates=_first(segment.simple("/sys/vector_rate_per_worker"), threads),
        loops_per_s=_first(segment.simple("/sys/loops_per_worker"), threads),
        nodes=nodes,
        nodes_time_s=float(max(since, 1)) if nodes is not None else None,
        errors=dict(_errors(segment)),
        buffers=_families(segment, "/buffer-pools/", ("available", "cached", "used")),
        heaps=_families(segment, "/mem/", ("total", "used")),
        nat44_sessions=tuple(sum(row) for row in segment.simple(f"{_NAT44}total-sessions")) if has_nat44 else None,
        nat44_limit=segment.scalar(f"{_NAT44}max-cfg-sessions") if has_nat44 else None,
        nat44_packets=dict(_nat44_packets(segment)),
        policers={
            path.removeprefix(_POLICERS): _summed(segment.combined(path), SEGMENT_PLACES)
            for path in segment.names
            if path.startswith(_POLICERS)
        },
    )


def _columns(segment: Segment, count: int) -> dict[str, Sequence[int]]:
    columns: dict[str, Sequence[int]] = {}
    for direction in ("rx", "tx"):
        rows = segment.combined(f"/if/{direction}")
        both = _summed(rows, 2 * count)
        columns[f"{direction}_packets"], columns[f"{direction}_bytes"] = both[0::2], both[1::2]
    for name, counter in _SIMPLE.items():
        columns[name] = _summed(segment.simple(f"/if/{counter}"), count)
    return columns


def _summed(rows: Iterable[array[int]], most: int) -> array[int]:
    """Return the sum over threads of the first so many places; a thread's vector may be shorter than another's."""
    total = array("Q")
    for row in rows:
        shared = min(len(total), len(row), most)
        longer = total if len(total) > len(row) else row
        total = array("Q", map(add, total[:shared], row)) + longer[shared:most]
    return total


def _first(rows: Iterator[array[int]], threads: int) -> tuple[int, ...]:
    return tuple(next(rows, array("Q"))[:threads])


def _nodes(segment: Segment, threads: int) -> dict[str, NodeTotals] | None:
    """Return the nodes that have run; None, with a warning, when there are too many, on too many threads."""
    count = segment.length("/sys/node/names")
    if count > SEGMENT_NAMES or count * threads > SEGMENT_PLACES:
        return _left_out()
    calls, vectors, clocks, suspends = (_by_node(segment, kind, threads, count) for kind in _NODE_COUNTERS)
    names = segment.strings("/sys/node/names")
    ran = [index for index, name in enumerate(names) if name and (any(calls[index]) or any(suspends[index]))]
    if len(ran) * threads > NODE_PLACES:
        return _left_out()
    return {
        names[index]: NodeTotals(
            calls=tuple(calls[index]),
            vectors=tuple(vectors[index]),
            clocks=tuple(clocks[index]),
            suspends=tuple(suspends[index]),
        )
        for index in ran
    }


@cache
def _left_out() -> None:
    """Warn once: a monitor reads again and again."""
    _log.warning("What VPP counts of its nodes is left out: it has too many, on too many threads")


def _by_node(segment: Segment, kind: str, threads: int, count: int) -> Sequence[array[int]]:
    """Return one counter of nodes: of each node what it has on each thread."""
    table = array("Q", bytes(8 * threads * count))
    for thread, row in enumerate(islice(segment.simple(f"/sys/node/{kind}"), threads)):
        table[thread * count : thread * count + min(len(row), count)] = row[:count]
    return [table[index::count] for index in range(count)]


def _errors(segment: Segment) -> Iterator[tuple[str, int]]:
    """Yield the counters of nodes that are not 0; each is a place in one vector."""
    totals = _summed(segment.simple("/node/errors"), SEGMENT_VECTOR_BYTES)
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
