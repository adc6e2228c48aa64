"""T-Rex as a traffic generator: streams loaded, load changed, counters read; `lease` takes its ports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vppcfg.common.clock import Clock
from vppcfg.loadtest.engine import Count, Delay, Direction, Generator, Traffic
from vppcfg.loadtest.trex.guard import Guard
from vppcfg.loadtest.trex.lease import Lease, refuse_default_routes, refuse_unusable
from vppcfg.loadtest.trex.rpc import STATELESS
from vppcfg.loadtest.trex.server import PortReading, TrexServer, tally_since
from vppcfg.loadtest.trex.streams import delay_of, group_of, streams_of

_RX_FILTER_PAUSE_S = 0.1
"""T-Rex's client waits so long for late packets before it removes filters."""


class TrexEngine:
    """A T-Rex server in stateless mode."""

    def __init__(
        self, server: str, clock: Clock, *, is_forced: bool = False, is_guarded: bool = False, root: Path
    ) -> None:
        """With `is_guarded`, another process gives the ports back if this one is killed."""
        self._address = server
        self._is_guarded = is_guarded
        self._server = TrexServer(server, clock, STATELESS)
        self._clock = clock
        self._is_forced = is_forced
        self._root = root
        self._lease = Lease(self._server.rpc, None)
        self._traffic: Traffic | None = None
        self._zero: PortReading | None = None

    def describe(self) -> Generator:
        """Return the server and its ports."""
        return self._server.describe()

    def acquire(self, ports: tuple[str, ...]) -> None:
        """Take the ports, and leave no traffic and no stream on them."""
        chosen = tuple(self._server.port(name) for name in ports)
        refuse_default_routes(self._server.host, chosen, self._root)
        states = self._server.states(ports)
        for name, status in states.items():
            refuse_unusable(name, status, is_forced=self._is_forced)
        self._lease = Lease(self._server.rpc, Guard(self._address) if self._is_guarded else None)
        self._lease.take(states, is_forced=self._is_forced)

    def prepare(self, traffic: Traffic) -> None:
        """Load the streams of each direction on the port that sends it, and begin to count at zero."""
        self._lease.on("remove_all_streams", self._lease.ports)
        self._lease.has_filters = traffic.latency_pps > 0
        self._server.rpc.batch(
            [
                self._lease.call("add_stream", direction.source, stream_id=number, stream=stream)
                for direction in traffic.directions
                for number, stream in enumerate(streams_of(traffic, direction), start=1)
            ]
        )
        self._traffic = traffic
        self._zero, _ = self._server.read(self._lease.ports)

    def start(self, load_pps: float, limit_s: float) -> None:
        """Start on all ports with one message."""
        multiplier = self._multiplier(load_pps)
        self._lease.on("start_traffic", self._sources, mul=multiplier, duration=limit_s, force=False)

    def update(self, load_pps: float) -> None:
        """Change the load on all ports with one message."""
        self._lease.on("update_traffic", self._sources, mul=self._multiplier(load_pps), force=False)

    def count(self) -> Count:
        """Return the counters of all ports, read with one message."""
        before_s = self._clock.now()
        reading, _ = self._server.read(self._lease.ports)
        after_s = self._clock.now()
        zero = self._zero or reading
        return Count(
            at_s=(before_s + after_s) / 2,
            tallies=tuple(tally_since(direction, reading, zero) for direction in self._directions),
            uncertainty_s=after_s - before_s,
            cpu_share=reading.cpu_share,
            queue_full=max(reading.queue_full - zero.queue_full, 0),
        )

    def delays(self) -> tuple[Delay, ...]:
        """Return what the latency streams measured."""
        if self._traffic is None or not self._traffic.latency_pps:
            return ()
        groups = [group_of(self._traffic, direction) for direction in self._directions]
        found = self._server.rpc.call("get_pgid_stats", pgids=groups)
        return tuple(
            delay_of(direction, group, found) for direction, group in zip(self._directions, groups, strict=True)
        )

    def stop(self) -> None:
        """Stop the traffic of our ports; T-Rex takes that on a port without traffic too."""
        if self._lease.ports:
            self._lease.on("stop_traffic", self._lease.ports)
            if self._lease.has_filters:
                self._clock.sleep(_RX_FILTER_PAUSE_S)

    def release(self) -> None:
        """Remove our streams, give all ports back and close the connection. Raise EngineError when that failed."""
        try:
            self._lease.release()
        finally:
            self._lease = Lease(self._server.rpc, None)
            self._traffic = self._zero = None
            self._server.close()

    def _multiplier(self, load_pps: float) -> dict[str, Any]:
        """Return a load for T-Rex, whose rate of a port includes the streams that measure latency."""
        latency_pps = self._traffic.latency_pps if self._traffic else 0.0
        return {"type": "pps", "op": "abs", "value": load_pps + latency_pps}

    @property
    def _directions(self) -> tuple[Direction, ...]:
        return self._traffic.directions if self._traffic else ()

    @property
    def _sources(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(direction.source for direction in self._directions))
