"""`vppcfg tune capacity`: shows what captures of one path at different loads predict that a worker can forward."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.output import print_line
from vppcfg.cli.tune.options import add_from_option, frame_size, load_from
from vppcfg.common.numbers import numbered
from vppcfg.common.printable import json_text, printable
from vppcfg.common.rates import percent, pps
from vppcfg.errors import ExitCode, UsageError


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "capacity",
        help="show what a worker can forward, and how many are needed",
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
        "--ports", metavar="SPEED,...", help="compute the workers that ports of these speeds need: 1G,1G,10G"
    )
    parser.add_argument(
        "--frame", metavar="BYTES", type=frame_size, default=64.0, help="frame size for --ports (default: 64)"
    )
    parser.add_argument("--format", choices=["table", "json"], default="table", help="for people (default) or programs")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """Show the prediction."""
    from vppcfg.tune.capacity import composition_of, prediction_of, workers_for
    from vppcfg.tune.costs import sample_of

    if not args.sources:
        raise UsageError("no capture is named", "give --from DIR; `vppcfg tune capture DIR` makes one")
    samples = [sample_of(load_from([source]), source) for source in args.sources]
    document, estimate = prediction_of(samples)
    if args.add or args.drop:
        seen = [sample_of(load_from([source]), source) for source in args.seen]
        document["composition"] = composition_of(samples, seen, _shares(args.add), _shares(args.drop))
    if args.ports:
        document["workers"] = workers_for(args.ports, args.frame, estimate)
    if args.format == "json":
        print_line(json_text(document, indent=2))
    else:
        for line in _view(document):
            print_line(line)
    return ExitCode.DONE


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
            raise UsageError(f"{text!r}: a share must be more than 0 and at most 10")
    return shares


def _view(document: dict[str, Any]) -> Iterator[str]:
    """Yield the lines for the document of `--format json`."""
    yield from _sample_lines(document)
    if "nodes" in document:
        yield from _model_lines(document)
    worker = document["worker"]
    yield ""
    if worker["high_pps"] is None:
        yield f"A worker forwards at least {pps(worker['pps'])}:"
    else:
        yield f"A worker forwards {pps(worker['pps'])} ({pps(worker['low_pps'])} to {pps(worker['high_pps'])}):"
    yield f"  {worker['basis']}."
    if "composition" in document:
        yield from _composition_lines(document["composition"])
    if "workers" in document:
        yield from _worker_lines(document["workers"])


def _sample_lines(document: dict[str, Any]) -> Iterator[str]:
    yield f"{'RECEIVES':>12} {'PER CALL':>9} {'CLOCKS/PKT':>11} {'IN NODES':>9}  SAMPLE"
    for sample in document["samples"]:
        yield (
            f"{pps(sample['rx_pps']):>12} {sample['vectors_per_call']:>9.2f} {sample['clocks_per_packet']:>11.1f} "
            f"{percent(sample['time_in_nodes']):>9}  {printable(sample['name'])}"
        )


def _model_lines(document: dict[str, Any]) -> Iterator[str]:
    yield ""
    yield f"{'PER CALL':>9} {'PER PACKET':>11}  NODE (clocks)"
    for node in document["nodes"]:
        yield f"{node['clocks_per_call']:>9.0f} {node['clocks_per_packet']:>11.1f}  {printable(node['name'])}"
    yield ""
    yield f"{'VECTORS':>8} {'CLOCKS/PKT':>11} {'A WORKER':>12}  BETWEEN"
    for point in document["curve"]:
        between = f"{pps(point['low_pps'])} and {pps(point['high_pps'])}"
        known = "" if point["basis"].startswith("within") else " (extrapolated)"
        yield f"{point['vectors']:>8} {point['clocks_per_packet']:>11.0f} {pps(point['pps']):>12}  {between}{known}"
    yield from _load_lines(document)


def _load_lines(document: dict[str, Any]) -> Iterator[str]:
    yield ""
    uses = {use["name"]: use for use in document["idle_polls"].get("samples", ())}
    for load in document["load"]:
        use = uses.get(load["name"])
        split = (
            f"; {percent(use['work'])} of its time is work, {percent(use['empty_polls'])} empty polls" if use else ""
        )
        yield f"{printable(load['name'])}: load {percent(load['share'])}{split}"
    polls = document["idle_polls"]
    if "unknown" in polls:
        yield f"Idle polls count as work: {polls['unknown']}."
    else:
        yield (
            f"An empty poll takes {polls['clocks_per_empty_poll']:.0f} clocks, one with packets "
            f"{polls['clocks_per_full_poll']:.0f} and {polls['clocks_per_packet']:.0f} per packet."
        )


def _composition_lines(composition: dict[str, Any]) -> Iterator[str]:
    yield ""
    yield f"{composition['base_clocks']:>9.1f} clocks per packet on the path of {printable(composition['base'])}"
    for name, clocks in composition["nodes"].items():
        yield f"{clocks:>+9.1f} {printable(name)}"
    yield (
        f"{composition['clocks_per_packet']:>9.1f} clocks: {pps(composition['pps'])} "
        f"with vectors of {composition['vectors']:g} ({pps(composition['low_pps'])} to {pps(composition['high_pps'])})"
    )
    for remark in composition["remarks"]:
        yield f"  {printable(remark)}"


def _worker_lines(workers: dict[str, Any]) -> Iterator[str]:
    yield ""
    least = "an unknown number" if workers["at_least"] is None else workers["at_least"]
    yield f"Ports of {printable(workers['ports'])} at {workers['frame']:.0f} bytes offer {pps(workers['offered_pps'])}:"
    yield (
        f"  {numbered(workers['needed'], 'worker')} at {100 * workers['headroom']:.0f} % load each ({least} if a "
        f"worker does better than predicted, {workers['at_most']} if worse)"
    )
