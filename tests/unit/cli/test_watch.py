"""`vppcfg watch` on a simulated VPP: one look, and a process that goes on whatever VPP, the file and the reader do."""

import json
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.unit.cli.conftest import GI1, GI3, Serve, two_ports
from tests.unit.cli.watching import DOCUMENT, LONG_S, SOURCES, Watching, event_of, wait_until
from tests.unit.render.test_prometheus import samples
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.kinds.interface import SetAdminState
from vppcfg.simulator.faults import Faults
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.vpp.live import connect

pytestmark = pytest.mark.usefixtures("files")


def said_by(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return what a watch said, without the times."""
    return [line.split(" ", 1)[1] for line in capsys.readouterr().out.splitlines()]


def test_one_look_exits_10_when_something_differs_and_one_line_says_so(
    vpp: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["watch", "--once", "-c", "l3.yaml", "-a", vpp]) == ExitCode.DRIFT
    assert said_by(capsys) == [
        "Connected to VPP",
        f"VPP differs from l3.yaml in 2 entries: ~ interfaces.{GI1}, ~ interfaces.{GI3}",
    ]


def test_with_v_it_says_what_differs_as_diff_does(vpp: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", "--once", "-v", "-c", "l3.yaml", "-a", vpp]) == ExitCode.DRIFT
    seen = said_by(capsys)
    assert main(["diff", "-c", "l3.yaml", "-a", vpp, "--quiet"]) == ExitCode.DONE
    shown = capsys.readouterr().out.splitlines()
    assert [line.rstrip() for line in seen[1:-1]] == [
        line.removesuffix("flap").rstrip() for line in shown if line[0] in "+~" or line.startswith("    ")
    ]


def test_a_dash_is_standard_output(vpp: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", "--once", "-c", "l3.yaml", "-a", vpp, "-o", "-"]) == ExitCode.DRIFT
    assert "VPP differs from l3.yaml" in capsys.readouterr().out
    assert not Path("-").exists()


def test_one_look_exits_0_when_nothing_does(vpp: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["apply", "--yes", "-c", "l3.yaml", "-a", vpp])
    capsys.readouterr()
    assert main(["watch", "--once", "-c", "l3.yaml", "-a", vpp]) == ExitCode.DONE
    assert capsys.readouterr().out.splitlines()[-1].endswith(" VPP matches l3.yaml")


def test_it_sees_what_plan_sees_and_changes_nothing(vpp: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dump", "-a", vpp, "--format", "json"]) == ExitCode.DONE
    before = capsys.readouterr().out
    main(["watch", "--once", "-c", "l3.yaml", "-a", vpp, "--format", "json"])
    seen = [event_of(line) for line in capsys.readouterr().out.splitlines()]
    main(["diff", "-c", "l3.yaml", "-a", vpp])
    shown = capsys.readouterr().out.splitlines()
    found = [event for event in seen if event["event"] == "difference"]
    assert [event["text"] for event in found] == [line.split("  ")[0] for line in shown if line[0] in "+~!-"]
    assert [line for event in found for line in event["lines"]] == [
        line.strip() for line in shown if line.startswith("    ")
    ]
    main(["dump", "-a", vpp, "--format", "json"])
    assert capsys.readouterr().out == before


def test_every_event_is_in_the_schema_and_the_other_way_round() -> None:
    written = re.findall(r'(?:event="|_notify\(\s*")(\w+)"', "".join(path.read_text() for path in SOURCES))
    described = [kind["properties"]["event"]["const"] for kind in DOCUMENT["oneOf"]]
    assert sorted(written) == sorted(described)


def test_what_is_unmanaged_is_no_drift(vpp: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("left_alone.yaml").write_text(f"interfaces: {{ {GI1}: {{}} }}\nunmanaged: [ 'GigabitEthernet3/*' ]\n")
    main(["apply", "--yes", "-c", "left_alone.yaml", "-a", vpp])
    with connect(vpp) as plane:
        plane.perform([SetAdminState(interface="GigabitEthernet3/0/0", is_up=True)])
    assert main(["watch", "--once", "-c", "left_alone.yaml", "-a", vpp]) == ExitCode.DONE


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (f"interfaces: {{ {GI1}: {{}} }}\n", ExitCode.DRIFT),
        (f"interfaces: {{ {GI1}: {{ mtu: 9000, state: down }} }}\n", ExitCode.REFUSED),
        (f"interfaces: {{ {GI1}: {{ mtu: 9000, state: down }}, GigabitEthernet9/0/0: {{}} }}\n", ExitCode.REFUSED),
        ("interfaces: [", ExitCode.INVALID),
    ],
)
def test_what_stands_between_file_and_vpp_has_the_exit_code_that_plan_has(
    vpp: str, content: str, expected: ExitCode, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("other.yaml").write_text(content)
    assert main(["watch", "--once", "-c", "other.yaml", "-a", vpp]) == expected
    if expected is not ExitCode.DRIFT:
        assert main(["plan", "-c", "other.yaml", "-a", vpp]) == expected


def test_nobody_at_the_socket_exits_4_and_the_metrics_say_so(nobody: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["watch", "--once", "-c", "l3.yaml", "-a", nobody, "--format", "prometheus", "-o", "vppcfg.prom"]
    assert main(words) == ExitCode.DATAPLANE
    found = samples(Path("vppcfg.prom").read_text())
    assert (found["vppcfg_vpp_up"], found["vppcfg_in_sync"]) == (0, 0)


def test_metrics_are_replaced_in_one_step_and_may_be_read_by_others(vpp: str) -> None:
    words = ["watch", "--once", "-c", "l3.yaml", "-a", vpp, "--format", "prometheus", "-o", "vppcfg.prom"]
    main(words)
    first = Path("vppcfg.prom").stat()
    assert samples(Path("vppcfg.prom").read_text())['vppcfg_differences{section="interfaces",action="update"}'] == 2
    main(["apply", "--yes", "-c", "l3.yaml", "-a", vpp])
    main(words)
    assert samples(Path("vppcfg.prom").read_text())["vppcfg_in_sync"] == 1
    assert Path("vppcfg.prom").stat().st_ino != first.st_ino
    assert first.st_mode & 0o444 == 0o444
    assert not [entry for entry in os.listdir() if entry.startswith(".vppcfg.prom")]


def test_lines_are_added_to_a_file(vpp: str) -> None:
    for _ in range(2):
        main(["watch", "--once", "-c", "l3.yaml", "-a", vpp, "-o", "watch.log"])
    assert Path("watch.log").read_text().count("VPP differs from l3.yaml") == 2


@pytest.mark.parametrize(
    "words",
    [
        ["--format", "prometheus"],
        ["--interval", "0"],
        ["--interval", "nan"],
        ["--interval", "often"],
        ["--once", "-o", "no/such/folder/watch.log"],
        ["--format", "xml"],
        ["-c", "missing.yaml"],
    ],
)
def test_wrong_usage_exits_3(words: list[str], nobody: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", "-c", "l3.yaml", "-a", nobody, *words]) == ExitCode.INVALID
    assert "vppcfg: error: " in capsys.readouterr().err


def test_it_brings_vpp_to_the_file(vpp: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", "--once", "--reconcile", "-c", "l3.yaml", "-a", vpp]) == ExitCode.DONE
    assert "VPP was brought to l3.yaml" in capsys.readouterr().out
    assert main(["plan", "-c", "l3.yaml", "-a", vpp, "--detailed-exitcode"]) == ExitCode.DONE
    capsys.readouterr()
    main(["history", "-a", vpp])
    assert "reconcile" in capsys.readouterr().out


def test_what_it_must_not_do_it_leaves_alone(vpp: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["apply", "--yes", "-c", "l3.yaml", "-a", vpp])
    capsys.readouterr()
    words = ["watch", "--once", "--reconcile", "--max-impact", "flap", "-c", "l2xc.yaml", "-a", vpp]
    assert main(words) == ExitCode.DRIFT
    assert "more than --max-impact flap" in capsys.readouterr().out
    assert main(["plan", "-c", "l3.yaml", "-a", vpp, "--detailed-exitcode"]) == ExitCode.DONE


def test_what_was_rolled_back_is_not_brought_back(vpp: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["apply", "--yes", "-c", "l2xc.yaml", "-a", vpp])
    assert main(["rollback", "--yes", "-a", vpp]) == ExitCode.DONE
    capsys.readouterr()
    assert main(["watch", "--once", "--reconcile", "-c", "l2xc.yaml", "-a", vpp]) == ExitCode.DRIFT
    assert "was rolled back" in capsys.readouterr().out


def test_it_does_not_end_vpp_where_apply_refuses(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """A map of DET44 ends a VPP that has kept a deleted interface."""
    simulated = SimulatedVpp(ports=two_ports())
    det44 = ("det44 plugin enable", "create loopback interface", "set interface det44 outside loop0")
    for line in (*det44, "delete loopback interface intfc loop0"):
        simulated.run_line(line)
    vpp = serve(simulated)
    content = Path("l3.yaml").read_text()
    Path("maps.yaml").write_text(f"{content}\ndet44: {{ maps: {{ 10.0.0.0/24: 203.0.113.0/28 }} }}\n")
    assert main(["watch", "--once", "--reconcile", "-c", "maps.yaml", "-a", vpp]) == ExitCode.DRIFT
    assert "has kept a deleted interface" in capsys.readouterr().out


def test_what_fails_on_the_way_is_undone(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    vpp = serve(SimulatedVpp(ports=two_ports(), faults=Faults(fail_at=5)))
    assert main(["watch", "--once", "--reconcile", "-c", "l2xc.yaml", "-a", vpp]) == ExitCode.DRIFT
    assert "could not be brought to l2xc.yaml: exit code 6" in capsys.readouterr().out


Start = Callable[..., Watching]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a watch; kill it at the end of the test."""
    started: list[Watching] = []

    def begin(*words: str, **settings: int) -> Watching:
        watching = Watching(list(words), **settings)
        started.append(watching)
        return watching

    yield begin
    for watching in started:
        watching.tidy()


def up(path: str, name: str, *, is_up: bool) -> None:
    """Bring an interface up or down behind everybody's back."""
    with connect(path) as plane:
        assert plane.perform([SetAdminState(interface=name, is_up=is_up)]).refusals == ()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_follows_vpp_and_a_signal_is_its_normal_end(vpp: str, start: Start, number: signal.Signals) -> None:
    main(["apply", "--yes", "-c", "l3.yaml", "-a", vpp])
    watching = start("-c", "l3.yaml", "-a", vpp, "--format", "json", "--interval", "3600")
    watching.hears("in_sync")
    up(vpp, GI1, is_up=False)
    assert watching.hears("difference")["name"] == GI1
    up(vpp, GI1, is_up=True)
    watching.hears("gone")
    watching.hears("in_sync", 2)
    assert watching.end(number) == ExitCode.DONE
    assert watching.errors[-1].endswith("Stopped\n")
    assert [event["event"] for event in watching.events] == [
        *("connected", "in_sync", "difference", "drift", "gone", "in_sync")
    ]


def test_it_survives_a_restart_of_vpp(tmp_path: Path, start: Start) -> None:
    path = str(tmp_path / "api.sock")
    faults = Faults(die_at=15, restart_s=1.5)
    with SimulatorServer(SimulatedVpp(ports=two_ports(), faults=faults), path, stats_path=tmp_path / "stats.sock"):
        assert main(["apply", "--yes", "-c", "l2xc.yaml", "-a", path]) == ExitCode.DONE
        watching = start("-c", "l2xc.yaml", "-a", path, "--format", "json", "--interval", "3600")
        watching.hears("in_sync")
        main(["apply", "-c", "l3.yaml", "-a", path, "--yes"])
        watching.hears("lost")
        watching.hears("restarted")
        watching.hears("drift")
        assert watching.end() == ExitCode.DONE


def test_it_reads_the_file_again_when_it_changes_and_when_asked(vpp: str, start: Start) -> None:
    main(["apply", "--yes", "-c", "l3.yaml", "-a", vpp])
    file = Path("watched.yaml")
    file.write_text(Path("l3.yaml").read_text())
    watching = start("-c", "watched.yaml", "-a", vpp, "--format", "json", "--interval", "3600")
    watching.hears("in_sync")
    file.write_text(Path("l3.yaml").read_text().replace("1500", "1600"))
    watching.hears("file_loaded")
    watching.hears("drift")
    file.write_text("interfaces: [")
    watching.hears("file_invalid")
    file.write_text(Path("l3.yaml").read_text())
    watching.hears("in_sync", 2)
    before = sum(event["event"] == "file_loaded" for event in watching.events)
    watching.process.send_signal(signal.SIGHUP)
    watching.hears("file_loaded", before + 1)
    assert watching.end() == ExitCode.DONE


def test_an_apply_in_between_is_no_drift(serve: Serve, start: Start) -> None:
    """Each step takes its time, and VPP tells of them as they are made."""
    vpp = serve(SimulatedVpp(ports=two_ports(), faults=Faults(pace_s=0.2)))
    main(["apply", "--yes", "-c", "l2xc.yaml", "-a", vpp])
    watching = start("-c", "l3.yaml", "-a", vpp, "--format", "json", "--interval", "1")
    watching.hears("drift")
    said = len(watching.events)
    assert main(["apply", "-c", "l3.yaml", "-a", vpp, "--yes"]) == ExitCode.DONE
    watching.hears("in_sync")
    assert {event["event"] for event in watching.events[said:]} == {"gone", "in_sync"}
    assert watching.end() == ExitCode.DONE


def test_it_reconciles_again_and_again(vpp: str, start: Start) -> None:
    watching = start("-c", "l3.yaml", "-a", vpp, "--format", "json", "--interval", "3600", "--reconcile", "--quiet")
    watching.hears("reconciled")
    watching.hears("in_sync")
    up(vpp, GI1, is_up=False)
    watching.hears("reconciled", 2)
    watching.hears("in_sync", 2)
    assert main(["plan", "-c", "l3.yaml", "-a", vpp, "--detailed-exitcode"]) == ExitCode.DONE
    assert watching.end() == ExitCode.DONE


def test_it_ends_when_its_reader_has_left(vpp: str) -> None:
    line = (
        f"{shlex.quote(sys.executable)} -m vppcfg watch -c l3.yaml -a {vpp} --interval 1 --format json"
        " | head -n 1; exit $PIPESTATUS"
    )
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False, timeout=LONG_S)
    assert done.returncode == ExitCode.DONE, done.stderr
    assert json.loads(done.stdout)["event"] == "connected"
    assert "Traceback" not in done.stderr


def once_in_a_shell(redirected: str) -> int:
    line = f"{shlex.quote(sys.executable)} -m vppcfg watch --once -v -c l3.yaml {redirected}; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False, timeout=LONG_S)
    assert "Traceback" not in done.stderr
    return done.returncode


@pytest.mark.parametrize("redirected", ["| true", ">&-"])
def test_one_look_exits_10_whoever_reads_what_it_found(vpp: str, redirected: str) -> None:
    assert once_in_a_shell(f"-a {vpp} {redirected}") == ExitCode.DRIFT


@pytest.mark.parametrize("written", ["", "-o /dev/full", "--format prometheus -o /dev/full"])
def test_one_look_that_cannot_be_written_is_an_error(vpp: str, written: str) -> None:
    assert once_in_a_shell(f"-a {vpp} {written} > /dev/full") == ExitCode.INVALID


def test_it_ends_with_its_terminal(vpp: str, start: Start) -> None:
    master, slave = pty.openpty()
    watching = start("-c", "l3.yaml", "-a", vpp, "--interval", "3600", stdout=slave)
    os.close(slave)
    assert b"Connected" in os.read(master, 1000)
    os.close(master)
    watching.process.send_signal(signal.SIGHUP)
    assert watching.process.wait(LONG_S) == ExitCode.DONE


def test_metrics_keep_up_with_vpp(tmp_path: Path, start: Start) -> None:
    path, metrics = str(tmp_path / "api.sock"), tmp_path / "vppcfg.prom"

    def value(series: str) -> float | None:
        return samples(metrics.read_text()).get(series) if metrics.exists() else None

    server = SimulatorServer(SimulatedVpp(ports=two_ports()), path, stats_path=tmp_path / "stats.sock")
    with server:
        main(["apply", "--yes", "-c", "l3.yaml", "-a", path])
        watching = start(
            *("-c", "l3.yaml", "-a", path, "--format", "prometheus", "-o", str(metrics), "--interval", "3600")
        )
        wait_until(lambda: value("vppcfg_in_sync") == 1, lambda: str(watching.errors))
        assert (value("vppcfg_vpp_boot_timestamp_seconds") or 0) > 1_700_000_000
        up(path, GI1, is_up=False)
        wait_until(lambda: value('vppcfg_differences{section="interfaces",action="update"}') == 1)
    wait_until(lambda: value("vppcfg_vpp_up") == 0)
    assert value("vppcfg_in_sync") == 0
    assert watching.end() == ExitCode.DONE
