"""Reserves room on the disk before a change begins, so that a rollback works when the disk is full by then.

There are two kinds. A file that will be replaced once, and is short, has a spare beside it of the same length: the new
content goes into the blocks of the spare, and the two change places. For what is written anew there is one large file
that is released when no other room is left.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from vppcfg.errors import StorageError
from vppcfg.transaction.signed_document import MODE, sync_folder

_BLOCK_BYTES = 4096


def reserve(path: Path, size_bytes: int) -> None:
    """Make a file that has this many bytes of the disk, unless it has them. Raise StorageError without room."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, MODE)
        try:
            if os.fstat(descriptor).st_size < size_bytes:
                os.posix_fallocate(descriptor, 0, size_bytes)
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        release(path)
        raise StorageError(f"cannot reserve {size_bytes} bytes as {path}: {error.strerror}") from error


def release(path: Path) -> bool:
    """Free the room of a reserve; return whether there was any."""
    try:
        path.unlink()
    except OSError:
        return False
    return True


def room_for(sizes_bytes: list[int]) -> int:
    """Return what files of these sizes take of a disk, their names and the folder that they stand in included."""
    return sum(_BLOCK_BYTES * (2 + size // _BLOCK_BYTES) for size in sizes_bytes) + 4 * _BLOCK_BYTES


def put_into_spare(path: Path, spare: Path, data: bytes) -> bool:
    """Let `data` be the content of `path` by way of its spare, in one step and on the disk; return whether that worked.

    What `path` was becomes the spare of the next time. When it did not work, `path` has to be written in another way.
    """
    former = path.with_name(f"{path.name}.former")
    try:
        descriptor = os.open(spare, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            if os.fstat(descriptor).st_size != len(data):
                return False
            os.pwrite(descriptor, data, 0)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        with suppress(OSError):  # then there is no spare next time
            former.unlink(missing_ok=True)
            os.link(path, former)
        os.replace(spare, path)
        with suppress(OSError):
            os.replace(former, spare)
        sync_folder(path.parent)
    except OSError:
        return False
    return True
