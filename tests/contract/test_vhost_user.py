"""Contract: vhost-user ports, to which nobody connects."""

from typing import Any

import pytest

from tests.contract.subject import ALL, Subject

FILE, OTHER = "/tmp/vppcfg-contract-vm7.sock", "/tmp/vppcfg-contract-vm8.sock"
EXISTS, INVALID, NO_PORT = -79, -73, -2
REFUSED = "vhost_user_create_if returned"


def create(vpp: Subject, file: str, number: int | None = 7, *, is_server: bool = True, **more: Any) -> tuple[int, int]:
    numbered = {"renumber": number is not None, "custom_dev_instance": number or 0}
    reply = vpp.api.create_vhost_user_if_v2(is_server=is_server, sock_filename=file, **numbered, **more)
    return reply.retval, reply.sw_if_index


def delete(vpp: Subject, index: int) -> int:
    return int(vpp.api.delete_vhost_user_if(sw_if_index=index).retval)


def shown(vpp: Subject) -> list[tuple[Any, ...]]:
    rows = vpp.api.sw_interface_vhost_user_dump(sw_if_index=ALL)
    return [(row.sw_if_index, row.interface_name, row.is_server, row.sock_filename, row.sock_errno) for row in rows]


def test_a_vhost_user_port_is_born_down_without_link(vpp: Subject) -> None:
    code, index = create(vpp, FILE, tag="vppcfg:made vm7")
    row = vpp.details(index)
    assert (code, row.interface_name, row.interface_dev_type) == (0, "VirtualEthernet0/0/7", "vhost-user")
    assert (int(row.flags), row.link_mtu, list(row.mtu), row.tag) == (0, 9000, [9000, 0, 0, 0], "vppcfg:made vm7")
    assert str(row.l2_address).startswith("02:fe:")
    assert shown(vpp) == [(index, "VirtualEthernet0/0/7", True, FILE, 0)]
    vpp.up(index)
    assert int(vpp.details(index).flags) == 1


def test_it_has_the_mac_that_it_is_made_with_and_no_mtu_of_the_link(vpp: Subject) -> None:
    _, index = create(vpp, FILE, use_custom_mac=True, mac_address="02:00:00:00:00:77")
    assert str(vpp.details(index).l2_address) == "02:00:00:00:00:77"
    assert vpp.api.hw_interface_set_mtu(sw_if_index=index, mtu=1500).retval == -126
    assert vpp.api.sw_interface_set_mtu(sw_if_index=index, mtu=[1500, 0, 0, 0]).retval == 0
    assert vpp.mtus(index) == [1500, 0, 0, 0]
    assert vpp.api.sw_interface_set_mac_address(sw_if_index=index, mac_address="02:00:00:00:00:78").retval == 0


def test_a_socket_has_one_port(vpp: Subject) -> None:
    _, index = create(vpp, FILE)
    assert create(vpp, FILE, 8) == (EXISTS, index)
    assert create(vpp, OTHER, 8, is_server=False)[0] == 0
    assert create(vpp, "", 9) == (INVALID, ALL)
    assert [row[1:] for row in shown(vpp)] == [
        ("VirtualEthernet0/0/7", True, FILE, 0),
        ("VirtualEthernet0/0/8", False, OTHER, 2),
    ]


def test_a_port_goes_with_what_is_on_it(vpp: Subject, first: int) -> None:
    _, index = create(vpp, FILE, is_server=False)
    vpp.sub(index, 10)
    assert (vpp.add_address(index, "192.0.2.1/24"), vpp.add_pair(index, "vm7")) == (0, 0)
    assert (delete(vpp, first), delete(vpp, 4711), delete(vpp, index), delete(vpp, index)) == (-2, -2, 0, -2)
    assert {"VirtualEthernet0/0/7", "VirtualEthernet0/0/7.10"} & set(vpp.interfaces()) == set()
    assert create(vpp, FILE) == (0, index)
    assert vpp.addresses(index) == []


def test_a_port_is_deleted_by_its_sub_interfaces_too(vpp: Subject) -> None:
    by_message = vpp.sub(create(vpp, FILE)[1], 10)
    assert delete(vpp, by_message) == 0
    vpp.sub(create(vpp, FILE)[1], 10)
    assert vpp.cli("delete vhost-user VirtualEthernet0/0/7.10") == (0, "")
    assert {"VirtualEthernet0/0/7", "VirtualEthernet0/0/7.10"} & set(vpp.interfaces()) == set()


def test_two_ports_may_have_the_same_number_and_go_one_after_the_other(vpp: Subject) -> None:
    """Neither real nor simulated VPP refuses the number, and each forgets the name with the first port to go."""
    (first, one), (second, other) = create(vpp, FILE), create(vpp, OTHER)
    assert (first, second) == (0, 0)
    assert [row[1] for row in shown(vpp)] == ["VirtualEthernet0/0/7"] * 2
    assert (delete(vpp, one), delete(vpp, other)) == (0, 0)
    assert shown(vpp) == []
    assert create(vpp, FILE)[0] == 0


def test_a_port_that_nobody_is_connected_to_is_polled(vpp: Subject) -> None:
    _, index = create(vpp, FILE)
    assert [row.mode for row in vpp.api.sw_interface_rx_placement_dump(sw_if_index=index)] == [1]
    modes = [vpp.api.sw_interface_set_rx_mode(sw_if_index=index, mode=mode).retval for mode in (1, 2, 3)]
    assert modes == [0, -9, -9]


def test_a_port_that_is_told_no_number_gets_one(vpp: Subject) -> None:
    for file, number in ((FILE, None), (OTHER, 7)):
        assert create(vpp, file, number)[0] == 0
    named = {row[3]: row[1] for row in shown(vpp)}
    assert named[OTHER] == "VirtualEthernet0/0/7"
    assert named[FILE].startswith("VirtualEthernet0/0/")


@pytest.mark.parametrize(
    ("line", "retval", "text"),
    [
        (f"create vhost-user socket {OTHER} server renumber 20", 0, "VirtualEthernet0/0/20\n"),
        (
            f"create vhost-user socket {OTHER} hwaddr 02:00:00:00:00:99 gso packed renumber 9",
            0,
            "VirtualEthernet0/0/9\n",
        ),
        ("create vhost-user", 0, ""),
        ("create vhost-user server", -1, f"{REFUSED} -73"),
        (f"create vhost-user socket {FILE}", -1, f"{REFUSED} -79"),
        (f"create vhost-user socket {OTHER} color red", -1, "unknown input `color red'"),
        ("delete vhost-user VirtualEthernet0/0/7", 0, ""),
        ("delete vhost-user local0", -1, "Not a vhost interface"),
        ("delete vhost-user nothing", -1, "unknown input `nothing'"),
        ("delete vhost-user sw_if_index 4711", 0, ""),
        ("delete vhost-user", 0, ""),
    ],
)
def test_a_line_is_answered_as_vpp_does(vpp: Subject, line: str, retval: int, text: str) -> None:
    create(vpp, FILE)
    assert vpp.answer(line) == (retval, text)
