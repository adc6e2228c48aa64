"""What the journal keeps, and what it forgets."""

from __future__ import annotations

from pathlib import Path

import pytest

from vppcfg.model.state import State
from vppcfg.transaction.accepted import last_accepted
from vppcfg.transaction.entry import Entry, Origin, Record, Status
from vppcfg.transaction.journal import FORMAT_VERSION, Journal
from vppcfg.transaction.sealed import sealed, unsealed

NOW = "2026-01-02T03:04:05+00:00"


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Journal:
    """Return a journal that keeps three changes."""
    monkeypatch.setattr("vppcfg.transaction.journal.KEPT", 3)
    return Journal(tmp_path / "journal")


def added(journal: Journal, status: Status, origin: Origin = Origin.APPLY, target: int = 0) -> Record:
    """Add a change that ended in a certain way."""
    entry = Entry(
        number=0,
        origin=origin,
        made_at=NOW,
        made_by="root",
        made_with="1",
        boot_id="process 1",
        version="26.10",
        impact="none",
        steps=1,
        summary="1 change",
        target=target,
    )
    record = journal.add(entry, State(), State(), {"plan.txt": ["a line"]})
    return journal.end(record, status, NOW)


def numbers(journal: Journal) -> list[int]:
    return [record.entry.number for record in journal.records()]


def test_an_entry_of_a_former_version_is_read(journal: Journal) -> None:
    record = added(journal, Status.APPLIED)
    path = journal.folder / "000001" / "entry.json"
    content = unsealed(path.read_bytes(), "journal entry", FORMAT_VERSION, str(path))
    assert content.pop("process") == ""
    path.write_bytes(sealed("journal entry", FORMAT_VERSION, content))
    assert journal.records() == [record]


def test_the_oldest_are_forgotten(journal: Journal) -> None:
    for _ in range(5):
        added(journal, Status.APPLIED)
    assert numbers(journal) == [3, 4, 5]


@pytest.mark.parametrize("status", [Status.APPLIED, Status.CONFIRMED])
def test_the_last_accepted_one_is_kept_however_old_it_is(journal: Journal, status: Status) -> None:
    added(journal, Status.APPLIED)
    added(journal, status)
    for _ in range(5):
        added(journal, Status.UNDONE)
    assert numbers(journal) == [2, 5, 6, 7]


def test_what_waits_to_be_confirmed_is_kept(journal: Journal) -> None:
    added(journal, Status.WAITING)
    for _ in range(5):
        added(journal, Status.UNDONE)
    assert numbers(journal) == [1, 4, 5, 6]


def test_what_was_left_unfinished_is_swept_away(journal: Journal) -> None:
    added(journal, Status.APPLIED)
    unfinished = journal.folder / "tmp-4711"
    unfinished.mkdir()
    (unfinished / "entry.json").write_text("")
    half_written = journal.folder / "000001" / ".outcome.json.4711.tmp"
    half_written.write_text("")
    aside = journal.folder / "set-aside-000009"
    aside.mkdir()
    added(journal, Status.APPLIED)
    assert not unfinished.exists()
    assert not half_written.exists()
    assert aside.exists()
    assert numbers(journal) == [1, 10]


def test_how_a_change_stands_is_always_of_the_same_length(journal: Journal) -> None:
    record = added(journal, Status.APPLIED)
    path = journal.folder / "000001" / "outcome.json"
    size = path.stat().st_size
    for text in ("", "something", "ü" * 200):
        journal.end(record, Status.ROLLED_BACK, NOW, text)
        assert path.stat().st_size == size
        assert journal.record(1).text == text


def test_more_than_there_is_room_for_is_kept_all_the_same(journal: Journal) -> None:
    record = added(journal, Status.APPLIED)
    journal.end(record, Status.ROLLED_BACK, NOW, "x" * 10000)
    assert journal.record(1).text == "x" * 10000
    journal.end(record, Status.APPLIED, NOW, "short")
    assert journal.record(1).text == "short"


def test_a_rollback_by_the_timer_accepts_nothing(journal: Journal) -> None:
    added(journal, Status.APPLIED)
    added(journal, Status.APPLIED, Origin.TIMER)
    copy = journal.accepted()
    assert copy is not None
    assert copy.entry.number == 1


def test_a_timer_that_tries_again_and_again_pushes_nothing_out(journal: Journal) -> None:
    added(journal, Status.APPLIED)
    added(journal, Status.WAITING)
    for _ in range(20):
        added(journal, Status.UNDONE, Origin.TIMER, target=2)
    assert numbers(journal) == [1, 2, 22]
    added(journal, Status.APPLIED, Origin.TIMER, target=2)
    assert numbers(journal) == [1, 2, 23]


def test_what_cannot_be_read_is_never_forgotten(journal: Journal) -> None:
    added(journal, Status.APPLIED)
    (journal.folder / "000001" / "entry.json").write_text("")
    for _ in range(5):
        added(journal, Status.APPLIED)
    assert (journal.folder / "000001").is_dir()
    assert numbers(journal) == [4, 5, 6]


def test_a_rollback_by_the_timer_is_not_what_was_accepted_last(journal: Journal) -> None:
    added(journal, Status.APPLIED)
    added(journal, Status.APPLIED, Origin.TIMER, target=2)
    last = last_accepted(journal.records())
    assert last is not None
    assert last.entry.number == 1
