"""Reads counters of a router again and again, for `metrics` and `top`, also when VPP ends, restarts or is blocked.

Counters come from the stats segment at each look. Names are asked for when interfaces come or go, and every
NAMES_S seconds, for a name, a state or a description can change without that.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from vppcfg.app.watching.notices import WallClock
from vppcfg.errors import DataplaneError
from vppcfg.model.counters import VppCounters
from vppcfg.model.monitored import (
    FileNames,
    MonitoredDet44Map,
    MonitoredInterface,
    MonitoredPolicer,
    MonitoredVirtualRouter,
    QueuePlace,
    RouterSnapshot,
)
from vppcfg.vpp.counters import open_segment, read_counters
from vppcfg.vpp.naming import InterfaceNaming
from vppcfg.vpp.segment import Segment

NAMES_S = 15.0
RETRY_S = 5.0
"""Between attempts to reach an API that does not answer: each costs up to the time that it may be silent."""
STALLED_S = 30.0
"""A heartbeat that stands so long has its VPP looked for anew; VPP renews it every 10 s by default."""
_TRIES = 3
_LOCAL = "local0"
_log = logging.getLogger(__name__)


class RouterReader:
    """One router, behind its two sockets."""

    def __init__(
        self,
        api_socket: str,
        stats_socket: str,
        *,
        json_dir: str | None = None,
        file_names: Callable[[], FileNames] = FileNames,
        has_nodes: bool = True,
        has_queues: bool = True,
        clock: WallClock = time,
    ) -> None:
        """`file_names` has the names of interfaces in a configuration file; it is asked at each look."""
        self._api_socket, self._stats_socket, self._json_dir = api_socket, stats_socket, json_dir
        self._file_names = file_names
        self._has_nodes, self._has_queues = has_nodes, has_queues
        self._clock = clock
        self._segment: Segment | None = None
        self._naming: InterfaceNaming | None = None
        self._forget()

    def close(self) -> None:
        """Let go of VPP; safe to call twice."""
        if self._segment is not None:
            self._segment.close()
            self._segment = None
        self._drop_naming()

    def look(self) -> RouterSnapshot:
        """Return how the router stands. A VPP that cannot be read is noted there, and looked for next time."""
        start, at = self._clock.monotonic(), self._clock.time()
        try:
            counters = self._read()
        except DataplaneError as error:
            self.close()
            self._forget()
            return RouterSnapshot(taken_at_s=at, took_s=self._clock.monotonic() - start, problem=error.message)
        return RouterSnapshot(
            taken_at_s=at,
            took_s=self._clock.monotonic() - start,
            counters=counters,
            interfaces=self._labelled(counters),
            queues=self._queues,
            virtual_routers=self._virtual_routers,
            det44_maps=self._det44_maps,
            policers=self._policers,
            version=self._naming.version if self._naming is not None else "",
            refreshed_at_s=self._beat_at_s,
            problem=self._problem,
        )

    def _forget(self) -> None:
        """Know nothing of VPP any more."""
        self._rows: tuple[MonitoredInterface, ...] | None = None
        self._queues: tuple[QueuePlace, ...] = ()
        self._virtual_routers: tuple[MonitoredVirtualRouter, ...] = ()
        self._det44_maps: tuple[MonitoredDet44Map, ...] = ()
        self._policers: tuple[MonitoredPolicer, ...] = ()
        self._known_names: Sequence[str] = ()
        self._named_at_s = self._tried_at_s = float("-inf")
        self._beat, self._beat_at_s, self._stalled_since_s = -1, 0.0, 0.0
        self._problem = ""

    def _read(self) -> VppCounters:
        """Return the counters, with names that belong to them at hand. Raise DataplaneError."""
        segment = self._current_segment()
        for _ in range(_TRIES):
            counters = read_counters(segment, has_nodes=self._has_nodes)
            if not self._is_naming_due(counters):
                break
            self._ask_names(counters)
        self._note_beat(counters)
        return counters

    def _current_segment(self) -> Segment:
        """Return the segment of the VPP that runs now. Raise DataplaneError."""
        is_stalled = self._clock.monotonic() - self._stalled_since_s > STALLED_S
        if self._segment is not None and (is_stalled or not self._segment.is_current()):
            self.close()
            self._forget()
        if self._segment is None:
            self._segment = open_segment(self._stats_socket)
            self._stalled_since_s = self._clock.monotonic()
        return self._segment

    def _note_beat(self, counters: VppCounters) -> None:
        if counters.heartbeat != self._beat:
            self._beat, self._beat_at_s = counters.heartbeat, self._clock.time()
            self._stalled_since_s = self._clock.monotonic()

    def _is_naming_due(self, counters: VppCounters) -> bool:
        """Return whether to ask for names: interfaces have come or gone, or it was long ago."""
        now = self._clock.monotonic()
        if self._naming is None and now - self._tried_at_s < RETRY_S:
            return False
        return list(self._known_names) != list(counters.names) or now - self._named_at_s > NAMES_S

    def _ask_names(self, counters: VppCounters) -> None:
        """Ask VPP's API for the names of interfaces; without it, what is known stays."""
        self._tried_at_s = self._clock.monotonic()
        try:
            if self._naming is None:
                self._naming = InterfaceNaming(self._api_socket, json_dir=self._json_dir)
            rows = tuple(self._naming.interfaces())
            names = {each.index: each.name for each in rows}
            has_moved = self._rows is None or [each.index for each in rows] != [each.index for each in self._rows]
            if self._has_queues and has_moved:
                self._queues = tuple(self._naming.queues(names))
            self._virtual_routers = tuple(self._naming.virtual_routers(names))
            self._det44_maps = tuple(self._naming.det44_maps())
            self._policers = tuple(self._naming.policers())
            self._rows, self._known_names = rows, counters.names
            self._named_at_s, self._problem = self._clock.monotonic(), ""
        except DataplaneError as error:
            _log.debug("%s", error.message)
            self._drop_naming()
            self._virtual_routers = self._det44_maps = self._policers = ()
            self._problem = error.message

    def _drop_naming(self) -> None:
        if self._naming is not None:
            self._naming.close()
            self._naming = None

    def _labelled(self, counters: VppCounters) -> tuple[MonitoredInterface, ...]:
        """Return the interfaces that both API and counters know, as the file calls them.

        An index whose interface was another one when names were asked for is left out; without an API the names are
        those that interfaces were created with.
        """
        known = self._known_names
        if self._rows is None:
            rows: list[MonitoredInterface] = [
                MonitoredInterface(index=index, name=name)
                for index, name in enumerate(counters.names)
                if name not in ("", _LOCAL)
            ]
        else:
            names = counters.names
            rows = [
                row
                for row in self._rows
                if row.index < min(len(names), len(known)) and names[row.index] == known[row.index] != ""
            ]
        file = self._file_names()
        return tuple(_called(row, file) for row in rows)


def _called(row: MonitoredInterface, file: FileNames) -> MonitoredInterface:
    """Return an interface with what the file calls it; a tag of VPP may hold less of a description."""
    description = file.descriptions.get(row.name, row.description)
    lcp, vrf = file.lcps.get(row.name, ""), file.vrfs.get(row.name, "")
    if (description, lcp, vrf) == (row.description, row.lcp, row.vrf):
        return row
    return replace(row, description=description, lcp=lcp, vrf=vrf)
