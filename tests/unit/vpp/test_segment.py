"""The memory of a stats segment: what VPP changes while it is read, a VPP that goes, and memory that lies."""

import os
import random
import re
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stats_segment import StatsServer, router
from vppcfg.errors import DataplaneError
from vppcfg.model.counters import VppCounters
from vppcfg.simulator.stats import Link, Value, Zeros, segment_of
from vppcfg.vpp.counters import open_segment, read_counters
from vppcfg.vpp.segment import Segment


@pytest.fixture
def server(tmp_path: Path) -> Iterator[StatsServer]:
    with StatsServer(tmp_path / "stats.sock", router()) as found:
        yield found


def counters_of(server: StatsServer) -> VppCounters:
    with open_segment(str(server.path)) as segment:
        return read_counters(segment)


def test_sessions_of_nat_are_there_by_thread(server: StatsServer) -> None:
    more: dict[str, Value] = {
        "/nat44-ed/total-sessions": [[0], [17]],
        "/nat44-ed/max-cfg-sessions": 64512,
        "/nat44-ed/in2out/fastpath/tcp": [[0, 0], [0, 5]],
        "/nat44-ed/hairpinning": [[3], [0]],
    }
    server.fill(router() | more)
    counters = counters_of(server)
    assert (counters.nat44_sessions, counters.nat44_limit) == ((0, 17), 64512)
    assert counters.nat44_packets == {("in2out", "fastpath", "tcp"): 5}


def test_gauges_are_up_to_date_though_the_directory_is_not_read_again(server: StatsServer) -> None:
    with open_segment(str(server.path)) as segment:
        assert read_counters(segment).heartbeat == 3
        server.write(0, segment_of(router(sys__heartbeat=9)))  # the epoch is that of the first one
        assert read_counters(segment).heartbeat == 9


def test_what_vpp_is_changing_is_not_read(server: StatsServer) -> None:
    with open_segment(str(server.path)) as segment:
        server.fill(router(), is_changing=True)
        with pytest.raises(DataplaneError, match="VPP has locked it for a second"):
            read_counters(segment)


def test_a_socket_that_another_vpp_has_put_there_is_noticed(server: StatsServer, tmp_path: Path) -> None:
    with open_segment(str(server.path)) as segment:
        assert segment.is_current()
        server.path.rename(tmp_path / "old.sock")
        assert not segment.is_current()
        (tmp_path / "old.sock").rename(server.path)


def test_a_process_that_has_ended_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "stats.sock"
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        StatsServer(path, router())
        os.write(writing, b"x")
        os.read(reading, 0)
        import signal

        signal.pause()
    os.read(reading, 1)
    try:
        with open_segment(str(path)) as segment:
            assert segment.is_current()
            os.kill(child, 9)
            os.waitpid(child, 0)
            assert not segment.is_current(), "the socket is there still, as of a VPP that crashed"
            assert read_counters(segment).heartbeat == 3, "its memory can be read still"
    finally:
        os.close(reading)
        os.close(writing)


@pytest.mark.parametrize(
    ("start", "content", "reason"),
    [
        (0, struct.pack("<Q", 1), "its layout has version 1, and 2 is known"),
        (8, struct.pack("<Q", 7), "an address in it leads outside"),
        (32, struct.pack("<Q", 0), "an address in it leads outside"),
        (32, struct.pack("<Q", (1 << 64) - 1), "an address in it leads outside"),
    ],
)
def test_a_header_that_lies_is_refused(server: StatsServer, start: int, content: bytes, reason: str) -> None:
    server.write(start, content)
    with pytest.raises(DataplaneError, match=reason):
        open_segment(str(server.path))


def test_memory_that_is_cut_off_ends_no_reader(server: StatsServer) -> None:
    with open_segment(str(server.path)) as segment:
        server.cut(100)
        with pytest.raises(DataplaneError, match="it is shorter than it was"):
            read_counters(segment)


def test_a_counter_that_leads_to_itself_or_nowhere_is_zero(server: StatsServer) -> None:
    more = {"/mem/odd/total": Link("/mem/odd/total", 0), "/mem/odd/used": Link("/if/names", 1 << 31)}
    server.fill(router() | more)
    assert counters_of(server).heaps["odd"] == {"total": 0, "used": 0}


@pytest.mark.slow
def test_whatever_stands_in_the_memory_is_read_or_refused(server: StatsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vppcfg.vpp.segment._PATIENCE_S", 0.0)
    monkeypatch.setattr("vppcfg.vpp.segment._TRIES", 1)
    whole = segment_of(router())
    seen = set()
    for seed in range(400):
        chance = random.Random(seed)
        damaged = bytearray(whole)
        for _ in range(chance.randint(1, 30)):
            place = chance.randrange(16, len(damaged) - 8)
            damaged[place : place + 8] = struct.pack("<Q", chance.choice((0, 1, chance.getrandbits(64), 1 << 44)))
        server.write(0, bytes(damaged))
        try:
            counters_of(server)
            seen.add("read")
        except DataplaneError:
            seen.add("refused")
    assert seen == {"read", "refused"}


def test_only_what_is_wanted_is_kept(server: StatsServer) -> None:
    server.fill(router() | {f"/interfaces/eth0/{number}": Link("/if/drops", 1) for number in range(1000)})
    with open_segment(str(server.path)) as segment:
        assert not any(name.startswith("/interfaces/") for name in segment.names)
    with Segment(str(server.path)) as segment:
        assert sum(name.startswith("/interfaces/") for name in segment.names) == 1000


def test_names_that_are_sought_are_found_in_front_of_all_others(server: StatsServer) -> None:
    behind = {f"/interfaces/eth0/if/names/{number}": Link("/if/drops", 1) for number in range(5000)}
    server.fill(router() | {"/net/route/to": Zeros(70_000, 2)} | behind | {"/interfaces/e1/if/names": 3, "/late": 1})
    with Segment(str(server.path), only=("/if/names", "/net/route/to", "/if/rx", "/late", "/nowhere")) as segment:
        assert sorted(segment.names) == ["/if/names", "/if/rx", "/late", "/net/route/to"]
        assert segment.read(lambda: [segment.length(name) for name in segment.names]) == [2, 2, 70_000, 0]
        assert segment.length("/nowhere") == 0


def forged(server: StatsServer, name: str, pointers: int, elements: int) -> None:
    """Let a counter have so many threads, which all lead to one vector of so many elements."""
    image, base = segment_of(router()), 0x1000_0000_0000
    (place,) = [match.start() for match in re.finditer(re.escape(name.encode()) + b"\0", image)]
    vector, rows = 1 << 16, 1 << 17
    server.write(0, image)
    server.write(place - 8, struct.pack("<Q", base + rows))
    server.write(vector - 8, struct.pack("<Q", elements))
    server.write(rows - 8, struct.pack("<Q", pointers) + struct.pack("<Q", base + vector) * pointers)


@pytest.mark.parametrize(
    ("name", "pointers", "elements"),
    [("/if/drops", 1, 1 << 28), ("/if/drops", 1 << 12, 1 << 20), ("/if/rx", 1 << 12, 1 << 20)],
)
def test_a_segment_that_has_no_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, pointers: int, elements: int
) -> None:
    monkeypatch.setattr("vppcfg.vpp.segment._LEAST_TRIES", 1)
    with StatsServer(tmp_path / "stats.sock", router(), size=1 << 33) as server:
        forged(server, name, pointers, elements)
        with pytest.raises(
            DataplaneError, match=r"its counters have more than 256 MB|a counter of one thread has \d+ MB"
        ):
            counters_of(server)


def test_memory_that_claims_too_much_is_refused_or_left_out_at_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    many: dict[str, Value] = {"/sys/node/names": ["n"] * 200_000, "/sys/num_worker_threads": 1022}
    with StatsServer(tmp_path / "nodes.sock", router() | many, size=1 << 25) as server:
        assert counters_of(server).nodes is None
        assert "What VPP counts of its nodes is left out" in caplog.text
    many = {"/if/names": ["n"] * 1_000_000}
    refused = pytest.raises(DataplaneError, match="/if/names has 1,000,000 names, and 60,000 are read")
    with StatsServer(tmp_path / "names.sock", router() | many, size=1 << 26) as server, refused:
        counters_of(server)
    few: dict[str, Value] = {"/if/names": ["n"] * 50_000, "/sys/num_worker_threads": 1022}
    refused = pytest.raises(DataplaneError, match="it has 50,000 interfaces on 1023 threads")
    with StatsServer(tmp_path / "threads.sock", router() | few, size=1 << 24) as server, refused:
        counters_of(server)


def test_a_directory_that_has_no_end_is_refused(server: StatsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vppcfg.vpp.segment.SEGMENT_COUNTERS", 10)
    with pytest.raises(DataplaneError, match="its directory has more than 10 counters"):
        counters_of(server)
