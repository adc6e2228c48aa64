"""Predicts what a worker can forward, how many are needed, and what an unmeasured path would cost.

A model is fitted on samples of one path at different loads. The costs of nodes carry over between paths on the same
machine within about 2 % as long as vectors are as full.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, sqrt
from typing import Any

from vppcfg.common.rates import line_rate_pps, parse_speed, pps
from vppcfg.errors import UsageError
from vppcfg.record import record
from vppcfg.tune.costs import CostSample, NodeCost, NodeFit, fit_nodes, poll_cost, require_time, time_use
from vppcfg.tune.load import Load
from vppcfg.tune.thresholds import FRAME, SATURATED_VECTOR

CURVE = (1, 2, 4, 8, 16, 32, 64, 128, 256)
INSIDE = 0.05
"""Error within the range of vector sizes of the samples: a held-out sample of the same machine was 4.5 % off."""
OUTSIDE = 0.15
"""Error outside that range: ours, no measurement has tested it."""
HEADROOM = 0.8
"""Share of its capacity that a worker should carry."""
_SATURATED_ERROR = 0.01
"""A saturated worker's own figure agreed with what was measured within 0.7 % in five of five cases."""
COMPOSITION_ERROR = 0.03
"""Four of four compositions were within 2.1 %."""
_AS_FULL = 1.25
"""Ours: vectors that differ by more than this factor are not as full."""


@record
class Estimate:
    """A rate of packets with the interval that it lies in; `high_pps` is None when there is no upper bound."""

    pps: float
    low_pps: float
    high_pps: float | None
    basis: str


@record
class Model:
    """What packets cost on one path of one machine, fitted on samples at different loads."""

    base_hz: float
    fits: tuple[NodeFit, ...]
    rest_per_poll: float
    """Clocks per turn of the loop that no node accounts for."""
    smallest_n: float
    largest_n: float
    """Vector sizes of the samples."""

    def clocks_per_packet(self, n: float) -> float:
        """Return the clocks of everything per packet, with vectors of `n` packets."""
        return sum(fit.weight * fit.clocks(1 / n) for fit in self.fits) + self.rest_per_poll / n

    def pps(self, n: float = FRAME) -> float:
        """Return packets per second of one worker with vectors of `n` packets."""
        return self.base_hz / self.clocks_per_packet(n)

    def estimate(self, n: float = FRAME) -> Estimate:
        """Return the rate with vectors of `n` packets, and the interval that it lies in."""
        known = self.smallest_n * 0.5 <= n <= self.largest_n * 2
        scatter = sqrt(sum((fit.error * fit.weight * fit.clocks(1 / n)) ** 2 for fit in self.fits))
        error = max(INSIDE if known else OUTSIDE, 2 * scatter / self.clocks_per_packet(n))
        rate = self.pps(n)
        basis = "within the measured range" if known else f"extrapolated from vectors of up to {self.largest_n:.0f}"
        return Estimate(pps=rate, low_pps=rate * (1 - error), high_pps=rate * (1 + error), basis=basis)

    def predicted(self, sample: CostSample) -> float:
        """Return the clocks per packet that the model gives for the calls of a sample.

        The clocks that no node accounts for are left out.
        """
        return sum(
            fit.clocks(node.calls / node.vectors) * node.vectors / sample.rx_packets
            for fit in self.fits
            if (node := sample.nodes.get(fit.name))
        )


def fitted(samples: Sequence[CostSample]) -> Model:
    """Return the model that two samples or more give. Raise UsageError when they do not determine one."""
    vectors = [sample.n_graph for sample in samples]
    return Model(
        base_hz=sum(sample.base_hz for sample in samples) / len(samples),
        fits=fit_nodes(samples),
        rest_per_poll=sum(sample.rest_per_poll for sample in samples) / len(samples),
        smallest_n=min(vectors),
        largest_n=max(vectors),
    )


def from_one(sample: CostSample) -> Estimate:
    """Return the estimate that one sample allows.

    A saturated worker shows its capacity; one that is not gives a lower bound only.
    """
    rate = sample.base_hz / sample.clocks_per_packet
    if sample.n_graph >= SATURATED_VECTOR:
        low, high = rate * (1 - _SATURATED_ERROR), rate * (1 + _SATURATED_ERROR)
        return Estimate(pps=rate, low_pps=low, high_pps=high, basis="measured at saturation")
    low = max(rate, sample.rx_pps)
    basis = "a lower bound: idle polls and small vectors make packets look expensive, by half perhaps"
    return Estimate(pps=low, low_pps=low, high_pps=None, basis=basis)


def workers_needed(offered_pps: float, worker_pps: float, headroom: float = HEADROOM) -> int:
    """Return how many workers carry a load when each is used up to the share `headroom`; at least 1."""
    return max(ceil(offered_pps / (headroom * worker_pps)), 1)


def cpu_load(load: Load, samples: Sequence[CostSample]) -> tuple[float, str]:
    """Return the busiest worker's load by a model of samples of the same path, and a sentence about it.

    Raise UsageError when the samples do not give a model.
    """
    busiest = load.forwarding[0]
    require_time(busiest, "what --fit is to be compared with")
    model = fitted(samples)
    share = busiest.rx_pps / model.pps()
    table = busiest.rx_packets / busiest.table_duration_s / model.pps()
    both = f"{100 * table:.0f} to {100 * share:.0f}" if busiest.disagreement else f"{100 * share:.0f}"
    most = model.estimate()
    return share, (
        f"the CPU load of {busiest.name} is {both} % of the {pps(most.pps)} that it could forward "
        f"({pps(most.low_pps)} to {pps(most.high_pps or most.pps)}, {most.basis})"
    )


def prediction_of(samples: Sequence[CostSample]) -> tuple[dict[str, Any], Estimate]:
    """Return the document of `vppcfg tune capacity --format json`, and the rate of one worker.

    One sample gives a lower bound, or the capacity when its worker is saturated; more give a model. Raise UsageError
    when the samples do not determine one.
    """
    document: dict[str, Any] = {"format_version": 1, "samples": [_sample_document(sample) for sample in samples]}
    if len(samples) > 1:
        model = fitted(samples)
        document |= _model_document(model, samples)
        estimate = model.estimate()
    else:
        estimate = from_one(samples[0])
    document["worker"] = _estimate_document(estimate)
    return document, estimate


def workers_for(ports: str, frame: float, estimate: Estimate) -> dict[str, Any]:
    """Return how many workers carry the line rate of `ports`, which are speeds such as `1G,10G`.

    Raise UsageError for a text that is no speed.
    """
    speeds = [parse_speed(text) for text in ports.split(",")]
    offered = sum(line_rate_pps(speed, frame) for speed in speeds)
    most = None if estimate.high_pps is None else workers_needed(offered, estimate.high_pps)
    return {
        "ports": ports,
        "frame": frame,
        "offered_pps": round(offered),
        "headroom": HEADROOM,
        "needed": workers_needed(offered, estimate.pps),
        "at_most": workers_needed(offered, estimate.low_pps),
        "at_least": most,
    }


def composition_of(
    samples: Sequence[CostSample], seen: Sequence[CostSample], add: Mapping[str, float], drop: Mapping[str, float]
) -> dict[str, Any]:
    """Return what the sample with the fullest vectors would cost with nodes added and dropped.

    `add` and `drop` give the share of packets that pass a node. Raise UsageError when no sample has a node.
    """
    base = max(samples, key=lambda sample: sample.n_graph)
    composition = compose(base, seen, add, drop)
    return {
        "base": base.name,
        "base_clocks": round(composition.base_clocks, 1),
        "nodes": {name: round(clocks, 1) for name, clocks in composition.added},
        "clocks_per_packet": round(composition.clocks, 1),
        "pps": round(composition.pps),
        "low_pps": round(composition.pps * (1 - COMPOSITION_ERROR)),
        "high_pps": round(composition.pps * (1 + COMPOSITION_ERROR)),
        "vectors": round(base.n_graph, 1),
        "remarks": list(composition.remarks),
    }


@record
class Composition:
    """The cost of an unmeasured path."""

    base_clocks: float
    added: tuple[tuple[str, float], ...]
    """Nodes and their clocks per packet received, negative for those taken out."""
    base_hz: float
    remarks: tuple[str, ...] = ()

    @property
    def clocks(self) -> float:
        """Return clocks per packet."""
        return self.base_clocks + sum(clocks for _, clocks in self.added)

    @property
    def pps(self) -> float:
        """Return packets per second of one worker, at the vectors of the base."""
        return self.base_hz / self.clocks


def compose(
    base: CostSample, seen: Sequence[CostSample], add: Mapping[str, float], drop: Mapping[str, float]
) -> Composition:
    """Return the cost of `base` with nodes added and dropped, each by the share of packets that pass it.

    Raise UsageError when no sample has a node.
    """
    remarks: list[str] = []
    added: list[tuple[str, float]] = []
    for name, share in add.items():
        sample, cost = _seen_node(name, [*seen, base])
        if not base.n_graph / _AS_FULL <= sample.n_graph <= base.n_graph * _AS_FULL:
            remarks.append(
                f"{name} was seen with vectors of {sample.n_graph:.1f} and the path has {base.n_graph:.1f}: "
                "its cost per packet is another at other loads"
            )
        added.append((name, share * cost.per_packet))
    for name, share in drop.items():
        node = base.nodes.get(name)
        if node is None:
            raise UsageError(f"{base.name} has no node {name}", _known_nodes([base]))
        added.append((name, -share * node.clocks / base.rx_packets))
    return Composition(
        base_clocks=base.clocks_per_packet, added=tuple(added), base_hz=base.base_hz, remarks=tuple(remarks)
    )


def _seen_node(name: str, samples: Sequence[CostSample]) -> tuple[CostSample, NodeCost]:
    for sample in samples:
        if name in sample.nodes:
            return sample, sample.nodes[name]
    raise UsageError(f"no sample has a node {name}", _known_nodes(samples))


def _known_nodes(samples: Sequence[CostSample]) -> str:
    names = sorted({name for sample in samples for name in sample.nodes})
    return "these are there: " + ", ".join(names)


def _sample_document(sample: CostSample) -> dict[str, Any]:
    return {
        "name": sample.name,
        "rx_pps": round(sample.rx_pps),
        "vectors_per_call": round(sample.n_graph, 2),
        "clocks_per_packet": round(sample.clocks_per_packet, 1),
        "time_in_nodes": round(sample.share_used, 4),
    }


def _estimate_document(estimate: Estimate) -> dict[str, Any]:
    high = None if estimate.high_pps is None else round(estimate.high_pps)
    return {
        "pps": round(estimate.pps),
        "low_pps": round(estimate.low_pps),
        "high_pps": high,
        "basis": estimate.basis,
    }


def _model_document(model: Model, samples: Sequence[CostSample]) -> dict[str, Any]:

    document: dict[str, Any] = {
        "nodes": [
            {"name": fit.name, "clocks_per_call": round(fit.per_call, 1), "clocks_per_packet": round(fit.per_packet, 1)}
            for fit in model.fits
        ],
        "curve": [
            {
                "vectors": n,
                "clocks_per_packet": round(model.clocks_per_packet(n), 1),
                **_estimate_document(model.estimate(n)),
            }
            for n in CURVE
        ],
        "load": [{"name": sample.name, "share": round(sample.rx_pps / model.pps(), 4)} for sample in samples],
    }
    try:
        cost = poll_cost(samples)
    except ValueError as error:
        document["idle_polls"] = {"unknown": str(error)}
        return document
    document["idle_polls"] = {
        "clocks_per_empty_poll": round(cost.per_empty_poll, 1),
        "clocks_per_full_poll": round(cost.per_full_poll, 1),
        "clocks_per_packet": round(cost.per_packet, 1),
        "samples": [
            {"name": sample.name, "empty_polls": round(use.empty_polls, 4), "work": round(use.work, 4),
             "rest": round(use.rest, 4)}
            for sample in samples for use in (time_use(sample, cost),)
        ],
    }  # fmt: skip
    return document
