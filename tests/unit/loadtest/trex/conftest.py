"""A stand-in for a T-Rex server, and an engine on it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.trex_server import StandInTrex
from vppcfg.common.clock import SystemClock
from vppcfg.loadtest.trex.engine import TrexEngine


@pytest.fixture
def server() -> Iterator[StandInTrex]:
    with StandInTrex() as server:
        yield server


@pytest.fixture
def engine(server: StandInTrex, tmp_path: Path) -> Iterator[TrexEngine]:
    engine = TrexEngine(server.address, SystemClock(), root=tmp_path)
    yield engine
    engine.release()
