"""Contract: loopbacks."""

import pytest

from tests.contract.subject import ALL, PORTS, Subject


def loopback(vpp: Subject, number: int, mac: str = "00:00:00:00:00:00") -> tuple[int, int]:
    reply = vpp.api.create_loopback_instance(is_specified=True, user_instance=number, mac_address=mac)
    return reply.retval, reply.sw_if_index


def test_a_loopback_is_born_down_with_a_mac_made_from_its_number(vpp: Subject) -> None:
    _, index = loopback(vpp, 300)
    row = vpp.details(index)
    assert (row.interface_name, row.interface_dev_type, int(row.flags)) == ("loop300", "Loopback", 0)
    assert (row.link_mtu, list(row.mtu), str(row.l2_address)) == (9000, [9000, 0, 0, 0], "de:ad:00:00:00:2c")


@pytest.mark.parametrize(("number", "retval"), [(5, -31), (16384, -31), (16383, 0)])
def test_a_number_is_used_once_and_limited(vpp: Subject, number: int, retval: int) -> None:
    loopback(vpp, 5)
    code, index = loopback(vpp, number)
    assert (code, index == ALL) == (retval, retval != 0)


def test_the_lowest_free_number_is_taken_when_none_is_given(vpp: Subject) -> None:
    loopback(vpp, 0)
    reply = vpp.api.create_loopback(mac_address="02:00:00:00:00:77")
    assert (reply.retval, vpp.details(reply.sw_if_index).interface_name) == (0, "loop1")
    assert str(vpp.details(reply.sw_if_index).l2_address) == "02:00:00:00:00:77"


def test_a_loopback_has_no_link_mtu_to_change(vpp: Subject) -> None:
    _, index = loopback(vpp, 5)
    answers = [vpp.api.hw_interface_set_mtu(sw_if_index=index, mtu=mtu).retval for mtu in (1500, 9000)]
    assert answers == [-126, 0]


def test_only_loopbacks_are_deleted_and_a_sub_interface_takes_its_loopback_along(vpp: Subject, first: int) -> None:
    _, index = loopback(vpp, 5)
    sub = vpp.sub(index, 10)
    assert [vpp.api.delete_loopback(sw_if_index=one).retval for one in (first, 4711, sub)] == [-2, -2, 0]
    assert "loop5" not in vpp.interfaces()


def bvi(vpp: Subject, number: int = ALL, mac: str = "00:00:00:00:00:00") -> tuple[int, int]:
    reply = vpp.api.bvi_create(user_instance=number, mac=mac)
    return reply.retval, reply.sw_if_index


def test_an_interface_made_to_be_a_bvi_is_like_a_loopback_but_for_name_class_and_mac(vpp: Subject, first: int) -> None:
    loopback(vpp, 0)
    _, index = bvi(vpp, 300)
    row = vpp.details(index)
    assert (row.interface_name, row.interface_dev_type, int(row.flags)) == ("bvi300", "BVI", 0)
    assert (row.link_mtu, list(row.mtu), str(row.l2_address)) == (9000, [9000, 0, 0, 0], "b0:b0:00:00:00:2c")
    assert vpp.api.hw_interface_set_mtu(sw_if_index=index, mtu=1500).retval == -126
    assert [bvi(vpp, number)[0] for number in (300, 16384)] == [-31, -31]
    assert vpp.details(bvi(vpp)[1]).interface_name == "bvi0"
    assert [vpp.api.bvi_delete(sw_if_index=one).retval for one in (first, vpp.index("loop0"), 4711)] == [-2] * 3
    assert vpp.api.delete_loopback(sw_if_index=index).retval == -2
    assert vpp.api.bvi_delete(sw_if_index=vpp.sub(index, 10)).retval == 0
    assert "bvi300" not in vpp.interfaces()


def test_the_prompt_makes_and_deletes_bvis(vpp: Subject) -> None:
    assert vpp.cli("bvi create mac 02:00:00:00:00:77 instance 11") == (0, "bvi11\n")
    assert vpp.cli("bvi create instance 11") == (-1, "bvi create: BVI create failed\n")
    assert vpp.cli("bvi create loop") == (-1, "bvi create: unknown input: loop\n")
    assert vpp.cli(f"bvi delete {PORTS[0]}") == (-1, "bvi delete: BVI delete failed\n")
    assert vpp.cli("bvi delete") == (-1, "bvi delete: no such interface: \n")
    assert vpp.cli("bvi delete bvi11") == (0, "")


def test_deleting_a_loopback_deletes_its_pair(vpp: Subject) -> None:
    _, index = loopback(vpp, 5)
    assert vpp.add_pair(index, "lo5") == 0
    assert vpp.api.delete_loopback(sw_if_index=index).retval == 0
    assert (vpp.pairs(), set(vpp.interfaces())) == ({}, {"local0", *PORTS})
