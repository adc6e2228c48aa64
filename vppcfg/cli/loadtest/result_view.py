"""Shows what a test found, and writes its result."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import replace

from vppcfg.cli.loadtest.live import Live
from vppcfg.cli.output import printable, say, write_document
from vppcfg.loadtest.loss import loss_text
from vppcfg.loadtest.result import Baseline, Offered, Result, Total
from vppcfg.tune.figures import percent, pps


def write_result(result: Result, args: argparse.Namespace) -> None:
    """Write a result where the options want it. Raise UsageError when that cannot be done."""
    if args.output is None:
        return
    write_document(_text(result, args), None if args.output == "-" else args.output)


def _text(result: Result, args: argparse.Namespace) -> str:
    if getattr(args, "format", "json") == "trex-loadtest":
        from vppcfg.loadtest.trex_loadtest import text_for_visualiser

        return text_for_visualiser(result)
    from vppcfg.loadtest.document import text_of

    return text_of(result)


def write_partial(result: Result, args: argparse.Namespace) -> None:
    """Write what an interrupted test has counted, where a file is named."""
    from vppcfg.loadtest.session import uninterrupted

    if args.output not in (None, "-"):
        with uninterrupted():
            write_result(replace(result, notes=("the test did not run to its end; totals are missing",)), args)


def show(lines: Iterable[str], args: argparse.Namespace, live: Live) -> None:
    """Show figures on standard output, unless the result goes there."""
    for line in lines:
        if args.output == "-":
            live.say(line)
        else:
            say(printable(line))


def ramp_lines(result: Result) -> Iterator[str]:
    """Yield the figures of a ramp, in 80 columns."""
    if result.verdict is not None:
        yield from ("", "Test has passed :-)" if result.verdict.has_passed else "Test has failed :-(", "")
    yield from total_lines(result.totals)
    if result.verdict is not None:
        yield f"Verdict      {result.verdict.text}"
    if result.offered is not None:
        yield f"Path         {path_text(result.offered)}"
        yield f"Loss begins  {_loss_begins(result, result.offered)}"
    yield from baseline_lines(result.baseline)
    for note in result.notes:
        yield f"Note         {note}"
    if result.tuning is not None:
        for finding in result.tuning["findings"]:
            yield f"Tuning       {finding['verdict']}"


def total_lines(totals: tuple[Total, ...]) -> Iterator[str]:
    """Yield a table of what each direction sent and got back."""
    yield f"{'Direction':<12} {'Sent':>16} {'Received':>16} {'Lost':>14} {'Loss':>12}"
    for total in totals:
        tally = total.tally
        yield (
            f"{printable(total.direction.name):<12} {tally.sent:>16,} {tally.received:>16,} {tally.lost:>14,} "
            f"{loss_text(total.loss_ratio):>12}"
        )


def baseline_lines(baseline: Baseline | None) -> Iterator[str]:
    """Yield what the generator did without a device."""
    if baseline is not None:
        worst = max(total.loss_ratio for total in baseline.totals)
        yield (
            f"Baseline     the generator alone lost {loss_text(worst)} of {baseline.offered.profile} "
            f"{baseline.offered.size} on {baseline.started_at[:10]}"
        )


def path_text(offered: Offered) -> str:
    """Return what a path carries."""
    extras = [f"{offered.vlan_tags} VLAN tags"] if offered.vlan_tags else []
    extras += [f"crossed {offered.crossings} times"] if offered.crossings > 1 else []
    what = ", ".join((f"{offered.mean_frame_bytes:g}-byte frames" if offered.size != "imix" else "imix", *extras))
    return f"carries {pps(offered.path_rate_pps)} per direction ({what})"


def _loss_begins(result: Result, offered: Offered) -> str:
    if result.loss_begins_pps is None:
        highest = max((sample.load_pps for sample in result.samples), default=0.0)
        return f"nowhere up to {pps(highest)} per direction"
    share = percent(result.loss_begins_pps / offered.path_rate_pps)
    return f"at {pps(result.loss_begins_pps)} per direction, {share} of what the path carries"
