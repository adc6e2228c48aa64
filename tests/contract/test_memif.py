"""Contract: memifs, to which nobody connects, and their sockets."""

from typing import Any

import pytest

from tests.contract.subject import Subject

MASTER, SLAVE = range(2)
ETHERNET, IP = range(2)
FILE, OTHER = "/tmp/vppcfg-contract-a.sock", "/tmp/vppcfg-contract-b.sock"
HAS_A_FILE = "Entry already exists (entry already exists)"
HELD = f"Unexpected interface state (socket file '{FILE}' is in use)"
NO_SOCKET = "Invalid argument (socket file with id 6 does not exist)"
UNKNOWN = "Invalid argument (unknown socket id)"
ALREADY = "Subinterface already exists"
OTHER_ROLE = f"{ALREADY} (socket file cannot be used by both master and slave)"
EXISTS, TAKEN, IN_USE, INVALID, NO_MEMIF = -116, -68, -74, -73, -2


def socket(vpp: Subject, number: int, file: str = FILE) -> int:
    reply = vpp.api.memif_socket_filename_add_del(is_add=True, socket_id=number, socket_filename=file)
    return int(reply.retval)


def forget(vpp: Subject, number: int) -> int:
    return int(vpp.api.memif_socket_filename_add_del(is_add=False, socket_id=number).retval)


def memif(vpp: Subject, socket_id: int, number: int, role: int = MASTER, **more: Any) -> tuple[int, int]:
    arguments = {"rx_queues": 1, "tx_queues": 1, "mode": ETHERNET, **more}
    reply = vpp.api.memif_create_v2(socket_id=socket_id, id=number, role=role, **arguments)
    return reply.retval, reply.sw_if_index


def delete(vpp: Subject, index: int) -> int:
    return int(vpp.api.memif_delete(sw_if_index=index).retval)


def sockets(vpp: Subject) -> dict[int, str]:
    return {row.socket_id: row.socket_filename for row in vpp.api.memif_socket_filename_dump() if row.socket_id}


def test_a_memif_is_born_down_without_link(vpp: Subject) -> None:
    assert socket(vpp, 5) == 0
    code, index = memif(vpp, 5, 7, SLAVE)
    row = vpp.details(index)
    assert (code, row.interface_name, row.interface_dev_type, int(row.flags)) == (0, "memif5/7", "memif", 0)
    assert (row.link_mtu, list(row.mtu)) == (9000, [9000, 0, 0, 0])
    assert str(row.l2_address).startswith("02:fe:")
    (shown,) = vpp.api.memif_dump()
    assert (shown.sw_if_index, shown.id, shown.socket_id) == (index, 7, 5)
    assert (int(shown.role), int(shown.mode), shown.ring_size, shown.buffer_size) == (SLAVE, ETHERNET, 1, 0)
    assert sockets(vpp) == {5: FILE}


def test_a_memif_for_packets_has_no_ethernet(vpp: Subject) -> None:
    _, index = memif(vpp, 0, 3, mode=IP)
    row = vpp.details(index)
    assert (row.link_mtu, list(row.mtu), str(row.l2_address)) == (0, [0, 0, 0, 0], "00:00:00:00:00:00")
    assert vpp.api.sw_interface_set_mac_address(sw_if_index=index, mac_address="02:00:00:00:00:77").retval == -9
    assert vpp.api.sw_interface_set_mtu(sw_if_index=index, mtu=[1500, 0, 0, 0]).retval == 0
    assert vpp.mtus(index) == [1500, 0, 0, 0]
    assert vpp.add_pair(index, "m3") == -73
    assert vpp.add_pair(index, "m3", host_type=1) == 0


def test_there_is_no_link_before_somebody_connects(vpp: Subject) -> None:
    _, index = memif(vpp, 0, 3)
    vpp.up(index)
    assert int(vpp.details(index).flags) == 1


def test_the_mtu_of_the_link_can_be_anything(vpp: Subject) -> None:
    _, index = memif(vpp, 0, 3)
    for mtu in (1500, 67, 65535):
        assert vpp.api.hw_interface_set_mtu(sw_if_index=index, mtu=mtu).retval == 0
        assert vpp.details(index).link_mtu == mtu


def test_a_socket_keeps_its_file_while_memifs_are_at_it(vpp: Subject) -> None:
    assert socket(vpp, 5) == 0
    assert socket(vpp, 5) == 0
    assert socket(vpp, 5, OTHER) == EXISTS
    assert socket(vpp, 6) == 0
    _, index = memif(vpp, 5, 7)
    assert forget(vpp, 5) == IN_USE
    assert delete(vpp, index) == 0
    assert (forget(vpp, 5), forget(vpp, 6)) == (0, 0)
    assert sockets(vpp) == {}


def test_what_no_socket_can_be_is_refused(vpp: Subject) -> None:
    assert socket(vpp, 0) == INVALID
    assert socket(vpp, 5, "") == INVALID
    assert forget(vpp, 0) == INVALID
    assert forget(vpp, 5) == INVALID


@pytest.mark.parametrize(
    ("socket_id", "number", "role", "retval"),
    [
        (5, 7, MASTER, TAKEN),
        (5, 7, SLAVE, TAKEN),
        (5, 8, SLAVE, TAKEN),
        (5, 8, MASTER, 0),
        (0, 7, SLAVE, 0),
        (6, 7, MASTER, INVALID),
    ],
)
def test_a_memif_that_is_in_the_way_is_refused(
    vpp: Subject, socket_id: int, number: int, role: int, retval: int
) -> None:
    socket(vpp, 5)
    memif(vpp, 5, 7)
    assert memif(vpp, socket_id, number, role)[0] == retval


def test_a_memif_is_deleted_by_its_interface(vpp: Subject, first: int) -> None:
    _, index = memif(vpp, 0, 7)
    vpp.up(index)
    vpp.sub(index, 10)
    vpp.add_address(index, "192.0.2.1/24")
    assert delete(vpp, first) == NO_MEMIF
    assert delete(vpp, index) == 0
    assert delete(vpp, index) == NO_MEMIF
    assert {"memif0/7", "memif0/7.10"} & set(vpp.interfaces()) == set()
    assert memif(vpp, 0, 7) == (0, index)


def test_a_memif_is_deleted_by_its_sub_interfaces_too(vpp: Subject) -> None:
    socket(vpp, 5)
    by_message = vpp.sub(memif(vpp, 5, 7)[1], 10)
    assert delete(vpp, by_message) == 0
    vpp.sub(memif(vpp, 5, 7)[1], 10)
    assert vpp.cli("delete interface memif memif5/7.10") == (0, "")
    assert {"memif5/7", "memif5/7.10"} & set(vpp.interfaces()) == set()


@pytest.mark.parametrize(
    ("line", "retval", "text"),
    [
        (f"create memif socket id 6 filename {OTHER}", 0, ""),
        (f"create memif socket id 5 filename {FILE}", 0, ""),
        (f"create memif socket id 5 filename {OTHER}", -1, HAS_A_FILE),
        ("delete memif socket id 5", -1, HELD),
        ("delete memif socket id 6", -1, NO_SOCKET),
        (f"create memif socket id 0 filename {FILE}", -1, "Invalid socket id"),
        ("delete memif socket id 0", -1, "Invalid socket id"),
        ("create interface memif id 8 socket-id 5 master", 0, ""),
        ("create interface memif id 8 socket-id 0 slave mode ip", 0, ""),
        ("create interface memif id 7 socket-id 5 master", -1, f"{ALREADY} (interface already exists)"),
        ("create interface memif id 8 socket-id 5 slave", -1, OTHER_ROLE),
        ("create interface memif id 8 socket-id 9", -1, UNKNOWN),
        ("create interface memif id 8 color red", -1, "unknown input `'"),
        ("delete interface memif memif5/7", 0, ""),
        ("delete interface memif", 0, ""),
        ("delete interface memif nothing x", -1, "unknown input `'"),
        ("delete memif socket id 5 x", -1, "unknown input `'"),
        ("delete interface memif local0", -1, "not a memif interface"),
    ],
)
def test_a_line_is_answered_as_vpp_does(vpp: Subject, line: str, retval: int, text: str) -> None:
    socket(vpp, 5)
    memif(vpp, 5, 7)
    assert vpp.answer(line) == (retval, text)


def test_a_typed_memif_is_as_it_was_typed(vpp: Subject) -> None:
    vpp.cli("create interface memif id 8 socket-id 0 slave mode ip")
    (shown,) = vpp.api.memif_dump()
    assert (shown.id, int(shown.role), int(shown.mode)) == (8, SLAVE, IP)


def test_a_memif_that_is_typed_without_a_role_is_a_slave_and_has_no_queues_yet(vpp: Subject) -> None:
    assert vpp.cli("create interface memif id 8") == (0, "")
    assert [int(row.role) for row in vpp.api.memif_dump()] == [SLAVE]
    text = "set interface rx-mode: unknown queue 0 on interface memif0/8\n"
    assert vpp.cli("set interface rx-mode memif0/8 queue 0 interrupt") == (-1, text)
