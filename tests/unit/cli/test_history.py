"""`vppcfg history`: a line for each change, everything about one, the file as it was read, and what is open."""

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.cli.conftest import L2XC, L3, Run, Serve, errors_of, runner
from tests.unit.cli.test_boot_history import mark
from tests.unit.cli.test_damaged_journal import Router
from vppcfg.errors import ExitCode
from vppcfg.transaction.entry import Status, Timer
from vppcfg.transaction.journal import Journal

pytestmark = pytest.mark.usefixtures("files")


@pytest.fixture
def router(serve: Serve, folders_of_this_test: Path, capsys: pytest.CaptureFixture[str]) -> Router:
    """Return a router that was brought to l2xc.yaml (change 1) and, with a comment, to l3.yaml (change 2)."""
    router = Router(serve, folders_of_this_test / "state", capsys)
    assert router.run("apply", "-c", "l2xc.yaml")[0] == ExitCode.DONE
    assert router.run("apply", "-c", "l3.yaml", "-y", "-m", "the  new\ncustomer [31m")[0] == ExitCode.DONE
    return router


@pytest.fixture
def run(router: Router, capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(router.socket, capsys)


def test_there_is_one_line_for_each_change(run: Run) -> None:
    lines = run("history")[1].splitlines()
    assert [line.split()[0] for line in lines] == ["1", "2"]
    assert lines[1].split()[4:6] == ["apply", "applied"]
    assert lines[1].endswith("the new customer [31m")
    assert lines[0].index("applied") == lines[1].index("applied")
    assert not any(", process" in line for line in lines)


def test_one_change_is_shown_with_all_about_it(run: Run) -> None:
    code, out, _ = run("history", "2")
    assert code == ExitCode.DONE
    assert out.startswith("change 2\n")
    assert "l3.yaml" in out
    assert "comment  the new customer" in out
    assert "lcp" in out
    assert ", process" not in out


def test_ids_of_processes_are_for_who_asks_for_them(run: Run) -> None:
    assert ", process" not in run("history", "1")[1]
    out = run("history", "-v")[1]
    assert f", process {os.getpid()}" in out
    assert "sha256" in out
    assert out.count("change ") == 2


def test_a_change_that_is_not_there_is_an_error(run: Run) -> None:
    assert "the journal has no entry 9" in errors_of(ExitCode.REFUSED, run, "history", "9")


def test_the_file_is_kept_as_it_was_read(run: Run, router: Router) -> None:
    Path("l3.yaml").write_text("interfaces: {}\n")
    assert run("history", "1", "--file")[1] == L2XC
    assert run("history", "2", "--file")[1] == L3
    kept = router.journal / "000002" / "source.yaml"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o640


def test_the_file_of_a_rollback_is_the_one_that_it_brought_back(run: Run) -> None:
    assert run("rollback", "--yes", "-m", "too early")[0] == ExitCode.DONE
    assert run("history", "3", "--file")[1] == L2XC
    assert run("history")[1].splitlines()[2].endswith("too early")


def test_a_file_that_was_edited_is_not_shown(run: Run, router: Router) -> None:
    with open(router.journal / "000002" / "source.yaml", "a") as file:
        file.write("# more\n")
    code, out, err = run("history", "2", "--file")
    assert (code, out) == (ExitCode.REFUSED, "")
    assert "it was edited" in err


def test_a_file_is_shown_of_one_change(run: Run) -> None:
    assert run("history", "--file")[0] == ExitCode.INVALID


def test_a_terminal_gets_the_file_of_a_change_with_what_does_not_show_written_out(
    run: Run, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = L3.replace("1500", "1400") + "# \u202e\tx\n"
    (files / "odd.yaml").write_text(text)
    assert run("apply", "-c", "odd.yaml")[0] == ExitCode.DONE
    assert run("history", "3", "--file")[1] == text
    monkeypatch.setattr("vppcfg.cli.output.is_terminal", lambda stream: True)
    assert run("history", "3", "--file")[1] == text.replace("\u202e", "\\u202e")


def test_a_terminal_gets_a_head_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = run("history")[1].splitlines()
    monkeypatch.setattr("vppcfg.cli.output.is_terminal", lambda stream: True)
    head, *rows = run("history")[1].splitlines()
    assert [row.split() for row in rows] == [line.split() for line in lines]
    assert head.split() == ["no", "when", "who", "what", "outcome", "impact", "comment"]


def test_a_comment_has_a_limit(run: Run) -> None:
    assert run("apply", "-c", "l3.yaml", "-m", "x" * 501)[0] == ExitCode.INVALID


@pytest.mark.parametrize(
    ("status", "became"),
    [(Status.STARTED, "was cut off"), (Status.CUT_OFF, "was cut off"), (Status.STRANDED, "failed half-way")],
)
def test_what_did_not_come_to_its_end_is_said_wherever_one_looks(
    run: Run, router: Router, status: Status, became: str
) -> None:
    mark(router, 2, status)
    for words in (["plan", "-c", "l3.yaml"], ["history"]):
        err = run(*words)[2]
        assert "Change 2 (apply of " in err
        assert became in err
        assert "`vppcfg apply` continues to the file, `vppcfg rollback` returns to the state before it" in err
    assert "Change 2 (apply of" in run("watch", "--once", "-c", "l3.yaml")[1]
    assert "going on from what VPP has now" in run("apply", "-c", "l3.yaml")[2]
    for words in (["plan", "-c", "l3.yaml"], ["history"]):
        assert "Change 2 (apply of " not in run(*words)[2]
    assert "Change 2 (apply of" not in run("watch", "--once", "-c", "l3.yaml")[1]


def test_of_a_vpp_that_was_restarted_since_nothing_is_half_way(run: Run, router: Router) -> None:
    mark(router, 2, Status.STARTED)
    router.vpp.restart()
    assert "and VPP was restarted since: `vppcfg apply` brings it to the file" in run("plan", "-c", "l3.yaml")[2]


def test_a_rollback_and_a_boot_that_were_cut_off_are_gone_on_with(run: Run, router: Router) -> None:
    assert run("rollback", "--yes")[0] == ExitCode.DONE
    mark(router, 3, Status.STARTED)
    assert "`vppcfg rollback 2` goes on with it" in run("history")[2]
    router.vpp.restart()
    assert run("apply", "--boot", "-c", "l2xc.yaml")[0] == ExitCode.DONE
    mark(router, 4, Status.STARTED)
    assert "`vppcfg apply --boot` goes on with it" in run("history")[2]


def test_a_file_that_was_rolled_back_is_said_to_be_so(run: Run) -> None:
    err = run("rollback", "--yes")[2]
    assert "l3.yaml still holds what was rolled back: correct it before you apply it again" in err
    assert "this very file was rolled back (change 2," in run("plan", "-c", "l3.yaml")[2]
    assert "this very file" not in run("plan", "-c", "l2xc.yaml")[2]


def test_a_file_that_was_corrected_meanwhile_is_not(run: Run) -> None:
    Path("l3.yaml").write_text(L2XC)
    assert "still holds" not in run("rollback", "--yes")[2]


def test_a_change_that_waits_is_not_said_to_be_rolled_back(run: Run, router: Router) -> None:
    journal = Journal(router.journal)
    journal.end(
        replace(journal.record(2), timer=Timer(deadline="2126-01-01T00:00:00+00:00", pid=1)), Status.WAITING, ""
    )
    for is_rolled_back in (False, True):
        err = run("plan", "-c", "l3.yaml")[2]
        assert ("change 2 waits to be confirmed until" in err) is not is_rolled_back
        assert ("this very file was rolled back (change 2," in err) is is_rolled_back
        router.vpp.restart()
