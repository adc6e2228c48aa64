"""What a T-Rex server means when it refuses: its error texts, from trex-core 2.88 to 3.08, in an operator's words."""

from __future__ import annotations

import re

from vppcfg.errors import EngineError

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
        "somebody else took {port} from this test",
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
        "lower it, or say the speed of the link with --link",
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
)


def refusal(method: str, error: object, port: object) -> EngineError:
    """Return the error that a server's error object means; `port` is the one that the request was about, or None."""
    details = error if isinstance(error, dict) else {}
    text = str(details.get("specific_err") or details.get("message") or error).strip()
    named = "the port" if port is None else f"port {port}"
    for pattern, message, hint in _MEANINGS:
        match = re.search(pattern, text, re.IGNORECASE)
        if match is not None:
            words = {"port": named, **match.groupdict()}
            return EngineError(message.format(**words), f"{hint.format(**words)} (T-Rex says: {text})")
    return EngineError(f"T-Rex refuses {method}: {text}")
