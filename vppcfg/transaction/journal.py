"""The journal of one VPP: what each change was to do and how it ended, written before and after it.

A folder per entry, with what was observed, what was desired, the plan and the rollback, all sealed. An entry appears
whole or not at all; only its outcome changes afterwards. What the states mean is the business of others.
"""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from vppcfg.common.documents import build, plain
from vppcfg.errors import PlanRefusedError, StorageError, UntrustedFileError
from vppcfg.model.hooks import NO_HOOKS, Hooks
from vppcfg.model.routing import JournalledRouting
from vppcfg.model.state import State
from vppcfg.plan.state_document import document_of, state_of
from vppcfg.record import record
from vppcfg.transaction.accepted_copy import (
    COPY_KEYS_NAME,
    COPY_NAME,
    Accepted,
    AcceptedCopy,
    sealed_copy,
    without_linux,
)
from vppcfg.transaction.directory import Directory
from vppcfg.transaction.disk_reservation import put_into_spare, release, reserve, room_for
from vppcfg.transaction.entry import ACCEPTED, UNSTOPPABLE, Entry, Origin, Record, Status, Timer, check_forms
from vppcfg.transaction.entry_folders import EntryFolders
from vppcfg.transaction.folders import create_folder
from vppcfg.transaction.installing import install_or_discard
from vppcfg.transaction.key_file import MODE as PRIVATE
from vppcfg.transaction.key_file import kept_keys, sealed_keys
from vppcfg.transaction.safe_open import LIMIT_BYTES, read_own, read_trusted, read_with_origin
from vppcfg.transaction.signed_document import MODE, place_of, sealed, unsealed

FORMAT_VERSION = 1
"""Grows when a reader of the former one would misread an entry."""
KEPT = 50
"""Entries; older ones go."""
_SOURCE = "source.yaml"
_OUTCOME, _SPARE = "outcome.json", "outcome.spare"
_KEYS = "keys.json"
_HOOKS = "hooks.json"
_ROUTING = "routing.json"
NO_ROUTING = JournalledRouting()
_Kept = TypeVar("_Kept")
HOOK_LOG = "hook.log"
"""What hooks have printed after a change."""
_LOG_BYTES = 1 << 18
_ENTRY_BYTES = 4 << 20
"""Of an entry with thousands of interfaces that it protects, and of its outcome: those of all are read at once."""
_OUTCOME_BYTES = 8192
"""More than an entry ever needs, in whole blocks of a disk."""
_MODES = {_KEYS: PRIVATE, COPY_KEYS_NAME: PRIVATE, _HOOKS: PRIVATE, _ROUTING: PRIVATE}
_ABSENT = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENXIO})
"""What the kernel reports of a file that is not there or is none; anything else may pass, such as a lack of rights."""
_log = logging.getLogger(__name__)


@record
class Damage:
    """An entry that cannot be read, and why."""

    number: int
    text: str
    may_be_whole: bool
    """Whether only this process, or at this moment, it cannot be read."""


class Journal:
    """The entries of one VPP. Only who holds the lock (transaction/lock.py) may write.

    Their files are sealed (signed_document.py): an edit is noticed. They are bound to a place, their entry: a copy in
    another one is refused. Who may have written them is looked at besides: they are our own when only root and the user
    may have, foreign when others may. What was accepted last is copied beside the journal (accepted_copy.py).
    """

    def __init__(self, folder: Path) -> None:
        """Use a folder, which need not be there for reading."""
        self.folder = folder
        self._folders = EntryFolders(folder)
        self._copy = AcceptedCopy(folder.with_name(f"{folder.name}.accepted"))
        self._reserve = f"{folder.name}.reserve"
        self._complained: set[int] = set()
        self._foreign: dict[int, str] = {}

    def records(self) -> list[Record]:
        """Return the entries that can be read, the oldest first. Of others a warning is logged, once for each.

        Raise StorageError when the journal itself cannot be read.
        """
        return list(self.newest_first())[::-1]

    def newest_first(self) -> Iterator[Record]:
        """Yield what `records` returns, the newest first, each read when it is asked for. Raise StorageError."""
        for number in reversed(self._folders.numbers()):
            try:
                yield self._record(number)
            except UntrustedFileError as error:
                self._report(number, error.message)

    def _report(self, number: int, text: str) -> None:
        """Report once that an entry is left out."""
        if number not in self._complained:
            self._complained.add(number)
            _log.warning("Change %d is left out, since its entry cannot be read: %s", number, text)

    def damaged(self) -> list[Damage]:
        """Return the message on the entries that cannot be read. Raise StorageError."""
        return self._read_all()[1]

    def _read_all(self) -> tuple[list[Record], list[Damage]]:
        records, damages = [], []
        for number in self._folders.numbers():
            try:
                records.append(self._record(number))
            except UntrustedFileError as error:
                cause = error.__cause__
                may_be_whole = isinstance(cause, OSError) and cause.errno not in _ABSENT
                damages.append(Damage(number=number, text=error.message, may_be_whole=may_be_whole))
        return records, damages

    def set_aside(self) -> list[Record]:
        """Give entries that cannot be read another name, which is never read, and report it.

        Nothing is deleted. Call it with the lock held. What may be whole stays as it is. Return the entries that can be
        read, the oldest first.
        """
        records, damages = self._read_all()
        for damage in damages:
            if damage.may_be_whole:
                self._report(damage.number, damage.text)
                continue
            try:
                aside = self._folders.set_aside(damage.number)
            except OSError as error:
                _log.warning("%s cannot be set aside: %s", self._folders.of(damage.number), error.strerror)
            else:
                self._complained.add(damage.number)
                _log.warning("Change %d cannot be read and was set aside as %s: %s", damage.number, aside, damage.text)
        return records

    def last_lost(self) -> int:
        """Return the highest number of an entry that cannot be read or was set aside, 0 without any."""
        return max([*(damage.number for damage in self.damaged()), *self._folders.numbers_aside()], default=0)

    def record(self, number: int) -> Record:
        """Return one entry. Raise StorageError when there is none, UntrustedFileError when it is not trustworthy."""
        self._demand(number)
        return self._record(number)

    def _record(self, number: int) -> Record:
        try:
            content, foreign = self._read_with_origin(number, "entry")
            entry = build(Entry, {**content, "number": number}, "the entry")
            outcome = build(_Outcome, self._read(number, "outcome"), "the outcome")
            check_forms(entry)
            if outcome.timer is not None:
                check_forms(outcome.timer)
        except (TypeError, ValueError) as error:
            raise UntrustedFileError(f"{self._folders.of(number)} is no entry of a journal: {error}") from error
        return Record(
            entry=entry,
            status=outcome.status,
            text=outcome.text,
            at=outcome.at,
            timer=outcome.timer,
            is_own=not foreign,
        )

    def knows(self, number: int) -> bool:
        """Return whether there is an entry, one that cannot be read or was set aside included."""
        return self._folders.knows(number)

    def before(self, number: int, *, is_whole: bool = True) -> State:
        """Return what was observed before a change, what others had only if whole: that may be a full table of routes.

        Where others can have written it, nothing that was set in Linux: that may be on any device of the machine.
        Raise UntrustedFileError or StorageError.
        """
        return self._state(number, "before", is_whole=is_whole)

    def after(self, number: int, *, is_whole: bool = True) -> State:
        """Return what a change was to lead to, as `before` does."""
        return self._state(number, "after", is_whole=is_whole)

    def source(self, number: int) -> bytes:
        """Return the configuration file that a change was made for, as it was read then.

        A rollback has none of its own but the one that it brought back into force. Raise StorageError when there is
        none, UntrustedFileError when it is not what was read then.
        """
        digest = self.record(number).entry.source_digest
        if not digest:
            raise StorageError(f"change {number} was not made from a file")
        same = [record.entry.number for record in self.newest_first() if record.entry.source_digest == digest]
        for other in [number, *same]:
            path = self._folders.path(other, _SOURCE)
            if path.exists():
                source = read_trusted(path, self._folders.group())
                if sha256(source).hexdigest() != digest:
                    raise UntrustedFileError(f"{path} is not the file that was read for change {other}: it was edited")
                return source
        raise StorageError(f"the journal has not kept the file of change {number}")

    def foreign_reason(self, number: int) -> str:
        """Return why others than root and the user can have written the states of an entry; '' when they cannot.

        A state that was read here counts as it was then: it may be another one by now.
        """
        for part in ("before", "after"):
            with suppress(PlanRefusedError):
                self._state(number, part, is_whole=True)
        return self._foreign.get(number, "")

    def keys(self) -> dict[str, bytes]:
        """Return all keys that were kept with changes, by their names, as far as they can be read."""
        found: dict[str, bytes] = {}
        for path in [*self._folders.all_of(_KEYS), self._copy.keys_path]:
            try:
                found = {**kept_keys(path, self._folders.group()), **found}
            except (PlanRefusedError, OSError) as error:
                if path.exists():
                    _log.warning("The keys in %s cannot be used: %s", path, error)
        return found

    def hooks(self, number: int) -> Hooks:
        """Return the hooks of the configuration that a change was made for. Raise UntrustedFileError or StorageError.

        Only what root or the user has written is run, and not what another member of the group has.
        """
        return self._own(number, _HOOKS, "journal hooks", Hooks) or Hooks()

    def routing(self, number: int) -> JournalledRouting:
        """Return the configurations of routing daemons around a change. Raise UntrustedFileError or StorageError.

        As of hooks, only what root or the user has written is loaded.
        """
        return self._own(number, _ROUTING, "journal routing", JournalledRouting) or NO_ROUTING

    def _own(self, number: int, name: str, what: str, kind: type[_Kept]) -> _Kept | None:
        """Return what a file of an entry keeps that no other user can have written, None without the file."""
        self._demand(number)
        path = self._folders.path(number, name)
        if not os.path.lexists(path):
            return None
        data = read_own(path, self._folders.group())
        content = unsealed(data, what, FORMAT_VERSION, str(path))
        if place_of(data) != self._place(number):
            raise UntrustedFileError(f"{path} is not of {self._place(number)}: it was copied there")
        try:
            return build(kind, content, f"the {what.removeprefix('journal ')}")
        except (TypeError, ValueError) as error:
            raise UntrustedFileError(f"{path} has no {what.removeprefix('journal ')}: {error}") from error

    def append(self, number: int, name: str, text: str) -> Path:
        """Write a text for people behind what a file of an entry has, and return the file. Raise StorageError."""
        self._demand(number)
        path = self._folders.path(number, name)
        try:
            former = read_trusted(path, self._folders.group()) if os.path.lexists(path) else b""
        except UntrustedFileError as error:
            raise StorageError(error.message) from error
        with self._folders.opened(number, name) as entry:
            entry.replace(name, (former + text.encode(errors="replace"))[-_LOG_BYTES:], MODE)
        return path

    def accepted(self) -> Accepted | None:
        """Return the second copy of what was accepted last; None, with a warning, when it cannot be read."""
        return self._copy.read(self._folders.group)

    def add(
        self,
        entry: Entry,
        before: State,
        after: State,
        texts: Mapping[str, Sequence[str]],
        source: bytes = b"",
        keys: Mapping[str, bytes] | None = None,
        hooks: Hooks = NO_HOOKS,
        routing: JournalledRouting = NO_ROUTING,
    ) -> Record:
        """Write a new entry, on the disk when this returns, and forget the oldest ones. Raise StorageError.

        `texts` are lines for people, by the name of the file that gets them; `source` is the configuration file. `keys`
        are secret ones, by their names: they get a file of their own, which only its owner can read, and so
        do `hooks`, those of the configuration. What may have to be undone reserves as much room as it takes; what
        undoes it uses that when there is no other.
        """
        create_folder(self.folder)
        self._folders.sweep()
        number = self._folders.next_number()
        record = Record(entry=replace(entry, number=number), status=Status.STARTED, at=entry.made_at)
        parts = {
            "entry": _content(record.entry),
            "before": document_of(before),
            "after": document_of(after),
        }
        place = self._place(number)
        files = {
            f"{name}.json": sealed(f"journal {name}", FORMAT_VERSION, part, place=place) for name, part in parts.items()
        }
        files[_OUTCOME] = files[_SPARE] = _sealed_outcome(record, place)
        if entry.origin is not Origin.TIMER:
            files[COPY_NAME] = sealed_copy(record.entry, parts["after"])
            if keys:
                files[COPY_KEYS_NAME] = sealed_keys(keys)
        if keys:
            files[_KEYS] = sealed_keys(keys)
        if hooks != NO_HOOKS:
            files[_HOOKS] = sealed("journal hooks", FORMAT_VERSION, plain(hooks), place=place)
        if routing.texts:
            files[_ROUTING] = sealed("journal routing", FORMAT_VERSION, plain(routing), place=place)
        if source:
            files[_SOURCE] = source
        files |= {name: "".join(f"{line}\n" for line in lines).encode() for name, lines in texts.items()}
        largest = max(files, key=lambda name: len(files[name]))
        if len(files[largest]) > LIMIT_BYTES and entry.origin not in UNSTOPPABLE:
            text = f"{largest} of the change would have {len(files[largest]) >> 20} MB, and no rollback reads more than"
            raise StorageError(f"{text} {LIMIT_BYTES >> 20} MB", "it takes too much away at once of what others set")
        if entry.origin in UNSTOPPABLE:
            self._create_from_reserve(number, files)
        else:
            self._create_with_reserve(number, files)
        self._forget(record.entry)
        return record

    def end(self, record: Record, status: Status, at: str, text: str = "") -> Record:
        """Write down how a change stands; nothing of one that could not be added (number 0). Raise StorageError.

        Also install the configuration file of one that is accepted, where that was asked for, and discard that of one
        that is not.
        """
        if not record.entry.number:
            return replace(record, status=status, at=at, text=text)
        if status in ACCEPTED:
            with self._folders.opened(record.entry.number, COPY_NAME) as entry:
                self._copy.take_over(entry, record.entry.number)
        ended = self._put(replace(record, status=status, at=at, text=text))
        install_or_discard(ended)
        return ended

    def arm(self, record: Record, timer: Timer) -> Record:
        """Write down who waits for a confirmation. Raise StorageError."""
        return self._put(replace(record, timer=timer))

    def _put(self, record: Record) -> Record:
        data = _sealed_outcome(record, self._place(record.entry.number))
        with self._folders.opened(record.entry.number, _OUTCOME) as entry:
            if not put_into_spare(entry, _OUTCOME, _SPARE, data):
                entry.replace(_OUTCOME, data, MODE)
        return record

    def _create_from_reserve(self, number: int, files: Mapping[str, bytes]) -> None:
        try:
            self._folders.create(number, files, _MODES)
        except StorageError:
            with self._above() as folder:
                if not release(folder, self._reserve):
                    raise
            self._folders.create(number, files, _MODES)

    def _create_with_reserve(self, number: int, files: Mapping[str, bytes]) -> None:
        with self._above() as folder:
            reserve(folder, self._reserve, room_for([len(data) for data in files.values()]))
            try:
                self._folders.create(number, files, _MODES)
            except StorageError:
                release(folder, self._reserve)
                raise

    def _above(self) -> Directory:
        """Return the folder beside whose journals their copies and reserves lie. Raise StorageError."""
        folder = self.folder.parent
        try:
            return Directory.trusted(folder, folder.stat().st_gid)
        except OSError as error:
            raise StorageError(f"cannot use {folder}: {error.strerror}") from error

    def _forget(self, latest: Entry) -> None:
        """Remove the oldest entries, but none that waits, not the last accepted one, and not the last texts of daemons.

        Of a timer that tries again and again only the last attempt is kept: it would push out everything else.
        """
        old = self._folders.numbers()[:-KEPT]
        if not old and latest.origin is not Origin.TIMER:
            return
        records = self.records()
        accepted = [
            record.entry.number
            for record in records
            if record.status in ACCEPTED and record.entry.origin is not Origin.TIMER  # see `last_accepted`
        ]
        texts = [number for number in accepted if os.path.lexists(self._folders.path(number, _ROUTING))]
        waiting = [record.entry.number for record in records if record.status is Status.WAITING]
        lost = [damage.number for damage in self.damaged()]
        attempts = [
            record.entry.number
            for record in records
            if record.entry.origin is latest.origin is Origin.TIMER
            and record.entry.target == latest.target
            and record.entry.number != latest.number
            and record.status not in ACCEPTED
        ]
        for number in {*attempts, *old} - {*accepted[-1:], *texts[-1:], *waiting, *lost}:
            self._folders.remove(number)

    def _demand(self, number: int) -> None:
        if number not in self._folders.numbers():
            raise StorageError(f"the journal has no entry {number}", "`vppcfg history` lists them")

    def _state(self, number: int, part: str, *, is_whole: bool) -> State:
        """Return a state, also of an entry that was set aside because of another part of it."""
        foreign = f"{self._folders.path(number, f'{part}.json')} cannot be read"
        try:
            if not self._folders.knows(number):
                self._demand(number)
            content, foreign = self._read_with_origin(number, part)
            state = state_of(content if is_whole else {**content, "unmanaged": []})
            return without_linux(state) if foreign else state
        except ValueError as error:
            raise UntrustedFileError(f"{self._folders.path(number, f'{part}.json')} is not a state: {error}") from error
        finally:
            self._remember_origin(number, foreign)

    def _remember_origin(self, number: int, foreign: str) -> None:
        """Keep the first reason why others can have written a state of an entry, for `foreign_reason`."""
        self._foreign[number] = self._foreign.get(number) or foreign

    def _read(self, number: int, part: str) -> dict[str, Any]:
        return self._read_with_origin(number, part)[0]

    def _read_with_origin(self, number: int, part: str) -> tuple[dict[str, Any], str]:
        """Return what a file of an entry holds, and why others can have written it, '' when they cannot."""
        path = self._folders.path(number, f"{part}.json")
        most_bytes = _ENTRY_BYTES if part in {"entry", "outcome"} else None
        file = read_with_origin(path, self._folders.group(), most_bytes)
        data = file.data
        content = unsealed(data, f"journal {part}", FORMAT_VERSION, str(path))
        place = place_of(data)
        # vppcfg 1.0, which may have been here in between, writes outcomes without a place.
        is_as_usual = place == self._place(number) or (not place and (part == "outcome" or not self._is_placed(number)))
        if not is_as_usual:
            whose = f"of {place}" if place else "of another entry"
            raise UntrustedFileError(f"{path} is {whose} and not of {self._place(number)}: it was copied there")
        return content, file.foreign

    def _place(self, number: int) -> str:
        """Return what the files of an entry are bound to: a copy of another entry's is none of its own."""
        return f"change {number} of {self.folder.name}"

    def _is_placed(self, number: int) -> bool:
        """Return whether the files of an entry are bound to it; those of vppcfg 1.0 are not."""
        try:
            return bool(place_of(read_trusted(self._folders.path(number, "entry.json"), self._folders.group())))
        except UntrustedFileError:
            return False


@record
class _Outcome:
    """What the file of an outcome holds."""

    status: Status
    text: str
    at: str
    timer: Timer | None


def _content(entry: Entry) -> dict[str, Any]:
    content: dict[str, Any] = plain(entry)
    if not entry.lost:
        del content["lost"]  # releases before 1.1 read no entry that has it
    del content["number"]
    return content


def _sealed_outcome(record: Record, place: str) -> bytes:
    """Return the file of an outcome, as long as every other one, so that one fits into the place of another."""
    outcome = _Outcome(status=record.status, text=record.text, at=record.at, timer=record.timer)
    return sealed("journal outcome", FORMAT_VERSION, plain(outcome), length=_OUTCOME_BYTES, place=place)
