"""What stands between a plan and its being made, as far as it hangs on which run of VPP it is, and on who applies."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.unit.transaction.entries import entry
from vppcfg.app.approval import Terms, pass_guards, target_objections
from vppcfg.app.console import Silent
from vppcfg.errors import PlanRefusedError
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.state import State
from vppcfg.plan.impact import Impact
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.transaction.entry import Status, Timer
from vppcfg.transaction.guard import Limits, objections
from vppcfg.transaction.journal import Journal

NOW = "2026-01-02T03:04:05+00:00"
DIGEST = "d" * 64


@pytest.fixture
def target(tmp_path: Path) -> Any:
    """Return a VPP with a change that waits to be confirmed since its run `boot 1`."""
    journal = Journal(tmp_path / "journal")
    record = journal.add(entry(boot_id="boot 1", source_digest=DIGEST), State(), State(), {})
    journal.end(replace(record, timer=Timer(deadline=NOW)), Status.WAITING, NOW)
    return SimpleNamespace(journal=lambda: journal, who_is_at_work=lambda: None)


def test_what_waits_in_this_run_of_vpp_is_undecided_and_not_rolled_back(target: Any) -> None:
    (objection,) = target_objections(DIGEST, target, "boot 1", Terms())
    assert objection.text.startswith("change 1 was not confirmed until")


def test_what_waited_in_another_run_of_vpp_is_rolled_back_and_not_undecided(target: Any) -> None:
    (objection,) = target_objections(DIGEST, target, "boot 2", Terms())
    assert "this very file was rolled back" in objection.text
    assert list(target_objections("another file", target, "boot 2", Terms())) == []


def mass_deletion() -> Plan:
    """Return a plan that removes twelve loopbacks and leaves a port."""
    port = Interface(name="eth0", kind=InterfaceKind.PHYSICAL)
    loops = [
        Interface(
            name=f"loop{number}", kind=InterfaceKind.LOOPBACK, is_up=True, addresses=frozenset({f"10.0.{number}.1/24"})
        )
        for number in range(12)
    ]
    return make_plan(State(interfaces={each.name: each for each in (port, *loops)}), State(interfaces={"eth0": port}))


def test_a_boot_deletes_as_much_as_it_must_and_does_no_more_harm_than_it_may(caplog: pytest.LogCaptureFixture) -> None:
    plan, dataplane = mass_deletion(), SimpleNamespace(foreign_routes=lambda tables: ())
    assert [each for each in objections(plan, (), Limits()) if "the plan deletes 12 of 13" in each.text]
    pass_guards(plan, (), Terms(), Silent(), dataplane)
    assert "The plan deletes 12 of 13 interfaces" in caplog.text
    limited = Terms(limits=Limits(max_impact=Impact.NONE))
    with pytest.raises(PlanRefusedError):
        pass_guards(plan, (), limited, Silent(), dataplane)
