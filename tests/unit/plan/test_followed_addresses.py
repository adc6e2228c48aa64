"""NAT44 of others that follows the address of an interface, while a plan renumbers or deletes it."""

import pytest

from tests.laws.test_simulator_laws import apply_to
from tests.unit.plan import test_others_in_bridges as bridges
from tests.unit.plan.test_others_in_bridges import assert_lost_and_brought_back, planned, set_up
from vppcfg.model.nat44 import NatAddress
from vppcfg.plan.unmanaged import unmanaged_changes
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.vpp.live import LiveDataplane

vpp = bridges.vpp
ENABLE = "nat44 plugin enable sessions 1000"
FOLLOWERS = (
    "nat44 add interface address eth0",
    "nat44 add static mapping tcp local 10.0.0.5 80 external eth0 8080",
    "nat44 add identity mapping external eth0 udp 500",
)
CARRIED = (
    "eth0: NAT44 identity mapping udp 500, NAT44 pool, NAT44 static mapping tcp 8080 to 10.0.0.5 80: "
    "carried over; NAT44 sessions end"
)
ONE, TWO, THREE = "192.0.2.1/24", "192.0.2.2/24", "192.0.2.3/24"


def file_of(*addresses: str) -> str:
    """Return a file whose eth1 borrows from eth0."""
    return f"interfaces: {{ eth0: {{ addresses: [ {', '.join(addresses)} ] }}, eth1: {{ unnumbered: eth0 }} }}\n"


def taken(plane: LiveDataplane) -> list[str]:
    """Return the addresses of NAT44 that VPP has."""
    return sorted(plane.observe().facts.followed_addresses)


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ((ONE, TWO), (TWO,), [CARRIED]),
        ((ONE, TWO), (TWO, THREE), [CARRIED]),
        ((ONE, TWO), (ONE,), []),
        ((ONE,), (ONE, TWO), []),
        ((ONE,), (TWO,), []),
    ],
)
def test_nat_follows_the_addresses_that_stay_or_come(
    before: tuple[str, ...], after: tuple[str, ...], changes: list[str], vpp: tuple[SimulatedVpp, LiveDataplane]
) -> None:
    """VPP takes no other address when the one goes that it has taken."""
    set_up(vpp, file_of(*before), (ENABLE, *FOLLOWERS))
    plan = planned(file_of(*after), vpp[1])
    assert [str(each) for each in unmanaged_changes(plan)] == changes
    apply_to(plan, vpp[1])
    assert taken(vpp[1]) == [after[0].removesuffix("/24")]


def test_nat_follows_what_an_interface_borrows(vpp: tuple[SimulatedVpp, LiveDataplane]) -> None:
    set_up(vpp, file_of(ONE), (ENABLE, FOLLOWERS[0].replace("eth0", "eth1")))
    plan = planned(file_of(TWO), vpp[1])
    assert [str(each) for each in unmanaged_changes(plan)] == ["eth1: NAT44 pool: carried over; NAT44 sessions end"]
    apply_to(plan, vpp[1])
    assert taken(vpp[1]) == ["192.0.2.2"]


def test_nat_that_has_taken_no_address_is_left_so(vpp: tuple[SimulatedVpp, LiveDataplane]) -> None:
    """VPP would refuse to remove it."""
    idle = f"set interface ip address del eth0 {ONE}"
    set_up(vpp, file_of(ONE, TWO, THREE), (ENABLE, *FOLLOWERS, idle))
    plan = planned(file_of(THREE), vpp[1])
    assert unmanaged_changes(plan) == []
    apply_to(plan, vpp[1])


@pytest.mark.parametrize("idle", [(), ("set interface ip address del eth0.100 198.51.100.1/24",)])
def test_nat_goes_with_its_interface_once_that_has_no_address(
    idle: tuple[str, ...], vpp: tuple[SimulatedVpp, LiveDataplane]
) -> None:
    """VPP looks for it at the first address, and refuses where it has not taken that."""
    sub = "100: { addresses: [ 198.51.100.1/24, 198.51.100.2/24 ] }"
    file = f"interfaces: {{ eth0: {{ sub-interfaces: {{ {sub} }} }}, eth1: {{}} }}\n"
    followers = tuple(line.replace("eth0", "eth0.100") for line in FOLLOWERS)
    set_up(vpp, file, (ENABLE, *followers, *idle))
    plan = planned("interfaces: { eth0: {}, eth1: {} }\n", vpp[1])
    if not idle:
        assert_lost_and_brought_back(plan, vpp[1])
        plan = planned("interfaces: { eth0: {}, eth1: {} }\n", vpp[1])
    apply_to(plan, vpp[1])
    state = vpp[1].observe()
    assert (state.facts.address_followers, state.of(NatAddress)) == (frozenset(), {})


def test_nat_goes_before_its_interface_borrows_no_more(vpp: tuple[SimulatedVpp, LiveDataplane]) -> None:
    """VPP would keep the address: it does not notice."""
    sub = "sub-interfaces: { 100: { unnumbered: eth1 } }"
    file = f"interfaces: {{ eth0: {{ {sub} }}, eth1: {{ addresses: [ {ONE} ] }} }}\n"
    set_up(vpp, file, (ENABLE, FOLLOWERS[0].replace("eth0", "eth0.100")))
    assert taken(vpp[1]) == ["192.0.2.1"]
    apply_to(planned(file.replace(sub, ""), vpp[1]), vpp[1])
    assert vpp[1].observe().of(NatAddress) == {}


@pytest.mark.parametrize(
    ("after", "ends"), [((ONE, TWO, THREE), False), ((ONE,), False), ((TWO,), True), ((TWO, THREE), True)]
)
def test_nat_of_the_file_ends_sessions_only_with_its_address(
    after: tuple[str, ...], ends: bool, vpp: tuple[SimulatedVpp, LiveDataplane]
) -> None:
    mapping = 'web: { local: "10.0.0.5:80", external: "eth0:80", protocol: tcp }'
    nat = f"nat44: {{ pools: [ {{ interface: eth0 }} ], static: {{ {mapping} }} }}\n"
    set_up(vpp, file_of(ONE, TWO) + nat, ())
    plan = planned(file_of(*after) + nat, vpp[1])
    assert any("Nat" in type(each).__name__ for each in plan.operations) is ends
    apply_to(plan, vpp[1])
    assert taken(vpp[1]) == [after[0].removesuffix("/24")]
