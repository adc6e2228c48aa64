"""Connections of a real T-Rex in stateful mode through a real VPP that routes between two ports.

Both run in software on the machine of the tests, so that no figure here says how fast either is.
"""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real_trex import RealTrex, configuration, router, run, skip_reason
from tests.real_vpp import RealVpp
from vppcfg.errors import ExitCode
from vppcfg.loadtest.result import Result
from vppcfg.loadtest.stateful.outcome import StatefulOutcome

REASON = skip_reason()
pytestmark = [pytest.mark.live, pytest.mark.skipif(REASON is not None, reason=str(REASON))]

SHORT = ["astf", "-wm", "20", "-wd", "1", "-rt", "100", "-rd", "3", "-hd", "4"]
BUSY = ["--failures", "100"]
"""On a busy machine T-Rex begins fewer connections than it should, and stamps fewer packets; what it begins is answered
all the same."""


@pytest.fixture(scope="module")
def vpp() -> Iterator[RealVpp]:
    with router() as vpp:
        yield vpp


@pytest.fixture(scope="module")
def trex(vpp: RealVpp, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealTrex]:
    file = configuration(tmp_path_factory.mktemp("trex"), "--stateful")
    assert "# For connections: ./t-rex-64 -i --astf --software --cfg" in file.read_text()
    with RealTrex(vpp, file, "--astf", "--software") as trex:
        yield trex


def outcome_of(result: Result) -> StatefulOutcome:
    assert result.stateful is not None
    return result.stateful


def ip4_packets(vpp: RealVpp, port: str) -> int:
    """Return the IPv4 packets that VPP has received on a port since its counters were cleared."""
    words = run(vpp, f"show interface {port}").split()
    return int(words[words.index("ip4") + 1]) if "ip4" in words else 0


@pytest.mark.parametrize("profile", ["http", "dns", "mix"])
def test_every_connection_through_vpp_is_answered_and_both_count_the_same_packets(
    profile: str, trex: RealTrex, vpp: RealVpp, tmp_path: Path
) -> None:
    run(vpp, "clear interfaces")
    result = trex.measured(tmp_path / "astf.json", *SHORT, *BUSY, "-p", profile)
    outcome = outcome_of(result)
    assert outcome.totals is not None
    totals = outcome.totals
    assert 100 <= totals.begun <= 1000
    assert totals.answered == totals.ended == totals.established == totals.begun
    assert totals.failed == 0
    weight = sum(kind.weight for kind in outcome.kinds)
    answers = sum(kind.weight * kind.answer_bytes for kind in outcome.kinds) / weight
    assert totals.received_bytes == pytest.approx(totals.answered * answers, rel=0.35)
    there, back = outcome.tallies
    for port, tally in (("west", there), ("east", back)):
        # A busy kernel drops some before VPP sees them, which TCP sends again; what VPP has seen, it has forwarded.
        assert tally.sent - ip4_packets(vpp, port) == pytest.approx(tally.lost, abs=10)
        assert tally.lost <= 0.1 * tally.sent
    for delay in outcome.delays:
        assert delay.sent >= 100
        assert delay.received == pytest.approx(delay.sent, rel=0.05)
        assert 0 < delay.average_us <= delay.maximum_us + 1000


def test_connections_that_clients_keep_are_open_at_once(trex: RealTrex, tmp_path: Path) -> None:
    outcome = outcome_of(trex.measured(tmp_path / "open.json", *SHORT, *BUSY, "--open", "2", "--size", "500"))
    assert 60 <= outcome.most_open <= 320
    assert outcome.totals is not None
    assert outcome.totals.failed == 0


def test_a_vpp_that_stops_forwarding_is_found_with_the_errors_that_it_makes(
    trex: RealTrex, vpp: RealVpp, tmp_path: Path
) -> None:
    def break_it() -> None:
        run(vpp, "ip route del 48.0.0.0/8")

    timer = threading.Timer(8.0, break_it)
    timer.start()
    try:
        course = ["-wm", "50", "-wd", "1", "-rt", "50", "-rd", "1", "-hd", "30", "--early-stop", "--failures", "1"]
        finished = trex.loadtest("astf", *course, "-p", "dns", "-o", str(tmp_path / "broken.json"))
    finally:
        timer.join()
        run(vpp, "ip route add 48.0.0.0/8 via 100.64.10.6")
    assert finished.returncode == ExitCode.VERDICT, finished.stdout + finished.stderr
    said = " ".join(finished.stdout.split())
    assert "connections that got no answer (client, UDP: udps_keepdrops)" in said
    assert "stopped early at 50 connections per second" in said


def test_a_vpp_that_forwards_nothing_ends_the_test(trex: RealTrex, vpp: RealVpp, tmp_path: Path) -> None:
    run(vpp, "ip route del 48.0.0.0/8")
    try:
        finished = trex.loadtest(*SHORT, "-o", str(tmp_path / "dead.json"))
    finally:
        run(vpp, "ip route add 48.0.0.0/8 via 100.64.10.6")
    assert finished.returncode == ExitCode.DATAPLANE
    assert "no connection was answered for" in finished.stderr
    free_again(trex, vpp, tmp_path)


@pytest.mark.parametrize(
    ("sent", "code"),
    [(signal.SIGINT, ExitCode.INTERRUPTED), (signal.SIGTERM, ExitCode.TERMINATED), (signal.SIGKILL, -signal.SIGKILL)],
)
@pytest.mark.parametrize("after_s", [0.1, 3.0])
def test_whatever_ends_a_test_leaves_nothing_running(
    sent: signal.Signals, code: int, after_s: float, trex: RealTrex, vpp: RealVpp, tmp_path: Path
) -> None:
    with started(trex) as process:
        time.sleep(after_s)
        process.send_signal(sent)
    assert process.returncode == code
    free_again(trex, vpp, tmp_path)


def test_a_server_that_is_out_of_reach_for_a_while_is_given_back_later(
    trex: RealTrex, vpp: RealVpp, tmp_path: Path
) -> None:
    with started(trex) as process:
        time.sleep(2.0)
        vpp.ip("link", "set", "lo", "down")
        try:
            process.wait(60)
        finally:
            vpp.ip("link", "set", "lo", "up")
    assert process.returncode == ExitCode.DATAPLANE
    free_again(trex, vpp, tmp_path)


def started(trex: RealTrex) -> subprocess.Popen[str]:
    """Start a long test, and return when its connections begin."""
    course = ["astf", "-wm", "50", "-wd", "60", "-rt", "50", "-rd", "1", "-hd", "1", "--open", "30"]
    awake = ["env", "--default-signal=INT"]  # where SIGINT is ignored, as in the background of a shell
    command = trex.inside(*awake, sys.executable, "-m", "vppcfg", "loadtest", *course)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert any("Warming up" in line for line in process.stderr)
    return process


def free_again(trex: RealTrex, vpp: RealVpp, tmp_path: Path) -> None:
    """See that the server is nobody's before long, that no packet passes any more, and that the next test runs."""
    until_s = time.monotonic() + 75
    again = ["astf", "-wd", "0", "-rt", "20", "-rd", "0", "-hd", "3", *BUSY, "-o", str(tmp_path / "again.json")]
    while True:
        before = ip4_packets(vpp, "west")
        time.sleep(1.0)
        if ip4_packets(vpp, "west") == before:
            finished = trex.loadtest(*again)
            if "belongs to" not in finished.stderr:
                break
        assert time.monotonic() < until_s, "T-Rex is still taken, or still sends"
    assert finished.returncode == ExitCode.DONE, finished.stdout + finished.stderr
