"""Sizes of VPP's tables: read in little time however large they are, and unknown where there is nothing to be read."""

import random
import struct
import time
from pathlib import Path

import pytest

from tests.stats_segment import StatsServer, router
from vppcfg.model.table_sizes import TableSizes
from vppcfg.simulator.stats import Link, Value, Zeros, segment_of
from vppcfg.vpp.table_sizes import read_sizes

LARGE: dict[str, Value] = {
    "/net/route/to": Zeros(900_000, 1),
    "/net/adjacency": Zeros(12_000, 1),
    "/net/mroute": Zeros(9, 1),
    "/nat44-ed/total-sessions": [[0], [170_000], [130_000]],
}


def test_sizes_are_the_lengths_of_vectors(tmp_path: Path) -> None:
    with StatsServer(tmp_path / "stats.sock", router() | LARGE, 32 << 20) as server:
        found = read_sizes(str(server.path))
    assert found == TableSizes(
        routes=900_000, adjacencies=12_000, multicast_routes=9, interfaces=2, nat44_sessions=300_000
    )


def test_a_vpp_that_lacks_a_table_has_nothing_in_it(tmp_path: Path) -> None:
    with StatsServer(tmp_path / "stats.sock", router()) as server:
        assert read_sizes(str(server.path)) == TableSizes(interfaces=2)


def test_sizes_cost_little_though_there_are_many_names(tmp_path: Path) -> None:
    """It is CPU time, the best of some readings."""
    names = {f"/interfaces/e{number}/rx": Link("/if/drops", 1) for number in range(40_000)}
    with StatsServer(tmp_path / "stats.sock", router() | LARGE | names, 64 << 20) as server:
        took = []
        for _ in range(9):
            before = time.thread_time()
            read_sizes(str(server.path))
            took.append(time.thread_time() - before)
    assert min(took) < 0.002


def test_without_a_segment_nothing_is_known(tmp_path: Path) -> None:
    assert read_sizes("") is None
    assert read_sizes(str(tmp_path / "none.sock")) is None
    (tmp_path / "file").write_text("no socket")
    assert read_sizes(str(tmp_path / "file")) is None
    assert read_sizes("/" + "x" * 200) is None
    assert read_sizes("a\0b") is None


@pytest.mark.slow
def test_whatever_stands_in_the_memory_ends_no_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vppcfg.vpp.segment._PATIENCE_S", 0.0)
    monkeypatch.setattr("vppcfg.vpp.segment._TRIES", 1)
    whole = segment_of(router() | LARGE | {"/net/route/to": Zeros(3)})
    with StatsServer(tmp_path / "stats.sock", {}) as server:
        for seed in range(300):
            chance = random.Random(seed)
            damaged = bytearray(whole)
            for _ in range(chance.randint(1, 30)):
                place = chance.randrange(len(damaged) - 8)
                damaged[place : place + 8] = struct.pack("<Q", chance.choice((0, 1, chance.getrandbits(64), 1 << 44)))
            server.write(0, bytes(damaged))
            read_sizes(str(server.path))
