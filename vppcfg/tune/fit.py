"""What a node costs: `a` clocks per call and `b` per packet, fitted on samples at different loads.

The accounting is exactly linear, since VPP counts calls, packets and clocks. Two samples give both numbers; more give
a least-squares fit and an idea of its error.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from vppcfg.errors import UsageError
from vppcfg.record import record
from vppcfg.tune.linear import least_squares
from vppcfg.tune.sample import NodeCost, Sample

_ALIKE = 0.05
"""Ours: calls per packet that differ by less than this share cannot be told from noise."""


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


def fit_nodes(samples: Sequence[Sample]) -> tuple[NodeFit, ...]:
    """Return the fit of every node that all samples have, busiest first. Raise UsageError when that cannot be done."""
    names = set.intersection(*(set(sample.nodes) for sample in samples))
    if len(samples) < 2 or not names:
        raise UsageError("a fit needs two samples of the same path at different loads", "give --from twice or more")
    hertz = {sample.base_hz for sample in samples}
    if max(hertz) > 1.02 * min(hertz):
        raise UsageError("the samples are of different CPUs: their clocks are not comparable")
    fits = [_fit(name, samples) for name in names]
    return tuple(sorted(fits, key=lambda fit: (-fit.per_packet * fit.weight, fit.name)))


def _fit(name: str, samples: Sequence[Sample]) -> NodeFit:
    costs = [sample.nodes[name] for sample in samples]
    calls = [cost.calls / cost.vectors for cost in costs]
    clocks = [cost.per_packet for cost in costs]
    per_call, per_packet = _line(name, calls, clocks)
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


def _weight(cost: NodeCost, sample: Sample) -> float:
    return cost.vectors / sample.rx_packets


def _line(name: str, calls: list[float], clocks: list[float]) -> tuple[float, float]:
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
