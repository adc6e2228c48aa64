"""A stand-in for a T-Rex server in stateful mode, with a device behind it that answers so many connections per second.

What it knows of T-Rex comes from the server's source (src/stx/astf, src/stt_cp.cpp) and from what a real one answered,
not from vppcfg.
"""

import base64
import json
import time
from collections import deque
from ipaddress import IPv4Address
from typing import Any

from tests.trex_server import Refusal, StandInTrex

IDLE, LOADED, PARSING, BUILDING, TRANSMITTING, CLEANING_UP, DELETING = range(7)
STATES = (
    "Idle", "Loaded profile", "Parsing profile", "Setup traffic", "Transmitting", "Cleanup traffic", "Delete profile",
)  # fmt: skip
COUNTERS = (
    "m_active_flows", "m_est_flows", "-TCP", "tcps_connattempt", "tcps_accepts", "tcps_connects", "tcps_closed",
    "tcps_sndbyte", "tcps_rcvbyte", "tcps_drops", "!tcps_conndrops", "!tcps_rexmttimeo_syn", "!tcps_keepdrops",
    "tcps_testdrops", "!tcps_nobody_knows_this", "-UDP", "udps_accepts", "udps_connects", "udps_closed",
    "udps_sndbyte", "udps_rcvbyte", "!udps_keepdrops", "-Application", "user_counter_A", "-Flow Table", "!err_cwf",
    "!err_no_template",
)  # fmt: skip
"""As T-Rex lists them: `-` before a heading, `!` before an error."""
HANDSHAKE_S, UDP_S = 5.0, 2.0
"""So long after it began a connection that nobody answers has failed."""
CLOSING_S = 0.1
SLICE_S = 0.02
"""Connections of so long begin together."""
STOP_S = 0.2
PACKETS_THERE, PACKETS_BACK = 5, 9
"""Of a connection that is answered."""
COMMANDS = {
    "tx": {"buf_index": int}, "rx": {"min_bytes": int}, "tx_msg": {"buf_index": int}, "rx_msg": {"min_pkts": int},
    "add_stats": {"stats_id": int, "val": int}, "delay": {"usec": int}, "keepalive": {"msec": int},
}  # fmt: skip


class Kind:
    """One template of the profile, with its connections under way."""

    def __init__(self, *, is_tcp: bool, weight: float, request: int, answer: int, open_s: float) -> None:
        self.is_tcp, self.weight, self.request, self.answer, self.open_s = is_tcp, weight, request, answer, open_s
        self.answered: deque[tuple[float, float]] = deque()
        self.unanswered: deque[tuple[float, float]] = deque()

        self._owed = self._owed_answers = 0.0

    def due(self, begun: float, share: float) -> tuple[int, int]:
        """Return how many whole connections begin, and are answered, when so much of them does."""
        self._owed += begun
        number = int(self._owed)
        self._owed -= number
        self._owed_answers += number * share
        answered = min(int(self._owed_answers + 1e-9), number)
        self._owed_answers -= answered
        return number, answered

    @property
    def under_way(self) -> float:
        return sum(number for _, number in (*self.answered, *self.unanswered))


class StandInStateful(StandInTrex):
    """The server; its ports are lent all at once."""

    def __init__(self, *, capacity_cps: float = 1e6, ports: int = 2, api: tuple[int, int] = (2, 3)) -> None:
        super().__init__(ports=ports, api=api, mode="ASTF")
        self.capacity_cps = capacity_cps
        self.state = IDLE
        self.profile = ""
        self.starts: list[dict[str, Any]] = []
        self.loaded: list[dict[str, Any]] = []
        self.is_stubborn = False
        """Whether it goes on when it is told to stop."""
        self.flow_table_errors = 3
        """What the flow table has counted before: it is never set to 0."""
        self._handler = ""
        self._rate_cps = 0.0
        self._latency_pps = 0.0
        self._rests_at_s = 0.0
        self._ends_at_s = float("inf")
        self._kinds: list[Kind] = []
        self._values: dict[str, dict[str, float]] = {}
        self._is_described = False
        self._events: list[dict[str, Any]] = []
        self._probes = 0.0

    @property
    def is_idle(self) -> bool:
        with self._lock:
            self._advance()
            is_told_to_stop = self.state == TRANSMITTING and self._rests_at_s > 0 and not self.is_stubborn
            is_at_rest = self.state in (IDLE, LOADED) or is_told_to_stop
            return not self._handler and is_at_rest and self.is_owned_by_nobody

    # time

    def _advance(self) -> None:
        now = time.monotonic()
        since_s = self._counted_s
        super()._advance()
        if self.state == TRANSMITTING:
            self._transmit(since_s, now)
            if self._rests_at_s and now >= self._rests_at_s and not self.is_stubborn:
                self._cut()
            elif now >= self._ends_at_s and not any(kind.under_way >= 1 for kind in self._kinds):
                self._come_to_rest()

    def _transmit(self, since_s: float, now_s: float) -> None:
        until_s = min(now_s, self._ends_at_s, self._rests_at_s or now_s)
        duration_s = max(until_s - since_s, 0.0)
        share = min(self.capacity_cps / self._rate_cps, 1.0) if self._rate_cps else 0.0
        weight = sum(kind.weight for kind in self._kinds)
        for kind in self._kinds:
            slices = int(duration_s / SLICE_S) + 1
            for number in range(1, slices + 1):
                begun, answered = kind.due(self._rate_cps * kind.weight / weight * duration_s / slices, share)
                self._begin(kind, begun, answered, since_s + number * duration_s / slices)
            self._end(kind, now_s)
        self._probes += self._latency_pps * duration_s

    def _begin(self, kind: Kind, begun: float, answered: float, at_s: float) -> None:
        names = ("tcps_connattempt", "tcps_sndbyte", "tcps_rcvbyte") if kind.is_tcp else (
            "udps_connects", "udps_sndbyte", "udps_rcvbyte",
        )  # fmt: skip
        self._add(names[0], begun)
        self._add(names[1], answered * kind.request if kind.is_tcp else begun * kind.request)
        self._add(names[2], answered * kind.answer)
        self._add("user_counter_A", answered)
        self._add("user_counter_A", answered, "server")
        self._add("tcps_accepts" if kind.is_tcp else "udps_accepts", answered, "server")
        if kind.is_tcp:
            self._add("tcps_connects", answered)
            self._add("tcps_rexmttimeo_syn", 2 * (begun - answered))
        kind.answered.append((at_s + CLOSING_S + kind.open_s, answered))
        kind.unanswered.append((at_s + (HANDSHAKE_S if kind.is_tcp else UDP_S), begun - answered))
        self.ports[0].sent += PACKETS_THERE * answered + (begun - answered)
        self.ports[1].received += PACKETS_THERE * answered
        self.ports[1].sent += PACKETS_BACK * answered
        self.ports[0].received += PACKETS_BACK * answered

    def _end(self, kind: Kind, now_s: float) -> None:
        closed = "tcps_closed" if kind.is_tcp else "udps_closed"
        while kind.answered and kind.answered[0][0] <= now_s:
            self._add(closed, kind.answered.popleft()[1])
        while kind.unanswered and kind.unanswered[0][0] <= now_s:
            self._fail(kind, kind.unanswered.popleft()[1])

    def _fail(self, kind: Kind, number: float) -> None:
        self._add("tcps_closed" if kind.is_tcp else "udps_closed", number)
        for name in ("tcps_conndrops", "tcps_keepdrops") if kind.is_tcp else ("udps_keepdrops",):
            self._add(name, number)

    def _cut(self) -> None:
        """End what is under way, as T-Rex does when it is told to stop; UDP leaves no trace of that."""
        for kind in self._kinds:
            if kind.is_tcp:
                self._add("tcps_closed", kind.under_way)
                self._add("tcps_testdrops", kind.under_way)
        self._come_to_rest()

    def _come_to_rest(self) -> None:
        for kind in self._kinds:
            kind.answered.clear()
            kind.unanswered.clear()
        self.state, self._rate_cps, self._rests_at_s = LOADED, 0.0, 0.0
        self._latency_pps = 0.0

    def _add(self, name: str, number: float, side: str = "client") -> None:
        self._values[side][name] = self._values[side].get(name, 0.0) + number

    # ownership

    def rpc_acquire(self, arguments: dict[str, Any]) -> Any:
        user, force = self._need(arguments, "user", str), self._need(arguments, "force", bool)
        self._need(arguments, "session_id", int)
        if self._handler and not force:
            raise Refusal("context is already taken (use 'force' argument to override)")
        self._handler = self._letters()
        for port in self.ports:
            port.owner, port.handler = user, self._letters()
        return {"handler": self._handler, "ports": {str(port.index): port.handler for port in self.ports}}

    def rpc_release(self, arguments: dict[str, Any]) -> Any:
        self._must_own(arguments)
        self._handler = ""
        for port in self.ports:
            port.owner = port.handler = ""
        return None

    def take_away(self, user: str) -> None:
        """Let somebody else take the server."""
        self._handler = self._letters()
        for port in self.ports:
            port.owner, port.handler = user, self._letters()

    def restart(self) -> None:
        super().restart()
        with self._lock:
            self._handler, self.state = "", IDLE

    def _must_own(self, arguments: dict[str, Any]) -> None:
        if not self._handler or self._need(arguments, "handler", str) != self._handler:
            raise Refusal("must acquire the context for this operation")

    def _must_be(self, *states: int) -> None:
        if self.state not in states:
            several = " one of following" if len(states) > 1 else ""
            wanted = ",".join(STATES[state] for state in states)
            raise Refusal(f"Invalid state: {STATES[self.state]}, should be{several}: {wanted}")

    # the profile

    def rpc_sync(self, arguments: dict[str, Any]) -> Any:
        state = self.state
        if self.state == PARSING:
            self.state = BUILDING
        elif self.state == BUILDING:
            self._build()
        return {"epoch": len(self.starts), "state": state, "state_profile": {"_": state}}

    def _build(self) -> None:
        try:
            self._kinds = self._parsed(json.loads(self.profile))
        except (Refusal, ValueError, LookupError, TypeError) as error:
            self.state = LOADED
            text = f"Profile parsing error: {error}"
            self._events.append(
                {"name": "trex-event", "type": 60, "data": {"profile_id": "_", "state": 1, "error": text}}
            )
            return
        start = self.starts[-1]
        self.loaded.append(json.loads(self.profile))
        self.state = TRANSMITTING
        self._values = {side: {"err_cwf": float(self.flow_table_errors)} for side in ("client", "server")}
        self._is_described = True
        self._counted_s = time.monotonic()
        self._ends_at_s = self._counted_s + start["duration"] if start["duration"] > 0 else float("inf")
        self._rests_at_s = self._probes = 0.0
        self._latency_pps = float(start["latency_pps"])
        self._set_rate(start["mult"])

    def _set_rate(self, multiplier: float) -> None:
        self._rate_cps = multiplier * sum(kind.weight for kind in self._kinds)

    def _parsed(self, profile: dict[str, Any]) -> list[Kind]:
        """Return the templates of a profile. Raise Refusal for one that T-Rex would not take."""
        buffers = [self._buffer_bytes(buffer) for buffer in profile["buf_list"]]
        sides = [each["dir"] for each in profile["ip_gen_dist_list"]]
        for each in profile["ip_gen_dist_list"]:
            if IPv4Address(each["ip_start"]) > IPv4Address(each["ip_end"]) or each["distribution"] != "seq":
                raise Refusal("bad ip range")
            IPv4Address(each["ip_offset"])
        if sides != ["c", "s"]:
            raise Refusal("No valid ip range for latency")
        programs = profile["program_list"]
        ports = [template["client_template"]["port"] for template in profile["templates"]]
        if len(set(ports)) != len(ports):
            raise Refusal("two templates have the same port")
        return [self._kind(template, programs, buffers) for template in profile["templates"]]

    @staticmethod
    def _buffer_bytes(buffer: Any) -> int:
        if isinstance(buffer, str):
            return len(base64.b64decode(buffer, validate=True))
        base64.b64decode(buffer["fill"], validate=True)
        if len(base64.b64decode(buffer["base"], validate=True)) > buffer["size"]:
            raise Refusal("size is less than base")
        return int(buffer["size"])

    def _kind(self, template: dict[str, Any], programs: list[Any], buffers: list[int]) -> Kind:
        client, server = template["client_template"], template["server_template"]
        if client["cps"] < 0.5 or server["assoc"] != [{"port": client["port"]}]:
            raise Refusal("a bad template")
        asks, answers = programs[client["program_index"]], programs[server["program_index"]]
        if asks.get("stream", True) != answers.get("stream", True):
            raise Refusal("client and server differ in their protocol")
        for command in (*asks["commands"], *answers["commands"]):
            for key, kind in COMMANDS[command["name"]].items():
                self._need(command, key, kind)
        sent = {command["name"]: command for command in asks["commands"]}
        said = {command["name"]: command for command in answers["commands"]}
        is_tcp = asks.get("stream", True)
        request = buffers[sent["tx" if is_tcp else "tx_msg"]["buf_index"]]
        answer = buffers[said["tx" if is_tcp else "tx_msg"]["buf_index"]]
        if is_tcp and (sent["rx"]["min_bytes"] > answer or said["rx"]["min_bytes"] > request):
            raise Refusal("a side waits for more than it gets")
        open_s = sent.get("delay", {"usec": 0})["usec"] / 1e6
        return Kind(is_tcp=is_tcp, weight=client["cps"], request=request, answer=answer, open_s=open_s)

    def rpc_profile_fragment(self, arguments: dict[str, Any]) -> Any:
        self._must_own(arguments)
        self._must_be(IDLE, LOADED)
        if arguments.get("frag_first"):
            self.profile = ""
        self.profile += self._need(arguments, "fragment", str)
        self.state = LOADED if arguments.get("frag_last") else IDLE
        return None

    def rpc_profile_clear(self, arguments: dict[str, Any]) -> Any:
        self._must_own(arguments)
        self._must_be(IDLE, LOADED)
        self.state, self.profile, self._values = IDLE, "", {}
        return None

    def rpc_start(self, arguments: dict[str, Any]) -> Any:
        self._must_own(arguments)
        self._must_be(LOADED)
        for key, kind in (
            ("mult", float), ("duration", float), ("nc", bool), ("latency_pps", int), ("ipv6", bool),
            ("client_mask", int),
        ):  # fmt: skip
            self._need(arguments, key, kind)
        self.starts.append(arguments)
        self.state = PARSING
        return None

    def rpc_update(self, arguments: dict[str, Any]) -> Any:
        self._must_own(arguments)
        self._must_be(TRANSMITTING)
        multiplier = self._need(arguments, "mult", float)
        if multiplier <= 0:
            raise Refusal("Ratio between current rate and new one is invalid.")
        self._set_rate(multiplier)
        return None

    def rpc_stop(self, arguments: dict[str, Any]) -> Any:
        """Take note; T-Rex ignores this while it parses and builds."""
        self._must_own(arguments)
        if self.state == TRANSMITTING and not self._rests_at_s:
            self._rests_at_s = time.monotonic() + STOP_S
            self._rate_cps = 0.0
        return None

    # what was counted

    def rpc_get_async_events(self, arguments: dict[str, Any]) -> Any:
        self._need(arguments, "user", str)
        self._need(arguments, "session_id", int)
        events, self._events = self._events, []
        return {"data": events}

    def rpc_get_counter_desc(self, arguments: dict[str, Any]) -> Any:
        if not self._is_described:
            raise Refusal("Statistics are not initialized yet")
        return {"name": "counter desc", "data": [self._description(*each) for each in enumerate(COUNTERS)]}

    @staticmethod
    def _description(number: int, name: str) -> dict[str, Any]:
        return {
            "id": number, "name": name.lstrip("-!"), "help": f"help of {name.lstrip('-!')}", "units": "", "zero": False,
            "info": "error" if name.startswith("!") else "info", "real": not name.startswith("-"), "abs": True,
        }  # fmt: skip

    def rpc_get_counter_values(self, arguments: dict[str, Any]) -> Any:
        values = {"name": "counter vals", "epoch": len(self.starts)}
        numbers = {name.lstrip("-!"): str(number) for number, name in enumerate(COUNTERS)}
        for side in ("client", "server"):
            counted = dict(self._values.get(side, {}))
            if side == "client" and counted:
                counted["m_active_flows"] = sum(kind.under_way for kind in self._kinds)
            values[side] = {numbers[name]: int(value) for name, value in counted.items() if int(value)}
        return values

    def rpc_get_latency_stats(self, arguments: dict[str, Any]) -> Any:
        data: dict[str, Any] = {"cpu_util": 0.0, "epoch": 1, "unknown": 0}
        number = int(self._probes)
        for port in self.ports:
            classes = [{"key": 20, "val": number - number // 10}, {"key": 100, "val": number // 10}]
            data[f"port-{port.index}"] = {
                "hist": {
                    "cnt": number, "high_cnt": number, "histogram": classes, "max_usec": 140, "min_usec": 10,
                    "s_avg": 35.5, "s_max": 120.0,
                },
                "stats": {"m_pkt_ok": number, "m_tx_pkt_ok": number, "m_jitter": 4, "m_seq_error": 0},
            }  # fmt: skip
        return {"name": "trex-latecny-v2", "type": 0, "data": data}
