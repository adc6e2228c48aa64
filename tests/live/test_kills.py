"""Kills and restarts on a real VPP: one command settles it, and what was not confirmed never comes back."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chaos.test_kills import CONFIGURATIONS, PORTS, Router, kill_often, patch_timers
from tests.live.killed_runs import runs
from tests.real_vpp import RealVpp, running
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

KILLS = 130
"""Commands that are to be killed; some of them end before that."""


class RealMachine:
    """A real VPP that can be started again with its ports."""

    def __init__(self, vpp: RealVpp) -> None:
        self.vpp = vpp
        self.socket = str(vpp.socket_path)

    def restart(self) -> None:
        """Start it anew."""
        self.vpp.restart(PORTS)


@pytest.fixture
def machine() -> Iterator[RealMachine]:
    with running(PORTS) as vpp:
        yield RealMachine(vpp)


def test_a_command_that_is_killed_at_any_moment_can_be_settled(
    machine: RealMachine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    patch_timers(monkeypatch)
    router = Router(tmp_path, 20261122, machine)
    kill_often(router, KILLS)
    assert router.killed >= 100


def test_a_change_that_vpp_does_not_survive_is_never_confirmed(
    machine: RealMachine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in CONFIGURATIONS.items():
        (tmp_path / f"{name}.yaml").write_text(text)

    def run(*words: str) -> int:
        return main([*words, "-a", machine.socket])

    def is_at(name: str) -> bool:
        return run("plan", "-c", str(tmp_path / f"{name}.yaml"), "--detailed-exitcode") == ExitCode.DONE

    later = str(tmp_path / "b.yaml")
    assert run("apply", "-c", str(tmp_path / "a.yaml"), "--yes") == ExitCode.DONE
    assert run("apply", "-c", later, "--yes", "--confirm=10") == ExitCode.DONE
    machine.restart()
    capsys.readouterr()
    assert run("confirm") == ExitCode.REFUSED
    assert "so change 2 counts as rolled back and cannot be confirmed" in capsys.readouterr().err
    for _ in range(2):
        assert run("apply", "--boot", "-c", later) == ExitCode.DONE
        assert is_at("a")
        machine.restart()
    capsys.readouterr()
    assert run("history", "--format", "json") == ExitCode.DONE
    changes = json.loads(capsys.readouterr().out)["changes"]
    assert [change["status"] for change in changes] == ["applied", "rolled back", "applied", "applied"]


def test_one_command_settles_what_up_to_three_kills_in_a_row_have_left(tmp_path: Path) -> None:
    """Of random files; `python -m tests.live.killed_runs` does as many runs as one likes."""
    assert "WRONG" not in runs(2005, 3, tmp_path / "kept")
