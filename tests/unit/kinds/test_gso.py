"""Which interfaces have GSO, of a VPP that says yes of all that it has never looked at."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from vppcfg.kinds.gso import GsoQuestions
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.vpp.live import LiveDataplane, connect
from vppcfg.wire.shell import show

PORTS = tuple(f"eth{number}" for number in range(9))


@contextmanager
def plane_of(folder: Path) -> Iterator[LiveDataplane]:
    vpp = SimulatedVpp(ports=[PhysicalPort(name=name) for name in PORTS])
    path = str(folder / "api.sock")
    with SimulatorServer(vpp, path), connect(path) as plane:
        yield plane


def with_gso(plane: LiveDataplane) -> set[str]:
    return {name for name, interface in plane.observe().interfaces.items() if interface.has_gso}


def turn_on(plane: LiveDataplane, name: str) -> None:
    assert show(plane._connection, f"set interface feature gso {name} enable") == (0, "")


@pytest.mark.parametrize("names", [(), *((name,) for name in PORTS), ("eth0", "eth3"), ("eth2", "eth8"), PORTS])
def test_just_those_have_it_on_which_it_was_turned_on(names: tuple[str, ...], tmp_path: Path) -> None:
    with plane_of(tmp_path) as plane:
        assert with_gso(plane) == set()
        for name in names:
            turn_on(plane, name)
        assert with_gso(plane) == set(names)


def test_answers_to_what_it_has_not_asked_are_passed_over(tmp_path: Path) -> None:
    with plane_of(tmp_path) as plane:
        turn_on(plane, "eth3")
        connection = plane._connection
        first, second = (GsoQuestions(connection, {}, [index]) for index in (4, 5))
        told = connection.ask([*first.requests, *second.requests])
        first_on, second_on = first.read(connection, told), second.read(connection, told)
        assert first_on | second_on == {4: True}
        assert not first_on.keys() & second_on.keys()
