"""Shows what a test found, and writes its result."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import replace

from vppcfg.cli.loadtest.live import Live
from vppcfg.cli.output import print_line, write, write_document
from vppcfg.common.printable import printable
from vppcfg.common.rates import pps
from vppcfg.loadtest.load import loss_text
from vppcfg.loadtest.result import Baseline, Offered, Result, Total


def write_result(result: Result, args: argparse.Namespace) -> None:
    """Write a result to the file that the options name. Raise UsageError when that cannot be done."""
    if args.output is None:
        return
    write_document(_text(result, args), args.output)


def _text(result: Result, args: argparse.Namespace) -> str:
    if getattr(args, "format", "json") == "trex-loadtest":
        from vppcfg.loadtest.trex_loadtest import text_for_visualiser

        return text_for_visualiser(result)
    from vppcfg.loadtest.document import text_of

    return text_of(result)


def write_partial(result: Result, args: argparse.Namespace) -> None:
    """Write what an interrupted test has counted, where a file is named."""
    from vppcfg.loadtest.engine import uninterrupted

    if args.output not in (None, "-"):
        with uninterrupted():
            write_result(replace(result, notes=("the test did not run to its end; totals are missing",)), args)


def show(lines: Iterable[str], args: argparse.Namespace, live: Live) -> None:
    """Show figures on standard output, unless the result goes there."""
    for line in lines:
        if args.output == "-":
            live.note(line)
        else:
            print_line(printable(line))


def show_lines(lines: Iterable[str], args: argparse.Namespace) -> None:
    """Show figures on standard output; where the result goes there, on standard error unless that is to be quiet."""
    for line in lines:
        if args.output != "-":
            print_line(printable(line))
        elif not args.quiet:
            write(printable(line) + "\n", sys.stderr)


def ramp_lines(result: Result) -> Iterator[str]:
    """Yield the figures of a ramp, in 80 columns."""
    if result.verdict is not None:
        yield from ("", "Test has passed :-)" if result.verdict.has_passed else "Test has failed :-(", "")
    yield from total_lines(result.totals)
    if result.verdict is not None:
        yield from labelled("Verdict", result.verdict.text)
    if result.offered is not None:
        yield from labelled("Path", path_text(result.offered))
        yield from labelled("Loss begins", _loss_begins(result, result.offered))
    yield from baseline_lines(result.baseline)
    for note in result.notes:
        yield from labelled("Note", note)
    if result.tuning is not None:
        if not result.tuning["findings"]:
            yield from labelled("Tuning", "the tuner finds nothing that limits the VPP")
        for finding in result.tuning["findings"]:
            yield from labelled("Tuning", finding["verdict"])


def total_lines(totals: tuple[Total, ...]) -> Iterator[str]:
    """Yield a table of what each direction sent and got back."""
    yield f"{'Direction':<10} {'Sent':>15} {'Received':>15} {'Lost':>13} {'Not sent':>11} {'Loss':>9}"
    for total in totals:
        tally = total.tally
        yield (
            f"{printable(total.direction.name):<10} {tally.sent:>15,} {tally.received:>15,} {tally.lost:>13,} "
            f"{max(total.intended - tally.sent, 0):>11,} {loss_text(total.loss_ratio):>9}"
        )


def labelled(label: str, text: str) -> list[str]:
    """Return a label and a text in lines of 80 columns."""
    head = f"{label:<13}"
    return textwrap.wrap(printable(text), 79, initial_indent=head, subsequent_indent=" " * 13) or [head]


def baseline_lines(baseline: Baseline | None) -> Iterator[str]:
    """Yield what the generator did without a device."""
    if baseline is not None:
        worst = max(total.loss_ratio for total in baseline.totals)
        what = " ".join(dict.fromkeys((baseline.offered.profile, baseline.offered.size)))
        text = f"the generator alone lost {loss_text(worst)} of {what} on {baseline.started_at[:10]}"
        yield from labelled("Baseline", text)


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
    share = 100 * result.loss_begins_pps / offered.path_rate_pps
    return f"at {pps(result.loss_begins_pps)} per direction, {share:.2f} % of what the path carries"
