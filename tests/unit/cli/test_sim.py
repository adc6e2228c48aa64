"""`vppcfg sim`: how the simulated VPP starts, and that it ends without leaving its socket."""

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests import forked
from tests.unit.cli.conftest import consenting
from tests.unit.cli.test_confirm import until
from tests.unit.simulator.test_faults import boot_time
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

Start = Callable[..., forked.Child]

STATE = {
    "format_version": 1,
    "interfaces": {
        "eth0": {
            "kind": "physical",
            "device_class": "dpdk",
            "mac": "02:fe:00:00:00:02",
            "link_mtu": 9000,
            "packet_mtu": 1500,
            "is_up": True,
        }
    },
}


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a simulated VPP on `vpp.sock` in a scratch folder and wait until it listens; kill it at the end."""
    started = []
    said = tmp_path / "sim.log"

    def start_and_wait(*arguments: str) -> forked.Child:
        with open(said, "wb") as file:
            started.append(forked.Child(["sim", "--socket", "vpp.sock", *arguments], err=file, folder=tmp_path))
        until(lambda: "is listening on vpp.sock" in said.read_text(), "it listens")
        return started[-1]

    yield start_and_wait
    for simulator in started:
        simulator.kill()


def vppcfg(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return forked.run(consenting(arguments), 60, directory)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_is_its_normal_end(start: Start, tmp_path: Path, number: signal.Signals) -> None:
    simulator = start("--phy", "eth0")
    assert (tmp_path / "vpp.sock").is_socket()
    assert simulator.end(number, 30) == ExitCode.DONE
    assert not (tmp_path / "vpp.sock").exists()


def test_a_socket_that_somebody_answers_at_is_refused(start: Start, tmp_path: Path) -> None:
    start()
    second = vppcfg(tmp_path, "sim", "--socket", "vpp.sock")
    assert second.returncode == ExitCode.INVALID
    assert "vppcfg: error: " in second.stderr
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(tmp_path / "vpp.sock"))


def test_a_stale_socket_is_replaced(start: Start, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(tmp_path / "vpp.sock"))
    start()
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(tmp_path / "vpp.sock"))


def test_a_file_in_the_place_of_the_socket_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "precious").write_text("data")
    assert main(["sim", "--socket", str(tmp_path / "precious")]) == ExitCode.INVALID
    assert (tmp_path / "precious").read_text() == "data"
    assert "is no socket" in capsys.readouterr().err


def test_it_starts_with_the_state_of_a_file(start: Start, tmp_path: Path) -> None:
    (tmp_path / "state.json").write_text(json.dumps(STATE))
    start("--state", "state.json")
    dumped = vppcfg(tmp_path, "dump", "-a", "vpp.sock", "--format", "json")
    assert dumped.returncode == ExitCode.DONE, dumped.stderr
    interface = json.loads(dumped.stdout)["interfaces"]["eth0"]
    assert (interface["link_mtu"], interface["packet_mtu"], interface["is_up"]) == (9000, 1500, True)


def test_it_has_the_version_and_the_ports_that_it_is_told(start: Start, tmp_path: Path) -> None:
    version = "23.06-rc0~35-gaf4046134"
    start("--version", version, "--api-dir", "api", "--phy", "eth7,class=rdma,link-mtu=2000,mac=02:fe:00:00:00:01")
    dumped = vppcfg(tmp_path, "dump", "-a", "vpp.sock", "-j", "api", "--format", "json")
    assert dumped.returncode == ExitCode.DONE, dumped.stderr
    shown = json.loads(dumped.stdout)
    assert shown["facts"]["version"] == version
    interface = shown["interfaces"]["eth7"]
    assert (interface["device_class"], interface["link_mtu"], interface["mac"]) == ("rdma", 2000, "02:fe:00:00:00:01")


def test_it_dies_when_told(start: Start, tmp_path: Path) -> None:
    (tmp_path / "router.yaml").write_text("interfaces: { eth0: { mtu: 1500 } }\n")
    simulator = start("--phy", "eth0", "--die-at", "1")
    applying = forked.Child(["apply", "--yes", "-c", "router.yaml", "-a", "vpp.sock"], folder=tmp_path)
    assert simulator.wait(30) == ExitCode.DONE
    applying.kill()
    assert not (tmp_path / "vpp.sock").exists()


def test_it_comes_back_unconfigured_when_told(start: Start, tmp_path: Path) -> None:
    (tmp_path / "router.yaml").write_text("interfaces: { eth0: { mtu: 1500 } }\n")
    simulator = start("--phy", "eth0", "--die-at", "2", "--restart", "0")
    before = boot_time(tmp_path / "stats.sock")
    assert vppcfg(tmp_path, "apply", "-c", "router.yaml", "-a", "vpp.sock").returncode != ExitCode.DONE
    assert simulator.poll() is None
    assert vppcfg(tmp_path, "apply", "-c", "router.yaml", "-a", "vpp.sock").returncode == ExitCode.DONE
    assert boot_time(tmp_path / "stats.sock") > before


def test_the_stats_socket_of_another_vpp_is_left_alone(start: Start, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as other:
        other.bind(str(tmp_path / "stats.sock"))
        other.listen()
        command = [sys.executable, "-m", "vppcfg", "sim", "--socket", "vpp.sock"]
        with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            assert "There is no stats segment" in process.stderr.readline()
            assert "is listening on" in process.stderr.readline()
            process.terminate()
            assert process.wait(timeout=30) == ExitCode.DONE
    assert (tmp_path / "stats.sock").is_socket()


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (["--fail-at", "1"], ExitCode.ROLLED_BACK),
        (["--lie-at", "1"], ExitCode.ROLLED_BACK),
        (["--skip-at", "3"], ExitCode.DIFFERENT),
        (["--skip-at", "2-"], ExitCode.STRANDED),
        (["--late-at", "1", "--late", "0.2"], ExitCode.DONE),
        (["--hang-at", "1", "--hang", "0.2"], ExitCode.DONE),
        (["--pace", "0.1"], ExitCode.DONE),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_each_fault_has_an_option(start: Start, tmp_path: Path, fault: list[str], expected: ExitCode) -> None:
    (tmp_path / "router.yaml").write_text("interfaces: { eth0: { mtu: 1500 } }\n")
    start("--phy", "eth0", *fault)
    assert vppcfg(tmp_path, "apply", "-c", "router.yaml", "-a", "vpp.sock").returncode == expected


@pytest.mark.parametrize(
    "arguments",
    [
        *([], ["--socket", "no/such/folder/vpp.sock"], ["--socket", "vpp.sock", "--phy", "eth0,nonsense=1"]),
        *(["--socket", "vpp.sock", "--phy", "eth0,link-mtu=many"], ["--socket", "vpp.sock", "--version", "1.0"]),
        *(["--socket", "vpp.sock", "--version", "nonsense"], ["--socket", "vpp.sock", "--state", "missing.json"]),
        *(["--socket", "vpp.sock", "--state", "text.json"], ["--socket", "vpp.sock", "--fail-at", "0"]),
        *(["--socket", "vpp.sock", "--fail-at", "3-2"], ["--socket", "vpp.sock", "--skip-at", "1,,2"]),
        *(["--socket", "vpp.sock", "--late-at", "-"], ["--socket", "vpp.sock", "--die-at", "-1"]),
        ["--socket", "vpp.sock", "--restart", "-1"],
        ["--socket", "vpp.sock", "--stats-socket", "no/such/folder/stats.sock"],
        ["--socket", "vpp.sock", "--delay", "nan"],
        ["--socket", "vpp.sock", "--delay", "soon"],
        ["--socket", "vpp.sock", "--api-dir", "text.json"],
        ["--socket", "x" * 120],
    ],
    ids=" ".join,
)
def test_wrong_arguments_are_errors_that_say_what_is_wrong(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "text.json").write_text('"text"')
    monkeypatch.chdir(tmp_path)
    assert main(["sim", *arguments]) == ExitCode.INVALID
    assert capsys.readouterr().err.startswith("vppcfg: error: ")
    assert not (tmp_path / "vpp.sock").exists()


def test_a_socket_that_is_a_folder_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sim", "--socket", "/"]) == ExitCode.INVALID
    assert "is no socket" in capsys.readouterr().err
