"""Reads from a VPP's stats segment what the tuner needs, as plain data that captures keep."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any, Self

from vppcfg.model.counters import VppCounters
from vppcfg.vpp.counters import open_segment, read_counters

_PAUSE_S = 0.02
_NODE_COUNTERS = ("calls", "vectors", "clocks", "suspends")


class StatsSegment:
    """One VPP's stats segment; a context manager that lets go of the memory."""

    def __init__(self, socket_path: str) -> None:
        """Take the segment behind `socket_path`. Raise DataplaneError when that is not possible."""
        self._segment = open_segment(socket_path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._segment.close()

    @property
    def has_nodes(self) -> bool:
        """Return whether VPP keeps counters of nodes there (`per-node-counters on`)."""
        return "/sys/node/calls" in self._segment.names

    @property
    def boot_time_s(self) -> float:
        """Return when VPP began, in seconds since 1970 by its machine's clock (/sys/boottime)."""
        return float(self._scalar("/sys/boottime"))

    def wait_for_update(self, patience_s: float) -> bool:
        """Wait until VPP has refreshed its counters, at most `patience_s`; return whether it has."""
        before, deadline = self._scalar("/sys/heartbeat"), time.monotonic() + patience_s
        while self._scalar("/sys/heartbeat") == before:
            if time.monotonic() > deadline:
                return False
            time.sleep(_PAUSE_S)
        return True

    def read(self) -> dict[str, Any]:
        """Return everything that the tuner needs as plain data. Raise DataplaneError."""
        return document_of(read_counters(self._segment))

    def _scalar(self, name: str) -> int:
        return self._segment.read(lambda: self._segment.scalar(name))


def document_of(counters: VppCounters) -> dict[str, Any]:
    """Return the content of stats.json, as vppcfg.tune.collected reads it."""
    document: dict[str, Any] = {"format_version": 1, "clock_s": counters.clock_s}
    if counters.nodes is not None:
        document["nodes"] = {
            name: {kind: list(getattr(totals, kind)) for kind in _NODE_COUNTERS}
            for name, totals in counters.nodes.items()
        }
        document |= {"threads": list(counters.threads), "time_s": counters.nodes_time_s}
    document["errors"] = dict(counters.errors)
    document["interfaces"] = {name: _interface(counters, index) for index, name in enumerate(counters.names) if name}
    document["buffers"] = {name: dict(pool) for name, pool in counters.buffers.items()}
    document["heaps"] = {name: dict(heap) for name, heap in counters.heaps.items()}
    return document


def _interface(counters: VppCounters, index: int) -> dict[str, Any]:
    row: dict[str, Any] = {"sw_if_index": index}
    row |= {counter: counters.of_interface(counter, index) for counter in counters.interfaces}
    row["rx_by_thread"] = [thread[index] if index < len(thread) else 0 for thread in counters.received]
    return row
