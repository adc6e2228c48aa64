"""One vppcfg at a time per VPP: a lock that ends with the process that holds it, however that ends."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import stat
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Self

from vppcfg.errors import NotNowError, StorageError
from vppcfg.record import record
from vppcfg.transaction.directory import Directory

_MODE = 0o660
"""Set after the file is made, since the umask would take the group's right to write."""
_MOST_BYTES = 1 << 16
"""Of the text of a holder; a command line may be long."""
_MOST_PID = 1 << 22
"""Of Linux (PID_MAX_LIMIT)."""


@record
class Holder:
    """Who holds the lock, by their own account."""

    pid: int
    command: str
    since: str
    """ISO 8601, local time of the machine."""
    process: str = ""
    """What distinguishes that process from others of its id (`identity_of`); '' where that is not known."""


class LockedError(NotNowError):
    """Another vppcfg works on the same VPP."""


class Lock:
    """A context manager that holds the lock; the file goes with it."""

    def __init__(self, path: Path, holder: Holder) -> None:
        self._path = path
        self._holder = holder
        self._descriptor = -1

    def acquire(self) -> None:
        """Take the lock. Raise LockedError when another process has it, StorageError when it cannot be made."""
        while self._descriptor < 0:
            self._descriptor = self._opened()
            if not self._is_still_the_file():
                self._close()
        with contextlib.suppress(OSError):  # on a full disk its owner is not recorded
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, json.dumps(asdict(self._holder)).encode(), 0)

    def release(self) -> None:
        """Let go of it; safe to call twice."""
        if self._descriptor >= 0:
            with contextlib.suppress(OSError):  # a file that stays there locks no one out
                self._path.unlink()
            self._close()

    def _opened(self) -> int:
        try:
            with Directory.trusted(self._path.parent, self._path.parent.stat().st_gid) as folder:
                descriptor = folder.open(self._path.name, os.O_RDWR | os.O_CREAT, _MODE)
        except OSError as error:
            raise StorageError(f"cannot make the lock {self._path}: {error.strerror}") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(descriptor)
            raise LockedError(holder_text(holder_of(self._path)), "wait for it to end, and try again") from error
        with contextlib.suppress(PermissionError):  # another user's, who has set it
            os.fchmod(descriptor, _MODE)
        return descriptor

    def _is_still_the_file(self) -> bool:
        """Return whether what was locked still is the file of that name; a holder removes it when it lets go."""
        try:
            return os.path.samestat(os.fstat(self._descriptor), os.stat(self._path))
        except FileNotFoundError:
            return False

    def _close(self) -> None:
        os.close(self._descriptor)
        self._descriptor = -1

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def holder_of(path: Path) -> Holder | None:
    """Return the holder of a lock by its file, None for a free one; all members of its group may write the file."""
    try:
        # Without O_NONBLOCK, a pipe without a writer would block for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as stream:
            data = json.loads(stream.read(_MOST_BYTES) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b"")
        pid = int(data["pid"])
        if not 0 < pid <= _MOST_PID:
            return None
        identity = str(data.get("process", ""))
        return Holder(pid=pid, command=str(data["command"]), since=str(data["since"]), process=identity)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return None


def holder_text(holder: Holder | None) -> str:
    """Return the message when another process has the lock."""
    if holder is None:
        return "another vppcfg works on this VPP"
    return f"another vppcfg works on this VPP: {holder.command}, process {holder.pid}, since {holder.since}"


def acquire_within(
    lock: Lock,
    patience_s: float,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> bool:
    """Take the lock as soon as it is free; return False when it is not within `patience_s`. Raise StorageError."""
    deadline = clock() + patience_s
    while True:
        try:
            lock.acquire()
            return True
        except LockedError:
            if clock() >= deadline:
                return False
            sleep(0.1)
