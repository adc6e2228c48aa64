"""Idle polls taken out: what an input node costs per empty poll, per poll with packets and per packet."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from vppcfg.record import record
from vppcfg.tune.linear import least_squares
from vppcfg.tune.sample import Sample

ENTRY = "ethernet-input"
"""The node behind input nodes: it is called once for each port that had packets."""


@record
class PollCost:
    """Clocks of an input node."""

    per_empty_poll: float
    per_full_poll: float
    per_packet: float


@record
class TimeUse:
    """Where a worker's time went, as shares of it."""

    empty_polls: float
    work: float
    rest: float


def fraction_with_packets(sample: Sample) -> float:
    """Return the share of polls that found packets: on average over the ports that had any."""
    entry = sample.nodes.get(ENTRY)
    if entry is None or not sample.polls:
        return 1.0
    ratio = entry.calls / sample.polls
    return ratio / max(ceil(ratio), 1)


def poll_cost(samples: Sequence[Sample]) -> PollCost:
    """Return the costs, from three samples or more. Raise ValueError when they do not tell."""
    if len(samples) < 3:
        raise ValueError("three samples at different loads tell idle polls from work")
    rows, values = [], []
    for sample in samples:
        node = next(node for node in sample.nodes.values() if node.is_input)
        full = fraction_with_packets(sample) * node.calls
        rows.append(((node.calls - full) / node.vectors, full / node.vectors, 1.0))
        values.append(node.per_packet)
    empty, full_poll, packet = least_squares(rows, values)
    if min(empty, full_poll, packet) < 0:
        raise ValueError("the samples contradict each other: a cost would be negative")
    return PollCost(per_empty_poll=empty, per_full_poll=full_poll, per_packet=packet)


def time_use(sample: Sample, cost: PollCost) -> TimeUse:
    """Return where the time of a sample went."""
    clocks = sample.base_hz * sample.duration_s
    empty = (1 - fraction_with_packets(sample)) * sample.polls * cost.per_empty_poll / clocks
    return TimeUse(empty_polls=empty, work=sample.share_used - empty, rest=1 - sample.share_used)
