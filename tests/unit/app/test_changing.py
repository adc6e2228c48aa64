"""How changes end, and what is written down of those that have nothing to do."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.unit.transaction.entries import entry
from vppcfg.app import changing
from vppcfg.app.intent import ChangeResult
from vppcfg.errors import ExitCode, StorageError
from vppcfg.model.state import State
from vppcfg.plan.plan import make_plan
from vppcfg.transaction.entry import Origin, Record, Status


def fail(*of_a_record: object) -> None:
    raise StorageError("the disk is full")


@pytest.mark.parametrize("origin", Origin)
def test_only_a_way_back_and_a_boot_end_without_a_word_in_the_journal(
    origin: Origin, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = Record(entry=entry(origin=origin), status=Status.STARTED)
    monkeypatch.setattr(changing, "_added", lambda *values, is_needed: record)
    intent: Any = SimpleNamespace(origin=origin)
    place: Any = SimpleNamespace(journal=SimpleNamespace(end=fail))
    plan = make_plan(State(), State())
    if origin in {Origin.APPLY, Origin.RECONCILE}:
        with pytest.raises(StorageError):
            changing.note_unchanged(plan, intent, place)
    else:
        assert changing.note_unchanged(plan, intent, place) == record


@pytest.mark.parametrize(
    ("code", "status", "is_done", "is_kept"),
    [
        (ExitCode.DONE, Status.APPLIED, True, False),
        (ExitCode.HOOK_FAILED, Status.WAITING, True, False),
        (ExitCode.STRANDED, Status.APPLIED, True, False),
        (ExitCode.STRANDED, Status.WAITING, True, False),
        (ExitCode.STRANDED, Status.STRANDED, False, False),
        (ExitCode.STRANDED, Status.REVERTED, False, False),
        (ExitCode.DIFFERENT, Status.APPLIED, False, True),
        (ExitCode.DIFFERENT, Status.REVERTED, False, False),
    ],
)
def test_only_what_is_in_force_counts_as_done_or_kept(
    code: ExitCode, status: Status, *, is_done: bool, is_kept: bool
) -> None:
    """A rollback that failed half-way must not be taken for the old state."""
    result = ChangeResult(code=code, record=Record(entry=entry(), status=status))
    assert (result.is_done, result.is_kept) == (is_done, is_kept)
