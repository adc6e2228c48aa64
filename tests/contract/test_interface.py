"""Contract: interfaces, their state, MTUs, tags, MAC addresses and FIB tables."""

import pytest

from tests.contract.subject import ALL, PORTS, Subject

MISSING = 4711


def names(vpp: Subject, **filters: object) -> list[str]:
    return sorted(str(row.interface_name) for row in vpp.api.sw_interface_dump(**filters))


def test_a_new_port_is_down_with_link_and_packet_mtu_9000(vpp: Subject, first: int) -> None:
    row = vpp.details(first)
    assert (row.interface_name, row.interface_dev_type) == (PORTS[0], "af-packet")
    assert (row.sup_sw_if_index, int(row.type), row.sub_id, row.tag) == (first, 0, 0, "")
    assert (int(row.flags) & 1, row.link_mtu, list(row.mtu)) == (0, 9000, [9000, 0, 0, 0])
    assert str(row.l2_address) == "02:00:00:00:00:01"


def test_local0_has_index_0_and_no_mtu(vpp: Subject) -> None:
    row = vpp.interfaces()["local0"]
    assert (row.sw_if_index, row.interface_dev_type, row.link_mtu, list(row.mtu)) == (0, "local", 0, [0, 0, 0, 0])


@pytest.mark.parametrize("index", [0, ALL])
def test_index_0_and_all_ones_stand_for_all(vpp: Subject, index: int) -> None:
    assert names(vpp, sw_if_index=index) == sorted(["local0", *PORTS])


def test_one_interface_can_be_asked_for(vpp: Subject, second: int) -> None:
    assert names(vpp, sw_if_index=second) == [PORTS[1]]


def test_a_free_index_shows_nothing(vpp: Subject) -> None:
    assert names(vpp, sw_if_index=MISSING) == []


@pytest.mark.parametrize(
    ("text", "found"), [("gigabit", sorted(PORTS[:2])), ("/0", sorted(PORTS[:2])), ("ETH2", ["eth2"]), ("nothing", [])]
)
def test_a_filter_is_a_part_of_the_name_in_any_case(vpp: Subject, text: str, found: list[str]) -> None:
    assert names(vpp, sw_if_index=ALL, name_filter_valid=True, name_filter=text) == found


def test_a_filter_wins_over_an_index(vpp: Subject, first: int) -> None:
    assert names(vpp, sw_if_index=first, name_filter_valid=True, name_filter="eth2") == ["eth2"]


def test_an_interface_goes_up_and_down(vpp: Subject, first: int) -> None:
    seen = []
    for flags in (1, 1, 0, 0, 3, 2):
        seen.append((vpp.api.sw_interface_set_flags(sw_if_index=first, flags=flags).retval, vpp.is_up(first)))
    assert seen == [(0, True), (0, True), (0, False), (0, False), (0, True), (0, False)]


def test_local0_goes_up_and_down(vpp: Subject) -> None:
    assert vpp.api.sw_interface_set_flags(sw_if_index=0, flags=1).retval == 0
    assert int(vpp.interfaces()["local0"].flags) & 1 == 1
    assert vpp.api.sw_interface_set_flags(sw_if_index=0, flags=0).retval == 0


def test_four_packet_mtus_are_kept_as_given(vpp: Subject, first: int) -> None:
    assert vpp.api.sw_interface_set_mtu(sw_if_index=first, mtu=[1500, 1400, 1300, 1200]).retval == 0
    assert vpp.mtus(first) == [1500, 1400, 1300, 1200]
    assert vpp.api.sw_interface_set_mtu(sw_if_index=first, mtu=[0, 0, 0, 100000]).retval == 0
    assert vpp.mtus(first) == [0, 0, 0, 100000]


def test_a_change_of_the_link_mtu_overwrites_packet_mtus_of_the_port_and_all_on_it(vpp: Subject, first: int) -> None:
    subs = [vpp.sub(first, 100), vpp.sub(first, 200)]
    vpp.api.sw_interface_set_mtu(sw_if_index=first, mtu=[1500, 1400, 0, 0])
    vpp.api.sw_interface_set_mtu(sw_if_index=subs[0], mtu=[1300, 0, 0, 7])
    assert vpp.api.hw_interface_set_mtu(sw_if_index=first, mtu=2000).retval == 0
    assert [vpp.details(index).link_mtu for index in (first, *subs)] == [2000, 2000, 2000]
    assert vpp.mtus(first) == [2000, 1400, 0, 0]
    assert [vpp.mtus(sub) for sub in subs] == [[2000, 0, 0, 7], [2000, 0, 0, 0]]


def test_the_link_mtu_that_is_set_already_changes_nothing(vpp: Subject, first: int) -> None:
    sub = vpp.sub(first, 100)
    vpp.api.sw_interface_set_mtu(sw_if_index=first, mtu=[1500, 0, 0, 0])
    assert vpp.api.hw_interface_set_mtu(sw_if_index=first, mtu=9000).retval == 0
    assert (vpp.mtus(first), vpp.mtus(sub)) == ([1500, 0, 0, 0], [0, 0, 0, 0])


def test_the_link_mtu_changes_while_the_port_is_up(vpp: Subject, first: int) -> None:
    vpp.up(first)
    assert vpp.api.hw_interface_set_mtu(sw_if_index=first, mtu=1500).retval == 0
    assert vpp.is_up(first)


@pytest.mark.parametrize("mtu", [0, 23, 65492, 65535])
def test_a_link_mtu_that_linux_refuses_changes_nothing(vpp: Subject, first: int, mtu: int) -> None:
    assert vpp.api.hw_interface_set_mtu(sw_if_index=first, mtu=mtu).retval == -11
    assert (vpp.details(first).link_mtu, vpp.mtus(first)) == (9000, [9000, 0, 0, 0])


def test_only_an_ethernet_port_has_a_link_mtu_to_set(vpp: Subject, first: int) -> None:
    sub = vpp.sub(first, 100)
    answers = [vpp.api.hw_interface_set_mtu(sw_if_index=index, mtu=1500).retval for index in (sub, 0, MISSING)]
    assert answers == [-7, -30, -2]


def test_a_tag_is_set_replaced_and_cleared(vpp: Subject, first: int) -> None:
    seen = []
    for is_add, tag in ((True, "vppcfg my uplink"), (True, "x" * 63), (False, ""), (False, "gone")):
        reply = vpp.api.sw_interface_tag_add_del(sw_if_index=first, is_add=is_add, tag=tag)
        seen.append((reply.retval, vpp.details(first).tag))
    assert seen == [(0, "vppcfg my uplink"), (0, "x" * 63), (0, ""), (0, "")]


def test_an_empty_tag_cannot_be_set(vpp: Subject, first: int) -> None:
    vpp.api.sw_interface_tag_add_del(sw_if_index=first, is_add=True, tag="kept")
    assert vpp.api.sw_interface_tag_add_del(sw_if_index=first, is_add=True, tag="").retval == -7
    assert vpp.details(first).tag == "kept"


def test_a_mac_address_is_set_and_shown(vpp: Subject, second: int) -> None:
    before = str(vpp.details(second).l2_address)
    assert vpp.api.sw_interface_set_mac_address(sw_if_index=second, mac_address="02:11:22:33:44:55").retval == 0
    sub = vpp.sub(second, 100)
    shown = [str(vpp.api.sw_interface_get_mac_address(sw_if_index=index).mac_address) for index in (second, sub)]
    assert shown == ["02:11:22:33:44:55", "02:11:22:33:44:55"]
    assert str(vpp.details(second).l2_address) == "02:11:22:33:44:55"
    assert str(vpp.details(sub).l2_address) == "00:00:00:00:00:00"
    assert vpp.api.sw_interface_set_mac_address(sw_if_index=second, mac_address=before).retval == 0


def test_local0_and_sub_interfaces_have_no_mac_address_to_set(vpp: Subject, first: int) -> None:
    sub = vpp.sub(first, 100)
    answers = [
        vpp.api.sw_interface_set_mac_address(sw_if_index=index, mac_address="02:11:22:33:44:55").retval
        for index in (0, sub)
    ]
    assert answers == [-9, -9]


def test_interfaces_are_in_fib_table_0(vpp: Subject, first: int) -> None:
    replies = [vpp.api.sw_interface_get_table(sw_if_index=first, is_ipv6=is_ipv6) for is_ipv6 in (False, True)]
    assert [(reply.retval, reply.vrf_id) for reply in replies] == [(0, 0), (0, 0)]


def test_every_message_refuses_an_index_that_is_free(vpp: Subject) -> None:
    api, index = vpp.api, MISSING
    answers = {
        "state": api.sw_interface_set_flags(sw_if_index=index, flags=1).retval,
        "mtu": api.sw_interface_set_mtu(sw_if_index=index, mtu=[1500, 0, 0, 0]).retval,
        "tag": api.sw_interface_tag_add_del(sw_if_index=index, is_add=True, tag="x").retval,
        "table": api.sw_interface_get_table(sw_if_index=index, is_ipv6=False).retval,
        "set mac": api.sw_interface_set_mac_address(sw_if_index=index, mac_address="02:00:00:00:00:09").retval,
        "get mac": api.sw_interface_get_mac_address(sw_if_index=index).retval,
        "create": api.create_subif(sw_if_index=index, sub_id=1, sub_if_flags=18, outer_vlan_id=1).retval,
        "create vlan": api.create_vlan_subif(sw_if_index=index, vlan_id=1).retval,
        "delete": api.delete_subif(sw_if_index=index).retval,
        "address": vpp.add_address(index, "10.0.0.1/24"),
        "xconnect": vpp.xconnect(index, index),
        "leave": vpp.leave_l2(index),
        "rewrite": api.l2_interface_vlan_tag_rewrite(sw_if_index=index, vtr_op=0).retval,
        "pair": vpp.add_pair(index, "x1"),
        "no pair": vpp.delete_pair(index),
    }
    assert set(answers.values()) == {-2}, answers
    assert api.ip_address_dump(sw_if_index=index, is_ipv6=False) == []


def test_a_port_gets_another_name_and_its_sub_interfaces_with_it(vpp: Subject, first: int) -> None:
    vpp.sub(first, 100)
    rename = vpp.api.sw_interface_set_interface_name
    assert [rename(sw_if_index=first, name=name).retval for name in ("uplink", "")] == [0, -7]
    if vpp.since("24.06"):  # before, VPP renames what is not there, and may crash
        assert rename(sw_if_index=MISSING, name="lost").retval == -2
    assert {"uplink", "uplink.100"} <= set(vpp.interfaces())
    assert rename(sw_if_index=vpp.index("uplink.100"), name="nobody").retval == 0
    assert ("nobody" in vpp.interfaces(), vpp.index("uplink.100") > first) == (True, True), "VPP renames local0"
    for port, name in (("nobody", "local0"), ("uplink", PORTS[0])):
        assert vpp.cli(f"set interface name {port} {name}") == (0, "")
    assert {"local0", PORTS[0], f"{PORTS[0]}.100"} <= set(vpp.interfaces())


def test_the_prompt_renames_ports_alone(vpp: Subject, first: int) -> None:
    vpp.sub(first, 100)
    command = "set interface name"
    assert vpp.cli(f"{command} {PORTS[0]} uplink") == (0, "")
    assert "uplink" in vpp.interfaces()
    assert vpp.cli(f"{command} uplink.100 other")[1] == f"{command}: parse error: 'uplink.100 other'\n"
    assert vpp.cli(f"{command} {PORTS[0]} x")[1] == f"{command}: parse error: '{PORTS[0]} x'\n"
    assert vpp.cli(f"{command} uplink {PORTS[0]}") == (0, "")
    assert vpp.cli(command) == (0, "")


VXLAN = "create vxlan tunnel src 192.0.2.1 dst 192.0.2.2 vni 10"


@pytest.mark.parametrize("line", [VXLAN, "create loopback interface"])
def test_what_is_deleted_under_another_name_is_gone(vpp: Subject, line: str) -> None:
    name = vpp.cli(line)[1].strip()
    assert vpp.cli(f"set interface name {name} other") == (0, "")
    assert vpp.cli(f"{line} del" if line == VXLAN else "delete loopback interface intfc other") == (0, "")
    assert sorted(vpp.interfaces()) == sorted(["local0", *PORTS])
    assert vpp.cli(line)[1].strip() == name
