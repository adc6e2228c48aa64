"""Reads the counters in a VPP's stats segment, shared memory that costs VPP nothing to read.

VPP refreshes the counters of nodes every `update-interval` (10 s by default) and counts that in a heartbeat; all other
counters are up to date at any time.
"""

from __future__ import annotations

import os
import socket
import struct
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

from vppcfg.errors import DataplaneError

_HINT = "is VPP running? statseg { socket-name FILE } in startup.conf names the socket, --stats-socket another path"
_PAUSE_S = 0.02
_TRIES = 5
_CONNECT_S = 5.0
_SYMLINK = 6
_SUPPORTED = 2
_NODE_COUNTERS = ("calls", "vectors", "clocks", "suspends")
_SIMPLE = {"drops": "drops", "punts": "punt", "rx_miss": "rx-miss", "rx_no_buf": "rx-no-buf", "rx_error": "rx-error",
           "tx_error": "tx-error"}  # fmt: skip
_COMBINED = ("rx", "tx")


class StatsSegment:
    """One VPP's stats segment; a context manager that lets go of the memory."""

    def __init__(self, socket_path: str) -> None:
        """Map the segment behind `socket_path`. Raise DataplaneError when that is not possible."""
        self._path = socket_path
        self._stats = self._guarded(lambda: _connected(socket_path))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stats.disconnect()

    @property
    def has_nodes(self) -> bool:
        """Return whether VPP keeps counters of nodes there (`per-node-counters on`)."""
        return "/sys/node/calls" in self._stats.directory

    @property
    def boot_time_s(self) -> float:
        """Return when VPP began, in seconds since 1970 by its machine's clock (/sys/boottime)."""
        value: float = self._guarded(lambda: self._scalar("/sys/boottime"))
        return value

    def wait_for_update(self, patience_s: float) -> bool:
        """Wait until VPP has refreshed its counters, at most `patience_s`; return whether it has."""
        before, deadline = self._beat(), time.monotonic() + patience_s
        while self._beat() == before:
            if time.monotonic() > deadline:
                return False
            time.sleep(_PAUSE_S)
        return True

    def read(self) -> dict[str, Any]:
        """Return everything that the tuner needs as plain data. Raise DataplaneError.

        It is read again when VPP has refreshed its counters meanwhile: some would be a whole `update-interval` newer
        than the clock says. A VPP that does so all the time is read as it is.
        """
        for _ in range(_TRIES):
            beat = self._beat()
            document: dict[str, Any] = self._guarded(self._read)
            if self._beat() == beat:
                break
        return document

    def _read(self) -> dict[str, Any]:
        document: dict[str, Any] = {"format_version": 1, "clock_s": time.monotonic()}
        if self.has_nodes:
            document |= self._nodes()
        document["errors"] = self._errors()
        document["interfaces"] = self._interfaces()
        document["buffers"] = self._families("/buffer-pools/", ("available", "cached", "used"))
        document["heaps"] = self._families("/mem/", ("total", "used"))
        return document

    def _beat(self) -> int:
        beat: int = self._guarded(lambda: int(self._stats["/sys/heartbeat"]))
        return beat

    def _nodes(self) -> dict[str, Any]:
        names = self._stats["/sys/node/names"]
        tables = {kind: self._stats[f"/sys/node/{kind}"] for kind in _NODE_COUNTERS}
        threads = int(self._stats["/sys/num_worker_threads"]) + 1
        nodes: dict[str, Any] = {}
        for index, name in enumerate(names):
            row = {kind: [_at(table, thread, index) for thread in range(threads)] for kind, table in tables.items()}
            if name and (any(row["calls"]) or any(row["suspends"])):
                nodes[name] = row
        since = int(self._stats["/sys/last_update"]) - int(self._scalar("/sys/last_stats_clear"))
        main_and_workers = ["vpp_main", *(f"vpp_wk_{number}" for number in range(threads - 1))]
        return {"nodes": nodes, "threads": main_and_workers, "time_s": float(max(since, 1))}

    def _scalar(self, name: str) -> float:
        """Return a number by its name, which may be a place in a vector; 0 when this VPP does not have it."""
        value = self._stats[name] if name in self._stats.directory else 0
        return float(sum(value)) if isinstance(value, list) else float(value)

    def _errors(self) -> dict[str, int]:
        """Return the counters of nodes that are not 0, by NODE/REASON; each is a place in one vector."""
        vector = self._stats["/node/errors"] if "/node/errors" in self._stats.directory else []
        errors = {}
        for path, entry in self._stats.directory.items():
            if not path.startswith("/err/"):
                continue
            if entry.type == _SYMLINK:
                count = sum(_at(vector, thread, entry.value >> 32) for thread in range(len(vector)))
            else:
                count = sum(self._stats[path])
            if count:
                errors[path.removeprefix("/err/")] = count
        return errors

    def _interfaces(self) -> dict[str, dict[str, Any]]:
        names = self._stats["/if/names"]
        rows: dict[str, dict[str, Any]] = {name: {"sw_if_index": index} for index, name in enumerate(names) if name}
        for direction in _COMBINED:
            for index, row in self._enumerated(rows, names):
                pairs = [_at(thread, index) for thread in self._stats[f"/if/{direction}"]]
                row[f"{direction}_packets"] = sum(pair[0] for pair in pairs if pair)
                if direction == "rx":
                    row["rx_by_thread"] = [pair[0] if pair else 0 for pair in pairs]
                row[f"{direction}_bytes"] = sum(pair[1] for pair in pairs if pair)
        for field, counter in _SIMPLE.items():
            if f"/if/{counter}" in self._stats.directory:
                table = self._stats[f"/if/{counter}"]
                for index, row in self._enumerated(rows, names):
                    row[field] = sum(_at(table, thread, index) for thread in range(len(table)))
        return rows

    @staticmethod
    def _enumerated(rows: Mapping[str, dict[str, Any]], names: Any) -> list[tuple[int, dict[str, Any]]]:
        return [(index, rows[name]) for index, name in enumerate(names) if name]

    def _families(self, prefix: str, kinds: tuple[str, ...]) -> dict[str, dict[str, int]]:
        """Return the scalars PREFIX/NAME/KIND by name and kind."""
        suffix = "/" + kinds[0]
        paths = [path for path in self._stats.directory if path.startswith(prefix) and path.endswith(suffix)]
        names = [path.removeprefix(prefix).removesuffix(suffix) for path in paths]
        return {name: {kind: int(self._scalar(f"{prefix}{name}/{kind}")) for kind in kinds} for name in names}

    def _guarded(self, read: Callable[[], Any]) -> Any:
        """Return what `read` does, its errors as ours."""
        try:
            return read()
        except (ConnectionError, FileNotFoundError, PermissionError, TimeoutError) as error:
            raise DataplaneError(
                f"cannot read VPP's statistics at {self._path}: {error.strerror or error}", _HINT
            ) from error
        except (OSError, IndexError, KeyError, ValueError, AttributeError, struct.error) as error:
            raise DataplaneError(
                f"what {self._path} gives is not VPP's stats segment ({type(error).__name__}: {error})", _HINT
            ) from error


def _connected(path: str) -> Any:
    from vpp_papi.vpp_stats import VPPStats

    _probe(path)
    stats = type("_Checked", (VPPStats,), {"version": property(_version)})(path)
    stats.connect()
    return stats


def _probe(path: str) -> None:
    """Take the segment's descriptor once and let go of it; vpp_papi leaks its socket when it is refused."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
        sock.settimeout(_CONNECT_S)
        sock.connect(path)
        for descriptor in socket.recv_fds(sock, 1, 1)[1]:
            os.close(descriptor)


def _version(stats: Any) -> int:
    """Return the version of the segment's layout; vpp_papi raises a bare Exception for an unknown one."""
    version = int(stats.shared_headerfmt.unpack_from(stats.statseg)[0])
    if version != _SUPPORTED:
        raise ValueError(f"its layout has version {version}, and {_SUPPORTED} is known")
    return version


def _at(table: Any, *place: int) -> Any:
    """Return an element of a vector of vectors, 0 beyond the end: VPP makes them longer as it goes."""
    for index in place:
        if index >= len(table):
            return 0
        table = list.__getitem__(table, index)
    return table
