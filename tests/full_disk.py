"""A disk that fills while a change is written down, for tests of what must go on all the same."""

import errno
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest


class FullDisk:
    """In place of fsync: the disk is full from the n-th time on, until it is mended."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self.count = 0

    def __call__(self, descriptor: int) -> None:
        self.count += 1
        if self.count >= self._capacity:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def mend(self) -> None:
        """Let everything be written again."""
        self._capacity = 10**6


class ReadOnlyDisk:
    """A file system below a folder that the kernel makes read-only at the n-th fsync, as ext4 does after an error."""

    def __init__(self, folder: Path, capacity: int) -> None:
        self._folder = str(folder)
        self._capacity = capacity
        self.count = 0

    def install(self, patch: pytest.MonkeyPatch) -> None:
        """Let `os` find it so."""
        patch.setattr(os, "fsync", self._fsync)
        for name in ("unlink", "remove", "rmdir", "mkdir", "replace", "rename", "link"):
            patch.setattr(os, name, partial(self._change, getattr(os, name)))
        patch.setattr(os, "open", partial(self._open, os.open))

    def _fsync(self, descriptor: int) -> None:
        self.count += 1
        if self.count >= self._capacity:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    def _change(self, change: Callable[..., None], path: str | os.PathLike[str], *others: Any, **options: Any) -> None:
        self._refuse(path, options.get("dir_fd", options.get("src_dir_fd")))
        change(path, *others, **options)

    def _open(self, really: Callable[..., int], path: str, flags: int, *others: Any, **options: Any) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            self._refuse(path, options.get("dir_fd"))
        return really(path, flags, *others, **options)

    def _refuse(self, path: str | os.PathLike[str], folder: int | None) -> None:
        if folder is not None:
            path = os.path.join(os.readlink(f"/proc/self/fd/{folder}"), path)
        if self.count >= self._capacity and os.fspath(path).startswith(self._folder):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), os.fspath(path))
