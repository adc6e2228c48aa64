"""Remote procedure calls to a T-Rex server (JSON-RPC 2.0): handshake, single calls, several in one message, refusals.

Error texts, from trex-core 2.88 to 3.08, become an operator's words.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from vppcfg.common.clock import Clock
from vppcfg.errors import EngineError
from vppcfg.loadtest.trex.answers import count, section, text
from vppcfg.loadtest.trex.channel import TrexChannel
from vppcfg.record import record

_WITHOUT_HANDLE = frozenset({"api_sync_v2", "get_version", "ping"})
_PATIENCE_S = 20.0
_PAUSE_S = 0.3
_LONGEST_ANSWER = 1000
"""Characters of a refusal that are looked at and shown."""
_SERVER_API = re.compile(r"server:\s*'(\d+)\.(\d+)'")
TRY_AGAIN = -32001
WORK_IN_PROGRESS = -32002
_MEANINGS: tuple[tuple[str, str, str], ...] = (
    (
        r"API verification failed",
        "the T-Rex server was restarted in the meantime",
        "start the test again",
    ),
    (
        r"port is already taken by '(?P<owner>.*)'",
        "{port} belongs to {owner}",
        "--force takes it; their traffic stops",
    ),
    (
        r"port is already owned by another session of '(?P<owner>.*)'",
        "{port} belongs to another session of {owner}, one that runs or one that was killed",
        "--force takes it; traffic of that session stops",
    ),
    (
        r"port is not owned by you|please acquire the port",
        "another user took {port} over from this test",
        "see who works on this generator",
    ),
    (
        r"invalid port id",
        "T-Rex has no {port}",
        "name other ports with --ports",
    ),
    (
        r"Link state is DOWN|link is DOWN",
        "{port} has no link",
        "connect it, and see that the router's port is up",
    ),
    (
        r"dest MAC is invalid",
        "T-Rex does not know which MAC address to send to",
        "give {port} a dest_mac in trex_cfg.yaml, or an address and a gateway that answers",
    ),
    (
        r"exceeds port line rate: '(?P<rate>.*)'",
        "the load is more than {port} carries ({rate})",
        "lower it, or set the speed of the link with --link",
    ),
    (
        r"Effective bandwidth is zero",
        "T-Rex does not know how fast {port} is, as of a virtual one",
        "give loads in packets per second",
    ),
    (
        r"enforces a minimum rate of '(?P<rate>.*)'",
        "the load is less than the {rate} pps of the streams that measure latency",
        "raise the load, or lower --probe-rate",
    ),
    (
        r"Bad packet size",
        "T-Rex does not send frames of that size",
        "choose another --size",
    ),
    (
        r"cannot be executed on current state",
        "{port} is not in a state to do that",
        "see `portattr` and `stats` in trex-console",
    ),
    (
        r"server RPC configuration: 'ASTF'",
        "the T-Rex server runs in stateful mode (ASTF), where it has no streams",
        "start it without --astf: ./t-rex-64 -i",
    ),
    (
        r"server RPC configuration: 'STL'",
        "the T-Rex server runs in stateless mode (STL), where it makes no connections",
        "start it with --astf: ./t-rex-64 -i --astf",
    ),
    (
        r"RPC version mismatch: ASTF - server: '(?P<version>[\d.]+)'",
        "the T-Rex server has version {version} of the stateful API (ASTF), and this needs 2.3",
        "T-Rex has it since v3.00",
    ),
    (
        r"context is already taken",
        "the T-Rex server is owned by another user, or by a test that was killed",
        "--force takes it; traffic on all of its ports stops",
    ),
    (
        r"must acquire the context",
        "another user took the T-Rex server over from this test",
        "see who works on this generator",
    ),
    (
        r"Invalid state: (?P<state>[^,]*), should be",
        "the T-Rex server is not in a state to do that: {state}",
        "see `stats` in trex-console",
    ),
)
"""A part of T-Rex's error text as a pattern, what it means, and what to do."""


@record
class TrexApi:
    """What a server speaks in one mode, in the oldest version that has all that is used of it."""

    name: str
    major: int
    minor: int
    takes_others: bool = False
    """Whether another version, which stands in a server's refusal, does as well."""


STATELESS = TrexApi(name="STL", major=5, minor=0, takes_others=True)
"""Of v2.88; older ones have the same calls."""
STATEFUL = TrexApi(name="ASTF", major=2, minor=3)
"""Of v3.00, whose programs can count (add_stats)."""


@record
class Call:
    """One call."""

    method: str
    arguments: Mapping[str, Any]

    @property
    def port(self) -> object:
        """Return the port that it is about, None when it is about none."""
        return self.arguments.get("port_id")


class Rpc:
    """Calls on one channel, after a handshake."""

    def __init__(self, channel: TrexChannel, clock: Clock, api: TrexApi = STATELESS) -> None:
        self._channel = channel
        self._clock = clock
        self._api = api
        self._ids = itertools.count(1)
        self._handle: str | None = None

    def connect(self) -> str:
        """Agree on an API with the server, and return its version. Raise EngineError when that cannot be."""
        about = section(self.call("get_version"))
        mode = text(about, "mode", self._api.name)
        if mode != self._api.name:
            raise refusal("api_sync_v2", {"specific_err": f"server RPC configuration: '{mode}'"}, None)
        try:
            self._handle = self._sync(self._api.major, self._api.minor)
        except EngineError as error:
            offered = _SERVER_API.search(f"{error.message} {error.hint}")
            if offered is None or not self._api.takes_others:
                raise
            self._handle = self._sync(int(offered[1]), int(offered[2]))
        return text(about, "version")

    def call(self, method: str, **arguments: Any) -> Any:
        """Return the result of a call. Raise EngineError when the server refuses or is gone."""
        return self.batch([Call(method=method, arguments=arguments)])[0]

    def batch(self, calls: Sequence[Call]) -> list[Any]:
        """Return the results of calls that the server gets in one message, and carries out one after the other."""
        if not calls:
            return []
        requests = [self._request(call) for call in calls]
        answer = self._channel.request(requests[0] if len(requests) == 1 else requests)
        answers = [answer] if isinstance(answer, dict) else answer
        by_id = _by_id(answers if isinstance(answers, list) else [])
        return [
            self._result(call, by_id.get(request["id"]), self._clock.now() + _PATIENCE_S)
            for call, request in zip(calls, requests, strict=True)
        ]

    def _sync(self, major: int, minor: int) -> str:
        return text(section(self.call("api_sync_v2", name=self._api.name, major=major, minor=minor)), "api_h")

    def _request(self, call: Call) -> dict[str, Any]:
        arguments = dict(call.arguments)
        if call.method not in _WITHOUT_HANDLE and self._handle is not None:
            arguments["api_h"] = self._handle
        return {"jsonrpc": "2.0", "id": next(self._ids), "method": call.method, "params": arguments}

    def _result(self, call: Call, answer: object, until_s: float) -> Any:
        """Return the result in an answer; a server that asks for patience gets it until a moment."""
        if not isinstance(answer, dict) or not {"result", "error"} & set(answer):
            raise EngineError(f"T-Rex at {self._channel.peer} gives no answer to {call.method}")
        if "error" not in answer:
            return answer["result"]
        error = answer["error"]
        code = error.get("code") if isinstance(error, dict) else None
        if code not in (TRY_AGAIN, WORK_IN_PROGRESS) or self._clock.now() >= until_s:
            raise refusal(call.method, error, call.port)
        self._clock.sleep(_PAUSE_S)
        again = call
        if code == WORK_IN_PROGRESS:
            again = Call(method="get_async_results", arguments={"ticket_id": count(error, "specific_err")})
        return self._result(again, self._channel.request(self._request(again)), until_s)


def _by_id(answers: Sequence[object]) -> dict[int, Mapping[str, Any]]:
    """Return the answers by the number of the request; what has no number answers none."""
    objects = (one for one in answers if isinstance(one, dict))
    return {one["id"]: one for one in objects if isinstance(one.get("id"), int)}


def refusal(method: str, error: object, port: object) -> EngineError:
    """Return the error that a server's error object means; `port` is the one that the request was about, or None."""
    details = error if isinstance(error, dict) else {}
    answer = str(details.get("specific_err") or details.get("message") or error).strip()[:_LONGEST_ANSWER]
    named = "the port" if port is None else f"port {port}"
    for pattern, message, hint in _MEANINGS:
        match = re.search(pattern, answer, re.IGNORECASE)
        if match is not None:
            words = {"port": named, **match.groupdict()}
            return EngineError(message.format(**words), f"{hint.format(**words)} (T-Rex's answer: {answer})")
    return EngineError(f"T-Rex refuses {method}: {answer}")
