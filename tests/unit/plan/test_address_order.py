"""The order of an interface's addresses: NAT44, borrowers and packets of VPP itself take the first one."""

import pytest

from tests.laws.test_simulator_laws import apply_to
from tests.unit.plan import test_others_in_bridges as bridges
from tests.unit.plan.test_others_in_bridges import planned, set_up
from vppcfg.config.dump import yaml_entries
from vppcfg.plan.address_order import displaced, displaced_by, promoted_by
from vppcfg.plan.state_document import document_of, state_of
from vppcfg.render.diff_view import diff_lines
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.transaction.planning import plan_on
from vppcfg.vpp.live import LiveDataplane

vpp = bridges.vpp
Vpp = tuple[SimulatedVpp, LiveDataplane]
OUTSIDE, LAN, SIXTH, OTHER_SIXTH = "203.0.113.1/24", "10.0.0.1/24", "2001:db8:1::1/64", "2001:db8::1/64"
BEHIND = f"eth0: {LAN} is VPP's first IPv4 address, not {OUTSIDE}: VPP keeps the order in which they came"


def file_of(*addresses: str, mtu: int = 1500) -> str:
    listed = ", ".join(f"'{address}'" for address in addresses)
    return f"interfaces: {{ eth0: {{ mtu: {mtu}, addresses: [ {listed} ] }} }}\n"


def test_addresses_are_set_read_and_dumped_in_the_order_of_the_file(vpp: Vpp) -> None:
    set_up(vpp, file_of(SIXTH, OUTSIDE, OTHER_SIXTH, LAN), ("nat44 plugin enable", "nat44 add interface address eth0"))
    observed = vpp[1].observe()
    assert observed.interfaces["eth0"].in_order == (OUTSIDE, LAN, SIXTH, OTHER_SIXTH)
    assert observed.facts.followed_addresses == {"203.0.113.1"}
    dumped = {key.key: key.value for key in yaml_entries(observed)["interfaces", "eth0"].keys}
    assert dumped["addresses"] == [OUTSIDE, LAN, SIXTH, OTHER_SIXTH]
    again = state_of(document_of(observed)).interfaces["eth0"]
    assert again.in_order == observed.interfaces["eth0"].in_order


def test_another_order_in_the_file_changes_nothing_and_is_named(vpp: Vpp) -> None:
    set_up(vpp, file_of(LAN, OUTSIDE), ())
    plan = planned(file_of(OUTSIDE, LAN), vpp[1])
    assert (plan.steps, [str(each) for each in displaced_by(plan)]) == ((), [BEHIND])


def test_an_order_that_no_plan_changes_is_not_shown_as_a_difference(vpp: Vpp) -> None:
    set_up(vpp, file_of(LAN, OUTSIDE), ())
    lines = [line.text for line in diff_lines(planned(file_of(OUTSIDE, LAN, mtu=1400), vpp[1]))]
    assert [line for line in lines if "addresses" in line] == []
    assert f"  {BEHIND}" in lines


@pytest.mark.parametrize(
    ("between", "named"),
    [
        ((LAN,), [BEHIND]),
        ((OUTSIDE,), []),
        ((), []),
    ],
)
def test_a_way_back_names_the_address_that_is_no_longer_first(
    between: tuple[str, ...], named: list[str], vpp: Vpp
) -> None:
    """VPP appends what is added again; where none has stayed, the former order is back."""
    set_up(vpp, file_of(OUTSIDE, LAN), ())
    before = vpp[1].observe()
    apply_to(planned(file_of(*between), vpp[1]), vpp[1])
    back = plan_on(vpp[1], vpp[1].observe(), before)
    assert [str(each) for each in displaced_by(back)] == named
    apply_to(back, vpp[1])
    assert [str(each) for each in displaced(vpp[1].observe(), before)] == named


def test_an_interface_that_is_recreated_names_the_address_that_comes_first(vpp: Vpp) -> None:
    """NAT44 of others is carried over, and takes the first address in the order of the file."""
    sub = "interfaces: { eth0: { mtu: 1500, sub-interfaces: { 1: { %s addresses: [ %s ] } } } }\n"
    set_up(vpp, sub % ("", f"{OUTSIDE}, {LAN}"), ("nat44 plugin enable", "nat44 add interface address eth0.1"))
    tagged = "encapsulation: { dot1q: 7, exact-match: true },"
    same, other = (
        planned(sub % (tagged, f"{first}, {last}"), vpp[1]) for first, last in ((OUTSIDE, LAN), (LAN, OUTSIDE))
    )
    assert (list(promoted_by(same)), list(displaced_by(other))) == ([], [])
    line = f"eth0.1: {LAN} becomes VPP's first IPv4 address, in place of {OUTSIDE}, which stays"
    assert f"  {line}" in [each.text for each in diff_lines(other)]
    apply_to(other, vpp[1])
    assert vpp[1].observe().facts.followed_addresses == {"10.0.0.1"}


def test_of_many_first_addresses_a_few_are_named(vpp: Vpp) -> None:
    subs = (f"{n}: {{ mtu: %s, addresses: [ 10.{n}.%s.1/24, 10.{n}.%s.1/24 ] }}" for n in range(1, 14))
    text = f"interfaces: {{ eth0: {{ mtu: 1500, sub-interfaces: {{ {', '.join(subs)} }} }} }}\n"
    set_up(vpp, text % ((1400, 1, 2) * 13), ())
    lines = [each.text for each in diff_lines(planned(text % ((1300, 2, 1) * 13), vpp[1]))]
    assert len([line for line in lines if "VPP keeps the order" in line]) == 10
    assert "  3 more such addresses; `--format json` has all" in lines
