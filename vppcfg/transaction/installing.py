"""The file that a change was made from, put in place when the change is accepted, and not before.

Until then it lies beside that path under an unused name, so that installing it takes one step and no
room. One that waits there is put in place, or removed, by whoever has the lock next when its vppcfg was killed.
"""

from __future__ import annotations

import logging
import os
import stat
from contextlib import suppress
from hashlib import file_digest
from pathlib import Path

from vppcfg.errors import StorageError
from vppcfg.transaction.directory import Directory
from vppcfg.transaction.entry import ACCEPTED, UNDECIDED, Entry, Record, Status

_NEW_MODE = 0o644
"""Of a file that is not there yet; another one keeps its own."""
_log = logging.getLogger("root.main")


def digest_at(path: str) -> str:
    """Return the SHA-256 of a file, '' when there is none. Raise StorageError when it cannot be read."""
    try:
        # Without O_NONBLOCK, a pipe without a writer would block for ever.
        return _digest(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise StorageError(f"cannot read {path}, which is to be replaced: {error.strerror}") from error


def _digest(descriptor: int) -> str:
    with open(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise FileExistsError(0, "it is no regular file")
        return file_digest(stream, "sha256").hexdigest()


def make_ready(entry: Entry, source: bytes) -> None:
    """Write the file that is to be put in place, with the owner and the mode of the one there. Raise StorageError."""
    waiting = _waiting(entry)
    try:
        with Directory.at(waiting.parent) as folder:
            with suppress(FileNotFoundError):
                folder.unlink(waiting.name)
            try:
                with open(folder.open(waiting.name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
                    stream.write(source)
                    _match_owner_and_mode(stream.fileno(), entry.install_as)
                    stream.flush()
                    os.fsync(stream.fileno())
                folder.sync()
            except OSError:
                folder.unlink(waiting.name)
                raise
    except OSError as error:
        raise StorageError(
            f"{entry.install_as} could not be put in place when the change is accepted: {error.strerror}"
        ) from error


def install_or_discard(change: Record) -> None:
    """Put the file of a change in place when that is accepted, remove it when the change cannot be any more.

    Call it with the lock held. What cannot be done is logged and tried again by the next vppcfg.
    """
    if not change.is_own or not is_waiting(change.entry):
        return
    entry, is_open = change.entry, change.status in UNDECIDED and (change.timer or change.status is Status.STARTED)
    try:
        if change.status in ACCEPTED:
            _put_in_place(entry)
        elif not is_open:
            _waiting(entry).unlink(missing_ok=True)
    except (OSError, StorageError) as error:
        text = error.message if isinstance(error, StorageError) else error.strerror
        _log.error("The file of change %d cannot be put in place as %s: %s", entry.number, entry.install_as, text)


def is_waiting(entry: Entry) -> bool:
    """Return whether the file of a change waits to be put in place."""
    return bool(entry.install_as) and os.path.lexists(_waiting(entry))


def refuse_misplaced(change: Record) -> None:
    """Raise StorageError when a change was accepted just now and its file is not where it should be."""
    entry = change.entry
    if change.status in ACCEPTED and entry.install_as and digest_at(entry.install_as) != entry.source_digest:
        raise StorageError(
            f"change {entry.number} is {change.status.value}, but its file is not in place as {entry.install_as}",
            f"see whether {Path(entry.install_as).parent} can be written to, and give the same command again",
        )


def _waiting(entry: Entry) -> Path:
    path = Path(entry.install_as)
    return path.with_name(f".{path.name}.change-{entry.number}-{entry.source_digest[:8]}")


def _match_owner_and_mode(descriptor: int, path: str) -> None:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        os.fchmod(descriptor, _NEW_MODE)
        return
    own = os.fstat(descriptor)
    if (own.st_uid, own.st_gid) != (status.st_uid, status.st_gid):
        os.fchown(descriptor, status.st_uid, status.st_gid)
    os.fchmod(descriptor, status.st_mode & 0o7777)


def _put_in_place(entry: Entry) -> None:
    waiting, path = _waiting(entry).name, Path(entry.install_as)
    with Directory.at(path.parent) as folder:
        if _digest(folder.open(waiting, os.O_RDONLY)) != entry.source_digest:
            raise StorageError(f"{path.parent / waiting} was edited")
        if digest_at(entry.install_as) not in {"", entry.installs_over, entry.source_digest}:
            kept = f"{path.name}.before-change-{entry.number}"
            with suppress(FileExistsError):
                folder.link(path.name, kept)
            _log.warning(
                "%s was edited since change %d began; its former content is saved in %s",
                path,
                entry.number,
                path.parent / kept,
            )
        folder.rename(waiting, path.name)
        folder.sync()
    _log.info("%s is now the file of change %d", path, entry.number)
