"""What VPP tells about its interfaces comes at any time, between replies too, and disturbs none of them."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.unit.vpp.stub_vpp import HANG_UP, Request, StubVpp, connected, frame
from vppcfg.errors import DataplaneError
from vppcfg.kinds.interface import SetAdminState
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.vpp.live import LiveDataplane

LONG_S, SHORT_S = 30.0, 0.05


@contextmanager
def following(server: SimulatorServer) -> Iterator[LiveDataplane]:
    ours, theirs = socket.socketpair()
    server.add_client(theirs)
    with LiveDataplane.over(ours) as plane:
        plane.follow()
        yield plane


@pytest.fixture
def server() -> Iterator[SimulatorServer]:
    with SimulatorServer(SimulatedVpp(ports=[PhysicalPort(name="eth0")])) as running:
        yield running


def test_silence_is_no_event(server: SimulatorServer) -> None:
    with following(server) as plane:
        start = time.monotonic()
        assert not plane.wait(SHORT_S)
        assert time.monotonic() - start >= SHORT_S


def test_what_another_client_does_ends_the_wait(server: SimulatorServer) -> None:
    with following(server) as plane, following(server) as other:
        timer = threading.Timer(SHORT_S, other.perform, [[SetAdminState(interface="eth0", is_up=True)]])
        timer.start()
        start = time.monotonic()
        assert plane.wait(LONG_S)
        assert time.monotonic() - start < LONG_S
        timer.join()
        assert plane.observe().interfaces["eth0"].is_up


def test_an_event_is_told_once(server: SimulatorServer) -> None:
    with following(server) as plane:
        plane.perform([SetAdminState(interface="eth0", is_up=True)])
        assert plane.wait(LONG_S)
        while plane.wait(SHORT_S):
            pass
        assert not plane.wait(SHORT_S)


def test_an_event_that_comes_while_something_is_asked_is_not_forgotten(server: SimulatorServer) -> None:
    with following(server) as plane:
        plane.perform([SetAdminState(interface="eth0", is_up=True)])
        assert plane.observe().interfaces["eth0"].is_up
        start = time.monotonic()
        assert plane.wait(LONG_S)
        assert time.monotonic() - start < LONG_S


def event(stub: StubVpp, index: int) -> bytes:
    return frame(stub.messages["sw_interface_event"].pack(0, 0, {"sw_if_index": index})[16:])


def test_events_in_the_midst_of_a_dump_are_no_rows_of_it() -> None:
    stub = StubVpp()
    stub.add_interface(1, "eth0")
    stub.add_interface(2, "eth1")
    rows = stub.answers["sw_interface_dump"]

    def interrupted(request: Request) -> list[bytes]:
        return [part for row in rows(request) for part in (event(stub, 2), row, event(stub, 1))]

    stub.answers["want_interface_events"] = lambda request: [stub.say("want_interface_events_reply", request)]
    with connected(stub) as plane:
        plane.follow()
        quiet = plane.observe()
        assert not plane.wait(SHORT_S)
        stub.answers["sw_interface_dump"] = interrupted
        assert plane.observe() == quiet
        assert plane.wait(SHORT_S)


def test_a_vpp_that_refuses_to_tell_is_an_error() -> None:
    stub = StubVpp()
    stub.answers["want_interface_events"] = lambda request: [
        stub.say("want_interface_events_reply", request, {"retval": -31})
    ]
    with connected(stub) as plane, pytest.raises(DataplaneError, match="does not report its interfaces"):
        plane.follow()


def test_a_vpp_that_goes_away_ends_the_wait_with_an_error() -> None:
    stub = StubVpp()
    stub.answers["want_interface_events"] = lambda request: [stub.say("want_interface_events_reply", request)]
    with connected(stub) as plane:
        plane.follow()
        stub.answers["sw_interface_dump"] = lambda request: [HANG_UP]
        with pytest.raises(DataplaneError, match="went away"):
            plane.observe()
        with pytest.raises(DataplaneError, match="went away"):
            plane.wait(LONG_S)


def test_who_did_not_ask_is_told_nothing(server: SimulatorServer) -> None:
    ours, theirs = socket.socketpair()
    server.add_client(theirs)
    with LiveDataplane.over(ours) as plane:
        plane.perform([SetAdminState(interface="eth0", is_up=True)])
        assert not plane.wait(SHORT_S)
