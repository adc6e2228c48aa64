"""A timer that cannot bring the old state back waits between its tries, and tells it; what is back is not undone."""

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.conftest import GI1, GI3, Run, Serve, errors_of, runner, two_ports
from vppcfg.app.intent import ChangeResult
from vppcfg.app.rollback import go_back
from vppcfg.errors import ExitCode, PlanProofError
from vppcfg.plan.plan import Plan
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.transaction.transact import Remainder, still_different

pytestmark = pytest.mark.usefixtures("files")

TIMER = ("rollback", "--unless-confirmed", "2")


class Clock:
    """A time that passes only by sleeping."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.tries_s: list[float] = []
        self.history: list[str] = []
        self.told: list[str] = []


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()

    def sleep(duration_s: float) -> None:
        clock.now_s += duration_s

    monkeypatch.setattr("vppcfg.app.deadline.time.sleep", sleep)
    monkeypatch.setattr("vppcfg.app.deadline.tell_terminals", clock.told.append)
    monkeypatch.setattr("vppcfg.app.deadline.await_deadline", lambda moment, is_over: None)
    return clock


def die(ready: int, process: subprocess.Popen[bytes], log: Path) -> None:
    """In place of waiting for a timer: end it."""
    os.close(ready)
    process.kill()
    process.wait()


@pytest.fixture
def waiting(run: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return what runs commands on a router that is at l3.yaml (change 2), unconfirmed, its timer gone."""
    monkeypatch.setattr("vppcfg.transaction.watchdog.uses_systemd", lambda: False)
    monkeypatch.setattr("vppcfg.transaction.watchdog._await_ready", die)
    assert run("apply", "-c", "l2xc.yaml")[0] == ExitCode.DONE
    assert run("apply", "-c", "l3.yaml", "--confirm=60")[0] == ExitCode.DONE
    return run


def is_at(run: Run, config: str) -> bool:
    return run("diff", "-c", config, "--detailed-exitcode")[0] == ExitCode.DONE


def change(run: Run, number: int) -> dict[str, Any]:
    changes = json.loads(run("history", "--format", "json")[1])["changes"]
    return next(each for each in changes if each["number"] == number)


def test_it_waits_longer_before_each_further_try_and_tells_it(
    waiting: Run, clock: Clock, monkeypatch: pytest.MonkeyPatch, journal: Path
) -> None:
    def fail(*arguments: Any, **named: Any) -> ChangeResult:
        outcome = json.loads((journal / "000002" / "outcome.json").read_text().splitlines()[1])
        clock.history.append(outcome["text"])
        clock.tries_s.append(clock.now_s)
        if len(clock.tries_s) < 5:
            raise PlanProofError("it cannot be proved")
        return go_back(*arguments, **named)

    monkeypatch.setattr("vppcfg.app.deadline.go_back", fail)
    err = errors_of(ExitCode.DONE, waiting, *TIMER)
    assert clock.tries_s == [0, 2, 62, 182, 422]
    assert err.count("Change 2 is not rolled back yet: it cannot be proved") == 4
    assert [text.partition(",")[0] for text in clock.history] == [
        *("", "", "its rollback failed 2 times", "its rollback failed 3 times", "its rollback failed 4 times")
    ]
    assert clock.history[-1].endswith(": it cannot be proved")
    assert ["rollback fails" in text for text in clock.told] == [True, True, True, False]
    assert clock.told[-1] == "vppcfg: the state before change 2 is back."
    assert change(waiting, 2)["status"] == "rolled back"
    assert is_at(waiting, "l2xc.yaml")


def test_it_ends_when_somebody_decides_meanwhile(waiting: Run, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: Any, **named: Any) -> ChangeResult:
        clock.tries_s.append(clock.now_s)
        raise PlanProofError("it cannot be proved")

    def sleep(duration_s: float) -> None:
        clock.now_s += duration_s
        if clock.now_s == 30:
            assert "its rollback failed 2 times" in waiting("history", "2")[1]
            assert "to bring the old state back: its rollback failed 2 times" in waiting("history")[2]
            assert waiting("confirm")[0] == ExitCode.DONE

    monkeypatch.setattr("vppcfg.app.deadline.go_back", fail)
    monkeypatch.setattr("vppcfg.app.deadline.time.sleep", sleep)
    monkeypatch.setattr("vppcfg.app.confirming.watchdog.is_alive", lambda timer: True)
    monkeypatch.setattr("vppcfg.app.confirming.watchdog.remaining_s", lambda timer, now: -1.0)
    assert waiting(*TIMER)[0] == ExitCode.DONE
    assert (clock.tries_s, clock.now_s) == ([0, 2], 30)
    assert is_at(waiting, "l3.yaml")


def test_more_time_holds_for_a_timer_that_has_begun(
    waiting: Run, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments: list[float] = []

    def fail(*arguments: Any, **named: Any) -> ChangeResult:
        clock.tries_s.append(clock.now_s)
        if len(clock.tries_s) == 1:
            raise PlanProofError("it cannot be proved")
        return go_back(*arguments, **named)

    def sleep(duration_s: float) -> None:
        clock.now_s += duration_s
        if len(moments) == 2:
            assert waiting("confirm", "--extend", "90")[0] == ExitCode.DONE

    monkeypatch.setattr("vppcfg.app.deadline.go_back", fail)
    monkeypatch.setattr("vppcfg.app.deadline.time.sleep", sleep)
    monkeypatch.setattr("vppcfg.app.deadline.await_deadline", lambda moment, is_over: moments.append(moment))
    assert waiting(*TIMER)[0] == ExitCode.DONE
    assert len(moments) == 3
    assert moments[2] > moments[1] + 1500, "it waits for the new deadline before it tries again"
    assert is_at(waiting, "l2xc.yaml")


@pytest.mark.parametrize("words", [TIMER, ("rollback",)])
def test_an_old_state_that_is_back_but_for_something_is_not_given_up_again(
    waiting: Run, clock: Clock, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    """To bring the unconfirmed state back, and try again, would interrupt traffic at each try."""

    changes: list[Any] = []

    def different(plan: Plan, *arguments: Any, **named: Any) -> Remainder:
        changes.extend(plan.changes)
        return replace(still_different(plan, *arguments, **named), changes=tuple(changes))

    monkeypatch.setattr("vppcfg.transaction.transact.still_different", different)
    err = errors_of(ExitCode.DIFFERENT, waiting, *words)
    assert "The state before change 2 is back, but for what differs" in err
    assert clock.now_s == 0
    assert "VPP shows something else than before it" in change(waiting, 2)["text"]
    assert change(waiting, 2)["status"] == "rolled back"
    assert is_at(waiting, "l2xc.yaml")


def test_a_port_that_is_gone_for_good_keeps_the_others_from_nothing(
    serve: Serve, capsys: pytest.CaptureFixture[str], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vppcfg.transaction.watchdog.uses_systemd", lambda: False)
    monkeypatch.setattr("vppcfg.transaction.watchdog._await_ready", die)
    vpp = SimulatedVpp(ports=two_ports())
    run = runner(serve(vpp), capsys)
    assert run("apply", "-c", "l3.yaml")[0] == ExitCode.DONE
    assert run("apply", "-c", "l2xc.yaml", "--confirm=60")[0] == ExitCode.DONE
    vpp._ports = two_ports()[:1]
    vpp.restart()
    assert "bring the port back" in errors_of(ExitCode.REFUSED, run, "rollback")
    err = errors_of(ExitCode.DONE, run, *TIMER)
    assert clock.now_s == 62
    assert f"VPP has lost {GI3}: the state before change 2 comes back without it" in err
    assert f"without {GI3}, which VPP has lost" in change(run, 2)["text"]
    assert "100.64.10.1/30" in run("dump")[1]


@pytest.mark.parametrize("is_waiting", [True, False])
def test_a_rollback_asks_nothing_of_its_operator_that_the_timer_would_not(
    serve: Serve, files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, is_waiting: bool
) -> None:
    """Of a change that waits; one that was accepted has guards and a question."""
    monkeypatch.setattr("vppcfg.transaction.watchdog.uses_systemd", lambda: False)
    monkeypatch.setattr("vppcfg.transaction.watchdog._await_ready", die)
    vpp = SimulatedVpp(ports=two_ports())
    run = runner(serve(vpp), capsys, consents=False)
    ports = f"interfaces:\n  {GI1}: {{ mtu: 1500 }}\n  {GI3}: {{ mtu: 1500 }}\n"
    loopbacks = "loopbacks:\n" + "".join(f"  loop{number}: {{ mtu: 1500 }}\n" for number in range(12))
    (files / "loopbacks.yaml").write_text(f"protected: [ loop3 ]\n{ports}{loopbacks}")
    options = ["--confirm=60"] if is_waiting else []
    assert run("apply", "-c", "loopbacks.yaml", "--yes", *options)[0] == ExitCode.DONE
    err = errors_of(ExitCode.DONE if is_waiting else ExitCode.REFUSED, run, "rollback")
    assert ("The plan deletes 12 of" in err) == is_waiting
