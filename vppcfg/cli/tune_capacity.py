"""`vppcfg tune capacity`: captures of one path at different loads in, what a worker can forward out."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.output import say
from vppcfg.cli.tune_options import add_from_option, frame_size, load_from
from vppcfg.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from vppcfg.tune.capacity import Estimate, Model
    from vppcfg.tune.sample import Sample


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "capacity",
        help="what a worker can forward, and how many are needed",
        description="Fit what a packet costs on captures of one path at two loads or more, and predict packets per "
        "second at every vector size. One capture gives a lower bound, or the capacity when its worker is saturated.",
    )
    add_from_option(parser, "a capture of the path at one load; give one at low and one at high load")
    parser.add_argument(
        "--add",
        metavar="NODE[=SHARE]",
        action="append",
        default=[],
        help="add a node that was seen on another path (--seen), for a share of the packets (default: all)",
    )
    parser.add_argument(
        "--drop", metavar="NODE[=SHARE]", action="append", default=[], help="take a node out of the path"
    )
    parser.add_argument(
        "--seen", metavar="DIR", action="append", default=[], help="a capture of another path on this machine"
    )
    parser.add_argument(
        "--ports", metavar="SPEED,...", help="say how many workers ports of these speeds need: 1G,1G,10G"
    )
    parser.add_argument(
        "--frame", metavar="BYTES", type=frame_size, default=64.0, help="frame size for --ports (default: 64)"
    )
    parser.add_argument("--format", choices=["table", "json"], default="table", help="(default: table)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """Show the prediction."""
    from vppcfg.tune.sample import sample_of

    if not args.sources:
        raise UsageError("no capture is named", "give --from DIR; `vppcfg tune capture DIR` makes one")
    samples = [sample_of(load_from([source]), source) for source in args.sources]
    document = _document(samples, args)
    if args.format == "json":
        import json

        say(json.dumps(document, indent=2))
    else:
        for line in _lines(document):
            say(line)
    return ExitCode.DONE


def _document(samples: list[Sample], args: argparse.Namespace) -> dict[str, Any]:
    from vppcfg.tune.capacity import fitted, from_one

    document: dict[str, Any] = {"format_version": 1, "samples": [_sample(sample) for sample in samples]}
    if len(samples) > 1:
        model = fitted(samples)
        document |= _model(model, samples)
        estimate = model.estimate()
    else:
        estimate = from_one(samples[0])
    document["worker"] = _estimate(estimate)
    if args.add or args.drop:
        document["composition"] = _composition(samples, args)
    if args.ports:
        document["workers"] = _workers(args, estimate)
    return document


def _sample(sample: Sample) -> dict[str, Any]:
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


def _model(model: Model, samples: list[Sample]) -> dict[str, Any]:
    from vppcfg.tune.capacity import CURVE
    from vppcfg.tune.fit import poll_cost, time_use

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


def _composition(samples: list[Sample], args: argparse.Namespace) -> dict[str, Any]:
    from vppcfg.tune.compose import ERROR, compose
    from vppcfg.tune.sample import sample_of

    base = max(samples, key=lambda sample: sample.n_graph)
    seen = [sample_of(load_from([source]), source) for source in args.seen]
    made = compose(base, seen, _shares(args.add), _shares(args.drop))
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


def _shares(texts: list[str]) -> dict[str, float]:
    shares = {}
    for text in texts:
        name, equals, share = text.partition("=")
        try:
            shares[name] = float(share) if equals else 1.0
        except ValueError as error:
            raise UsageError(
                f"{text!r}: {share!r} is no share", "write NODE, or NODE=0.5 for half of the packets"
            ) from (error)
        if not 0 < shares[name] <= 10:
            raise UsageError(f"{text!r}: a share is more than 0 and at most 10")
    return shares


def _workers(args: argparse.Namespace, estimate: Estimate) -> dict[str, Any]:
    from vppcfg.common.rates import line_rate_pps, parse_speed
    from vppcfg.tune.capacity import HEADROOM, workers_needed

    speeds = [parse_speed(text) for text in args.ports.split(",")]
    offered = sum(line_rate_pps(speed, args.frame) for speed in speeds)
    most = None if estimate.high_pps is None else workers_needed(offered, estimate.high_pps)
    return {
        "ports": args.ports,
        "frame": args.frame,
        "offered_pps": round(offered),
        "headroom": HEADROOM,
        "needed": workers_needed(offered, estimate.pps),
        "at_most": workers_needed(offered, estimate.low_pps),
        "at_least": most,
    }


def _lines(document: dict[str, Any]) -> list[str]:
    from vppcfg.cli.tune_capacity_view import capacity_lines

    return list(capacity_lines(document))
