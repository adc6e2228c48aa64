"""Contract: IP addresses of interfaces."""

import pytest

from tests.contract.subject import Flags, Subject

OVERLAP_IPV4, OVERLAP_IPV6 = -105, -127


def test_addresses_are_shown_in_the_order_in_which_they_came(vpp: Subject, first: int) -> None:
    wanted = ["10.0.0.9/24", "10.0.0.1/24", "192.0.2.1/32", "2001:db8::2/64", "2001:db8:1::1/128"]
    assert [vpp.add_address(first, prefix) for prefix in wanted] == [0] * 5
    assert vpp.addresses(first) == wanted
    assert vpp.remove_address(first, "10.0.0.9/24") == 0
    assert vpp.add_address(first, "10.0.0.9/24") == 0
    assert vpp.addresses(first)[:3] == ["10.0.0.1/24", "192.0.2.1/32", "10.0.0.9/24"]


@pytest.mark.parametrize(
    ("prefix", "retval"),
    [
        ("10.0.0.1/24", OVERLAP_IPV4),
        ("10.0.0.2/24", 0),
        ("10.0.0.2/25", OVERLAP_IPV4),
        ("10.0.0.2/32", OVERLAP_IPV4),
        ("10.9.9.9/8", OVERLAP_IPV4),
        ("10.0.1.1/24", 0),
        ("2001:db8::1/64", OVERLAP_IPV6),
        ("2001:db8::2/64", 0),
        ("2001:db8::2/65", OVERLAP_IPV6),
        ("2001:db8:0:1::1/32", OVERLAP_IPV6),
        ("2001:db8:0:1::1/64", 0),
    ],
)
def test_one_interface_has_addresses_of_one_prefix_and_length_only(
    vpp: Subject, first: int, prefix: str, retval: int
) -> None:
    held = ["10.0.0.1/24", "2001:db8::1/64"]
    assert [vpp.add_address(first, one) for one in held] == [0, 0]
    assert vpp.add_address(first, prefix) == retval
    assert set(vpp.addresses(first)) == {*held, *([prefix] if retval == 0 else [])}


@pytest.mark.parametrize(
    ("prefix", "retval"),
    [
        ("10.0.0.2/24", OVERLAP_IPV4),
        ("10.0.0.2/31", OVERLAP_IPV4),
        ("10.0.1.1/24", 0),
        ("2001:db8::2/64", OVERLAP_IPV6),
        ("2001:db8::2/128", OVERLAP_IPV6),
        ("2001:db8:0:1::1/64", 0),
    ],
)
def test_two_interfaces_may_not_overlap(vpp: Subject, first: int, second: int, prefix: str, retval: int) -> None:
    assert [vpp.add_address(first, one) for one in ("10.0.0.1/24", "2001:db8::1/64")] == [0, 0]
    assert vpp.add_address(second, prefix) == retval
    assert vpp.addresses(second) == ([prefix] if retval == 0 else [])


def test_overlaps_do_not_depend_on_admin_state(vpp: Subject, first: int, second: int) -> None:
    assert vpp.add_address(first, "10.0.0.1/24") == 0
    vpp.up(second)
    assert vpp.add_address(second, "10.0.0.2/24") == OVERLAP_IPV4


@pytest.mark.parametrize(("prefix", "retval"), [("10.0.0.1/0", -59), ("2001:db8::1/0", -59)])
def test_a_length_of_0_is_refused(vpp: Subject, first: int, prefix: str, retval: int) -> None:
    assert vpp.add_address(first, prefix) == retval


def test_a_length_of_0_overlaps_with_everything(vpp: Subject, first: int, second: int) -> None:
    vpp.add_address(first, "192.0.2.1/32")
    assert vpp.add_address(second, "10.0.0.1/0") == OVERLAP_IPV4


@pytest.mark.parametrize("prefix", ["10.0.0.0/24", "10.0.0.255/24", "224.0.0.1/24", "0.0.0.0/8", "ff02::1/64"])
def test_network_broadcast_and_multicast_addresses_are_taken(vpp: Subject, first: int, prefix: str) -> None:
    assert vpp.add_address(first, prefix) == 0
    assert vpp.addresses(first) == [prefix]


def test_an_address_is_removed_whatever_length_is_given(vpp: Subject, first: int) -> None:
    vpp.add_address(first, "10.0.0.1/24")
    assert vpp.remove_address(first, "10.0.0.1/32") == 0
    assert vpp.addresses(first) == []


def test_an_address_that_is_not_there_cannot_be_removed(vpp: Subject, first: int, second: int) -> None:
    vpp.add_address(second, "10.0.0.1/24")
    vpp.add_address(second, "2001:db8::1/64")
    prefixes = ("10.0.0.1/24", "10.0.0.9/24", "2001:db8::1/64", "2001:db8::9/64")
    assert [vpp.remove_address(first, prefix) for prefix in prefixes] == [-60] * 4
    assert vpp.addresses(second) == ["10.0.0.1/24", "2001:db8::1/64"]


def test_all_addresses_are_removed_at_once(vpp: Subject, first: int, second: int) -> None:
    for prefix in ("10.0.0.1/24", "10.0.0.2/24", "2001:db8::1/64"):
        vpp.add_address(first, prefix)
    vpp.add_address(second, "192.0.2.1/32")
    reply = vpp.api.sw_interface_add_del_address(sw_if_index=first, is_add=False, del_all=True)
    assert (reply.retval, vpp.addresses(first), vpp.addresses(second)) == (0, [], ["192.0.2.1/32"])


def test_all_wins_over_add(vpp: Subject, first: int) -> None:
    vpp.add_address(first, "10.0.0.1/24")
    reply = vpp.api.sw_interface_add_del_address(sw_if_index=first, is_add=True, del_all=True, prefix="10.1.0.1/24")
    assert (reply.retval, vpp.addresses(first)) == (0, [])


def test_local0_takes_no_address(vpp: Subject) -> None:
    assert [vpp.add_address(0, prefix) for prefix in ("10.0.0.1/24", "2001:db8::1/64")] == [-126, -126]


@pytest.mark.parametrize(
    ("flags", "retval"),
    [
        (Flags.ONE_TAG, -126),
        (Flags.TWO_TAGS, -126),
        (Flags.ONE_TAG | Flags.EXACT, 0),
        (Flags.TWO_TAGS | Flags.DOT1AD | Flags.EXACT, 0),
    ],
)
def test_a_sub_interface_needs_an_exact_match(vpp: Subject, first: int, flags: int, retval: int) -> None:
    sub = vpp.sub(first, 100, flags, inner_vlan_id=7 if flags & Flags.TWO_TAGS else 0)
    assert [vpp.add_address(sub, prefix) for prefix in ("10.0.0.1/24", "2001:db8::1/64")] == [retval, retval]


def test_a_link_local_address_is_taken_as_128_only_and_never_shown(vpp: Subject, first: int) -> None:
    assert vpp.add_address(first, "fe80::1/64") == -59
    assert vpp.add_address(first, "fe80::1/128") == 0
    assert vpp.addresses(first) == []
    assert vpp.remove_address(first, "fe80::1/64") == -59
    assert vpp.remove_address(first, "fe80::1/128") == -61
    assert vpp.remove_address(first, "fe80::2/128") == -60


def test_nothing_is_unnumbered(vpp: Subject, first: int) -> None:
    assert vpp.api.ip_unnumbered_dump() == []
    assert vpp.api.ip_unnumbered_dump(sw_if_index=first) == []


def test_addresses_move_once_the_old_owner_gave_them_up(vpp: Subject, first: int, second: int) -> None:
    vpp.add_address(first, "10.0.0.1/24")
    vpp.remove_address(first, "10.0.0.1/24")
    assert vpp.add_address(second, "10.0.0.1/24") == 0
    assert (vpp.addresses(first), vpp.addresses(second)) == ([], ["10.0.0.1/24"])
