"""A timer that is gone is noticed by whoever looks: it is started again, and what is late is done at once."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.unit.cli.test_confirm import PATIENCE_S, Router, until
from vppcfg.errors import ExitCode
from vppcfg.transaction.entry import Timer
from vppcfg.transaction.process import machine_run
from vppcfg.transaction.watchdog import remaining_s, seconds_since_boot

pytestmark = pytest.mark.usefixtures("files")

LATE_S = 6.0
"""Longer than an apply takes on a busy machine, from when its timer runs to its end."""
NOW = datetime.fromisoformat("2026-01-02T03:04:05+00:00")


@pytest.fixture
def router(tmp_path: Path, folders_of_this_test: Path) -> Iterator[Router]:
    router = Router(tmp_path, folders_of_this_test / "state")
    router.start()
    assert router.vppcfg("apply", "-c", "l2xc.yaml").returncode == ExitCode.DONE
    yield router
    kill_timer(router)
    router.stop()


def kill_timer(router: Router) -> None:
    """End the timers of a router as nobody should."""
    for pid in router.timers():
        os.kill(pid, signal.SIGKILL)
    until(lambda: router.timers() == [], "the timer is gone")


def wait_without_timer(router: Router) -> None:
    """Bring the router to l3.yaml, unconfirmed, its timer gone, its time not over."""
    assert router.apply("l3.yaml", 5).returncode == ExitCode.DONE
    kill_timer(router)


def be_late(router: Router) -> None:
    """Bring the router to l3.yaml, unconfirmed, its timer gone, its time over."""
    assert router.apply("l3.yaml", LATE_S / 60).returncode == ExitCode.DONE
    kill_timer(router)
    change = json.loads(router.vppcfg("history", "--format", "json").stdout)["changes"][1]
    left = datetime.fromisoformat(change["timer"]["deadline"]) - datetime.now(UTC)
    time.sleep(max(left.total_seconds(), 0.0) + 1.0)  # the deadline is in whole seconds
    assert router.statuses()[1] == "waiting to be confirmed"


def assert_goes_back(router: Router) -> None:
    """Check that the old state comes back."""
    until(lambda: router.statuses()[1] == "rolled back", "rolled back")
    assert router.is_at("l2xc.yaml")


def test_who_only_looks_is_told_what_to_do(router: Router) -> None:
    wait_without_timer(router)
    for words, code in ((("history",), ExitCode.DONE), (("plan", "-c", "l3.yaml"), ExitCode.REFUSED)):
        answer = router.vppcfg(*words)
        assert answer.returncode == code
        assert "its timer is gone, so nothing happens by itself: `vppcfg confirm`" in answer.stderr
    changes = json.loads(router.vppcfg("history", "--format", "json").stdout)["changes"]
    assert changes[1]["timer"]["is_alive"] is False
    assert router.timers() == []
    assert router.vppcfg("confirm").returncode == ExitCode.DONE


def test_one_look_of_a_watch_starts_it_again(router: Router) -> None:
    wait_without_timer(router)
    answer = router.vppcfg("watch", "--once", "-c", "l3.yaml")
    assert answer.returncode == ExitCode.DONE
    assert "its timer was gone and was started again" in answer.stdout
    assert len(router.timers()) == 1
    assert "unconfirmed" not in router.vppcfg("watch", "--once", "-c", "l3.yaml", "--format", "json").stdout
    assert "will be rolled back at" in router.vppcfg("history").stderr


def test_one_look_of_a_watch_when_it_is_late_is_no_success(router: Router) -> None:
    be_late(router)
    answer = router.vppcfg("watch", "--once", "-c", "l3.yaml")
    assert answer.returncode == ExitCode.NOT_CONFIRMED
    assert "was not confirmed until" in answer.stdout
    assert_goes_back(router)


def test_a_watch_looks_after_it_all_the_time(router: Router) -> None:
    words = [sys.executable, "-m", "vppcfg", "watch", "-c", "l3.yaml", "--interval", "1", "-a", router.socket]
    assert router.apply("l3.yaml", 5).returncode == ExitCode.DONE
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as watch:
        try:
            for _ in range(2):
                (former,) = router.timers()
                os.kill(former, signal.SIGKILL)
                until(lambda former=former: router.timers() not in ([], [former]), "another timer runs")  # type: ignore[misc]
        finally:
            watch.terminate()
            watch.wait(PATIENCE_S)


def test_a_plan_when_it_is_late_ends_as_an_apply_and_starts_nothing(router: Router) -> None:
    be_late(router)
    answer = router.vppcfg("plan", "-c", "l2xc.yaml")
    assert answer.returncode == ExitCode.NOT_NOW
    assert "is to be rolled back; its timer is gone" in answer.stderr
    assert router.timers() == []
    assert router.vppcfg("apply", "--yes", "-c", "l2xc.yaml").returncode == ExitCode.NOT_NOW
    assert_goes_back(router)


def test_an_apply_starts_it_again_and_is_refused(router: Router) -> None:
    wait_without_timer(router)
    answer = router.vppcfg("apply", "-c", "l2xc.yaml")
    assert answer.returncode == ExitCode.REFUSED
    assert "its timer was gone and was started again" in answer.stderr
    assert len(router.timers()) == 1


@pytest.mark.parametrize("option", ["--again", "--boot"])
def test_an_apply_when_it_is_late_has_the_old_state_brought_back(router: Router, option: str) -> None:
    be_late(router)
    answer = router.vppcfg("apply", "-c", "l3.yaml", option)
    assert answer.returncode == ExitCode.NOT_NOW
    assert "is to be rolled back; its timer was gone and was started again" in answer.stderr
    assert_goes_back(router)


def test_setting_the_clock_moves_nothing() -> None:
    deadline = (NOW + timedelta(seconds=30)).isoformat()
    timer = Timer(deadline=deadline, pid=1, moment_s=seconds_since_boot() + 30, machine_run=machine_run())
    for jump in (timedelta(), timedelta(days=1), timedelta(days=-1)):
        assert 29 < remaining_s(timer, NOW + jump) <= 30


def test_a_timer_of_another_run_of_the_machine_goes_by_the_clock() -> None:
    deadline = (NOW + timedelta(seconds=30)).isoformat()
    assert remaining_s(Timer(deadline=deadline, moment_s=1e9, machine_run="another"), NOW) == 30
    assert remaining_s(Timer(deadline=deadline), NOW + timedelta(minutes=1)) == -30
    assert remaining_s(Timer(deadline="no time"), NOW) == 0
