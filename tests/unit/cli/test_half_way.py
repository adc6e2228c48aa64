"""A change that was cut off and the one that finishes it are one: nobody is taken back to the middle."""

import json
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run, Serve, errors_of, runner, two_ports
from vppcfg.errors import ExitCode
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.transaction.entry import Status
from vppcfg.transaction.folders import folder_name
from vppcfg.transaction.journal import Journal

pytestmark = pytest.mark.usefixtures("files")

HALF = """\
interfaces:
  GigabitEthernet1/0/0: { mtu: 1500 }
  GigabitEthernet3/0/0: { mtu: 9000 }
"""


@pytest.fixture
def run(serve: Serve, capsys: pytest.CaptureFixture[str], folders_of_this_test: Path, files: Path) -> Run:
    """Return what runs a command on a router that was at l2xc.yaml, when change 2 was cut off half-way to l3.yaml.

    Change 3 finished it.
    """
    vpp = serve(SimulatedVpp(ports=two_ports()))
    run = runner(vpp, capsys)
    (files / "half.yaml").write_text(HALF)
    for config in ("l2xc.yaml", "half.yaml"):
        assert run("apply", "-c", config)[0] == ExitCode.DONE
    cut_off(folders_of_this_test / "state" / folder_name(vpp), 2)
    assert run("apply", "-c", "l3.yaml")[0] == ExitCode.DONE
    return run


def cut_off(folder: Path, number: int) -> None:
    """Let a change look as if its vppcfg had been killed in the middle."""
    journal = Journal(folder)
    journal.end(journal.record(number), Status.STARTED, "")


def is_at(run: Run, config: str) -> bool:
    return run("diff", "-c", config, "--detailed-exitcode")[0] == ExitCode.DONE


def test_a_rollback_goes_to_the_settled_state_before_both(run: Run) -> None:
    err = errors_of(ExitCode.DONE, run, "rollback", "--yes")
    assert "The state before change 2 is back" in err
    assert "Change 3 went on from change 2, which did not come to its end: both are rolled back" in err
    assert is_at(run, "l2xc.yaml")
    statuses = [change["status"] for change in json.loads(run("history", "--format", "json")[1])["changes"]]
    assert statuses == ["applied", "rolled back", "rolled back", "applied"]


def test_the_middle_can_be_reached_by_its_number_only(run: Run) -> None:
    assert run("rollback", "3", "--yes")[0] == ExitCode.DONE
    assert is_at(run, "half.yaml")


def test_history_calls_the_middle_what_it_is(run: Run) -> None:
    assert "cut off" in run("history")[1]
    out = run("history", "3")[1]
    assert "half-way, since change 2 did not come to its end; `vppcfg rollback` goes back before change 2" in out
    changes = json.loads(run("history", "--format", "json")[1])["changes"]
    assert [change["begins_half_way"] for change in changes] == [False, False, True]


def test_what_was_undone_in_between_changes_nothing(run: Run, folders_of_this_test: Path, files: Path) -> None:
    folder = next(path for path in (folders_of_this_test / "state").iterdir() if path.is_dir())
    journal = Journal(folder)
    journal.end(journal.record(3), Status.REVERTED, "")
    (files / "l3.yaml").write_text((files / "l3.yaml").read_text().replace("100.64.10.1", "100.64.10.9"))
    assert run("apply", "-c", "l3.yaml")[0] == ExitCode.DONE
    assert run("rollback", "--yes")[0] == ExitCode.DONE
    assert is_at(run, "l2xc.yaml")


def test_a_settled_change_in_between_is_where_a_rollback_ends(run: Run) -> None:
    assert run("apply", "-c", "half.yaml")[0] == ExitCode.DONE
    assert run("rollback", "--yes")[0] == ExitCode.DONE
    assert is_at(run, "l3.yaml")
