"""A boot brings back what was accepted: a rollback goes past it, and nothing is half-way after it."""

from pathlib import Path

import pytest

from tests.unit.cli.conftest import Serve
from tests.unit.cli.test_damaged_journal import Router
from vppcfg.errors import ExitCode
from vppcfg.transaction.entry import Origin, Status, Timer
from vppcfg.transaction.journal import Journal

pytestmark = pytest.mark.usefixtures("files")


@pytest.fixture
def router(serve: Serve, folders_of_this_test: Path, capsys: pytest.CaptureFixture[str]) -> Router:
    """Return a router that was brought to l2xc.yaml (change 1) and l3.yaml (change 2)."""
    router = Router(serve, folders_of_this_test / "state", capsys)
    for config in ("l2xc.yaml", "l3.yaml"):
        assert router.run("apply", "-c", config)[0] == ExitCode.DONE
    return router


def boot(router: Router) -> None:
    router.vpp.restart()
    assert router.run("apply", "--boot", "-c", "l3.yaml")[0] == ExitCode.DONE


def mark(router: Router, number: int, status: Status) -> None:
    """Let a change look as if it had ended otherwise."""
    journal = Journal(router.journal)
    journal.end(journal.record(number), status, "")


def test_a_rollback_after_a_boot_goes_to_before_the_last_change_of_an_operator(router: Router) -> None:
    boot(router)
    boot(router)
    code, err = router.run("rollback", "--yes")
    assert (code, "The state before change 2 is back" in err) == (ExitCode.DONE, True)
    assert router.is_at("l2xc.yaml")
    assert router.statuses() == ["applied", "rolled back", "rolled back", "rolled back", "applied"]


def test_a_boot_alone_is_nothing_to_go_back_before(
    serve: Serve, folders_of_this_test: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    router = Router(serve, folders_of_this_test / "state", capsys)
    boot(router)
    assert router.run("rollback", "--yes")[0] == ExitCode.REFUSED
    assert router.is_at("l3.yaml")
    assert router.run("rollback", "1", "--yes")[0] == ExitCode.DONE
    assert not router.is_at("l3.yaml")


def test_what_went_on_from_a_boot_that_was_cut_off_goes_back_to_what_the_boot_was_for(router: Router) -> None:
    boot(router)
    mark(router, 3, Status.STARTED)
    router.vpp.restart()
    assert router.run("apply", "-c", "l2xc.yaml")[0] == ExitCode.DONE
    assert router.run("rollback", "--yes")[0] == ExitCode.DONE
    assert router.is_at("l3.yaml")


def test_after_a_boot_nothing_is_half_way_any_more(router: Router) -> None:
    mark(router, 2, Status.STRANDED)
    router.vpp.restart()
    assert router.run("apply", "--boot", "-c", "l3.yaml")[0] == ExitCode.DONE
    assert router.is_at("l2xc.yaml")
    assert router.statuses() == ["applied", "failed, undone", "applied"]
    assert router.run("rollback", "--yes")[0] == ExitCode.DONE
    assert not router.is_at("l2xc.yaml")


def test_a_rollback_that_could_not_be_noted_is_noted_by_the_next_change(router: Router) -> None:
    assert router.run("rollback", "--yes")[0] == ExitCode.DONE
    mark(router, 2, Status.APPLIED)
    assert router.run("apply", "-c", "l3.yaml", "--again")[0] == ExitCode.DONE
    assert router.statuses() == ["applied", "rolled back", "applied", "applied"]


@pytest.mark.parametrize("origin", [Origin.ROLLBACK, Origin.TIMER])
def test_what_was_rolled_back_cannot_be_confirmed_even_if_that_is_not_noted(router: Router, origin: Origin) -> None:
    from dataclasses import replace

    journal = Journal(router.journal)
    change = journal.record(2)
    back = replace(change.entry, origin=origin, target=2)
    journal.end(replace(change, timer=Timer(deadline="2026-01-01T00:00:00+00:00", pid=1)), Status.WAITING, "")
    journal.end(journal.add(back, journal.after(2), journal.before(2), {}), Status.APPLIED, "")
    code, err = router.run("confirm")
    assert code == ExitCode.REFUSED
    assert "no change waits to be confirmed" in err


def test_a_rollback_for_which_nothing_is_to_be_done_is_written_down_as_well(router: Router) -> None:
    assert router.run("rollback", "--yes")[0] == ExitCode.DONE
    mark(router, 2, Status.APPLIED)
    assert router.run("rollback", "--yes")[0] == ExitCode.DONE
    assert router.statuses() == ["applied", "rolled back", "rolled back", "applied"]


def test_what_a_later_change_went_on_from_stays_half_way_over_a_boot(router: Router) -> None:
    mark(router, 1, Status.CUT_OFF)
    boot(router)
    assert router.statuses() == ["cut off", "applied", "applied"]
    assert router.run("rollback", "--yes")[0] == ExitCode.DONE
    assert router.statuses()[:2] == ["rolled back", "rolled back"]
    assert not router.is_at("l2xc.yaml")


def test_a_boot_brings_back_the_file_in_force_though_a_later_change_to_it_was_rolled_back(router: Router) -> None:
    """The timer went back to what VPP had drifted to, and the file stayed in force."""
    boot(router)
    mark(router, 3, Status.ROLLED_BACK)
    boot(router)
    assert router.is_at("l3.yaml")
    assert router.run("apply", "-c", "l3.yaml")[0] == ExitCode.DONE


def test_a_rollback_passes_over_what_a_reconciling_watch_has_brought_back(router: Router) -> None:
    router.vpp.restart()
    assert router.run("watch", "--once", "--reconcile", "-c", "l3.yaml")[0] == ExitCode.DONE
    assert router.run("rollback", "--yes")[0] == ExitCode.DONE
    assert router.is_at("l2xc.yaml")
