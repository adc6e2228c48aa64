"""What follows from samples: rates, gaps, where loss begins; and whether two tests can be compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from vppcfg.loadtest.engine import Tally
from vppcfg.loadtest.load import certain_loss_ratio
from vppcfg.loadtest.result import Offered, Result, Sample
from vppcfg.record import record

SHORT_SHARE = 0.05
"""A sample that has this share of its packets less than it should was not what was asked for."""
GAP_RATIO = 1.5
"""A sample that comes this much later than its own duration explains has lost one before it."""


@record
class Gap:
    """A time without samples."""

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
    """Return the share that a direction lost in a sample for certain, packets on their way left out."""
    tally = sample.tallies[place]
    return certain_loss_ratio(tally, tally.sent / sample.duration_s * sample.uncertainty_s)


def first_of_last_failing_run(samples: Sequence[Sample], limit_ratio: float) -> Sample | None:
    """Return the sample where the loss begins that lasts to the end, None when the last sample is clean.

    A clean sample in which the generator sent less than it should proves nothing of the load, and is passed over.
    """
    first: Sample | None = None
    for sample in reversed(samples):
        if any(sample_loss(sample, place) >= limit_ratio for place in range(len(sample.tallies))):
            first = sample
        elif not _is_short(sample):
            break
    return first


def _is_short(sample: Sample) -> bool:
    least = (1 - SHORT_SHARE) * sample.load_pps * sample.duration_s
    return any(tally.sent < least for tally in sample.tallies)


def tallies_of(samples: Sequence[Sample], place: int) -> Tally:
    """Return what a direction counted in all samples."""
    sent = sum(sample.tallies[place].sent for sample in samples)
    return Tally(sent=sent, received=sum(sample.tallies[place].received for sample in samples))


def why_not_comparable(one: Result, other: Result) -> str:
    """Return why two results must not stand in one comparison; an empty text when they may."""
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
