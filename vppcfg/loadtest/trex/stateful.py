"""T-Rex in advanced stateful mode (ASTF) as an engine: a profile loaded, its rate changed, connections counted."""

from __future__ import annotations

from pathlib import Path

from vppcfg.common.clock import Clock
from vppcfg.errors import UsageError
from vppcfg.loadtest.engine import Delay, Generator
from vppcfg.loadtest.stateful.engine import ConnectionCount, ErrorCount, StatefulCount, StatefulTraffic
from vppcfg.loadtest.trex.connections import icmp_delay, profile_json
from vppcfg.loadtest.trex.context import TrexContext
from vppcfg.loadtest.trex.flow_counters import (
    Described,
    FlowCounters,
    connections_of,
    described_counters,
    errors_since,
    open_now,
    read_counters,
)
from vppcfg.loadtest.trex.guard import Guard
from vppcfg.loadtest.trex.lease import refuse_default_routes, refuse_unusable
from vppcfg.loadtest.trex.profile_state import PROFILE
from vppcfg.loadtest.trex.rpc import STATEFUL, Call
from vppcfg.loadtest.trex.server import PortReading, TrexServer, tally_since

_HARDLY_ANY_CPS = 1e-6
"""A rate at which no more connections begin; T-Rex takes no 0."""
_VALUES = "get_counter_values"
_NONE = FlowCounters(by_side={"client": {}, "server": {}})


class TrexStatefulEngine:
    """A T-Rex server in stateful mode."""

    def __init__(
        self, server: str, clock: Clock, *, is_forced: bool = False, is_guarded: bool = False, root: Path
    ) -> None:
        """With `is_guarded`, another process gives the server back if this one is killed."""
        self._address = server
        self._server = TrexServer(server, clock, STATEFUL)
        self._clock = clock
        self._is_forced = is_forced
        self._is_guarded = is_guarded
        self._root = root
        self._context = TrexContext(self._server.rpc, None, clock)
        self._ports: tuple[str, ...] = ()
        self._traffic: StatefulTraffic | None = None
        self._zero: PortReading | None = None
        self._described: tuple[Described, ...] = ()
        self._zero_flows = _NONE

    def describe(self) -> Generator:
        """Return the server and its ports."""
        return self._server.describe()

    def acquire(self, ports: tuple[str, ...]) -> None:
        """Take the whole server, for the sake of some of its ports, and leave no traffic on it."""
        chosen = tuple(self._server.port(name) for name in ports)
        _refuse_odd_pairs(ports)
        refuse_default_routes(self._server.host, chosen, self._root)
        every = self._server.states(tuple(port.name for port in self.describe().ports))
        for name, status in every.items():
            refuse_unusable(name, status, is_forced=self._is_forced, needs_link=name in ports)
        guard = Guard(self._address) if self._is_guarded else None
        self._context = TrexContext(self._server.rpc, guard, self._clock)
        self._context.take({name: every[name] for name in ports}, is_forced=self._is_forced)
        self._ports = ports

    def prepare(self, traffic: StatefulTraffic) -> None:
        """Load the profile, and begin to count at zero."""
        self._context.load(profile_json(traffic.profile))
        self._traffic = traffic
        self._described, self._zero_flows = (), _NONE
        self._zero, _ = self._server.read(self._ports)

    def start(self, rate_cps: float, limit_s: float) -> None:
        """Start, and return when the server transmits; it counts connections from then on."""
        assert self._traffic is not None
        self._context.start(
            mult=self._multiplier(rate_cps),
            duration=float(limit_s),
            nc=False,
            latency_pps=round(self._traffic.latency_pps),
            ipv6=False,
            client_mask=sum(1 << int(way.source) for way in self._traffic.directions if not way.is_return),
            e_duration=0.0,
            t_duration=0.0,
            dump_interval=0.0,
        )
        described = described_counters(self._server.rpc.call("get_counter_desc", profile_id=PROFILE))
        now = read_counters(described, self._server.rpc.call(_VALUES, profile_id=PROFILE))
        self._zero_flows, self._described = _flow_table(described, now), described

    def update(self, rate_cps: float) -> None:
        """Change the rate."""
        self._context.call("update", mult=self._multiplier(rate_cps))

    def stop_new_connections(self) -> None:
        """Lower the rate so far that no more connections begin; `stop` would cut those that are open."""
        self.update(_HARDLY_ANY_CPS)

    def count(self) -> StatefulCount:
        """Return the counters of the connections and of all ports, read with one message."""
        assert self._traffic is not None
        calls = [Call(method=_VALUES, arguments={"profile_id": PROFILE})] if self._described else []
        before_s = self._clock.now()
        reading, answers = self._server.read(self._ports, *calls)
        at_s = (before_s + self._clock.now()) / 2
        zero = self._zero or reading
        flows = read_counters(self._described, answers[0]) if answers else None
        return StatefulCount(
            at_s=at_s,
            connections=ConnectionCount() if flows is None else connections_of(flows),
            open_now=0 if flows is None else open_now(flows),
            tallies=tuple(tally_since(direction, reading, zero) for direction in self._traffic.directions),
            errors=self._errors(flows),
            cpu_share=reading.cpu_share,
            queue_full=max(reading.queue_full - zero.queue_full, 0),
        )

    def delays(self) -> tuple[Delay, ...]:
        """Return what stamped ICMP packets measured."""
        if self._traffic is None or not self._traffic.latency_pps:
            return ()
        found = self._server.rpc.call("get_latency_stats")
        return tuple(icmp_delay(direction, found) for direction in self._traffic.directions)

    def stop(self) -> None:
        """Stop the traffic; what is still open half a second later is cut."""
        self._context.stop()

    def release(self) -> None:
        """Give the server back and close the connection. Raise EngineError when that failed."""
        try:
            self._context.release()
        finally:
            self._context = TrexContext(self._server.rpc, None, self._clock)
            self._ports, self._traffic, self._zero, self._described = (), None, None, ()
            self._server.close()

    def _multiplier(self, rate_cps: float) -> float:
        """Return what T-Rex multiplies the rates of the profile with, one per unit of weight, to have a rate."""
        assert self._traffic is not None
        return rate_cps / self._traffic.profile.weight

    def _errors(self, flows: FlowCounters | None) -> tuple[ErrorCount, ...]:
        return () if flows is None else errors_since(self._described, flows, self._zero_flows)


def _refuse_odd_pairs(ports: tuple[str, ...]) -> None:
    """Raise UsageError unless each pair is one of T-Rex's own: an even port, and the next one."""
    for near, far in zip(ports[::2], ports[1::2], strict=True):
        if int(near) % 2 or int(far) != int(near) + 1:
            raise UsageError(
                f"ports {near} and {far} are no pair in stateful mode",
                "T-Rex has clients on ports 0, 2 and so on, and their servers on the next port: --ports 0,1",
            )


def _flow_table(described: tuple[Described, ...], now: FlowCounters) -> FlowCounters:
    """Return the counters of the flow table alone."""
    names = {counter.name for counter in described if counter.protocol == "flow table"}
    return FlowCounters(
        by_side={
            side: {name: value for name, value in values.items() if name in names}
            for side, values in now.by_side.items()
        }
    )
