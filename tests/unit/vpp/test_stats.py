"""The stats segment as plain data: what VPP keeps by thread, by place and by name, and what is no segment at all."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from vppcfg.errors import DataplaneError
from vppcfg.tune.collected import parts_of_stats
from vppcfg.vpp import stats as module
from vppcfg.vpp.stats import StatsSegment

_SYMLINK, _SIMPLE = 6, 2


@dataclass
class Entry:
    """What vpp_papi knows of a counter."""

    type: int
    value: int = 0


class Segment:
    """What vpp_papi gives of a VPP with one worker; its heartbeat goes on with every look."""

    def __init__(self, *, has_nodes: bool = True) -> None:
        self.beats = 0
        self.values: dict[str, Any] = {
            "/sys/num_worker_threads": 1,
            "/sys/last_update": 30,
            "/sys/last_stats_clear": 10,
            "/node/errors": [[0, 5], [0, 7]],
            "/if/names": ["local0", "eth0"],
            "/if/rx": [[(0, 0), (1, 60)], [(0, 0), (9, 540)]],
            "/if/tx": [[(0, 0)], [(0, 0), (4, 240)]],
            "/if/drops": [[0, 1], [0, 2]],
            "/if/rx-miss": [[0, 0], [0, 3]],
            "/buffer-pools/default-numa-0/available": 70,
            "/buffer-pools/default-numa-0/cached": 10,
            "/buffer-pools/default-numa-0/used": 20,
            "/mem/main heap/total": [1000],
            "/mem/main heap/used": [600],
        }
        if has_nodes:
            row = [[0, 0], [10, 0]]
            self.values |= {f"/sys/node/{kind}": row for kind in ("calls", "vectors", "clocks", "suspends")}
            self.values["/sys/node/names"] = ["dpdk-input", "never-called"]
        self.directory = {name: Entry(_SIMPLE) for name in self.values}
        self.directory["/err/eth0-tx/Tx packet drops (dpdk tx failure)"] = Entry(_SYMLINK, 1 << 32)
        self.directory["/err/eth1/0/0-tx/silent"] = Entry(_SYMLINK, 0)
        self.is_released = False

    def __getitem__(self, name: str) -> Any:
        if name == "/sys/heartbeat":
            self.beats += 1
            return self.beats // 3
        return self.values[name]

    def disconnect(self) -> None:
        self.is_released = True


@pytest.fixture
def segment(monkeypatch: pytest.MonkeyPatch) -> Segment:
    found = Segment()
    monkeypatch.setattr(module, "_connected", lambda path: found)
    return found


@pytest.mark.usefixtures("segment")
def test_everything_is_read_by_name() -> None:
    with StatsSegment("stats.sock") as stats:
        document = stats.read()
    assert document["nodes"] == {"dpdk-input": {kind: [0, 10] for kind in ("calls", "vectors", "clocks", "suspends")}}
    assert (document["time_s"], document["threads"]) == (20.0, ["vpp_main", "vpp_wk_0"])
    assert document["errors"] == {"eth0-tx/Tx packet drops (dpdk tx failure)": 12}
    assert document["interfaces"]["eth0"] == {
        "sw_if_index": 1, "rx_packets": 10, "rx_by_thread": [1, 9], "rx_bytes": 600, "tx_packets": 4, "tx_bytes": 240,
        "drops": 3, "rx_miss": 3,
    }  # fmt: skip
    assert document["buffers"] == {"default-numa-0": {"available": 70, "cached": 10, "used": 20}}
    assert document["heaps"] == {"main heap": {"total": 1000, "used": 600}}


def test_what_was_refreshed_while_it_was_read_is_read_again(monkeypatch: pytest.MonkeyPatch, segment: Segment) -> None:
    def look(segment: Segment, name: str) -> Any:
        if name == "/if/names" and not segment.beats:
            segment.beats += 1
            segment.values["/sys/node/calls"] = [[0, 0], [30, 0]]
        return segment.beats if name == "/sys/heartbeat" else segment.values[name]

    monkeypatch.setattr(Segment, "__getitem__", look)
    with StatsSegment("stats.sock") as stats:
        assert stats.read()["nodes"]["dpdk-input"]["calls"] == [0, 30]


@pytest.mark.usefixtures("segment")
def test_the_tuner_reads_what_is_written() -> None:
    with StatsSegment("stats.sock") as stats:
        parts = parts_of_stats(stats.read())
    assert sorted(parts) == ["buffers", "errors", "heaps", "interfaces", "threads"]
    assert parts["threads"][1].nodes[0].name == "dpdk-input"


def test_a_vpp_without_counters_of_nodes_gives_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_connected", lambda path: Segment(has_nodes=False))
    with StatsSegment("stats.sock") as stats:
        assert not stats.has_nodes
        assert "nodes" not in stats.read()


def test_an_update_is_waited_for_and_the_memory_let_go(segment: Segment) -> None:
    with StatsSegment("stats.sock") as stats:
        assert stats.wait_for_update(5.0)
    assert segment.is_released


def test_a_vpp_that_hangs_is_not_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch, segment: Segment) -> None:
    monkeypatch.setattr(Segment, "__getitem__", lambda self, name: 7)
    with StatsSegment("stats.sock") as stats:
        assert not stats.wait_for_update(0.05)


def test_a_segment_that_lacks_what_every_vpp_has_is_an_error(segment: Segment) -> None:
    del segment.values["/if/names"]
    with StatsSegment("stats.sock") as stats, pytest.raises(DataplaneError, match="is not VPP's stats segment"):
        stats.read()


def test_a_socket_that_is_not_there_is_an_error() -> None:
    with pytest.raises(DataplaneError, match="cannot read VPP's statistics at /nowhere"):
        StatsSegment("/nowhere/stats.sock")


def test_a_socket_that_nobody_listens_at_is_an_error(tmp_path: Path) -> None:
    path = str(tmp_path / "stats.sock")
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as left:
        left.bind(path)
    with pytest.raises(DataplaneError, match="Connection refused"):
        StatsSegment(path)


def test_another_kind_of_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "stats.sock"
    path.write_text("no socket")
    with pytest.raises(DataplaneError, match=r"stats\.sock"):
        StatsSegment(str(path))
