"""Contract: what interfaces that VPP makes itself have in common, with Ethernet or without."""

from collections.abc import Callable

import pytest

from tests.contract import test_gre, test_ipip, test_wireguard
from tests.contract.subject import Subject

Make = Callable[[Subject], int]
WITHOUT_ETHERNET: dict[str, Make] = {
    "gre": lambda vpp: test_gre.tunnel(vpp, 3)[1],
    "ipip": lambda vpp: test_ipip.tunnel(vpp, 3)[1],
    "wireguard": lambda vpp: int(test_wireguard.create(vpp).sw_if_index),
}
TEB: dict[str, Make] = {"gre with ethernet": lambda vpp: test_gre.tunnel(vpp, 3, type=test_gre.TEB)[1]}
DELETE: dict[str, Callable[[Subject, int], object]] = {
    "gre": lambda vpp, index: test_gre.tunnel(vpp, 3, is_add=False),
    "ipip": test_ipip.delete,
    "wireguard": lambda vpp, index: vpp.api.wireguard_interface_delete(sw_if_index=index),
}


@pytest.mark.parametrize("make", [*WITHOUT_ETHERNET.values(), *TEB.values()], ids=[*WITHOUT_ETHERNET, *TEB])
def test_the_link_follows_the_admin_state(vpp: Subject, make: Make) -> None:
    index = make(vpp)
    vpp.up(index)
    assert int(vpp.details(index).flags) == 3
    vpp.api.sw_interface_set_flags(sw_if_index=index, flags=0)
    assert int(vpp.details(index).flags) == 0


@pytest.mark.parametrize(
    ("make", "link_mtu", "mac"),
    [*((make, -30, -9) for make in WITHOUT_ETHERNET.values()), *((make, -126, 0) for make in TEB.values())],
    ids=[*WITHOUT_ETHERNET, *TEB],
)
def test_the_packet_mtu_is_set_not_that_of_the_link_and_a_mac_where_there_is_one(
    vpp: Subject, make: Make, link_mtu: int, mac: int
) -> None:
    index = make(vpp)
    assert vpp.api.hw_interface_set_mtu(sw_if_index=index, mtu=1500).retval == link_mtu
    assert vpp.api.sw_interface_set_mac_address(sw_if_index=index, mac_address="02:00:00:00:00:77").retval == mac
    assert vpp.api.sw_interface_set_mtu(sw_if_index=index, mtu=[1400, 0, 0, 0]).retval == 0
    assert vpp.mtus(index) == [1400, 0, 0, 0]


@pytest.mark.parametrize("kind", WITHOUT_ETHERNET)
def test_what_has_no_ethernet_is_mirrored_by_a_tun(vpp: Subject, kind: str) -> None:
    index = WITHOUT_ETHERNET[kind](vpp)
    name = vpp.details(index).interface_name
    vpp.api.sw_interface_set_mtu(sw_if_index=index, mtu=[1400, 0, 0, 0])
    assert vpp.add_pair(index, "t3") == -73
    assert vpp.add_pair(index, "t3", host_type=1) == 0
    tun = vpp.host_name(index).replace("tap", "tun")
    pair = vpp.pairs()[index]
    host = vpp.details(pair.host_sw_if_index)
    assert (int(pair.host_if_type), host.interface_name, vpp.mtus(host.sw_if_index)[0]) == (1, tun, 1400)
    DELETE[kind](vpp, index)
    assert vpp.pairs() == {}
    assert not {tun, name} & set(vpp.interfaces())
