"""The timer as one of systemd, with a systemd that a test plays, and what happens without one."""

import os
import sys
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from vppcfg.errors import StorageError
from vppcfg.transaction import watchdog
from vppcfg.transaction.entry import Timer
from vppcfg.transaction.process import machine_run
from vppcfg.transaction.watchdog import TimerWatch, arm, is_alive, rearm, remaining_s, seconds_since_boot, uses_systemd

READY = "import os, sys, time; os.write(int(sys.argv[sys.argv.index('--ready-fd') + 1]), b'armed\\n'); time.sleep(60)"


@pytest.fixture
def systemd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let a systemd that does nothing but note the words be there; return the folder of its programs."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setattr("vppcfg.transaction.watchdog.uses_systemd", lambda: True)
    play(folder, "systemd-run", f'printf "%s\\n" "$@" > {tmp_path}/words')
    return folder


def play(folder: Path, name: str, what: str) -> None:
    """Put a program in the place of one of systemd's."""
    (folder / name).write_text(f"#!/bin/sh\n{what}\n")
    (folder / name).chmod(0o755)


def watch_of(folder: Path, after_s: float = 30.0) -> TimerWatch:
    """Return a watch whose command says that it is ready, and waits."""
    return TimerWatch(
        command=[sys.executable, "-c", READY, "--unless-confirmed", "7"],
        name="vppcfg-confirm-1234-7",
        after_s=after_s,
        deadline="2026-01-02T03:04:05+00:00",
        log=folder / "timer.log",
    )


def end(timer: Timer) -> None:
    watchdog.disarm(timer)
    for process in watchdog._started:
        process.wait(30)


def test_systemd_is_told_when_to_run_what(systemd: Path, tmp_path: Path) -> None:
    timer = arm(watch_of(tmp_path, 12.5))
    words = (tmp_path / "words").read_text().splitlines()
    assert {"--collect", "--unit=vppcfg-confirm-1234-7", "--on-active=12.500s"} <= set(words)
    assert words[words.index("--") + 1 :] == [sys.executable, "-c", READY, "--unless-confirmed", "7"]
    assert (timer.unit, timer.pid, timer.deadline) == ("vppcfg-confirm-1234-7", 0, "2026-01-02T03:04:05+00:00")
    assert 10 < timer.moment_s - seconds_since_boot() <= 12.5


def test_the_unit_that_goes_back_may_write_where_it_must(systemd: Path, tmp_path: Path) -> None:
    arm(replace(watch_of(tmp_path), folders=[Path("/var/lib/vppcfg"), Path("/run/vppcfg")]))
    words = (tmp_path / "words").read_text().splitlines()
    assert {"--property=ProtectSystem=strict", "--property=NoNewPrivileges=yes"} <= set(words)
    assert {"--property=ReadWritePaths=-/var/lib/vppcfg", "--property=ReadWritePaths=-/run/vppcfg"} <= set(words)


@pytest.mark.parametrize(
    "fails",
    [
        'case "$*" in *ProtectProc*) echo "Unknown assignment: ProtectProc=invisible" >&2; exit 1;; esac',
        'case "$*" in *--wait*) exit 226;; esac',
    ],
    ids=["an old systemd", "a container in which such a unit does not start"],
)
def test_where_the_unit_cannot_be_confined_it_runs_all_the_same(systemd: Path, tmp_path: Path, fails: str) -> None:
    play(systemd, "systemd-run", f'{fails}; printf "%s\\n" "$@" > {tmp_path}/words')
    assert arm(watch_of(tmp_path)).unit == "vppcfg-confirm-1234-7"
    words = (tmp_path / "words").read_text()
    assert "--unless-confirmed" in words
    assert "--property" not in words


def test_a_systemd_that_refuses_is_an_error_before_anything_is_changed(systemd: Path, tmp_path: Path) -> None:
    play(systemd, "systemd-run", "echo 'Failed to connect to bus' >&2; exit 1")
    with pytest.raises(StorageError, match="Failed to connect to bus"):
        arm(watch_of(tmp_path))


@pytest.mark.parametrize("what", ["exit 1", "rm -f $0; exit 1"])
def test_a_timer_that_is_started_again_does_without_systemd(systemd: Path, tmp_path: Path, what: str) -> None:
    play(systemd, "systemd-run", what)
    timer = rearm(watch_of(tmp_path))
    try:
        assert timer.unit == ""
        assert is_alive(timer)
    finally:
        end(timer)
    assert not is_alive(timer)


def test_a_timer_that_is_started_again_needs_no_place_for_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vppcfg.transaction.watchdog.uses_systemd", lambda: False)
    nowhere = tmp_path / "none"
    with pytest.raises(StorageError, match="cannot start the timer"):
        arm(watch_of(nowhere))
    timer = rearm(watch_of(nowhere))
    assert is_alive(timer)
    end(timer)


@pytest.mark.parametrize(
    ("said", "expected"),
    [("active\ninactive", True), ("inactive\nactivating", True), ("inactive\nfailed", False), ("", False)],
)
def test_a_unit_is_asked_after(systemd: Path, said: str, expected: bool) -> None:
    play(systemd, "systemctl", f"printf '{said}\\n'; exit 3")
    assert is_alive(Timer(deadline="", unit="vppcfg-confirm-1234-7")) is expected


def test_a_process_that_is_something_else_is_no_timer() -> None:
    assert not is_alive(Timer(deadline="", pid=os.getpid()))
    assert not is_alive(Timer(deadline="", pid=2**22))


def test_what_is_left_is_below_0_once_the_moment_is_past() -> None:
    now = datetime.fromisoformat("2026-01-02T03:04:05+00:00")
    timer = Timer(deadline="", moment_s=seconds_since_boot() - 5, machine_run=machine_run())
    assert -6 < remaining_s(timer, now) <= -5
    of_former_run = replace(timer, deadline="2026-01-02T03:05:05+00:00", machine_run="another run")
    assert remaining_s(of_former_run, now) == 60


def test_a_unit_that_is_gone_is_stopped_without_a_word(
    systemd: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    play(systemd, "systemctl", f'printf "%s\\n" "$@" > {tmp_path}/words; echo gone; echo gone >&2; exit 5')
    watchdog.disarm(Timer(deadline="", unit="vppcfg-confirm-1234-7"))
    assert (tmp_path / "words").read_text().splitlines() == ["stop", "vppcfg-confirm-1234-7.timer"]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("said", ["no", ""])
def test_a_timer_that_says_something_else_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    monkeypatch.setattr("vppcfg.transaction.watchdog.uses_systemd", lambda: False)
    speak = f"import os, sys; os.write(int(sys.argv[sys.argv.index('--ready-fd') + 1]), {said.encode()!r})"
    with pytest.raises(StorageError, match="the timer does not start"):
        arm(replace(watch_of(tmp_path), command=[sys.executable, "-c", speak]))


@pytest.mark.parametrize(
    ("is_booted", "user", "has_program", "expected"),
    [(True, 0, True, True), (False, 0, True, False), (True, 1000, True, False), (True, 0, False, False)],
)
def test_only_root_of_a_machine_with_systemd_uses_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_booted: bool, user: int, has_program: bool, expected: bool
) -> None:
    if has_program:
        play(tmp_path, "systemd-run", "exit 0")
    monkeypatch.setattr("vppcfg.transaction.watchdog._SYSTEMD", tmp_path if is_booted else tmp_path / "none")
    monkeypatch.setattr("os.geteuid", lambda: user)
    assert uses_systemd({"PATH": str(tmp_path)}) is expected


def test_a_systemd_run_that_is_not_there_is_an_error_before_anything_is_changed(
    systemd: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    with pytest.raises(StorageError, match=r"systemd does not start the timer: .*systemd-run"):
        arm(watch_of(tmp_path))
