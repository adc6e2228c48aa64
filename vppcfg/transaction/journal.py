"""The journal of one VPP: what each change was to do and how it ended, written before and after it.

A folder per entry, with what was observed, what was desired, the plan and the way back, all sealed. An entry appears
whole or not at all; only its outcome changes afterwards. What the states mean is the business of others.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from vppcfg.errors import StorageError, UntrustedFileError
from vppcfg.model.state import State
from vppcfg.model.state_document import document_of, state_of
from vppcfg.transaction.entry import ACCEPTED, Entry, Origin, Record, Status, Timer
from vppcfg.transaction.folders import MODE, made_folder
from vppcfg.transaction.sealed import sealed, sync_folder, unsealed, write_durably
from vppcfg.transaction.trusted import read_trusted

FORMAT_VERSION = 1
"""Grows when a reader of the former one would misread an entry."""
KEPT = 50
"""Entries; older ones go."""
_ENTRY = re.compile(r"[0-9]{6,}")
_LEFTOVER = re.compile(r"\..*\.tmp|tmp-[0-9]+")
_log = logging.getLogger(__name__)


class Journal:
    """The entries of one VPP. Only the holder of the lock may write."""

    def __init__(self, folder: Path) -> None:
        """Use a folder, which need not be there for reading."""
        self.folder = folder

    def records(self) -> list[Record]:
        """Return all entries, the oldest first. Raise UntrustedFileError when one is not as vppcfg left it."""
        return [self.record(number) for number in self._numbers()]

    def record(self, number: int) -> Record:
        """Return one entry. Raise StorageError when there is none, UntrustedFileError when it is not trustworthy."""
        if number not in self._numbers():
            raise StorageError(f"the journal has no entry {number}", "`vppcfg history` lists them")
        content = self._read(number, "entry")
        outcome = self._read(number, "outcome")
        try:
            entry = Entry(
                **{
                    **content,
                    "number": number,
                    "origin": Origin(content["origin"]),
                    "unmanaged": tuple(content["unmanaged"]),
                }
            )
            timer = Timer(**outcome["timer"]) if outcome["timer"] else None
            return Record(
                entry=entry, status=Status(outcome["status"]), text=outcome["text"], at=outcome["at"], timer=timer
            )
        except (TypeError, ValueError, KeyError) as error:
            raise UntrustedFileError(f"{self._path(number, 'entry')} is no entry of a journal: {error}") from error

    def before(self, number: int) -> State:
        """Return what was observed before a change. Raise UntrustedFileError or StorageError."""
        return self._state(number, "before")

    def after(self, number: int) -> State:
        """Return what a change was to lead to. Raise UntrustedFileError or StorageError."""
        return self._state(number, "after")

    def add(self, entry: Entry, before: State, after: State, texts: Mapping[str, Sequence[str]]) -> Record:
        """Write a new entry, on the disk when this returns, and forget the oldest ones. Raise StorageError.

        `texts` are lines for people, by the name of the file that gets them.
        """
        made_folder(self.folder)
        self._sweep()
        number = max(self._numbers(), default=0) + 1
        record = Record(entry=replace(entry, number=number), status=Status.STARTED, at=entry.made_at)
        parts = {
            "entry": self._content(record.entry),
            "outcome": _outcome(record),
            "before": document_of(before),
            "after": document_of(after),
        }
        files = {f"{name}.json": sealed(f"journal {name}", FORMAT_VERSION, part) for name, part in parts.items()}
        files |= {name: "".join(f"{line}\n" for line in lines).encode() for name, lines in texts.items()}
        self._make(number, files)
        self._forget()
        return record

    def end(self, record: Record, status: Status, at: str, text: str = "") -> Record:
        """Write down how a change stands. Raise StorageError."""
        return self._put(replace(record, status=status, at=at, text=text))

    def arm(self, record: Record, timer: Timer) -> Record:
        """Write down who waits for a confirmation. Raise StorageError."""
        return self._put(replace(record, timer=timer))

    def _put(self, record: Record) -> Record:
        data = sealed("journal outcome", FORMAT_VERSION, _outcome(record))
        write_durably(self._path(record.entry.number, "outcome"), data)
        return record

    def _make(self, number: int, files: Mapping[str, bytes]) -> None:
        """Write the files of an entry beside the journal, and then let it appear with all of them."""
        unfinished = self.folder / f"tmp-{os.getpid()}"
        try:
            unfinished.mkdir()
            unfinished.chmod(MODE)
            for name, data in files.items():
                write_durably(unfinished / name, data)
            unfinished.rename(self._folder_of(number))
            sync_folder(self.folder)
        except OSError as error:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise StorageError(f"cannot write to {self.folder}: {error.strerror}") from error
        except StorageError:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise

    def _sweep(self) -> None:
        """Remove what a vppcfg that was killed has left unfinished."""
        for path in self.folder.glob("*"):
            if _LEFTOVER.fullmatch(path.name):
                shutil.rmtree(path, ignore_errors=True)
        for path in self.folder.glob("*/.*.tmp"):
            path.unlink(missing_ok=True)

    def _forget(self) -> None:
        """Remove the oldest entries, but none that waits and not the last accepted one."""
        old = self._numbers()[:-KEPT]
        if not old:
            return
        try:
            accepted = [record.entry.number for record in self.records() if record.status in ACCEPTED]
            waiting = [record.entry.number for record in self.records() if record.status is Status.WAITING]
        except UntrustedFileError as error:
            _log.warning("No old entry is removed from the journal: %s", error.message)
            return
        for number in set(old) - {*accepted[-1:], *waiting}:
            shutil.rmtree(self._folder_of(number), ignore_errors=True)

    def _numbers(self) -> list[int]:
        try:
            names = os.listdir(self.folder)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise StorageError(f"cannot read {self.folder}: {error.strerror}") from error
        return sorted(int(name) for name in names if _ENTRY.fullmatch(name))

    def _state(self, number: int, part: str) -> State:
        if number not in self._numbers():
            raise StorageError(f"the journal has no entry {number}", "`vppcfg history` lists them")
        try:
            return state_of(self._read(number, part))
        except ValueError as error:
            raise UntrustedFileError(f"{self._path(number, part)} is not a state: {error}") from error

    def _read(self, number: int, part: str) -> dict[str, Any]:
        path = self._path(number, part)
        data = read_trusted(path, self.folder.stat().st_gid)
        return unsealed(data, f"journal {part}", FORMAT_VERSION, str(path))

    def _path(self, number: int, part: str) -> Path:
        return self._folder_of(number) / f"{part}.json"

    def _folder_of(self, number: int) -> Path:
        return self.folder / f"{number:06}"

    @staticmethod
    def _content(entry: Entry) -> dict[str, Any]:
        content = asdict(entry) | {"origin": entry.origin.value, "unmanaged": list(entry.unmanaged)}
        del content["number"]
        return content


def _outcome(record: Record) -> dict[str, Any]:
    timer = asdict(record.timer) if record.timer else None
    return {"status": record.status.value, "text": record.text, "at": record.at, "timer": timer}
