"""Contract: the stats segment says when VPP started and what its interfaces are called."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.contract.subject import PORTS, Subject
from vppcfg.vpp.stats import StatsSegment


@pytest.fixture
def path(vpp: Subject) -> Path:
    return Path(vpp.client.transport.server_address).with_name("stats.sock")


@pytest.fixture
def stats(path: Path) -> Iterator[Any]:
    from vpp_papi.vpp_stats import VPPStats

    segment = VPPStats(str(path))
    segment.connect()
    yield segment
    segment.disconnect()


def test_the_time_of_the_start_is_in_unix_seconds_and_stays(vpp: Subject, stats: Any, path: Path) -> None:
    started = stats["/sys/boottime"]
    assert isinstance(started, int)
    assert time.time() - 3600 < started <= time.time() + 1
    vpp.up(vpp.index(PORTS[0]))
    assert stats["/sys/boottime"] == started


def test_what_the_tuner_reads_is_there(path: Path) -> None:
    with StatsSegment(str(path)) as segment:
        interfaces = segment.read()["interfaces"]
    assert interfaces["local0"]["sw_if_index"] == 0
    assert {row["sw_if_index"] for row in interfaces.values()} >= {0, 1, 2, 3}
    assert all(row["rx_packets"] >= 0 for row in interfaces.values())


def test_an_interface_that_is_made_later_is_there_for_who_comes_later(vpp: Subject, path: Path) -> None:
    index = vpp.api.create_loopback().sw_if_index
    with StatsSegment(str(path)) as segment:
        assert segment.read()["interfaces"]["loop0"]["sw_if_index"] == index
