"""No plan has more impact than the difference forces, where there is a gentler way that VPP takes."""

import ipaddress
import random
from dataclasses import replace

import pytest

from tests.laws.examples import TIMES
from tests.laws.networks import numbered_edit, numbered_plan_ends
from tests.laws.test_impact_laws import found_by_the_plan, states_on_the_way
from tests.services import found_on_the_way
from vppcfg.config.resolve import resolve
from vppcfg.entries.configuration import Configuration
from vppcfg.model.acl import AclBinding
from vppcfg.model.bond import Bond, BondMode, Membership
from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind
from vppcfg.model.state import State, tables_in_use
from vppcfg.plan.impact import Impact
from vppcfg.plan.plan import make_plan


def bonded(dice: random.Random) -> State:
    mtu = dice.choice((1500, 8900, 9000))
    ports = [
        Interface(
            name=f"gi{number}",
            kind=InterfaceKind.PHYSICAL,
            device_class=dice.choice(("dpdk", "dpdk", "virtio")),
            link_mtu=9000,
            packet_mtu=9000,
            is_up=True,
        )
        for number in range(dice.randint(1, 4))
    ]
    bond = Interface(name="BondEthernet0", kind=InterfaceKind.BOND, packet_mtu=9000, is_up=True)
    subs = [
        Interface(
            name=f"BondEthernet0.{number}",
            kind=InterfaceKind.SUB_INTERFACE,
            parent="BondEthernet0",
            sub_id=number,
            encapsulation=Encapsulation(outer=number, is_exact=True),
            packet_mtu=min(mtu, 1500),
            addresses=frozenset({f"10.0.{number}.1/30"}),
            is_up=True,
        )
        for number in range(1, dice.randint(1, 4))
    ]
    members = {port.name: Membership() for port in ports}
    return State(
        interfaces={each.name: each for each in (*ports, bond, *subs)},
        virtual={"BondEthernet0": Bond(mode=dice.choice(list(BondMode)), load_balance=None, members=members)},
    )


@pytest.mark.parametrize("first", range(0, 100, 25))
def test_a_bond_goes_on_while_its_members_change_their_link_mtu_one_by_one(first: int) -> None:
    for number in range(first, first + 25):
        check_a_bond_that_changes_its_link_mtu(number)


def check_a_bond_that_changes_its_link_mtu(number: int) -> None:
    """Check one random bond, whose members all get another link MTU."""
    dice = random.Random(number)
    before = bonded(dice)
    mtu = dice.choice((8000, 8900, 9100))
    ports = {
        name: replace(each, link_mtu=mtu, packet_mtu=dice.choice((mtu, 1500)))
        for name, each in before.interfaces.items()
        if each.kind is InterfaceKind.PHYSICAL
    }
    plan = make_plan(before, replace(before, interfaces={**before.interfaces, **ports}))
    assert found_by_the_plan(plan) == found_on_the_way(states_on_the_way(plan))
    is_alone = len(ports) == 1 and next(iter(ports.values())).device_class == "dpdk"
    for name in before.interfaces.keys() - ports.keys():
        assert plan.impacts.get(name, Impact.NONE) <= (Impact.FLAP if is_alone else Impact.DEGRADE)
    for state in states_on_the_way(plan):
        down = [name for name in ports if not state.interfaces[name].is_up]
        assert len(down) <= 1


def routes_alike(before: Interface, after: Interface) -> bool:
    return (before.l2xc, before.bridge, before.is_bvi, before.unnumbered, before.tables) == (
        after.l2xc,
        after.bridge,
        after.is_bvi,
        after.unnumbered,
        after.tables,
    )


def collide(one: str, other: str) -> bool:
    """Return whether the prefixes of two addresses overlap."""
    first, second = ipaddress.ip_interface(one).network, ipaddress.ip_interface(other).network
    return first.version == second.version and first.overlaps(second)


def with_other_filters(configuration: Configuration) -> Configuration:
    """Return a configuration whose interfaces with access lists all have another one, or one less, instead."""

    def others(bound: tuple[str, ...]) -> tuple[str, ...]:
        return bound and tuple(sorted(configuration.acls.keys() - set(bound))[:1] or bound[1:] or bound)

    interfaces = {
        name: replace(each, acls=AclBinding(input=others(each.acls.input), output=others(each.acls.output)))
        for name, each in configuration.interfaces.items()
    }
    return replace(configuration, interfaces=interfaces)


def check_addresses_and_filters(number: int) -> tuple[int, int]:
    """Return how many interfaces had their addresses replaced, and other filters, without a moment with none."""
    observed, configuration = (numbered_edit if number % 2 else numbered_plan_ends)(number)
    if number % 4 == 1:
        configuration = with_other_filters(configuration)
    plan = make_plan(observed, resolve(configuration, observed).desired)
    replaced = {change.name for change in plan.changes if change.action.value == "replace"}
    states = states_on_the_way(plan)
    coming = [
        address
        for name, after in plan.desired.interfaces.items()
        for address in after.addresses
        if name not in observed.interfaces or name in replaced or address not in observed.interfaces[name].addresses
    ]
    anew = {key for key, table in observed.vrfs.items() if plan.desired.vrfs.get(key) != table}
    addresses = filters = 0
    for name, before in observed.interfaces.items():
        after = plan.desired.interfaces.get(name)
        if after is None or name in replaced:
            continue
        going = before.addresses - after.addresses
        must_move = not anew.isdisjoint(tables_in_use(observed, [name]))
        can_stay = not must_move and not any(collide(old, new) for old in going for new in coming)
        if before.addresses and after.addresses - before.addresses and can_stay and routes_alike(before, after):
            assert all(state.interfaces[name].addresses for state in states)
            addresses += 1
        if after.is_l2 and any(not state.interfaces[name].is_l2 for state in states):
            continue  # VPP forgets on the way to ask the filters, so they are bound anew
        for direction in ("input", "output"):
            if getattr(before.acls, direction) and getattr(after.acls, direction):
                assert all(getattr(state.interfaces[name].acls, direction) for state in states)
                filters += before.acls != after.acls
    return addresses, filters


def test_no_interface_is_without_address_or_filter_where_both_sides_have_one() -> None:
    addresses = filters = number = 0
    while number < 60 * TIMES or addresses < 8 or filters < 8:
        kept = check_addresses_and_filters(number)
        addresses, filters, number = addresses + kept[0], filters + kept[1], number + 1
        assert number < 500 * TIMES, "hardly any network has what this is about"
