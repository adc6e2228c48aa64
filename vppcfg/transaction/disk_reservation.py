"""Reserves room on the disk before a change begins, so that a rollback works when the disk is full by then.

There are two kinds. A file that will be replaced once, and is short, has a spare beside it of the same length: the new
content goes into the blocks of the spare, and the two change places. For what is written anew there is one large file
that is released when no other room is left.
"""

from __future__ import annotations

import os
from contextlib import suppress

from vppcfg.errors import StorageError
from vppcfg.transaction.directory import Directory

_BLOCK_BYTES = 4096
_COUNTED_BYTES = 512
"""The unit of st_blocks, which counts no holes (inode(7))."""
_MODE = 0o660
"""Every member of the group may have to make more room."""


def reserve(folder: Directory, name: str, size_bytes: int) -> None:
    """Make a file that has this many bytes of the disk, unless it has them. Raise StorageError without room."""
    try:
        descriptor = folder.open(name, os.O_WRONLY | os.O_CREAT, _MODE)
        try:
            if os.fstat(descriptor).st_blocks * _COUNTED_BYTES < size_bytes:
                os.posix_fallocate(descriptor, 0, size_bytes)
                os.fsync(descriptor)
            with suppress(PermissionError):  # another member's, who has set it
                os.fchmod(descriptor, _MODE)
        finally:
            os.close(descriptor)
    except OSError as error:
        release(folder, name)
        raise StorageError(f"cannot reserve {size_bytes} bytes as {folder.path / name}: {error.strerror}") from error


def release(folder: Directory, name: str) -> bool:
    """Free the room of a reserve; return whether there was any."""
    try:
        folder.unlink(name)
    except OSError:
        return False
    return True


def room_for(sizes_bytes: list[int]) -> int:
    """Return what files of these sizes take of a disk, their names and the folder that they stand in included."""
    return sum(_BLOCK_BYTES * (2 + size // _BLOCK_BYTES) for size in sizes_bytes) + 4 * _BLOCK_BYTES


def put_into_spare(folder: Directory, name: str, spare: str, data: bytes) -> bool:
    """Let `data` be the content of a file by way of its spare, in one step and on the disk; return whether that worked.

    What the file was becomes the spare of the next time. When it did not work, it has to be written in another way.
    """
    former = f"{name}.former"
    try:
        descriptor = folder.open(spare, os.O_WRONLY)
        try:
            if os.fstat(descriptor).st_size != len(data):
                return False
            os.pwrite(descriptor, data, 0)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        with suppress(FileNotFoundError):
            folder.unlink(former)
        with suppress(OSError):  # then there is no spare next time
            folder.link(name, former)
        folder.rename(spare, name)
        with suppress(OSError):
            folder.rename(former, spare)
        folder.sync()
    except OSError:
        return False
    return True
