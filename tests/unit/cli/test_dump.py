"""`vppcfg dump`: a configuration that check accepts and whose plan is empty, or a state document."""

import json
from pathlib import Path

import pytest

from tests.unit.cli.conftest import GI1, GI3, L2XC, L3, Serve, two_ports
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.vpp import SimulatedVpp

pytestmark = pytest.mark.usefixtures("files")


@pytest.mark.parametrize("config", [None, "l2xc.yaml", "l3.yaml"])
def test_a_dump_is_valid_and_its_plan_is_empty(
    vpp: str, capsys: pytest.CaptureFixture[str], config: str | None
) -> None:
    if config is not None:
        assert main(["apply", "--yes", "-c", config, "-a", vpp]) == ExitCode.DONE
    assert main(["dump", "-a", vpp, "-o", "dumped.yaml"]) == ExitCode.DONE
    assert main(["check", "-c", "dumped.yaml"]) == ExitCode.DONE
    capsys.readouterr()
    assert main(["plan", "-c", "dumped.yaml", "-a", vpp, "--detailed-exitcode"]) == ExitCode.DONE
    assert capsys.readouterr().out == ""


def test_a_dump_is_the_file_that_was_applied(vpp: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["apply", "--yes", "-c", "l3.yaml", "-a", vpp])
    capsys.readouterr()
    assert main(["dump", "-a", vpp]) == ExitCode.DONE
    captured = capsys.readouterr()
    assert captured.out.replace("\n\n", "\n") == L3
    assert captured.err.endswith("lines to (stdout)\n")


def test_a_state_document_has_everything_that_was_read(vpp: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["apply", "--yes", "-c", "l3.yaml", "-a", vpp])
    capsys.readouterr()
    assert main(["dump", "-a", vpp, "--format", "json"]) == ExitCode.DONE
    document = json.loads(capsys.readouterr().out)
    assert document["interfaces"][GI1]["addresses"] == ["100.64.10.1/30"]
    assert document["lcps"][GI3]["host_name"] == "e3-0-0"


def test_what_the_language_cannot_say_is_unmanaged(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    vpp = serve(SimulatedVpp(ports=[*two_ports(), PhysicalPort(name="odd0", link_mtu=9000, packet_mtu=1400)]))
    assert main(["dump", "-a", vpp, "-o", "dumped.yaml"]) == ExitCode.DONE
    assert main(["plan", "-c", "dumped.yaml", "-a", vpp, "--detailed-exitcode"]) == ExitCode.DONE
    capsys.readouterr()
    main(["dump", "-a", vpp])
    assert "odd0" in capsys.readouterr().out.partition("unmanaged:")[2]


def test_a_vpp_that_does_not_run_exits_4(nobody: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dump", "-a", nobody]) == ExitCode.DATAPLANE
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("dump_format", ["yaml", "json"])
def test_a_file_that_exists_is_overwritten_by_force_alone(
    vpp: str, capsys: pytest.CaptureFixture[str], dump_format: str
) -> None:
    Path("mine.yaml").write_text("mine")
    dump = ["dump", "-a", vpp, "--format", dump_format, "-o"]
    assert main([*dump, "mine.yaml"]) == ExitCode.INVALID
    err = capsys.readouterr().err
    assert "mine.yaml exists, and is not overwritten\n" in err
    assert "name another file with -o, or overwrite this one with --force\n" in err
    assert Path("mine.yaml").read_text() == "mine"
    assert main([*dump, "mine.yaml", "--force"]) == ExitCode.DONE
    assert GI1 in Path("mine.yaml").read_text()
    assert main([*dump, "/dev/null"]) == ExitCode.DONE
    assert main(["dump", "-a", vpp, "--force"]) == ExitCode.INVALID
    assert "there is no -o" in capsys.readouterr().err


def test_a_file_gets_what_vpp_has_and_keeps_its_comments(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    socket = serve(SimulatedVpp(ports=two_ports()))
    assert main(["apply", "--yes", "-c", "l2xc.yaml", "-a", socket]) == ExitCode.DONE
    typed = "# Typed by hand.\n" + L3.replace("lcp: e1-0-0", "lcp: e1-0-0  # to Linux")
    Path("typed.yaml").write_text(typed)
    Path("typed.yaml").chmod(0o600)
    capsys.readouterr()
    assert main(["dump", "--into", "typed.yaml", "-a", socket]) == ExitCode.DONE
    captured = capsys.readouterr()
    assert captured.out == ""
    assert f"+    l2xc: {GI3}\n" in captured.err
    assert Path("typed.yaml").read_text() == f"# Typed by hand.\n{L2XC}"
    assert Path("typed.yaml.before-dump").read_text() == typed
    assert Path("typed.yaml.before-dump").stat().st_mode & 0o777 == 0o600
    assert main(["diff", "-c", "typed.yaml", "--detailed-exitcode", "-a", socket]) == ExitCode.DONE
    assert main(["dump", "--into", "typed.yaml", "-a", socket]) == ExitCode.DONE
    assert "typed.yaml already matches VPP\n" in capsys.readouterr().err
    assert main(["dump", "--into", "typed.yaml", "--format", "json", "-a", socket]) == ExitCode.INVALID
    assert main(["dump", "--into", "-", "-a", socket]) == ExitCode.INVALID
