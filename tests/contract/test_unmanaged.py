"""Contract: what others configure is read, taken off, and put back as it was, object by object."""

from collections.abc import Callable, Iterator

import pytest

from tests.contract.subject import ALL, PORTS, Subject
from vppcfg.model.attachment import Attachment
from vppcfg.operations.attachment import RemoveAttachment, RestoreInVpp
from vppcfg.vpp.live import LiveDataplane, connect

SUB = f"{PORTS[0]}.100"
ADDRESS = "192.0.2.1/24"
KEY = {"length": 16, "data": bytes(range(16))}


def route(vpp: Subject, index: int, source: int) -> None:
    hop = {"address": {"ip4": "192.0.2.9"}}
    path = {"sw_if_index": index, "nh": hop, "weight": 3, "preference": 1, "label_stack": [{}] * 16}
    body = {"table_id": 0, "prefix": "10.0.0.0/8", "src": source, "n_paths": 1, "paths": [path]}
    assert vpp.api.ip_route_add_del_v2(is_add=True, is_multipath=True, route=body).retval == 0


def typed_route(vpp: Subject, index: int) -> None:
    name = SUB
    assert vpp.cli(f"ip route add 10.1.0.0/16 via 192.0.2.9 {name}")[0] == 0
    assert vpp.cli(f"ip route add 10.2.0.0/16 via {name}")[0] == 0


def multicast(vpp: Subject, index: int, flags: int = 4) -> None:
    path = {"itf_flags": flags, "path": {"sw_if_index": index, "weight": 1, "label_stack": [{}] * 16}}
    prefix = {"af": 0, "grp_address_length": 32, "grp_address": {"ip4": "232.1.1.1"}, "src_address": {"ip4": "0.0.0.0"}}
    body = {"table_id": 0, "prefix": prefix, "n_paths": 1, "paths": [path]}
    assert vpp.api.ip_mroute_add_del(is_add=True, is_multipath=True, route=body).retval == 0


def nat(vpp: Subject, index: int) -> None:
    assert vpp.api.nat44_ed_plugin_enable_disable(sessions=0, enable=True).retval in (0, -170)
    assert vpp.api.nat44_interface_add_del_feature(is_add=True, flags=0x20, sw_if_index=index).retval == 0
    assert vpp.api.nat44_interface_add_del_feature(is_add=True, flags=0x10, sw_if_index=index).retval == 0
    assert vpp.api.nat44_add_del_interface_addr(is_add=True, sw_if_index=index).retval == 0


def nat_mapping(vpp: Subject, index: int) -> None:
    assert vpp.api.nat44_ed_plugin_enable_disable(sessions=0, enable=True).retval in (0, -170)
    assert vpp.api.nat44_add_del_interface_addr(is_add=True, sw_if_index=index).retval == 0
    ends = {"local_ip_address": "10.0.0.9", "local_port": 80, "external_port": 8080, "protocol": 6}
    reply = vpp.api.nat44_add_del_static_mapping_v2(
        is_add=True, flags=4, external_sw_if_index=index, vrf_id=0, tag="web", **ends
    )
    assert reply.retval == 0


def nat_output(vpp: Subject, index: int) -> None:
    assert vpp.api.nat44_ed_plugin_enable_disable(sessions=0, enable=True).retval in (0, -170)
    assert vpp.api.nat44_ed_add_del_output_interface(is_add=True, sw_if_index=index).retval == 0


def vrrp(vpp: Subject, index: int) -> None:
    values = {"sw_if_index": index, "vr_id": 7, "priority": 200, "interval": 100, "flags": 1}
    assert vpp.api.vrrp_vr_add_del(is_add=1, **values, n_addrs=1, addrs=["192.0.2.254"]).retval == 0
    assert vpp.api.vrrp_vr_start_stop(sw_if_index=index, vr_id=7, is_ipv6=0, is_start=1).retval == 0


def vrrp_unicast(vpp: Subject, index: int) -> None:
    values = {"sw_if_index": index, "vr_id": 7, "priority": 200, "interval": 100, "flags": 5}
    place = {"sw_if_index": index, "vr_id": 7, "is_ipv6": 0}
    assert vpp.api.vrrp_vr_add_del(is_add=1, **values, n_addrs=1, addrs=["192.0.2.254"]).retval == 0
    assert vpp.api.vrrp_vr_set_peers(**place, n_addrs=2, addrs=["192.0.2.9", "192.0.2.8"]).retval == 0
    ifs = [{"sw_if_index": vpp.index(SUB.partition(".")[0]), "priority": 50}]
    assert vpp.api.vrrp_vr_track_if_add_del(**place, is_add=1, n_ifs=1, ifs=ifs).retval == 0
    assert vpp.api.vrrp_vr_start_stop(**place, is_start=1).retval == 0


def bfd(vpp: Subject, index: int) -> None:
    ends = {"local_addr": "192.0.2.1", "peer_addr": "192.0.2.7"}
    timers = {"desired_min_tx": 100000, "required_min_rx": 100000, "detect_mult": 3}
    assert vpp.api.bfd_udp_add(sw_if_index=index, **ends, **timers).retval == 0


def qos(vpp: Subject, index: int) -> None:
    assert vpp.api.qos_record_enable_disable(enable=True, record={"sw_if_index": index, "input_source": 3}).retval == 0


def policers(vpp: Subject, index: int) -> None:
    rates = {"cir": 1000, "cb": 10000, "conform_action": {"type": 1}, "exceed_action": {"type": 0}}
    assert vpp.api.policer_add(name="contract", infos=rates).retval in (0, -81)
    for _ in range(2):
        assert vpp.api.policer_input(name="contract", sw_if_index=index, apply=True).retval == 0


def mpls_route(vpp: Subject, index: int) -> None:
    """Have one path of two of a label, of the API, and a route of the prompt lead through the interface."""
    if not vpp.rows("mpls_table_dump"):
        vpp.api.mpls_table_add_del(mt_is_add=True, mt_table={"mt_table_id": 0})
    label = {"is_uniform": 0, "label": 200, "ttl": 0, "exp": 0}
    hop = {"address": {"ip4": "192.0.2.9"}}
    path = {"sw_if_index": index, "nh": hop, "weight": 1, "n_labels": 1, "label_stack": [label, *[{}] * 15]}
    body = {"mr_table_id": 0, "mr_label": 100, "mr_eos": 1, "mr_eos_proto": 0, "mr_n_paths": 1, "mr_paths": [path]}
    assert vpp.api.mpls_route_add_del(mr_is_add=True, mr_is_multipath=True, mr_route=body).retval == 0
    assert vpp.cli(f"mpls local-label add non-eos 101 via 192.0.2.9 {SUB} out-labels 201 202")[0] == 0


def local_classifier(vpp: Subject, index: int) -> None:
    made = vpp.api.classify_add_del_table(is_add=True, nbuckets=16, match_n_vectors=1, mask_len=16, mask=bytes(16))
    assert made.retval == 0
    values = {"sw_if_index": index, "table_index": made.new_table_index}
    assert vpp.api.classify_set_interface_ip_table(is_ipv6=False, **values).retval == 0


def cross_connect(vpp: Subject, index: int) -> None:
    other = vpp.index(PORTS[1])
    path = {"sw_if_index": other, "nh": {"address": {"ip4": "198.51.100.9"}}, "weight": 1, "label_stack": [{}] * 16}
    body = {"sw_if_index": index, "is_ip6": False, "n_paths": 1, "paths": [path]}
    assert vpp.api.l3xc_update(l3xc=body).retval == 0


SORTS: dict[str, tuple[Callable[[Subject, int], None], list[str]]] = {
    "route of the API": (lambda vpp, index: route(vpp, index, 0), ["route of the API 10.0.0.0/8 via 192.0.2.9 X"]),
    "routes of the prompt": (
        typed_route,
        ["route of the prompt 10.1.0.0/16 via 192.0.2.9 X", "route of the prompt 10.2.0.0/16 via X"],
    ),
    "multicast route": (multicast, ["multicast route of the API 232.1.1.1/32 Forward"]),
    "MPLS routes": (
        mpls_route,
        [
            "MPLS route of the API eos 100 via 192.0.2.9 X out-labels 200",
            "MPLS route of the prompt non-eos 101 via 192.0.2.9 X out-labels 201 202",
        ],
    ),
    "L3 cross-connect": (cross_connect, [f"L3 cross-connect IPv4 via 198.51.100.9 {PORTS[1]}"]),
    "local classifier": (local_classifier, ["local classifier IPv4 table 0"]),
    "NAT44": (nat, ["NAT44 inside", "NAT44 outside", "NAT44 pool"]),
    "NAT44 static mapping": (nat_mapping, ["NAT44 pool", "NAT44 static mapping tcp 8080 to 10.0.0.9 80 web"]),
    "NAT44 output": (nat_output, ["NAT44 output"]),
    "VRRP": (vrrp, ["VRRP router 7 with 192.0.2.254", "VRRP router running 7"]),
    "VRRP of peers": (
        vrrp_unicast,
        [
            "VRRP router 7 with 192.0.2.254",
            "VRRP router peers 7 192.0.2.9 192.0.2.8",
            "VRRP router running 7",
            f"VRRP router tracking 7 {SUB.partition('.')[0]}",
        ],
    ),
    "BFD": (bfd, ["BFD session with 192.0.2.7"]),
    "QoS": (qos, ["QoS record ip"]),
}


@pytest.fixture
def plane(vpp: Subject) -> Iterator[LiveDataplane]:
    with connect(vpp.client.server_address, json_dir=str(vpp.client.apidir)) as connected:
        yield connected


def held(plane: LiveDataplane, name: str) -> tuple[Attachment, ...]:
    state = plane.observe()
    return tuple(each for each in plane.unmanaged({name}, state) if each.holder == name)


@pytest.mark.parametrize("sort", SORTS)
def test_it_is_read_taken_off_and_put_back_as_it_was(sort: str, vpp: Subject, first: int, plane: LiveDataplane) -> None:
    index = vpp.sub(first, 100)
    name = SUB
    assert vpp.add_address(index, ADDRESS) == 0
    assert vpp.api.sw_interface_set_flags(sw_if_index=first, flags=1).retval == 0
    assert vpp.api.sw_interface_set_flags(sw_if_index=index, flags=1).retval == 0
    assert held(plane, name) == ()
    configure, labels = SORTS[sort]
    configure(vpp, index)
    before = held(plane, name)
    assert [each.label.replace(name, "X") for each in before] == labels
    taken = plane.perform([RemoveAttachment(attachment=each) for each in reversed(before) if each.take is not None])
    assert taken.refusals == ()
    assert held(plane, name) == ()
    back = plane.perform([RestoreInVpp(attachment=each) for each in before])
    assert back.refusals == ()
    assert held(plane, name) == before
    plane.perform([RemoveAttachment(attachment=each) for each in reversed(before) if each.take is not None])


TABLE = "ipv4-VRF:77"
LEADING = {
    f"l3xc add {PORTS[1]} via 192.0.2.9 {SUB}": (SUB, PORTS[1], f"L3 cross-connect IPv4 via 192.0.2.9 {SUB}"),
    f"ip punt redirect add rx {PORTS[1]} via 192.0.2.9 {SUB}": (
        *(SUB, PORTS[1]),
        f"punt redirect of IPv4 via 192.0.2.9 {SUB}",
    ),
    f"ip punt redirect add rx all via 192.0.2.9 {SUB}": (
        *(SUB, SUB),
        f"punt redirect of all of IPv4 via 192.0.2.9 {SUB}",
    ),
    f"l3xc add {PORTS[1]} via ip4-lookup-in-table 77": (
        *(TABLE, PORTS[1]),
        "L3 cross-connect IPv4 via ip4-lookup-in-table 77",
    ),
    f"ip punt redirect add rx {PORTS[1]} via ip4-lookup-in-table 77": (
        *(TABLE, PORTS[1]),
        "punt redirect of IPv4 via ip4-lookup-in-table 77",
    ),
    "ip punt redirect add rx all via ip4-lookup-in-table 77": (
        *(TABLE, TABLE),
        "punt redirect of all of IPv4 via ip4-lookup-in-table 77",
    ),
    f"ip mroute add 232.1.1.1/32 table 77 via {PORTS[1]} Forward": (
        *(TABLE, TABLE),
        "multicast route of the prompt 232.1.1.1/32 table 77 Forward",
    ),
    "mpls local-label add eos 100 via ip4-lookup-in-table 77": (
        *(TABLE, TABLE),
        "MPLS route of the prompt eos 100 via ip4-lookup-in-table 77",
    ),
    "mpls local-label add eos 100 via 198.51.100.9 next-hop-table 77 out-labels 33": (
        *(TABLE, TABLE),
        "MPLS route of the prompt eos 100 via 198.51.100.9 next-hop-table 77 out-labels 33",
    ),
    "ip route add 10.1.0.0/16 via ip4-lookup-in-table 77": (
        *(TABLE, TABLE),
        "route of the prompt 10.1.0.0/16 via ip4-lookup-in-table 77",
    ),
    "ip route add 10.1.0.0/16 via 198.51.100.9 next-hop-table 77": (
        *(TABLE, TABLE),
        "route of the prompt 10.1.0.0/16 via 198.51.100.9 next-hop-table 77",
    ),
}
"""Lines, each with what it leads to, who holds it, and what it is called."""


@pytest.mark.parametrize("line", LEADING)
def test_what_leads_to_something_is_read_with_it_and_does_not_outlast_it(
    line: str, vpp: Subject, first: int, plane: LiveDataplane
) -> None:
    index, table = vpp.sub(first, 100), {"table_id": 77, "is_ip6": False}
    assert vpp.api.ip_table_add_del(is_add=True, table={**table, "name": "red"}).retval == 0
    if not vpp.rows("mpls_table_dump"):
        vpp.api.mpls_table_add_del(mt_is_add=True, mt_table={"mt_table_id": 0})
    assert vpp.add_address(index, ADDRESS) == 0
    for each in (first, index):
        assert vpp.api.sw_interface_set_flags(sw_if_index=each, flags=1).retval == 0
    target, holder, label = LEADING[line]
    assert plane.unmanaged({target}, plane.observe()) == ()
    assert vpp.cli(line) == (0, "")
    before = plane.unmanaged({target}, plane.observe())
    assert [(each.holder, each.label) for each in before] == [(holder, label)]
    assert holder != PORTS[1] or held(plane, holder) == before, "no node of it is left unaccounted for"
    assert plane.perform([RemoveAttachment(attachment=each) for each in before]).refusals == ()
    assert plane.unmanaged({target}, plane.observe()) == ()
    assert plane.perform([RestoreInVpp(attachment=each) for each in before]).refusals == ()
    assert plane.unmanaged({target}, plane.observe()) == before
    assert plane.perform([RemoveAttachment(attachment=each) for each in before]).refusals == ()
    assert vpp.api.ip_table_add_del(is_add=False, table=table).retval == 0
    assert [row.table.name for row in vpp.rows("ip_table_dump") if row.table.table_id == 77] == []


def test_multicast_routes_are_read_beside_those_of_300_interfaces_where_all_is_wanted(vpp: Subject, first: int) -> None:
    """VPP's own groups have a path for each interface; the dump of the API ends VPP where these are more than 255."""
    with connect(vpp.client.server_address, json_dir=str(vpp.client.apidir), reads_all=True) as plane:
        _read_beside_300_interfaces(vpp, first, plane)
    with connect(vpp.client.server_address, json_dir=str(vpp.client.apidir)) as plane:
        assert held(plane, SUB) == ()
        assert "multicast routes of the prompt and of the API" in plane.left_out


def _read_beside_300_interfaces(vpp: Subject, first: int, plane: LiveDataplane) -> None:
    for number in range(300):
        assert vpp.add_address(vpp.sub(first, 100 + number), f"10.{number // 250}.{number % 250}.1/24") == 0
    multicast(vpp, vpp.index(SUB), 0x1F)
    (before,) = held(plane, SUB)
    flags = "Negate-Signal Accept Forward Signal-Present Don't-Preserve"
    assert before.label == f"multicast route of the API 232.1.1.1/32 {flags}"
    assert plane.perform([RemoveAttachment(attachment=before)]).refusals == ()
    assert plane.perform([RestoreInVpp(attachment=before)]).refusals == ()
    assert held(plane, SUB) == (before,)


def test_what_a_virtual_router_tracks_is_read_with_that(vpp: Subject, first: int, plane: LiveDataplane) -> None:
    index = vpp.sub(first, 100)
    assert vpp.add_address(first, ADDRESS) == 0
    vrrp(vpp, first)
    tracked = {"n_ifs": 1, "ifs": [{"sw_if_index": index, "priority": 50}]}
    assert vpp.api.vrrp_vr_track_if_add_del(sw_if_index=first, vr_id=7, is_ipv6=0, is_add=1, **tracked).retval == 0
    (before,) = plane.unmanaged({SUB}, plane.observe())
    assert (before.holder, before.label) == (PORTS[0], f"VRRP router tracking 7 {SUB}")
    assert plane.perform([RemoveAttachment(attachment=before)]).refusals == ()
    assert plane.unmanaged({SUB}, plane.observe()) == ()
    assert plane.perform([RestoreInVpp(attachment=before)]).refusals == ()
    assert plane.unmanaged({SUB}, plane.observe()) == (before,)
    plane.perform(
        [RemoveAttachment(attachment=each) for each in reversed(held(plane, PORTS[0])) if each.take is not None]
    )


def test_policers_are_taken_off_as_often_as_they_were_put_on(vpp: Subject, first: int, plane: LiveDataplane) -> None:
    index = vpp.sub(first, 100)
    policers(vpp, index)
    before = held(plane, SUB)
    assert [each.label for each in before] == ["policer of input", "policer of input 2"]
    assert plane.perform([RemoveAttachment(attachment=each) for each in reversed(before)]).refusals == ()
    assert held(plane, SUB) == ()


def test_the_protection_of_a_tunnel_guards_its_traffic(vpp: Subject, first: int, plane: LiveDataplane) -> None:
    assert vpp.add_address(first, ADDRESS) == 0
    for number in (10, 20):
        entry = {"sad_id": number, "spi": 1000 + number, "protocol": 50, "crypto_algorithm": 1, "crypto_key": KEY}
        added = vpp.api.ipsec_sad_entry_add_v2 if hasattr(vpp.api, "ipsec_sad_entry_add_v2") else None
        if added is None:
            pytest.skip("this VPP takes associations by another message")
        assert added(entry={**entry, "integrity_algorithm": 0}).retval in (0, -116)
    tunnel = {"instance": 7, "src": "192.0.2.1", "dst": "192.0.2.2"}
    index = vpp.api.ipip_add_tunnel(tunnel=tunnel).sw_if_index
    protect = {"sw_if_index": index, "nh": "0.0.0.0", "sa_out": 10, "n_sa_in": 1, "sa_in": [20]}
    assert vpp.api.ipsec_tunnel_protect_update(tunnel=protect).retval == 0
    (before,) = held(plane, "ipip7")
    assert before.label == "IPsec protection" and before.guards
    assert before.lines == ("ipsec tunnel protect ipip7 sa-in 20 sa-out 10",)
    assert plane.perform([RemoveAttachment(attachment=before)]).refusals == ()
    assert held(plane, "ipip7") == ()
    assert plane.perform([RestoreInVpp(attachment=before)]).refusals == ()
    assert held(plane, "ipip7") == (before,)
    assert vpp.api.ipip_del_tunnel(sw_if_index=index).retval == 0
    assert ALL not in [row.tun.sw_if_index for row in vpp.api.ipsec_tunnel_protect_dump(sw_if_index=ALL)]


def test_arp_entries_of_a_bridge_domain_are_taken_off_and_put_back(vpp: Subject, plane: LiveDataplane) -> None:
    flags = {"flood": True, "uu_flood": True, "forward": True, "learn": True, "arp_term": True}
    assert vpp.api.bridge_domain_add_del(bd_id=77, is_add=True, **flags).retval == 0
    for address, mac in (("192.0.2.5", "02:00:00:00:00:05"), ("2001:db8::5", "02:00:00:00:00:06")):
        entry = {"bd_id": 77, "ip": address, "mac": mac}
        assert vpp.api.bd_ip_mac_add_del(is_add=True, entry=entry).retval == 0
    before = held(plane, "bd77")
    assert [each.label for each in before] == ["ARP entry 192.0.2.5 in bd77", "ARP entry 2001:db8::5 in bd77"]
    assert plane.perform([RemoveAttachment(attachment=each) for each in before]).refusals == ()
    assert held(plane, "bd77") == ()
    assert plane.perform([RestoreInVpp(attachment=each) for each in before]).refusals == ()
    assert held(plane, "bd77") == before
    assert vpp.api.bridge_domain_add_del(bd_id=77, is_add=False).retval == 0
    assert vpp.api.bridge_domain_add_del(bd_id=77, is_add=True, **flags).retval == 0
    assert held(plane, "bd77") == (), "they go with their bridge domain"
    assert vpp.api.bridge_domain_add_del(bd_id=77, is_add=False).retval == 0


def test_a_relay_of_a_table_is_taken_off_and_put_back(vpp: Subject, plane: LiveDataplane) -> None:
    """VPP keeps a table as long as a relay is for it: the relay goes first."""
    table = {"table_id": 77, "is_ip6": False}
    assert vpp.api.ip_table_add_del(is_add=True, table={**table, "name": "red"}).retval == 0
    ends = {
        "dhcp_server": {"af": 0, "un": {"ip4": "203.0.113.1"}},
        "dhcp_src_address": {"af": 0, "un": {"ip4": "192.0.2.1"}},
    }
    assert vpp.api.dhcp_proxy_config(rx_vrf_id=77, server_vrf_id=0, is_add=True, **ends).retval == 0
    before = held(plane, "ipv4-VRF:77")
    assert [each.label for each in before] == ["DHCP relay 203.0.113.1 from 192.0.2.1 for table 77"]
    assert plane.perform([RemoveAttachment(attachment=each) for each in before]).refusals == ()
    assert held(plane, "ipv4-VRF:77") == ()
    assert plane.perform([RestoreInVpp(attachment=each) for each in before]).refusals == ()
    assert held(plane, "ipv4-VRF:77") == before
    assert vpp.api.ip_table_add_del(is_add=False, table=table).retval == 0
    assert [row.table.name for row in vpp.rows("ip_table_dump") if row.table.table_id == 77] == ["red"]
    assert plane.perform([RemoveAttachment(attachment=each) for each in before]).refusals == ()
    assert [row.table.name for row in vpp.rows("ip_table_dump") if row.table.table_id == 77] == []
