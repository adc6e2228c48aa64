"""`vppcfg loadtest report`: makes one HTML page of results."""

from __future__ import annotations

import argparse

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.loadtest.options import percentage
from vppcfg.errors import ExitCode, UsageError


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "report",
        help="graphs and tables of results, as one HTML page",
        description="Write one HTML page with one or more results: graphs, a table of all runs, and what it takes to "
        "repeat each. Runs of the same kind and traffic share a graph. The page needs no network.",
    )
    parser.add_argument("results", metavar="RESULT", nargs="+", help="result of another loadtest command, as JSON")
    parser.add_argument("-o", "--output", metavar="OUT", required=True, help="write to a file, - for standard output")
    parser.add_argument("--title", metavar="TEXT", default="Load test", help="heading (default: %(default)s)")
    parser.add_argument(
        "--loss", metavar="PERCENT", type=percentage, help="loss begins here (default: the limit of each run)"
    )
    parser.add_argument(
        "--format",
        choices=["auto", "json", "trex-loadtest"],
        default="auto",
        help="form of the results: vppcfg's, or the one that trex-loadtest-viz reads (default: detected)",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """Write the page."""
    from pathlib import Path

    from vppcfg.cli.output import write_document
    from vppcfg.loadtest.document import FileForm, read_any
    from vppcfg.loadtest.report.page import page_of

    if args.loss == 0:
        raise UsageError("--loss must be more than 0; `vppcfg loadtest search` finds the highest load without any loss")
    results = [read_any(Path(name), FileForm(args.format)) for name in args.results]
    page = page_of(results, args.title, args.loss / 100 if args.loss else None)
    write_document(page, args.output)
    return ExitCode.DONE
