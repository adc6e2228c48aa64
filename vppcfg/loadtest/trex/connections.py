"""Turns a profile of connections into the JSON that T-Rex's client uploads, and T-Rex's ICMP latency into a `Delay`.

Keys as in scripts/astf_schema.json of trex-core 3.08, and as its own trex_astf_profile.py writes them.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from vppcfg.loadtest.engine import Delay, Direction
from vppcfg.loadtest.stateful.profile import Application, Payload, StatefulProfile, Transport
from vppcfg.loadtest.trex.answers import count, items, measure, section

ANSWERED = "user_counter_A"
"""The counter that programs of clients count answers by, and those of servers requests (add_stats, number 0)."""
_ANSWERED_NUMBER = 0
_FILL = b"x"
_OFFSET_OF_PAIRS = "1.0.0.0"
"""The addresses of each further pair of ports are higher by this."""
_NO_ANSWER_MS = 2000
"""A UDP connection without an answer for so long has failed."""
_CLIENTS, _SERVERS = 0, 1


def profile_json(profile: StatefulProfile) -> str:
    """Return what the server is given; a rate of 1 means one connection per unit of weight and second."""
    messages = [message for each in profile.applications for message in (each.request, each.answer)]
    programs = [program for place, each in enumerate(profile.applications) for program in _programs(each, 2 * place)]
    document = {
        "buf_list": [_buffer(message) for message in messages],
        "ip_gen_dist_list": [
            _addresses(profile.client_addresses, "c"),
            _addresses(profile.server_addresses, "s"),
        ],
        "program_list": programs,
        "templates": [_template(each, 2 * place) for place, each in enumerate(profile.applications)],
        "tg_names": [],
    }
    return json.dumps(document, sort_keys=True)


def _buffer(message: Payload) -> str | dict[str, Any]:
    """Return the bytes of a message; a long one as its head and what it is filled with."""
    if len(message.head) == message.size_bytes:
        return _base64(message.head)
    return {"base": _base64(message.head), "fill": _base64(_FILL), "size": message.size_bytes}


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _addresses(ends: tuple[object, object], side: str) -> dict[str, Any]:
    first, last = (str(end) for end in ends)
    return {"dir": side, "distribution": "seq", "ip_start": first, "ip_end": last, "ip_offset": _OFFSET_OF_PAIRS}


def _programs(application: Application, place: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what a client does, and what a server does; their messages are the buffers at `place` and behind it."""
    is_tcp = application.transport is Transport.TCP
    asks, is_answered = _exchange(place, application.answer, is_tcp=is_tcp)
    answers, is_asked = _exchange(place + 1, application.request, is_tcp=is_tcp)
    counts = {"name": "add_stats", "stats_id": _ANSWERED_NUMBER, "val": 1}
    client = [asks, is_answered, counts]
    if application.open_s:
        client.append({"name": "delay", "usec": round(application.open_s * 1e6)})
    server = [is_asked, counts, answers]
    if is_tcp:
        return {"commands": client}, {"commands": server}
    patience = {"name": "keepalive", "msec": _NO_ANSWER_MS}
    return {"commands": [patience, *client], "stream": False}, {"commands": server, "stream": False}


def _exchange(place: int, awaited: Payload, *, is_tcp: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the command that sends a buffer, and the one that waits for a message from the other side."""
    if is_tcp:
        return {"name": "tx", "buf_index": place}, {"name": "rx", "min_bytes": awaited.size_bytes}
    return {"name": "tx_msg", "buf_index": place}, {"name": "rx_msg", "min_pkts": 1}


def _template(application: Application, place: int) -> dict[str, Any]:
    return {
        "client_template": {
            "program_index": place,
            "ip_gen": {"dist_client": {"index": _CLIENTS}, "dist_server": {"index": _SERVERS}},
            "cluster": {},
            "port": application.port,
            "cps": float(application.weight),
        },
        "server_template": {"program_index": place + 1, "assoc": [{"port": application.port}]},
    }


def icmp_delay(direction: Direction, found: object) -> Delay:
    """Return the latency of a direction from `get_latency_stats` of its two ports. Raise EngineError.

    T-Rex does not report the least time, and its mean is that of the recent past.
    """
    ports = section(found, "data")
    source = section(ports, f"port-{direction.source}", "stats")
    sink = section(ports, f"port-{direction.sink}")
    times, counted = section(sink, "hist"), section(sink, "stats")
    histogram = _histogram(times, count(counted, "m_pkt_ok"))
    return Delay(
        direction=direction,
        sent=count(source, "m_tx_pkt_ok"),
        received=count(counted, "m_pkt_ok"),
        average_us=measure(times, "s_avg"),
        minimum_us=None,
        maximum_us=max(measure(times, "max_usec"), histogram[-1][0] if histogram else 0.0),
        jitter_us=measure(counted, "m_jitter"),
        histogram=histogram,
        out_of_order=count(counted, "m_seq_error"),
    )


def _histogram(times: Mapping[str, Any], received: int) -> tuple[tuple[float, int], ...]:
    """Return lower edges and packets; those of less than 10 microseconds are what is left of all that came."""
    classes = sorted((measure(each, "key"), count(each, "val")) for each in items(times, "histogram"))
    fast = received - sum(number for _, number in classes)
    return ((0.0, fast), *classes) if fast > 0 else tuple(classes)
