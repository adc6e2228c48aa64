"""A laboratory is made as planned, forwards, and leaves nothing behind, also when making it fails."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.loadtest.namespaces import skip_reason
from vppcfg.errors import DataplaneError, LinuxError, UsageError
from vppcfg.linux.inside import command_inside, processes_inside, run_inside
from vppcfg.linux.netns import Namespaces
from vppcfg.loadtest.lab import build as lab
from vppcfg.loadtest.lab.layout import Dut, Layout, layout_of, namespaces_of
from vppcfg.loadtest.lab.vpp import require_vpp, vpp_lines

NAME = f"vppcfgtest{os.getpid()}"


REASON = skip_reason()
needs_root = pytest.mark.skipif(REASON is not None, reason=str(REASON))


@pytest.fixture(params=[Dut.ROUTER, Dut.BRIDGE], ids=lambda dut: dut.value)
def laboratory(request: pytest.FixtureRequest) -> Iterator[Layout]:
    layout = layout_of(NAME, request.param)
    lab.build(layout)
    yield layout
    lab.remove(NAME)


def left_over() -> list[str]:
    """Return what there is of the laboratory of these tests."""
    names = [name for name in namespaces_of(NAME) if name in Namespaces(None).names()]
    return names + [
        str(path) for path in (lab.RUN / NAME, *Path("/dev/shm").glob(f"vppcfg-lab-{NAME}*")) if path.exists()
    ]


def received(netns: str, device: str) -> int:
    command = command_inside(netns, ["cat", f"/sys/class/net/{device}/statistics/rx_packets"])
    return int(subprocess.run(command, capture_output=True, check=True).stdout)


@needs_root
def test_a_laboratory_forwards_between_its_ends(laboratory: Layout) -> None:
    def send() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            for _ in range(5):
                sock.sendto(b"x", (laboratory.right.address, 9))

    before = received(laboratory.right.end.netns, laboratory.right.end.device)
    run_inside(laboratory.left.end.netns, send)
    deadline = time.monotonic() + 2
    while (
        received(laboratory.right.end.netns, laboratory.right.end.device) < before + 5 and time.monotonic() < deadline
    ):
        time.sleep(0.01)
    assert received(laboratory.right.end.netns, laboratory.right.end.device) == before + 5


@needs_root
def test_a_laboratory_is_found_by_its_name(laboratory: Layout) -> None:
    assert lab.find(NAME) == laboratory


@needs_root
def test_a_second_laboratory_of_one_name_is_refused_and_the_first_stays(laboratory: Layout) -> None:
    with pytest.raises(LinuxError, match=f"there is a laboratory {NAME}"):
        lab.build(laboratory)
    assert lab.find(NAME) == laboratory


@needs_root
def test_removing_a_laboratory_ends_the_programs_in_it(laboratory: Layout) -> None:
    program = subprocess.Popen(command_inside(laboratory.dut_netns, ["sleep", "600"]))
    deadline = time.monotonic() + 10
    while not any(processes_inside(laboratory.dut_netns)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert lab.remove(NAME)
    assert program.wait(5) < 0
    assert left_over() == []


@needs_root
def test_removing_what_is_not_there_does_nothing() -> None:
    assert not lab.remove(NAME)


@needs_root
def test_a_laboratory_that_is_not_there_is_named() -> None:
    with pytest.raises(LinuxError, match=f"there is no laboratory {NAME}"):
        lab.find(NAME)


@needs_root
def test_a_failure_while_making_a_laboratory_leaves_nothing() -> None:
    def fail(layout: Layout, folder: Path) -> None:
        (folder / "half").touch()
        subprocess.run(["setsid", "--fork", *command_inside(layout.dut_netns, ["sleep", "600"])], check=True)
        raise DataplaneError("VPP does not start")

    with pytest.raises(DataplaneError):
        lab.build(layout_of(NAME, Dut.VPP), fail)
    assert left_over() == []


@needs_root
def test_an_interruption_while_making_a_laboratory_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(lab, "add_route", interrupt)
    with pytest.raises(KeyboardInterrupt):
        lab.build(layout_of(NAME, Dut.ROUTER))
    assert left_over() == []


def test_a_router_has_a_network_on_each_side_and_a_bridge_one() -> None:
    router, bridge = layout_of("lab", Dut.ROUTER), layout_of("lab", Dut.BRIDGE)
    assert [side.network for side in router.sides] == ["192.168.10.0/24", "192.168.30.0/24"]
    assert [side.network for side in bridge.sides] == ["192.168.10.0/24"] * 2


def test_frames_go_to_the_router_or_past_the_bridge() -> None:
    router, bridge = layout_of("lab", Dut.ROUTER), layout_of("lab", Dut.BRIDGE)
    assert router.next_mac(router.left) == router.left.port.mac
    assert bridge.next_mac(bridge.left) == bridge.right.end.mac


@pytest.mark.parametrize("name", ["", "-x", "a/b", "a b", "x" * 41])
def test_a_name_that_no_namespace_can_have_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="cannot be the name of a laboratory"):
        layout_of(name, Dut.ROUTER)


def test_a_vpp_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no program"):
        require_vpp(tmp_path)


def test_vpp_takes_no_way_past_a_link_of_limited_speed() -> None:
    free, limited = (next(vpp_lines(layout_of("lab", Dut.VPP, speed))) for speed in (None, 10**8))
    assert "qdisc-bypass-disable" not in free
    assert "qdisc-bypass-disable" in limited
