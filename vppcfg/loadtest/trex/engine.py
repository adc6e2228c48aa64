"""T-Rex as an engine: ports taken and given back, streams loaded, load changed, counters read."""

from __future__ import annotations

import getpass
import logging
import os
import random
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from vppcfg.errors import EngineError
from vppcfg.loadtest.clock import Clock
from vppcfg.loadtest.engine import Count, Delay, Direction, Generator, Port, Tally, Traffic
from vppcfg.loadtest.trex.channel import Channel, UnreachableError, host_and_port
from vppcfg.loadtest.trex.guard import Guard
from vppcfg.loadtest.trex.latency import delay_of
from vppcfg.loadtest.trex.ports import RUNNING, port_of, refuse_unusable, refuse_way_out
from vppcfg.loadtest.trex.rpc import Call, Rpc
from vppcfg.loadtest.trex.streams import group_of, streams_of

log = logging.getLogger(__name__)

_RX_FILTER_PAUSE_S = 0.1
"""T-Rex's client waits so long for late packets before it removes filters."""


class TrexEngine:
    """A T-Rex server in stateless mode."""

    def __init__(
        self, server: str, clock: Clock, *, is_forced: bool = False, is_guarded: bool = False, root: Path
    ) -> None:
        """With `is_guarded`, another process gives the ports back if this one is killed."""
        self._server = server
        self._is_guarded = is_guarded
        self._guard: Guard | None = None
        self._host, port = host_and_port(server)
        self._channel = Channel(self._host, port)
        self._clock = clock
        self._is_forced = is_forced
        self._root = root
        self._rpc: Rpc | None = None
        self._generator: Generator | None = None
        self._handlers: dict[str, str] = {}
        self._was_promiscuous: dict[str, bool] = {}
        self._traffic: Traffic | None = None
        self._zero: Mapping[str, Mapping[str, Any]] = {}
        self._zero_full = 0

    def describe(self) -> Generator:
        """Return the server and its ports."""
        if self._generator is None:
            self._rpc = Rpc(self._channel, self._clock)
            version = self._rpc.connect()
            facts = self._rpc.call("get_system_info")
            self._generator = self._described(version, facts)
        return self._generator

    def acquire(self, ports: tuple[str, ...]) -> None:
        """Take the ports, and leave no traffic and no stream on them."""
        chosen = tuple(self._port(name) for name in ports)
        refuse_way_out(self._host, chosen, self._root)
        states = dict(zip(ports, self._on_each("get_port_status", ports, block=False), strict=True))
        for name, status in states.items():
            refuse_unusable(name, status, is_forced=self._is_forced)
        self._take(ports)
        for name, status in states.items():
            if status.get("state") in RUNNING:
                self._owned("stop_traffic", (name,))
            self._make_promiscuous(name, status)
        self._owned("remove_all_streams", ports)

    def prepare(self, traffic: Traffic) -> None:
        """Load the streams of each direction on the port that sends it, and begin to count at zero."""
        self._owned("remove_all_streams", tuple(self._handlers))
        self._remote.batch(
            [
                self._owned_call("add_stream", direction.source, stream_id=number, stream=stream)
                for direction in traffic.directions
                for number, stream in enumerate(streams_of(traffic, direction), start=1)
            ]
        )
        self._traffic = traffic
        self._zero, self._zero_full, _ = self._counters()

    def start(self, load_pps: float, limit_s: float) -> None:
        """Start on all ports with one message."""
        multiplier = self._multiplier(load_pps)
        self._owned("start_traffic", self._sources, mul=multiplier, duration=limit_s, force=False)

    def update(self, load_pps: float) -> None:
        """Change the load on all ports with one message."""
        self._owned("update_traffic", self._sources, mul=self._multiplier(load_pps), force=False)

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
        found = self._call("get_pgid_stats", pgids=groups)
        return tuple(
            delay_of(direction, group, found) for direction, group in zip(self._directions, groups, strict=True)
        )

    def stop(self) -> None:
        """Stop the traffic of our ports; T-Rex takes that on a port without traffic too."""
        ports = tuple(self._handlers)
        if ports:
            self._owned("stop_traffic", ports)
        if ports and self._traffic is not None and self._traffic.latency_pps:
            self._clock.sleep(_RX_FILTER_PAUSE_S)

    def release(self) -> None:
        """Remove our streams, give all ports back and close the connection. Raise EngineError when that failed."""
        try:
            self._give_back()
        finally:
            self._handlers = {}
            self._traffic = None
            self._generator = self._rpc = None
            self._channel.close()
            self._dismiss()

    def _take(self, ports: tuple[str, ...]) -> None:
        self._guard = Guard(self._server) if self._is_guarded else None
        session = random.SystemRandom().randrange(1, 2**31)
        for name in ports:
            self._handlers[name] = self._call(
                "acquire", port_id=int(name), user=_user(), session_id=session, force=self._is_forced
            )
            if self._guard is not None:
                self._guard.watch(self._handlers)

    def _give_back(self) -> None:
        failure: EngineError | None = None
        for name in tuple(self._handlers):
            try:
                self._tidy(name)
                self._owned("release", (name,))
            except UnreachableError:
                raise
            except EngineError as error:
                failure = failure or error
        if failure is not None:
            raise failure

    def _dismiss(self) -> None:
        if self._guard is not None:
            self._guard.dismiss()
            self._guard = None

    def _tidy(self, name: str) -> None:
        """Remove what we put on a port; a port that does not want that is released all the same."""
        calls = [self._owned_call("remove_all_streams", name)]
        if self._traffic is not None and self._traffic.latency_pps:
            calls.insert(0, self._owned_call("remove_rx_filters", name, profile_id="_"))
        if self._was_promiscuous.pop(name, True) is False:
            calls.append(self._owned_call("set_port_attr", name, attr={"promiscuous": {"enabled": False}}))
        try:
            self._remote.batch(calls)
        except UnreachableError:
            raise
        except EngineError as error:
            log.debug("port %s: %s", name, error.message)

    def _described(self, version: str, facts: Mapping[str, Any]) -> Generator:
        ports = facts.get("ports") or []
        names = tuple(str(port.get("index", place)) for place, port in enumerate(ports))
        states = self._on_each("get_port_status", names, block=False)
        return Generator(
            engine="trex",
            version=version,
            server=self._channel.peer,
            ports=tuple(
                sorted(
                    (port_of(port, status) for port, status in zip(ports, states, strict=True)),
                    key=lambda port: int(port.name),
                )
            ),
            cores=facts.get("dp_core_count"),
            facts=(f"{facts.get('core_type', 'unknown CPU')} on {facts.get('hostname', 'an unknown host')}",),
        )

    def _port(self, name: str) -> Port:
        port = self.describe().port(name)
        if port is None:
            known = ", ".join(port.name for port in self.describe().ports)
            raise EngineError(f"T-Rex at {self._channel.peer} has no port {name}", f"its ports are: {known}")
        return port

    def _make_promiscuous(self, name: str, status: Mapping[str, Any]) -> None:
        """Have a port take frames for any address, as it gets them through a cross-connect."""
        mode = (status.get("attr") or {}).get("promiscuous") or {}
        if mode.get("enabled") is False:
            with suppress(EngineError):  # drivers of some virtual ports cannot; most frames arrive all the same
                self._owned("set_port_attr", (name,), attr={"promiscuous": {"enabled": True}})
                self._was_promiscuous[name] = False

    def _counters(self) -> tuple[Mapping[str, Mapping[str, Any]], int, float | None]:
        """Return the counters of our ports, how often a queue was full, and the load of the cores that send."""
        ports = tuple(self._handlers)
        calls = [Call(method="get_port_stats", arguments={"port_id": int(name)}) for name in ports]
        *counters, whole = self._remote.batch([*calls, Call(method="get_global_stats", arguments={})])
        cpu = whole.get("m_cpu_util")
        share = None if cpu is None else float(cpu) / 100
        return dict(zip(ports, counters, strict=True)), int(whole.get("m_total_queue_full") or 0), share

    def _tally(self, direction: Direction, counters: Mapping[str, Mapping[str, Any]]) -> Tally:
        sent = self._since_zero(direction.source, "opackets", counters)
        return Tally(sent=sent, received=self._since_zero(direction.sink, "ipackets", counters))

    def _since_zero(self, port: str, name: str, counters: Mapping[str, Mapping[str, Any]]) -> int:
        count = int(counters[port][name]) - int(self._zero[port][name])
        if count < 0:
            raise EngineError(
                f"the counters of port {port} went backwards", "T-Rex was restarted, or somebody cleared them"
            )
        return count

    def _multiplier(self, load_pps: float) -> dict[str, Any]:
        """Return a load for T-Rex, whose rate of a port includes the streams that measure latency."""
        latency_pps = self._traffic.latency_pps if self._traffic else 0.0
        return {"type": "pps", "op": "abs", "value": load_pps + latency_pps}

    @property
    def _remote(self) -> Rpc:
        if self._rpc is None:
            self.describe()
        assert self._rpc is not None
        return self._rpc

    @property
    def _directions(self) -> tuple[Direction, ...]:
        return self._traffic.directions if self._traffic else ()

    @property
    def _sources(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(direction.source for direction in self._directions))

    def _call(self, method: str, **arguments: Any) -> Any:
        return self._remote.call(method, **arguments)

    def _on_each(self, method: str, ports: tuple[str, ...], **arguments: Any) -> list[Any]:
        """Return the results of a call that needs no ownership, for each port."""
        return self._remote.batch(
            [Call(method=method, arguments={"port_id": int(name), **arguments}) for name in ports]
        )

    def _owned(self, method: str, ports: tuple[str, ...], **arguments: Any) -> list[Any]:
        """Return the results of a call that only the owner may make, for each port."""
        return self._remote.batch([self._owned_call(method, name, **arguments) for name in ports])

    def _owned_call(self, method: str, port: str, **arguments: Any) -> Call:
        return Call(method=method, arguments={"port_id": int(port), "handler": self._handlers[port], **arguments})


def _user() -> str:
    """Return who a port belongs to, as other users of T-Rex see it."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = str(os.getuid())
    return f"{name}-vppcfg"
