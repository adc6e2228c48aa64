"""What samples of one path predict, as plain data: the cost of its nodes, a worker's capacity, how many are needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from vppcfg.common.rates import line_rate_pps, parse_speed
from vppcfg.tune.capacity import CURVE, HEADROOM, Estimate, Model, fitted, from_one, workers_needed
from vppcfg.tune.compose import ERROR, compose
from vppcfg.tune.fit import poll_cost, time_use
from vppcfg.tune.sample import CostSample


def prediction_of(samples: Sequence[CostSample]) -> tuple[dict[str, Any], Estimate]:
    """Return the document and what a worker can forward. Raise UsageError when the samples do not tell.

    One sample gives a lower bound, or the capacity when its worker is saturated; more give a model.
    """
    document: dict[str, Any] = {"format_version": 1, "samples": [_sample(sample) for sample in samples]}
    if len(samples) > 1:
        model = fitted(samples)
        document |= _model(model, samples)
        estimate = model.estimate()
    else:
        estimate = from_one(samples[0])
    document["worker"] = _estimate(estimate)
    return document, estimate


def composition_of(
    samples: Sequence[CostSample], seen: Sequence[CostSample], add: Mapping[str, float], drop: Mapping[str, float]
) -> dict[str, Any]:
    """Return what the fullest of `samples` would cost with nodes added and dropped. Raise UsageError."""
    base = max(samples, key=lambda sample: sample.n_graph)
    made = compose(base, seen, add, drop)
    return {
        "base": base.name,
        "base_clocks": round(made.base_clocks, 1),
        "nodes": {name: round(clocks, 1) for name, clocks in made.added},
        "clocks_per_packet": round(made.clocks, 1),
        "pps": round(made.pps),
        "low_pps": round(made.pps * (1 - ERROR)),
        "high_pps": round(made.pps * (1 + ERROR)),
        "vectors": round(base.n_graph, 1),
        "remarks": list(made.remarks),
    }


def workers_for(ports: str, frame: float, estimate: Estimate) -> dict[str, Any]:
    """Return how many workers carry the line rate of `ports`, speeds such as `1G,10G`. Raise UsageError."""
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


def _sample(sample: CostSample) -> dict[str, Any]:
    return {
        "name": sample.name,
        "rx_pps": round(sample.rx_pps),
        "vectors_per_call": round(sample.n_graph, 2),
        "clocks_per_packet": round(sample.clocks_per_packet, 1),
        "time_in_nodes": round(sample.share_used, 4),
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    high = None if estimate.high_pps is None else round(estimate.high_pps)
    return {
        "pps": round(estimate.pps),
        "low_pps": round(estimate.low_pps),
        "high_pps": high,
        "basis": estimate.basis,
    }


def _model(model: Model, samples: Sequence[CostSample]) -> dict[str, Any]:

    document: dict[str, Any] = {
        "nodes": [
            {"name": fit.name, "clocks_per_call": round(fit.per_call, 1), "clocks_per_packet": round(fit.per_packet, 1)}
            for fit in model.fits
        ],
        "curve": [
            {"vectors": n, "clocks_per_packet": round(model.clocks_per_packet(n), 1), **_estimate(model.estimate(n))}
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
