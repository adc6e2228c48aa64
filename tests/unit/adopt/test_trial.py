"""An adoption is tried on a simulated VPP: what the file and the rest miss is left or named."""

from dataclasses import replace

import pytest

from tests.unit.adopt.test_replay import adopted, outcomes
from vppcfg.adopt import script_adoption
from vppcfg.adopt.trial import EndState

PLAIN = "set interface state xe0 up\nset interface ip address xe0 192.0.2.1/24\n"


def test_what_the_rest_creates_keeps_its_number_though_it_runs_after_the_file() -> None:
    adoption = adopted(
        "create loopback interface\ncreate loopback interface\n"
        "create geneve tunnel local 192.0.2.1 remote 192.0.2.2 vni 5\n"
        "set interface l2 xconnect loop0 geneve_tunnel0\n"
        "set interface state loop1 up\n"
    )
    created = [line for line in adoption.rest.commands if line.startswith("create loopback")]
    assert created == ["create loopback interface instance 0"]
    assert "loop1" in adoption.text


def test_the_linux_side_of_a_tap_without_an_mtu_has_that_of_linux() -> None:
    adoption = adopted("create tap id 3 host-if-name vnet3\nset interface state tap3 up\n")
    assert outcomes(adoption) == ["file", "file"]
    assert adoption.report.notices == ()


def test_what_cannot_be_met_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    goal_of = script_adoption._goal_of

    def more(*given: object) -> object:
        goal = goal_of(*given)  # type: ignore[arg-type]
        return replace(goal, end=EndState(values={**goal.end.values, ("widget", "w7"): 1}))

    monkeypatch.setattr(script_adoption, "_goal_of", more)
    found = adopted(PLAIN)
    assert outcomes(found) == ["file", "file"]
    assert [notice for notice in found.report.notices if notice.endswith(": widget w7")]


@pytest.mark.parametrize("last", ["nat44 plugin disable", "set interface nat44 out xe0 output-feature del"])
def test_what_a_refused_line_has_set_is_left_and_ends_the_script_all_the_same(last: str) -> None:
    """VPP adds the output feature of `in`, and refuses the same of `out` (nat44_ed_cli.c)."""
    script = f"nat44 plugin enable inside-vrf 7\nset interface nat44 in xe0 out xe0 output-feature\n{last}\n"
    adoption = adopted(script)
    assert outcomes(adoption) == ["unmanaged", "fault", "never_ran"]
    assert len(adoption.rest.commands) == 2
    assert adoption.report.notices == ()
