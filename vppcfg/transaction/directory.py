"""A folder held open: what is done in it stays in it, whatever other members of its group rename or replace meanwhile.

Names are single words. No link is followed, no pipe or device is opened, and modes are set by descriptor.
"""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from vppcfg.transaction.safe_open import opened_folder

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""Without O_NONBLOCK a pipe would block for ever."""


class Directory:
    """A context manager; all of its methods raise OSError."""

    def __init__(self, path: Path, descriptor: int) -> None:
        """Take over an open descriptor of a folder."""
        self.path = path
        self.descriptor = descriptor

    @classmethod
    def at(cls, path: Path) -> Self:
        """Open a folder that the user has named, whoever may write it."""
        return cls(path, os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))

    @classmethod
    def trusted(cls, path: Path, group: int | None = None) -> Self:
        """Open a folder. Raise UntrustedFileError where others than root, the user and `group` may write on the way."""
        found = opened_folder(path.absolute(), group)
        try:
            return cls(path, os.open(".", _FOLDER, dir_fd=found))
        finally:
            os.close(found)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self.descriptor)

    def below(self, name: str) -> Directory:
        """Return a folder in this one."""
        return Directory(self.path / name, os.open(name, _FOLDER, dir_fd=self.descriptor))

    def create(self, name: str, mode: int, group: int | None = None) -> None:
        """Make a folder with a mode and a group, None for that of this one. Raise FileExistsError when it is there."""
        os.mkdir(name, 0o700, dir_fd=self.descriptor)
        with self.below(name) as made:
            if os.fstat(made.descriptor).st_uid != os.geteuid():  # another member has put another one in its place
                raise FileExistsError(0, "another user has made it", name)
            if group is not None:
                os.fchown(made.descriptor, -1, group)
            os.fchmod(made.descriptor, mode)

    def open(self, name: str, flags: int, mode: int = 0) -> int:
        """Return a descriptor of a regular file that has no second name elsewhere."""
        descriptor = os.open(name, flags | _FILE, mode, dir_fd=self.descriptor)
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            os.close(descriptor)
            raise FileExistsError(0, "it is no regular file", name)
        return descriptor

    def replace(self, name: str, data: bytes, mode: int) -> None:
        """Put a file in the place of `name` in one step, on the disk when this returns."""
        temporary = f".{name}.{os.getpid()}.tmp"
        try:
            # No other user may open it before it has its mode.
            descriptor = self.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(descriptor, "wb") as stream:
                os.fchmod(descriptor, mode)
                stream.write(data)
                stream.flush()
                os.fsync(descriptor)
            self.rename(temporary, name)
            self.sync()
        except OSError:
            with suppress(OSError):  # a file system that has turned read-only keeps it
                self.unlink(temporary)
            raise

    def rename(self, name: str, other: str, into: Directory | None = None) -> None:
        """Give a file or folder another name, here or in another folder."""
        target = self.descriptor if into is None else into.descriptor
        os.replace(name, other, src_dir_fd=self.descriptor, dst_dir_fd=target)

    def link(self, name: str, other: str) -> None:
        """Give a file a second name."""
        os.link(name, other, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor, follow_symlinks=False)

    def unlink(self, name: str) -> None:
        """Remove a file."""
        os.unlink(name, dir_fd=self.descriptor)

    def remove(self, name: str) -> None:
        """Remove a folder with all that is in it, or as much of it as can be."""
        shutil.rmtree(name, ignore_errors=True, dir_fd=self.descriptor)

    def names(self) -> list[str]:
        """Return what is in it."""
        return os.listdir(self.descriptor)

    def sync(self) -> None:
        """Wait until its entries are on the disk."""
        os.fsync(self.descriptor)
