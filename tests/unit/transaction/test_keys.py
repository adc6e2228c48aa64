"""Keys in the journal: where they lie, who can read them, and that they go with their entries."""

import stat
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.transaction.entries import entry
from tests.wireguard_keys import PRESHARED, PRIVATE, PUBLIC
from vppcfg.model.state import State
from vppcfg.transaction.entry import Entry, Origin, Status
from vppcfg.transaction.journal import KEPT, Journal

FIRST, SECOND = {PUBLIC[0]: PRIVATE[0]}, {PUBLIC[1]: PRIVATE[1], PRESHARED[2]: PRIVATE[2]}


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "journal")


def test_keys_lie_beside_their_entry_for_its_owner_alone(journal: Journal) -> None:
    number = journal.add(entry(), State(), State(), {}, keys=SECOND).entry.number
    folder = journal.folder / f"{number:06}"
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert {name for name, mode in modes.items() if not mode & 0o077} == {"keys.json", "accepted.keys"}
    assert journal.keys() == SECOND


def test_an_entry_without_keys_has_no_file_for_them(journal: Journal) -> None:
    journal.add(entry(), State(), State(), {})
    assert not list(journal.folder.glob("*/*key*"))
    assert journal.keys() == {}


def test_the_keys_of_all_changes_are_known(journal: Journal) -> None:
    for keys in (FIRST, SECOND):
        journal.add(entry(), State(), State(), {}, keys=keys)
    assert journal.keys() == FIRST | SECOND


def test_keys_go_with_their_entry(journal: Journal) -> None:
    journal.add(entry(), State(), State(), {}, keys=FIRST)
    for _ in range(KEPT):
        journal.end(journal.add(entry(), State(), State(), {}), Status.APPLIED, "")
    assert journal.keys() == {}
    assert not list(journal.folder.parent.rglob("*key*"))


def test_the_second_copy_has_the_keys_of_what_was_accepted(journal: Journal) -> None:
    copy = journal.folder.with_name("journal.accepted.keys")
    journal.end(journal.add(entry(), State(), State(), {}, keys=FIRST), Status.APPLIED, "")
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    for path in journal.folder.glob("*/keys.json"):
        path.unlink()
    assert journal.keys() == FIRST
    journal.end(journal.add(entry(), State(), State(), {}), Status.APPLIED, "")
    assert not copy.exists()


def test_an_attempt_of_the_timer_has_no_copy(journal: Journal) -> None:
    journal.end(journal.add(entry(), State(), State(), {}, keys=FIRST), Status.APPLIED, "")
    timer: Entry = replace(entry(), origin=Origin.TIMER)
    record = journal.add(timer, State(), State(), {}, keys=SECOND)
    assert [path.name for path in journal.folder.glob("000002/*key*")] == ["keys.json"]
    journal.end(record, Status.APPLIED, "")
    assert journal.folder.with_name("journal.accepted.keys").exists(), "those of what was accepted"


def test_of_an_entry_that_was_set_aside_the_keys_are_known(journal: Journal) -> None:
    journal.add(entry(), State(), State(), {}, keys=FIRST)
    (journal.folder / "000001" / "entry.json").write_text("damaged")
    journal.set_aside()
    assert journal.keys() == FIRST


def test_damaged_keys_are_left_out_and_said(journal: Journal, caplog: pytest.LogCaptureFixture) -> None:
    for keys in (FIRST, SECOND):
        journal.add(entry(), State(), State(), {}, keys=keys)
    (journal.folder / "000001" / "keys.json").write_text("damaged")
    assert journal.keys() == SECOND
    assert "000001/keys.json cannot be used" in caplog.text
