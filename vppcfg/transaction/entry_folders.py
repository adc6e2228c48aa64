"""The folders of the entries of a journal: names them, makes one appear whole, sets aside those that cannot be read."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from vppcfg.errors import StorageError
from vppcfg.transaction.directory import Directory
from vppcfg.transaction.folders import MODE, WHO_MAY
from vppcfg.transaction.signed_document import MODE as FILE_MODE

_ENTRY = re.compile(r"[0-9]{6}|[1-9][0-9]{6,8}")
_ASIDE = re.compile(r"set-aside-([0-9]{6,9})(-[0-9]+)?")
_LAST = 999_999_999
_LEFTOVER = re.compile(r"\..*\.tmp|tmp-[0-9]+")

_NO_MODES: Mapping[str, int] = {}


class EntryFolders:
    """What lies in the folder of a journal, by number. The content of the files is not known here."""

    def __init__(self, folder: Path) -> None:
        """Use a folder, which need not be there for reading."""
        self.folder = folder

    def numbers(self) -> list[int]:
        """Return the numbers of the entries, the lowest first. Raise StorageError when the folder cannot be read."""
        return sorted(int(name) for name in self._names() if _ENTRY.fullmatch(name))

    def numbers_aside(self) -> list[int]:
        """Return the numbers of what was set aside. Raise StorageError."""
        return [int(found[1]) for name in self._names() if (found := _ASIDE.fullmatch(name))]

    def knows(self, number: int) -> bool:
        """Return whether there is an entry, or one that was set aside; when that is unknown, there is."""
        try:
            return number in self.numbers() or number in self.numbers_aside()
        except StorageError:
            return True

    def next_number(self) -> int:
        """Return a number that no entry has had, those included that were set aside. Raise StorageError."""
        last = max([*self.numbers(), *self.numbers_aside()], default=0)
        if last >= _LAST:
            raise StorageError(f"{self.of(last)} has the last number that there is", "move it elsewhere")
        return last + 1

    def of(self, number: int) -> Path:
        """Return the folder of an entry."""
        return self.folder / f"{number:06}"

    def path(self, number: int, name: str) -> Path:
        """Return a file of an entry, or of one that was set aside."""
        folder = self.of(number)
        return (folder if folder.exists() else self.folder / _name_aside(number)) / name

    def group(self) -> int:
        """Return the group whose members may write here. Raise OSError."""
        return self.folder.stat().st_gid

    def set_aside(self, number: int) -> Path:
        """Give an entry a name that nothing has yet, and return where it is then. Raise OSError."""
        taken = self.numbers_aside().count(number)
        aside = _name_aside(number) + (f"-{taken + 1}" if taken else "")
        with self._opened() as journal:
            journal.rename(self.of(number).name, aside)
            journal.sync()
        return self.folder / aside

    def remove(self, number: int) -> None:
        """Remove an entry, as far as that is possible."""
        with suppress(OSError), self._opened() as journal:
            journal.remove(self.of(number).name)

    @contextmanager
    def opened(self, number: int, name: str) -> Iterator[Directory]:
        """Yield the folder of an entry, or of one that was set aside, to write a file of this name in it.

        Raise StorageError for what fails within.
        """
        path = self.path(number, name)
        try:
            with self._opened() as journal, journal.below(path.parent.name) as entry:
                yield entry
        except OSError as error:
            raise StorageError(f"cannot write {path}: {error.strerror}") from error

    def _opened(self) -> Directory:
        return Directory.trusted(self.folder, self.group())

    def create(self, number: int, files: Mapping[str, bytes], modes: Mapping[str, int] = _NO_MODES) -> None:
        """Write the files of an entry, some with modes of their own, and let it appear whole. Raise StorageError."""
        unfinished = f"tmp-{os.getpid()}"
        try:
            with self._opened() as journal:
                try:
                    journal.create(unfinished, MODE)
                    with journal.below(unfinished) as entry:
                        for name, data in files.items():
                            entry.replace(name, data, modes.get(name, FILE_MODE))
                    journal.rename(unfinished, self.of(number).name)
                except OSError:
                    journal.remove(unfinished)
                    raise
                journal.sync()
        except OSError as error:
            raise StorageError(f"cannot write to {self.folder}: {error.strerror}") from error

    def sweep(self) -> None:
        """Remove what a vppcfg that was killed has left unfinished, as far as that is possible."""
        with suppress(OSError), self._opened() as journal:
            for name in journal.names():
                if _LEFTOVER.fullmatch(name):
                    journal.remove(name)
                elif _ENTRY.fullmatch(name):
                    _sweep_entry(journal, name)

    def all_of(self, name: str) -> list[Path]:
        """Return every file of that name, of entries and of what was set aside, the newest entries first."""
        folders = [self.folder / each for each in self._names() if _ENTRY.fullmatch(each) or _ASIDE.fullmatch(each)]
        files = (folder / name for folder in sorted(folders, reverse=True))
        return [file for file in files if file.exists()]

    def _names(self) -> list[str]:
        try:
            return os.listdir(self.folder)
        except (FileNotFoundError, NotADirectoryError):
            return []
        except PermissionError as error:
            raise StorageError(f"cannot read {self.folder}: {error.strerror}", WHO_MAY) from error
        except OSError as error:
            raise StorageError(f"cannot read {self.folder}: {error.strerror}") from error


def _name_aside(number: int) -> str:
    return f"set-aside-{number:06}"


def _sweep_entry(journal: Directory, number: str) -> None:
    with suppress(OSError), journal.below(number) as entry:
        for name in entry.names():
            if _LEFTOVER.fullmatch(name):
                entry.unlink(name)
