"""Turns traffic into T-Rex streams, the objects of `add_stream`, and what T-Rex reports of latency into a `Delay`.

Streams follow trex_stl_streams.py; delays come from `get_pgid_stats`.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Mapping
from ipaddress import IPv4Address
from typing import Any

from vppcfg.loadtest.engine import Delay, Direction, Traffic
from vppcfg.loadtest.profile import DESTINATION_OFFSET, IP_OFFSET, SOURCE_OFFSET, Stream, Variable, udp_frame
from vppcfg.loadtest.trex.answers import count, measure, number, section

FIRST_GROUP = 7
"""Number of the first group of packets whose latency is measured."""
_LATENCY_FRAME_LEAST = 60
"""T-Rex writes its stamp into the last 16 bytes of the payload."""


def streams_of(traffic: Traffic, direction: Direction) -> list[dict[str, Any]]:
    """Return the streams of a direction in the order of their numbers, 1 the first."""
    kinds = traffic.profile.streams(is_return=direction.is_return)
    streams = [stream_of(stream) for stream in kinds]
    if traffic.latency_pps:
        streams.append(_latency_stream(kinds[0], traffic.latency_pps, group_of(traffic, direction)))
    return streams


def group_of(traffic: Traffic, direction: Direction) -> int:
    """Return the number of the group of packets that measures a direction."""
    return FIRST_GROUP + traffic.directions.index(direction)


def stream_of(stream: Stream) -> dict[str, Any]:
    """Return one stream; its rate is its share, which the multiplier of `start_traffic` scales."""
    return _stream(stream.frame, stream.share, stream.gap_us, program_of(stream.variables), {"enabled": False})


def program_of(variables: tuple[Variable, ...]) -> list[dict[str, Any]]:
    """Return the program of the field engine that counts through variables, and corrects the IPv4 checksum."""
    if not variables:
        return []
    counters = [
        {
            "type": "flow_var",
            "name": variable.name,
            "size": variable.size_bytes,
            "op": "inc",
            "next_var": None,
            "split_to_cores": True,
            "init_value": variable.first,
            "min_value": variable.first,
            "max_value": variable.last,
            "step": 1,
        }
        for variable in variables
    ]
    writes = [
        {
            "type": "write_flow_var",
            "name": variable.name,
            "pkt_offset": variable.offset,
            "add_value": 0,
            "is_big_endian": True,
        }
        for variable in variables
    ]
    return [*counters, *writes, {"type": "fix_checksum_ipv4", "pkt_offset": IP_OFFSET}]


def _latency_stream(kind: Stream, rate_pps: float, group: int) -> dict[str, Any]:
    """Return a stream at a fixed rate that T-Rex stamps; the load does not scale it."""
    flow_stats = {"enabled": True, "stream_id": group, "rule_type": "latency", "vxlan": False, "ieee_1588": False}
    return _stream(_roomy(kind.frame), rate_pps, 0.0, [], flow_stats)


def _roomy(frame: bytes) -> bytes:
    """Return a frame, or one between the same addresses that has room for the stamp."""
    if len(frame) >= _LATENCY_FRAME_LEAST:
        return frame
    source, destination = (IPv4Address(frame[offset : offset + 4]) for offset in (SOURCE_OFFSET, DESTINATION_OFFSET))
    ports = struct.unpack_from("!HH", frame, IP_OFFSET + 20)
    return udp_frame((source, ports[0]), (destination, ports[1]), _LATENCY_FRAME_LEAST)


def _stream(
    frame: bytes, rate_pps: float, gap_us: float, program: list[dict[str, Any]], flow_stats: dict[str, Any]
) -> dict[str, Any]:
    return {
        "flags": 0,
        "action_count": 0,
        "enabled": True,
        "self_start": True,
        "start_paused": False,
        "isg": gap_us,
        "core_id": -1,
        "next_stream_id": -1,
        "mode": {"type": "continuous", "rate": {"type": "pps", "value": rate_pps}},
        "packet": {"binary": base64.b64encode(frame).decode(), "meta": ""},
        "vm": {"instructions": program},
        "flow_stats": flow_stats,
    }


def delay_of(direction: Direction, group: int, found: object) -> Delay:
    """Return the latency of a direction; counters that T-Rex leaves out are 0. Raise EngineError."""
    key = str(group)
    flow, latency = section(found, "flow_stats", key), section(found, "latency", key)
    times, errors = section(latency, "lat"), section(latency, "er")
    histogram = section(times, "histogram")
    return Delay(
        direction=direction,
        sent=_sum(section(flow, "tp")),
        received=_sum(section(flow, "rp")),
        average_us=measure(times, "average"),
        minimum_us=None if times.get("total_min") is None else measure(times, "total_min"),
        maximum_us=measure(times, "total_max"),
        jitter_us=measure(times, "jit") or measure(latency, "jit"),
        histogram=tuple(
            sorted((number(edge, "an edge of the histogram"), count(histogram, edge)) for edge in histogram)
        ),
        dropped=count(errors, "drp"),
        out_of_order=count(errors, "ooo"),
        duplicated=count(errors, "dup"),
    )


def _sum(by_port: Mapping[str, Any]) -> int:
    """Return a counter that T-Rex keeps per port, all ports together."""
    return sum(count(by_port, port) for port in by_port)
