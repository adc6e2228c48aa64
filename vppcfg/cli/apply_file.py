"""A configuration applied as a transaction: planned, guarded, made, or noted as in force when nothing is to be done."""

from __future__ import annotations

import argparse
import logging

from vppcfg.cli.change import Intent, make_change, note_unchanged
from vppcfg.cli.confirming import wait_for_confirmation
from vppcfg.cli.consent import guard, refuse_rolled_back
from vppcfg.cli.loading import load_configuration
from vppcfg.cli.obstacles import show_obstacles
from vppcfg.cli.workplace import Workplace, workplace
from vppcfg.config import Loaded
from vppcfg.config.configuration import Configuration
from vppcfg.config.resolve import resolve
from vppcfg.errors import ExitCode
from vppcfg.plan.plan import make_plan
from vppcfg.transaction.accepted import last_accepted
from vppcfg.transaction.entry import Origin

log = logging.getLogger("root.main")


def apply_file(args: argparse.Namespace) -> ExitCode:
    """Apply the configuration file."""
    configuration, loaded = load_configuration(args)
    with workplace(args) as place:
        code, record = apply_loaded(configuration, loaded, place, args)
    if code is ExitCode.DONE and record and args.confirm is not None:
        return wait_for_confirmation(record, args)
    return code


def apply_loaded(
    configuration: Configuration, loaded: Loaded, place: Workplace, args: argparse.Namespace, *, is_boot: bool = False
) -> tuple[ExitCode, int]:
    """Apply a configuration; return the exit code and the number of the change, 0 for none."""
    intent = _intent(configuration, loaded, args, is_boot=is_boot)
    refuse_rolled_back(intent.source_digest, place, args)
    resolution = resolve(configuration, place.session.dataplane.observe(), adopt=args.adopt)
    code = show_obstacles(loaded.placed(resolution.problems), args)
    if code is not ExitCode.DONE:
        log.error("Nothing was changed")
        return code, 0
    plan = make_plan(resolution.observed, resolution.desired)
    if not plan.steps:
        log.info("Nothing to do")
        if is_news(intent.source_digest, place):
            note_unchanged(plan, intent, place)
        return ExitCode.DONE, 0
    guard(plan, configuration.protected, args, is_boot=is_boot)
    made = make_change(plan, intent, place, args)
    return made.code, made.record.entry.number


def _intent(configuration: Configuration, loaded: Loaded, args: argparse.Namespace, *, is_boot: bool) -> Intent:
    return Intent(
        origin=Origin.BOOT if is_boot else Origin.APPLY,
        source_name=loaded.origin,
        source_digest=loaded.digest,
        unmanaged=configuration.unmanaged,
        confirm_s=None if args.confirm is None else 60 * args.confirm,
        keep=args.keep,
        is_forced=args.force or is_boot,
    )


def is_news(digest: str, place: Workplace) -> bool:
    """Return whether the journal does not know yet that this file is in force."""
    last = last_accepted(place.records)
    return last is None or last.entry.source_digest != digest
