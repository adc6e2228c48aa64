"""Fixtures of the chaos suite."""

from collections.abc import Iterator

import pytest

from tests.api_definitions import api_learned_once
from tests.chaos.router import with_linux
from vppcfg.simulator.vpp import SimulatedVpp

__all__ = ["with_linux"]


@pytest.fixture(scope="module", autouse=True)
def keep_api_definitions() -> Iterator[None]:
    """Learn the API of simulated VPPs once; the processes that tests fork, VPPs too, inherit what is known by then."""
    SimulatedVpp()
    with api_learned_once():
        yield
