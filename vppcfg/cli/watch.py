"""`vppcfg watch`: reports when a VPP differs from its configuration file, or matches it again. Only reads by itself."""

from __future__ import annotations

import argparse
import logging
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from vppcfg.app.signals import Terminated
from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.options import (
    IMPACTS,
    add_adopt_option,
    add_config_option,
    add_dataplane_options,
    add_look_options,
    add_reading_option,
    add_state_dir_option,
    files_of,
    seconds_between_looks,
    target_of,
    terms_of,
)
from vppcfg.cli.output import is_terminal
from vppcfg.errors import DataplaneError, ExitCode, PlanRefusedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from vppcfg.app.confirming import Unconfirmed
    from vppcfg.app.interrupted_change import InterruptedChange
    from vppcfg.app.target import Target
    from vppcfg.app.watching.file import WatchedFile
    from vppcfg.app.watching.loop import VppWatch
    from vppcfg.app.watching.reconciling import Reconciler
    from vppcfg.app.watching.verification import Verifier
    from vppcfg.model.state import State

log = logging.getLogger("root.main")


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "watch",
        help="report when VPP differs from the configuration",
        description=(
            "Watch a VPP and report how it differs from the configuration file, until Ctrl-C or SIGTERM. The file is "
            "read again when it changes, and on SIGHUP. Nothing is changed without --reconcile. With --once it exits "
            "10 when something differs, else as `vppcfg plan` would: for example 5 when VPP has a port or a memif "
            "that is not in the file."
        ),
    )
    add_config_option(parser)
    add_dataplane_options(parser)
    add_reading_option(parser)
    parser.add_argument(
        "--interval",
        metavar="S",
        type=seconds_between_looks,
        default=60.0,
        help="seconds between two readings; events of VPP are read at once (default: %(default)g)",
    )
    add_look_options(parser)
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="list each difference as entries of the file, not only the summary, and VPP's ids",
    )
    parser.add_argument(
        "--verify",
        action="store_true",
        help="also compare what Linux has on LCP pairs with what VPP forwards by, as `vppcfg verify` does",
    )
    add_adopt_option(parser)
    group = parser.add_argument_group("reconciliation")
    group.add_argument("--reconcile", action="store_true", help="bring VPP to the file when it differs, as apply does")
    group.add_argument(
        "--max-impact",
        choices=IMPACTS,
        default="flap",
        help="do not reconcile what would have a greater impact on traffic (default: %(default)s)",
    )
    add_state_dir_option(group)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """Watch until stopped, or look once."""
    from vppcfg.app.watching.file import WatchedFile
    from vppcfg.cli.console import Terminal
    from vppcfg.cli.watch_output import check_output, look

    check_output(args)
    file = WatchedFile(files_of(args), Terminal(args.color))
    watch = _watch(file, args)

    def forever() -> None:
        with _asked_by_signal(file):
            watch.run()

    return look(watch.once, forever, args)


def _watch(file: WatchedFile, args: argparse.Namespace) -> VppWatch:
    from vppcfg import __version__
    from vppcfg.app.watching.loop import VppWatch
    from vppcfg.cli.watch_output import output_for
    from vppcfg.render.prometheus import WatchMetrics

    target = target_of(args)
    return VppWatch(
        file,
        target.connect_following,
        output_for(args),
        WatchMetrics(version=__version__),
        interval_s=args.interval,
        adopt=args.adopt,
        reconciler=_reconciler(args) if args.reconcile else None,
        boot_time=lambda: _boot_time(args) if args.format == "prometheus" else None,
        is_busy=target.is_another_at_work,
        attend=_attending(args),
        interrupted_change=_asking_for_interruption(args),
        protected_by=_accepted_in(args),
        verifier=_verifier(target, args.interval) if args.verify else None,
        daemon_drift=_daemon_drift(args),
        is_verbose=args.verbose or args.format == "json",
    )


def _daemon_drift(args: argparse.Namespace) -> Callable[[], tuple[str, ...]]:
    """Return what shows how routing daemons differ from what was accepted; who may not read the journal sees nothing.

    While a change waits to be confirmed they are meant to differ.
    """
    from vppcfg.app.routing_accepted import drift_of
    from vppcfg.transaction.accepted import awaited

    journal = target_of(args).journal()

    def look() -> tuple[str, ...]:
        try:
            if awaited(journal.newest_first()) is not None:
                return ()
            return tuple(text for _, text in drift_of(journal.newest_first(), journal))
        except PlanRefusedError as error:
            log.debug("%s", error.message)
            return ()

    return look


def _verifier(target: Target, interval_s: float) -> Verifier:
    from vppcfg.app.watching.verification import verifier_of

    return verifier_of(target, interval_s=interval_s)


def _reconciler(args: argparse.Namespace) -> Reconciler:
    """Return what brings the VPP that the options name to a file, as `apply --yes` does."""
    from vppcfg.app.watching.reconciling import reconcile
    from vppcfg.cli.console import Terminal

    target, terms, console = target_of(args), terms_of(args), Terminal(args.color)
    return lambda file, differing: reconcile(file, differing, target, terms, console)


def _attending(args: argparse.Namespace) -> Callable[[], Unconfirmed | None]:
    """Return what looks after the timer of a change that waits; who may not read the journal sees nothing."""
    from vppcfg.app.confirming import rearm_unconfirmed

    target = target_of(args)
    journal = target.journal()

    def look() -> Unconfirmed | None:
        try:
            return rearm_unconfirmed(journal, target)
        except PlanRefusedError as error:
            log.debug("%s", error.message)
            return None

    return look


def _asking_for_interruption(args: argparse.Namespace) -> Callable[[str], InterruptedChange | None]:
    """Return what shows whether a change left VPP between two states; who may not read the journal sees nothing."""
    from vppcfg.app.interrupted_change import interrupted_change

    journal = target_of(args).journal()

    def look(boot_id: str) -> InterruptedChange | None:
        try:
            return interrupted_change(journal.newest_first(), boot_id)
        except PlanRefusedError as error:
            log.debug("%s", error.message)
            return None

    return look


def _accepted_in(args: argparse.Namespace) -> Callable[[str], State | None]:
    """Return what reads the state that was accepted last; who may not read the journal sees nothing.

    It is read again only when another change was accepted.
    """
    from vppcfg.app.unmanaged import accepted_in

    journal = target_of(args).journal()
    seen: dict[int, State | None] = {}

    def look(boot_id: str) -> State | None:
        try:
            return accepted_in(journal, boot_id, seen)
        except PlanRefusedError as error:
            log.debug("%s", error.message)
            return None

    return look


def _boot_time(args: argparse.Namespace) -> float | None:
    from pathlib import Path

    from vppcfg.vpp.stats import StatsSegment

    try:
        with StatsSegment(str(Path(args.api_socket).with_name("stats.sock"))) as stats:
            return stats.boot_time_s or None
    except DataplaneError as error:
        log.debug("%s", error.message)
        return None


@contextmanager
def _asked_by_signal(file: WatchedFile) -> Iterator[None]:
    """Load the file again on SIGHUP, unless that means that our terminal is gone."""
    has_terminal = is_terminal(sys.stdout)

    def ask(*_: object) -> None:
        if has_terminal and not is_terminal(sys.stdout):
            raise Terminated
        file.request_reload()

    former = signal.signal(signal.SIGHUP, ask)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, former)
