"""Everything that a command needs to change a VPP: the lock, the connection, and a journal without open changes."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vppcfg.app.confirming import refuse_while_waiting
from vppcfg.app.interrupted_change import purpose
from vppcfg.app.target import Target, now
from vppcfg.errors import PlanRefusedError
from vppcfg.record import record
from vppcfg.transaction.accepted import close_open_changes, last_interrupted
from vppcfg.transaction.entry import Record
from vppcfg.transaction.folders import create_folder
from vppcfg.transaction.installing import install_or_discard
from vppcfg.transaction.journal import Journal
from vppcfg.transaction.lock import acquire_within
from vppcfg.transaction.session import Session, connected_within

log = logging.getLogger("root.main")


@record
class ChangeContext:
    """One VPP, with the lock on it."""

    target: Target
    session: Session
    journal: Journal
    records: tuple[Record, ...]
    """The entries of the journal, after those that a killed vppcfg left open have got their outcome."""


@contextmanager
def locked_context(
    target: Target, command: str, *, closes_open_changes: bool = True, patience_s: float = 0.0, must_go_on: bool = False
) -> Iterator[ChangeContext]:
    """Take the lock as `command`, connect, waiting at most `patience_s` for each, and bring the journal in order.

    Entries of the journal that cannot be read are set aside. Raise LockedError, DataplaneError, StorageError,
    UntrustedFileError; PlanRefusedError when a change waits to be confirmed, unless not `closes_open_changes`. With
    `must_go_on`, a journal that cannot be made or trusted as a whole is reported, and not used.
    """
    journal, is_usable_journal = target.journal(), True
    try:
        create_folder(Path(target.state_dir))
        create_folder(journal.folder)
    except PlanRefusedError as error:
        if not must_go_on:
            raise
        log.error("The journal can be neither read nor written: %s", error.message)
        is_usable_journal = False
    lock = target.lock(command)
    if patience_s:
        acquire_within(lock, patience_s)
    with lock:
        if patience_s:
            connected_within(target.connect, patience_s).close()
        with Session(target.connect) as session:
            records = journal.set_aside() if is_usable_journal else []
            if closes_open_changes:
                records = close_open_changes(
                    journal,
                    records,
                    session.boot_id,
                    now(),
                    lambda change: refuse_while_waiting(change, journal, target),
                )
                for record in records:
                    install_or_discard(record)
            if closes_open_changes and (found := last_interrupted(reversed(records))) is not None:
                log.warning(
                    "Change %d (%s, %s) was cut off: going on from what VPP has now",
                    found.entry.number,
                    purpose(found.entry),
                    found.entry.made_at,
                )
            yield ChangeContext(
                target=target,
                session=session,
                journal=journal,
                records=tuple(records),
            )
