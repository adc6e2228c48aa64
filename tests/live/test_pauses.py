"""For how long a real VPP with a worker stands still for a step, by its own event log, against what was foreseen."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.real_vpp import RealVpp, running
from vppcfg.kinds.interface import SetAdminState
from vppcfg.kinds.nat44.settings import DisableNat44, EnableNat44
from vppcfg.kinds.neighbor import RemoveNeighbor, SetNeighbor
from vppcfg.model.nat44 import Nat44
from vppcfg.operations.operation import Operation
from vppcfg.plan.pauses import pauses_of
from vppcfg.vpp.live import LiveDataplane, connect

ROUTES = 150_000
SUB_INTERFACES = 300
FACTOR = 4
"""By which an estimate may be off."""
NAT = Nat44(sessions=200_000)
GOING = RemoveNeighbor(interface="xe0", address="192.0.2.2", mac="02:00:00:00:00:02")


class Case(NamedTuple):
    """A step that takes long, and the way back from it."""

    forward: Operation
    back: Operation
    has_all_routes: bool
    """Whether all routes lead where the step takes place, and none otherwise."""
    tries: int
    """Of which the least time counts; one for what takes memory, which VPP keeps."""


CASES = {
    "a port goes down": Case(
        SetAdminState(interface="xe0", is_up=False), SetAdminState(interface="xe0", is_up=True), True, 3
    ),
    "a port with many sub-interfaces goes down": Case(
        SetAdminState(interface="xe1", is_up=False), SetAdminState(interface="xe1", is_up=True), False, 3
    ),
    "a neighbour goes": Case(GOING, SetNeighbor(interface="xe0", address=GOING.address, mac=GOING.mac), True, 3),
    "NAT44 is enabled": Case(EnableNat44(item=NAT), DisableNat44(item=NAT), False, 1),
}


def sub_interface(name: str, number: int) -> list[str]:
    """Return the commands that make a sub-interface with two addresses."""
    return [
        f"create sub-interfaces xe1 {number}",
        f"set interface state {name} up",
        f"set interface ip address {name} 10.{number >> 8}.{number & 255}.1/24",
        f"set interface ip address {name} 2001:db8:{number:x}::1/64",
    ]


@pytest.fixture(scope="module")
def vpp() -> Iterator[RealVpp]:
    """Start a VPP with a worker, a table of many routes through xe0, and many sub-interfaces of xe1."""
    with running(["xe0", "xe1"], extra="cpu { main-core 0 corelist-workers 1 }") as process:
        for line in (
            "set interface state xe0 up",
            "set interface ip address xe0 192.0.2.1/24",
            "set ip neighbor xe0 192.0.2.2 02:00:00:00:00:02 static",
            f"ip route add count {ROUTES} 20.0.0.0/24 via 192.0.2.2 xe0",
            "set interface state xe1 up",
            *(line for number in range(1, SUB_INTERFACES + 1) for line in sub_interface(f"xe1.{number}", number)),
        ):
            assert process.cli(line)[0] == 0
        yield process


@pytest.fixture
def plane(vpp: RealVpp) -> Iterator[LiveDataplane]:
    with connect(str(vpp.socket_path)) as found:
        yield found


def cpu_ms(vpp: RealVpp) -> float:
    """Return how long VPP's main thread has run; it does not stand in line for a CPU meanwhile (proc_pid_schedstat)."""
    return int(Path(f"/proc/{vpp.pid}/task/{vpp.pid}/schedstat").read_text().split()[0]) / 1e6


def held_ms(vpp: RealVpp, plane: LiveDataplane, operation: Operation) -> float:
    """Carry out an operation, and return for how long it stopped the worker, as if nothing else ran on the machine."""
    for words in ("resize 100000", "trace barrier api", "clear"):
        plane.run_line(f"event-logger {words}")
    before = cpu_ms(vpp)
    performed = plane.perform([operation])
    cpu = cpu_ms(vpp) - before
    assert performed.done == (0,)
    log = plane.run_line("show event-logger all 100000")
    _, _, after = log.partition("api-msg: " + MESSAGES[type(operation)])
    held = int(re.findall(r"bar-rel-#\d+-e\d+-u\d+-t(\d+)", after.partition("api-msg-done")[0])[0]) / 1000
    assert held <= 2 * 1000 * performed.longest_answer_s, "its answer came as the workers were let go, or later"
    return min(held, cpu)


MESSAGES = {
    SetAdminState: "sw_interface_set_flags",
    RemoveNeighbor: "ip_neighbor_add_del",
    EnableNat44: "nat44_ed_plugin_enable_disable",
}


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_an_estimate_is_of_the_right_order(vpp: RealVpp, plane: LiveDataplane, case: Case) -> None:
    state = plane.observe()
    assert state.facts.sizes is not None and state.facts.sizes.routes >= ROUTES
    (step,) = pauses_of([case.forward], state, state).steps
    expected = step.ms if case.has_all_routes else step.pause.ms
    assert expected is not None and expected > 50
    found = []
    for _ in range(case.tries):
        found.append(held_ms(vpp, plane, case.forward))
        plane.perform([case.back])
    assert expected / FACTOR <= min(found) <= FACTOR * expected
