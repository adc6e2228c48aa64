"""A router, its file and its journal, to which anything may happen in any order, and what must be true of it then.

What vppcfg does is vppcfg's own, in this process; VPP is one that obeys, or a simulated one behind its binary API. A
kill ends vppcfg at a step of VPP, at a look at it, or at a write to the disk: from then on it can do nothing any more.
"""

import random
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest

from tests.stub_dataplane import StubDataplane
from tests.wireguard_keys import KEYS
from vppcfg.app.applying import apply_configuration
from vppcfg.app.approval import Terms
from vppcfg.app.booting import apply_at_boot
from vppcfg.app.confirming import confirm
from vppcfg.app.console import Silent
from vppcfg.app.deadline import roll_back_unless_confirmed
from vppcfg.app.rollback import roll_back
from vppcfg.app.target import Target
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import Loaded, parse_text
from vppcfg.config.resolve import resolve
from vppcfg.dataplane import Dataplane, Performance, Refusal
from vppcfg.errors import ExitCode, VppcfgError
from vppcfg.kinds.interface import SetPacketMtu
from vppcfg.model.state import State
from vppcfg.operations.operation import Operation
from vppcfg.operations.working_state import WorkingState
from vppcfg.plan.diff import diff
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.transaction.entry import Record, Timer
from vppcfg.transaction.watchdog import TimerWatch
from vppcfg.vpp.live import LiveDataplane

PORTS = ("gi0", "gi1")
HEAD = "interfaces:\n"
CONFIGURATIONS = {
    "a": HEAD + "  gi0: { mtu: 1500, addresses: [ 192.0.2.1/24 ] }\n  gi1: { mtu: 1500 }\n",
    "b": HEAD + "  gi0: { mtu: 9000, sub-interfaces: { 10: { addresses: [ 192.0.2.1/24 ] } } }\n  gi1: {}\n",
    "c": HEAD + "  gi0: { l2xc: gi1 }\n  gi1: { l2xc: gi0 }\n",
    "d": HEAD + "  gi0: {}\n  gi1: { addresses: [ 198.51.100.1/24 ] }\nloopbacks:\n  loop0: { mtu: 1500 }\n",
    "e": HEAD
    + "  gi0: {}\n  gi1: {}\n  BondEthernet0: {}\nbondethernets:\n  BondEthernet0: { interfaces: [ gi0, gi1 ] }\n",
}
REFUSALS = frozenset({ExitCode.REFUSED, ExitCode.NOT_NOW})


class KilledError(BaseException):
    """This vppcfg is no more."""


class Obedient(StubDataplane):
    """A VPP that does what it is told, unless that cannot be."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.boot_id = ""

    def read_keys(self) -> Mapping[str, bytes]:
        return KEYS

    def carry_out(self, operations: Sequence[Operation]) -> Performance:
        working = WorkingState(self.state)
        for index, operation in enumerate(operations):
            if text := operation.precondition_error(working):
                refusal = Refusal(index=index, operation=operation, retval=-1, text=text)
                return Performance(done=tuple(range(index)), refusals=(refusal,))
            operation.apply_to(working)
            self.state = working.state()
        return Performance(done=tuple(range(len(operations))))


class Mortal(StubDataplane):
    """A dataplane at which vppcfg dies, or is refused, at a step that a test has chosen."""

    def __init__(self, inner: Dataplane, boot_id: str, world: "World") -> None:
        self._inner = inner
        self._world = world
        self.boot_id = boot_id

    def observe(self) -> State:
        self._world.live()
        return self._inner.observe()

    def read_keys(self) -> Mapping[str, bytes]:
        return KEYS

    def use_keys(self, keys: Mapping[str, bytes]) -> None:
        self._inner.use_keys(keys)

    def carry_out(self, operations: Sequence[Operation]) -> Performance:
        for index, operation in enumerate(operations):
            self._world.live()
            performance = self._inner.perform([operation])
            refusals = [replace(refusal, index=index) for refusal in performance.refusals]
            if self._world.is_refused():
                refusals = [Refusal(index=index, operation=operation, retval=-1, text="no")]
            if refusals:
                return Performance(done=tuple(range(index)), refusals=tuple(refusals))
        return Performance(done=tuple(range(len(operations))))

    def close(self) -> None:
        """Stay connected."""


@dataclass
class World:
    """One router, with vppcfg and the file that it is given."""

    target: Target
    file: Path
    is_simulated: bool
    randomness: random.Random

    def __post_init__(self) -> None:
        text = next(iter(CONFIGURATIONS.values()))
        self.file.write_text(text)
        configuration = self.loaded().configuration
        assert configuration is not None
        self.empty = replace(assumed_state(configuration), virtual={})
        self.run = 0
        self.kill_in: int | None = None
        self.refuse_in: int | None = None
        self.is_dead = False
        self.timer_lives: set[int] = set()
        self._server = ExitStack()
        self._records: list[Record] | None = None
        self._inner: Dataplane = Obedient(self.empty)
        self.restart()

    # What happens to VPP and to vppcfg

    def restart(self) -> None:
        """Let VPP be another process, without a configuration."""
        self.run += 1
        self._server.close()
        if not self.is_simulated:
            self._inner = Obedient(self.empty)
            return
        ours, theirs = socket.socketpair()
        vpp = SimulatedVpp(ports=[PhysicalPort(name=name) for name in PORTS])
        self._server.enter_context(SimulatorServer(vpp)).add_client(theirs)
        self._inner = self._server.enter_context(LiveDataplane.over(ours))

    def close(self) -> None:
        """End VPP."""
        self._server.close()

    def live(self) -> None:
        """Do one thing more, or be killed."""
        if self.kill_in is not None:
            self.kill_in -= 1
            self.is_dead = self.is_dead or self.kill_in < 0
        if self.is_dead:
            raise KilledError

    def is_refused(self) -> bool:
        """Return whether VPP refuses this step."""
        if self.refuse_in is None:
            return False
        self.refuse_in -= 1
        return self.refuse_in == -1

    def connect(self) -> Mortal:
        """Return a connection for a vppcfg."""
        self.live()
        return Mortal(self._inner, f"run {self.run}", self)

    def state(self) -> State:
        """Return what VPP has."""
        return self._inner.observe()

    def drift(self) -> None:
        """Let somebody change VPP by hand."""
        working, state = WorkingState(self.state()), self.state()
        wanted = 1400 if state.interfaces["gi1"].packet_mtu != 1400 else 1600
        operation = SetPacketMtu(interface="gi1", mtu=wanted)
        if operation.precondition_error(working) is None:
            self._inner.perform([operation])

    # What somebody does with vppcfg

    def loaded(self) -> Loaded:
        """Return the file as it is now."""
        return _loaded(str(self.file), self.file.read_text())

    def apply(self, confirm_s: float | None = None) -> ExitCode:
        loaded = self.loaded()
        assert loaded.configuration is not None
        terms = Terms(again=True, confirm_s=confirm_s)
        return apply_configuration(loaded.configuration, loaded, self.target, terms, Silent()).code

    def rollback(self, number: int | None = None, confirm_s: float | None = None) -> ExitCode:
        return roll_back(number, self.target, Terms(confirm_s=confirm_s), Silent())

    def boot(self) -> ExitCode:
        return apply_at_boot(str(self.file), self.target, Terms(), Silent())

    def confirm(self) -> ExitCode:
        confirm(self.target)
        return ExitCode.DONE

    def timer(self, number: int) -> ExitCode:
        return roll_back_unless_confirmed(number, self.target, Silent())

    def outcome(self, work: Callable[[], ExitCode]) -> ExitCode | None:
        """Return the exit code of a vppcfg, None when it was killed."""
        try:
            return work()
        except VppcfgError as error:
            return error.exit_code
        except KilledError:
            return None
        finally:
            self.kill_in = self.refuse_in = None
            self.is_dead = False
            self._records = None

    def records(self) -> list[Record]:
        """Return the journal, which changes only when vppcfg is run."""
        if self._records is None:
            self._records = self.target.journal().records()
        return self._records

    def wanted(self) -> State:
        """Return what the file asks of VPP as it is."""
        configuration = self.loaded().configuration
        assert configuration is not None
        return resolve(configuration, self.state()).desired


@cache
def _loaded(name: str, text: str) -> Loaded:
    return parse_text(text.encode(), name)


def same(one: State, other: State) -> bool:
    """Return whether two states are the same in effect."""
    return not any(diff(one, other))


@contextmanager
def world(folder: Path, patch: pytest.MonkeyPatch, seed: int, *, is_simulated: bool) -> Iterator[World]:
    """Yield a world with folders of its own."""
    folder.mkdir(parents=True)
    target = Target(api_socket=str(folder / "vpp.sock"), state_dir=str(folder / "state"), run_dir=str(folder / "run"))
    here = World(target, folder / "router.yaml", is_simulated, random.Random(seed))

    def arm(watch: TimerWatch) -> Timer:
        number = int(watch.command[watch.command.index("--unless-confirmed") + 1])
        here.timer_lives.add(number)
        return Timer(deadline=watch.deadline, pid=number)

    patch.setattr("vppcfg.app.target.Target.connect", lambda self: here.connect())
    patch.setattr("vppcfg.transaction.directory.os.fsync", lambda descriptor: here.live())
    patch.setattr("vppcfg.transaction.watchdog.arm", arm)
    patch.setattr("vppcfg.transaction.watchdog.disarm", lambda timer: here.timer_lives.discard(timer.pid))
    patch.setattr("vppcfg.transaction.watchdog.is_alive", lambda timer: timer.pid in here.timer_lives)
    patch.setattr("vppcfg.transaction.transact.SETTLE_S", -1.0)
    patch.setattr("vppcfg.app.deadline.time.sleep", lambda seconds: None)
    try:
        yield here
    finally:
        here.close()
