"""A watch measures what a target does: round-trip times, loss, duplicates; and reports it over time."""

from __future__ import annotations

import itertools
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.loadtest.document import read_result
from vppcfg.loadtest.watch.outcome import Watched, jitter_us, percentile
from vppcfg.loadtest.watch.probe import UdpProbe
from vppcfg.loadtest.watch.run import LoadWatch, WatchPlan, WatchTarget

Behaviour = Callable[[int], tuple[float, int]]
"""Takes the number of a probe and returns seconds until the answer, and how many answers there are."""


@contextmanager
def reflector(behave: Behaviour) -> Iterator[int]:
    """Send back what comes, as told; yield the port."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(("127.0.0.1", 0))
        sock.settimeout(0.05)
        stop = threading.Event()

        def reflect() -> None:
            for number in itertools.count():
                while not stop.is_set():
                    try:
                        data, address = sock.recvfrom(2048)
                        break
                    except TimeoutError:
                        continue
                if stop.is_set():
                    return
                delay_s, answers = behave(number)
                time.sleep(delay_s)
                for _ in range(answers):
                    sock.sendto(data, address)

        thread = threading.Thread(target=reflect)
        thread.start()
        try:
            yield int(sock.getsockname()[1])
        finally:
            stop.set()
            thread.join()


def watched(behave: Behaviour, duration_s: float = 0.5, timeout_s: float = 0.25) -> Watched:
    """Return what a watch of 50 probes per second sees of a reflector."""
    with reflector(behave) as port:
        target = WatchTarget(name="t", address="127.0.0.1", kind="udp", probe=UdpProbe("127.0.0.1", port, 1))
        plan = WatchPlan(interval_s=0.02, duration_s=duration_s, timeout_s=timeout_s, moment_s=0.25)
        watch = LoadWatch([target], plan, lambda watch, elapsed_s: None)
        watch.run()
        target.probe.close()
    (outcome,) = watch.outcome()
    return outcome


@pytest.mark.timed
def test_probes_go_out_at_a_steady_pace_and_all_come_back() -> None:
    outcome = watched(lambda number: (0.0, 1), duration_s=1.0)
    assert (outcome.sent, outcome.received, outcome.duplicates) == (50, 50, 0)
    assert [moment.at_s for moment in outcome.moments] == [0.25, 0.5, 0.75, 1.0]
    assert sum(moment.sent for moment in outcome.moments) == 50


@pytest.mark.timed
def test_a_delay_shows_in_every_round_trip_time() -> None:
    outcome = watched(lambda number: (0.01, 1))
    assert outcome.least_us is not None
    assert outcome.median_us is not None
    assert outcome.least_us >= 10_000
    assert outcome.median_us == pytest.approx(10_000, rel=0.5)


@pytest.mark.timed
def test_probes_that_are_not_answered_are_lost() -> None:
    outcome = watched(lambda number: (0.0, 0 if number % 5 == 0 else 1))
    assert outcome.loss_ratio == pytest.approx(0.2)
    assert sum(moment.lost for moment in outcome.moments) == 5


@pytest.mark.timed
def test_an_answer_that_comes_too_late_is_lost() -> None:
    outcome = watched(lambda number: (0.2 if number == 3 else 0.0, 1), timeout_s=0.15)
    assert 1 <= outcome.sent - outcome.received <= 12
    assert outcome.most_us is not None
    assert outcome.most_us <= 150_000


@pytest.mark.timed
def test_an_answer_that_comes_twice_counts_once() -> None:
    outcome = watched(lambda number: (0.0, 2))
    assert outcome.received == outcome.sent == 25
    assert 23 <= outcome.duplicates <= 25


def test_a_refusal_on_the_way_counts_and_its_probe_is_lost() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(("127.0.0.1", 0))
        port = int(sock.getsockname()[1])
    target = WatchTarget(name="t", address="127.0.0.1", kind="udp", probe=UdpProbe("127.0.0.1", port, 1))
    plan = WatchPlan(interval_s=0.02, duration_s=0.2, timeout_s=0.1, moment_s=1.0)
    watch = LoadWatch([target], plan, lambda watch, elapsed_s: None)
    watch.run()
    target.probe.close()
    (outcome,) = watch.outcome()
    assert (outcome.received, outcome.loss_ratio) == (0, 1.0)
    assert outcome.refused > 0
    assert outcome.median_us is None


@given(st.lists(st.floats(0, 1e9), min_size=1), st.floats(0.01, 1.0))
def test_a_percentile_is_a_value_that_the_share_does_not_exceed(values: list[float], share: float) -> None:
    ascending = sorted(values)
    found = percentile(ascending, share)
    assert sum(1 for value in ascending if value <= found) >= share * len(ascending) - 1e-9
    assert sum(1 for value in ascending if value < found) <= share * len(ascending)


@pytest.mark.parametrize(
    ("rtts_us", "expected"),
    [([], None), ([5.0], None), ([5.0, None, 9.0], None), ([5.0, 9.0, 8.0], 2.5), ([5.0, 6.0, None, 1.0, 4.0], 2.0)],
)
def test_jitter_is_the_mean_step_between_answers_in_a_row(rtts_us: list[float | None], expected: float | None) -> None:
    assert jitter_us(rtts_us) == expected


def icmp_reason() -> str | None:
    """Return why ICMP cannot be tried here, None when it can."""
    if os.geteuid() == 0:
        return None
    first, last = map(int, Path("/proc/sys/net/ipv4/ping_group_range").read_text().split())
    return None if first <= os.getegid() <= last else "this user may not send ICMP"


needs_icmp = pytest.mark.skipif(icmp_reason() is not None, reason=str(icmp_reason()))


@pytest.mark.timed
@needs_icmp
def test_the_command_pings_and_writes_a_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "watch.json"
    command = ["loadtest", "watch", "127.0.0.1", "--duration", "1", "--interval", "0.05", "-o", str(file)]
    assert main(command) == ExitCode.DONE
    (seen,) = read_result(file).watched
    assert (seen.target, seen.probe, seen.sent, seen.received) == ("127.0.0.1", "icmp", 20, 20)
    table = capsys.readouterr().out.splitlines()
    assert table[1].split()[:4] == ["127.0.0.1", "20", "0", "%"]
    assert max(map(len, table)) <= 80


@needs_icmp
def test_ctrl_c_is_the_natural_end_of_a_watch_without_a_duration(tmp_path: Path) -> None:
    file = tmp_path / "watch.json"
    command = [sys.executable, "-m", "vppcfg", "loadtest", "watch", "127.0.0.1", "-o", str(file)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("watch 0:01: 127.0.0.1 ")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=10)
    assert process.returncode == ExitCode.DONE
    assert read_result(file).is_complete


@needs_icmp
def test_an_interrupted_watch_keeps_what_it_has_seen(tmp_path: Path) -> None:
    file = tmp_path / "watch.json"
    command = [sys.executable, "-m", "vppcfg", "loadtest", "watch", "127.0.0.1", "--duration", "60", "-o", str(file)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        process.stderr.readline()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=10)
    assert process.returncode == ExitCode.TERMINATED
    result = read_result(file)
    assert not result.is_complete
    assert result.watched[0].sent > 0


@needs_icmp
def test_a_watch_in_the_background_of_a_script_goes_on_at_ctrl_c_and_ends_at_sigterm(tmp_path: Path) -> None:
    file = tmp_path / "watch.json"
    command = ["env", "--ignore-signal=INT", sys.executable, "-m", "vppcfg", "loadtest", "watch", "127.0.0.1"]
    with subprocess.Popen([*command, "-o", str(file)], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        process.stderr.readline()
        process.send_signal(signal.SIGINT)
        assert process.stderr.readline().startswith("watch 0:02: 127.0.0.1 ")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=10)
    assert process.returncode == ExitCode.TERMINATED
    assert read_result(file).watched[0].sent > 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["no.such.host.invalid"], "has no address"),
        (["127.0.0.1", "--interval", "0.0001"], "more than a watch sends"),
        (["127.0.0.1", "--interval", "0"], "not a number of seconds"),
        (["127.0.0.1:x", "--probe", "udp"], "names no port"),
        (["127.0.0.1", "--netns", "no-such-netns"], "there is no network namespace"),
        ([], "required: TARGET"),
    ],
)
def test_a_wrong_argument_is_named(arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["loadtest", "watch", "--duration", "1", *arguments]) in (ExitCode.INVALID, ExitCode.DATAPLANE)
    assert complaint in capsys.readouterr().err
