"""Changes that fail at random steps on a real VPP: afterwards it is in the old state or in the new one."""

import os
import random
import signal
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.chaos.router import end_of, forked
from tests.live.second_opinion import differences, read_state
from tests.real_vpp import RealVpp, can_do, running, skip_reason
from vppcfg.cli.main import main
from vppcfg.dataplane import Performance, Refusal
from vppcfg.errors import DataplaneError, ExitCode
from vppcfg.kinds.gre import DeleteGre
from vppcfg.kinds.mpls import SetMpls
from vppcfg.plan.operations import Operation
from vppcfg.vpp.live import LiveDataplane
from vppcfg.vpp.perform import WINDOW

REASON = skip_reason()

PORTS = ("GigabitEthernet1/0/0", "GigabitEthernet3/0/0", "TenGigabitEthernet5/0/0")
CONFIGURATIONS = [
    file
    for file in sorted(Path(__file__).with_name("configurations").glob("*.yaml"))
    if REASON is not None or can_do(file)
]
POINTS = 120
RESTARTS = 6

Perform = Callable[..., Performance]
PERFORM: Perform = LiveDataplane.perform


class Accident:
    """In place of LiveDataplane.perform: so many operations are carried out for real, then something happens once."""

    def __init__(self, position: int, happen: Callable[[Operation], Performance]) -> None:
        self._left = position
        self._happen = happen
        self.has_happened = False

    @property
    def perform_on(self) -> Perform:
        """Return what stands in for the method."""

        def perform(
            dataplane: LiveDataplane,
            operations: Sequence[Operation],
            report: Any = None,
            should_stop: Any = None,
            waits: Collection[int] = (),
        ) -> Performance:
            return self._perform(dataplane, operations, report, should_stop, waits)

        return perform

    def _perform(
        self,
        dataplane: LiveDataplane,
        operations: Sequence[Operation],
        report: Any,
        should_stop: Any,
        waits: Collection[int],
    ) -> Performance:
        """Carry out what is left before the accident, and all of it afterwards; what is under way then, too."""
        if self.has_happened or len(operations) <= self._left:
            self._left -= 0 if self.has_happened else len(operations)
            return PERFORM(dataplane, operations, report, should_stop, waits)
        place = self._left
        done = PERFORM(dataplane, operations[:place], report, should_stop, waits)
        assert len(done.done) == place
        self.has_happened = True
        happened = self._happen(operations[place])
        refusals = tuple(replace(refusal, index=place) for refusal in happened.refusals)
        end = min((wait for wait in waits if wait > place), default=len(operations))
        if refusals:
            PERFORM(dataplane, operations[place + 1 : end][:WINDOW])
        return Performance(done=done.done, refusals=refusals)


def refuse(operation: Operation) -> Performance:
    """Answer as VPP does when it refuses; it does what was sent behind that."""
    return Performance(done=(), refusals=(Refusal(index=0, operation=operation, retval=-1, text="no"),))


def lose(operation: Operation) -> Performance:
    raise DataplaneError("the connection is lost")


def interrupt(operation: Operation) -> Performance:
    """Press Ctrl-C."""
    os.kill(os.getpid(), signal.SIGINT)
    return Performance(done=())


def kill(operation: Operation) -> Performance:
    """Kill this process."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


ACCIDENTS = {
    refuse: ExitCode.ROLLED_BACK,
    lose: ExitCode.ROLLED_BACK,
    interrupt: ExitCode.INTERRUPTED,
    kill: -signal.SIGKILL,
}


@pytest.fixture(scope="module")
def vpp() -> Iterator[RealVpp]:
    """Return a VPP that keeps what one change leaves for the next."""
    with running(PORTS, makes_vlan_devices=True) as process:
        process.add_netns("dataplane")
        yield process


def state(process: RealVpp) -> dict[str, Any]:
    return read_state(process.socket_path, process.api_dir)


def run(process: RealVpp, *words: str) -> int:
    return main([*words, "-q", "-a", str(process.socket_path)])


def apply(process: RealVpp, file: Path) -> int:
    return run(process, "apply", "-c", str(file), "--yes", "--allow-mass-deletion", "--again")


def steps_to(process: RealVpp, file: Path, folder: Path) -> int:
    """Return how many commands the plan has, about."""
    text = folder / "plan.txt"
    allowed = ("--allow-mass-deletion", "--again")
    assert run(process, "plan", "-c", str(file), "-o", str(text), *allowed) == ExitCode.DONE
    return sum(not line.startswith("comment") for line in text.read_text().splitlines())


def test_whatever_happens_at_a_random_step(vpp: RealVpp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dice = random.Random(20260202)
    happened = dict.fromkeys(ACCIDENTS, 0)
    while sum(happened.values()) < POINTS:
        start, end = dice.sample(CONFIGURATIONS, 2)
        assert apply(vpp, start) == ExitCode.DONE
        before, steps = state(vpp), steps_to(vpp, end, tmp_path)
        what = dice.choice(list(ACCIDENTS))
        accident = Accident(dice.randrange(max(steps, 1)), what)
        with monkeypatch.context() as patch:
            patch.setattr(LiveDataplane, "perform", accident.perform_on)
            code = _apply_in_a_copy(vpp, end, tmp_path) if what is kill else apply(vpp, end)
        if code == ExitCode.DONE:
            continue
        happened[what] += 1
        place = f"{what.__name__} from {start.stem} to {end.stem}"
        assert (place, code) == (place, ACCIDENTS[what])
        if what is kill:
            assert run(vpp, "rollback", "--yes", "--allow-mass-deletion") == ExitCode.DONE, place
        assert differences(state(vpp), before) == [], place
    assert min(happened.values()) > POINTS // 8


def _apply_in_a_copy(vpp: RealVpp, file: Path, folder: Path) -> int:
    with forked(lambda: apply(vpp, file), folder / "log") as pid:
        return end_of(pid)


def test_vpp_is_restarted_in_the_middle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dice = random.Random(20260203)
    with running(PORTS, makes_vlan_devices=True) as vpp:

        def restart(operation: Operation) -> Performance:
            vpp.restart(PORTS)
            vpp.add_netns("dataplane")
            raise DataplaneError("VPP went away")

        vpp.add_netns("dataplane")
        for _ in range(RESTARTS):
            start, end = dice.sample(CONFIGURATIONS[2:], 2)
            assert apply(vpp, start) == ExitCode.DONE
            accident = Accident(dice.randrange(max(steps_to(vpp, end, tmp_path) // 2, 1)), restart)
            with monkeypatch.context() as patch:
                patch.setattr(LiveDataplane, "perform", accident.perform_on)
                assert apply(vpp, end) == ExitCode.STRANDED
            assert apply(vpp, end) == ExitCode.DONE
            assert run(vpp, "plan", "-c", str(end), "--detailed-exitcode") == ExitCode.DONE


TUNNEL = """\
vrfs:
  transport: { id: 100 }
interfaces:
  GigabitEthernet1/0/0: { mtu: 1500, vrf: transport, addresses: [ 192.0.2.1/30, 2001:db8::1/64 ] }
  GigabitEthernet3/0/0: { mtu: 1500 }
  TenGigabitEthernet5/0/0: { mtu: 1500, mpls: true, lcp: e5 }
  gre0: { mtu: 1400, addresses: [ 10.0.0.1/30 ] }
gre_tunnels:
  gre0: { local: 192.0.2.1, remote: 192.0.2.2, encap-vrf: transport }
"""
BARE = """\
interfaces:
  GigabitEthernet1/0/0: { mtu: 1500 }
  GigabitEthernet3/0/0: { mtu: 1500 }
  TenGigabitEthernet5/0/0: { mtu: 1500 }
"""


@pytest.mark.parametrize("kind", [DeleteGre, SetMpls], ids=lambda kind: kind.__name__)
def test_what_hangs_on_a_refused_step_is_not_carried_out(
    kind: type[Operation], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """VPP 26.10 crashes on the way back when the table of a tunnel has gone before it."""
    (tmp_path / "tunnel.yaml").write_text(TUNNEL)
    (tmp_path / "bare.yaml").write_text(BARE)
    with running(PORTS, makes_vlan_devices=True) as vpp:
        assert apply(vpp, tmp_path / "tunnel.yaml") == ExitCode.DONE
        before = state(vpp)
        with monkeypatch.context() as patch:
            patch.setattr(LiveDataplane, "perform", refusing(kind))
            assert apply(vpp, tmp_path / "bare.yaml") == ExitCode.ROLLED_BACK
        assert differences(state(vpp), before) == []
        assert apply(vpp, tmp_path / "bare.yaml") == ExitCode.DONE
        assert apply(vpp, tmp_path / "tunnel.yaml") == ExitCode.DONE


def refusing(kind: type[Operation]) -> Perform:
    """Return what stands in for LiveDataplane.perform: the first operation of a kind is refused, once."""
    accidents: list[Accident] = []

    def perform(dataplane: LiveDataplane, operations: Sequence[Operation], *others: Any) -> Performance:
        place = next((place for place, each in enumerate(operations) if isinstance(each, kind)), None)
        if accidents or place is None:
            return PERFORM(dataplane, operations, *others)
        accidents.append(Accident(place, refuse))
        return accidents[0].perform_on(dataplane, operations, *others)

    return perform
