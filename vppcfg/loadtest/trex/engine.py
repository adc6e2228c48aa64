"""T-Rex as a traffic generator: streams loaded, load changed, counters read; `lease` takes its ports."""

from __future__ import annotations

import base64
import struct
from collections.abc import Mapping
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

from vppcfg.common.clock import Clock
from vppcfg.loadtest.engine import Count, Delay, Direction, Generator, Traffic
from vppcfg.loadtest.profile import DESTINATION_OFFSET, IP_OFFSET, SOURCE_OFFSET, Stream, Variable, udp_frame
from vppcfg.loadtest.trex.answers import count, measure, number, section
from vppcfg.loadtest.trex.guard import Guard
from vppcfg.loadtest.trex.lease import Lease, refuse_default_routes, refuse_unusable
from vppcfg.loadtest.trex.rpc import STATELESS
from vppcfg.loadtest.trex.server import PortReading, TrexServer, tally_since

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
