"""`vppcfg verify`: reports where VPP does not forward as Linux does. Changes nothing."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.options import (
    ConfigFiles,
    add_dataplane_options,
    add_look_options,
    add_state_dir_option,
    files_of,
    seconds_between_looks,
    target_of,
)
from vppcfg.errors import ExitCode

if TYPE_CHECKING:
    from vppcfg.model.state import State


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "verify",
        help="report where VPP forwards otherwise than Linux",
        description=(
            "Compare what Linux has on the devices of LCP pairs with what VPP forwards by: state, MTU, addresses, "
            "neighbours and routes, until Ctrl-C or SIGTERM. Of many routes a part is looked up in VPP each time, all "
            "within a day, for VPP stops its workers to answer. A difference is read again before it is reported. "
            "Changes nothing."
        ),
    )
    parser.add_argument(
        "-c",
        "--config",
        metavar="FILE",
        action=ConfigFiles,
        help="hold addresses and routes against this file, as it is now, instead of the last accepted change",
    )
    add_dataplane_options(parser)
    parser.add_argument(
        "--interval",
        metavar="S",
        type=seconds_between_looks,
        default=300.0,
        help="seconds between two readings (default: %(default)g), at least four times as long as a reading takes",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="read all routes and neighbours of VPP, both ways; that stops forwarding in one piece, about 0.5 s for "
        "100,000 routes",
    )
    add_look_options(parser)
    add_state_dir_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """Verify until stopped, or once."""
    from vppcfg import __version__
    from vppcfg.app.watching.verification import Verification, verifier_of
    from vppcfg.cli.progress import Progress
    from vppcfg.cli.watch_output import check_output, look, output_for
    from vppcfg.render.prometheus import VerifyMetrics

    check_output(args)
    wanted = _state_of_file(args) if args.config is not None else None
    status = VerifyMetrics(version=__version__)
    with Progress("Looking up routes", 100, unit="%") as progress:

        def show(percent: int) -> None:
            if percent < 100:
                progress.report(percent)
            else:
                progress.clear()

        verifier = verifier_of(
            target_of(args), interval_s=args.interval, is_all=args.all, wanted=wanted, on_progress=show
        )
        verification = Verification(verifier, output_for(args), status, interval_s=args.interval)
        return look(verification.once, verification.run, args)


def _state_of_file(args: argparse.Namespace) -> State:
    """Return what the file that -c names asks for. Raise ConfigError."""
    from vppcfg.app.loading import load_configuration
    from vppcfg.cli.console import terminal_for
    from vppcfg.config.assumed_state import assumed_state
    from vppcfg.config.resolve import resolve

    configuration, _ = load_configuration(files_of(args), terminal_for(args))
    return resolve(configuration, assumed_state(configuration)).desired
