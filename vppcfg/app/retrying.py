"""A timer's rollback that fails: when it is tried again, and who is told."""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta

from vppcfg.app.target import Target
from vppcfg.common.clock import local_time
from vppcfg.common.printable import printable
from vppcfg.errors import DataplaneError, VppcfgError
from vppcfg.transaction.entry import UNDECIDED
from vppcfg.transaction.lock import LockedError

log = logging.getLogger("root.main")

SOON_S = 2.0
"""After the first failure, which may be one of a moment."""
LONGEST_CHEAP_S = 30.0
"""While nothing is asked, because VPP is not there or another vppcfg is at work."""
FIRST_PAUSE_S = 60.0
LONGEST_PAUSE_S = 900.0
_INTERVAL_S = 1.0
"""Between two looks at whether a pause is to end early, none of which asks VPP anything."""
_MOST_CHARACTERS = 300
"""Of a reason, in the journal and on terminals."""
_WALL_S = 5
"""How long a terminal may take to take a message."""


class Retries:
    """The failures of one rollback, each of which costs the packets what reading VPP costs."""

    def __init__(self, number: int, target: Target) -> None:
        self._number = number
        self._target = target
        self._failures: Counter[str] = Counter()
        self._logged = ""
        self._cheap_s = SOON_S / 8
        self._socket = _mark_of(target.api_socket)
        self._has_warned = False

    def pause_after(self, error: Exception, *, is_cheap: bool = False) -> float:
        """Report a failure, and return the seconds until the next try.

        They double from the second failure on for the same reason, whatever numbers are in that, and begin anew with
        another VPP. A try that `is_cheap` asks VPP nothing.
        """
        text = error.message if isinstance(error, VppcfgError) else f"{type(error).__name__}: {error}"
        if self.is_another_vpp():
            self._failures.clear()
            self._socket = _mark_of(self._target.api_socket)
        if is_cheap or _is_cheap(error, self._target):
            self._log(text)
            self._cheap_s = min(2 * self._cheap_s, LONGEST_CHEAP_S)
            return self._cheap_s
        reason = re.sub("[0-9]+", "", text)
        self._failures[reason] += 1
        if (count := self._failures[reason]) == 1:
            self._log(text)
            return SOON_S
        pause_s = min(FIRST_PAUSE_S * (1 << min(count - 2, 10)), LONGEST_PAUSE_S)
        self._report(text, count, pause_s)
        return pause_s

    def _log(self, text: str) -> None:
        """Log a reason once: this may go on for days, and be written to a disk that is full."""
        if text != self._logged:
            log.warning("Change %d is not rolled back yet: %s", self._number, text)
        self._logged = text

    def is_another_vpp(self) -> bool:
        """Return whether the socket is another one than at the last failure, as after a start of VPP."""
        return _mark_of(self._target.api_socket) != self._socket

    def _report(self, text: str, count: int, pause_s: float) -> None:
        again = (local_time() + timedelta(seconds=pause_s)).isoformat(timespec="seconds")
        text = printable(text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}...")
        log.warning("Change %d is not rolled back yet: %s; the next try is at %s", self._number, text, again)
        self._note(f"its rollback failed {count} times, the next try is at {again}: {text}")
        tell_terminals(
            f"vppcfg: change {self._number} was not confirmed, and its rollback fails: {text}. "
            f"The next try is at {again}; `vppcfg rollback` tries at once."
        )
        self._has_warned = True

    def _note(self, text: str) -> None:
        """Write into the journal how the change stands, unless that is decided by now."""
        journal = self._target.journal()
        with suppress(VppcfgError, OSError), self._target.lock("vppcfg rollback"):
            change = journal.record(self._number)
            if change.status in UNDECIDED:
                journal.end(change, change.status, change.at, text)

    def succeeded(self) -> None:
        """Write to the terminals that were warned of failures that the old state is back."""
        if self._has_warned:
            tell_terminals(f"vppcfg: the state before change {self._number} is back.")


def pause(duration_s: float, is_over: Callable[[], bool], sleep: Callable[[float], None]) -> None:
    """Sleep so long, or until `is_over` returns True."""
    while duration_s > 0 and not is_over():
        sleep(min(duration_s, _INTERVAL_S))
        duration_s -= _INTERVAL_S


def tell_terminals(text: str) -> None:
    """Write a line to the terminals of all who are logged in and take messages, as wall(1) does where that is."""
    program = shutil.which("wall")
    if program is None:
        return
    with suppress(OSError, subprocess.SubprocessError):
        subprocess.run(
            [program, "-t", str(_WALL_S)],
            input=f"{text}\n".encode(errors="replace"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=2 * _WALL_S,
            check=False,
        )


def _is_cheap(error: Exception, target: Target) -> bool:
    """Return whether a try asked VPP nothing: another vppcfg is at work, or nobody is at the socket."""
    return isinstance(error, LockedError) or (isinstance(error, DataplaneError) and not target.has_listener())


def _mark_of(path: str) -> tuple[int, int] | None:
    """Return what distinguishes a socket from one that another process makes in its place, None for no socket."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_ctime_ns
