"""Contract: VXLAN tunnels."""

from typing import Any

import pytest

from tests.contract.subject import ALL, Subject

LOCAL, REMOTE = "192.0.2.1", "192.0.2.2"


def tunnel(vpp: Subject, number: int, local: str, remote: str, vni: int, **more: Any) -> tuple[int, int]:
    arguments = {"is_add": True, "instance": number, "src_address": local, "dst_address": remote, "vni": vni}
    arguments |= {"mcast_sw_if_index": ALL, "decap_next_index": ALL, **more}
    reply = vpp.api.vxlan_add_del_tunnel_v3(**arguments)
    return reply.retval, reply.sw_if_index


def test_a_tunnel_is_born_up(vpp: Subject) -> None:
    _, index = tunnel(vpp, 3, LOCAL, REMOTE, 10)
    row = vpp.details(index)
    assert (row.interface_name, row.interface_dev_type, int(row.flags)) == ("vxlan_tunnel3", "VXLAN", 3)
    assert (row.link_mtu, list(row.mtu), str(row.l2_address)[:5]) == (9000, [9000, 0, 0, 0], "02:fe")
    (shown,) = vpp.api.vxlan_tunnel_v2_dump(sw_if_index=ALL)
    assert (shown.instance, shown.src_port, shown.dst_port, shown.decap_next_index) == (3, 4789, 4789, 1)


@pytest.mark.parametrize(
    ("number", "local", "remote", "vni", "retval"),
    [
        (4, LOCAL, REMOTE, 10, -75),
        (3, LOCAL, REMOTE, 11, -147),
        (4, LOCAL, LOCAL, 11, -82),
        (4, LOCAL, "2001:db8::1", 11, -7),
        (4, LOCAL, "224.0.0.5", 11, -2),
        (4, LOCAL, REMOTE, 0, 0),
        (4, "192.0.2.9", REMOTE, 10, 0),
        (4, "2001:db8::9", "2001:db8::2", 20, -75),
    ],
)
def test_a_tunnel_that_is_in_the_way_is_refused(
    vpp: Subject, number: int, local: str, remote: str, vni: int, retval: int
) -> None:
    """Over IPv6, VPP does not look at the local end."""
    tunnel(vpp, 3, LOCAL, REMOTE, 10)
    tunnel(vpp, 30, "2001:db8::1", "2001:db8::2", 20)
    code, index = tunnel(vpp, number, local, remote, vni)
    assert (code, index == ALL) == (retval, retval != 0)


def test_a_tunnel_is_deleted_by_its_ends_whatever_number_is_given(vpp: Subject, first: int) -> None:
    _, index = tunnel(vpp, 3, LOCAL, REMOTE, 10)
    vpp.sub(index, 10)
    vpp.xconnect(first, index)
    assert tunnel(vpp, 99, "192.0.2.9", REMOTE, 10, is_add=False) == (-6, ALL)
    assert tunnel(vpp, 99, LOCAL, REMOTE, 10, is_add=False) == (0, index)
    assert {"vxlan_tunnel3", "vxlan_tunnel3.10"} & set(vpp.interfaces()) == set()


def test_a_node_or_table_that_is_not_there_is_refused(vpp: Subject) -> None:
    assert tunnel(vpp, 3, LOCAL, REMOTE, 10, decap_next_index=77)[0] == -76
    assert tunnel(vpp, 3, LOCAL, REMOTE, 10, encap_vrf_id=9)[0] == -3


def test_a_tunnel_for_l3_has_no_mac(vpp: Subject) -> None:
    _, index = tunnel(vpp, 3, LOCAL, REMOTE, 10, is_l3=True)
    row = vpp.details(index)
    assert (str(row.l2_address), row.link_mtu, row.mtu[0]) == ("00:00:00:00:00:00", 0, 0)
