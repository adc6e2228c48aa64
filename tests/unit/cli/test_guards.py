"""What keeps a plan from being made, the same for `plan`, `apply` and `rollback`, and what lifts each guard."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stats_segment import StatsServer, router
from tests.unit.cli.conftest import GI1, GI3, Run, Serve, Terminal, errors_of, runner, two_ports
from vppcfg.app.approval import Terms
from vppcfg.app.change_context import locked_context
from vppcfg.app.console import Silent
from vppcfg.app.rollback import go_back
from vppcfg.app.target import Target
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode, PlanRefusedError
from vppcfg.simulator.stats import Zeros
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.vpp.live import connect
from vppcfg.wire.shell import show

pytestmark = pytest.mark.usefixtures("files")

ONE = f"interfaces:\n  {GI1}: {{ mtu: 1500, addresses: [ 192.0.2.1/30 ] }}\n  {GI3}: {{ mtu: 1500 }}\n"
OTHER = ONE.replace("192.0.2.1/30", "198.51.100.1/30")
SHOWN = {"plan": ("--format", "diff")}
"""How a command shows the difference, where it would show something else."""
PROTECTED = f"{OTHER}protected: [ {GI1} ]\n"


@pytest.fixture
def run(vpp: str, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command on the VPP, nobody there to be asked, and return exit code, standard output and standard error."""
    run = runner(vpp, capsys, consents=False)
    for name, text in (("one.yaml", ONE), ("other.yaml", OTHER), ("protected.yaml", PROTECTED)):
        Path(name).write_text(text)
    assert run("apply", "-c", "one.yaml")[0] == ExitCode.DONE
    return run


def at_a_terminal(monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(answer))


@pytest.mark.parametrize("command", [("plan",), ("apply", "--yes")], ids=lambda words: words[0])
def test_plan_and_apply_refuse_alike_and_a_word_lifts_it(run: Run, command: tuple[str, ...]) -> None:
    err = errors_of(ExitCode.REFUSED, run, *command, "-c", "protected.yaml")
    assert f"the plan has impact on what the file protects: remove on {GI1}" in err
    assert "--override-protected does it all the same" in err
    assert run(*command, "-c", "protected.yaml", "--override-protected")[0] == ExitCode.DONE


@pytest.mark.parametrize("command", [("plan",), ("apply", "--yes")], ids=lambda words: words[0])
def test_max_impact_is_a_guard_of_both(run: Run, command: tuple[str, ...]) -> None:
    err = errors_of(ExitCode.REFUSED, run, *command, "-c", "other.yaml", "--max-impact", "recreate")
    assert "the plan's impact is remove, more than --max-impact recreate" in err
    assert "--max-impact remove allows it" in err
    assert run(*command, "-c", "other.yaml", "--max-impact", "remove")[0] == ExitCode.DONE


@pytest.fixture
def full_table(vpp: str) -> Iterator[None]:
    """Have the VPP tell by its statistics that it has a full table."""
    with StatsServer(Path(vpp).with_name("stats.sock"), router() | {"/net/route/to": Zeros(800_000)}, 16 << 20):
        yield


@pytest.mark.usefixtures("full_table")
@pytest.mark.parametrize("command", [("plan",), ("apply", "--yes")], ids=lambda words: words[0])
def test_a_step_that_stops_forwarding_for_long_is_named_and_refused_on_request(
    run: Run, command: tuple[str, ...]
) -> None:
    Path("down.yaml").write_text(ONE.replace("mtu: 1500, addresses", "state: down, mtu: 1500, addresses"))
    err = errors_of(ExitCode.REFUSED, run, *command, "-c", "down.yaml", "--max-pause", "50")
    assert f"while it takes {GI1} down, more than --max-pause 50" in err
    code, out, err = run(*command, "-c", "down.yaml", "--max-pause", "20000", *SHOWN.get(command[0], ()))
    assert code == ExitCode.DONE
    assert f"while it takes {GI1} down (800,000 routes that may lead there)" in out
    assert ("VPP answered its slowest step after" in err) == (command[0] == "apply")
    if command[0] == "apply":
        code, out, err = run("rollback", "--yes", "--max-pause", "1", "--format", "json")
        assert json.loads(out.splitlines()[0])["pause_ms"] == 0
        assert 0 < json.loads(out.splitlines()[-1])["longest_answer_ms"] < 10_000


@pytest.mark.parametrize("command", ["plan", "apply"])
def test_what_is_not_known_is_too_long(run: Run, command: str) -> None:
    Path("down.yaml").write_text(ONE.replace("mtu: 1500, addresses", "state: down, mtu: 1500, addresses"))
    err = errors_of(ExitCode.REFUSED, run, command, "-c", "down.yaml", "--max-pause", "60000")
    assert "it is not known for how long VPP will forward nothing" in err
    assert "and VPP's statistics could not be read" in err
    assert run("plan", "-c", "other.yaml", "--max-pause", "0.1")[0] == ExitCode.INVALID


@pytest.mark.parametrize("command", [("plan",), ("apply", "--yes")], ids=lambda words: words[0])
def test_a_mass_deletion_is_refused_by_both(run: Run, command: tuple[str, ...]) -> None:
    subs = "".join(f"      {number}: {{ mtu: 1500 }}\n" for number in range(1, 13))
    Path("many.yaml").write_text(
        ONE.replace(f"{GI3}: {{ mtu: 1500 }}", f"{GI3}:\n    mtu: 1500\n    sub-interfaces:\n{subs}")
    )
    assert run("apply", "-c", "many.yaml")[0] == ExitCode.DONE
    assert "--allow-mass-deletion does it all the same" in errors_of(ExitCode.REFUSED, run, *command, "-c", "one.yaml")
    assert run(*command, "-c", "one.yaml", "--allow-mass-deletion")[0] == ExitCode.DONE


@pytest.mark.parametrize("command", [("plan",), ("apply", "--yes")], ids=lambda words: words[0])
def test_a_file_that_was_rolled_back_is_refused_by_both(run: Run, command: tuple[str, ...]) -> None:
    run("apply", "--yes", "-c", "other.yaml")
    run("rollback", "--yes")
    err = errors_of(ExitCode.REFUSED, run, *command, "-c", "other.yaml")
    assert "this very file was rolled back (change 2" in err
    assert "--again" in err
    assert run(*command, "-c", "other.yaml", "--again")[0] == ExitCode.DONE


@pytest.mark.parametrize("command", [("plan",), ("apply", "--yes")], ids=lambda words: words[0])
def test_a_change_that_waits_is_refused_by_both(run: Run, command: tuple[str, ...]) -> None:
    assert run("apply", "--yes", "-c", "other.yaml", "--confirm=5")[0] == ExitCode.DONE
    assert "change 2 waits to be confirmed" in errors_of(ExitCode.REFUSED, run, *command, "-c", "one.yaml")
    run("confirm")
    assert run(*command, "-c", "one.yaml")[0] == ExitCode.DONE


@pytest.mark.parametrize("plan", [("-c", "protected.yaml"), ("--show", "kept")], ids=["made", "kept"])
def test_json_says_why_apply_would_refuse(run: Run, plan: tuple[str, ...]) -> None:
    run("plan", "-c", "protected.yaml", "--save", "kept", "--override-protected")
    code, out, _ = run("plan", *plan, "--format", "json")
    assert code == ExitCode.REFUSED
    assert json.loads(out)["refusals"] == [f"the plan has impact on what the file protects: remove on {GI1}"]


def test_a_plan_that_apply_would_refuse_is_not_kept(run: Run) -> None:
    assert run("plan", "-c", "protected.yaml", "--save", "kept")[0] == ExitCode.REFUSED
    assert not Path("kept").exists()
    assert run("plan", "-c", "protected.yaml", "--save", "kept", "--override-protected")[0] == ExitCode.DONE
    assert "what the file protects" in errors_of(ExitCode.REFUSED, run, "apply", "--yes", "kept")
    assert run("apply", "--yes", "kept", "--override-protected")[0] == ExitCode.DONE


@pytest.mark.parametrize("command", [("plan", "--show"), ("apply", "--yes")], ids=lambda words: words[0])
def test_a_plan_that_is_kept_has_the_guards_when_it_is_shown_and_when_it_is_applied(
    run: Run, command: tuple[str, ...]
) -> None:
    assert run("plan", "-c", "protected.yaml", "--save", "kept", "--override-protected")[0] == ExitCode.DONE
    err = errors_of(ExitCode.REFUSED, run, *command, "kept")
    assert f"the plan has impact on what the file protects: remove on {GI1}" in err
    err = errors_of(ExitCode.REFUSED, run, *command, "kept", "--override-protected", "--max-impact", "flap")
    assert "more than --max-impact flap" in err
    assert run(*command, "kept", "--override-protected")[0] == ExitCode.DONE


@pytest.mark.parametrize("command", [("plan", "--show"), ("apply", "--yes")], ids=lambda words: words[0])
def test_a_plan_that_is_kept_of_a_file_that_was_rolled_back_is_refused(run: Run, command: tuple[str, ...]) -> None:
    run("apply", "--yes", "-c", "other.yaml")
    run("rollback", "--yes")
    assert run("plan", "-c", "other.yaml", "--again", "--save", "kept")[0] == ExitCode.DONE
    assert "this very file was rolled back (change 2" in errors_of(ExitCode.REFUSED, run, *command, "kept")
    assert run(*command, "kept", "--again")[0] == ExitCode.DONE


@pytest.mark.parametrize("command", [("plan", "--show"), ("apply", "--yes")], ids=lambda words: words[0])
def test_a_plan_that_is_kept_waits_for_a_change_that_waits(run: Run, command: tuple[str, ...]) -> None:
    assert run("plan", "-c", "other.yaml", "--save", "kept")[0] == ExitCode.DONE
    assert run("apply", "--yes", "-c", "other.yaml", "--confirm=5")[0] == ExitCode.DONE
    assert "change 2 waits to be confirmed" in errors_of(ExitCode.REFUSED, run, *command, "kept")
    run("rollback", "--yes")


def test_a_rollback_has_the_guards_of_the_file_that_is_in_force(run: Run) -> None:
    assert run("apply", "--yes", "-c", "protected.yaml", "--override-protected")[0] == ExitCode.DONE
    assert f"what the file protects: remove on {GI1}" in errors_of(ExitCode.REFUSED, run, "rollback", "--yes")
    assert run("rollback", "--yes", "--max-impact", "flap", "--override-protected")[0] == ExitCode.REFUSED
    assert run("rollback", "--yes", "--override-protected")[0] == ExitCode.DONE


def test_the_timer_passes_the_guards_with_a_warning(run: Run, vpp: str, caplog: pytest.LogCaptureFixture) -> None:
    assert run("apply", "--yes", "-c", "protected.yaml", "--override-protected")[0] == ExitCode.DONE
    with locked_context(Target(api_socket=vpp), "vppcfg rollback", closes_open_changes=False) as place:
        with pytest.raises(PlanRefusedError):
            go_back(place.records[-1], place, Terms(), Silent())
        assert go_back(place.records[-1], place, Terms(), Silent(), is_timer=True).code is ExitCode.DONE
    assert f"The plan has impact on what the file protects: remove on {GI1}" in caplog.text


def test_a_boot_passes_the_guards_with_a_warning(run: Run) -> None:
    assert run("apply", "--yes", "-c", "protected.yaml", "--override-protected")[0] == ExitCode.DONE
    assert run("apply", "--yes", "-c", "one.yaml", "--state-dir", "elsewhere")[0] == ExitCode.DONE
    err = errors_of(ExitCode.DONE, run, "apply", "--boot", "-c", "protected.yaml")
    assert f"WARNING ] root.main: The plan has impact on what the file protects: remove on {GI1}" in err


def test_nobody_at_a_terminal_and_no_yes_is_refused_where_there_is_impact(run: Run) -> None:
    err = errors_of(ExitCode.REFUSED, run, "apply", "-c", "other.yaml")
    assert f"the plan has impact (remove on {GI1}), and there is no terminal to ask at; nothing was changed" in err
    assert "--yes does it without a question" in err
    assert run("apply", "--yes", "-c", "other.yaml")[0] == ExitCode.DONE
    assert run("rollback")[0] == ExitCode.REFUSED
    assert run("rollback", "--yes")[0] == ExitCode.DONE


@pytest.mark.parametrize(
    ("answer", "expected"), [("y\n", ExitCode.DONE), ("\n", ExitCode.REFUSED), ("", ExitCode.REFUSED)]
)
def test_at_a_terminal_whatever_has_impact_is_asked(
    run: Run, monkeypatch: pytest.MonkeyPatch, answer: str, expected: ExitCode
) -> None:
    at_a_terminal(monkeypatch, answer)
    assert f"Impact: remove on {GI1}. Go on? [y/N]" in errors_of(expected, run, "apply", "-c", "other.yaml")
    if expected is ExitCode.DONE:
        at_a_terminal(monkeypatch, answer)
        assert run("rollback")[0] == ExitCode.DONE


def test_the_question_repeats_no_impact_that_stands_right_above_it(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    at_a_terminal(monkeypatch, "n\n")
    with monkeypatch.context() as patched:
        patched.setattr(sys.stdout, "isatty", lambda: True)
        code, out, err = run("apply", "--color", "never", "-c", "other.yaml")
    assert code == ExitCode.REFUSED
    assert out.endswith(f"impact: remove on {GI1}\n")
    assert err.splitlines()[-2].startswith("Go on? [y/N] ")
    assert "mpact" not in err.partition("Go on?")[2]


def test_what_has_no_impact_is_not_asked(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("more.yaml").write_text(ONE.replace("[ 192.0.2.1/30 ]", "[ 192.0.2.1/30, 203.0.113.1/30 ]"))
    err = errors_of(ExitCode.DONE, run, "apply", "-c", "more.yaml")
    assert "Go on?" not in err


def test_force_is_an_error_that_names_what_came_in_its_place(run: Run) -> None:
    for command in ("apply", "plan"):
        err = errors_of(ExitCode.INVALID, run, command, "-c", "other.yaml", "--force")
        for option in ("--override-protected", "--allow-mass-deletion", "--again", "--no-way-back"):
            assert option in err


def test_a_saved_state_has_the_guards_too(run: Run) -> None:
    Path("state.yaml").write_text(ONE)
    assert run("plan", "-c", "protected.yaml", "--state", "state.yaml")[0] == ExitCode.REFUSED


VRFS = f"vrfs:\n  red: {{ id: 100 }}\ninterfaces:\n  {GI1}: {{ mtu: 1500, vrf: red }}\n  {GI3}: {{ mtu: 1500 }}\n"


def typed(socket: str, *lines: str) -> None:
    """Type lines at the prompt of a VPP."""
    with connect(socket) as plane:
        for line in lines:
            assert show(plane._connection, line) == (0, "")


@pytest.fixture
def routed(vpp: str, run: Run) -> Run:
    """Return how to run a command on a VPP in whose VRF somebody has typed routes."""
    Path("vrfs.yaml").write_text(VRFS)
    Path("renamed.yaml").write_text(VRFS.replace("red", "blue"))
    assert run("apply", "--yes", "-c", "vrfs.yaml")[0] == ExitCode.DONE
    several = [f"10.{number}.0.0/16" for number in range(8, 15)]
    typed(vpp, *(f"ip route add {prefix} table 100 via 10.0.0.2" for prefix in reversed(several)))
    typed(vpp, f"ip route add 2001:db8:9::/48 table 100 via {GI1}")
    return run


@pytest.mark.parametrize("command", [("plan",), ("apply", "--yes")], ids=lambda words: words[0])
def test_typed_routes_of_a_table_that_goes_are_lost_with_consent_alone(routed: Run, command: tuple[str, ...]) -> None:
    err = errors_of(ExitCode.REFUSED, routed, *command, "-c", "one.yaml")
    assert "the plan takes away what vppcfg does not manage: ipv4-VRF:100: 7 routes of the prompt: lost" in err
    assert "ipv6-VRF:100: route of the prompt 2001:db8:9::/48 table 100" in err
    assert "--lose-unmanaged does it all the same" in err
    assert routed("diff", "-c", "vrfs.yaml", "--detailed-exitcode")[0] == ExitCode.DONE
    assert routed(*command, "-c", "one.yaml", "--lose-unmanaged")[0] == ExitCode.DONE


@pytest.mark.parametrize("words", [("-c", "one.yaml"), ("--rollback", "2")], ids=["file", "rollback"])
def test_a_difference_names_the_typed_routes_that_are_lost(routed: Run, words: tuple[str, ...]) -> None:
    code, out, _ = routed("diff", *words)
    assert code == ExitCode.DONE
    assert "ipv4-VRF:100: 7 routes of the prompt: lost" in out


def test_typed_routes_are_carried_over_when_a_table_gets_another_name(routed: Run, vpp: str) -> None:
    with Target(api_socket=vpp).connect() as dataplane:
        state = dataplane.observe()
        before = dataplane.unmanaged(state.vrfs, state)
        assert len(before) == 8
        code, out, _ = routed("apply", "--yes", "-c", "renamed.yaml")
        assert code == ExitCode.DONE
        assert "ipv4-VRF:100: 7 routes of the prompt: carried over" in out
        assert dataplane.unmanaged(state.vrfs, dataplane.observe()) == before


def test_a_rollback_asks_for_consent_too_and_a_timer_goes_back_and_says_so(
    routed: Run, vpp: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert routed("rollback", "--yes")[0] == ExitCode.REFUSED
    with locked_context(Target(api_socket=vpp), "vppcfg rollback", closes_open_changes=False) as place:
        made = go_back(place.journal.record(2), place, Terms(), Silent(), is_timer=True)
    assert made.code is ExitCode.DONE
    assert "ipv4-VRF:100: 7 routes of the prompt: lost" in caplog.text


LEFT = ("192.0.2.9", "02:00:5e:00:53:09")
NEIGHBOR = f"""
interfaces:
  {GI1}: {{ mtu: 1500, addresses: [ 192.0.2.1/24 ], neighbors: {{ {LEFT[0]}: "02:00:5e:00:53:05" }} }}
  {GI3}: {{ mtu: 1500 }}
"""
LOOPBACK = f"{ONE}loopbacks: {{ loop7: {{ mtu: 1500 }} }}\n"


@pytest.fixture
def left(serve: Serve, capsys: pytest.CaptureFixture[str]) -> tuple[Run, str]:
    """Return how to run a command on a VPP 25.10 that has a neighbour of a loopback which is gone, and its path."""
    vpp = serve(SimulatedVpp(ports=two_ports(), release="25.10"))
    run = runner(vpp, capsys, consents=False)
    for name, text in (("one.yaml", ONE), ("neighbor.yaml", NEIGHBOR), ("loopback.yaml", LOOPBACK)):
        Path(name).write_text(text)
    assert run("apply", "--yes", "-c", "one.yaml")[0] == ExitCode.DONE
    with connect(vpp) as plane:
        for line in ("create loopback interface", f"set ip neighbor loop0 {LEFT[0]} {LEFT[1]} static"):
            assert show(plane._connection, line)[0] == 0
        assert show(plane._connection, "delete loopback interface intfc loop0") == (0, "")
    return run, vpp


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (
            "neighbor.yaml",
            f"VPP would end when the static neighbour {LEFT[0]} is entered or taken out, for it has kept one of a "
            f"deleted interface ({LEFT[0]} at index 3)",
        ),
        (
            "loopback.yaml",
            f"VPP has kept static neighbours of deleted interfaces ({LEFT[0]} at index 3), which loop7 or another "
            "new interface would inherit",
        ),
    ],
)
@pytest.mark.parametrize("command", [("plan",), ("apply", "--yes")], ids=lambda words: words[0])
def test_a_neighbor_that_is_left_of_a_deleted_interface_ends_no_vpp_and_lands_nowhere(
    left: tuple[Run, str], command: tuple[str, ...], file: str, text: str
) -> None:
    run, vpp = left
    err = errors_of(ExitCode.REFUSED, run, *command, "-c", file)
    assert text in err
    assert f"`set ip neighbor del loopN {LEFT[0]} {LEFT[1]}` there; then delete these loopbacks" in err
    assert run("plan", "-c", "one.yaml", "--detailed-exitcode")[0] == ExitCode.DONE
    typed(vpp, f"set ip neighbor {GI3} 192.0.2.8 02:00:5e:00:53:08 static")
    assert run("apply", "--yes", "-c", "one.yaml")[0] == ExitCode.DONE, "other neighbours can be changed"


@pytest.mark.parametrize("file", ["neighbor.yaml", "loopback.yaml"])
def test_once_it_is_taken_out_as_the_hint_says_the_plan_is_made(left: tuple[Run, str], file: str) -> None:
    run, vpp = left
    with connect(vpp) as plane:
        assert show(plane._connection, "create loopback interface")[0] == 0
    typed(vpp, f"set ip neighbor del loop0 {' '.join(LEFT)}", "delete loopback interface intfc loop0")
    assert run("apply", "--yes", "-c", file)[0] == ExitCode.DONE
    assert run("diff", "-c", file, "--detailed-exitcode")[0] == ExitCode.DONE


def test_a_range_that_vpp_tells_with_the_index_of_its_table_is_not_taken_for_one_of_another(
    serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    vpp = serve(SimulatedVpp(ports=two_ports(), release="25.06"))
    Path("red.yaml").write_text(f"{ONE}vrfs: {{ red: {{ id: 1 }}, blue: {{ id: 7 }} }}\n")
    assert main(["apply", "--yes", "-c", "red.yaml", "-a", vpp]) == ExitCode.DONE
    typed(vpp, "set arp proxy table-id 7 start 192.0.2.10 end 192.0.2.20")
    assert main(["diff", "-c", "red.yaml", "-a", vpp, "--detailed-exitcode"]) == ExitCode.DONE
    capsys.readouterr()
    assert main(["dump", "-a", vpp]) == ExitCode.DONE
    assert "proxy_arp" not in capsys.readouterr().out


def test_a_journal_that_cannot_be_written_stops_plan_and_apply(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in ("file", "file/below"):
        for command in (["plan"], ["apply", "--yes"]):
            code, _, err = run(*command, "-c", "other.yaml", "--state-dir", str(tmp_path / place))
            assert (command, code) == (command, ExitCode.REFUSED)
            assert "cannot use " in err


def test_a_journal_on_a_read_only_file_system_stops_plan(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vppcfg.transaction.folders.os.access", lambda path, mode: False)
    err = errors_of(ExitCode.REFUSED, run, "plan", "-c", "other.yaml", "--state-dir", str(tmp_path))
    assert "`vppcfg apply` would refuse this: cannot use" in err
    assert "Permission denied" in err
