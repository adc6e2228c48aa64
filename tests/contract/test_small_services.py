"""Contract: ARP entries of bridge domains, path MTUs, cross-connects of L3 and punt redirects, as VPP shows them."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.subject import ALL, PORTS, Subject

MAC, OTHER = "02:00:00:00:00:05", "02:00:00:00:00:06"
BD = 77


def arp(vpp: Subject, ip: str, mac: str, bd_id: int = BD, *, is_add: bool = True) -> int:
    entry = {"bd_id": bd_id, "ip": ip, "mac": mac}
    return int(vpp.api.bd_ip_mac_add_del(is_add=is_add, entry=entry).retval)


def entries(vpp: Subject, bd_id: int) -> list[tuple[int, str, str]]:
    rows = vpp.api.bd_ip_mac_dump(bd_id=bd_id)
    return sorted((row.entry.bd_id, str(row.entry.ip), str(row.entry.mac)) for row in rows)


@pytest.fixture
def bridge(vpp: Subject) -> Iterator[int]:
    """Return a bridge domain, which is gone in the end."""
    assert vpp.api.bridge_domain_add_del_v2(bd_id=BD, is_add=True, arp_term=True).retval == 0
    yield BD
    vpp.api.bridge_domain_add_del_v2(bd_id=BD, is_add=False)


def test_arp_entries_are_replaced_and_shown_with_their_bridge_domain(vpp: Subject, bridge: int) -> None:
    assert (arp(vpp, "192.0.2.5", MAC), arp(vpp, "192.0.2.5", MAC), arp(vpp, "192.0.2.5", OTHER)) == (0, 0, 0)
    assert arp(vpp, "2001:db8::5", MAC) == 0
    shown = [("192.0.2.5", OTHER), ("2001:db8::5", MAC)]
    assert entries(vpp, bridge) == entries(vpp, ALL) == [(bridge, *each) for each in shown]
    assert (arp(vpp, "192.0.2.5", MAC, is_add=False), arp(vpp, "192.0.2.5", OTHER, is_add=False)) == (-1, 0)
    assert (arp(vpp, "192.0.2.5", MAC, 78), arp(vpp, "192.0.2.5", MAC, 0)) == (-6, -121)


def test_arp_entries_go_with_their_bridge_domain(vpp: Subject, bridge: int) -> None:
    assert arp(vpp, "192.0.2.5", MAC) == 0
    for is_add in (False, True):
        assert vpp.api.bridge_domain_add_del_v2(bd_id=bridge, is_add=is_add).retval == 0
    assert entries(vpp, bridge) == []


def path_mtu(vpp: Subject, nh: str, mtu: int, table: int = 0) -> int:
    pmtu = {"table_id": table, "nh": nh, "path_mtu": mtu}
    return int(vpp.api.ip_path_mtu_update(pmtu=pmtu).retval)


def path_mtus(vpp: Subject) -> list[tuple[int, str, int]]:
    _, rows = vpp.api.ip_path_mtu_get(cursor=0)
    return sorted((row.pmtu.table_id, str(row.pmtu.nh), row.pmtu.path_mtu) for row in rows)


def test_a_path_mtu_is_replaced_and_removed_by_none(vpp: Subject) -> None:
    assert (path_mtu(vpp, "192.0.2.9", 1400), path_mtu(vpp, "192.0.2.9", 1300)) == (0, 0)
    assert path_mtu(vpp, "2001:db8::9", 1280) == 0
    assert path_mtu(vpp, "192.0.2.9", 1400, 4711) == -65
    assert path_mtus(vpp) == [(0, "192.0.2.9", 1300), (0, "2001:db8::9", 1280)]
    assert (path_mtu(vpp, "192.0.2.9", 0), path_mtu(vpp, "192.0.2.9", 0), path_mtu(vpp, "2001:db8::9", 0)) == (0, 0, 0)
    assert path_mtus(vpp) == []


def hop(index: int, gateway: str, *, is_ipv6: bool = False) -> dict[str, Any]:
    nh = {"address": {"ip6" if is_ipv6 else "ip4": gateway}}
    return {"sw_if_index": index, "nh": nh, "n_labels": 0, "label_stack": [{}] * 16, "weight": 1, "proto": int(is_ipv6)}


def test_a_cross_connect_of_ipv6_is_shown_as_one_of_ipv4(vpp: Subject, first: int) -> None:
    second = vpp.index(PORTS[1])
    path = hop(second, "2001:db8::2", is_ipv6=True)
    l3xc = {"sw_if_index": first, "is_ip6": True, "n_paths": 1, "paths": [path]}
    assert vpp.api.l3xc_update(l3xc=l3xc).retval == 0
    (row,) = vpp.api.l3xc_dump(sw_if_index=first)
    assert (bool(row.l3xc.is_ip6), int(row.l3xc.paths[0].proto)) == (False, 1)
    assert vpp.api.l3xc_del(sw_if_index=first, is_ip6=False).retval == -7
    assert vpp.api.l3xc_del(sw_if_index=first, is_ip6=True).retval == 0


def redirects(vpp: Subject, family: int) -> list[tuple[int, int]]:
    rows = vpp.api.ip_punt_redirect_v2_dump(sw_if_index=ALL, af=family)
    return [(row.punt.rx_sw_if_index, row.punt.paths[0].sw_if_index) for row in rows]


def redirect(vpp: Subject, rx: int, tx: int, *, is_add: bool = True) -> int:
    punt = {"rx_sw_if_index": rx, "af": 0, "n_paths": int(is_add), "paths": [hop(tx, "198.51.100.2")] if is_add else []}
    return int(vpp.api.add_del_ip_punt_redirect_v2(is_add=is_add, punt=punt).retval)


def test_linux_cp_redirects_by_itself_and_another_redirect_takes_the_place(vpp: Subject, first: int) -> None:
    second = vpp.index(PORTS[1])
    reply = vpp.api.lcp_itf_pair_add_del_v2(
        is_add=True, sw_if_index=first, host_if_name="punted", host_if_type=0, netns=""
    )
    assert reply.retval == 0
    assert redirects(vpp, 0) == redirects(vpp, 1) == [(first, reply.host_sw_if_index)]
    assert redirect(vpp, first, second) == 0
    assert redirects(vpp, 0) == [(first, second)]
    assert redirects(vpp, 1) == [(first, reply.host_sw_if_index)]
    assert redirect(vpp, first, second, is_add=False) == 0
    assert redirects(vpp, 0) == []
    assert vpp.api.lcp_itf_pair_add_del_v2(is_add=False, sw_if_index=first, host_if_name="punted").retval == 0
    assert redirects(vpp, 1) == []


def test_a_redirect_of_all_stands_beside_those_of_interfaces(vpp: Subject, first: int) -> None:
    second = vpp.index(PORTS[1])
    assert (redirect(vpp, ALL, second), redirect(vpp, first, second)) == (0, 0)
    assert redirects(vpp, 0) == [(ALL, second), (first, second)]
    assert (redirect(vpp, ALL, second, is_add=False), redirect(vpp, first, second, is_add=False)) == (0, 0)
    assert redirects(vpp, 0) == []
