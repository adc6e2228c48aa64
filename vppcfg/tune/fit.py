"""Fits what things cost on samples at different loads: a node per call and per packet, a poll with and without packets.

VPP counts calls, packets and clocks, so the accounting is exactly linear. Two samples give both costs of a node; more
give a least-squares fit and an idea of its error.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt

from vppcfg.errors import UsageError
from vppcfg.record import record
from vppcfg.tune.sample import CostSample, NodeCost

_SINGULAR = 1e-12
_ALIKE = 0.05
"""Ours: calls per packet that differ by less than this share cannot be told from noise."""
ENTRY = "ethernet-input"
"""The node behind input nodes: it is called once for each port that had packets."""


@record
class NodeFit:
    """The cost of a node, and how far samples are from it."""

    name: str
    per_call: float
    per_packet: float
    weight: float
    """Packets that pass the node for each packet received, on average over the samples."""
    is_input: bool
    error: float
    """Relative, of the samples around the line; 0 for two samples, which lie on it."""

    def clocks(self, calls_per_packet: float) -> float:
        """Return clocks per packet at so many calls per packet."""
        return self.per_call * calls_per_packet + self.per_packet


def fit_nodes(samples: Sequence[CostSample]) -> tuple[NodeFit, ...]:
    """Return the fit of every node that all samples have, busiest first. Raise UsageError when that cannot be done."""
    names = set.intersection(*(set(sample.nodes) for sample in samples))
    if len(samples) < 2 or not names:
        raise UsageError("a fit needs two samples of the same path at different loads", "give --from twice or more")
    hertz = {sample.base_hz for sample in samples}
    if max(hertz) > 1.02 * min(hertz):
        raise UsageError("the samples are of different CPUs: their clocks are not comparable")
    fits = [_node_fit(name, samples) for name in names]
    return tuple(sorted(fits, key=lambda fit: (-fit.per_packet * fit.weight, fit.name)))


def _node_fit(name: str, samples: Sequence[CostSample]) -> NodeFit:
    costs = [sample.nodes[name] for sample in samples]
    calls = [cost.calls / cost.vectors for cost in costs]
    clocks = [cost.per_packet for cost in costs]
    per_call, per_packet = _costs(name, calls, clocks)
    misses = [per_call * x + per_packet - y for x, y in zip(calls, clocks, strict=True)]
    spare = len(samples) - 2
    deviation = sqrt(sum(miss * miss for miss in misses) / spare) if spare else 0.0
    return NodeFit(
        name=name,
        per_call=per_call,
        per_packet=per_packet,
        weight=sum(_weight(cost, sample) for cost, sample in zip(costs, samples, strict=True)) / len(samples),
        is_input=costs[0].is_input,
        error=deviation / (sum(clocks) / len(clocks)) if spare else 0.0,
    )


def _weight(cost: NodeCost, sample: CostSample) -> float:
    return cost.vectors / sample.rx_packets


def _costs(name: str, calls: list[float], clocks: list[float]) -> tuple[float, float]:
    """Return cost per call and per packet; a negative one is noise, and the other explains everything then."""
    if max(calls) - min(calls) < _ALIKE * max(calls):
        raise UsageError(
            f"the samples are too much alike: {name} has the same packets per call in all of them",
            "take one sample at a low and one at a high load",
        )
    per_call, per_packet = least_squares([(x, 1.0) for x in calls], clocks)
    if per_call < 0:
        return 0.0, sum(clocks) / len(clocks)
    if per_packet < 0:
        return least_squares([(x,) for x in calls], clocks)[0], 0.0
    return per_call, per_packet


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


def fraction_with_packets(sample: CostSample) -> float:
    """Return the share of polls that found packets: on average over the ports that had any."""
    entry = sample.nodes.get(ENTRY)
    if entry is None or not sample.polls:
        return 1.0
    ratio = entry.calls / sample.polls
    return ratio / max(ceil(ratio), 1)


def poll_cost(samples: Sequence[CostSample]) -> PollCost:
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


def time_use(sample: CostSample, cost: PollCost) -> TimeUse:
    """Return where the time of a sample went."""
    clocks = sample.base_hz * sample.duration_s
    empty = (1 - fraction_with_packets(sample)) * sample.polls * cost.per_empty_poll / clocks
    return TimeUse(empty_polls=empty, work=sample.share_used - empty, rest=1 - sample.share_used)


def least_squares(rows: Sequence[Sequence[float]], values: Sequence[float]) -> tuple[float, ...]:
    """Return x that makes rows * x come closest to values. Raise ValueError when the rows do not determine it."""
    unknowns = len(rows[0])
    square = [[sum(row[i] * row[j] for row in rows) for j in range(unknowns)] for i in range(unknowns)]
    right = [sum(row[i] * value for row, value in zip(rows, values, strict=True)) for i in range(unknowns)]
    return _solved(square, right)


def _solved(square: list[list[float]], right: list[float]) -> tuple[float, ...]:
    """Solve a square system by elimination, each time with the largest pivot of its own scale."""
    size = len(right)
    scales = [max(abs(value) for value in row) or 1.0 for row in square]
    rows = [[*(value / scale for value in row), right[i] / scale]
            for i, (row, scale) in enumerate(zip(square, scales, strict=True))]  # fmt: skip
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(rows[row][column]))
        if abs(rows[pivot][column]) < _SINGULAR:
            raise ValueError("the samples are too much alike")
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for row in range(size):
            if row != column:
                factor = rows[row][column] / rows[column][column]
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[column], strict=True)]
    return tuple(rows[i][size] / rows[i][i] for i in range(size))
