"""T-Rex as an engine: streams loaded, load changed, counters read, on ports that a lease holds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vppcfg.common.clock import Clock
from vppcfg.errors import EngineError
from vppcfg.loadtest.engine import Count, Delay, Direction, Generator, Port, Tally, Traffic
from vppcfg.loadtest.trex.answers import count, counter, items, measure, section, text
from vppcfg.loadtest.trex.channel import TrexChannel, host_and_port
from vppcfg.loadtest.trex.guard import Guard
from vppcfg.loadtest.trex.lease import Lease, port_of, refuse_unusable, refuse_way_out
from vppcfg.loadtest.trex.rpc import Call, Rpc
from vppcfg.loadtest.trex.streams import delay_of, group_of, streams_of

_RX_FILTER_PAUSE_S = 0.1
"""T-Rex's client waits so long for late packets before it removes filters."""

_MOST_PORTS = 64
"""T-Rex has at most 32 (TREX_MAX_PORTS)."""
PortCounters = Mapping[str, Mapping[str, Any]]
"""What `get_port_stats` says, by port."""


class TrexEngine:
    """A T-Rex server in stateless mode."""

    def __init__(
        self, server: str, clock: Clock, *, is_forced: bool = False, is_guarded: bool = False, root: Path
    ) -> None:
        """With `is_guarded`, another process gives the ports back if this one is killed."""
        self._server = server
        self._is_guarded = is_guarded
        self._host, port = host_and_port(server)
        self._channel = TrexChannel(self._host, port)
        self._clock = clock
        self._is_forced = is_forced
        self._root = root
        self._rpc = Rpc(self._channel, clock)
        self._generator: Generator | None = None
        self._lease = Lease(self._rpc, None)
        self._traffic: Traffic | None = None
        self._zero: PortCounters = {}
        self._zero_full = 0

    def describe(self) -> Generator:
        """Return the server and its ports."""
        if self._generator is None:
            version = self._rpc.connect()
            self._generator = self._described(version, self._rpc.call("get_system_info"))
        return self._generator

    def acquire(self, ports: tuple[str, ...]) -> None:
        """Take the ports, and leave no traffic and no stream on them."""
        chosen = tuple(self._port(name) for name in ports)
        refuse_way_out(self._host, chosen, self._root)
        states = dict(zip(ports, self._on_each("get_port_status", ports, block=False), strict=True))
        for name, status in states.items():
            refuse_unusable(name, status, is_forced=self._is_forced)
        self._lease = Lease(self._rpc, Guard(self._server) if self._is_guarded else None)
        self._lease.take(states, is_forced=self._is_forced)

    def prepare(self, traffic: Traffic) -> None:
        """Load the streams of each direction on the port that sends it, and begin to count at zero."""
        self._lease.on("remove_all_streams", self._lease.ports)
        self._lease.has_filters = traffic.latency_pps > 0
        self._rpc.batch(
            [
                self._lease.call("add_stream", direction.source, stream_id=number, stream=stream)
                for direction in traffic.directions
                for number, stream in enumerate(streams_of(traffic, direction), start=1)
            ]
        )
        self._traffic = traffic
        self._zero, self._zero_full, _ = self._counters()

    def start(self, load_pps: float, limit_s: float) -> None:
        """Start on all ports with one message."""
        multiplier = self._multiplier(load_pps)
        self._lease.on("start_traffic", self._sources, mul=multiplier, duration=limit_s, force=False)

    def update(self, load_pps: float) -> None:
        """Change the load on all ports with one message."""
        self._lease.on("update_traffic", self._sources, mul=self._multiplier(load_pps), force=False)

    def count(self) -> Count:
        """Return the counters of all ports, read with one message; T-Rex refreshes them for each reading."""
        before_s = self._clock.now()
        counters, full, cpu = self._counters()
        after_s = self._clock.now()
        return Count(
            at_s=(before_s + after_s) / 2,
            tallies=tuple(self._tally(direction, counters) for direction in self._directions),
            uncertainty_s=after_s - before_s,
            cpu_share=cpu,
            queue_full=max(full - self._zero_full, 0),
        )

    def delays(self) -> tuple[Delay, ...]:
        """Return what the latency streams measured."""
        if self._traffic is None or not self._traffic.latency_pps:
            return ()
        groups = [group_of(self._traffic, direction) for direction in self._directions]
        found = self._rpc.call("get_pgid_stats", pgids=groups)
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
            self._lease.give_back()
        finally:
            self._lease = Lease(self._rpc, None)
            self._traffic = self._generator = None
            self._channel.close()

    def _described(self, version: str, told: object) -> Generator:
        facts = section(told)
        by_index = {count(port, "index"): port for port in items(facts, "ports")}
        if len(by_index) > _MOST_PORTS:
            raise EngineError(f"T-Rex at {self._channel.peer} tells of {len(by_index)} ports, which it cannot have")
        ports = [by_index[index] for index in sorted(by_index)]
        states = self._on_each("get_port_status", tuple(str(index) for index in sorted(by_index)), block=False)
        return Generator(
            engine="trex",
            version=version,
            server=self._channel.peer,
            ports=tuple(port_of(port, status) for port, status in zip(ports, states, strict=True)),
            cores=count(facts, "dp_core_count") or None,
            facts=(f"{text(facts, 'core_type', 'unknown CPU')} on {text(facts, 'hostname', 'an unknown host')}",),
        )

    def _port(self, name: str) -> Port:
        port = self.describe().port(name)
        if port is None:
            known = ", ".join(port.name for port in self.describe().ports)
            raise EngineError(f"T-Rex at {self._channel.peer} has no port {name}", f"its ports are: {known}")
        return port

    def _counters(self) -> tuple[PortCounters, int, float | None]:
        """Return the counters of our ports, how often a queue was full, and the load of the cores that send."""
        ports = self._lease.ports
        calls = [Call(method="get_port_stats", arguments={"port_id": int(name)}) for name in ports]
        answers = self._rpc.batch([*calls, Call(method="get_global_stats", arguments={})])
        *counters, whole = (section(answer) for answer in answers)
        share = None if whole.get("m_cpu_util") is None else min(measure(whole, "m_cpu_util") / 100, 1.0)
        return dict(zip(ports, counters, strict=True)), count(whole, "m_total_queue_full"), share

    def _tally(self, direction: Direction, counters: PortCounters) -> Tally:
        sent = self._since_zero(direction.source, "opackets", counters)
        return Tally(sent=sent, received=self._since_zero(direction.sink, "ipackets", counters))

    def _since_zero(self, port: str, name: str, counters: PortCounters) -> int:
        since = counter(counters[port], name) - counter(self._zero[port], name)
        if since < 0:
            raise EngineError(
                f"the counters of port {port} went backwards", "T-Rex was restarted, or somebody cleared them"
            )
        return since

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

    def _on_each(self, method: str, ports: tuple[str, ...], **arguments: Any) -> list[Any]:
        """Return the results of a call that needs no ownership, for each port, with one message."""
        return self._rpc.batch([Call(method=method, arguments={"port_id": int(name), **arguments}) for name in ports])
