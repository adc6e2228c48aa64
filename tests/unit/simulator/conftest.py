"""A simulated VPP with two ports, served on a socketpair."""

from collections.abc import Iterator

import pytest

from tests.unit.simulator.wire import Wire
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp


@pytest.fixture
def vpp() -> SimulatedVpp:
    return SimulatedVpp(ports=[PhysicalPort(name="eth0"), PhysicalPort(name="eth1")])


@pytest.fixture
def server(vpp: SimulatedVpp) -> Iterator[SimulatorServer]:
    with SimulatorServer(vpp) as running:
        yield running


@pytest.fixture
def wire(vpp: SimulatedVpp, server: SimulatorServer) -> Iterator[Wire]:
    connection = Wire.to(vpp, server)
    yield connection
    connection.close()
