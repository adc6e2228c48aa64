"""What VPP itself asks for a check: only what stops no worker meanwhile."""

import socket

import pytest

from vppcfg.model.question import AskOutcome, EchoQuestion
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.vpp.live import LiveDataplane


def outcome(version: str, workers: int) -> AskOutcome:
    vpp = SimulatedVpp(release=version[:5], version=version, ports=[PhysicalPort(name="eth0")], workers=workers)
    with SimulatorServer(vpp) as server:
        ours, theirs = socket.socketpair()
        server.add_client(theirs)
        with LiveDataplane.over(ours) as dataplane:
            return dataplane.ask(EchoQuestion(address="192.0.2.2"))


@pytest.mark.parametrize(("version", "workers"), [("26.06-release", 2), ("25.10-release", 0)])
def test_vpp_pings_where_no_worker_stops(version: str, workers: int) -> None:
    assert outcome(version, workers).cannot_ask == "VPP has no route to it, or no address to ask from"


def test_a_vpp_whose_workers_would_stop_does_not_ping() -> None:
    assert outcome("25.10-release", 2) == AskOutcome(
        cannot_ask="before 26.06, VPP forwards nothing while it pings", is_unable=True
    )
