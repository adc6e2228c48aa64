"""Contract: sub-interfaces made, refused, deleted, and what is cleaned up with them."""

import pytest

from tests.contract.subject import ALL, PORTS, Flags, Subject

EXACT = Flags.ONE_TAG | Flags.EXACT


@pytest.mark.parametrize(
    ("flags", "outer", "inner", "tags", "shown"),
    [
        (Flags.ONE_TAG | Flags.EXACT, 100, 0, 1, 0x12),
        (Flags.ONE_TAG, 100, 0, 1, 0x02),
        (Flags.ONE_TAG | Flags.DOT1AD | Flags.EXACT, 100, 0, 1, 0x1A),
        (Flags.TWO_TAGS | Flags.EXACT, 100, 200, 2, 0x14),
        (Flags.TWO_TAGS | Flags.DOT1AD, 100, 200, 2, 0x0C),
        (Flags.TWO_TAGS | Flags.INNER_ANY, 100, 0, 2, 0x84),
        (Flags.DEFAULT, 0, 0, 0, 0x20),
        (Flags.ONE_TAG | Flags.EXACT, 4095, 0, 1, 0x12),
    ],
)
def test_a_sub_interface_is_born_down_without_a_packet_mtu(
    vpp: Subject, first: int, flags: int, outer: int, inner: int, tags: int, shown: int
) -> None:
    vpp.up(first)
    row = vpp.details(vpp.sub(first, 77, flags, outer_vlan_id=outer, inner_vlan_id=inner))
    assert (row.interface_name, row.interface_dev_type) == (f"{PORTS[0]}.77", "af-packet")
    assert (row.sup_sw_if_index, int(row.type), row.sub_id, row.sub_number_of_tags) == (first, 1, 77, tags)
    assert (row.sub_outer_vlan_id, row.sub_inner_vlan_id, int(row.sub_if_flags)) == (outer, inner, shown)
    assert (int(row.flags) & 1, row.link_mtu, list(row.mtu), row.tag) == (0, 9000, [0, 0, 0, 0], "")


@pytest.mark.parametrize("sub_id", [0, 1, 4096, 2147483648, 4294967295])
def test_any_id_will_do(vpp: Subject, first: int, sub_id: int) -> None:
    index = vpp.sub(first, sub_id, EXACT, outer_vlan_id=100)
    shown = sub_id if vpp.since("26.06") or sub_id < 1 << 31 else sub_id - (1 << 32)
    assert vpp.details(index).interface_name == f"{PORTS[0]}.{shown}"


def test_an_id_is_taken_once_per_port(vpp: Subject, first: int, second: int) -> None:
    vpp.sub(first, 100)
    vpp.sub(second, 100)
    reply = vpp.api.create_subif(sw_if_index=first, sub_id=100, sub_if_flags=EXACT, outer_vlan_id=101)
    assert (reply.retval, reply.sw_if_index) == (-56, ALL)


def test_the_same_vlans_under_other_protocols_and_depths_are_no_duplicates(vpp: Subject, first: int) -> None:
    made = [
        vpp.sub(first, 1, EXACT, outer_vlan_id=100),
        vpp.sub(first, 2, EXACT | Flags.DOT1AD, outer_vlan_id=100),
        vpp.sub(first, 3, Flags.TWO_TAGS | Flags.EXACT, outer_vlan_id=100, inner_vlan_id=100),
        vpp.sub(first, 4, Flags.TWO_TAGS | Flags.EXACT | Flags.DOT1AD, outer_vlan_id=100, inner_vlan_id=100),
        vpp.sub(first, 5, Flags.TWO_TAGS | Flags.INNER_ANY, outer_vlan_id=100),
    ]
    assert len(set(made)) == 5


@pytest.mark.parametrize("second_flags", [EXACT, Flags.ONE_TAG])
def test_an_encapsulation_is_refused_once_and_then_doubled(vpp: Subject, first: int, second_flags: int) -> None:
    """VPP's undo of the refused one frees the place of the one that has it (vnet/ethernet/node.c)."""
    vpp.sub(first, 100)
    answers = [
        vpp.api.create_subif(sw_if_index=first, sub_id=sub_id, sub_if_flags=second_flags, outer_vlan_id=100).retval
        for sub_id in (101, 102, 103)
    ]
    assert answers == [-1, 0, -1]
    assert f"{PORTS[0]}.101" not in vpp.interfaces()
    assert f"{PORTS[0]}.102" in vpp.interfaces()


def test_a_refused_sub_interface_leaves_its_index_free(vpp: Subject, first: int) -> None:
    vpp.sub(first, 100)
    refused = vpp.api.create_subif(sw_if_index=first, sub_id=101, sub_if_flags=EXACT, outer_vlan_id=100)
    assert refused.retval == -1
    assert vpp.sub(first, 102) == refused.sw_if_index


@pytest.mark.parametrize(
    "flags",
    [
        Flags.ONE_TAG | Flags.OUTER_ANY,
        Flags.TWO_TAGS | Flags.OUTER_ANY | Flags.INNER_ANY,
        Flags.TWO_TAGS | Flags.INNER_ANY | Flags.EXACT,
    ],
)
def test_matches_that_vpp_has_not_implemented_are_refused(vpp: Subject, first: int, flags: int) -> None:
    for sub_id in (1, 2):
        reply = vpp.api.create_subif(sw_if_index=first, sub_id=sub_id, sub_if_flags=flags, outer_vlan_id=100)
        assert reply.retval == -1


@pytest.mark.parametrize(("vlan", "retval"), [(0, -55), (4096, -55), (1, 0), (4095, 0)])
def test_create_vlan_subif_checks_the_vlan(vpp: Subject, first: int, vlan: int, retval: int) -> None:
    assert vpp.api.create_vlan_subif(sw_if_index=first, vlan_id=vlan).retval == retval


def test_create_vlan_subif_makes_an_exact_match(vpp: Subject, first: int) -> None:
    reply = vpp.api.create_vlan_subif(sw_if_index=first, vlan_id=100)
    row = vpp.details(reply.sw_if_index)
    assert (row.sub_id, row.sub_outer_vlan_id, int(row.sub_if_flags)) == (100, 100, 0x12)
    assert vpp.api.create_vlan_subif(sw_if_index=first, vlan_id=100).retval == -56
    assert vpp.api.create_vlan_subif(sw_if_index=reply.sw_if_index, vlan_id=200).retval == 0
    assert f"{PORTS[0]}.200" in vpp.interfaces()


def test_create_vlan_subif_refuses_a_vlan_in_use(vpp: Subject, first: int) -> None:
    vpp.sub(first, 7, EXACT, outer_vlan_id=100)
    assert vpp.api.create_vlan_subif(sw_if_index=first, vlan_id=100).retval == -31


def test_a_sub_interface_of_a_sub_interface_is_called_after_local0(vpp: Subject, first: int) -> None:
    sub = vpp.sub(first, 100)
    row = vpp.details(vpp.sub(sub, 7))
    assert (row.interface_name, row.interface_dev_type, row.sup_sw_if_index) == ("local0.7", "local", sub)


def test_a_sub_interface_goes_up_only_under_a_parent_that_is_up(vpp: Subject, first: int) -> None:
    sub = vpp.sub(first, 100)
    assert vpp.api.sw_interface_set_flags(sw_if_index=sub, flags=1).retval == -1
    assert vpp.api.sw_interface_set_flags(sw_if_index=sub, flags=0).retval == 0
    vpp.up(first, sub)
    assert vpp.is_up(sub)


def test_a_sub_interface_stays_up_when_its_parent_goes_down(vpp: Subject, first: int) -> None:
    sub = vpp.sub(first, 100)
    vpp.up(first, sub)
    vpp.api.sw_interface_set_flags(sw_if_index=first, flags=0)
    assert (vpp.is_up(first), vpp.is_up(sub)) == (False, True)
    assert vpp.api.sw_interface_set_flags(sw_if_index=sub, flags=1).retval == -1
    assert vpp.is_up(sub)
    assert vpp.api.sw_interface_set_flags(sw_if_index=sub, flags=0).retval == 0
    assert not vpp.is_up(sub)


def test_only_sub_interfaces_can_be_deleted_as_such(vpp: Subject, first: int) -> None:
    answers = [vpp.api.delete_subif(sw_if_index=index).retval for index in (0, first, 4711)]
    assert answers == [-98, -98, -2]


def test_deleting_frees_index_id_encapsulation_addresses_and_tag(vpp: Subject, first: int) -> None:
    vpp.up(first)
    sub = vpp.sub(first, 100)
    vpp.up(sub)
    vpp.api.sw_interface_tag_add_del(sw_if_index=sub, is_add=True, tag="mine")
    vpp.api.sw_interface_set_mtu(sw_if_index=sub, mtu=[1400, 0, 0, 0])
    assert [vpp.add_address(sub, prefix) for prefix in ("10.0.0.1/24", "10.0.0.2/24", "2001:db8::1/64")] == [0, 0, 0]
    assert vpp.api.delete_subif(sw_if_index=sub).retval == 0
    assert f"{PORTS[0]}.100" not in vpp.interfaces()
    again = vpp.sub(first, 100)
    row = vpp.details(again)
    assert again == sub
    assert (row.tag, list(row.mtu), int(row.flags) & 1) == ("", [0, 0, 0, 0], 0)
    assert vpp.addresses(again) == []
    assert vpp.add_address(first, "10.0.0.1/24") == 0


def test_the_index_freed_last_is_used_first(vpp: Subject, first: int) -> None:
    subs = [vpp.sub(first, number) for number in (1, 2, 3)]
    for sub in (subs[0], subs[2], subs[1]):
        vpp.api.delete_subif(sw_if_index=sub)
    assert [vpp.sub(first, number) for number in (4, 5, 6)] == [subs[1], subs[2], subs[0]]
