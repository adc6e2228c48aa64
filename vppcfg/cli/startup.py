"""`vppcfg startup`: makes startup.conf and the kernel's files from the section `dataplane` and what the machine has."""

from __future__ import annotations

import argparse
import logging
import os
import sys
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from vppcfg.cli import startup_check
from vppcfg.cli.arguments import CommandsBelow, Subparsers, add_repeated_options
from vppcfg.cli.options import add_config_option, add_dataplane_options, files_of
from vppcfg.cli.output import Colour, paint_for, print_line
from vppcfg.common.log_detail import DETAIL
from vppcfg.common.printable import printable
from vppcfg.errors import ConfigError, DataplaneError, ExitCode, UntrustedFileError, UsageError

if TYPE_CHECKING:
    from vppcfg.common.release import Release
    from vppcfg.config.load import Loaded
    from vppcfg.entries.configuration import Configuration
    from vppcfg.model.dataplane import RunningVpp
    from vppcfg.model.host import Host
    from vppcfg.startup.settings import Settings

log = logging.getLogger("root.main")
_LIVE_ROOT = "/"
_WIDTH = 80


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "startup",
        help="generate startup.conf, the kernel command line and sysctl settings for this machine",
        description=(
            "Generate startup.conf, a kernel command line and sysctl settings from the dataplane section of a "
            "configuration and the hardware of the machine, and check that they are consistent. Shows startup.conf by "
            "default."
        ),
    )
    add_config_option(parser)
    _add_machine_options(parser)
    _add_action_options(parser)
    add_dataplane_options(parser)
    parser.set_defaults(run=run)
    added = parser.add_subparsers(
        title="other commands", metavar="COMMAND", dest="startup_command", action=CommandsBelow
    )
    below = cast(Subparsers, added)
    startup_check.add_parser(below)
    for child in below.choices.values():
        add_repeated_options(child)


def _add_machine_options(parser: argparse.ArgumentParser) -> None:
    machine = parser.add_mutually_exclusive_group()
    machine.add_argument(
        "--host", metavar="FILE", help="generate for the machine of this inventory, written by `vppcfg host -o`"
    )
    machine.add_argument(
        "--root",
        metavar="DIR",
        default=_LIVE_ROOT,
        help="for the machine whose proc, sys and etc are below this directory (default: %(default)s)",
    )
    parser.add_argument(
        "--vpp-version",
        metavar="VERSION",
        help="release of VPP to write for, such as 24.10 (default: that of the running VPP, else the newest known)",
    )


def _add_action_options(parser: argparse.ArgumentParser) -> None:
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--explain", action="store_true", help="show the origin of every value")
    action.add_argument("--diff", action="store_true", help="show what differs from the installed files, and the cost")
    action.add_argument(
        "--install", action="store_true", help="write the three files, and keep the former ones as *.old"
    )
    action.add_argument("--output-dir", metavar="DIR", help="write the three files below this directory")
    action.add_argument("--verify", action="store_true", help="compare with what the running VPP has")
    action.add_argument(
        "--file",
        choices=["startup", "kernel", "sysctl"],
        default="startup",
        help="which file to show (default: %(default)s)",
    )
    parser.add_argument("-o", "--output", metavar="OUT", help="write what would be shown to a file")
    parser.add_argument(
        "--replace", action="store_true", help="discard the contents of installed files, comments and other keys too"
    )
    parser.add_argument(
        "--detailed-exitcode", action="store_true", help="with --diff: exit 2 when something differs, 0 when not"
    )


def run(args: argparse.Namespace) -> ExitCode:
    """Do what the options set; nothing is written when there is an error anywhere."""
    from vppcfg.app.foreign_files import foreign_reason
    from vppcfg.app.loading import load_configuration
    from vppcfg.cli.console import terminal_for
    from vppcfg.cli.startup import show_verification
    from vppcfg.startup.derive import derive
    from vppcfg.startup.running import HARDWARE, devices, measured_limits

    _refuse_contradictions(args)
    configuration, loaded = load_configuration(files_of(args), terminal_for(args))
    if args.install and (reason := foreign_reason(loaded)):
        hint = "let nobody but root and yourself write the file and the folders above it"
        raise UntrustedFileError(f"{reason}, and this machine would start by it; nothing was changed", hint)
    host = _machine(args)
    running = _running(args)
    measured = measured_limits(devices(running.shown[HARDWARE])) if running else {}
    settings = derive(configuration, host, _release(args, running), measured)
    if args.explain:  # also, and above all, when something does not go together
        _act(settings, host, args)
        _check(configuration, loaded, host, settings, args)
        return ExitCode.DONE
    _check(configuration, loaded, host, settings, args)
    if args.verify and running is not None:
        return show_verification(settings, host, running, args)
    return _act(settings, host, args)


def _refuse_contradictions(args: argparse.Namespace) -> None:
    if args.host is not None and (args.install or args.diff or args.verify):
        hint = "write the files with --output-dir and take them there, or leave --host out"
        raise UsageError("--host is about another machine, and --install, --diff and --verify about this one", hint)
    if args.output is not None and (args.install or args.output_dir or args.verify):
        raise UsageError("-o goes with what is shown, not with --install, --output-dir and --verify")
    if args.detailed_exitcode and not args.diff:
        raise UsageError("--detailed-exitcode goes with --diff")


def _machine(args: argparse.Namespace) -> Host:
    from vppcfg.cli.host import machine_at, read_machine

    host = machine_at(args.root) if args.host is None else read_machine(args.host)
    for note in host.notes:
        log.warning("%s", note)
    return host


def _running(args: argparse.Namespace) -> RunningVpp | None:
    """Return the VPP of this machine, None when none answers or another machine is meant."""
    from vppcfg.startup.running import COMMANDS
    from vppcfg.vpp.running import read_running

    if not args.verify and not (_is_live(args) and os.path.exists(args.api_socket)):
        return None
    try:
        running = read_running(args.api_socket, COMMANDS, json_dir=args.vpp_json_dir)
    except DataplaneError as error:
        if args.verify:
            raise
        log.warning("%s", error.message)
        return None
    log.info("VPP version is %s", running.version, extra=DETAIL)
    return running


def _release(args: argparse.Namespace, running: RunningVpp | None) -> Release:
    """Return the release to write for: the one named, that of the running VPP, or the newest."""
    from vppcfg.common.release import NEWEST, OLDEST, release_of

    named = args.vpp_version or (running.version if running else None)
    if named is None:
        log.info("Writing for VPP %s, the newest known; --vpp-version names another", NEWEST)
        return NEWEST
    try:
        release = release_of(named)
    except ValueError as error:
        raise UsageError(str(error), "--vpp-version takes a release such as 24.10") from error
    if release < OLDEST:
        raise UsageError(f"VPP {release} is older than the oldest that vppcfg writes for, {OLDEST}")
    if release > NEWEST:
        log.warning("VPP %s is newer than the newest that vppcfg knows, %s", release, NEWEST)
    return release


def _is_live(args: argparse.Namespace) -> bool:
    return args.host is None and os.path.realpath(args.root) == _LIVE_ROOT


def _check(
    configuration: Configuration, loaded: Loaded, host: Host, settings: Settings, args: argparse.Namespace
) -> None:
    """Show contradictions between file and machine. Raise ConfigError when one is an error."""
    from vppcfg.cli.output import paint_for
    from vppcfg.cli.problems import report
    from vppcfg.model.problem import Severity
    from vppcfg.startup.checks import check
    from vppcfg.startup.checks.case import Case

    found = loaded.placed(check(Case(configuration=configuration, host=host, settings=settings)))
    report(found, loaded.name, sys.stderr, paint_for(sys.stderr, args.color))
    if any(problem.severity is Severity.ERROR for problem in found):
        raise ConfigError(f"{loaded.name} and this machine do not go together", "`vppcfg explain RULE` explains a rule")


def _act(settings: Settings, host: Host, args: argparse.Namespace) -> ExitCode:
    from vppcfg.cli.output import write_document
    from vppcfg.cli.startup import explained
    from vppcfg.cli.startup_files import install, show_difference
    from vppcfg.startup.files import KERNEL_LINE, STARTUP_CONF, SYSCTL_CONF, render

    texts = render(settings)
    if args.diff:
        return show_difference(texts, settings, host, args)
    if args.install or args.output_dir is not None:
        return install(texts, settings, args)
    shown = {"startup": STARTUP_CONF, "kernel": KERNEL_LINE, "sysctl": SYSCTL_CONF}[args.file]
    write_document(explained(settings, texts) if args.explain else texts[shown], args.output)
    return ExitCode.DONE


def explained(settings: Settings, texts: Mapping[str, str]) -> str:
    """Return every value with where it comes from, then the two files for the kernel."""
    from vppcfg.startup.files import KERNEL_LINE, SYSCTL_CONF

    blocks = []
    for entry in settings.explanations:
        reason = textwrap.fill(
            entry.reason, _WIDTH, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False
        )
        blocks.append(f"{entry.key} = {entry.value}  ({entry.origin.value})\n{reason}\n")
    files = [f"\n/{path}:\n{textwrap.indent(texts[path], '    ')}" for path in (KERNEL_LINE, SYSCTL_CONF)]
    return "".join([*blocks, *files])


def show_verification(settings: Settings, host: Host, running: RunningVpp, args: argparse.Namespace) -> ExitCode:
    """Compare with the running VPP; exit 8 when something is not as asked."""
    from vppcfg.startup.running import verify

    findings = verify(settings, running, host)
    paint = paint_for(sys.stdout, args.color)
    for finding in findings:
        mark = paint("ok", Colour.GOOD) if finding.is_met else paint("DIFFERENT", Colour.BAD)
        if finding.is_met:
            print_line(f"{mark} {printable(finding.what)}: {printable(finding.found)}")
        else:
            print_line(f"{mark} {printable(finding.what)}: asked {finding.asked}, found {printable(finding.found)}")
            print_line(f"    {printable(finding.advice)}")
    unmet = sum(not finding.is_met for finding in findings)
    print_line(f"{len(findings) - unmet} of {len(findings)} as asked")
    return ExitCode.DIFFERENT if unmet else ExitCode.DONE
