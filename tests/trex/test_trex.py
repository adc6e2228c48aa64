"""Ramp, search and latency of a real T-Rex through a real VPP that routes between two ports.

Both run in software on the machine of the tests, so that no figure here says how fast either is.
"""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real_trex import RealTrex, configuration, router, run, skip_reason
from tests.real_vpp import RealVpp
from vppcfg.errors import ExitCode

REASON = skip_reason()
pytestmark = [pytest.mark.live, pytest.mark.skipif(REASON is not None, reason=str(REASON))]

BENCH = ["-p", "bench", "--size", "64", "--vm", "var2"]


@pytest.fixture(scope="module")
def vpp() -> Iterator[RealVpp]:
    with router() as vpp:
        yield vpp


@pytest.fixture(scope="module")
def trex(vpp: RealVpp, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealTrex]:
    with RealTrex(vpp, configuration(tmp_path_factory.mktemp("trex"))) as trex:
        yield trex


def test_a_load_that_vpp_carries_comes_back(trex: RealTrex, tmp_path: Path) -> None:
    course = ["-wd", "2", "-rt", "5kpps", "-rd", "4", "-hd", "4", "--loss", "10"]
    result = trex.measured(tmp_path / "ramp.json", "ramp", *BENCH, *course)
    assert result.generator is not None
    assert [port.driver for port in result.generator.ports] == ["net_af_packet"] * 2
    assert len(result.samples) == 2 + 5 + 4
    for total in result.totals:
        assert total.tally.sent == pytest.approx(total.intended, rel=0.02)
        assert total.tally.received == pytest.approx(total.tally.sent, rel=0.1)


def test_a_ramp_beyond_what_vpp_carries_finds_where_loss_begins(trex: RealTrex, tmp_path: Path) -> None:
    course = ["-wd", "1", "-rt", "900kpps", "-rd", "15", "-hd", "3", "--step", "20kpps", "--loss", "5"]
    result = trex.measured(tmp_path / "ramp.json", "ramp", *BENCH, *course, code=ExitCode.VERDICT)
    assert result.loss_begins_pps is not None
    assert 20_000 <= result.loss_begins_pps <= 900_000
    assert all(total.tally.received > 100_000 for total in result.totals)


def test_an_imix_keeps_its_ratio_through_vpp(trex: RealTrex, vpp: RealVpp, tmp_path: Path) -> None:
    run(vpp, "clear interfaces")
    course = ["-u", "-wd", "0", "-rt", "2kpps", "-rd", "0", "-hd", "5", "--loss", "5"]
    result = trex.measured(tmp_path / "imix.json", "ramp", "-p", "imix.py", *course)
    sent = result.totals[0].tally.sent
    _, text = vpp.cli("show interface west")
    counts = {" ".join(words[:-1]): int(words[-1]) for words in map(str.split, text.splitlines()[1:]) if words}
    packets, volume = counts["west 1 up 9000/0/0/0 rx packets"], counts["rx bytes"]
    assert packets == pytest.approx(sent, rel=0.02)
    assert volume / packets == pytest.approx((28 * 60 + 16 * 590 + 4 * 1514) / 48, rel=0.02)


def test_a_search_finds_bounds_that_hold_together(trex: RealTrex, tmp_path: Path) -> None:
    goal = ["--goal", "pdr=5,sum=5,width=10", "--min", "5kpps", "--max", "900kpps", "--settle", "1"]
    result = trex.measured(tmp_path / "search.json", "search", *BENCH, *goal)
    (found,) = result.throughputs
    assert found.lower_bound_pps is not None
    assert found.upper_bound_pps is not None
    assert 5_000 <= found.lower_bound_pps < found.upper_bound_pps <= 900_000
    assert found.upper_bound_pps <= found.lower_bound_pps * 1.25
    assert len(result.trials) >= 5


def test_latency_is_measured_in_both_directions(trex: RealTrex, tmp_path: Path) -> None:
    result = trex.measured(
        tmp_path / "latency.json", "latency", *BENCH, "--load", "idle", "--load", "10kpps", "--duration", "4"
    )
    assert [len(found.delays) for found in result.delays] == [2, 2]
    for delay in (delay for found in result.delays for delay in found.delays):
        assert delay.sent == pytest.approx(4000, rel=0.05)
        assert delay.received >= 0.9 * delay.sent
        assert 0 < delay.average_us <= delay.maximum_us < 1e6
        assert sum(count for _, count in delay.histogram) >= 0.9 * delay.received


def test_the_tuner_reads_vpp_during_the_hold(trex: RealTrex, vpp: RealVpp, tmp_path: Path) -> None:
    course = ["-wd", "1", "-rt", "5kpps", "-rd", "2", "-hd", "12", "--loss", "100"]
    options = ["--tune", "-a", str(vpp.socket_path)]
    result = trex.measured(tmp_path / "tuned.json", "ramp", *BENCH, *course, *options)
    assert result.tuning is not None
    assert result.tuning["findings"]
    ports = {port["name"]: port for port in result.tuning["load"]["ports"]}
    assert ports["west"]["rx_pps"] == pytest.approx(5_000, rel=0.2)


@pytest.mark.parametrize("after_s", [0.0, 1.0, 5.0])
def test_an_interrupted_test_leaves_the_ports_free(trex: RealTrex, tmp_path: Path, after_s: float) -> None:
    course = ["-wd", "2", "-rt", "20kpps", "-rd", "30", "-hd", "1", "-o", str(tmp_path / "cut.json")]
    awake = ["env", "--default-signal=INT"]  # where SIGINT is ignored, as in the background of a shell
    command = trex.inside(*awake, sys.executable, "-m", "vppcfg", "loadtest", "ramp", *BENCH, *course)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert any("Mapped ports" in line for line in process.stderr)
        time.sleep(after_s)
        process.send_signal(signal.SIGINT)
    assert process.returncode == ExitCode.INTERRUPTED
    again = ["ramp", *BENCH, "-wd", "0", "-rt", "1kpps", "-rd", "0", "-hd", "2", "--loss", "20"]
    result = trex.measured(tmp_path / "again.json", *again)
    assert result.totals[0].tally.sent == pytest.approx(3000, rel=0.2)


def test_a_stateful_t_rex_is_refused(vpp: RealVpp, tmp_path: Path, trex: RealTrex) -> None:
    trex.stop()
    with RealTrex(vpp, configuration(tmp_path), "--astf") as stateful:
        finished = stateful.loadtest("ramp", *BENCH)
    assert finished.returncode == ExitCode.DATAPLANE
    assert "runs in stateful mode (ASTF)" in finished.stderr
