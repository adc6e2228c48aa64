"""`vppcfg apply`: brings a running VPP to the configuration as a transaction: all of it, or the old state again."""

from __future__ import annotations

import argparse

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.options import (
    DEFAULT_CONFIG,
    add_adopt_option,
    add_again_option,
    add_change_options,
    add_check_options,
    add_config_option,
    add_confirm_options,
    add_dataplane_options,
    add_reading_option,
    add_rehearsal_options,
    add_state_dir_option,
    check_confirm_options,
    files_of,
    refuse_idle_hold,
    target_of,
    terms_of,
)
from vppcfg.errors import ExitCode, UsageError


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "apply",
        help="bring VPP to the configuration",
        description=(
            "Bring VPP from its present state to the configuration, and verify the result. If a step fails, VPP is "
            "rolled back to the old state."
        ),
    )
    add_config_option(parser)
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="a plan from `vppcfg plan --save`, in place of a file")
    add_dataplane_options(parser)
    add_reading_option(parser)
    add_change_options(parser)
    add_adopt_option(parser)
    add_confirm_options(parser)
    add_check_options(parser)
    add_again_option(parser)
    parser.add_argument(
        "--install-as",
        metavar="FILE",
        help="install the applied configuration as FILE, atomically, when the change is accepted: at the end, or with "
        "--confirm when it is confirmed",
    )
    add_rehearsal_options(parser, "--rehearsed", "rehearse the plan first, and refuse it when that fails,")
    parser.add_argument(
        "--keep",
        action="store_true",
        help="keep the change when all steps succeed, even if VPP then differs from the plan",
    )
    parser.add_argument(
        "--boot",
        action="store_true",
        help="at the start of the machine: wait for VPP, and apply the configuration that was applied or confirmed "
        "last",
    )
    add_state_dir_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """Plan, show, ask where that is due, perform, and verify."""
    check_confirm_options(args)
    refuse_idle_hold(args)
    if args.boot and args.install_as:
        raise UsageError("--boot applies what was accepted, so there is nothing for --install-as to put in place")
    if args.boot and (args.plan is not None or args.confirm is not None or args.rehearsal_prefix is not None):
        raise UsageError("--boot applies what was accepted: no saved plan, and without --confirm and --rehearsed")
    if args.boot and (args.check or args.add_check):
        raise UsageError("--boot applies what was accepted, whatever the checks", "check before the change is accepted")
    from vppcfg.cli.console import terminal_for

    target, terms, console = target_of(args), terms_of(args), terminal_for(args)
    if args.boot:
        from vppcfg.app.booting import apply_at_boot

        return apply_at_boot(files_of(args), target, terms, console)
    if args.plan is not None:
        from vppcfg.app.saved_plans import apply_saved

        if args.config != DEFAULT_CONFIG or args.adopt:
            raise UsageError(
                "a saved plan takes no configuration and no --adopt",
                "it was saved with both; `vppcfg plan --save` makes another one",
            )
        return apply_saved(args.plan, target, terms, console).code
    from vppcfg.app.applying import apply_file

    return apply_file(files_of(args), target, terms, console).code
