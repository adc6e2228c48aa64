"""What surrounds an apply: the lock, the journal, saved plans, guards, history, rollback, confirmation."""

import json
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.cli.conftest import GI1, GI3, L2XC, L3, Run, Serve, errors_of, runner, two_ports
from vppcfg.app.booting import await_ports
from vppcfg.cli.main import main
from vppcfg.config.load import Loaded, load
from vppcfg.entries.yaml.files import SourceFiles
from vppcfg.errors import ExitCode
from vppcfg.model.problem import Problem, ProblemList
from vppcfg.simulator.faults import Faults
from vppcfg.simulator.kinds.acl import AclMain
from vppcfg.simulator.load import load_ports
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.transaction.folders import folder_name
from vppcfg.transaction.lock import Holder, Lock

pytestmark = pytest.mark.usefixtures("files")


def is_at(run: Run, config: str) -> bool:
    return run("diff", "-c", config, "--detailed-exitcode")[0] == ExitCode.DONE


def statuses(run: Run) -> list[str]:
    return [change["status"] for change in json.loads(run("history", "--format", "json")[1])["changes"]]


def test_a_second_vppcfg_is_told_who_holds_the_lock(run: Run, vpp: str, folders_of_this_test: Path) -> None:
    folder = folders_of_this_test / "run"
    folder.mkdir()
    holder = Holder(pid=4711, command="vppcfg apply", since="2026-01-02T03:04:05+00:00")
    with Lock(folder / f"{folder_name(vpp)}.lock", holder):
        code, _, err = run("apply", "-c", "l3.yaml")
    assert code == ExitCode.NOT_NOW
    assert "vppcfg apply, process 4711, since 2026-01-02T03:04:05+00:00" in err
    assert run("apply", "-c", "l3.yaml")[0] == ExitCode.DONE
    assert list(folder.iterdir()) == []


def test_what_moves_is_announced_and_said_by_plan_apply_and_rollback(run: Run, files: Path) -> None:
    (files / "moved.yaml").write_text(L3.replace(GI1, "X").replace(GI3, GI1).replace("X", GI3))
    assert run("apply", "-c", "l3.yaml")[0] == ExitCode.DONE
    code, plan, _ = run("plan", "-c", "moved.yaml")
    moved = sorted(line for line in plan.splitlines() if line.startswith("arping"))
    assert (code, len(moved)) == (ExitCode.DONE, 2), plan
    found = json.loads(run("plan", "-c", "moved.yaml", "--format", "json")[1])["announcements"]
    assert (sorted(each["cli"] for each in found), {each["is_sent"] for each in found}) == (moved, {True})
    code, out, err = run("apply", "-c", "moved.yaml", "-y")
    assert (code, "Announced 2 addresses" in err) == (ExitCode.DONE, True), out
    events = [json.loads(line) for line in run("rollback", "-y", "--format", "json")[1].splitlines()]
    assert [(each["addresses"], each["failures"]) for each in events if each["event"] == "announce"] == [(2, [])]


def test_at_boot_a_second_vppcfg_waits_for_the_first(run: Run, vpp: str, folders_of_this_test: Path) -> None:
    """An apply whose VPP has died still holds the lock for a moment when the new VPP is to be configured."""
    assert not is_at(run, "l3.yaml")
    folder = folders_of_this_test / "run"
    folder.mkdir()
    lock = Lock(folder / f"{folder_name(vpp)}.lock", Holder(pid=4711, command="vppcfg apply", since=""))
    lock.acquire()
    timer = threading.Timer(1.0, lock.release)
    timer.start()
    assert run("apply", "--boot", "-c", "l3.yaml")[0] == ExitCode.DONE
    timer.join()
    assert is_at(run, "l3.yaml")


def test_at_boot_a_file_that_changes_while_it_is_read_is_another(
    run: Run, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def edited_and_loaded(name: SourceFiles) -> Loaded:
        (files / str(name)).write_text(L3)
        return load(name)

    assert run("apply", "-c", "l2xc.yaml")[0] == ExitCode.DONE
    with monkeypatch.context() as patch:
        patch.setattr("vppcfg.app.loading.load", edited_and_loaded)
        assert run("apply", "--boot", "-c", "l2xc.yaml")[0] == ExitCode.DONE
    (files / "l2xc.yaml").write_text(L2XC)
    assert is_at(run, "l2xc.yaml")


@pytest.mark.parametrize("text", ["interfaces: { nonsense", "interfaces: { GigabitEthernet1/0/0: { mtu: 1 } }", None])
def test_at_boot_a_file_that_is_no_use_is_as_good_as_another(run: Run, files: Path, text: str | None) -> None:
    assert run("apply", "-c", "l3.yaml")[0] == ExitCode.DONE
    if text is None:
        (files / "l3.yaml").unlink()
    else:
        (files / "l3.yaml").write_text(text)
    err = errors_of(ExitCode.DONE, run, "apply", "--boot", "-c", "l3.yaml")
    assert "l3.yaml is not what was applied last (change 1): that comes back" in err
    (files / "l3.yaml").write_text(L3)
    assert is_at(run, "l3.yaml")


def test_at_boot_what_was_applied_comes_back_though_a_newer_vppcfg_refuses_its_file(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("apply", "-c", "l3.yaml")[0] == ExitCode.DONE
    with monkeypatch.context() as newer:
        problem = Problem(rule="bvi-undefined", path=("interfaces",), text="no longer")
        newer.setattr("vppcfg.config.load.check_rules", lambda index: ProblemList([problem]))
        err = errors_of(ExitCode.DONE, run, "apply", "--boot", "-c", "l3.yaml")
    assert "no longer" in err
    assert "this vppcfg refuses l3.yaml, which was applied last (change 1): its state comes back" in err
    assert is_at(run, "l3.yaml")


@pytest.mark.parametrize("text", ["interfaces: { nonsense", None])
def test_a_first_boot_needs_a_file_that_can_be_applied(run: Run, files: Path, text: str | None) -> None:
    (files / "l3.yaml").unlink()
    if text is not None:
        (files / "l3.yaml").write_text(text)
    assert run("apply", "--boot", "-c", "l3.yaml")[0] == ExitCode.INVALID


def late_port(serve: Serve) -> str:
    """Serve a VPP that makes its second port a moment after it has begun to answer, and return its socket."""
    first, second = two_ports()
    vpp = SimulatedVpp(ports=[first])
    threading.Timer(1.0, lambda: load_ports(vpp.tables, [replace(second, mac="02:00:5e:00:53:02")])).start()
    return serve(vpp)


def test_a_boot_waits_for_ports(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """Those that VPP's own start-up file makes come after its API answers."""
    assert main(["apply", "--boot", "-c", "l3.yaml", "-a", late_port(serve)]) == ExitCode.DONE
    assert f"Waiting for VPP to make {GI3}" in capsys.readouterr().err


def test_a_boot_to_an_older_state_waits_for_ports_too(
    serve: Serve, files: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    vpp = SimulatedVpp(ports=two_ports())
    socket = serve(vpp)
    assert main(["apply", "--yes", "-c", "l3.yaml", "-a", socket]) == ExitCode.DONE
    (files / "l3.yaml").write_text(L2XC)
    first, second = two_ports()
    vpp._ports = [first]
    vpp.restart()
    threading.Timer(1.0, lambda: load_ports(vpp.tables, [replace(second, mac="02:00:5e:00:53:02")])).start()
    assert main(["apply", "--boot", "-c", "l3.yaml", "-a", socket]) == ExitCode.DONE
    (files / "l3.yaml").write_text(L3)
    assert main(["plan", "-c", "l3.yaml", "-a", socket, "--detailed-exitcode"]) == ExitCode.DONE


def test_a_boot_does_not_wait_for_ports_for_ever() -> None:
    now_s = 0.0

    def sleep(duration_s: float) -> None:
        nonlocal now_s
        now_s += duration_s

    await_ports(lambda: (GI1,), 60, lambda: now_s, sleep)
    assert 50 < now_s <= 60


def test_the_journal_has_the_plan_and_the_way_back(run: Run, journal: Path) -> None:
    plan = run("plan", "-c", "l3.yaml")[1]
    run("apply", "-c", "l3.yaml")
    entry = journal / "000001"
    assert (entry / "plan.txt").read_text() == plan
    assert f"set interface ip address del {GI1} 100.64.10.1/30" in (entry / "reverse.txt").read_text()
    assert {path.stat().st_mode & 0o777 for path in entry.iterdir()} == {0o640}
    assert entry.stat().st_mode & 0o7777 == 0o2770


def test_history_tells_who_did_what_and_how_it_ended(run: Run) -> None:
    assert run("history")[2].endswith("No change was made to VPP at " + run("history")[2].split(" at ")[-1])
    run("apply", "-c", "l2xc.yaml")
    run("apply", "-c", "l3.yaml")
    run("rollback", "1", "--yes")
    code, out, _ = run("history")
    assert code == ExitCode.DONE
    assert out.count("rolled back") == 2
    assert len(out.splitlines()) == 3
    assert "  rollback 1  applied " in out
    assert statuses(run) == ["rolled back", "rolled back", "applied"]


def test_rollback_goes_back_one_change_after_the_other(run: Run) -> None:
    for config in ("l2xc.yaml", "l3.yaml"):
        assert run("apply", "-c", config)[0] == ExitCode.DONE
    assert run("rollback", "--yes")[0] == ExitCode.DONE
    assert is_at(run, "l2xc.yaml")
    assert run("rollback", "--yes")[0] == ExitCode.DONE
    assert not is_at(run, "l2xc.yaml")
    assert "no change is in force" in errors_of(ExitCode.REFUSED, run, "rollback", "--yes")


def test_rollback_makes_a_bond_again_whose_ports_stay_as_they_are(run: Run, files: Path) -> None:
    ports = "".join(f"  {name}: {{ mtu: 1500 }}\n" for name in (GI1, GI3))
    bond = f"  BondEthernet0: {{ mtu: 1500 }}\nbondethernets:\n  BondEthernet0: {{ interfaces: [ {GI1}, {GI3} ] }}\n"
    for name, text in (("bond.yaml", bond), ("ports.yaml", "")):
        (files / name).write_text(f"interfaces:\n{ports}{text}")
        assert run("apply", "-c", name)[0] == ExitCode.DONE
    assert run("rollback", "--yes")[0] == ExitCode.DONE
    assert is_at(run, "bond.yaml")


def test_apply_and_rollback_say_what_does_not_come_back_in_every_detail(
    serve: Serve, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A sub-interface that is up below a port that is down does not forward, and comes back down."""
    vpp = SimulatedVpp(ports=two_ports())
    run = runner(serve(vpp), capsys)
    (files / "ports.yaml").write_text(f"interfaces:\n  {GI1}: {{ mtu: 1500 }}\n  {GI3}: {{ mtu: 1500 }}\n")
    for line in (
        f"create sub-interfaces {GI1} 10",
        f"set interface state {GI1} up",
        f"set interface state {GI1}.10 up",
    ):
        vpp.run_line(line)
    vpp.run_line(f"set interface state {GI1} down")
    detail = f"but not in every detail: interface {GI1}.10 (is up)"
    assert detail in errors_of(ExitCode.DONE, run, "apply", "-c", "ports.yaml")
    assert detail in errors_of(ExitCode.DONE, run, "rollback", "--yes")


def test_a_rollback_leaves_off_what_an_agent_has_detached_since(
    serve: Serve, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vpp = SimulatedVpp(ports=two_ports())
    vpp.run_line("set acl-plugin acl deny src 198.51.100.0/24 tag flowspec-v4")
    run = runner(serve(vpp), capsys)
    for mtu in (1500, 1400):
        text = f'interfaces: {{ {GI1}: {{ mtu: {mtu}, acls: {{}} }} }}\nunmanaged: [ "acl:flowspec-*", {GI3} ]\n'
        (files / f"{mtu}.yaml").write_text(text)
        assert run("apply", "-c", f"{mtu}.yaml")[0] == ExitCode.DONE
        vpp.run_line(f"set acl-plugin interface {GI1} input acl 0{' del' if mtu == 1400 else ''}")
    assert run("rollback", "--yes")[0] == ExitCode.DONE
    assert is_at(run, "1500.yaml")
    port = vpp.tables.named(GI1)
    assert port is not None and vpp.tables.part(AclMain).inputs.of(port.index) == []


def test_diff_compares_the_file_with_vpp(run: Run) -> None:
    run("apply", "-c", "l2xc.yaml")
    code, out, _ = run("diff", "-c", "l3.yaml")
    assert code == ExitCode.DONE
    assert "    + addresses: 100.64.10.1/30\n    - l2xc: " in out
    assert out == run("plan", "-c", "l3.yaml", "--format", "diff")[1]
    assert run("diff", "-c", "l3.yaml", "--detailed-exitcode")[0] == ExitCode.CHANGES_PENDING
    code, out, err = run("diff", "-c", "l2xc.yaml", "--detailed-exitcode")
    assert (code, out) == (ExitCode.DONE, "")
    assert "No difference" in err


def test_diff_of_a_file_that_vpp_cannot_have_exits_as_plan_does(run: Run) -> None:
    Path("other.yaml").write_text("interfaces: { eth9: {} }\n")
    code, out, err = run("diff", "-c", "other.yaml", "--detailed-exitcode")
    assert (code, out) == (run("plan", "-c", "other.yaml")[0], "")
    assert code == ExitCode.REFUSED
    assert "VPP has no interface eth9" in err


def test_diff_of_a_change_shows_what_it_did_forwards(run: Run) -> None:
    run("apply", "-c", "l2xc.yaml")
    run("apply", "-c", "l3.yaml")
    code, out, _ = run("diff", "2")
    assert code == ExitCode.DONE
    assert "    + addresses: 100.64.10.1/30\n    - l2xc: " in out
    assert run("diff", "2", "--detailed-exitcode")[0] == ExitCode.CHANGES_PENDING


def test_diff_of_two_changes_compares_the_states_after_them(run: Run) -> None:
    run("apply", "-c", "l2xc.yaml")
    run("apply", "-c", "l3.yaml")
    run("apply", "-c", "l2xc.yaml")
    there, back = run("diff", "1", "2")[1], run("diff", "2", "1")[1]
    assert "    + addresses: 100.64.10.1/30\n" in there
    assert "    - addresses: 100.64.10.1/30\n" in back
    code, out, err = run("diff", "1", "3", "--detailed-exitcode")
    assert (code, out) == (ExitCode.DONE, "")
    assert "No difference" in err


def test_diff_of_two_changes_wants_accepted_ones(run: Run) -> None:
    run("apply", "-c", "l2xc.yaml")
    run("apply", "-c", "l3.yaml")
    run("rollback", "--yes")
    err = errors_of(ExitCode.REFUSED, run, "diff", "1", "2")
    assert "change 2 was not accepted, it is: rolled back" in err
    assert "hint: `vppcfg diff 2` shows what it did\n" in err


def test_diff_shows_what_a_rollback_would_do(run: Run) -> None:
    run("apply", "-c", "l2xc.yaml")
    run("apply", "-c", "l3.yaml")
    code, out, _ = run("diff", "2", "--rollback")
    assert code == ExitCode.DONE
    assert "    - addresses: 100.64.10.1/30\n" in out
    run("rollback", "2", "--yes")
    assert "No difference" in run("diff", "--rollback", "2")[2]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--rollback"], "--rollback needs the number of a change"),
        (["1", "2", "--rollback"], "--rollback goes with one change"),
        (["1", "-c", "l3.yaml"], "name a change or a configuration, not both"),
        (["l3.yaml"], "'l3.yaml' is not the number of a change; a configuration file is named with -c"),
    ],
)
def test_wrong_usage_of_diff_is_said(run: Run, words: list[str], text: str) -> None:
    err = errors_of(ExitCode.INVALID, run, "diff", *words)
    assert text in err


def test_a_saved_plan_is_shown_with_its_impact_and_that_it_fits(run: Run) -> None:
    run("apply", "-c", "l2xc.yaml")
    run("plan", "-c", "l3.yaml", "--save", "saved.plan")
    code, out, err = run("plan", "--show", "saved.plan", "--format", "diff")
    assert code == ExitCode.DONE
    assert out == run("plan", "-c", "l3.yaml", "--format", "diff")[1]
    assert "impact: remove on " in out
    assert "It fits" in err
    assert run("plan", "--show", "saved.plan")[1] == run("plan", "-c", "l3.yaml")[1]
    assert run("plan", "--show", "saved.plan", "--detailed-exitcode")[0] == ExitCode.CHANGES_PENDING


def test_a_saved_plan_that_is_stale_is_shown_with_what_has_moved(run: Run) -> None:
    run("plan", "-c", "l3.yaml", "--save", "saved.plan")
    run("apply", "-c", "l2xc.yaml")
    code, out, err = run("plan", "--show", "saved.plan", "--format", "diff")
    assert code == ExitCode.REFUSED
    assert "    + addresses: 100.64.10.1/30\n" in out
    assert "since then this has moved:\n" in err
    assert "    + l2xc: " in err
    assert "the plan is stale: VPP is not as it was when the plan was made" in err


def test_a_saved_plan_is_shown_for_what_it_was_made_for_alone(run: Run) -> None:
    run("plan", "-c", "l3.yaml", "--save", "saved.plan")
    err = errors_of(ExitCode.INVALID, run, "plan", "--show", "saved.plan", "-c", "l3.yaml")
    assert "--show takes no configuration" in err


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-40]), "was cut off or edited"),
        (lambda path: path.write_bytes(path.read_bytes().replace(b"9000", b"9001")), "was cut off or edited"),
        (lambda path: path.write_bytes(path.read_bytes().replace(b'"format_version": 1', b'"format_version": 2', 1)),
         "was written by another version of vppcfg"),
        (lambda path: path.write_text("{}"), "is not a journal before of vppcfg"),
        (lambda path: path.chmod(0o646), "everybody may write"),
        (lambda path: os.chown(path, 4242, -1), "belongs to user id 4242"),
        (lambda path: (path.rename(path.with_name("x")), path.symlink_to("x")), "cannot read"),
    ],
    ids=["truncated", "edited", "of another version", "something else", "for everybody", "somebody else's", "a link"],
)  # fmt: skip
def test_a_journal_from_somebody_elses_hand_is_refused(
    run: Run, journal: Path, damage: Callable[[Path], object], text: str
) -> None:
    if "4242" in text and os.geteuid() != 0:
        pytest.skip("only root can give files away")
    run("apply", "-c", "l3.yaml")
    damage(journal / "000001" / "before.json")
    err = errors_of(ExitCode.REFUSED, run, "rollback", "--yes")
    assert text in err
    assert is_at(run, "l3.yaml")


def many(count: int) -> str:
    subs = "".join(f"      {number}: {{ mtu: 1500 }}\n" for number in range(1, count + 1))
    below = f"    sub-interfaces:\n{subs}" if count else ""
    return f"interfaces:\n  {GI1}:\n    mtu: 1500\n{below}  {GI3}: {{ mtu: 1500 }}\n"


@pytest.mark.parametrize(("count", "left", "expected"), [
    (12, 0, ExitCode.REFUSED), (9, 0, ExitCode.DONE), (30, 18, ExitCode.DONE), (30, 10, ExitCode.REFUSED),
])  # fmt: skip
def test_a_mass_deletion_asks_for_a_word(run: Run, count: int, left: int, expected: ExitCode) -> None:
    Path("many.yaml").write_text(many(count))
    Path("few.yaml").write_text(many(left))
    assert run("apply", "-c", "many.yaml")[0] == ExitCode.DONE
    err = errors_of(expected, run, "apply", "-c", "few.yaml")
    assert ("the plan deletes" in err) is (expected is ExitCode.REFUSED)
    assert run("apply", "-c", "few.yaml", "--allow-mass-deletion")[0] == ExitCode.DONE


def test_a_rollback_that_deletes_much_wants_the_same_word(run: Run) -> None:
    Path("many.yaml").write_text(many(12))
    run("apply", "-c", "many.yaml")
    assert "--allow-mass-deletion does it all the same" in errors_of(ExitCode.REFUSED, run, "rollback")
    assert run("rollback", "--allow-mass-deletion")[0] == ExitCode.DONE


def test_a_saved_plan_is_applied_as_it_was_shown(run: Run) -> None:
    shown = run("plan", "-c", "l3.yaml", "--save", "saved.plan")[1]
    assert Path("saved.plan").stat().st_mode & 0o777 == 0o640
    assert f"set interface ip address {GI1} 100.64.10.1/30" in shown
    assert run("apply", "saved.plan")[0] == ExitCode.DONE
    assert is_at(run, "l3.yaml")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_saved_plan_that_a_foreign_group_may_write_is_refused(run: Run) -> None:
    run("plan", "-c", "l3.yaml", "--save", "saved.plan")
    os.chown("saved.plan", -1, 4244)
    Path("saved.plan").chmod(0o664)
    assert "group id 4244 may write" in errors_of(ExitCode.REFUSED, run, "apply", "saved.plan")
    assert not is_at(run, "l3.yaml")


def test_a_saved_plan_is_stale_once_vpp_has_moved(run: Run) -> None:
    run("plan", "-c", "l3.yaml", "--save", "saved.plan")
    run("apply", "-c", "l2xc.yaml")
    err = errors_of(ExitCode.REFUSED, run, "apply", "saved.plan")
    moved = "VPP is not as it was when the plan was made; since then this has moved:\n"
    assert f"{moved}~ interfaces.{GI1}\n    mtu: 9000 -> 1500\n" in err
    assert is_at(run, "l2xc.yaml")


def test_a_saved_plan_is_stale_once_its_file_says_something_else(run: Run) -> None:
    run("plan", "-c", "l3.yaml", "--save", "saved.plan")
    text = Path("l3.yaml").read_text()
    Path("l3.yaml").write_text(f"# only a comment\n{text}")
    Path("other.yaml").write_text(text)
    assert run("plan", "-c", "other.yaml", "--detailed-exitcode")[0] == ExitCode.CHANGES_PENDING
    Path("l3.yaml").write_text(text.replace("100.64.10.1/30", "100.64.10.2/30"))
    assert "asks for something else by now" in errors_of(ExitCode.REFUSED, run, "apply", "saved.plan")
    Path("l3.yaml").write_text(f"# only a comment\n{text}")
    assert run("apply", "saved.plan")[0] == ExitCode.DONE


def test_a_saved_plan_is_for_one_run_of_vpp(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    simulated = SimulatedVpp(ports=two_ports())
    vpp = serve(simulated)
    main(["plan", "-c", "l3.yaml", "-a", vpp, "--save", "saved.plan"])
    simulated.restart()
    assert main(["apply", "--yes", "saved.plan", "-a", vpp]) == ExitCode.REFUSED
    assert "the plan is stale, for VPP was restarted: it was process" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "{}\n{}\n", '{"vppcfg": "journal entry", "format_version": 1, "sha256": "x"}\n'])
def test_what_is_no_plan_is_refused(run: Run, text: str) -> None:
    Path("saved.plan").write_text(text)
    assert "saved.plan is not a plan of vppcfg" in errors_of(ExitCode.REFUSED, run, "apply", "saved.plan")


def test_a_configuration_that_lacks_its_option_is_told_as_such(run: Run) -> None:
    err = errors_of(ExitCode.REFUSED, run, "apply", "l3.yaml")
    assert "hint: a configuration is named with -c: `vppcfg apply -c l3.yaml`\n" in err


def test_a_plan_made_from_a_pipe_does_not_look_for_it_again(run: Run) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading), os.fdopen(writing, "w") as stream:
        stream.write(Path("l3.yaml").read_text())
        stream.close()
        run("plan", "-c", f"/dev/fd/{reading}", "--save", "saved.plan")
    assert run("apply", "saved.plan")[0] == ExitCode.DONE
    assert is_at(run, "l3.yaml")


def test_a_plan_and_a_file_cannot_both_be_named(run: Run) -> None:
    run("plan", "-c", "l3.yaml", "--save", "saved.plan")
    assert run("apply", "saved.plan", "-c", "l3.yaml")[0] == ExitCode.INVALID


def test_the_journal_of_a_change_that_vpp_undid_says_so(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    vpp = serve(SimulatedVpp(ports=two_ports(), faults=Faults(fail_at=3)))
    assert main(["apply", "--yes", "-c", "l3.yaml", "-a", vpp]) == ExitCode.ROLLED_BACK
    capsys.readouterr()
    main(["history", "-a", vpp])
    assert "failed, undone" in capsys.readouterr().out
    assert main(["apply", "--yes", "-c", "l3.yaml", "-a", vpp]) == ExitCode.DONE


def test_only_the_last_fifty_are_kept_and_the_last_accepted_one(
    run: Run, journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vppcfg.transaction.journal.KEPT", 3)
    for config in ("l2xc.yaml", "l3.yaml") * 3:
        run("apply", "-c", config)
    assert sorted(path.name for path in journal.iterdir()) == ["000004", "000005", "000006"]


def test_every_step_is_a_json_object(run: Run) -> None:
    code, out, _ = run("apply", "-c", "l3.yaml", "--format", "json")
    assert code == ExitCode.DONE
    events = [json.loads(line) for line in out.splitlines()]
    steps = [event for event in events if event["event"] == "step"]
    assert [event["event"] for event in events if event["event"] != "step"] == ["begin", "verify", "end"]
    assert [step["step"] for step in steps] == list(range(1, events[0]["steps"] + 1))
    assert {step["result"] for step in steps} == {"done"}
    assert steps[0] == {
        "format_version": 1, "event": "step", "direction": "forward", "step": 1, "phase": "create",
        "command": f"lcp create {GI1} host-if e1-0-0", "result": "done",
    }  # fmt: skip
    assert (events[-1]["exit_code"], events[-1]["state"], events[-1]["change"]) == (0, "new", 1)


def test_a_refusal_is_a_json_object_too(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    vpp = serve(SimulatedVpp(ports=two_ports(), faults=Faults(fail_at=2)))
    assert main(["apply", "--yes", "-c", "l3.yaml", "-a", vpp, "--format", "json"]) == ExitCode.ROLLED_BACK
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    refused = [event for event in events if event.get("result") == "refused"]
    assert [(event["step"], event["retval"]) for event in refused] == [(2, -1)]
    assert [event["direction"] for event in events if event["event"] == "begin"] == ["forward", "back"]
    assert (events[-1]["exit_code"], events[-1]["state"]) == (6, "old")


def test_without_a_place_for_the_journal_nothing_is_changed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    err = errors_of(ExitCode.REFUSED, run, "apply", "-c", "l3.yaml", "--state-dir", str(tmp_path / "file" / "state"))
    assert "name another folder with --state-dir" in err
    assert not is_at(run, "l3.yaml")


@pytest.mark.parametrize("option", ["--wait", "--confirm=0", "--confirm=-1", "--confirm=x", "--confirm=1500"])
def test_waiting_needs_a_confirmation_and_that_a_number_of_minutes(run: Run, option: str) -> None:
    assert run("apply", "-c", "l3.yaml", option)[0] == ExitCode.INVALID


def test_without_a_change_that_waits_there_is_nothing_to_confirm(run: Run) -> None:
    run("apply", "-c", "l3.yaml")
    assert "no change waits to be confirmed" in errors_of(ExitCode.REFUSED, run, "confirm")


CIRCUIT = "customer 4711, circuit #12 {north}, by way of the ring through Bern, Thun and Spiez"
DESCRIBED = f"""\
interfaces:
  {GI1}:
    description: '{CIRCUIT}'
  {GI3}: {{}}
bridgedomains:
  bd7: {{ description: 'bridge #7' }}
loopbacks:
  loop0: {{ description: 'router #1' }}
"""


def test_dump_gives_whole_descriptions_back_and_no_plan_differs_for_them(run: Run) -> None:
    Path("described.yaml").write_text(DESCRIBED)
    assert run("apply", "-c", "described.yaml", "--yes")[0] == ExitCode.DONE
    assert is_at(run, "described.yaml")
    dumped = run("dump")[1]
    assert f"    description: '{CIRCUIT}'\n" in dumped
    assert "description: 'bridge #7'" in dumped
    assert "description: 'router #1'" in dumped
    Path("dumped.yaml").write_text(dumped)
    assert is_at(run, "dumped.yaml")
    elsewhere = run("dump", "--state-dir", "nowhere")[1]
    assert "customer 4711, circuit _12 _north_" in elsewhere
    Path("elsewhere.yaml").write_text(elsewhere)
    assert is_at(run, "elsewhere.yaml")


def test_a_rollback_from_a_folder_that_is_gone_goes_back(run: Run, tmp_path: Path) -> None:
    assert run("apply", "-c", "l3.yaml", "--yes")[0] == ExitCode.DONE
    gone = tmp_path / "gone"
    gone.mkdir()
    here = Path.cwd()
    try:
        os.chdir(gone)
        gone.rmdir()
        code, _, err = run("rollback", "--yes")
    finally:
        os.chdir(here)
    assert code == ExitCode.DONE, err
    assert "the current folder was deleted" in err


def test_several_files_are_applied_kept_and_known_again_as_one(run: Run) -> None:
    site = Path("site.yaml")
    site.write_text(f"interfaces:\n  {GI3}: {{ description: site }}\n")
    files = ("-c", "l3.yaml", "-c", "site.yaml")
    assert run("plan", *files, "--save", "saved.plan")[0] == ExitCode.DONE
    assert run("apply", *files, "--yes")[0] == ExitCode.DONE
    assert run("diff", *files, "--detailed-exitcode")[0] == ExitCode.DONE
    kept = run("history", "1", "--file")[1]
    assert f"  {GI3}:\n" in kept
    assert "    description: site\n" in kept
    assert "l3.yaml + site.yaml still holds what was rolled back" in errors_of(ExitCode.DONE, run, "rollback", "--yes")
    assert run("apply", *files, "--yes")[0] == ExitCode.REFUSED, "it was rolled back"
    site.write_text(f"interfaces:\n  {GI3}: {{ description: another }}\n")
    assert "asks for something else by now" in run("apply", "saved.plan", "--yes")[2]
    assert run("apply", *files, "--yes")[0] == ExitCode.DONE


def test_every_difference_shows_a_description_as_the_file_has_it(run: Run) -> None:
    Path("described.yaml").write_text(DESCRIBED)
    whole = f"    + description: '{CIRCUIT}'\n"
    assert whole in run("diff", "-c", "described.yaml")[1]
    assert whole in run("plan", "-c", "described.yaml", "--format", "diff")[1]
    assert whole in run("apply", "-c", "described.yaml", "--yes")[1]
    assert whole in run("diff", "1")[1]
    assert whole in run("history", "1")[1]
    Path("changed.yaml").write_text(DESCRIBED.replace("Spiez", "Brig").replace("bridge #7", "bridge #8"))
    assert run("diff", "-c", "changed.yaml")[1] == "", "VPP's tag would be the same"


def test_a_description_that_vpp_does_not_have_any_more_is_not_given_back(run: Run) -> None:
    Path("described.yaml").write_text(DESCRIBED)
    run("apply", "-c", "described.yaml", "--yes")
    run("rollback", "--yes")
    assert "circuit" not in run("dump")[1]
