"""What counts as a difference between two states."""

from __future__ import annotations

from dataclasses import replace

from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.state import State
from vppcfg.plan.diff import diff
from vppcfg.plan.plan import make_plan

PORT = Interface(name="port", kind=InterfaceKind.PHYSICAL, packet_mtu=1500)


def test_a_port_without_a_packet_mtu_gets_the_one_that_is_wanted() -> None:
    before, after = State(interfaces={"port": replace(PORT, packet_mtu=0)}), State(interfaces={"port": PORT})
    assert [change.name for change in diff(before, after)] == ["port"]
    assert [step.operation.subject for step in make_plan(before, after).steps] == ["port"]
