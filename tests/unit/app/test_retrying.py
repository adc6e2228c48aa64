"""When a timer tries again that cannot bring the old state back: less and less often, so that packets pass."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from vppcfg.app.deadline import Retries, pause, tell_terminals
from vppcfg.app.target import Target
from vppcfg.errors import DataplaneError, PlanProofError
from vppcfg.transaction.lock import LockedError


@pytest.fixture
def retries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Retries:
    monkeypatch.setattr("vppcfg.app.deadline.tell_terminals", lambda text: None)
    monkeypatch.setattr("vppcfg.app.target.Target.has_listener", lambda self: True)
    (tmp_path / "vpp.sock").touch()
    return Retries(7, Target(api_socket=str(tmp_path / "vpp.sock"), state_dir=str(tmp_path), run_dir=str(tmp_path)))


def pauses(retries: Retries, error: Exception, count: int) -> list[float]:
    return [retries.pause_after(error) for _ in range(count)]


def test_the_first_try_comes_soon_and_the_others_a_minute_later_and_more(retries: Retries) -> None:
    assert pauses(retries, PlanProofError("no"), 8) == [2, 60, 120, 240, 480, 900, 900, 900]
    assert pauses(retries, PlanProofError("another reason"), 2) == [2, 60]


def test_numbers_make_no_other_reason(retries: Retries) -> None:
    found = [retries.pause_after(DataplaneError(f"no answer after {number / 3:.3f} s")) for number in range(4)]
    assert found == [2, 60, 120, 240]


def test_what_asks_vpp_nothing_is_tried_all_the_time(retries: Retries, monkeypatch: pytest.MonkeyPatch) -> None:
    assert pauses(retries, LockedError("another vppcfg is at work"), 9)[-3:] == [30, 30, 30]
    monkeypatch.setattr("vppcfg.app.target.Target.has_listener", lambda self: False)
    assert pauses(retries, DataplaneError("nothing listens"), 3) == [30, 30, 30]
    assert retries.pause_after(PlanProofError("no"), is_cheap=True) == 30


def test_another_vpp_is_tried_at_once(retries: Retries, tmp_path: Path) -> None:
    pauses(retries, PlanProofError("no"), 5)
    assert not retries.is_another_vpp()
    (tmp_path / "new.sock").touch()
    os.replace(tmp_path / "new.sock", tmp_path / "vpp.sock")
    assert retries.is_another_vpp()
    assert pauses(retries, PlanProofError("no"), 2) == [2, 60]
    assert not retries.is_another_vpp()


def test_a_pause_ends_when_there_is_nothing_to_wait_for() -> None:
    slept: list[float] = []
    pause(2.5, lambda: False, slept.append)
    assert slept == [1, 1, 0.5]
    pause(900, lambda: len(slept) > 5, slept.append)
    assert len(slept) == 6


def test_terminals_are_told_by_wall_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[bytes] = []

    def run(command: list[str], **named: Any) -> None:
        assert command == ["/usr/bin/wall", "-t", "5"]
        assert named["timeout"] == 10
        said.append(named["input"])
        raise subprocess.TimeoutExpired(command, 10)

    monkeypatch.setattr("vppcfg.app.deadline.subprocess.run", run)
    for program in (None, "/usr/bin/wall"):
        monkeypatch.setattr("vppcfg.app.deadline.shutil.which", lambda name, found=program: found)
        tell_terminals("it fails")
    assert said == [b"it fails\n"]
