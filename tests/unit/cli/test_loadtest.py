"""`vppcfg loadtest` and its commands: output, exit codes, bad input; on a simulated device and a stand-in T-Rex."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests import forked
from tests.hosts.trees import grow
from tests.laws.examples import TIMES
from tests.trex_server import StandInTrex
from tests.trex_stateful import StandInStateful
from tests.unit.cli.conftest import Serve, two_ports
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.loadtest.document import read_result
from vppcfg.loadtest.ramp_schedule import LoadPhase
from vppcfg.loadtest.result import ResultKind
from vppcfg.simulator.vpp import SimulatedVpp

SHORT = ["-wd", "1", "-rd", "4", "-hd", "2"]
SIMULATED = ["--engine", "simulated"]


def ramp(*arguments: str) -> int:
    return main(["loadtest", "ramp", *arguments])


def test_the_lines_are_those_of_trex_loadtest(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "imix.json"
    code = ramp(
        *SIMULATED, "-p", "imix.py", "--device", "capacity=2M", *SHORT, "-rt", "50", "--step", "1%", "-o", str(file)
    )
    assert code == ExitCode.DONE
    captured = capsys.readouterr()
    lines = captured.err.splitlines()
    assert lines[:4] == [
        "Running against the simulated engine profile imix.py, warmup 1kpps for 1s, rampup target 50% of linerate "
        f"in 4s, hold for 2s output goes to {file}",
        "Mapped ports to sides [0] <--> [1]",
        "Warming up [0] <--> [1] at rate of 1kpps for 1 seconds",
        "stats:     2.00 Kpps     6.11 Mbps (0.61% of linerate) [warm-up 0:01, 0:07 left, load 0.31 %, loss 0 %]",
    ]
    assert "Setting load [0] <--> [1] to 1% of linerate" in lines
    assert (
        "stats:   327.37 Kpps     1.00 Gbps (100.00% of linerate) [hold 0:08, 0:00 left, load 50.00 %, loss 0 %]"
        in lines
    )
    assert lines[-2] == "Loadtest finished, stopping"
    assert "Test has passed :-)" in captured.out


def test_a_test_that_fails_exits_11_and_says_where_loss_begins(capsys: pytest.CaptureFixture[str]) -> None:
    assert ramp(*SIMULATED, "-p", "bench", "--device", "capacity=1M", *SHORT, "-o", os.devnull) == ExitCode.VERDICT
    captured = capsys.readouterr()
    assert "WARNING: DUT packetloss too high" in captured.err
    assert "Test has failed :-(" in captured.out
    assert "Loss begins  at 1.116 Mpps per direction, 75.00 % of what the path carries" in captured.out
    assert max(map(len, captured.out.splitlines())) <= 80


def test_the_result_is_kept_though_nobody_can_be_shown_the_figures(tmp_path: Path) -> None:
    for number, words in enumerate((["ramp", *SHORT], ["search"], ["latency", "--duration", "1"], ["astf", *SHORT])):
        file = tmp_path / f"{number}.json"
        command = [sys.executable, "-m", "vppcfg", "loadtest", *words, "--engine", "simulated", "-q", "-o", str(file)]
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(command, stdout=full, stderr=subprocess.DEVNULL, check=False, timeout=60)
        assert (done.returncode, read_result(file).is_complete) == (ExitCode.INVALID, True)


@pytest.mark.parametrize("kind", ["ramp", "astf"])
def test_a_test_runs_to_its_end_though_its_log_has_no_room(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    command = [sys.executable, "-m", "vppcfg", "loadtest", kind, *SHORT, "--engine", "simulated", "-o", str(file)]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=full, check=False, timeout=60)
    assert (done.returncode, read_result(file).is_complete) == (ExitCode.DONE, True)


def test_the_result_goes_to_standard_output_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert ramp(*SIMULATED, "-q", *SHORT) == ExitCode.DONE
    captured = capsys.readouterr()
    document = json.loads(captured.out)
    assert (document["kind"], len(document["samples"]), document["is_complete"]) == ("ramp", 1 + 5 + 2, True)
    assert document["settings"]["warmup_mult"] == "1kpps"
    assert captured.err == ""


def test_at_a_terminal_the_summary_is_enough_and_json_comes_on_request(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vppcfg.cli.loadtest.ramp.is_terminal", lambda stream: True)
    assert ramp(*SIMULATED, *SHORT) == ExitCode.DONE
    captured = capsys.readouterr()
    assert "Test has passed :-)" in captured.out
    assert "{" not in captured.out
    assert "only the summary is shown" in captured.err
    for options in (["-o", "-"], ["--format", "json"]):
        assert ramp(*SIMULATED, "-q", *SHORT, *options) == ExitCode.DONE
        assert json.loads(capsys.readouterr().out)["kind"] == "ramp"


def test_the_result_says_what_the_path_could_carry(tmp_path: Path) -> None:
    file = tmp_path / "ramp.json"
    options = ["--vlan", "1", "--crossings", "2", "-u", "-t", "size=64,vm=var2,offset=10", "--title", "a link"]
    ramp(*SIMULATED, "-q", "-p", "bench", *options, *SHORT, "-o", str(file))
    result = read_result(file)
    assert result.offered is not None
    assert int(result.offered.path_rate_pps) == 710_227
    assert (result.offered.variation, result.offered.offset, len(result.offered.directions)) == ("var2", 10, 1)
    assert result.title == "a link"


def test_the_form_of_the_visualiser_can_be_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    ramp(*SIMULATED, "-q", *SHORT, "--format", "trex-loadtest")
    assert set(json.loads(capsys.readouterr().out)) == {"vars", "stats"}


def test_a_baseline_stands_beside_the_result(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    baseline = tmp_path / "cable.json"
    ramp(*SIMULATED, "-q", *SHORT, "-o", str(baseline))
    ramp(*SIMULATED, "-q", *SHORT, "-o", os.devnull, "--baseline", str(baseline))
    assert "Baseline     the generator alone lost 0 % of imix" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["-p", "bench"], "it has frames of 361.833 bytes, this test 64 bytes"),
        (["--link", "100M"], "it has links of 1,000,000,000 bit/s, this test 100,000,000 bit/s"),
        (["-u"], "it has directions: 2, this test 1"),
    ],
)
def test_a_baseline_of_another_test_is_refused(
    options: list[str], problem: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    baseline = tmp_path / "cable.json"
    ramp(*SIMULATED, "-q", *SHORT, "-o", str(baseline))
    assert ramp(*SIMULATED, "-q", *SHORT, *options, "--baseline", str(baseline)) == ExitCode.INVALID
    assert problem in capsys.readouterr().err


def test_a_search_prints_a_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "search.json"
    options = ["-p", "bench", "-u", "--device", "capacity=1420454"]
    assert main(["loadtest", "search", *SIMULATED, *options, "-o", str(file)]) == ExitCode.DONE
    captured = capsys.readouterr()
    assert [line.split() for line in captured.out.splitlines()[:3]] == [
        ["Goal", "Throughput", "of", "path", "Passes", "at", "Fails", "at"],
        ["NDR", "1,415,372", "95.11", "%", "1,415,372", "1,422,481"],
        ["PDR", "0.5", "%", "1,420,454", "95.45", "%", "1,422,481", "1,429,627"],
    ]
    assert len(re.findall(r"^trial +\d+: ", captured.err, re.MULTILINE)) == 35
    assert max(map(len, captured.out.splitlines())) <= 80
    result = read_result(file)
    assert (result.kind, len(result.trials), len(result.throughputs)) == (ResultKind.SEARCH, 35, 2)


def test_latency_is_a_table_of_loads_and_directions(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "latency.json"
    options = ["--load", "idle", "--load", "90", "--duration", "2", "-o", str(file)]
    assert main(["loadtest", "latency", *SIMULATED, "-q", *options]) == ExitCode.DONE
    out = capsys.readouterr().out
    assert [line.split()[:4] for line in out.splitlines()[1:5]] == [
        ["1", "pps", "0->1", "10.0"],
        ["1", "pps", "1->0", "10.0"],
        ["295", "kpps", "0->1", "10.0"],
        ["295", "kpps", "1->0", "10.0"],
    ]
    assert max(map(len, out.splitlines())) <= 80
    assert [len(one.delays) for one in read_result(file).delays] == [2, 2]


@pytest.mark.parametrize(
    ("arguments", "code", "problem"),
    [
        ([], ExitCode.INVALID, "loadtest needs a command"),
        (["fly"], ExitCode.INVALID, "there is no command `fly`"),
        (["ramp", *SIMULATED, "-p", "http"], ExitCode.INVALID, "there is no traffic profile http"),
        (["ramp", *SIMULATED, "-p", "bench", "--size", "1"], ExitCode.INVALID, "'1' is no frame size"),
        (["ramp", *SIMULATED, "-t", "speed=1"], ExitCode.INVALID, "there is no speed"),
        (["ramp", *SIMULATED, "-t", "size"], ExitCode.INVALID, "'size' is no KEY=VALUE"),
        (["ramp", *SIMULATED, "--ports", "0"], ExitCode.INVALID, "1 ports make no pairs"),
        (["ramp", *SIMULATED, "--ports", "0,1,2"], ExitCode.INVALID, "3 ports make no pairs"),
        (["ramp", *SIMULATED, "--ports", "0,0"], ExitCode.INVALID, "a port is named twice"),
        (["ramp", *SIMULATED, "--ports", "0,7"], ExitCode.DATAPLANE, "has no port 7"),
        (["ramp", *SIMULATED, "-rt", "101"], ExitCode.INVALID, "is 101.0 % of line rate"),
        (["ramp", *SIMULATED, "-rt", "fast"], ExitCode.INVALID, "'fast' is no load"),
        (["ramp", *SIMULATED, "-wm", "0pps"], ExitCode.INVALID, "a load of 0pps is none"),
        (["ramp", *SIMULATED, "-rd", "0", "-hd", "0"], ExitCode.INVALID, "a ramp without any time is none"),
        (["ramp", *SIMULATED, "-rd", "86400", "-hd", "86400"], ExitCode.INVALID, "is too long"),
        (["ramp", *SIMULATED, "-rd", "1.5"], ExitCode.INVALID, "is not a number of seconds"),
        (["ramp", *SIMULATED, "--loss", "101"], ExitCode.INVALID, "'101' is no percentage"),
        (["ramp", *SIMULATED, "-u", "--bidirectional"], ExitCode.INVALID, "not allowed with argument"),
        (["ramp", *SIMULATED, "--device", "x=1"], ExitCode.INVALID, "--device: there is no x"),
        (["ramp", *SIMULATED, "--device", "loss=2"], ExitCode.INVALID, "loss is a share of 1"),
        (["ramp", "--device", "loss=1%"], ExitCode.INVALID, "--device is about a simulated device"),
        (["ramp", *SIMULATED, "--next-mac", "0=02:00:00:00:00:01"], ExitCode.INVALID, "--next-mac is about"),
        (["ramp", *SIMULATED, "--tune", "-hd", "5"], ExitCode.INVALID, "--tune needs a hold of 10 s"),
        (["ramp", *SIMULATED, "--baseline", "none.json"], ExitCode.INVALID, "cannot read none.json"),
        (["ramp", "-s", "trex:x"], ExitCode.DATAPLANE, "'trex:x' names no server"),
        (["search", *SIMULATED, "--goal", "best"], ExitCode.INVALID, "'best' is no goal"),
        (["search", *SIMULATED, "--min", "50%", "--max", "10%"], ExitCode.INVALID, "no load lies between"),
        (["latency", *SIMULATED, "--load", "100"], ExitCode.INVALID, "more than line rate"),
        (["latency", *SIMULATED, "--probe-rate", "0"], ExitCode.INVALID, "no rate from 1"),
        (["latency", *SIMULATED, "--duration", "0"], ExitCode.INVALID, "needs a load and a time"),
        (["astf", *SIMULATED, "-p", "imix"], ExitCode.INVALID, "there is no profile imix of connections"),
        (["astf", *SIMULATED, "-rt", "0"], ExitCode.INVALID, "0 connections per second are no rate"),
        (["astf", *SIMULATED, "-rt", "fast"], ExitCode.INVALID, "'fast'"),
        (["astf", *SIMULATED, "--size", "5"], ExitCode.INVALID, "an answer of 5 bytes is none from"),
        (["astf", *SIMULATED, "--clients", "0"], ExitCode.INVALID, "'0' is no number of addresses from 1 to 254"),
        (["astf", *SIMULATED, "--probe-rate", "0.5"], ExitCode.INVALID, "no whole number from 0 to 10,000"),
        (["astf", *SIMULATED, "--ports", "0"], ExitCode.INVALID, "1 ports make no pairs"),
        (["astf", *SIMULATED, "--ports", "0,7"], ExitCode.DATAPLANE, "has no port 7"),
        (["astf", *SIMULATED, "--device", "loss=1%"], ExitCode.INVALID, "--device: there is no loss"),
        (["astf", "--device", "open=1"], ExitCode.INVALID, "--device is about a simulated device"),
        (["astf", "--engine", "trafgen"], ExitCode.INVALID, "invalid choice"),
    ],
)
def test_bad_input_is_refused_before_anything_is_sent(
    arguments: list[str], code: ExitCode, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["loadtest", *arguments]) == code
    assert problem in capsys.readouterr().err


def test_a_result_file_that_is_cut_in_half_is_no_baseline(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "half.json"
    ramp(*SIMULATED, "-q", *SHORT, "-o", str(file))
    file.write_text(file.read_text()[: file.stat().st_size // 2])
    assert ramp(*SIMULATED, "-q", *SHORT, "--baseline", str(file)) == ExitCode.INVALID
    assert "half.json is cut off" in capsys.readouterr().err


def test_the_tuner_is_asked_about_the_hold(serve: Serve, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    socket_path = serve(SimulatedVpp(ports=two_ports()))
    file = tmp_path / "tuned.json"
    course = ["-wd", "0", "-rd", "1", "-hd", "10", "-o", str(file)]
    assert ramp(*SIMULATED, "-q", *course, "--tune", "-a", socket_path) == ExitCode.DONE
    result = read_result(file)
    assert result.tuning is not None
    assert {port["name"] for port in result.tuning["load"]["ports"]} >= {"GigabitEthernet1/0/0"}
    assert "the main thread polls GigabitEthernet1/0/0, GigabitEthernet3/0/0" in capsys.readouterr().out


def test_a_vpp_that_cannot_be_read_is_said_before_anything_is_sent(
    server: StandInTrex, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ramp("-s", server.address, "--tune", "-a", "/nonexistent/api.sock") == ExitCode.DATAPLANE
    assert "there is no VPP API socket at /nonexistent/api.sock" in capsys.readouterr().err
    assert "acquire" not in {method for method, _ in server.calls}


# T-Rex


@pytest.fixture
def server() -> Iterator[StandInTrex]:
    with StandInTrex(speed_gbps=1.0) as server:
        yield server


def test_a_ramp_on_a_t_rex_counts_what_its_device_forwards(
    server: StandInTrex, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    server.capacity_pps = 100_000.0
    file = tmp_path / "ramp.json"
    course = ["-wd", "1", "-rd", "2", "-hd", "1", "-rt", "140kpps"]
    assert ramp("-q", "-s", server.address, "-p", "bench", *course, "-o", str(file)) == ExitCode.VERDICT
    result = read_result(file)
    last = result.samples[-1]
    assert last.phase is LoadPhase.HOLD
    assert last.tallies[0].received / last.duration_s == pytest.approx(100_000, rel=0.01)
    assert last.tallies[0].sent / last.duration_s == pytest.approx(140_000, rel=0.01)
    assert result.loss_begins_pps == 140_000
    assert server.is_idle


def test_a_search_on_a_t_rex_finds_the_capacity_of_its_device(server: StandInTrex, tmp_path: Path) -> None:
    server.capacity_pps = 100_000.0
    file = tmp_path / "search.json"
    goal = "pdr=0.5,initial=0.1,final=0.1,sum=0.3,width=3"
    options = [
        *("-s", server.address, "-p", "bench", "--max", "200kpps", "--goal", goal, "--settle", "0", "--warm-up", "0"),
    ]
    assert main(["loadtest", "search", "-q", *options, "-o", str(file)]) == ExitCode.DONE
    (found,) = read_result(file).throughputs
    assert found.conditional_pps == pytest.approx(100_000, rel=0.04)
    assert server.is_idle


def test_latency_on_a_t_rex_is_what_its_stamps_tell(server: StandInTrex, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["-s", server.address, "-p", "bench", "--load", "10kpps", "--duration", "1", "--settle", "0"]
    assert main(["loadtest", "latency", "-q", *options]) == ExitCode.DONE
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[1:3]]
    assert rows[0] == ["10", "kpps", "0->1", "35.5", "20", "1200", "4.0", "30", "200", "200", "0", "%"]
    assert server.is_idle


def test_a_stateful_t_rex_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with StandInTrex(mode="ASTF") as server:
        assert ramp("-s", server.address) == ExitCode.DATAPLANE
    assert "runs in stateful mode (ASTF)" in capsys.readouterr().err


ASTF = ["astf", "-wd", "1", "-rd", "1", "-hd", "1", "-rt", "300"]


def test_connections_on_a_t_rex_are_counted_and_judged(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "astf.json"
    with StandInStateful() as stateful:
        code = main(["loadtest", *ASTF, "-s", stateful.address, "-p", "mix", "-o", str(file)])
        assert stateful.is_idle
    assert code == ExitCode.DONE
    captured = capsys.readouterr()
    assert "Test has passed :-)" in captured.out
    assert "Errors       none" in captured.out
    assert "Latency      0->1: 36 us in the mean, 99 % below 200 us" in captured.out
    assert max(map(len, captured.out.splitlines())) <= 80
    lines = captured.err.splitlines()
    assert lines[0].startswith("Connections of mix by 127.0.0.1:")
    assert "Holding 300/s for 1 seconds" in lines
    outcome = read_result(file).stateful
    assert outcome is not None
    assert outcome.totals is not None
    assert outcome.totals.begun == outcome.totals.answered == pytest.approx(outcome.intended, rel=0.1)
    assert [kind.name for kind in outcome.kinds] == ["dns", "http", "download"]
    assert outcome.tallies[0].sent == pytest.approx(5 * outcome.totals.begun, rel=0.02)


def test_connections_that_a_router_does_not_pass_fail_the_test(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "astf.json"
    options = ["--finish", "1", "--failures", "1", "-q", "-o", str(file)]
    with StandInStateful(capacity_cps=200.0) as stateful:
        assert main(["loadtest", *ASTF, "-s", stateful.address, *options]) == ExitCode.VERDICT
        assert stateful.is_idle
    captured = capsys.readouterr()
    assert "Test has failed :-(" in captured.out
    assert "connections cut because they had not ended when the test did" in " ".join(captured.out.split())
    outcome = read_result(file).stateful
    assert outcome is not None
    assert 0.1 < outcome.failed_ratio < 0.4


def test_a_stateless_t_rex_makes_no_connections(server: StandInTrex, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["loadtest", "astf", "-s", server.address]) == ExitCode.DATAPLANE
    captured = capsys.readouterr()
    assert "runs in stateless mode (STL)" in captured.err
    assert "./t-rex-64 -i --astf" in captured.err


def test_the_result_of_connections_goes_to_standard_output_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["loadtest", *ASTF, *SIMULATED, "-q", "-o", "-"]) == ExitCode.DONE
    captured = capsys.readouterr()
    assert json.loads(captured.out)["kind"] == "astf"
    assert captured.err == ""


def test_ports_of_somebody_else_are_refused(server: StandInTrex, capsys: pytest.CaptureFixture[str]) -> None:
    server.ports[0].owner = "alice"
    assert ramp("-s", server.address) == ExitCode.DATAPLANE
    captured = capsys.readouterr()
    assert "vppcfg: error: port 0 belongs to alice" in captured.err
    assert "vppcfg: hint: --force takes it" in captured.err


def test_a_link_that_is_down_is_refused(server: StandInTrex, capsys: pytest.CaptureFixture[str]) -> None:
    server.ports[1].is_up = False
    assert ramp("-s", server.address) == ExitCode.DATAPLANE
    assert "port 1 has no link" in capsys.readouterr().err


# interruptions

COMMAND = ["env", "--default-signal=INT", sys.executable, "-m", "vppcfg", "loadtest"]
"""Ctrl-C counts even when the tests run in the background of a shell, where it is ignored."""


def interrupted_at(
    server: StandInTrex, method: str, number: int, arguments: Sequence[str], sent: signal.Signals = signal.SIGINT
) -> int | None:
    """Return the exit code of a test that gets a signal while the server carries out the nth call of a method."""
    seen = 0
    process: list[forked.Child] = []

    def strike(called: str) -> None:
        nonlocal seen
        seen += called == method
        if called == method and seen == number:
            while not process:
                time.sleep(0.001)
            os.kill(process[0].pid, sent)

    server.on_call = strike
    process.append(forked.Child(["loadtest", *arguments]))
    code = process[0].wait(60)
    assert seen >= number, f"the test has made {seen} calls of {method}"
    return code


LONG = ["ramp", "-p", "bench", "-wd", "1", "-rd", "2", "-hd", "1", "-rt", "1%", "--settle", "0.1", "-o", os.devnull]
CALLS = [
    ("get_version", 1), ("api_sync_v2", 1), ("get_system_info", 1), ("get_port_status", 1), ("acquire", 1),
    ("acquire", 2), ("set_port_attr", 1), ("remove_all_streams", 1), ("add_stream", 1), ("add_stream", 2),
    ("start_traffic", 1), ("start_traffic", 2), ("get_port_stats", 1), ("get_port_stats", 5), ("update_traffic", 1),
    ("update_traffic", 4), ("get_port_stats", 13), ("stop_traffic", 1), ("get_port_stats", 15), ("stop_traffic", 3),
    ("release", 1), ("release", 2),
] if TIMES > 1 else [
    ("get_version", 1), ("acquire", 2), ("add_stream", 2), ("start_traffic", 2), ("get_port_stats", 5),
    ("update_traffic", 4), ("get_port_stats", 13), ("stop_traffic", 1), ("get_port_stats", 15), ("release", 2),
]  # fmt: skip
"""A call in every phase: connecting, taking, loading, warm-up, ramp, hold, drain, giving back; at length every kind."""


@dataclass(frozen=True)
class Wreck:
    """What an interrupted test has left on its server."""

    code: int | None
    is_idle: bool
    streams: int


ASTF_CALLS = [
    ("get_version", 1), ("acquire", 1), ("set_port_attr", 1), ("profile_fragment", 1), ("start", 1), ("sync", 3),
    ("get_counter_desc", 1), ("get_counter_values", 3), ("update", 1), ("stop", 1), ("profile_clear", 1),
    ("release", 1),
] if TIMES > 1 else [
    ("acquire", 1), ("profile_fragment", 1), ("start", 1), ("sync", 3), ("get_counter_values", 3), ("stop", 1),
    ("release", 1),
]  # fmt: skip


@pytest.mark.slow
def test_an_interruption_in_any_phase_leaves_no_traffic_and_no_port() -> None:
    def wreck(call: tuple[str, int]) -> Wreck:
        with StandInTrex(speed_gbps=1.0) as server:
            code = interrupted_at(server, *call, [*LONG, "-s", server.address])
            return Wreck(code, server.is_idle, sum(len(port.streams) for port in server.ports))

    with ThreadPoolExecutor(len(CALLS)) as pool:
        found = dict(zip(CALLS, pool.map(wreck, CALLS), strict=True))
    assert found == dict.fromkeys(CALLS, Wreck(code=ExitCode.INTERRUPTED, is_idle=True, streams=0))


@pytest.mark.slow
def test_an_interruption_in_any_phase_leaves_no_connection_and_a_free_server() -> None:
    def wreck(call: tuple[str, int]) -> tuple[tuple[str, int], int | None, bool]:
        with StandInStateful() as stateful:
            code = interrupted_at(stateful, *call, [*ASTF, "-o", os.devnull, "-s", stateful.address])
            return call, code, stateful.is_idle

    with ThreadPoolExecutor(len(ASTF_CALLS)) as pool:
        found = list(pool.map(wreck, ASTF_CALLS))
    assert found == [(call, ExitCode.INTERRUPTED, True) for call in ASTF_CALLS]


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGKILL])
def test_a_test_with_connections_that_is_ended_or_killed_leaves_a_free_server(sent: signal.Signals) -> None:
    with StandInStateful() as stateful:
        code = interrupted_at(stateful, "update", 1, [*ASTF, "-s", stateful.address], sent)
        wait_until(lambda: stateful.is_idle)
        assert code == (ExitCode.TERMINATED if sent is signal.SIGTERM else -signal.SIGKILL)
        (start,) = stateful.starts
    assert 5 <= start["duration"] <= 50


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [["search", "-p", "bench", "--max", "1%"], ["latency", "-p", "bench", "--load", "1", "--duration", "5"], LONG],
    ids=["search", "latency", "ramp"],
)
def test_being_told_to_end_leaves_no_traffic_and_no_port(server: StandInTrex, arguments: list[str]) -> None:
    code = interrupted_at(server, "get_port_stats", 6, [*arguments, "-s", server.address], signal.SIGTERM)
    assert code == ExitCode.TERMINATED
    assert server.is_idle


@pytest.mark.slow
def test_an_interruption_keeps_what_was_counted(server: StandInTrex, tmp_path: Path) -> None:
    file = tmp_path / "ramp.json"
    interrupted_at(server, "get_port_stats", 9, [*LONG[:-1], str(file), "-s", server.address])
    result = read_result(file)
    assert (len(result.samples) >= 2, result.is_complete, result.totals) == (True, False, ())


@pytest.mark.slow
def test_a_test_that_is_killed_leaves_no_traffic_and_no_port(server: StandInTrex) -> None:
    interrupted_at(server, "update_traffic", 1, [*LONG, "-s", server.address], signal.SIGKILL)
    wait_until(lambda: server.is_idle)
    assert all(not port.streams for port in server.ports)


def wait_until(condition: Callable[[], bool], patience_s: float = 20.0) -> None:
    until = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < until, "it did not come true"
        time.sleep(0.05)


@pytest.mark.slow
def test_traffic_has_an_end_even_when_nobody_is_left_to_stop_it(server: StandInTrex) -> None:
    interrupted_at(server, "update_traffic", 1, [*LONG, "-s", server.address])
    (first, *_) = [arguments for method, arguments in server.calls if method == "start_traffic"]
    assert 5 <= first["duration"] <= 40


@pytest.mark.slow
def test_a_server_that_dies_ends_the_test(server: StandInTrex) -> None:
    def die(method: str) -> None:
        server.is_mute = server.is_mute or method == "update_traffic"

    server.on_call = die
    ended = forked.run(["loadtest", *LONG, "-s", server.address], 60)
    assert ended.returncode == ExitCode.DATAPLANE
    assert "cannot be reached: no answer within 5 s" in ended.stderr


# on a terminal


def on_terminal(*arguments: str) -> str:
    """Run a command whose standard error is a terminal of 80 columns and return what it shows."""
    leader, follower = pty.openpty()
    environment = {**os.environ, "COLUMNS": "80"}
    with subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.DEVNULL, stderr=follower, env=environment):
        os.close(follower)
        shown = b""
        while True:
            try:
                part = os.read(leader, 65536)
            except OSError:
                break
            shown += part
    os.close(leader)
    return shown.decode()


@pytest.mark.slow
def test_a_terminal_shows_one_line_that_is_rewritten() -> None:
    shown = on_terminal("ramp", *SIMULATED, *SHORT)
    lines = [line for line in shown.split("\r\n") if "stats:" in line]
    assert lines == []
    rewritten = re.findall(r"\r\x1b\[K((?:warm-up|ramp|hold) [^\r]*)", shown)
    assert len(rewritten) == 8
    assert rewritten[-1].startswith("hold 0:08, 0:00 left, load 100.00 %, loss 0 %")
    assert max(map(len, rewritten)) < 80


# trex-config


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return grow("two_sockets", tmp_path / "tree")


def config(tree: Path, *arguments: str) -> int:
    return main(["loadtest", "trex-config", "-q", "--root", str(tree), *arguments])


def test_a_configuration_has_the_cpus_near_the_ports(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert config(tree, "--ports", "18:00.0,ens1f1", "--no-ht") == ExitCode.DONE
    assert (
        capsys.readouterr().out
        == """\
# Made by vppcfg loadtest trex-config.
- version: 2
  interfaces: ["18:00.0", "18:00.1"]
  port_limit: 2
  port_bandwidth_gb: 25
  port_info:
    - ip: 1.1.1.1
      default_gw: 2.2.2.2
    - ip: 2.2.2.2
      default_gw: 1.1.1.1
  platform:
    master_thread_id: 0
    latency_thread_id: 8
    dual_if:
      - socket: 0
        threads: [1, 2, 3, 4, 5, 6, 7]
"""
    )


def test_addresses_of_ports_are_those_that_are_given(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    addresses = ["--ips", "100.64.10.2,100.64.10.6", "--gateways", "100.64.10.1,100.64.10.5"]
    assert config(tree, "--ports", "18:00.0,18:00.1", *addresses) == ExitCode.DONE
    (document,) = yaml.safe_load(capsys.readouterr().out)
    assert document["port_info"] == [
        {"ip": "100.64.10.2", "default_gw": "100.64.10.1"},
        {"ip": "100.64.10.6", "default_gw": "100.64.10.5"},
    ]


def test_mac_addresses_come_from_linux_and_point_at_the_port_opposite(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert config(tree, "--ports", "18:00.0,18:00.1", "--macs", "--ignore-numa") == ExitCode.DONE
    assert capsys.readouterr().out.splitlines()[5:] == [
        "  port_info:",
        '    - dest_mac: "02:00:00:00:00:01"',
        '      src_mac: "02:00:00:00:00:00"',
        '    - dest_mac: "02:00:00:00:00:00"',
        '      src_mac: "02:00:00:00:00:01"',
    ]


def test_cpus_and_devices_of_a_vpp_on_the_same_machine_are_left_to_it(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tree / "etc/vpp").mkdir(parents=True)
    conf = "cpu { main-core 1 corelist-workers 2-5,18-21 }\ndpdk { dev 0000:af:00.0 { name hundred } }\n"
    (tree / "etc/vpp/startup.conf").write_text(conf)
    assert config(tree, "--ports", "18:00.0,18:00.1") == ExitCode.DONE
    assert "threads: [6, 7, 16, 17, 22, 23]" in capsys.readouterr().out
    assert config(tree, "--ports", "af:00.0,18:00.1") == ExitCode.INVALID
    assert "0000:af:00.0 is VPP's, by its startup.conf" in capsys.readouterr().err
    assert config(tree, "--ports", "18:00.0,18:00.1", "--cpus", "4-7") == ExitCode.INVALID
    assert "VPP has the CPU 4" in capsys.readouterr().err


def test_linux_interfaces_make_a_small_configuration(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    macs = ["--src-macs", "02:00:00:00:00:01,02:00:00:00:00:02", "--rpc-port", "4600", "--prefix", "two"]
    assert config(tree, "--ports", "veth0,veth1", *macs) == ExitCode.DONE
    out = capsys.readouterr().out
    assert 'interfaces: ["veth0", "veth1"]' in out
    assert "  low_end: true\n  prefix: two\n  zmq_rpc_port: 4600\n" in out
    assert "platform" not in out


def test_a_configuration_for_connections_has_room_for_them_and_says_how_to_start(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert config(tree, "--ports", "18:00.0,18:00.1", "--stateful") == ExitCode.DONE
    out = capsys.readouterr().out
    assert "# For connections: ./t-rex-64 -i --astf --cfg THIS_FILE\n" in out
    assert "  memory:\n    dp_flows: 1048576\n  port_info:\n" in out
    assert config(tree, "--ports", "veth0,veth1", "--stateful", "--flows", "500") == ExitCode.DONE
    out = capsys.readouterr().out
    assert "# For connections: ./t-rex-64 -i --astf --software --cfg THIS_FILE\n" in out
    assert "dp_flows: 500\n" in out


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "these are free: 0000:18:00.0 (ens1f0), 0000:18:00.1 (ens1f1)"),
        (["--ports", "18:00.0"], "T-Rex takes ports in pairs"),
        (["--ports", "18:00.0,18:00.0"], "a port is named twice"),
        (["--ports", "18:00.0,77:00.0"], "there is no network device 77:00.0"),
        (["--ports", "18:00.0,veth0"], "do not go together"),
        (["--ports", "18:00.0,b1:00.0", "--ignore-numa"], "T-Rex needs ports of one kind"),
        (["--ports", "18:00.0,18:00.1", "--ips", "1.2.3.4"], "--ips has 1 addresses for 2 ports"),
        (["--ports", "18:00.0,18:00.1", "--ips", "1.2.3.4,1.2.3.x"], "'1.2.3.x' is no IPv4 address"),
        (["--ports", "18:00.0,af:00.0", "--macs"], "the MAC address of af:00.0 is unknown"),
        (["--ports", "18:00.0,18:00.1", "--src-macs", "1,2"], "'1' is no MAC address"),
        (["--ports", "18:00.0,18:00.1", "--cpus", "4-2"], "is no list of CPUs"),
        (["--ports", "18:00.0,18:00.1", "--cpus", "4"], "T-Rex needs at least 3 CPUs"),
        (["--ports", "18:00.0,18:00.1", "--rpc-port", "0"], "is no port number"),
        (["--ports", "18:00.0,18:00.1", "--vpp-conf", "/none"], "there is no /none"),
        (["--ports", "18:00.0,18:00.1", "--flows", "5"], "--flows is about connections"),
        (["--ports", "18:00.0,18:00.1", "--stateful", "--flows", "0"], "no room for 0 connections"),
        (["--ports", "veth0,veth1", "--stateful", "--flows", "65537"], "in software it has some for 65,536"),
        (["--ports", "18:00.0,18:00.1", "--stateful", "--flows", "1k"], "'1k' is no number"),
    ],
)
def test_a_configuration_that_cannot_be_is_refused(
    tree: Path, arguments: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert config(tree, *arguments) == ExitCode.INVALID
    assert problem in capsys.readouterr().err


def test_a_pair_on_two_nodes_is_refused_unless_told_not_to_mind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = grow("two_sockets", tmp_path / "tree")
    (tree / "sys/bus/pci/devices/0000:18:00.1/numa_node").write_text("1\n")
    assert config(tree, "--ports", "18:00.0,18:00.1") == ExitCode.INVALID
    assert "0000:18:00.0 is on NUMA node 0, 0000:18:00.1 on 1" in capsys.readouterr().err
    assert config(tree, "--ports", "18:00.0,18:00.1", "--ignore-numa") == ExitCode.DONE
    assert "platform" not in capsys.readouterr().out


def test_the_way_out_of_the_machine_is_never_t_rex_s(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "proc/net").mkdir(parents=True)
    row = "ens1f0\t00000000\t0100A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0"
    (tree / "proc/net/route").write_text(f"Iface Destination ...\n{row}\n")
    assert config(tree, "--ports", "18:00.0,18:00.1") == ExitCode.INVALID
    assert "ens1f0 has a default route" in capsys.readouterr().err
