"""trafgen's frames, and trafgen itself between the ends of a laboratory."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

import pytest

from tests.unit.loadtest.namespaces import skip_reason
from vppcfg.common.clock import SystemClock
from vppcfg.common.packets import checksum
from vppcfg.errors import EngineError
from vppcfg.linux.inside import command_inside, processes_inside
from vppcfg.loadtest.engine import Direction, Traffic
from vppcfg.loadtest.lab.build import build, remove
from vppcfg.loadtest.lab.layout import Dut, layout_of
from vppcfg.loadtest.linux_port import mac_of, port_named
from vppcfg.loadtest.profile import profile_of
from vppcfg.loadtest.trafgen.engine import TrafgenEngine, _lock, configuration, mean_bytes, sequence

NAME = f"vppcfgtg{os.getpid()}"
PORTS = (f"{NAME}-left/port0", f"{NAME}-right/port1")
THERE, BACK = Direction(source=PORTS[0], sink=PORTS[1]), Direction(source=PORTS[1], sink=PORTS[0], is_return=True)
SOURCE, SINK = bytes.fromhex("020000000010"), bytes.fromhex("020000000011")


REASON = skip_reason("trafgen")
needs_trafgen = pytest.mark.skipif(REASON is not None, reason=str(REASON))


def frames_of(name: str, variation: str = "none") -> tuple[bytes, ...]:
    return sequence(profile_of(name, variation=variation).there, SOURCE, SINK)


def test_frames_go_from_our_address_to_the_next_one() -> None:
    assert {frame[:12] for frame in frames_of("bench", "var2")} == {SINK + SOURCE}


def test_a_frame_has_sixty_bytes_at_least() -> None:
    assert {len(frame) for frame in frames_of("udp_1pkt")} == {60}


def test_every_pair_of_addresses_of_bench_has_its_turn() -> None:
    pairs = [frame[26:34] for frame in frames_of("bench", "var2")]
    assert len(pairs) == len(set(pairs)) == 251
    assert pairs[0] == bytes.fromhex("1000000430000004")
    assert pairs[-1] == bytes.fromhex("100000fe300000fe")


def test_every_header_has_its_checksum() -> None:
    assert {checksum(frame[14:34]) for frame in frames_of("imix")} == {0}


def test_imix_has_its_sizes_in_the_ratio_of_seven_to_four_to_one() -> None:
    sizes = Counter(len(frame) for frame in frames_of("imix"))
    assert sizes[60] / sizes[1514] == 7
    assert sizes[590] / sizes[1514] == 4


def test_imix_is_mixed_and_not_sent_size_by_size() -> None:
    first = [len(frame) for frame in frames_of("imix")[:12]]
    assert max(len(run) for run in "".join("x" if size == 60 else " " for size in first).split()) <= 2


def test_the_mean_length_leaves_the_check_sequence_out() -> None:
    assert mean_bytes(frames_of("imix")) == pytest.approx(361.833 - 4, abs=0.01)


def test_a_configuration_has_every_byte_and_long_runs_as_one_word() -> None:
    assert configuration([bytes(range(3)) + b"x" * 18]) == "{ 0x00, 0x01, 0x02, fill(0x78, 18) }\n"


@pytest.fixture
def engine() -> Iterator[TrafgenEngine]:
    build(layout_of(NAME, Dut.ROUTER))
    engine = TrafgenEngine(SystemClock(), PORTS, {})
    yield engine
    engine.stop()
    engine.release()
    remove(NAME)


def rates_in(netns: str) -> bytes:
    """Return the rates that devices of a namespace are held to."""
    shown = subprocess.run(command_inside(netns, ["tc", "qdisc", "show"]), capture_output=True, check=True).stdout
    return b"".join(line for line in shown.splitlines() if b"tbf" in line)


def await_nothing_left(netns: str, patience_s: float) -> None:
    """Check that no program and no rate is left in a namespace, now or within some seconds."""
    deadline = time.monotonic() + patience_s
    while list(processes_inside(netns)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert list(processes_inside(netns)) == []
    assert rates_in(netns) == b""


def send(engine: TrafgenEngine, *directions: Direction, load_pps: float = 2000.0, duration_s: float = 1.0) -> None:
    engine.acquire(PORTS)
    engine.prepare(Traffic(profile=profile_of("bench", "64", "var2"), directions=directions))
    engine.start(load_pps, 60.0)
    time.sleep(duration_s)
    engine.stop()
    time.sleep(0.2)


@pytest.mark.timed
@needs_trafgen
def test_what_is_sent_arrives_in_both_directions_at_the_rate_that_was_asked_for(engine: TrafgenEngine) -> None:
    send(engine, THERE, BACK, load_pps=2000.0, duration_s=1.0)
    for tally in engine.count().tallies:
        assert tally.received == tally.sent
        assert tally.sent == pytest.approx(2000, rel=0.3)


@pytest.mark.timed
@needs_trafgen
def test_the_rate_is_steady_and_changes_while_traffic_runs(engine: TrafgenEngine) -> None:
    engine.acquire(PORTS)
    engine.prepare(Traffic(profile=profile_of("bench"), directions=(THERE,)))
    engine.start(500.0, 60.0)
    engine.update(5000.0)
    looks = []
    for _ in range(11):
        time.sleep(0.1)
        looks.append(engine.count())
    steps = [later.tallies[0].sent - former.tallies[0].sent for former, later in pairwise(looks)]
    assert sum(steps) == pytest.approx(5000 * (looks[-1].at_s - looks[0].at_s), rel=0.3)
    assert sum(1 for step in steps if step > 100) >= 8, "it sends all the time and not a second's frames at once"


@needs_trafgen
def test_counting_begins_anew_with_each_preparation(engine: TrafgenEngine) -> None:
    send(engine, THERE, duration_s=0.2)
    engine.prepare(Traffic(profile=profile_of("bench"), directions=(THERE,)))
    assert engine.count().tallies[0].sent == 0


@needs_trafgen
def test_traffic_ends_by_itself_after_its_time(engine: TrafgenEngine) -> None:
    engine.acquire(PORTS)
    engine.prepare(Traffic(profile=profile_of("bench"), directions=(THERE,)))
    engine.start(500.0, 0.5)
    await_nothing_left(f"{NAME}-left", 10)


@needs_trafgen
def test_a_trafgen_that_ends_before_its_time_ends_the_test(engine: TrafgenEngine) -> None:
    engine.acquire(PORTS)
    engine.prepare(Traffic(profile=profile_of("bench"), directions=(THERE,)))
    engine.start(500.0, 60.0)
    for pid in processes_inside(f"{NAME}-left"):
        os.kill(pid, signal.SIGKILL)
    time.sleep(0.2)
    with pytest.raises(EngineError, match=r"trafgen on .* has ended"):
        engine.count()


@needs_trafgen
def test_a_search_that_prepares_many_trials_keeps_nothing_of_the_former_ones(engine: TrafgenEngine) -> None:
    engine.acquire(PORTS)
    folders = set(Path(tempfile.gettempdir()).glob("vppcfg-trafgen-*"))
    descriptors = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        engine.prepare(Traffic(profile=profile_of("bench"), directions=(THERE,)))
    assert len(set(Path(tempfile.gettempdir()).glob("vppcfg-trafgen-*")) - folders) == 1
    assert len(os.listdir("/proc/self/fd")) == descriptors + 2


@needs_trafgen
def test_nothing_is_left_of_a_test(engine: TrafgenEngine) -> None:
    send(engine, THERE, duration_s=0.2)
    engine.release()
    assert rates_in(f"{NAME}-left") == b""
    assert list(processes_inside(f"{NAME}-left")) == []


@needs_trafgen
def test_traffic_ends_with_the_process_that_offers_it(engine: TrafgenEngine) -> None:
    script = f"""
import os, signal
from vppcfg.common.clock import SystemClock
from vppcfg.loadtest.engine import Direction, Traffic
from vppcfg.loadtest.profile import profile_of
from vppcfg.loadtest.trafgen.engine import TrafgenEngine
engine = TrafgenEngine(SystemClock(), {PORTS!r}, {{}})
engine.acquire({PORTS!r})
engine.prepare(Traffic(profile=profile_of("bench"), directions=(Direction(source={PORTS[0]!r}, sink={PORTS[1]!r}),)))
engine.start(100.0, 60.0)
os.kill(os.getpid(), signal.SIGKILL)
"""
    finished = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, timeout=30)
    assert finished.returncode == -signal.SIGKILL, finished.stderr
    await_nothing_left(f"{NAME}-left", 5)


@needs_trafgen
@pytest.mark.parametrize(
    ("moment", "number"),
    [
        pytest.param(moment, number, marks=() if turn % 2 == (number is signal.SIGTERM) else pytest.mark.long)
        for turn, moment in enumerate(("Mapped ports", "Warming up", "Setting load", "Holding load"))
        for number in (signal.SIGINT, signal.SIGTERM)
    ],
)
def test_an_interruption_at_any_moment_leaves_no_traffic(
    engine: TrafgenEngine, moment: str, number: signal.Signals
) -> None:
    course = ["-wm", "1kpps", "-wd", "1", "-rt", "2kpps", "-rd", "2", "-hd", "60", "-p", "bench"]
    command = [sys.executable, "-m", "vppcfg", "loadtest", "ramp", "--ports", ",".join(PORTS), *course]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert any(line.startswith(moment) for line in process.stderr)
        process.send_signal(number)
        process.communicate(timeout=30)
    assert process.returncode == 128 + number
    for netns in (f"{NAME}-left", f"{NAME}-right"):
        assert list(processes_inside(netns)) == []
        assert rates_in(netns) == b""
    engine.acquire(PORTS)


@needs_trafgen
def test_a_port_of_another_test_is_refused(engine: TrafgenEngine) -> None:
    engine.acquire(PORTS)
    with pytest.raises(EngineError, match="is used by another load test"):
        TrafgenEngine(SystemClock(), PORTS, {}).acquire(PORTS)


@needs_trafgen
def test_a_port_that_is_not_there_or_down_is_refused(engine: TrafgenEngine) -> None:
    with pytest.raises(EngineError, match="there is no Linux device port9"):
        engine.acquire((f"{NAME}-left/port9",))
    subprocess.run(["ip", "-n", f"{NAME}-left", "link", "set", "port0", "down"], check=True)
    with pytest.raises(EngineError, match=r"port0 in namespace .* is down"):
        engine.acquire(PORTS)


@needs_trafgen
def test_the_loopback_device_is_no_port(engine: TrafgenEngine) -> None:
    with pytest.raises(EngineError, match=r"/lo has no MAC address"):
        mac_of(port_named(f"{NAME}-left/lo"))


@needs_trafgen
def test_the_port_of_a_default_route_is_refused(engine: TrafgenEngine) -> None:
    subprocess.run(["ip", "-n", f"{NAME}-left", "route", "add", "default", "via", "192.168.10.2"], check=True)
    with pytest.raises(EngineError, match="has a default route"):
        engine.acquire(PORTS)


@needs_trafgen
def test_a_port_without_a_neighbour_needs_to_be_told_where_frames_go(engine: TrafgenEngine) -> None:
    subprocess.run(["ip", "-n", f"{NAME}-left", "neigh", "flush", "dev", "port0", "nud", "permanent"], check=True)
    engine.acquire(PORTS)
    with pytest.raises(EngineError, match=r"where the frames of .* go is not clear"):
        engine.prepare(Traffic(profile=profile_of("bench"), directions=(THERE,)))


@needs_trafgen
def test_latency_is_not_measured_and_that_is_said(engine: TrafgenEngine) -> None:
    with pytest.raises(EngineError, match="measures no latency"):
        engine.prepare(Traffic(profile=profile_of("bench"), directions=(THERE,), latency_pps=1000))


def test_a_missing_trafgen_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineError, match="there is no program trafgen"):
        TrafgenEngine(SystemClock(), PORTS, {}).describe()


def test_a_port_that_cannot_be_locked_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vppcfg.loadtest.trafgen.engine.LOCKS", tmp_path / "missing")
    with ExitStack() as stack, pytest.raises(EngineError, match="e0 cannot be locked: No such file"):
        _lock("e0", stack)
