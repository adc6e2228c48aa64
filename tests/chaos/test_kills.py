"""A vppcfg that is killed at any moment, whatever it does, leaves a router that one command settles."""

import json
import os
import random
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Protocol

import pytest

from tests.chaos.kill_points import KillPoint, run_until
from tests.chaos.router import end_of, forked, is_listening, run, wait_until
from vppcfg.errors import ExitCode
from vppcfg.model.state import State
from vppcfg.plan.diff import diff
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.transaction.entry import Timer
from vppcfg.transaction.watchdog import TimerWatch
from vppcfg.vpp.live import connect

PORTS = ("gi0", "gi1")
HEAD = "interfaces:\n"
CONFIGURATIONS = {
    "a": HEAD + "  gi0: { mtu: 1500, addresses: [ 192.0.2.1/24 ] }\n  gi1: { mtu: 1500 }\n",
    "b": HEAD + "  gi0: { mtu: 9000, sub-interfaces: { 10: { mtu: 1500 } } }\n  gi1: { mtu: 1400 }\n",
    "c": HEAD + "  gi0: {}\n  gi1: { addresses: [ 198.51.100.1/24 ] }\nloopbacks:\n  loop0: { mtu: 1500 }\n",
    "d": HEAD + "  gi0: { mtu: 1500 }\n  gi1: { mtu: 1500 }\n  BondEthernet0: { mtu: 1500 }\n"
    "bondethernets:\n  BondEthernet0: { interfaces: [ gi0, gi1 ] }\n",
}
CALLS = 30_000
"""Of functions, about as many as a command makes at the journal and at VPP; at one of them it is killed."""
FEW_KILLS = 8
"""After which VPP is started anew. 26.10 may keep the socket of a client that is killed, and answers nobody once it has
16 such (epoll_events in vlib/file.c): where read returns 0, vl_socket_read_ready looks at errno, which may still be
EAGAIN. `vppctl exec /none`, which fails otherwise, has it close them all."""
REFUSALS = frozenset({ExitCode.REFUSED, ExitCode.NOT_NOW})


class Machine(Protocol):
    """A VPP that can be started again."""

    socket: str

    def restart(self) -> None:
        """Start it anew, without a configuration."""


class SimulatedMachine:
    """A simulated VPP in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.socket = str(folder / "vpp.sock")
        self._log = folder / "vpp.log"
        self._process = ExitStack()

    def restart(self) -> None:
        """Start it anew."""
        self.stop()
        self._process.enter_context(forked(self._serve, self._log))
        wait_until(lambda: is_listening(self.socket))

    def stop(self) -> None:
        """End it."""
        self._process.close()

    def _serve(self) -> int:
        SimulatorServer(SimulatedVpp(ports=[PhysicalPort(name=name) for name in PORTS]), self.socket).run()
        return 0


class Router:
    def __init__(self, folder: Path, seed: int, machine: Machine) -> None:
        self.folder = folder
        self.machine = machine
        self.socket = machine.socket
        self.randomness = random.Random(seed)
        self.killed = 0
        self._edits = 0

    def state(self) -> State:
        with connect(self.socket) as vpp:
            return vpp.observe()

    def file(self, name: str) -> str:
        """Return a file of a configuration that has not been there before, comments taken as they are."""
        self._edits += 1
        path = self.folder / f"{name}.yaml"
        path.write_text(f"# edit {self._edits}\n{CONFIGURATIONS[name]}")
        return str(path)

    def run(self, *words: str) -> int:
        """Run a command to its end."""
        return run([*words, "-a", self.socket])

    def apply(self, name: str, *options: str) -> int:
        return self.run("apply", "-c", self.file(name), "--yes", *options)

    def kill(self, *words: str) -> int:
        """Run a command and kill it at some call of a function, perhaps; return its exit code, below 0 when killed."""
        point = self.randomness.randrange(CALLS)
        with forked(lambda: _deleted([*words, "-a", self.socket], point), self.folder / "victim.log") as pid:
            code = end_of(pid)
        assert code in {*ExitCode, -signal.SIGKILL}, (self.folder / "victim.log").read_text()
        self.killed += code == -signal.SIGKILL
        return code

    def kill_at(self, point: KillPoint, words: list[str]) -> int:
        """Run a command and kill it at a point; return its exit code, below 0 when killed."""
        log, count = self.folder / "victim.log", self.folder / "count"
        with forked(lambda: run_until(point, lambda: run(words), count), log) as pid:
            return end_of(pid)

    def waiting(self) -> int | None:
        """Return the number of the change that waits to be confirmed."""
        sys.stdout.flush()
        journal = self.folder / "history.json"
        with forked(lambda: self.run("history", "--format", "json"), journal) as pid:
            assert end_of(pid) == ExitCode.DONE
        changes = json.loads(journal.read_text().partition("\n}")[0] + "\n}")["changes"]
        journal.unlink()
        return next((each["number"] for each in reversed(changes) if "waiting" in each["status"]), None)


def _deleted(words: list[str], point: int) -> int:
    """Run a command up to a call of a function."""
    left = point

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(count)
    try:
        return run(words)
    finally:
        sys.setprofile(None)


@pytest.fixture(autouse=True)
def timers_that_only_stand_in_the_journal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start no timers: tests run what a timer runs."""
    patch_timers(monkeypatch)


def patch_timers(patch: pytest.MonkeyPatch) -> None:
    """Let timers only be written down."""
    patch.setattr("vppcfg.transaction.watchdog.arm", _idle)
    patch.setattr("vppcfg.transaction.watchdog.disarm", lambda timer: None)
    patch.setattr("vppcfg.transaction.watchdog.is_alive", lambda timer: True)


def _idle(watch: TimerWatch) -> Timer:
    return Timer(deadline=watch.deadline, pid=1)


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[SimulatedMachine]:
    """Return a simulated VPP."""
    machine = SimulatedMachine(tmp_path)
    machine.restart()
    yield machine
    machine.stop()


def same(one: State, other: State) -> bool:
    return not any(diff(replace(one, facts=other.facts), other))


def be_killed(router: Router, start: str) -> None:
    """Kill one command of some kind, from the settled configuration `start`."""
    kind = router.randomness.choice(["apply", "apply --confirm", "rollback", "confirm", "timer", "boot"])
    name = router.randomness.choice([each for each in CONFIGURATIONS if each != start])
    match kind:
        case "apply":
            router.kill("apply", "-c", router.file(name), "--yes")
        case "apply --confirm":
            router.kill("apply", "-c", router.file(name), "--yes", "--confirm=60")
        case "rollback":
            assert router.apply(name) == ExitCode.DONE
            router.kill("rollback", "--yes")
        case "boot":
            router.machine.restart()
            router.kill("apply", "--boot", "-c", router.file("a"))
        case _:
            assert router.apply(name, "--confirm=60") == ExitCode.DONE
            number = router.waiting()
            assert number is not None
            command = ["confirm"] if kind == "confirm" else ["rollback", "--unless-confirmed", str(number)]
            router.kill(*command)


def settle(router: Router, settled: list[State]) -> None:
    """Check that an apply, or a rollback, ends in a settled state, once what waits is decided."""
    name = router.randomness.choice([*CONFIGURATIONS, "rollback"])
    words = ["rollback", "--yes"] if name == "rollback" else ["apply", "-c", router.file(name), "--yes"]
    code = router.run(*words)
    if code in REFUSALS and name != "rollback":  # something waits
        assert router.run("rollback", "--yes") == ExitCode.DONE
        assert any(same(router.state(), state) for state in settled)
        code = router.run(*words)
    assert code == ExitCode.DONE or (code in REFUSALS and name == "rollback")
    assert any(same(router.state(), state) for state in settled)


def kill_often(router: Router, times: int) -> None:
    settled = [router.state()]
    for name in reversed(CONFIGURATIONS):
        assert router.apply(name) == ExitCode.DONE
        settled.append(router.state())
    start = "a"
    for turn in range(1, times + 1):
        be_killed(router, start)
        settle(router, settled)
        if router.waiting() is not None:
            assert router.run("rollback", "--yes") == ExitCode.DONE
        if turn % FEW_KILLS == 0:
            router.machine.restart()
        start = router.randomness.choice(["a", "d"])
        assert router.apply(start) == ExitCode.DONE
    assert router.killed > times // 4


def test_a_command_that_is_killed_at_any_moment_can_be_settled(machine: SimulatedMachine, tmp_path: Path) -> None:
    kill_often(Router(tmp_path, 0, machine), 6)


_BEFORE = HEAD + "  gi0: {}\n  gi1: {}\nloopbacks:\n  loop0: { mtu: 1500 }\n"
_BORROWING = (
    HEAD + "  gi0: {}\n  gi1: {}\n  VirtualEthernet0/0/0: { addresses: [ 192.0.2.1/24 ] }\n"
    "vhost_users:\n  VirtualEthernet0/0/0: { socket: /run/vpp/a.sock, role: client }\n"
    "loopbacks:\n  loop0: { mtu: 1500, unnumbered: VirtualEthernet0/0/0 }\n"
)


def test_a_port_that_others_borrow_from_goes_again_from_every_message(
    machine: SimulatedMachine, tmp_path: Path
) -> None:
    """A port that is new has no mark for a moment, and no way leads back to that moment."""
    router = Router(tmp_path, 0, machine)
    file = tmp_path / "file.yaml"
    file.write_text(_BEFORE)
    assert router.run("apply", "-c", str(file), "--yes") == ExitCode.DONE
    before, number, code = router.state(), 0, -signal.SIGKILL
    words = ["apply", "-c", str(file), "--yes", "-a", router.socket]
    while code == -signal.SIGKILL:
        file.write_text(f"# edit {number}\n{_BORROWING}")
        code = router.kill_at(KillPoint("performed", number), words)
        router.kill_at(KillPoint("performed", 3), words)
        assert router.run("rollback", "--yes") == ExitCode.DONE, number
        assert same(router.state(), before), number
        number += 1
    assert number > 5


def test_what_a_later_change_has_made_goes_with_the_change_that_it_went_on_from(
    machine: SimulatedMachine, tmp_path: Path
) -> None:
    router, file, end = Router(tmp_path, 0, machine), tmp_path / "file.yaml", ["-a", machine.socket]
    for text in (_BEFORE, _BEFORE.replace("mtu: 1500", "mtu: 1400, addresses: [ 192.0.2.9/24 ]")):
        file.write_text(text)
        assert router.run("apply", "-c", str(file), "--yes") == ExitCode.DONE
    before = router.state()
    file.write_text(_BORROWING)
    for words in (["rollback", "--yes"], ["apply", "-c", str(file), "--yes"]):
        assert router.kill_at(KillPoint("performed", 0), [*words, *end]) == -signal.SIGKILL
    assert "VirtualEthernet0/0/0" in router.state().interfaces
    assert router.run("rollback", "--yes") == ExitCode.DONE
    assert same(router.state(), before)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 21))
def test_the_same_a_thousand_times(machine: SimulatedMachine, tmp_path: Path, seed: int) -> None:
    kill_often(Router(tmp_path, seed, machine), 80)
