"""Fixtures of the chaos suite."""

import pytest

from tests.api_definitions import api_learned_once
from tests.chaos.router import with_linux
from tests.simulated_vpp import connected
from vppcfg.simulator.vpp import SimulatedVpp

__all__ = ["with_linux"]


@pytest.fixture(scope="session", autouse=True)
def learn_the_api() -> None:
    """Learn the API of simulated VPPs: the processes that tests fork, VPPs too, inherit what is known by then."""
    with api_learned_once(), connected(SimulatedVpp()) as vpp:
        vpp.observe()
