"""`vppcfg apply --confirm`: the old state is back in time unless somebody confirms, whatever happens meanwhile."""

import json
import os
import pty
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.forked import Child, run
from tests.unit.cli.conftest import GI1, GI3, consenting
from vppcfg.api import Target, observe
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.transaction.folders import folder_name
from vppcfg.vpp.live import connect

pytestmark = pytest.mark.usefixtures("files")

PATIENCE_S = 150.0


def until(condition: Callable[[], bool], what: str) -> None:
    """Wait until something is so, and ask seldom what takes long to answer: a command is a process."""
    deadline = time.monotonic() + PATIENCE_S
    asked = time.monotonic()
    while not condition():
        assert time.monotonic() < deadline, f"never: {what}"
        time.sleep(max(0.05, min(0.5, 3 * (time.monotonic() - asked))))
        asked = time.monotonic()


class Router:
    """A simulated router in a process of its own, and vppcfg in others."""

    def __init__(self, folder: Path, state: Path) -> None:
        self.socket = str(folder / "vpp.sock")
        self.journal = state / folder_name(self.socket)
        self.seconds = 1.0
        """From the first change to the deadline, where it is to come: more on a machine with much other work."""
        self._simulator: Child | None = None

    def start(self, *options: str) -> None:
        """Start it, unconfigured."""
        self._simulator = Child(["sim", "--socket", self.socket, "--phy", GI1, "--phy", GI3, *options])
        until(self._answers, "the simulator answers")
        observe(Target(api_socket=self.socket))  # so that no command has to learn the API

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
            return sock.connect_ex(self.socket) == 0

    def stop(self) -> None:
        if self._simulator is not None:
            self._simulator.end(signal.SIGTERM, PATIENCE_S)

    def vppcfg(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return run([*consenting(words), "-a", self.socket], PATIENCE_S)

    def apply(self, config: str, minutes: float, *options: str) -> subprocess.CompletedProcess[str]:
        """Apply a file with a time to confirm."""
        return self.vppcfg("apply", "-c", config, "--yes", f"--confirm={minutes}", *options)

    def clock(self, *words: str) -> int:
        """Run a command, and leave the time until a deadline that this machine needs."""
        begin = time.monotonic()
        code = self.vppcfg(*words).returncode
        self.seconds = min(max(self.seconds, 3 * (time.monotonic() - begin)), 10)
        return code

    def is_at(self, config: str) -> bool:
        """Return whether the plan of a file is empty, whatever else stands in the way of applying it."""
        return "Nothing to do\n" in self.vppcfg("plan", "-c", config).stderr

    def statuses(self) -> list[str]:
        """Return how the changes stand."""
        return [change["status"] for change in json.loads(self.vppcfg("history", "--format", "json").stdout)["changes"]]

    def timers(self) -> list[int]:
        """Return the processes that wait to roll this router back."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().decode(errors="replace").split("\0")
            except OSError:
                continue
            if "--unless-confirmed" in words and self.socket in words:
                found.append(int(process.name))
        return found


@pytest.fixture
def router(tmp_path: Path, folders_of_this_test: Path) -> Iterator[Router]:
    router = Router(tmp_path, folders_of_this_test / "state")
    router.start()
    assert router.clock("apply", "-c", "l2xc.yaml") == ExitCode.DONE
    yield router
    for pid in router.timers():
        os.kill(pid, signal.SIGKILL)
    router.stop()


def test_without_a_confirmation_the_old_state_is_back_in_time(router: Router) -> None:
    applied = router.apply("l3.yaml", router.seconds / 60)
    assert applied.returncode == ExitCode.DONE
    assert "unless `vppcfg confirm` keeps it" in applied.stderr
    until(lambda: router.is_at("l2xc.yaml"), "rolled back")
    until(lambda: router.timers() == [], "the timer ends")
    assert router.statuses() == ["applied", "rolled back", "applied"]
    assert "apply it all the same with --again" in router.vppcfg("apply", "-c", "l3.yaml").stderr


def test_what_somebody_else_did_meanwhile_is_said_when_it_goes_back(router: Router) -> None:
    applied = router.apply("l3.yaml", 5)
    assert "The rollback also reverts what others change in VPP until then" in applied.stderr
    with connect(router.socket) as vpp:
        vpp.run_line("create loopback interface instance 7")
    answer = router.vppcfg("rollback", "--yes")
    assert answer.returncode == ExitCode.DONE
    assert "This undoes what else was changed in VPP since: interface loop7 (added)" in answer.stderr
    (_, change, _) = json.loads(router.vppcfg("history", "--format", "json").stdout)["changes"]
    assert change["text"] == "undone with it: interface loop7 (added)"


def test_what_the_changes_have_made_is_nobody_elses(router: Router) -> None:
    router.apply("l3.yaml", 5)
    assert "undoes what else" not in router.vppcfg("rollback", "--yes").stderr


def test_a_number_says_which_change_is_to_be_confirmed(router: Router) -> None:
    router.apply("l3.yaml", 5)
    for words in (("confirm", "1"), ("confirm", "1", "--extend", "9")):
        answer = router.vppcfg(*words)
        assert answer.returncode == ExitCode.REFUSED
        assert "change 2 waits to be confirmed, and not change 1" in answer.stderr
    assert router.vppcfg("confirm", "2").returncode == ExitCode.DONE
    assert router.vppcfg("confirm", "2").returncode == ExitCode.DONE, "it is confirmed already"
    assert router.vppcfg("confirm", "1").returncode == ExitCode.REFUSED, "nothing waits"
    assert router.vppcfg("confirm", "3").returncode == ExitCode.REFUSED
    assert router.statuses() == ["applied", "confirmed"]


def test_a_confirmation_keeps_the_new_state_and_ends_the_timer(router: Router) -> None:
    router.apply("l3.yaml", 5)
    assert router.vppcfg("confirm").returncode == ExitCode.DONE
    until(lambda: router.timers() == [], "the timer ends")
    assert router.is_at("l3.yaml")
    assert router.statuses() == ["applied", "confirmed"]


def test_a_rollback_ends_the_timer_too(router: Router) -> None:
    router.apply("l3.yaml", 5)
    assert len(router.timers()) == 1
    assert router.vppcfg("rollback", "--yes").returncode == ExitCode.DONE
    until(lambda: router.timers() == [], "the timer ends")
    assert router.is_at("l2xc.yaml")


def test_nothing_else_is_applied_while_a_change_waits(router: Router) -> None:
    router.apply("l3.yaml", 5)
    assert router.statuses() == ["applied", "waiting to be confirmed"]
    answer = router.vppcfg("apply", "-c", "l2xc.yaml")
    assert answer.returncode == ExitCode.REFUSED
    assert "change 2 waits to be confirmed until" in answer.stderr
    assert router.is_at("l3.yaml")


def test_waiting_ends_with_9_when_nobody_confirms(router: Router) -> None:
    answer = router.apply("l3.yaml", router.seconds / 60, "--wait")
    assert answer.returncode == ExitCode.NOT_CONFIRMED
    assert router.is_at("l2xc.yaml")


def test_the_terminal_and_everything_in_it_may_go(router: Router) -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        words = ["apply", "-c", "l3.yaml", "--yes", f"--confirm={4 * router.seconds / 60}", "--wait"]
        os.execv(sys.executable, [sys.executable, "-m", "vppcfg", *words, "-a", router.socket])
    until(lambda: "waiting to be confirmed" in router.statuses(), "applied")
    os.close(terminal)
    os.waitpid(pid, 0)
    until(lambda: router.is_at("l2xc.yaml"), "rolled back")


@pytest.mark.parametrize("steps", [0, 2, 4])
def test_vppcfg_may_be_killed_in_the_middle(tmp_path: Path, folders_of_this_test: Path, steps: int) -> None:
    router = Router(tmp_path, folders_of_this_test / "state")
    router.start("--pace", "0.2")
    try:
        assert router.vppcfg("apply", "-c", "l2xc.yaml").returncode == ExitCode.DONE
        words = [sys.executable, "-m", "vppcfg", "apply", "-c", "l3.yaml", "--yes", "--confirm=5", "-a", router.socket]
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(lambda: len(router.timers()) == 1, "the timer runs")
        time.sleep(0.2 * steps)
        process.kill()
        process.wait()
        until(lambda: router.timers() == [], "the timer has acted")
        assert router.is_at("l2xc.yaml"), (router.journal / "000002" / "timer.log").read_text()
        assert router.statuses()[1] == "rolled back"
    finally:
        router.stop()


def test_a_restart_of_vpp_does_not_bring_the_unconfirmed_change_back(router: Router) -> None:
    router.apply("l3.yaml", 5)
    router.stop()
    router.start()
    assert router.vppcfg("apply", "--boot", "-c", "l3.yaml").returncode == ExitCode.DONE
    assert router.is_at("l2xc.yaml")
    assert router.statuses()[:2] == ["applied", "rolled back"]
    until(lambda: router.timers() == [], "the timer ends")
    router.stop()
    router.start()
    assert router.vppcfg("apply", "--boot", "-c", "l3.yaml").returncode == ExitCode.DONE
    assert router.is_at("l2xc.yaml")


def test_without_a_boot_unit_the_timer_brings_the_old_state_back_after_a_restart(router: Router) -> None:
    router.apply("l3.yaml", 2 * router.seconds / 60)
    router.stop()
    router.start()
    until(lambda: router.is_at("l2xc.yaml"), "rolled back")


def test_a_boot_applies_the_file_when_it_is_what_was_confirmed(router: Router) -> None:
    router.apply("l3.yaml", 5)
    router.vppcfg("confirm")
    router.stop()
    router.start()
    assert router.vppcfg("apply", "--boot", "-c", "l3.yaml").returncode == ExitCode.DONE
    assert router.is_at("l3.yaml")


def test_a_boot_refuses_a_file_of_which_only_a_rollback_is_known(tmp_path: Path, folders_of_this_test: Path) -> None:
    router = Router(tmp_path, folders_of_this_test / "state")
    router.start()
    try:
        assert router.clock("plan", "-c", "l3.yaml") == ExitCode.DONE
        router.apply("l3.yaml", router.seconds / 60)
        until(lambda: router.statuses()[0] == "rolled back", "rolled back")
        answer = router.vppcfg("apply", "--boot", "-c", "l3.yaml")
        assert answer.returncode == ExitCode.REFUSED
        assert "was rolled back" in answer.stderr
    finally:
        router.stop()


def test_a_boot_waits_for_vpp(router: Router) -> None:
    router.stop()
    words = [sys.executable, "-m", "vppcfg", "apply", "--boot", "-c", "l2xc.yaml", "-a", router.socket]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    router.start()
    assert process.wait(PATIENCE_S) == ExitCode.DONE
    assert router.is_at("l2xc.yaml")


def test_a_change_cannot_be_confirmed_after_vpp_was_restarted(router: Router) -> None:
    router.apply("l3.yaml", 5)
    router.stop()
    answer = router.vppcfg("confirm")
    assert answer.returncode == ExitCode.DATAPLANE
    assert "change 2 is not confirmed, since it is unknown whether VPP survived it" in answer.stderr
    router.start()
    answer = router.vppcfg("confirm")
    assert answer.returncode == ExitCode.REFUSED
    assert "so change 2 counts as rolled back and cannot be confirmed" in answer.stderr
    assert "VPP was restarted before the change was confirmed" in router.vppcfg("history", "2").stdout
    assert router.vppcfg("apply", "--boot", "-c", "l3.yaml").returncode == ExitCode.DONE
    assert router.is_at("l2xc.yaml")
    assert router.statuses()[:2] == ["applied", "rolled back"]
    assert router.vppcfg("confirm").returncode == ExitCode.REFUSED


def test_a_rollback_may_have_to_be_confirmed_too(router: Router) -> None:
    assert router.vppcfg("apply", "-c", "l3.yaml", "--yes").returncode == ExitCode.DONE
    answer = router.vppcfg("rollback", "--yes", "--confirm=5")
    assert answer.returncode == ExitCode.DONE
    assert "Change 3 will be rolled back at" in answer.stderr
    assert router.statuses() == ["applied", "applied", "waiting to be confirmed"]
    assert router.vppcfg("rollback", "--yes", "--confirm=5").returncode == ExitCode.REFUSED
    assert router.vppcfg("confirm").returncode == ExitCode.DONE
    assert router.statuses() == ["applied", "rolled back", "confirmed"]
    assert router.is_at("l2xc.yaml")


def test_a_rollback_that_nobody_confirms_is_undone(router: Router) -> None:
    assert router.vppcfg("apply", "-c", "l3.yaml", "--yes").returncode == ExitCode.DONE
    answer = router.vppcfg("rollback", "--yes", f"--confirm={4 * router.seconds / 60}", "--wait")
    assert answer.returncode == ExitCode.NOT_CONFIRMED
    assert router.is_at("l3.yaml")
    assert router.statuses() == ["applied", "applied", "rolled back", "applied"]
    assert router.vppcfg("rollback", "--yes").returncode == ExitCode.DONE
    assert router.is_at("l2xc.yaml")


def test_a_rollback_that_waits_can_be_taken_back(router: Router) -> None:
    assert router.vppcfg("apply", "-c", "l3.yaml", "--yes").returncode == ExitCode.DONE
    assert router.vppcfg("rollback", "--yes", "--confirm=5").returncode == ExitCode.DONE
    assert router.vppcfg("rollback", "--yes").returncode == ExitCode.DONE
    assert router.is_at("l3.yaml")
    until(lambda: router.timers() == [], "the timer ends")


def test_a_change_can_be_given_more_time(router: Router) -> None:
    router.apply("l3.yaml", 4 * router.seconds / 60)
    (former,) = router.timers()
    answer = router.vppcfg("confirm", "--extend", "5")
    assert answer.returncode == ExitCode.DONE
    assert "Change 2 waits until" in answer.stderr
    until(lambda: former not in router.timers(), "the former timer ends")
    assert len(router.timers()) == 1
    time.sleep(4 * router.seconds)
    assert router.is_at("l3.yaml")
    assert router.statuses()[1] == "waiting to be confirmed"
    assert router.vppcfg("confirm", "--extend", str(router.seconds / 60)).returncode == ExitCode.DONE
    until(lambda: router.statuses()[1] == "rolled back", "rolled back")


def test_a_timer_that_is_left_over_knows_of_the_time_that_was_added(
    router: Router, folders_of_this_test: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    router.apply("l3.yaml", 4 * router.seconds / 60)
    monkeypatch.setattr("vppcfg.app.timers.stop_timer", lambda change: None)
    assert main(["confirm", "--extend", "5", "-a", router.socket]) == ExitCode.DONE
    former, _ = sorted(router.timers())
    time.sleep(4 * router.seconds)
    assert former in router.timers()
    assert router.statuses()[1] == "waiting to be confirmed"


def test_the_usual_time_is_configured(router: Router, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VPPCFG_CONFIRM_MINUTES", "x")
    answer = router.vppcfg("apply", "-c", "l3.yaml", "--yes", "--confirm")
    assert answer.returncode == ExitCode.INVALID
    assert "$VPPCFG_CONFIRM_MINUTES: 'x' is not a number of minutes" in answer.stderr
    monkeypatch.setenv("VPPCFG_CONFIRM_MINUTES", str(4 * router.seconds / 60))
    answer = router.vppcfg("apply", "-c", "l3.yaml", "--yes", "--confirm", "--wait")
    assert answer.returncode == ExitCode.NOT_CONFIRMED


def test_at_a_terminal_a_word_confirms_and_enter_alone_does_not(router: Router) -> None:
    words = ["vppcfg", "apply", "-c", "l3.yaml", "--yes", "--confirm=5", "--wait", "-a", router.socket]
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-m", *words])
    shown = b""
    while b"Type yes" not in shown:
        shown += os.read(terminal, 4096)
    for line in (b"\n", b"\n", b"no\n"):
        os.write(terminal, line)
        time.sleep(0.5)
    assert router.statuses()[1] == "waiting to be confirmed"
    os.write(terminal, b"yes\n")
    until(lambda: router.statuses()[1] == "confirmed", "confirmed")
    while chunk := readable(terminal):
        shown += chunk
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == ExitCode.DONE
    assert b"Change 2 is confirmed" in shown
    assert b" of 300 seconds" in shown


def readable(terminal: int) -> bytes:
    """Return what is shown on a terminal, b'' when nobody writes there any more."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""


def test_who_cannot_see_the_process_of_vpp_takes_it_for_the_same_one(
    router: Router, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a member of the group with hidepid=2, while root's change waits."""
    router.apply("l3.yaml", 5)
    monkeypatch.setattr("vppcfg.vpp.boot._began", lambda pid, proc: "")
    answer = router.vppcfg("apply", "-c", "l2xc.yaml", "--yes")
    assert answer.returncode == ExitCode.REFUSED
    assert "change 2 waits to be confirmed" in answer.stderr
    assert "waits to be confirmed" in router.vppcfg("plan", "-c", "l2xc.yaml").stderr
    assert router.vppcfg("confirm").returncode == ExitCode.DONE
    assert router.statuses() == ["applied", "confirmed"]
