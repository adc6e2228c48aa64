"""Converts the paths of routes between API messages and the tables of the simulated VPP (vnet/fib/fib_api.c)."""

from __future__ import annotations

from typing import Any

from vppcfg.simulator.fib_entries import NORMAL, FibPath
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE

Row = tuple[Any, ...]
"""The values of a `fib_path` in order: 12, the number of labels, and four for each of 16 labels."""
_LABELS = (0, 0, 0, 0) * 16
_FIRST_LABEL = 13
_IPV4, _IPV6 = 0, 1


def packed(path: FibPath) -> Row:
    """Return the values of a path."""
    hop = (path.next_hop.ljust(16, b"\0"), 0, 0, 0)
    labels = tuple(part for label in path.labels for part in (0, label, 0, 0))
    start = (path.sw_if_index, path.table_id, 0, path.weight, path.preference, path.kind, 0, path.is_ipv6)
    return (*start, *hop, len(path.labels), *(labels + _LABELS)[: len(_LABELS)])


def unpacked(tables: Tables, row: Row) -> FibPath:
    """Return the path of a request; raise RefusedError where it names what is not there (fib_api_path_decode)."""
    sw_if_index, table_id, _, weight, preference, kind, _, family, hop = row[:9]
    if family not in (_IPV4, _IPV6):
        raise RefusedError(Retval.UNSPECIFIED)
    is_ipv6 = family == _IPV6
    raw = hop if is_ipv6 else hop[:4]
    path = FibPath(NONE, b"", kind, weight or 1, preference, is_ipv6, _labels(row))
    if kind != NORMAL:
        return path
    if sw_if_index != NONE:
        if not tables.sw.has(sw_if_index):
            raise RefusedError(Retval.NO_MATCHING_INTERFACE)
        return path._replace(sw_if_index=sw_if_index, next_hop=raw if any(raw) else b"")
    if table_id not in (tables.fib6 if is_ipv6 else tables.fib4).tables:
        raise RefusedError(Retval.NO_SUCH_FIB)
    return path._replace(table_id=table_id, next_hop=raw if any(raw) else b"")


def _labels(row: Row) -> tuple[int, ...]:
    count = row[_FIRST_LABEL - 1]
    return tuple(row[_FIRST_LABEL + 4 * number + 1] for number in range(count))
