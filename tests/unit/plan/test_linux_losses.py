"""What Linux takes away with an address of a pair's device, and the order of steps that follows from it."""

from dataclasses import replace

import pytest

from vppcfg.kinds.address import AddAddress, RemoveAddress
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.lcp import LcpPair, LcpSettings
from vppcfg.model.linux_setting import LinuxKind, LinuxSetting
from vppcfg.model.state import Facts, State
from vppcfg.operations.linux_losses import goes_with, secondaries
from vppcfg.plan.plan import make_plan

A, B, C, OTHER, SIX = "192.0.2.9/24", "192.0.2.5/24", "192.0.2.77/24", "198.51.100.1/24", "2001:db8::1/64"


def interface(*addresses: str) -> Interface:
    return Interface(
        name="eth0", kind=InterfaceKind.PHYSICAL, is_up=True, addresses=frozenset(addresses), address_order=addresses
    )


def state(*addresses: str, is_sync: bool = True) -> State:
    pair = LcpPair(host_name="e0", netns="")
    facts = Facts(has_linux=True, lcp=LcpSettings(is_sync=is_sync))
    return State(facts=facts, interfaces={"eth0": interface(*addresses)}, lcps={"eth0": pair})


def changes(before: State, after: State) -> list[str]:
    """Return the addresses that a plan removes (-) and adds (+), in its order."""
    steps = [each.operation for each in make_plan(before, after).steps]
    return [
        f"{'+' if isinstance(each, AddAddress) else '-'}{each.address.partition('/')[0]}"
        for each in steps
        if isinstance(each, AddAddress | RemoveAddress)
    ]


@pytest.mark.parametrize(
    ("addresses", "going", "expected"),
    [
        ((A, B, C, OTHER), {A}, {B, C}),
        ((A, B, C, OTHER), {B}, set()),
        ((A, B, C, OTHER), {A, B}, {C}),
        ((OTHER, A, B), {OTHER}, set()),
        ((SIX, A), {SIX}, set()),
        ((A, "192.0.2.200/32"), {A}, set()),
    ],
)
def test_those_behind_the_first_of_a_network_go_with_it(
    addresses: tuple[str, ...], going: set[str], expected: set[str]
) -> None:
    assert secondaries(interface(*addresses), going) == expected


def test_within_a_network_the_old_one_goes_before_the_new_one_comes() -> None:
    assert changes(state(A), state(B)) == ["-192.0.2.9", "+192.0.2.5"]
    assert changes(state(A), state(OTHER)) == ["+198.51.100.1", "-192.0.2.9"]
    assert changes(state(A, is_sync=False), state(B, is_sync=False)) == ["+192.0.2.5", "-192.0.2.9"]


def test_what_stays_behind_one_that_goes_is_set_again() -> None:
    assert changes(state(A, C), state(C, B)) == ["-192.0.2.9", "-192.0.2.77", "+192.0.2.77", "+192.0.2.5"]
    assert changes(state(C, A), state(C, B)) == ["-192.0.2.9", "+192.0.2.5"]
    without_pair = [replace(each, lcps={}) for each in (state(A, C), state(C, B))]
    assert changes(*without_pair) == ["+192.0.2.5", "-192.0.2.9"]


@pytest.mark.parametrize(
    ("setting", "left", "expected"),
    [
        (LinuxSetting(kind=LinuxKind.ROUTE, device="e0", family=2, fields=(0,) * 8), {SIX}, True),
        (LinuxSetting(kind=LinuxKind.ROUTE, device="e0", family=2, fields=(0,) * 8), {OTHER}, False),
        (LinuxSetting(kind=LinuxKind.ROUTE, device="e0", family=10, fields=(0,) * 8), set(), False),
        (LinuxSetting(kind=LinuxKind.NEIGHBOR, device="e0", family=2), {SIX}, True),
        (LinuxSetting(kind=LinuxKind.NEIGHBOR, device="e0", family=2), {OTHER}, False),
        (LinuxSetting(kind=LinuxKind.NEIGHBOR, device="e0", family=10), set(), False),
    ],
)
def test_routes_and_neighbours_go_with_the_last_address(setting: LinuxSetting, left: set[str], expected: bool) -> None:
    assert goes_with(setting, A, left, lambda name, route: False) == expected
