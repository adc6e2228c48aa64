"""Contract: bonds, their members, and what becomes of MAC addresses."""

import pytest

from tests.contract.subject import PORTS, Subject

ROUND_ROBIN, ACTIVE_BACKUP, XOR, BROADCAST, LACP = range(1, 6)
MAC = "02:00:00:00:00:aa"


def bond(vpp: Subject, number: int = 0, mode: int = XOR, mac: str = "", load_balance: int = 1) -> int:
    custom = {"use_custom_mac": True, "mac_address": mac} if mac else {}
    reply = vpp.api.bond_create2(id=number, mode=mode, lb=load_balance, **custom)
    assert reply.retval == 0
    return int(reply.sw_if_index)


def join(vpp: Subject, index: int, group: int) -> int:
    return int(vpp.api.bond_add_member(sw_if_index=index, bond_sw_if_index=group).retval)


def part(vpp: Subject, index: int) -> int:
    return int(vpp.api.bond_detach_member(sw_if_index=index).retval)


def mac(vpp: Subject, index: int) -> str:
    return str(vpp.details(index).l2_address)


def test_a_bond_is_born_down_with_a_mac_that_vpp_makes_up(vpp: Subject) -> None:
    row = vpp.details(bond(vpp, 7))
    link = 0 if vpp.since("26.06") else 2
    assert (row.interface_name, row.interface_dev_type, int(row.flags)) == ("BondEthernet7", "bond", link)
    assert (row.link_mtu, list(row.mtu), str(row.l2_address)[:5]) == (9000, [9000, 0, 0, 0], "02:fe")
    assert vpp.api.hw_interface_set_mtu(sw_if_index=row.sw_if_index, mtu=1500).retval == -126


@pytest.mark.parametrize(
    ("mode", "load_balance", "shown"), [(ROUND_ROBIN, 0, 3), (ACTIVE_BACKUP, 1, 5), (XOR, 2, 2), (BROADCAST, 0, 4)]
)
def test_modes_without_a_choice_have_a_load_balance_of_their_own(
    vpp: Subject, mode: int, load_balance: int, shown: int
) -> None:
    bond(vpp, 0, mode, load_balance=load_balance)
    (row,) = vpp.api.sw_bond_interface_dump()
    assert (int(row.mode), int(row.lb)) == (mode, shown)


@pytest.mark.parametrize(("arguments", "retval"), [((0, XOR, 1), -147), ((1, 6, 0), -73), ((1, LACP, 3), -73)])
def test_numbers_modes_and_load_balances_are_checked(
    vpp: Subject, arguments: tuple[int, int, int], retval: int
) -> None:
    bond(vpp)
    number, mode, load_balance = arguments
    assert vpp.api.bond_create2(id=number, mode=mode, lb=load_balance).retval == retval


def test_the_first_member_gives_the_bond_its_mac_and_the_others_get_it(vpp: Subject, first: int, second: int) -> None:
    group, own = bond(vpp), [mac(vpp, index) for index in (first, second)]
    assert [join(vpp, first, group), join(vpp, second, group)] == [0, 0]
    assert [mac(vpp, index) for index in (group, first, second)] == [own[0]] * 3
    assert part(vpp, first) == 0
    assert [mac(vpp, index) for index in (group, first, second)] == [own[0]] * 3
    assert part(vpp, second) == 0
    assert mac(vpp, second) == own[1]


def test_members_get_a_custom_mac_and_their_own_back(vpp: Subject, first: int) -> None:
    group, own = bond(vpp, mac=MAC), mac(vpp, first)
    join(vpp, first, group)
    assert (mac(vpp, group), mac(vpp, first)) == (MAC, MAC)
    assert vpp.api.bond_delete(sw_if_index=group).retval == 0
    assert mac(vpp, first) == own


def test_a_mac_set_on_a_bond_later_reaches_nobody(vpp: Subject, first: int, second: int) -> None:
    group, own = bond(vpp), mac(vpp, first)
    join(vpp, first, group)
    assert vpp.api.sw_interface_set_mac_address(sw_if_index=group, mac_address=MAC).retval == 0
    join(vpp, second, group)
    assert [mac(vpp, index) for index in (group, first, second)] == [MAC, own, own]


def test_membership_is_checked(vpp: Subject, first: int, second: int) -> None:
    group, other = bond(vpp), bond(vpp, 1)
    answers = [join(vpp, *pair) for pair in ((first, group), (first, other), (second, second), (other, group))]
    assert answers == [0, -81, -71, -71]
    assert [join(vpp, 4711, group), part(vpp, second), part(vpp, 4711)] == [-2, -71, -2 if vpp.since("24.02") else -71]


def test_a_weight_is_for_active_backup_only(vpp: Subject, first: int, second: int) -> None:
    groups = bond(vpp, 0, ACTIVE_BACKUP), bond(vpp, 1, LACP)
    join(vpp, first, groups[0])
    join(vpp, second, groups[1])
    answers = [
        vpp.api.sw_interface_set_bond_weight(sw_if_index=index, weight=4).retval
        for index in (first, second, groups[0], 4711)
    ]
    assert answers == [0, -73, -71, -2 if vpp.since("24.02") else -71]
    (row,) = vpp.api.sw_member_interface_dump(sw_if_index=groups[0])
    assert (row.sw_if_index, row.weight) == (first, 4)


def test_a_bond_has_a_link_while_it_and_a_member_are_up(vpp: Subject, first: int) -> None:
    group = bond(vpp)
    join(vpp, first, group)
    seen = []
    for index, flags in ((group, 1), (first, 1), (first, 0)):
        vpp.api.sw_interface_set_flags(sw_if_index=index, flags=flags)
        seen.append(int(vpp.details(group).flags))
    assert seen == ([1, 3, 1] if vpp.since("26.06") else [3, 3, 3])


def test_deleting_a_bond_deletes_its_sub_interfaces_and_pair(vpp: Subject, first: int) -> None:
    group = bond(vpp)
    sub = vpp.sub(group, 10)
    vpp.add_pair(group, "be0")
    assert [vpp.api.bond_delete(sw_if_index=index).retval for index in (first, 4711, sub)] == [-2, -2, 0]
    assert set(vpp.interfaces()) == {"local0", *PORTS}


def test_deleting_a_member_takes_it_out(vpp: Subject) -> None:
    group = bond(vpp)
    member = vpp.api.create_loopback_instance(is_specified=True, user_instance=3).sw_if_index
    join(vpp, member, group)
    vpp.api.delete_loopback(sw_if_index=member)
    assert vpp.api.sw_member_interface_dump(sw_if_index=group) == []


def test_the_last_member_comes_to_the_place_of_one_that_leaves(vpp: Subject, first: int, second: int) -> None:
    group, third = bond(vpp), vpp.index(PORTS[2])
    for index in (first, second, third):
        assert join(vpp, index, group) == 0
    assert part(vpp, first) == 0
    assert [row.sw_if_index for row in vpp.api.sw_member_interface_dump(sw_if_index=group)] == [third, second]
    assert (join(vpp, first, group), part(vpp, second)) == (0, 0)
    assert [row.sw_if_index for row in vpp.api.sw_member_interface_dump(sw_if_index=group)] == [third, first]
