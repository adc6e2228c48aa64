"""`vppcfg report`: one archive for whoever helps with a router. It reads, and sends nothing anywhere."""

from __future__ import annotations

import argparse
import logging
import sys
import time

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.options import (
    add_config_option,
    add_force_option,
    add_state_dir_option,
    files_of,
    output_file,
    refuse_to_overwrite,
    target_of,
)
from vppcfg.cli.tune.options import add_live_options, announce, reading_plan
from vppcfg.errors import ExitCode, UsageError

log = logging.getLogger("root.main")


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "report",
        help="collect diagnostics in one archive, for support",
        description="Collect the configuration, startup.conf, VPP's state, the plan, the last changes, the machine, a "
        "capture of VPP's load and the log in one archive, with secrets left out and listed. Its contents are shown; "
        "it is sent nowhere. `tune --from`, `plan --against` and `adopt --from` read it. Nothing is changed.",
    )
    add_config_option(parser)
    add_live_options(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=output_file,
        help="the archive to write (default: vppcfg-report-TIME.tar.gz here)",
    )
    add_force_option(parser)
    parser.add_argument(
        "--no-capture", action="store_true", help="leave out the capture, which runs commands of VPP's CLI"
    )
    parser.add_argument("--no-log", action="store_true", help="leave out the log")
    add_state_dir_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """Collect the report, write it, and show what is in it; exit 4 when VPP could not be read."""
    from vppcfg.app.support_report import ReportRequest, collect, summary_lines
    from vppcfg.app.target import now
    from vppcfg.cli.output import write
    from vppcfg.cli.progress import Progress
    from vppcfg.common.printable import printable
    from vppcfg.common.report_archive import STATE, pack

    at = time.strftime("%Y%m%d-%H%M%S")
    output = args.output or f"vppcfg-report-{at}.tar.gz"
    refuse_to_overwrite(output, force=args.force)
    plan = reading_plan(args)
    request = ReportRequest(
        files=files_of(args), reading=plan, root=args.root, has_capture=not args.no_capture, has_log=not args.no_log
    )
    if request.has_capture:
        announce(plan)
    with Progress("Reading VPP", plan.ticks, unit="readings") as progress:
        report = collect(target_of(args), request, now(), progress.report)
    _store(pack(f"vppcfg-report-{at}", report.members, int(time.time())), output)
    write("".join(f"{printable(line)}\n" for line in summary_lines(report, output)), sys.stdout)
    return ExitCode.DONE if STATE in report.members else ExitCode.DATAPLANE


def _store(content: bytes, output: str) -> None:
    """Write the archive for its owner alone, in the place of a file or a link that is there. Raise UsageError."""
    from vppcfg.cli.output import is_stream, replace_file, written_place

    try:
        place = written_place(output)
        if is_stream(place):
            with open(place, "wb") as stream:
                stream.write(content)
        else:
            replace_file(content, output, 0o600)
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror}") from error
