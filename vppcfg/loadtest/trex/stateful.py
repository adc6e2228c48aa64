"""T-Rex in advanced stateful mode (ASTF) as an engine: a profile loaded, its rate changed, connections counted."""

from __future__ import annotations

import logging
import random
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from vppcfg.common.clock import Clock
from vppcfg.errors import EngineError, UsageError
from vppcfg.loadtest.engine import Delay, Generator
from vppcfg.loadtest.stateful.engine import ConnectionCount, ErrorCount, StatefulCount, StatefulTraffic
from vppcfg.loadtest.trex.answers import count, flag, items, measure, section, text
from vppcfg.loadtest.trex.channel import UnreachableError
from vppcfg.loadtest.trex.connections import ANSWERED, icmp_delay, profile_json
from vppcfg.loadtest.trex.guard import CONTEXT, Guard
from vppcfg.loadtest.trex.lease import refuse_default_routes, refuse_unusable, user_name
from vppcfg.loadtest.trex.profile_state import (
    AT_REST,
    PATIENCE_S,
    PAUSE_S,
    PROFILE,
    ProfileState,
    clear,
    state_of,
    stop_and_wait,
)
from vppcfg.loadtest.trex.rpc import STATEFUL, Call, Rpc
from vppcfg.loadtest.trex.server import PortReading, TrexServer, tally_since
from vppcfg.record import record

SIDES = ("client", "server")
_MOST_COUNTERS = 1000
"""T-Rex has some 120."""
_NEEDED = (
    "m_active_flows",
    "tcps_connattempt",
    "tcps_connects",
    "tcps_closed",
    "udps_connects",
    "udps_closed",
    ANSWERED,
)
"""Counters without which no test can be judged."""
_BEGUN = ("tcps_connattempt", "udps_connects")
_ESTABLISHED = ("tcps_connects", "udps_connects")
_ENDED = ("tcps_closed", "udps_closed")
_FAILED = ("tcps_drops", "tcps_conndrops", "tcps_testdrops", "udps_keepdrops")
"""Dropped once established, dropped before, cut when the test ended, and left without an answer."""
_SENT = ("tcps_sndbyte", "udps_sndbyte")
_RECEIVED = ("tcps_rcvbyte", "udps_rcvbyte")
_SECTIONS = {"TCP": "TCP", "UDP": "UDP", "Application": "application", "Flow Table": "flow table"}
_OTHER = "other"
_MEANINGS = {
    "tcps_conndrops": "handshakes given up or refused",
    "tcps_drops": "connections dropped once established",
    "tcps_timeoutdrop": "connections given up after retransmissions",
    "tcps_testdrops": "connections cut because they had not ended when the test did",
    "tcps_rexmttimeo": "retransmissions of data because no acknowledgement came",
    "tcps_rexmttimeo_syn": "retransmissions of a SYN because no answer came",
    "tcps_keeptimeo": "timers for handshakes and idle connections that ran out",
    "tcps_keepdrops": "connections dropped by such a timer",
    "tcps_sndrexmitpack": "packets sent again",
    "tcps_sndrexmitbyte": "bytes sent again",
    "tcps_rcvoopack": "packets received out of order",
    "tcps_rcvoobyte": "bytes received out of order",
    "tcps_rcvduppack": "packets received twice",
    "tcps_rcvdupbyte": "bytes received twice",
    "tcps_rcvdupack": "acknowledgements received twice",
    "tcps_rcvafterclose": "packets received for closed connections",
    "tcps_rcvbadsum": "packets received with a wrong TCP checksum",
    "udps_keepdrops": "connections that got no answer",
    "err_cwf": "packets for connections that the client does not know any more",
    "err_no_syn": "packets for connections that the server does not know",
    "err_no_template": "connections to a port without a server",
    "err_no_memory": "connections not begun for lack of memory",
    "err_dct": "connections not begun because addresses and ports were in use: more clients are needed",
    "err_c_tuple_err": "connections not begun because no client had a port left: more clients are needed",
    "err_c_nf_throttled": "connections not begun because T-Rex was too busy",
    "err_s_nf_throttled": "connections not taken because T-Rex was too busy",
    "err_flow_overflow": "connections not begun because there were too many",
    "err_l3_cs": "packets received with a wrong IP checksum",
    "err_l4_cs": "packets received with a wrong TCP or UDP checksum",
}
"""In an operator's words; of counters that are not here T-Rex's own help is shown."""


@record
class Described:
    """One counter."""

    number: str
    name: str
    protocol: str
    help: str
    is_error: bool


@record
class FlowCounters:
    """All counters of both sides at a moment, by name; those that are 0 may be missing."""

    by_side: Mapping[str, Mapping[str, float]]

    def of(self, side: str, *names: str) -> int:
        """Return the sum of counters of a side."""
        values = self.by_side[side]
        return int(sum(values.get(name, 0.0) for name in names))


def described_counters(answer: object) -> tuple[Described, ...]:
    """Return the counters that a server has. Raise EngineError when one is missing that tests are judged by."""
    rows = items(section(answer), "data")
    if len(rows) > _MOST_COUNTERS:
        raise EngineError(f"T-Rex reports {len(rows)} counters, which it cannot have")
    found = tuple(_described(rows))
    names = {counter.name for counter in found}
    missing = [name for name in _NEEDED if name not in names]
    if missing:
        raise EngineError(f"T-Rex has no counter {missing[0]}", "is it one of version 3.00 to 3.08?")
    return found


def _described(rows: Any) -> Iterator[Described]:
    """Yield the counters; rows that are none are headings of those behind them."""
    protocol = _OTHER
    for row in rows:
        name = text(row, "name")
        if row.get("real") is False:
            protocol = _SECTIONS.get(name, protocol)
            continue
        yield Described(
            number=str(count(row, "id")),
            name=name,
            protocol=protocol,
            help=text(row, "help"),
            is_error=text(row, "info") == "error",
        )


def read_counters(described: tuple[Described, ...], answer: object) -> FlowCounters:
    """Return the counters in the answer of a server that described them. Raise EngineError."""
    by_number = {counter.number: counter.name for counter in described}
    by_side = {}
    for side in SIDES:
        values = section(answer, side)
        by_side[side] = {by_number[number]: measure(values, number) for number in values if number in by_number}
    return FlowCounters(by_side=by_side)


def connections_of(counters: FlowCounters) -> ConnectionCount:
    """Return what clients counted."""
    return ConnectionCount(
        begun=counters.of("client", *_BEGUN),
        established=counters.of("client", *_ESTABLISHED),
        answered=counters.of("client", ANSWERED),
        ended=counters.of("client", *_ENDED),
        failed=counters.of("client", *_FAILED),
        sent_bytes=counters.of("client", *_SENT),
        received_bytes=counters.of("client", *_RECEIVED),
    )


def open_now(counters: FlowCounters) -> int:
    """Return how many connections clients have at this moment."""
    return counters.of("client", "m_active_flows")


def errors_since(described: tuple[Described, ...], now: FlowCounters, zero: FlowCounters) -> tuple[ErrorCount, ...]:
    """Return the errors of both sides that are not 0.

    T-Rex begins to count TCP and UDP anew with each test, but goes on with its flow table: `zero` is what it had.
    """
    return tuple(
        ErrorCount(
            side=side,
            protocol=counter.protocol,
            name=counter.name,
            meaning=_MEANINGS.get(counter.name, counter.help),
            count=number,
        )
        for side in SIDES
        for counter in described
        if (counter.is_error or counter.name in _FAILED)
        and (number := now.of(side, counter.name) - zero.of(side, counter.name)) > 0
    )


log = logging.getLogger(__name__)

_LONGEST_ERROR = 1000


class TrexContext:
    """The server with the handlers that it gave us: one for everything, and one for each port."""

    def __init__(self, rpc: Rpc, guard: Guard | None, clock: Clock) -> None:
        """With a guard, another process gives the server back if this one is killed."""
        self._rpc = rpc
        self._guard = guard
        self._clock = clock
        self._handler = ""
        self._port_handlers: dict[str, str] = {}
        self._made_promiscuous: set[str] = set()
        self._session = random.SystemRandom().randrange(1, 2**31)

    @property
    def is_ours(self) -> bool:
        """Return whether the server is ours."""
        return bool(self._handler)

    def take(self, states: Mapping[str, object], *, is_forced: bool) -> None:
        """Take the server, and leave no traffic and no profile on it; `states` are those of the ports to be used."""
        taken = self._rpc.call("acquire", user=user_name(), session_id=self._session, force=is_forced)
        self._handler = text(section(taken), "handler")
        if not self._handler:
            raise EngineError("no user owns T-Rex's ports", "is it one of version 3.00 to 3.08?")
        if self._guard is not None:
            self._guard.watch({CONTEXT: self._handler})
        self._port_handlers = {name: text(section(taken, "ports"), name) for name in section(taken, "ports")}
        clear(self._rpc, self._handler, self._clock)
        for name, status in states.items():
            if flag(section(status, "attr", "promiscuous"), "enabled") is False:
                with suppress(EngineError):  # drivers of some virtual ports cannot; most frames arrive all the same
                    self._set_promiscuous(name, is_on=True)
                    self._made_promiscuous.add(name)

    def call(self, method: str, **arguments: Any) -> Any:
        """Return the result of a call about the profile, which only the owner may make."""
        return self._rpc.call(method, handler=self._handler, profile_id=PROFILE, **arguments)

    def load(self, document: str) -> None:
        """Give the server a profile, in place of one that it has."""
        clear(self._rpc, self._handler, self._clock)
        self.call("profile_fragment", fragment=document, frag_first=True, frag_last=True)

    def start(self, **arguments: Any) -> None:
        """Start the profile and wait until it transmits. Raise EngineError with the server's answer if it does not.

        Why it does not is in an event only, so those before are read and forgotten first.
        """
        self._events()
        self.call("start", **arguments)
        until_s = self._clock.now() + PATIENCE_S
        while (state := state_of(self._rpc)) is not ProfileState.TRANSMITTING:
            if state in AT_REST or self._clock.now() >= until_s:
                errors = [text(section(event, "data"), "error") for event in self._events()]
                refusal = " ".join(" ".join(errors).split())[:_LONGEST_ERROR]
                raise EngineError("T-Rex does not start the profile", f"T-Rex's answer: {refusal or 'none'}")
            self._clock.sleep(PAUSE_S)

    def stop(self) -> None:
        """Stop the traffic; safe to call at any time."""
        if self.is_ours:
            stop_and_wait(self._rpc, self._handler, self._clock)

    def release(self) -> None:
        """Release the server. Raise EngineError when that failed; the guard goes on trying if the server is away."""
        if not self.is_ours:
            if self._guard is not None:
                self._guard.dismiss()
            return
        try:
            self._tidy_up()
            self._rpc.call("release", handler=self._handler)
        except UnreachableError:
            if self._guard is not None:
                self._guard.take_over()
            raise
        except EngineError:
            if self._guard is not None:
                self._guard.dismiss()
            raise
        else:
            if self._guard is not None:
                self._guard.dismiss()
        finally:
            self._handler, self._port_handlers = "", {}

    def _tidy_up(self) -> None:
        """Bring everything back as it was; a server that does not want to be tidied up is released all the same."""
        for name in (None, *sorted(self._made_promiscuous)):
            try:
                if name is None:
                    clear(self._rpc, self._handler, self._clock)
                else:
                    self._set_promiscuous(name, is_on=False)
            except UnreachableError:
                raise
            except EngineError as error:
                log.debug("T-Rex: %s", error.message)

    def _set_promiscuous(self, name: str, *, is_on: bool) -> None:
        """Have a port take frames for any address, or not: its own is another than that in its configuration."""
        arguments = {
            "port_id": int(name),
            "handler": self._port_handlers.get(name, ""),
            "attr": {"promiscuous": {"enabled": is_on}},
        }
        self._rpc.batch([Call(method="set_port_attr", arguments=arguments)])

    def _events(self) -> list[Mapping[str, Any]]:
        """Return the server's events since the last time; the first time it begins to collect them for us."""
        reply = self._rpc.call("get_async_events", user=user_name(), session_id=self._session)
        return list(items(section(reply), "data"))


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
