"""Contract: host-interfaces, which are ports on devices of Linux."""

from typing import Any

import pytest

from tests.contract.subject import HOST_DEVICES, Subject

DEVICE, OTHER = HOST_DEVICES[:2]
EXISTS, NO_DEVICE, NOT_ONE = -79, -71, -11
BOTH = 3
"""AF_PACKET_API_FLAG_QDISC_BYPASS and AF_PACKET_API_FLAG_CKSUM_GSO."""


def create(vpp: Subject, device: str, **more: Any) -> tuple[int, int]:
    arguments = {"mode": 1, "use_random_hw_addr": True, "flags": BOTH, "num_rx_queues": 1, "num_tx_queues": 1, **more}
    reply = vpp.api.af_packet_create_v3(host_if_name=device, **arguments)
    return reply.retval, reply.sw_if_index


def delete(vpp: Subject, device: str) -> int:
    return int(vpp.api.af_packet_delete(host_if_name=device).retval)


def devices(vpp: Subject) -> dict[str, int]:
    rows = vpp.api.af_packet_dump()
    return {row.host_if_name: row.sw_if_index for row in rows if row.host_if_name in HOST_DEVICES}


def test_a_host_interface_is_born_down_with_link(vpp: Subject) -> None:
    code, index = create(vpp, DEVICE)
    row = vpp.details(index)
    assert (code, row.interface_name, row.interface_dev_type) == (0, f"host-{DEVICE}", "af-packet")
    assert (int(row.flags), row.link_mtu, list(row.mtu)) == (2, 9000, [9000, 0, 0, 0])
    assert str(row.l2_address).startswith("02:fe:")
    assert devices(vpp) == {DEVICE: index}


def test_a_host_interface_has_the_mac_that_it_is_made_with(vpp: Subject) -> None:
    _, index = create(vpp, DEVICE, use_random_hw_addr=False, hw_addr="02:00:00:00:00:77")
    assert str(vpp.details(index).l2_address) == "02:00:00:00:00:77"


def test_a_device_has_one_host_interface(vpp: Subject) -> None:
    _, index = create(vpp, DEVICE)
    assert create(vpp, DEVICE) == (EXISTS, index)
    assert create(vpp, OTHER)[0] == 0


def test_a_device_that_is_missing_is_refused(vpp: Subject) -> None:
    assert create(vpp, "nowhere")[0] == NO_DEVICE
    assert devices(vpp) == {}


def test_a_host_interface_goes_by_its_device_with_what_is_on_it(vpp: Subject) -> None:
    _, index = create(vpp, DEVICE)
    vpp.up(index)
    vpp.sub(index, 10)
    vpp.add_address(index, "192.0.2.1/24")
    assert delete(vpp, f"host-{DEVICE}") == NOT_ONE
    assert delete(vpp, DEVICE) == 0
    assert delete(vpp, DEVICE) == NOT_ONE
    assert {f"host-{DEVICE}", f"host-{DEVICE}.10"} & set(vpp.interfaces()) == set()
    assert create(vpp, DEVICE) == (0, index)
    assert vpp.addresses(index) == []


def test_the_mtu_of_the_link_can_be_set(vpp: Subject) -> None:
    _, index = create(vpp, DEVICE)
    assert vpp.api.hw_interface_set_mtu(sw_if_index=index, mtu=1500).retval == 0
    assert (vpp.details(index).link_mtu, vpp.mtus(index)) == (1500, [1500, 0, 0, 0])


@pytest.mark.parametrize(
    ("line", "retval", "text"),
    [
        ("create host-interface", 0, ""),
        ("create host-interface name e1.200", 0, "host-e1.200\n"),
        ("create host-interface v2 name e1.200 num-rx-queues 2 hw-addr 02:00:00:00:00:88", 0, "host-e1.200\n"),
        ("create host-interface name e1.100", 0, "host-e1.100\n"),
        ("create host-interface name nowhere", -1, "Invalid interface name"),
        ("create host-interface num-rx-queues 2", -1, "missing host interface name"),
        ("create host-interface name e1.200 speed 5", -1, "unknown input `speed 5'"),
        ("delete host-interface", 0, ""),
        ("delete host-interface name e1.100", 0, ""),
        ("delete host-interface name e1.300", 0, ""),
        ("delete host-interface host-e1.100", -1, "unknown input `host-e1.100'"),
    ],
)
def test_a_line_is_answered_as_vpp_does(vpp: Subject, line: str, retval: int, text: str) -> None:
    create(vpp, DEVICE)
    assert vpp.answer(line) == (retval, text)
