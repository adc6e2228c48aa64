"""Faults strike at the message that was asked for, and only there."""

from __future__ import annotations

import pytest

from tests.unit.simulator.wire import CONTEXT, Wire
from vppcfg.simulator.faults import Faults
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp

ALL = 0xFFFFFFFF


def with_faults(faults: Faults) -> SimulatedVpp:
    return SimulatedVpp(ports=[PhysicalPort(name="eth0")], faults=faults)


def is_up(vpp: SimulatedVpp) -> bool:
    return vpp.tables.sw[1].is_up


def test_the_nth_change_is_refused_and_does_nothing() -> None:
    vpp = with_faults(Faults(fail_at=2))
    with SimulatorServer(vpp) as server:
        wire = Wire.to(vpp, server)
        answers = [wire.call("sw_interface_set_mtu", 1, mtu, 0, 0, 0) for mtu in (1000, 2000, 3000)]
        wire.close()
    assert answers == [(0,), (-1,), (0,)]
    assert vpp.tables.sw[1].mtus[0] == 3000


def test_a_refusal_may_have_another_code() -> None:
    vpp = with_faults(Faults(fail_at=1, fail_retval=-11))
    with SimulatorServer(vpp) as server:
        wire = Wire.to(vpp, server)
        assert wire.call("sw_interface_set_flags", 1, 1) == (-11,)
        wire.close()
    assert not is_up(vpp)


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


def test_a_cli_line_that_changes_something_counts() -> None:
    vpp = with_faults(Faults(fail_at=1))
    with SimulatorServer(vpp) as server:
        wire = Wire.to(vpp, server)
        assert wire.call("cli_inband", b"set interface state eth0 up") == (-1, b"")
        wire.close()
    assert not is_up(vpp)


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


def test_each_answer_can_be_late() -> None:
    slept: list[float] = []
    vpp = with_faults(Faults(delay_s=0.5))
    with SimulatorServer(vpp, sleep=slept.append) as server:
        wire = Wire.to(vpp, server)
        wire.dump("sw_interface_dump", ALL, False, b"")
        wire.close()
    assert slept == [0.5, 0.5, 0.5]
