"""The time between an applied change and its confirmation: says what to do, and waits where that is wanted."""

from __future__ import annotations

import argparse
import logging
import time

from vppcfg.app.signals import Terminated
from vppcfg.cli.places import journal_of
from vppcfg.cli.progress import Progress
from vppcfg.errors import ExitCode
from vppcfg.transaction.entry import Record, Status

log = logging.getLogger("root.main")

INTERVAL_S = 0.25


def wait_for_confirmation(number: int, args: argparse.Namespace) -> ExitCode:
    """Say how to confirm; with --wait, return once that is decided: DONE, or NOT_CONFIRMED."""
    record = journal_of(args).record(number)
    if record.timer is None:
        return ExitCode.DONE
    log.warning("Change %d is rolled back at %s unless `vppcfg confirm` keeps it", number, record.timer.deadline)
    if not args.wait:
        return ExitCode.DONE
    try:
        record = _decided(record, args)
    except (KeyboardInterrupt, Terminated):
        log.warning("Not waiting any more; the timer goes on: `vppcfg confirm` or `vppcfg rollback`")
        raise
    if record.status is Status.CONFIRMED:
        log.info("Change %d is confirmed", number)
        return ExitCode.DONE
    log.error("Change %d was not confirmed in time: %s %s", number, record.status.value, record.text)
    return ExitCode.NOT_CONFIRMED if record.status is Status.ROLLED_BACK else ExitCode.STRANDED


def _decided(record: Record, args: argparse.Namespace) -> Record:
    journal, window_s = journal_of(args), 60 * args.confirm
    began = time.monotonic()
    with Progress("Waiting for `vppcfg confirm`", round(window_s)) as progress:
        while record.status is Status.WAITING:
            time.sleep(INTERVAL_S)
            progress.report(min(round(time.monotonic() - began), round(window_s)))
            record = journal.record(record.entry.number)
    return record
