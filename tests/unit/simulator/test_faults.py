"""Faults strike at the message that was asked for, and only there."""

import itertools
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from vpp_papi.vpp_stats import VPPStats

from tests.clock import Clock
from tests.unit.simulator.wire import CONTEXT, Wire
from vppcfg.simulator.faults import Faults
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.simulator.wire import NONE

ALL = 0xFFFFFFFF


def with_faults(faults: Faults) -> SimulatedVpp:
    return SimulatedVpp(ports=[PhysicalPort(name="eth0")], faults=faults)


def is_up(vpp: SimulatedVpp) -> bool:
    return vpp.tables.sw[1].is_up


@pytest.mark.parametrize("line", [b"show version", b"comment { x }", b""])
def test_reading_does_not_count(line: bytes) -> None:
    vpp = with_faults(Faults(fail_at=1))
    with SimulatorServer(vpp) as server:
        wire = Wire.to(vpp, server)
        wire.dump("sw_interface_dump", ALL, False, b"")
        wire.call("show_version")
        wire.call("cli_inband", line)
        assert vpp.faults.count == 0
        assert wire.call("sw_interface_set_flags", 1, 1) == (-1,)
        wire.close()


def test_death_answers_nothing_and_closes_everything() -> None:
    vpp = with_faults(Faults(die_at=2))
    deaths: list[str] = []
    server = SimulatorServer(vpp, on_death=lambda: deaths.append("dead"))
    server.start()
    wire, other = Wire.to(vpp, server), Wire.to(vpp, server)
    assert wire.call("sw_interface_set_flags", 1, 1) == (0,)
    wire.send("sw_interface_set_flags", [wire.handle, CONTEXT, 1, 0])
    for one in (wire, other):
        with pytest.raises(EOFError):
            one.receive()
        one.close()
    server.stop()
    assert (deaths, is_up(vpp)) == (["dead"], True)


def test_from_the_nth_change_on_vpp_works_without_a_word() -> None:
    vpp = with_faults(Faults(mute_at=1))
    with SimulatorServer(vpp) as server:
        wire = Wire.to(vpp, server)
        assert wire.call("control_ping")[0] == 0
        wire.send("sw_interface_set_flags", [wire.handle, CONTEXT, 1, 1])
        wire.send("control_ping", [wire.handle, CONTEXT])
        wire.sock.settimeout(0.2)
        with pytest.raises(TimeoutError):
            wire.receive()
        wire.close()
    assert is_up(vpp)


def mtu_of(vpp: SimulatedVpp) -> int:
    return vpp.tables.sw[1].mtus[0]


def set_mtus(wire: Wire, *mtus: int) -> list[int]:
    """Set the MTU of the port to one after the other and return VPP's codes."""
    return [wire.call("sw_interface_set_mtu", 1, mtu, 0, 0, 0)[0] for mtu in mtus]


@pytest.mark.parametrize(
    ("name", "values", "answer"),
    [
        ("acl_add_replace", (NONE, b"acl", 0, ()), (NONE, -1)),
        ("create_loopback", (bytes(6),), (-1, NONE)),
        ("cli_inband", (b"set interface state eth0 up",), (-1, b"")),
    ],
)
def test_every_reply_has_a_place_for_the_refusal(name: str, values: tuple[Any, ...], answer: tuple[Any, ...]) -> None:
    vpp = with_faults(Faults(fail_at=1))
    with SimulatorServer(vpp) as server:
        wire = Wire.to(vpp, server)
        assert wire.call(name, *values) == answer
        wire.close()


def test_every_message_that_changes_something_can_be_refused() -> None:
    vpp = with_faults(Faults(fail_at=range(1, 1000)))
    with SimulatorServer(vpp) as server:
        wire = Wire.to(vpp, server)
        names = [name.decode().rpartition("_")[0] for _, name in vpp.message_table]
        without_reply = {"sockclnt_create", "sockclnt_delete", "gre_tunnel_dump_v2", "feature_is_enabled"}
        for name in names:
            if f"{name}_reply" in names and name not in without_reply:
                before = vpp.faults.count
                answer = wire.call(name, *list(wire.codec.zeros(name).values())[2:])
                assert vpp.faults.count == before or -1 in answer
        wire.close()
    assert vpp.faults.count > 40


def test_what_is_skipped_is_answered_as_if_it_were_done() -> None:
    vpp = with_faults(Faults(skip_at={1, 3}))
    with SimulatorServer(vpp) as server:
        wire = Wire.to(vpp, server)
        assert set_mtus(wire, 1000) == [0]
        assert mtu_of(vpp) == 9000
        assert set_mtus(wire, 2000) == [0]
        assert wire.call("create_loopback", bytes(6)) == (0, NONE)
        wire.close()
    assert (mtu_of(vpp), len(list(vpp.tables.sw))) == (2000, 2)


def test_a_late_answer_comes_after_what_was_asked_meanwhile() -> None:
    vpp = with_faults(Faults(late_at=1, late_s=0.05, lie_at=1))
    with SimulatorServer(vpp) as server:
        wire = Wire.to(vpp, server)
        wire.send("sw_interface_set_mtu", [wire.handle, 7, 1, 1000, 0, 0, 0])
        wire.send("sw_interface_set_mtu", [wire.handle, 8, 1, 2000, 0, 0, 0])
        answers = [wire.receive()[1] for _ in range(2)]
        wire.close()
    assert (answers, mtu_of(vpp)) == ([(8, 0), (7, -1)], 2000)


def test_each_answer_can_be_slow() -> None:
    clock = Clock(0)
    vpp = with_faults(Faults(delay_s=0.5))
    with SimulatorServer(vpp, sleep=clock.sleep, clock=clock.monotonic) as server:
        wire = Wire.to(vpp, server)
        wire.dump("sw_interface_dump", ALL, False, b"")
        wire.close()
    assert clock.now_s == pytest.approx(1.5)


@pytest.mark.timed
def test_a_slow_vpp_answers_each_change_before_it_turns_to_the_next() -> None:
    vpp = with_faults(Faults(pace_s=0.05))
    with SimulatorServer(vpp) as server:
        wire = Wire.to(vpp, server)
        for context in range(4):
            wire.send("sw_interface_set_mtu", [wire.handle, context, 1, 1000 + context, 0, 0, 0])
        times = []
        for _ in range(4):
            wire.receive()
            times.append(time.monotonic())
        wire.close()
    gaps = [later - earlier for earlier, later in itertools.pairwise(times)]
    assert min(gaps) > 0.02


def test_a_vpp_that_hangs_accepts_clients_and_carries_on_later() -> None:
    vpp = with_faults(Faults(hang_at=2, hang_s=0.3))
    with SimulatorServer(vpp) as server:
        wire = Wire.to(vpp, server)
        assert set_mtus(wire, 1000) == [0]
        wire.send("sw_interface_set_mtu", [wire.handle, CONTEXT, 1, 2000, 0, 0, 0])
        wire.sock.settimeout(0.1)
        with pytest.raises(TimeoutError):
            wire.receive()
        assert mtu_of(vpp) == 1000
        wire.sock.settimeout(5)
        assert wire.receive()[1] == (CONTEXT, 0)
        wire.close()
    assert mtu_of(vpp) == 2000


def test_a_vpp_that_hangs_forever_can_be_stopped() -> None:
    vpp = with_faults(Faults(hang_at=1))
    server = SimulatorServer(vpp)
    server.start()
    wire = Wire.to(vpp, server)
    wire.send("sw_interface_set_mtu", [wire.handle, CONTEXT, 1, 2000, 0, 0, 0])
    wire.sock.settimeout(0.1)
    with pytest.raises(TimeoutError):
        wire.receive()
    server.stop()
    wire.close()
    assert mtu_of(vpp) == 9000


def test_somebody_is_told_of_each_change_before_it_happens() -> None:
    seen: list[tuple[int, int]] = []
    vpp = SimulatedVpp(
        ports=[PhysicalPort(name="eth0")], on_change=lambda number: seen.append((number, vpp.tables.sw[1].mtus[0]))
    )
    with SimulatorServer(vpp) as server:
        wire = Wire.to(vpp, server)
        set_mtus(wire, 1000, 2000)
        wire.dump("sw_interface_dump", ALL, False, b"")
        wire.close()
    assert seen == [(1, 9000), (2, 1000)]


def connected(vpp: SimulatedVpp, path: Path) -> Wire:
    """Return a client of the VPP behind a socket, once there is one."""
    deadline = time.monotonic() + 5
    while True:
        sock = socket.socket(socket.AF_UNIX)
        try:
            sock.connect(str(path))
            return Wire(vpp, sock)
        except OSError:
            sock.close()
            assert time.monotonic() < deadline
            time.sleep(0.01)


def boot_time(path: Path) -> int:
    stats = VPPStats(str(path))
    stats.connect()
    try:
        return int(stats["/sys/boottime"])
    finally:
        stats.disconnect()


def test_a_vpp_that_restarts_is_another_one_without_configuration(tmp_path: Path) -> None:
    vpp = with_faults(Faults(die_at=3, restart_s=0.0))
    deaths: list[int] = []
    paths = tmp_path / "api.sock", tmp_path / "stats.sock"
    with SimulatorServer(vpp, paths[0], stats_path=paths[1], on_death=lambda: deaths.append(vpp.faults.count)):
        wire = connected(vpp, paths[0])
        before, process = boot_time(paths[1]), wire.call("control_ping")[2]
        assert set_mtus(wire, 1000) == [0]
        assert wire.call("create_loopback", bytes(6))[0] == 0
        wire.send("sw_interface_set_mtu", [wire.handle, CONTEXT, 1, 2000, 0, 0, 0])
        with pytest.raises(EOFError):
            wire.receive()
        wire.close()
        wire = connected(vpp, paths[0])
        assert len(wire.dump("sw_interface_dump", ALL, False, b"")) == 2
        assert (mtu_of(vpp), boot_time(paths[1]) > before) == (9000, True)
        assert wire.call("control_ping")[2] != process
        assert set_mtus(wire, 3000) == [0]
        wire.close()
    assert (deaths, vpp.faults.count) == ([3], 4)
    assert not any(path.exists() for path in paths)


def test_while_it_restarts_nobody_answers(tmp_path: Path) -> None:
    vpp = with_faults(Faults(die_at=1, restart_s=0.3))
    path = tmp_path / "api.sock"
    died = threading.Event()
    with SimulatorServer(vpp, path, on_death=died.set):
        wire = connected(vpp, path)
        wire.send("sw_interface_set_mtu", [wire.handle, CONTEXT, 1, 2000, 0, 0, 0])
        assert died.wait(5)
        wire.close()
        with socket.socket(socket.AF_UNIX) as sock, pytest.raises(FileNotFoundError):
            sock.connect(str(path))
        wire = connected(vpp, path)
        assert set_mtus(wire, 3000) == [0]
        wire.close()
