"""What counts as a difference between two states."""

from dataclasses import replace

import pytest

from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.state import State
from vppcfg.plan.diff import diff

PORT = Interface(name="port", kind=InterfaceKind.PHYSICAL, packet_mtu=1500)


@pytest.mark.parametrize(
    ("old", "new", "is_told"), [(1400, 0, True), (1500, 0, False), (1500, 1400, True), (0, 1400, True)]
)
def test_an_mtu_of_its_own_that_goes_is_told_unless_the_parent_has_the_same(old: int, new: int, is_told: bool) -> None:
    child = Interface(name="port.1", kind=InterfaceKind.SUB_INTERFACE, parent="port", sub_id=1)
    before, after = (State(interfaces={"port": PORT, "port.1": replace(child, packet_mtu=mtu)}) for mtu in (old, new))
    told = [(each.name, each.old, each.new) for change in diff(before, after) for each in change.attributes]
    assert told == [("packet_mtu", old or 1500, new)] * is_told
