"""What the journal says about the past: what a boot goes by, what was rolled back, what a rollback goes back before."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.transaction.entries import NOW, entry
from vppcfg.errors import PlanRefusedError
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.state import State
from vppcfg.plan.state_document import document_of
from vppcfg.transaction.accepted import (
    accepted_entry,
    accepted_state,
    awaited,
    beginning,
    close_open_changes,
    file_in_force,
    last_accepted,
    last_interrupted,
    restores,
    rolled_back_unnoted,
    to_roll_back,
    was_rolled_back,
)
from vppcfg.transaction.accepted_copy import Accepted
from vppcfg.transaction.entry import Entry, Origin, Record, Status, Timer
from vppcfg.transaction.journal import Journal

TIMER = Timer(deadline=NOW, pid=1)
STATE = State(interfaces={"gi0": Interface(name="gi0", kind=InterfaceKind.PHYSICAL, packet_mtu=1500)})


def record(
    number: int, status: Status, origin: Origin = Origin.APPLY, timer: Timer | None = None, **attributes: object
) -> Record:
    return Record(entry=entry(number, origin, **attributes), status=status, timer=timer)


def copy_of(number: int) -> Accepted:
    return Accepted(entry=entry(number), document=document_of(STATE))


def number_of(found: Record | Entry | None) -> int:
    return 0 if found is None else found.number if isinstance(found, Entry) else found.entry.number


def test_what_was_accepted_last_was_somebodys_wish() -> None:
    applied, confirmed = record(1, Status.APPLIED), record(2, Status.CONFIRMED)
    assert last_accepted([applied, confirmed]) is confirmed
    assert last_accepted([applied, record(2, Status.APPLIED, Origin.TIMER)]) is applied, "a timer wishes nothing"
    assert last_accepted([applied, record(2, Status.WAITING), record(3, Status.REVERTED)]) is applied
    assert last_accepted([record(1, Status.ROLLED_BACK)]) is None


def test_a_boot_goes_by_the_later_one_of_entries_and_copy() -> None:
    applied = record(2, Status.APPLIED)
    assert number_of(accepted_entry([applied], None)) == 2
    assert number_of(accepted_entry([applied], copy_of(1))) == 2
    assert number_of(accepted_entry([applied], copy_of(2))) == 2
    assert number_of(accepted_entry([applied], copy_of(3))) == 3, "the entry of 3 is lost"
    assert number_of(accepted_entry([], copy_of(3))) == 3
    assert accepted_entry([], None) is None
    assert accepted_entry([record(1, Status.REVERTED)], None) is None


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (Status.STARTED, 3),
        (Status.CUT_OFF, 3),
        (Status.ROLLED_BACK, 2),
        (Status.REVERTED, 2),
        (Status.STRANDED, 2),
        (Status.WAITING, 2),
    ],
)
def test_a_copy_counts_unless_its_entry_tells_of_another_end(status: Status, expected: int) -> None:
    records = [record(2, Status.APPLIED), record(3, status)]
    assert number_of(accepted_entry(records, copy_of(3))) == expected
    assert number_of(accepted_entry(records[1:], copy_of(3))) == (3 if expected == 3 else 0)


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "journal")


def test_the_state_that_was_accepted_is_that_of_the_entry_or_of_its_copy(
    journal: Journal, caplog: pytest.LogCaptureFixture
) -> None:
    applied = journal.end(journal.add(entry(0), State(), STATE, {}), Status.APPLIED, NOW)
    assert accepted_state(applied.entry, journal, None) == STATE
    assert caplog.messages == []
    (journal.folder / "000001" / "after.json").unlink()
    assert accepted_state(applied.entry, journal, copy_of(1)) == STATE
    assert accepted_state(applied.entry, journal, copy_of(2)) is None, "that is another change"
    assert accepted_state(applied.entry, journal, None) is None
    assert all("cannot be read from its entry" in message for message in caplog.messages)
    caplog.clear()
    broken = replace(copy_of(1), document={"format_version": 99})
    assert accepted_state(applied.entry, journal, broken) is None
    assert "cannot be read from its copy" in caplog.messages[-1]


def test_a_file_was_rolled_back_when_that_was_the_last_that_became_of_it() -> None:
    def of_file(number: int, status: Status, digest: str = "a") -> Record:
        return record(number, status, source_digest=digest)

    back = of_file(2, Status.ROLLED_BACK)
    assert was_rolled_back([back], "a") is back
    assert was_rolled_back([of_file(3, Status.APPLIED), back], "a") is None, "it was applied since"
    assert was_rolled_back([of_file(3, Status.APPLIED, "b"), back], "a") is back, "that was another file"
    assert was_rolled_back([of_file(3, Status.REVERTED), of_file(4, Status.WAITING), back], "a") is back
    assert was_rolled_back([of_file(2, Status.ROLLED_BACK, "b")], "a") is None
    assert was_rolled_back([of_file(2, Status.ROLLED_BACK, "")], "") is None, "what is no file has no digest"


def test_what_waits_is_the_last_with_a_timer_that_nobody_decided() -> None:
    waiting = record(2, Status.WAITING, timer=TIMER)
    assert awaited([waiting]) is waiting
    assert awaited([record(3, Status.REVERTED, Origin.TIMER), waiting]) is waiting, "the timer tries again"
    assert awaited([record(3, Status.APPLIED, Origin.TIMER), waiting]) is None
    assert awaited([record(3, Status.APPLIED), waiting]) is None
    assert awaited([record(2, Status.CONFIRMED, timer=TIMER)]) is None
    assert awaited([record(2, Status.WAITING)]) is None


def test_a_rollback_goes_back_before_what_waits_or_was_wished_last() -> None:
    applied = record(1, Status.APPLIED)
    waiting = record(2, Status.WAITING, Origin.ROLLBACK, timer=TIMER)
    assert to_roll_back([applied, waiting]) is waiting
    later = [record(2, Status.APPLIED, origin) for origin in (Origin.ROLLBACK, Origin.TIMER, Origin.BOOT)]
    assert to_roll_back([applied, *later]) is applied
    assert to_roll_back([applied, record(2, Status.REVERTED), record(3, Status.ROLLED_BACK)]) is applied
    stranded = record(2, Status.STRANDED)
    assert to_roll_back([applied, stranded]) is stranded
    assert to_roll_back([record(1, Status.REVERTED)]) is None


def test_the_file_in_force_after_a_rollback_of_a_rollback_is_the_one_that_came_back() -> None:
    first, second = record(1, Status.APPLIED), record(2, Status.ROLLED_BACK)
    undone, back = (
        record(3, Status.ROLLED_BACK, Origin.ROLLBACK, target=2),
        record(4, Status.APPLIED, Origin.ROLLBACK, target=3),
    )
    boot = record(5, Status.APPLIED, Origin.BOOT)
    assert file_in_force([boot, back, undone, second, first], "run 1") == 2
    assert file_in_force([replace(undone, status=Status.APPLIED), second, first], "run 1") == 1
    assert file_in_force([first], "run 2") is None


def test_what_went_on_from_half_way_is_one_with_what_was_cut_off() -> None:
    settled, cut_off, last = record(1, Status.APPLIED), record(2, Status.CUT_OFF), record(5, Status.APPLIED)
    inverse, stranded = record(3, Status.REVERTED), record(4, Status.STRANDED)
    assert beginning([settled, cut_off, inverse, stranded, last], last) is cut_off
    assert beginning([settled, inverse, last], last) is last
    assert beginning([cut_off, record(3, Status.APPLIED), last], last) is last
    assert beginning([settled, last, record(6, Status.CUT_OFF)], last) is last, "what came later belongs to others"
    waiting = record(5, Status.WAITING, Origin.ROLLBACK, TIMER)
    assert beginning([settled, stranded, waiting], waiting) is waiting, "it has ended what was half-way"


def test_a_boot_that_brings_back_what_was_accepted_begins_at_a_settled_state() -> None:
    settled, cut_off = record(1, Status.APPLIED), record(2, Status.CUT_OFF)
    boot, last = record(3, Status.CUT_OFF, Origin.BOOT), record(4, Status.APPLIED)
    assert beginning([settled, cut_off, boot, last], last) is boot
    assert restores([settled, cut_off, boot, last], boot)
    assert not restores([settled, boot], settled)
    assert not restores([cut_off, boot, last], boot), "nothing had been accepted: it applied a first file"
    assert beginning([cut_off, boot, last], last) is cut_off


@pytest.mark.parametrize(
    ("status", "timer", "is_left"),
    [
        (Status.CUT_OFF, None, True),
        (Status.STRANDED, None, True),
        (Status.STARTED, None, True),
        (Status.CUT_OFF, TIMER, False),
        (Status.APPLIED, None, False),
        (Status.WAITING, None, False),
    ],
)
def test_half_way_is_what_ended_between_and_has_no_timer(status: Status, timer: Timer | None, *, is_left: bool) -> None:
    found = record(2, status, timer=timer)
    assert last_interrupted([found, record(1, Status.CUT_OFF)]) is (found if is_left else None)
    assert last_interrupted([record(3, Status.REVERTED), found]) is (found if is_left else None)


def test_what_a_rollback_has_undone_without_a_word() -> None:
    changes = [record(number, Status.APPLIED) for number in (1, 2, 3, 5)]
    back = record(4, Status.APPLIED, Origin.ROLLBACK, target=2)
    assert [number_of(found) for found in rolled_back_unnoted([*changes[:3], back, changes[3]])] == [2, 3]
    noted = [changes[0], record(2, Status.ROLLED_BACK), record(3, Status.ROLLED_BACK), back]
    assert rolled_back_unnoted(noted) == []
    failed = record(4, Status.REVERTED, Origin.ROLLBACK, target=2)
    assert rolled_back_unnoted([*changes[:3], failed]) == []
    assert rolled_back_unnoted([*changes[:3], record(4, Status.APPLIED, Origin.APPLY, target=2)]) == []


def test_what_ended_without_a_word_is_written_down(journal: Journal, caplog: pytest.LogCaptureFixture) -> None:
    def added(status: Status, origin: Origin = Origin.APPLY, *, is_timed: bool = False, **attributes: object) -> Record:
        made = journal.add(entry(0, origin, **attributes), State(), STATE, {})
        made = journal.arm(made, TIMER) if is_timed else made
        return made if status is Status.STARTED else journal.end(made, status, NOW)

    asked: list[int] = []
    added(Status.APPLIED)
    added(Status.STARTED)
    added(Status.WAITING, is_timed=True, boot_id="run 0")
    added(Status.WAITING, is_timed=True)
    added(Status.STRANDED)
    settled = close_open_changes(
        journal, journal.records(), "run 1", NOW, lambda record: asked.append(record.entry.number)
    )
    expected = [Status.APPLIED, Status.CUT_OFF, Status.ROLLED_BACK, Status.WAITING, Status.STRANDED]
    assert [found.status for found in settled] == expected
    assert [found.status for found in journal.records()] == expected
    assert asked == [4]
    assert settled[1].text == "vppcfg ended in the middle of it"
    assert settled[2].text == "VPP was restarted before the change was confirmed"
    assert caplog.messages == [f"Change 3 counts as rolled back: {settled[2].text}"]


def test_a_change_that_waits_is_not_settled_over(journal: Journal) -> None:
    journal.end(journal.arm(journal.add(entry(0), State(), STATE, {}), TIMER), Status.WAITING, NOW)

    def refuse(waiting: Record) -> None:
        raise PlanRefusedError(f"change {waiting.entry.number} waits")

    with pytest.raises(PlanRefusedError, match="change 1 waits"):
        close_open_changes(journal, journal.records(), "run 1", NOW, refuse)


def test_what_a_rollback_has_undone_is_written_down(journal: Journal) -> None:
    for origin, target in ((Origin.APPLY, 0), (Origin.APPLY, 0), (Origin.ROLLBACK, 2)):
        journal.end(journal.add(entry(0, origin, target=target), State(), STATE, {}), Status.APPLIED, NOW)
    close_open_changes(journal, journal.records(), "run 1", NOW, lambda record: None)
    assert [found.status for found in journal.records()] == [Status.APPLIED, Status.ROLLED_BACK, Status.APPLIED]


def test_what_is_no_rollback_goes_back_to_nothing() -> None:
    blank = entry(1)
    assert (blank.target, blank.pid, blank.process) == (0, 0, "")
    assert (Timer(deadline=NOW).pid, Timer(deadline=NOW).moment_s) == (0, 0.0)
