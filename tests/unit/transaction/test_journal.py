"""What the journal keeps, and what it forgets."""

import errno
import json
import os
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.unit.transaction.entries import NOW, entry
from vppcfg.errors import StorageError, UntrustedFileError
from vppcfg.model.routing import DaemonKind, JournalledRouting, RoutingFile, RoutingTexts
from vppcfg.model.state import State
from vppcfg.transaction.accepted import last_accepted
from vppcfg.transaction.directory import Directory
from vppcfg.transaction.entry import Origin, Record, Status, Timer
from vppcfg.transaction.entry_folders import EntryFolders
from vppcfg.transaction.folders import create_folder, is_usable
from vppcfg.transaction.journal import FORMAT_VERSION, Journal
from vppcfg.transaction.safe_open import TrustedFile, read_with_origin
from vppcfg.transaction.signed_document import place_of, sealed, unsealed


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Journal:
    """Return a journal that keeps three changes."""
    monkeypatch.setattr("vppcfg.transaction.journal.KEPT", 3)
    return Journal(tmp_path / "journal")


def added(journal: Journal, status: Status, origin: Origin = Origin.APPLY, target: int = 0) -> Record:
    """Add a change that ended in a certain way."""
    record = journal.add(entry(origin=origin, target=target), State(), State(), {"plan.txt": ["a line"]})
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


def without_place(path: Path) -> None:
    """Let a file be as vppcfg 1.0 wrote it."""
    head, _, body = path.read_bytes().partition(b"\n")
    left = {key: value for key, value in json.loads(head).items() if key != "place"}
    assert len(left) == 3
    path.write_bytes(json.dumps(left).encode() + b"\n" + body)


@pytest.mark.parametrize(
    ("name", "is_old"),
    [("entry", False), ("outcome", False), ("before", False), ("after", False), ("before", True), ("after", True)],
)
def test_a_file_of_another_entry_is_not_that_of_an_entry(journal: Journal, name: str, is_old: bool) -> None:
    for _ in range(2):
        added(journal, Status.APPLIED)
    one, other = (journal.folder / number / f"{name}.json" for number in ("000001", "000002"))
    if is_old:
        without_place(one)
    other.write_bytes(one.read_bytes())
    with pytest.raises(UntrustedFileError, match="and not of change 2 of journal: it was copied there"):
        {"before": journal.before, "after": journal.after}.get(name, journal.record)(2)


def test_an_entry_that_is_not_bound_to_its_place_is_one_of_vppcfg_1_0(journal: Journal) -> None:
    record = added(journal, Status.APPLIED)
    for path in (journal.folder / "000001").glob("*.json"):
        if path.name != "accepted.json":
            without_place(path)
    assert journal.record(1) == record
    journal.before(1)
    journal.end(record, Status.ROLLED_BACK, record.at)
    assert journal.record(1).status is Status.ROLLED_BACK


def test_what_bears_a_seal_and_is_no_state_is_refused(journal: Journal) -> None:
    added(journal, Status.APPLIED)
    path = journal.folder / "000001" / "before.json"
    path.write_bytes(sealed("journal before", FORMAT_VERSION, {"interfaces": 5}, place="change 1 of journal"))
    with pytest.raises(UntrustedFileError, match="is not a state"):
        journal.before(1)


def test_the_oldest_are_forgotten(journal: Journal) -> None:
    for _ in range(5):
        added(journal, Status.APPLIED)
    assert numbers(journal) == [3, 4, 5]


def test_what_no_rollback_could_read_is_refused_before_anything_is_changed(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vppcfg.transaction.journal.LIMIT_BYTES", 100)
    with pytest.raises(StorageError, match="no rollback reads more"):
        added(journal, Status.APPLIED)
    assert numbers(journal) == []
    added(journal, Status.APPLIED, Origin.TIMER, target=9)
    assert numbers(journal) == [1], "the only way back there is"


def test_neither_what_an_operator_accepted_nor_the_last_texts_of_daemons_are_forgotten(journal: Journal) -> None:
    file = RoutingFile(kind=DaemonKind.BIRD, path="/etc/x", startup="/etc/bird.conf")
    texts = RoutingTexts(file=file, before="", after="", startup_before="", startup_after="")
    record = journal.add(entry(), State(), State(), {}, routing=JournalledRouting(texts=(texts,)))
    journal.end(record, Status.APPLIED, NOW)
    added(journal, Status.APPLIED)
    added(journal, Status.APPLIED, Origin.TIMER, target=9)
    for _ in range(4):
        added(journal, Status.REVERTED)
    assert numbers(journal) == [1, 2, 5, 6, 7]


def test_numbers_come_to_an_end_before_they_cannot_be_read(journal: Journal) -> None:
    added(journal, Status.APPLIED)
    (journal.folder / "9999999999").mkdir()
    assert added(journal, Status.APPLIED) == journal.records()[-1]
    (journal.folder / "999999999").mkdir()
    with pytest.raises(StorageError, match="has the last number that there is"):
        added(journal, Status.APPLIED)


@pytest.mark.parametrize("status", [Status.APPLIED, Status.CONFIRMED])
def test_the_last_accepted_one_is_kept_however_old_it_is(journal: Journal, status: Status) -> None:
    added(journal, Status.APPLIED)
    added(journal, status)
    for _ in range(5):
        added(journal, Status.REVERTED)
    assert numbers(journal) == [2, 5, 6, 7]


def test_what_waits_to_be_confirmed_is_kept(journal: Journal) -> None:
    added(journal, Status.WAITING)
    for _ in range(5):
        added(journal, Status.REVERTED)
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
        added(journal, Status.REVERTED, Origin.TIMER, target=2)
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


def test_a_journal_without_damage_has_lost_nothing(journal: Journal) -> None:
    assert journal.last_lost() == 0
    added(journal, Status.APPLIED)
    assert (journal.last_lost(), journal.damaged()) == (0, [])
    assert journal.knows(1)
    assert not journal.knows(2)


def test_what_cannot_be_read_is_said_once_and_counted(journal: Journal, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(3):
        added(journal, Status.APPLIED)
    (journal.folder / "000002" / "entry.json").write_text("damaged")
    for _ in range(2):
        assert numbers(journal) == [1, 3]
    assert [message[:20] for message in caplog.messages] == ["Change 2 is left out"]
    assert [damage.number for damage in journal.damaged()] == [2]
    assert journal.last_lost() == 2


def test_what_cannot_be_told_counts_as_known(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(folder: Path) -> None:
        raise PermissionError(13, "no permission")

    monkeypatch.setattr("os.listdir", fail)
    assert journal.knows(7)


def test_an_entry_is_on_the_disk_with_its_name(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[Path] = []
    monkeypatch.setattr(Directory, "sync", lambda folder: synced.append(folder.path))
    added(journal, Status.APPLIED)
    assert journal.folder in synced


def test_a_file_is_that_of_its_change(journal: Journal) -> None:
    source = b"interfaces: {}"

    def made_for(content: bytes) -> int:
        blank = added(journal, Status.REVERTED).entry
        digest = sha256(content).hexdigest() if content else ""
        return journal.add(replace(blank, source_digest=digest), State(), State(), {}, content).entry.number

    assert journal.source(made_for(source)) == source
    with pytest.raises(StorageError, match="was not made from a file"):
        journal.source(made_for(b""))


def test_only_what_may_have_to_be_undone_reserves_room(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    reserve = journal.folder.with_name("journal.reserve")
    added(journal, Status.APPLIED, Origin.ROLLBACK)
    assert not reserve.exists()
    added(journal, Status.APPLIED)
    assert reserve.stat().st_size > 0


def test_the_way_back_is_written_down_in_what_was_reserved_for_it(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    added(journal, Status.APPLIED)
    create, attempts = EntryFolders.create, []

    def create_when_there_is_room(
        folders: EntryFolders, number: int, files: Mapping[str, bytes], modes: Mapping[str, int]
    ) -> None:
        attempts.append(number)
        if journal.folder.with_name("journal.reserve").exists():
            raise StorageError("no room")
        create(folders, number, files, modes)

    monkeypatch.setattr(EntryFolders, "create", create_when_there_is_room)
    added(journal, Status.APPLIED, Origin.ROLLBACK)
    assert (attempts, numbers(journal)) == ([2, 2], [1, 2])
    with pytest.raises(StorageError, match="no room"):
        added(journal, Status.APPLIED)


def test_without_a_reserve_the_way_back_says_that_it_cannot_be_written_down(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts = []

    def fail(folders: EntryFolders, number: int, files: Mapping[str, bytes], modes: Mapping[str, int]) -> None:
        attempts.append(number)
        raise StorageError("no room")

    monkeypatch.setattr(EntryFolders, "create", fail)
    with pytest.raises(StorageError, match="no room"):
        added(journal, Status.APPLIED, Origin.ROLLBACK)
    assert attempts == [1]


def test_what_may_be_whole_stays_and_the_rest_is_set_aside(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        added(journal, Status.APPLIED)
    (journal.folder / "000002" / "entry.json").unlink()
    read = read_with_origin

    def read_from_a_bad_disk(path: Path, group: int | None, _: int | None) -> TrustedFile:
        if path.parent.name == "000001":
            raise UntrustedFileError("cannot read it") from OSError(errno.EIO, "Input/output error")
        return read(path, group)

    monkeypatch.setattr("vppcfg.transaction.journal.read_with_origin", read_from_a_bad_disk)
    assert [(damage.number, damage.may_be_whole) for damage in journal.damaged()] == [(1, True), (2, False)]
    assert [record.entry.number for record in journal.set_aside()] == [3]
    assert sorted(path.name for path in journal.folder.iterdir()) == ["000001", "000003", "set-aside-000002"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give folders away")
def test_a_folder_that_root_makes_is_for_the_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vppcfg.transaction.folders.group_id", lambda: 4243)
    made = create_folder(tmp_path / "one" / "two" / "three")
    assert (made.stat().st_gid, made.stat().st_mode & 0o7777) == (4243, 0o2770)
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert create_folder(tmp_path / "four").stat().st_gid == os.getegid()


def test_a_folder_is_usable_when_files_can_be_made_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def access(path: Path, mode: int) -> bool:
        asked.append(mode)
        return False

    assert is_usable(tmp_path / "one")
    monkeypatch.setattr("os.access", access)
    assert not is_usable(tmp_path / "one")
    assert asked == [os.W_OK | os.X_OK]
    (tmp_path / "file").write_text("")
    assert not is_usable(tmp_path / "file")


def test_whoever_may_not_read_the_journal_is_told_who_may(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(path: Path) -> list[str]:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr("os.listdir", closed)
    with pytest.raises(StorageError, match=r"cannot read .*: Permission denied") as raised:
        EntryFolders(tmp_path).numbers()
    assert "as root or as a member of group vpp" in raised.value.hint


@pytest.mark.parametrize(
    ("attributes", "timer"),
    [
        ({"install_as": "/"}, None),
        ({"install_as": "router.yaml"}, None),
        ({"install_as": "/etc/../x"}, None),
        ({"source_digest": "../../x"}, None),
        ({"installs_over": "a/b"}, None),
        ({"comment": "a\0b"}, None),
        ({"pid": -1}, None),
        ({"steps": 1 << 40}, None),
        ({}, Timer(deadline=NOW, unit="a\0b")),
        ({}, Timer(deadline=NOW, unit="--root=x")),
        ({}, Timer(deadline=NOW, pid=-1)),
        ({}, Timer(deadline=NOW, moment_s=-1.0)),
    ],
)
def test_an_entry_with_what_vppcfg_never_writes_is_none(
    journal: Journal, attributes: dict[str, Any], timer: Timer | None
) -> None:
    record = journal.add(entry(), State(), State(), {})
    journal.end(replace(record, timer=timer), Status.WAITING, NOW)
    path = journal.folder / "000001" / "entry.json"
    data = path.read_bytes()
    content = unsealed(data, "journal entry", FORMAT_VERSION, "the entry") | attributes
    path.write_bytes(sealed("journal entry", FORMAT_VERSION, content, place=place_of(data)))
    with pytest.raises(UntrustedFileError, match=r"is no entry of a journal: .*, (which vppcfg|and not from)"):
        journal.record(1)
    assert journal.records() == []
