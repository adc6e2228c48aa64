"""Everything that a command needs to change a VPP: the lock, the connection, and the journal in order."""

from __future__ import annotations

import argparse
import getpass
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from vppcfg.cli.dataplane_options import connect
from vppcfg.cli.transaction_options import run_dir
from vppcfg.errors import PlanRefusedError
from vppcfg.record import record
from vppcfg.transaction.accepted import is_running, settle
from vppcfg.transaction.entry import Record
from vppcfg.transaction.folders import folder_name, is_usable, made_folder
from vppcfg.transaction.journal import Journal
from vppcfg.transaction.lock import Holder, Lock, acquire_within, holder_of
from vppcfg.transaction.session import Session, connected_within
from vppcfg.transaction.watchdog import is_alive

log = logging.getLogger("root.main")


@record
class Workplace:
    """One VPP, and nobody else at work on it."""

    session: Session
    journal: Journal
    records: tuple[Record, ...]
    """The journal as it was found, the open ends settled."""


def journal_of(args: argparse.Namespace) -> Journal:
    """Return the journal of the VPP that the options name, to read."""
    return Journal(Path(args.state_dir) / folder_name(args.api_socket))


def lock_of(args: argparse.Namespace, command: str) -> Lock:
    """Return the lock of the VPP that the options name, not yet taken.

    Who may not use the common folder for locks has it beside the journal.
    """
    holder = Holder(pid=os.getpid(), command=command, since=now())
    return Lock(lock_path(args), holder)


def lock_path(args: argparse.Namespace) -> Path:
    """Return the file of the lock."""
    common = Path(run_dir())
    folder = common if is_usable(common) else made_folder(Path(args.state_dir))
    return folder / f"{folder_name(args.api_socket)}.lock"


def is_another_at_work(args: argparse.Namespace) -> bool:
    """Return whether another vppcfg holds the lock of the VPP that the options name; the lock is not touched."""
    name = f"{folder_name(args.api_socket)}.lock"
    holders = (holder_of(Path(folder) / name) for folder in (run_dir(), args.state_dir))
    return any(holder is not None and is_running(holder.pid) for holder in holders)


def now() -> str:
    """Return the time of day, ISO 8601 with the zone."""
    return datetime.now().astimezone().isoformat(timespec="seconds")


def who() -> str:
    """Return who gave the command, as far as that is known."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError):
        user = f"user id {os.getuid()}"
    behind = os.environ.get("SUDO_USER")
    return f"{user} (sudo by {behind})" if behind and behind != user else user


@contextmanager
def workplace(
    args: argparse.Namespace, *, is_settling: bool = True, patience_s: float = 0.0, must_go_on: bool = False
) -> Iterator[Workplace]:
    """Take the lock, connect, waiting at most `patience_s` for each, and bring the journal in order.

    Entries of the journal that cannot be read are set aside. Raise LockedError, DataplaneError, StorageError,
    UntrustedFileError; PlanRefusedError when a change waits to be confirmed, unless `is_settling` is false. With
    `must_go_on`, a journal that cannot be made or trusted as a whole is said, and done without.
    """
    journal, is_usable_journal = journal_of(args), True
    try:
        made_folder(Path(args.state_dir))
        made_folder(journal.folder)
    except PlanRefusedError as error:
        if not must_go_on:
            raise
        log.error("There is no journal to go by, and none to write: %s", error.message)
        is_usable_journal = False
    lock = lock_of(args, f"vppcfg {args.command}")
    if patience_s:
        acquire_within(lock, patience_s)
    with lock:
        if patience_s:
            connected_within(lambda: connect(args), patience_s).close()
        with Session(lambda: connect(args)) as session:
            if is_usable_journal:
                journal.set_aside()
            if is_settling and is_usable_journal:
                for line in settle(journal, session.boot_id, now(), is_alive):
                    log.warning("%s", line)
            yield Workplace(
                session=session, journal=journal, records=tuple(journal.records()) if is_usable_journal else ()
            )


def own_command() -> list[str]:
    """Return the words that start this very program again."""
    program = Path(sys.argv[0])
    if program.name == "__main__.py" or not program.is_file():
        return [sys.executable, "-m", "vppcfg"]
    return [sys.executable, str(program.resolve())]
