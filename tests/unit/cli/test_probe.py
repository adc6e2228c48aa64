"""`vppcfg probe` without a VPP: what would be sent, and what is in the way of a rehearsal."""

import io
import json
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Serve, two_ports
from vppcfg.cli.console import Terminal
from vppcfg.cli.main import main
from vppcfg.cli.output import ColourChoice
from vppcfg.errors import ExitCode, LinuxError, PlanRefusedError
from vppcfg.linux import private_vpp
from vppcfg.probe.frame import frame_bytes
from vppcfg.probe.outcome import Blame
from vppcfg.probe.report import ProbeReport, Suspect
from vppcfg.probe.verdict import ProbeFinding
from vppcfg.simulator.vpp import SimulatedVpp

ROUTER = str(Path(__file__).parents[1] / "probe/router.yaml")


def test_it_lists_what_would_be_sent_and_what_becomes_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", "-q", "-c", ROUTER]) == ExitCode.DONE
    lines = capsys.readouterr().out.splitlines()
    assert "bridge domain bd10" in lines
    place = lines.index("  unknown unicast is flooded")
    assert lines[place + 1].startswith("    in by GigabitEthernet1/0/")
    assert lines[place + 2].startswith("    leaves by ")
    assert any(line.startswith("not sent, ") for line in lines)
    assert lines[-1].endswith(" frames")


def test_it_lists_the_same_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", "-q", "--list", "--format", "json", "-c", ROUTER]) == ExitCode.DONE
    document = json.loads(capsys.readouterr().out)
    assert len(document["probes"]) > 100
    first = document["probes"][0]
    assert set(first) == {"about", "aim", "port", "frame", "bytes", "predicted", "or_predicted"}
    assert bytes.fromhex(first["bytes"])[:6].hex(":") == first["frame"].rpartition(" to ")[2]
    assert document["not_sent"][0]["count"] > 0


def test_a_folder_without_a_vpp_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["probe", "-c", ROUTER, "--rehearse", str(tmp_path)]) == ExitCode.INVALID
    assert f"there is no program {tmp_path}/bin/vpp" in capsys.readouterr().err


def test_a_rehearsal_needs_root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/vpp").touch(mode=0o755)
    monkeypatch.setattr("vppcfg.linux.private_vpp.os.geteuid", lambda: 1000)
    with pytest.raises(LinuxError, match="only root"), private_vpp.private_vpp(tmp_path):
        pass


def test_a_vpp_that_does_not_start_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "bin/vpp"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho no memory >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr("vppcfg.linux.private_vpp.os.geteuid", lambda: 0)
    monkeypatch.setattr("vppcfg.linux.private_vpp.isolation_command", lambda *_: ())
    monkeypatch.setattr("vppcfg.linux.private_vpp._TOOLS", ())
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert main(["probe", "-q", "-c", ROUTER, "--rehearse", str(tmp_path)]) == ExitCode.DATAPLANE
    assert "VPP does not start: no memory" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["bin"]


def test_a_frame_that_goes_elsewhere_is_told_with_its_way(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from vppcfg.app.rehearsing import probe_set_for
    from vppcfg.config.load import load

    configuration = load(ROUTER).configuration
    assert configuration is not None
    probe = probe_set_for(configuration).probes[0]
    blame = Blame(subject="interface GigabitEthernet1/0/0", aspect="vrf")
    findings = tuple(ProbeFinding(probe=probe, observation=None, blame=blame, text=f"wrong {n}") for n in range(5))
    report = ProbeReport(sent=9, suspects=(Suspect(subject=blame.subject, findings=findings),), unproved=())
    monkeypatch.setattr("vppcfg.app.rehearsing.rehearse", lambda *_: report)
    assert main(["probe", "-q", "-c", ROUTER, "--rehearse", "/usr"]) == ExitCode.DRIFT
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "interface GigabitEthernet1/0/0: 5 of the frames that it has to do with go elsewhere"
    assert lines[3] == "    wrong 0"
    assert lines[-2:] == ["  2 more", "VPP handled 5 of 9 frames otherwise than configured"]
    assert main(["probe", "-q", "-c", ROUTER, "--rehearse", "/usr", "--format", "json"]) == ExitCode.DRIFT
    document = json.loads(capsys.readouterr().out)
    assert document["wrong"] == 5
    assert document["suspects"][0]["findings"][4]["blame"] == "interface GigabitEthernet1/0/0: vrf"
    assert document["suspects"][0]["findings"][0]["bytes"] == frame_bytes(probe.frame).hex()


def test_a_simulated_vpp_says_that_no_frame_can_be_sent_into_it(
    serve: Serve, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["-a", serve(SimulatedVpp(ports=two_ports())), "--state-dir", str(tmp_path), "-c", ROUTER]
    assert main(["probe", "--inject", "-y", *words]) == ExitCode.DATAPLANE
    assert "this VPP has no packet generator, so no frame can be sent into it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--rate", "10"], "are about --inject"),
        (["--out-of-ports"], "are about --inject"),
        (["--inject", "--rate", "101"], "not a number of frames a second from 0.1 to 100"),
        (["--inject", "--rate", "nan"], "not a number of frames a second"),
        (["--inject", "--rehearse", "/usr"], "not allowed with"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    words: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = main(["probe", "-c", ROUTER, *words])
    except SystemExit as end:
        code = ExitCode(int(str(end.code)))
    assert code == ExitCode.INVALID
    assert text in capsys.readouterr().err


def test_without_a_terminal_nobody_can_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    with pytest.raises(PlanRefusedError, match="no terminal to ask at; nothing was sent"):
        Terminal(ColourChoice.NEVER, asks=True).agrees_to_send("5 frames will be sent.")
    assert Terminal(ColourChoice.NEVER).agrees_to_send("5 frames will be sent.")


@pytest.mark.parametrize(("answer", "is_agreed"), [("y\n", True), ("yes\n", True), ("\n", False), ("", False)])
def test_a_person_at_a_terminal_is_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], answer: str, *, is_agreed: bool
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(answer))
    monkeypatch.setattr("vppcfg.cli.console.is_terminal", lambda stream: True)
    assert Terminal(ColourChoice.NEVER, asks=True).agrees_to_send("5 frames will be sent.") == is_agreed
    assert capsys.readouterr().err == "5 frames will be sent.\nGo on? [y/N] "
