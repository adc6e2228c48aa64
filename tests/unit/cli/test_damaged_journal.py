"""A journal that is damaged stops nothing: what cannot be read is set aside, said, and everything else goes on."""

import errno
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.laws.examples import TIMES
from tests.unit.cli.conftest import L2XC, L3, Serve, consenting, two_ports
from vppcfg.app.intent import ChangeResult
from vppcfg.app.rollback import go_back
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode, PlanProofError, UntrustedFileError
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.transaction.folders import folder_name
from vppcfg.transaction.safe_open import TrustedFile, read_with_origin

pytestmark = pytest.mark.usefixtures("files")


def flip(path: Path) -> None:
    """Change one bit in the middle of a file."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def empty(path: Path) -> None:
    """Leave nothing in a file or a folder."""
    if path.is_dir():
        shutil.rmtree(path)
        path.mkdir()
    else:
        path.write_bytes(b"")


def lose(path: Path) -> None:
    """Remove a file or a folder."""
    shutil.rmtree(path) if path.is_dir() else path.unlink()


def outdate(path: Path) -> None:
    """Let a file be of a version that is to come."""
    path.write_bytes(path.read_bytes().replace(b'"format_version": 1', b'"format_version": 99', 1))


def pipe(path: Path) -> None:
    """Put a pipe in the place of something."""
    lose(path)
    os.mkfifo(path)


DAMAGES = (flip, empty, lose, outdate, pipe)
MAKERS: tuple[Callable[[Path], object], ...] = (os.mkdir, os.mkfifo, Path.touch)
FILES = ("entry.json", "outcome.json", "before.json", "after.json")


class Router:
    """A simulated VPP that went from nothing to l2xc.yaml (change 1) and on to l3.yaml (change 2)."""

    def __init__(self, serve: Serve, state: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.vpp = SimulatedVpp(ports=two_ports())
        self.socket = serve(self.vpp)
        self.state = state
        self.journal = state / folder_name(self.socket)
        self.copy = state / f"{folder_name(self.socket)}.accepted"
        self._capsys = capsys

    def statuses(self) -> list[str]:
        """Return how the changes stand."""
        self._capsys.readouterr()
        main(["history", "--format", "json", "-a", self.socket])
        return [change["status"] for change in json.loads(self._capsys.readouterr().out)["changes"]]

    def run(self, *words: str) -> tuple[int, str]:
        """Run a command and return its exit code and what it wrote to standard error."""
        self._capsys.readouterr()
        code = main([*consenting(words), "-a", self.socket])
        return code, self._capsys.readouterr().err

    def is_at(self, config: str) -> bool:
        """Return whether the plan of a file is empty, whatever else stands in the way of applying it."""
        return "Nothing to do\n" in self.run("plan", "-c", config)[1]

    @contextmanager
    def damaged(self, damage: Callable[[Path], None], path: Path) -> Iterator[None]:
        """Damage something for a while, VPP being at l3.yaml in the beginning; then all is as it was."""
        shutil.copytree(self.state, kept := self.state.with_name("kept"))
        damage(path)
        yield
        shutil.rmtree(self.state)
        kept.rename(self.state)
        assert (
            main(["apply", "--yes", "-c", "l3.yaml", "-a", self.socket, "--state-dir", str(kept), "-q"])
            == ExitCode.DONE
        )
        shutil.rmtree(kept)


@pytest.fixture
def router(serve: Serve, folders_of_this_test: Path, capsys: pytest.CaptureFixture[str]) -> Router:
    router = Router(serve, folders_of_this_test / "state", capsys)
    for config in ("l2xc.yaml", "l3.yaml"):
        assert router.run("apply", "-c", config)[0] == ExitCode.DONE
    return router


def places(router: Router, damage: Callable[[Path], None]) -> list[Path]:
    """Return what is to be damaged of the journal: in `make test-long` everything, else each file in one way."""
    entries = [router.journal / "000001", router.journal / "000002"]
    every = [*(entry / name for entry in entries for name in FILES), router.copy]
    return every if TIMES > 1 else every[DAMAGES.index(damage) :: len(DAMAGES)]


def is_of_an_entry(path: Path) -> bool:
    """Return whether without this file nobody knows what a change was, or how it ended."""
    return path.name in {"entry.json", "outcome.json"}


@pytest.mark.parametrize("damage", DAMAGES)
def test_the_others_are_listed_and_looked_at(router: Router, damage: Callable[[Path], None]) -> None:
    for place in places(router, damage):
        with router.damaged(damage, place):
            code, err = router.run("history")
            assert code == ExitCode.DONE
            assert ("is left out, since its entry cannot be read" in err) is is_of_an_entry(place)
            assert router.run("watch", "--once", "-c", "l3.yaml")[0] == ExitCode.DONE
            assert router.is_at("l3.yaml")


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_file_is_applied(router: Router, damage: Callable[[Path], None]) -> None:
    for place in places(router, damage):
        with router.damaged(damage, place):
            code, err = router.run("apply", "-c", "l2xc.yaml")
            assert code == ExitCode.DONE
            assert router.is_at("l2xc.yaml")
            aside = list(router.journal.glob("set-aside-*"))
            assert len(aside) == is_of_an_entry(place)
            assert all(str(path) in err for path in aside)
            assert (router.journal / "000003").is_dir()
            assert "cannot be read" not in router.run("history")[1]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_rollback_goes_back_to_what_it_knows(router: Router, damage: Callable[[Path], None]) -> None:
    for place in places(router, damage):
        with router.damaged(damage, place):
            code, err = router.run("rollback", "--yes")
            if place.parent.name == "000002" and is_of_an_entry(place):
                assert code == ExitCode.REFUSED
                assert "`vppcfg rollback 1` goes back before change 1" in err
            elif place == router.journal / "000002" / "before.json":
                assert code == ExitCode.REFUSED
                assert router.is_at("l3.yaml")
            else:
                assert code == ExitCode.DONE
                assert router.is_at("l2xc.yaml")


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("is_edited", [False, True], ids=["same file", "edited file"])
def test_a_boot_brings_back_what_was_accepted_last(
    router: Router, files: Path, damage: Callable[[Path], None], is_edited: bool
) -> None:
    for place in places(router, damage):
        with router.damaged(damage, place):
            router.vpp.restart()
            (files / "l3.yaml").write_text(L2XC if is_edited else L3)
            assert router.run("apply", "--boot", "-c", "l3.yaml")[0] == ExitCode.DONE
            (files / "l3.yaml").write_text(L3)
            assert router.is_at("l3.yaml")


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_boot_without_anything_to_read_goes_by_the_file(router: Router, damage: Callable[[Path], None]) -> None:
    for place in (*router.journal.glob("*/*.json"), router.copy):
        damage(place)
    router.vpp.restart()
    code, err = router.run("apply", "--boot", "-c", "l2xc.yaml")
    assert code == ExitCode.DONE
    assert "The journal does not have the last accepted configuration, so l2xc.yaml is applied" in err
    assert router.is_at("l2xc.yaml")


@pytest.mark.parametrize(
    ("make", "name"),
    [
        pytest.param(make, name, marks=() if turn == number else pytest.mark.long)
        for turn, make in enumerate(MAKERS)
        for number, name in enumerate(("000009", "000003", "12345678"))
    ],
)
def test_what_is_no_entry_stops_nothing(router: Router, make: Callable[[Path], object], name: str) -> None:
    make(router.journal / name)
    assert router.run("history")[0] == ExitCode.DONE
    assert router.run("apply", "-c", "l2xc.yaml")[0] == ExitCode.DONE
    assert (router.journal / f"set-aside-{name}").exists()
    assert router.run("rollback", "--yes")[0] == ExitCode.DONE
    assert router.is_at("l3.yaml")


def test_what_is_set_aside_twice_stays_both_times(router: Router) -> None:
    for _ in range(2):
        (router.journal / "000009").mkdir()
        assert router.run("apply", "-c", "l3.yaml", "--again")[0] == ExitCode.DONE
    assert sorted(path.name for path in router.journal.glob("set-aside-*")) == [
        "set-aside-000009",
        "set-aside-000009-2",
    ]


def test_what_cannot_be_read_at_the_moment_is_left_where_it_is(router: Router, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too many open files say nothing about an entry."""

    def refuse(path: Path, group: int | None, _: int | None) -> TrustedFile:
        if path.parent.name == "000001":
            raise UntrustedFileError("cannot read it") from OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return read_with_origin(path, group)

    monkeypatch.setattr("vppcfg.transaction.journal.read_with_origin", refuse)
    code, err = router.run("apply", "-c", "l2xc.yaml")
    assert code == ExitCode.DONE
    assert "Change 1 is left out" in err
    assert (router.journal / "000001" / "entry.json").exists()


@pytest.fixture
def waiting(router: Router, monkeypatch: pytest.MonkeyPatch) -> Router:
    """Return a router that was at l2xc.yaml and is at l3.yaml (change 4), waiting to be confirmed, its timer gone.

    A timer that is run by hand does not wait for the deadline.
    """
    monkeypatch.setattr("vppcfg.transaction.watchdog.uses_systemd", lambda: False)
    monkeypatch.setattr("vppcfg.transaction.watchdog._await_ready", die)
    monkeypatch.setattr("vppcfg.app.deadline.await_deadline", lambda moment, is_over: None)
    assert router.run("apply", "-c", "l2xc.yaml")[0] == ExitCode.DONE
    assert router.run("apply", "-c", "l3.yaml", "--confirm=60")[0] == ExitCode.DONE
    return router


def die(ready: int, process: subprocess.Popen[bytes], log: Path) -> None:
    """In place of waiting for a timer: end it."""
    os.close(ready)
    process.kill()
    process.wait()


@pytest.mark.parametrize(
    ("damage", "name"),
    [
        pytest.param(damage, name, marks=() if (turn + number) % 2 else pytest.mark.long)
        for turn, damage in enumerate(DAMAGES)
        for number, name in enumerate(FILES)
    ],
)
def test_the_timer_brings_the_old_state_back_whatever_is_damaged(
    waiting: Router, damage: Callable[[Path], None], name: str
) -> None:
    damage(waiting.journal / "000004" / name)
    code, err = waiting.run("rollback", "--unless-confirmed", "4")
    assert code == ExitCode.DONE
    assert ("What was accepted before change 4 (change 3) is brought back" in err) is (name == "before.json")
    assert waiting.is_at("l2xc.yaml")


def test_the_timer_leaves_alone_what_came_after_a_change_that_cannot_be_read(waiting: Router) -> None:
    flip(waiting.journal / "000004" / "entry.json")
    assert waiting.run("apply", "-c", "l3.yaml", "--again")[0] == ExitCode.DONE
    code, err = waiting.run("rollback", "--unless-confirmed", "4")
    assert code == ExitCode.DONE
    assert "Change 4 cannot be read, and a later one was made: nothing is rolled back" in err
    assert waiting.is_at("l3.yaml")


@pytest.mark.parametrize("name", ["entry.json", "outcome.json"])
def test_a_change_after_a_boot_goes_back_though_its_entry_cannot_be_read(
    router: Router, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """What was accepted last is a boot then, which stands for the state that it brought back."""
    router.vpp.restart()
    assert router.run("apply", "--boot", "-c", "l3.yaml")[0] == ExitCode.DONE
    monkeypatch.setattr("vppcfg.transaction.watchdog.uses_systemd", lambda: False)
    monkeypatch.setattr("vppcfg.transaction.watchdog._await_ready", die)
    monkeypatch.setattr("vppcfg.app.deadline.await_deadline", lambda moment, is_over: None)
    assert router.run("apply", "-c", "l2xc.yaml", "--confirm=60")[0] == ExitCode.DONE
    number = len(router.statuses())
    empty(router.journal / f"{number:06}" / name)
    assert router.run("rollback", "--unless-confirmed", str(number))[0] == ExitCode.DONE
    assert router.is_at("l3.yaml")


def test_a_timer_whose_change_cannot_be_read_tries_again(waiting: Router, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[str] = []

    def fail_once(*arguments: Any, **named: Any) -> ChangeResult:
        result = go_back(*arguments, **named)
        tries.append("tried")
        if len(tries) == 1:
            raise PlanProofError("it cannot be noted")
        return result

    monkeypatch.setattr("vppcfg.app.deadline.go_back", fail_once)
    monkeypatch.setattr("vppcfg.app.deadline.time.sleep", lambda duration_s: None)
    flip(waiting.journal / "000004" / "entry.json")
    code, err = waiting.run("rollback", "--unless-confirmed", "4")
    assert (code, len(tries)) == (ExitCode.DONE, 2)
    assert "a later one was made" not in err


def test_a_timer_whose_change_is_gone_ends(waiting: Router) -> None:
    lose(waiting.journal / "000004")
    assert waiting.run("rollback", "--unless-confirmed", "4")[0] == ExitCode.REFUSED
    assert waiting.is_at("l3.yaml")


@pytest.mark.parametrize("number", ["000001", "000003"])
def test_a_change_is_confirmed_whatever_became_of_others(waiting: Router, number: str) -> None:
    empty(waiting.journal / number)
    assert waiting.run("confirm")[0] == ExitCode.DONE
    assert waiting.statuses()[-1] == "confirmed"


def test_a_timer_survives_an_error_in_vppcfg_itself(waiting: Router, monkeypatch: pytest.MonkeyPatch) -> None:
    errors = iter([KeyError("a damaged answer"), AssertionError("what cannot be"), RecursionError("too deep")])

    def stumble(*arguments: Any, **named: Any) -> ChangeResult:
        for error in errors:
            raise error
        return go_back(*arguments, **named)

    monkeypatch.setattr("vppcfg.app.deadline.go_back", stumble)
    monkeypatch.setattr("vppcfg.app.deadline.time.sleep", lambda seconds: None)
    code, err = waiting.run("rollback", "--unless-confirmed", "4")
    assert code == ExitCode.DONE
    assert "Change 4 is not rolled back yet: KeyError: 'a damaged answer'" in err
    assert waiting.is_at("l2xc.yaml")
