"""Where the journal and the lock of a VPP are, and what is written there of who gave a command, and when."""

from __future__ import annotations

import argparse
import getpass
import os
import sys
from datetime import datetime
from pathlib import Path

from vppcfg.cli.transaction_options import run_dir
from vppcfg.transaction.accepted import is_running
from vppcfg.transaction.folders import folder_name, is_usable, made_folder
from vppcfg.transaction.journal import Journal
from vppcfg.transaction.lock import Holder, Lock, holder_of


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


def own_command() -> list[str]:
    """Return the words that start this very program again."""
    program = Path(sys.argv[0])
    if program.name == "__main__.py" or not program.is_file():
        return [sys.executable, "-m", "vppcfg"]
    return [sys.executable, str(program.resolve())]
