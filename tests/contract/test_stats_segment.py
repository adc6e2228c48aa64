"""Contract: the stats segment says when VPP started, what its interfaces are called and how large its tables are."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.contract.subject import PORTS, Subject
from vppcfg.vpp.stats import StatsSegment
from vppcfg.vpp.table_sizes import read_sizes


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


def test_the_sizes_of_the_tables_grow_with_what_is_in_them(vpp: Subject, path: Path) -> None:
    before = read_sizes(str(path))
    assert before is not None
    assert 7 <= before.routes < 1000
    assert before.interfaces >= len(PORTS) + 1
    assert before.nat44_sessions == 0
    first = vpp.index(PORTS[0])
    vpp.up(first)
    vpp.api.sw_interface_add_del_address(sw_if_index=first, prefix="10.0.0.1/24", is_add=True)
    for number in range(100):
        route = f"ip route add 20.0.{number}.0/24 via 10.0.0.{2 + number % 3} {PORTS[0]}"
        assert vpp.cli(route)[0] == 0
    for number in range(50):
        assert vpp.cli(f"set ip neighbor {PORTS[0]} 10.0.0.{10 + number} 02:00:00:00:00:{number:02x}")[0] == 0
    assert vpp.cli(f"ip mroute add 239.1.1.1 via {PORTS[0]} Accept")[0] == 0
    vpp.api.create_loopback()
    after = read_sizes(str(path))
    assert after is not None
    assert 153 <= after.routes <= before.routes + 200
    assert 50 <= after.adjacencies <= before.adjacencies + 60
    assert after.multicast_routes >= before.multicast_routes
    assert after.interfaces > before.interfaces - 1
