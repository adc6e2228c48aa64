"""What is written down of a change that has nothing to do."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.unit.transaction.entries import entry
from vppcfg.app import changing
from vppcfg.errors import StorageError
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
