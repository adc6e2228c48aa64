"""How ports pair up, what the path between them carries, and what of it a result keeps."""

from __future__ import annotations

from vppcfg.errors import UsageError
from vppcfg.loadtest.engine import Direction, Generator, Traffic
from vppcfg.loadtest.load import LineRate
from vppcfg.loadtest.loss import path_rate_pps
from vppcfg.loadtest.profile import Profile
from vppcfg.loadtest.result import Offered


def directions_of(ports: tuple[str, ...], *, is_unidirectional: bool) -> tuple[Direction, ...]:
    """Return the ways between ports, taken two by two. Raise UsageError for ports that make no pairs."""
    if not ports or len(ports) % 2:
        raise UsageError(f"{len(ports)} ports make no pairs", "name two ports per path: --ports 0,1")
    if len(set(ports)) != len(ports):
        raise UsageError("a port is named twice", "name each port once: --ports 0,1")
    directions = []
    for near, far in zip(ports[::2], ports[1::2], strict=True):
        directions.append(Direction(source=near, sink=far))
        if not is_unidirectional:
            directions.append(Direction(source=far, sink=near, is_return=True))
    return tuple(directions)


def line_rate_of(profile: Profile, link_bps: int) -> LineRate:
    """Return what a port of a speed carries of a profile."""
    return LineRate(link_bps=link_bps, mean_frame_bytes=profile.mean_frame_bytes, mean_wire_bits=profile.mean_wire_bits)


def link_speed(generator: Generator, ports: tuple[str, ...]) -> int:
    """Return the speed of the slowest port. Raise UsageError when the generator does not know it."""
    speeds = [found.link_bps for port in ports if (found := generator.port(port)) is not None and found.link_bps]
    if not speeds:
        raise UsageError("the generator does not know how fast its ports are", "say it with --link 10G")
    return min(speeds)


def offered_of(traffic: Traffic, line_rate: LineRate, vlan_tags: int, crossings: int) -> Offered:
    """Return what a result says about the traffic and its path."""
    profile = traffic.profile
    return Offered(
        profile=profile.name,
        size=profile.size,
        variation=profile.variation.value,
        offset=profile.offset,
        mean_frame_bytes=profile.mean_frame_bytes,
        directions=traffic.directions,
        link_bps=round(line_rate.link_bps),
        vlan_tags=vlan_tags,
        crossings=crossings,
        port_rate_pps=line_rate.pps,
        path_rate_pps=path_rate_pps(line_rate.link_bps, line_rate.mean_wire_bits, vlan_tags, crossings),
        latency_pps=traffic.latency_pps,
    )
