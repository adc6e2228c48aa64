"""The stats segment as plain data: what VPP keeps by thread, by place and by name, and what is no segment at all."""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stats_segment import StatsServer, router
from vppcfg.errors import DataplaneError
from vppcfg.tune.collected import parts_of_stats
from vppcfg.vpp.stats import StatsSegment


@pytest.fixture
def server(tmp_path: Path) -> Iterator[StatsServer]:
    with StatsServer(tmp_path / "stats.sock", router()) as found:
        yield found


def test_everything_is_read_by_name(server: StatsServer) -> None:
    with StatsSegment(str(server.path)) as stats:
        document = stats.read()
        assert stats.boot_time_s == 1_700_000_000
    assert document["nodes"] == {"dpdk-input": {kind: [0, 10] for kind in ("calls", "vectors", "clocks", "suspends")}}
    assert (document["time_s"], document["threads"]) == (20.0, ["vpp_main", "vpp_wk_0"])
    assert document["errors"] == {"eth0-tx/Tx packet drops (dpdk tx failure)": 12}
    assert document["interfaces"]["eth0"] == {
        "sw_if_index": 1, "rx_packets": 10, "rx_by_thread": [1, 9], "rx_bytes": 600, "tx_packets": 4, "tx_bytes": 240,
        "drops": 3, "punts": 1, "rx_miss": 3, "rx_no_buf": 0, "rx_error": 0, "tx_error": 0,
    }  # fmt: skip
    assert document["buffers"] == {"default-numa-0": {"available": 70, "cached": 10, "used": 20}}
    assert document["heaps"] == {"main heap": {"total": 1000, "used": 600}}


def test_an_interface_that_was_deleted_is_none(server: StatsServer) -> None:
    server.fill(router(if__names=["local0", "deleted"]))
    with StatsSegment(str(server.path)) as stats:
        assert list(stats.read()["interfaces"]) == ["local0"]


def test_the_tuner_reads_what_is_written(server: StatsServer) -> None:
    with StatsSegment(str(server.path)) as stats:
        parts = parts_of_stats(stats.read())
    assert sorted(parts) == ["buffers", "errors", "heaps", "interfaces", "threads"]
    assert parts["threads"][1].nodes[0].name == "dpdk-input"


def test_a_vpp_without_counters_of_nodes_gives_the_rest(server: StatsServer) -> None:
    server.fill({name: value for name, value in router().items() if not name.startswith("/sys/node/")})
    with StatsSegment(str(server.path)) as stats:
        assert not stats.has_nodes
        assert "nodes" not in stats.read()


def test_an_update_is_waited_for(server: StatsServer) -> None:
    with StatsSegment(str(server.path)) as stats:
        threading.Timer(0.1, lambda: server.fill(router(sys__heartbeat=4))).start()
        assert stats.wait_for_update(5.0)


def test_a_vpp_that_hangs_is_not_waited_for_for_ever(server: StatsServer) -> None:
    with StatsSegment(str(server.path)) as stats:
        assert not stats.wait_for_update(0.05)


def test_a_segment_that_lacks_what_every_vpp_has_is_an_error(server: StatsServer) -> None:
    server.fill({"/sys/heartbeat": 1})
    with StatsSegment(str(server.path)) as stats, pytest.raises(DataplaneError, match="is not VPP's stats segment"):
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
