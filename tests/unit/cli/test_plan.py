"""`vppcfg plan`: the two transcripts, formats, sources of the state, and exit codes."""

import json
from pathlib import Path

import pytest

from tests.unit.cli.conftest import GI1, GI3, TO_L2XC, TO_L3, Serve, two_ports
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.kinds.interface import SetTag
from vppcfg.kinds.tap.kind import CreateTap
from vppcfg.model.ownership import MARK
from vppcfg.model.tap import Tap
from vppcfg.operations.stages import Step
from vppcfg.operations.transition import Transition
from vppcfg.plan.steps import steps_of
from vppcfg.simulator.kinds.tap import TapMain
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.vpp.live import connect

VERSION = "23.06-rc0~35-gaf4046134"


def messages(err: str) -> list[str]:
    """Return log lines without level and logger."""
    return [line.partition(": ")[2] for line in err.splitlines()]


@pytest.fixture
def vpp(serve: Serve) -> str:
    """The socket of a VPP with the two ports, unconfigured, that serves its API definitions."""
    return serve(SimulatedVpp(ports=two_ports(), version=VERSION))


@pytest.mark.usefixtures("files")
def test_the_first_transcript_comes_out_line_by_line(vpp: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "-c", "l2xc.yaml", "-a", vpp]) == ExitCode.DONE
    captured = capsys.readouterr()
    assert captured.out == TO_L2XC
    assert messages(captured.err) == [
        "Loading configfile l2xc.yaml",
        "Configuration validated successfully",
        "Configuration is valid",
        f"VPP version is {VERSION}",
        "CLI lines, because standard output is no terminal; `--format diff` shows the difference",
        "Wrote 11 lines to (stdout)",
        "Planning succeeded",
    ]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("words", [["--format", "cli"], ["-o", "out.exec"]])
def test_who_asks_for_cli_lines_is_not_told_why_they_come(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--novpp", "-c", "l2xc.yaml", *words]) == ExitCode.DONE
    assert "no terminal" not in capsys.readouterr().err


@pytest.mark.usefixtures("files")
def test_the_second_transcript_comes_out_line_by_line(vpp: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["apply", "--yes", "-c", "l2xc.yaml", "-a", vpp]) == ExitCode.DONE
    capsys.readouterr()
    assert main(["plan", "-c", "l3.yaml", "-a", vpp]) == ExitCode.DONE
    captured = capsys.readouterr()
    assert captured.out == TO_L3
    assert "Wrote 9 lines to (stdout)" in messages(captured.err)


@pytest.mark.usefixtures("files")
def test_an_empty_plan_prints_nothing(vpp: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["apply", "--yes", "-c", "l2xc.yaml", "-a", vpp]) == ExitCode.DONE
    capsys.readouterr()
    assert main(["plan", "-c", "l2xc.yaml", "-a", vpp, "--detailed-exitcode"]) == ExitCode.DONE
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Nothing to do" in messages(captured.err)


@pytest.mark.usefixtures("files")
def test_a_plan_changes_nothing(vpp: str, capsys: pytest.CaptureFixture[str]) -> None:
    plans = []
    for _ in range(2):
        main(["plan", "-c", "l3.yaml", "-a", vpp])
        plans.append(capsys.readouterr().out)
    assert plans[0] == plans[1] != ""


@pytest.mark.usefixtures("files")
def test_pending_changes_have_an_exit_code_on_request(vpp: str) -> None:
    assert main(["plan", "-c", "l2xc.yaml", "-a", vpp, "--detailed-exitcode"]) == ExitCode.CHANGES_PENDING
    assert main(["plan", "-c", "l2xc.yaml", "-a", vpp]) == ExitCode.DONE


def test_a_plan_is_written_to_a_file(files: Path, vpp: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "-c", "l2xc.yaml", "-a", vpp, "-o", "plan.txt"]) == ExitCode.DONE
    captured = capsys.readouterr()
    assert captured.out == ""
    assert (files / "plan.txt").read_text() == TO_L2XC
    assert "Wrote 11 lines to plan.txt" in messages(captured.err)


@pytest.mark.usefixtures("files")
def test_a_plan_needs_no_vpp_when_the_file_says_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "-c", "l2xc.yaml", "--novpp"]) == ExitCode.DONE
    assert capsys.readouterr().out == TO_L2XC


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("dump_format", ["yaml", "json"])
def test_a_plan_against_a_saved_dump_is_that_against_the_vpp(
    vpp: str, capsys: pytest.CaptureFixture[str], dump_format: str
) -> None:
    main(["apply", "--yes", "-c", "l2xc.yaml", "-a", vpp])
    assert main(["dump", "-a", vpp, "--format", dump_format, "-o", "saved"]) == ExitCode.DONE
    capsys.readouterr()
    assert main(["plan", "-c", "l3.yaml", "--state", "saved"]) == ExitCode.DONE
    assert capsys.readouterr().out == TO_L3


@pytest.mark.usefixtures("files")
def test_a_difference_for_people_has_signs_and_a_summary(vpp: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "-c", "l3.yaml", "-a", vpp, "--format", "diff"]) == ExitCode.DONE
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        f"~ interfaces.{GI1}",
        "    mtu: 9000 -> 1500",
        "    state: down -> up",
        "    + lcp: e1-0-0",
        "    + addresses: 100.64.10.1/30",
        f"~ interfaces.{GI3}",
        "    mtu: 9000 -> 1500",
        "    state: down -> up",
        "    + lcp: e3-0-0",
        "    + addresses: 100.64.10.5/30",
        "  VPP forwards nothing for about 2.5 ms at once, 5 ms in all, while it makes Linux devices for "
        f"{GI1} and {GI3}",
        "0 to create, 2 to change, 0 to replace, 0 to remove",
        "impact: none",
    ]
    assert "\x1b" not in "".join(lines)


@pytest.mark.usefixtures("files")
def test_a_difference_is_coloured_when_told_but_never_in_a_file(
    files: Path, vpp: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["plan", "-c", "l3.yaml", "-a", vpp, "--format", "diff", "--color", "always"])
    assert "\x1b[33m" in capsys.readouterr().out
    main(["plan", "-c", "l3.yaml", "-a", vpp, "--format", "diff", "--color", "always", "-o", "plan.diff"])
    assert "\x1b" not in (files / "plan.diff").read_text()


@pytest.mark.usefixtures("files")
def test_json_is_one_document_with_every_operation(vpp: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "-c", "l2xc.yaml", "-a", vpp, "--format", "json"]) == ExitCode.DONE
    document = json.loads(capsys.readouterr().out)
    assert document["format_version"] == 2
    assert [operation["cli"] for operation in document["operations"]] == TO_L2XC.splitlines()[1:]


@pytest.mark.usefixtures("files")
def test_a_refused_plan_is_shown_all_the_same(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    vpp = serve(SimulatedVpp(ports=[*two_ports(), PhysicalPort(name="GigabitEthernet5/0/0")]))
    assert main(["plan", "-c", "l2xc.yaml", "-a", vpp]) == ExitCode.REFUSED
    captured = capsys.readouterr()
    assert captured.out == TO_L2XC
    assert "GigabitEthernet5/0/0" in captured.err
    assert "[phy-unlisted]" in captured.err


@pytest.mark.usefixtures("files")
def test_a_port_that_vpp_lacks_refuses_the_plan(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    vpp = serve(SimulatedVpp(ports=two_ports()[:1]))
    assert main(["plan", "-c", "l3.yaml", "-a", vpp]) == ExitCode.REFUSED
    assert "[phy-missing]" in capsys.readouterr().err


@pytest.mark.usefixtures("files")
def test_a_plugin_that_vpp_lacks_matters_only_to_a_file_that_needs_it(
    serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    vpp = serve(SimulatedVpp(ports=two_ports(), plugins=()))
    assert main(["plan", "-c", "l2xc.yaml", "-a", vpp]) == ExitCode.DONE
    assert main(["plan", "-c", "l3.yaml", "-a", vpp]) == ExitCode.DATAPLANE
    assert "[lcp-plugin-missing]" in capsys.readouterr().err


@pytest.mark.usefixtures("files")
def test_a_vpp_that_does_not_run_exits_4(nobody: str, capsys: pytest.CaptureFixture[str]) -> None:
    for path in (nobody, "missing.sock", "l3.yaml"):
        assert main(["plan", "-c", "l3.yaml", "-a", path]) == ExitCode.DATAPLANE
        captured = capsys.readouterr()
        assert captured.out == ""
        assert "vppcfg: error: " in captured.err


@pytest.fixture
def liar(serve: Serve) -> str:
    """The socket of a VPP that shows an interface as a TAP of ours, and knows of no TAP."""
    vpp = SimulatedVpp(ports=two_ports(), version=VERSION)
    socket = serve(vpp)
    with connect(socket) as dataplane:
        dataplane.perform(
            [CreateTap(interface="tap1", instance=1, tap=Tap(host_name="vm1")), SetTag(interface="tap1", tag=MARK)]
        )
    vpp.tables.part(TapMain).taps.remove(0)
    return socket


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("words", [["plan"], ["apply", "--yes"], ["diff"]], ids=" ".join)
def test_a_vpp_that_contradicts_itself_is_said_and_exits_4(
    words: list[str], liar: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "-c", "l3.yaml", "-a", liar]) == ExitCode.DATAPLANE
    err = capsys.readouterr().err
    assert "what VPP shows contradicts itself, and cannot be planned from" in err
    assert "the desired state of tap1" in err
    assert "vppcfg: hint: Nothing was changed." in err
    assert "bug" not in err


@pytest.mark.usefixtures("files")
def test_a_state_document_that_contradicts_itself_is_wrong_input(capsys: pytest.CaptureFixture[str]) -> None:
    document = {"format_version": 1, "interfaces": {GI1: {}, GI3: {}, "tap1": {"kind": "tap", "tag": MARK}}}
    Path("state.json").write_text(json.dumps(document))
    assert main(["plan", "-c", "l3.yaml", "--state", "state.json"]) == ExitCode.INVALID
    assert "state.json contradicts itself, and cannot be planned from" in capsys.readouterr().err


@pytest.mark.usefixtures("files")
def test_a_plan_that_is_wrong_from_a_sound_state_is_a_bug(
    vpp: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def without_pairs(transition: Transition) -> list[Step]:
        return [step for step in steps_of(transition) if not (transition.observed.lcps or transition.desired.lcps)]

    monkeypatch.setattr("vppcfg.plan.plan.steps_of", without_pairs)
    assert main(["plan", "-c", "l3.yaml", "-a", vpp]) == ExitCode.BUG
    assert "This is a bug in vppcfg" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["plan", "apply"])
def test_a_wrong_file_is_refused_before_vpp_is_asked(
    files: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    (files / "bad.yaml").write_text("interfaces: { eth0: { mtu: 1 }, eth1: { l2xc: eth7 } }")
    assert main([command, "-c", "bad.yaml", "-a", "missing.sock"]) == ExitCode.INVALID
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "bad.yaml: 2 errors" in captured.err
    assert "vppcfg: error: bad.yaml is not valid" in captured.err


@pytest.mark.usefixtures("files")
def test_only_one_source_of_the_state_can_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "-c", "l3.yaml", "--novpp", "--state", "l2xc.yaml"]) == ExitCode.INVALID


@pytest.mark.usefixtures("files")
def test_a_quiet_plan_is_the_plan_alone(vpp: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "-q", "-c", "l2xc.yaml", "-a", vpp]) == ExitCode.DONE
    assert capsys.readouterr() == (TO_L2XC, "")


def test_html_writes_a_page_beside_the_plan(tmp_path: Path) -> None:
    config, page = tmp_path / "r.yaml", tmp_path / "plan.html"
    config.write_text("interfaces:\n  eth0: { mtu: 9000 }\n")
    words = ["plan", "-c", str(config), "--novpp", "--html", str(page), "-o", str(tmp_path / "plan.txt")]
    assert main(words) == ExitCode.DONE
    text = page.read_text()
    assert text.startswith("<!doctype html>")
    assert "an unconfigured VPP" in text
    assert "set interface state eth0 up" in (tmp_path / "plan.txt").read_text()
