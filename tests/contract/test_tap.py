"""Contract: TAPs."""

from typing import Any

import pytest

from tests.contract.subject import ALL, Subject


def tap(vpp: Subject, number: int, name: str, **more: Any) -> tuple[int, int]:
    arguments: dict[str, Any] = {"id": number, "use_random_mac": True, "num_rx_queues": 1, "num_tx_queues": 1}
    arguments |= {"host_if_name_set": bool(name), "host_if_name": name}
    reply = vpp.api.tap_create_v3(**arguments, **more)
    return reply.retval, reply.sw_if_index


def rows(vpp: Subject) -> dict[str, Any]:
    return {row.dev_name: row for row in vpp.api.sw_interface_tap_v2_dump()}


def test_a_tap_is_shown_as_it_was_asked_for(vpp: Subject) -> None:
    code, index = tap(
        vpp,
        4,
        "vt4",
        host_namespace_set=True,
        host_namespace="dataplane",
        host_mac_addr_set=True,
        host_mac_addr="02:00:00:00:01:01",
        host_mtu_set=True,
        host_mtu_size=1500,
        host_bridge_set=True,
        host_bridge="nobridge",
        rx_ring_sz=512,
        tag="vppcfg",
    )
    row, details = rows(vpp)["tap4"], vpp.details(index)
    assert (code, row.host_if_name, row.host_namespace, row.host_bridge) == (0, "vt4", "dataplane", "nobridge")
    assert (str(row.host_mac_addr), row.host_mtu_size) == ("02:00:00:00:01:01", 1500)
    assert (row.rx_ring_sz, row.tx_ring_sz) == (512, 256)
    assert (details.interface_dev_type, int(details.flags), details.tag) == (vpp.tap_class, 2, "vppcfg")
    assert (details.link_mtu, list(details.mtu)) == (9000, [9000, 0, 0, 0])


@pytest.mark.parametrize(
    ("number", "name", "more", "retval"),
    [
        (3, "other", {}, -71),
        (5, "a/b", {}, -13),
        (5, "vt5", {"host_namespace_set": True, "host_namespace": "nowhere"}, -12),
        (5, "vt5", {"host_mtu_set": True, "host_mtu_size": 60}, -145),
        (5, "vt5", {"rx_ring_sz": 100}, -144),
        (5, "vt5", {"tx_ring_sz": 4}, 0),
        (5, "x" * 20, {}, 0),
        (1024, "vt5", {}, 0),
        (8193, "vt5", {}, -1),
    ],
)
def test_numbers_names_and_sizes_are_checked(
    vpp: Subject, number: int, name: str, more: dict[str, Any], retval: int
) -> None:
    tap(vpp, 3, "vt3")
    code, index = tap(vpp, number, name, **more)
    assert (code, index == ALL) == (retval, retval != 0)
    if retval:
        assert tap(vpp, 6, "vt5")[0] == 0


def test_older_releases_have_less_numbers(vpp: Subject) -> None:
    assert [tap(vpp, number, f"vt{number}")[0] for number in (1025, 8192)] == [0 if vpp.since("24.10") else -1] * 2


def test_two_taps_share_a_linux_device_in_older_releases(vpp: Subject) -> None:
    tap(vpp, 3, "vt3")
    code, index = tap(vpp, 5, "vt3")
    assert (code, index == ALL) == ((-13, True) if vpp.since("26.10") else (0, False))


def test_the_lowest_free_number_is_taken_when_none_is_given(vpp: Subject) -> None:
    tap(vpp, 0, "vt0")
    _, index = tap(vpp, ALL, "vt1")
    assert vpp.details(index).interface_name == "tap1"


def test_a_tap_takes_a_link_mtu_and_a_mac(vpp: Subject) -> None:
    _, index = tap(vpp, 3, "vt3")
    assert vpp.api.hw_interface_set_mtu(sw_if_index=index, mtu=1500).retval == 0
    assert vpp.api.sw_interface_set_mac_address(sw_if_index=index, mac_address="02:00:00:00:00:77").retval == 0
    row = vpp.details(index)
    assert (row.link_mtu, row.mtu[0], str(row.l2_address)) == (1500, 1500, "02:00:00:00:00:77")


def test_the_tap_of_a_pair_is_shown_with_the_mac_and_mtu_of_its_interface(vpp: Subject, first: int) -> None:
    vpp.add_pair(first, "e1")
    row = rows(vpp)[vpp.host_name(first)]
    assert (row.host_if_name, row.host_mtu_size) == ("e1", 9000)
    assert str(row.host_mac_addr) == str(vpp.details(first).l2_address)


def test_only_taps_are_deleted_and_their_names_come_back(vpp: Subject, first: int) -> None:
    _, index = tap(vpp, 3, "vt3")
    assert [vpp.api.tap_delete_v2(sw_if_index=one).retval for one in (first, 4711, index)] == [-2, -2, 0]
    assert tap(vpp, 3, "vt3")[0] == 0
