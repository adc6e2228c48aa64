"""Which process it is: an id that came again is not the process that had it."""

import os
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from vppcfg.cli.history_document import status_of
from vppcfg.transaction.accepted import last_interrupted
from vppcfg.transaction.entry import Entry, Origin, Record, Status
from vppcfg.transaction.process import identity_of, is_another_running, is_running, machine_run

STAT = "4711 (a name) ) with) S 1 4711 4711 0 -1 4194560 12 0 0 0 1 2 3 4 20 0 1 0 {start} 1 2 3\n"
ENTRY = Entry(
    number=2,
    origin=Origin.APPLY,
    made_at="",
    made_by="root",
    made_with="1",
    boot_id="",
    version="26.10",
    impact="none",
    steps=1,
    summary="",
)


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    """Return a folder that is as /proc with one process in it."""
    (tmp_path / "sys/kernel/random").mkdir(parents=True)
    (tmp_path / "sys/kernel/random/boot_id").write_text("run-1\n")
    (tmp_path / "4711").mkdir()
    (tmp_path / "4711" / "stat").write_text(STAT.format(start=987654))
    return tmp_path


@pytest.fixture
def sleeper() -> Iterator[int]:
    """Return the id of a living process that is no vppcfg."""
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process.pid
        process.kill()


def test_a_process_is_marked_by_the_run_of_the_machine_and_its_start(proc: Path) -> None:
    assert machine_run(proc) == "run-1"
    assert identity_of(4711, proc) == "run-1/987654"
    assert is_running(4711, "run-1/987654", proc)
    assert is_running(4711, "", proc), "entries of former versions know the id alone"
    assert machine_run(proc / "4711") == ""


def test_where_the_run_of_the_machine_is_hidden_the_start_tells(proc: Path) -> None:
    assert is_running(4711, "/987654", proc)
    assert not is_running(4711, "/987655", proc)
    (proc / "sys/kernel/random/boot_id").unlink()
    assert identity_of(4711, proc) == "/987654"
    assert is_running(4711, "run-1/987654", proc)
    assert not is_running(4711, "run-1/987655", proc)


@pytest.mark.parametrize("mark", ["run-1/987655", "run-0/987654", "987654"])
def test_another_process_of_the_same_id_is_another_one(proc: Path, mark: str) -> None:
    assert not is_running(4711, mark, proc)


@pytest.mark.parametrize(
    "stat", ["", "4711 (x) Z 1 " + "0 " * 30, "4711 (x) X 1 " + "0 " * 30, "4711 (x) S 1 2", "4711 (x) S" + " 1" * 18]
)
def test_what_has_ended_does_not_run(proc: Path, stat: str) -> None:
    (proc / "4711" / "stat").write_text(stat)
    assert identity_of(4711, proc) == ""
    assert not is_running(4711, "", proc)
    assert not is_running(4712, "", proc)


def test_a_process_of_this_machine_keeps_its_mark(sleeper: int) -> None:
    mark = identity_of(sleeper)
    time.sleep(0.02)
    assert mark == identity_of(sleeper) != identity_of(1)
    assert mark.startswith(machine_run())
    assert is_running(sleeper, mark)


def test_this_process_is_no_other_one() -> None:
    assert is_running(os.getpid(), identity_of(os.getpid()))
    assert not is_another_running(os.getpid(), identity_of(os.getpid()))


def test_a_change_whose_process_is_dead_was_cut_off_although_its_id_lives(sleeper: int) -> None:
    def started(mark: str) -> Record:
        return Record(entry=replace(ENTRY, pid=sleeper, process=mark), status=Status.STARTED)

    dead, living, of_old = started(f"{machine_run()}/1"), started(identity_of(sleeper)), started("")
    assert (status_of(dead), status_of(living)) == (Status.CUT_OFF, Status.STARTED)
    assert last_interrupted([dead]) is dead
    assert last_interrupted([living]) is None
    assert last_interrupted([of_old]) is None, "without a mark the id is all that is known"
