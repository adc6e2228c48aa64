"""Arithmetic of loads and samples: how people write loads (`1kpps`, `30%`), what paths carry, what was lost.

It also shows whether two tests can be compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from vppcfg.common.rates import VLAN_TAG_BYTES
from vppcfg.errors import UsageError
from vppcfg.loadtest.engine import Direction, Generator, Tally, Traffic
from vppcfg.loadtest.profile import Profile
from vppcfg.loadtest.result import Offered, Result, Sample
from vppcfg.record import record

_LOAD = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*(?:(%)|([kmg]?)(pps|bpsl1|bps))", re.IGNORECASE)
_SCALE = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}
SHORT_SHARE = 0.05
"""A sample that has this share of its packets less than it should was not what was asked for."""
GAP_RATIO = 1.5
"""A sample that comes this much later than its own duration explains has lost one before it."""


@record
class LineRate:
    """What a port carries of one traffic profile."""

    link_bps: float
    mean_frame_bytes: float
    """With check sequence."""
    mean_wire_bits: float
    """With preamble and gap."""

    @property
    def pps(self) -> float:
        """Return packets per second at line rate."""
        return self.link_bps / self.mean_wire_bits

    def percent(self, load_pps: float) -> float:
        """Return a load in percent of line rate."""
        return 100 * load_pps / self.pps

    def of_percent(self, percent: float) -> float:
        """Return packets per second of a percentage."""
        return self.pps * percent / 100


def parse_load(text: str, line_rate: LineRate) -> float:
    """Return packets per second per direction; `bps` counts frames, `bpsl1` all that is on the wire. Raise UsageError.

    A load is more than 0 and no more than line rate.
    """
    match = _LOAD.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"{text!r} is no load", "write 1kpps, 1.48mpps, 5gbps, 5gbpsl1 or 30%")
    number, is_percent, scale, unit = match.groups()
    if is_percent:
        load_pps = line_rate.of_percent(float(number))
    else:
        value = float(number) * _SCALE[scale.lower()]
        bits = {"pps": 1.0, "bps": 8 * line_rate.mean_frame_bytes, "bpsl1": line_rate.mean_wire_bits}
        load_pps = value / bits[unit.lower()]
    return within_line_rate(load_pps, text, line_rate)


def within_line_rate(load_pps: float, text: str, line_rate: LineRate) -> float:
    """Return a load that a port can carry. Raise UsageError for any other."""
    if load_pps <= 0:
        raise UsageError(f"a load of {text} is none", "a load is more than 0")
    if load_pps > line_rate.pps * (1 + 1e-9):
        raise UsageError(
            f"a load of {text} is {line_rate.percent(load_pps):.1f} % of line rate, {line_rate.pps:,.0f} pps",
            "a port carries 100 %; `--link` sets the speed of the links",
        )
    return load_pps


def loss_ratio(tally: Tally, intended: int = 0) -> float:
    """Return the lost share of the packets, 0 to 1; of `intended` packets those that were never sent count as lost."""
    whole = max(tally.sent, intended)
    bad = tally.lost + max(intended - tally.sent, 0)
    return min(bad / whole, 1.0) if whole else 0.0


def certain_loss_ratio(tally: Tally, uncertainty: float) -> float:
    """Return the share that is lost even if `uncertainty` of the missing packets are still on their way."""
    return max(tally.lost - uncertainty, 0.0) / tally.sent if tally.sent else 0.0


def sum_of(tallies: Iterable[Tally]) -> Tally:
    """Return the packets of several directions or intervals together."""
    total = Tally()
    for tally in tallies:
        total += tally
    return total


def path_rate_pps(link_bps: float, wire_bits: float, vlan_tags: int = 0, crossings: int = 1) -> float:
    """Return packets per second that a path carries in one direction.

    `wire_bits` is what a packet takes on the wire, gap included, without the tags that the path adds; a packet that
    crosses the same link `crossings` times takes its capacity as often.
    """
    return link_bps / (wire_bits + 8 * VLAN_TAG_BYTES * vlan_tags) / crossings


def loss_text(ratio: float) -> str:
    """Return a loss such as `0.0123 %`; one that is not 0 never looks like it."""
    value = 100 * ratio
    if value == 0:
        return "0 %"
    if value < 0.0001:
        return "<0.0001 %"
    return f"{value:.4f} %" if value < 1 else f"{value:.2f} %"


def directions_of(ports: tuple[str, ...], *, is_unidirectional: bool) -> tuple[Direction, ...]:
    """Return the directions between ports, of which two by two make a pair. Raise UsageError for other numbers."""
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
    """Return what a port with a link of `link_bps` carries of a profile."""
    return LineRate(link_bps=link_bps, mean_frame_bytes=profile.mean_frame_bytes, mean_wire_bits=profile.mean_wire_bits)


def link_speed(generator: Generator, ports: tuple[str, ...]) -> int:
    """Return the speed of the slowest port. Raise UsageError when the generator does not know it."""
    speeds = [found.link_bps for port in ports if (found := generator.port(port)) is not None and found.link_bps]
    if not speeds:
        raise UsageError("the generator does not know how fast its ports are", "set it with --link 10G")
    return min(speeds)


def offered_of(traffic: Traffic, line_rate: LineRate, vlan_tags: int, crossings: int) -> Offered:
    """Return the traffic and its path for a result: frames, rates, tags and crossings."""
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


@record
class Gap:
    """A time in seconds since the test began that no sample covers."""

    from_s: float
    to_s: float


def gaps_of(samples: Sequence[Sample]) -> tuple[Gap, ...]:
    """Return the times between samples that no sample covers."""
    return tuple(_gaps(samples))


def _gaps(samples: Sequence[Sample]) -> Iterator[Gap]:
    for former, sample in pairwise(samples):
        begin_s = sample.at_s - sample.duration_s
        if sample.at_s - former.at_s > GAP_RATIO * sample.duration_s:
            yield Gap(from_s=former.at_s, to_s=begin_s)


def rates_pps(sample: Sample, place: int) -> tuple[float, float]:
    """Return packets sent and received per second in the direction at `place`."""
    tally = sample.tallies[place]
    return tally.sent / sample.duration_s, tally.received / sample.duration_s


def sample_loss(sample: Sample, place: int) -> float:
    """Return the share of packets that a direction certainly lost in a sample.

    Packets that may still have been on their way are left out.
    """
    tally = sample.tallies[place]
    return certain_loss_ratio(tally, tally.sent / sample.duration_s * sample.uncertainty_s)


def is_losing(sample: Sample, limit_ratio: float) -> bool:
    """Return whether a direction lost at least `limit_ratio`, and anything, in a sample for certain."""
    losses = (sample_loss(sample, place) for place in range(len(sample.tallies)))
    return any(loss >= limit_ratio and loss > 0 for loss in losses)


def first_of_last_failing_run(samples: Sequence[Sample], limit_ratio: float) -> Sample | None:
    """Return the sample where the loss begins that lasts to the end, None when the last sample is clean.

    A clean sample in which the generator sent less than it should proves nothing of the load, and is passed over.
    """
    first: Sample | None = None
    for sample in reversed(samples):
        if is_losing(sample, limit_ratio):
            first = sample
        elif not _is_short(sample):
            break
    return first


def _is_short(sample: Sample) -> bool:
    least = (1 - SHORT_SHARE) * sample.load_pps * sample.duration_s
    return any(tally.sent < least for tally in sample.tallies)


def incomparable_reason(one: Result, other: Result) -> str:
    """Return why two results must not be compared; an empty text when they may."""
    if one.kind is not other.kind:
        return f"one is a {one.kind.value} test, the other a {other.kind.value} test"
    if one.offered is None or other.offered is None:
        return ""
    return _difference(one.offered, other.offered)


def _difference(one: Offered, other: Offered) -> str:
    pairs = (
        ("speed of the link", one.link_bps, other.link_bps),
        ("number of VLAN tags", one.vlan_tags, other.vlan_tags),
        ("number of crossings", one.crossings, other.crossings),
    )
    for what, first, second in pairs:
        if first != second:
            return f"the {what} is {first} in one and {second} in the other"
    return ""
