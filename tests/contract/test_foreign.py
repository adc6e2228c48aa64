"""Contract: what others put on interfaces and what is left of it: VRRP, ABF, BFD, policers, bits of L2."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.subject import ALL, PORTS, Subject

SUB = f"{PORTS[0]}.100"
MASTER, INTERFACE_DOWN, INIT = 2, 3, 0
PREEMPT, ACCEPT = 1, 2


def has(vpp: Subject, word: str, name: str = SUB) -> int:
    """Return how many lines of the features of an interface have a word."""
    return sum(word in line for line in vpp.cli(f"show interface features {name}")[1].splitlines())


@pytest.fixture
def sub(vpp: Subject, first: int) -> int:
    """Return a sub-interface that is up and has an address."""
    index = vpp.sub(first, 100)
    vpp.up(first, index)
    assert vpp.add_address(index, "192.0.2.1/24") == 0
    return index


def renew(vpp: Subject, first: int, index: int) -> None:
    """Put another interface where one was."""
    assert vpp.api.delete_subif(sw_if_index=index).retval == 0
    assert vpp.sub(first, 100) == index


def router(vpp: Subject, index: int, *, add: bool = True) -> int:
    values = {"vr_id": 5, "priority": 100, "interval": 100, "flags": PREEMPT | ACCEPT}
    reply = vpp.api.vrrp_vr_add_del(is_add=add, sw_if_index=index, **values, n_addrs=1, addrs=["192.0.2.254"])
    return int(reply.retval)


def run(vpp: Subject, index: int, *, start: bool = True) -> int:
    reply = vpp.api.vrrp_vr_start_stop(sw_if_index=index, vr_id=5, is_ipv6=False, is_start=start)
    return int(reply.retval)


def routers(vpp: Subject) -> list[tuple[int, int, int, list[str]]]:
    rows = vpp.api.vrrp_vr_dump(sw_if_index=ALL)
    return [
        (row.config.sw_if_index, row.config.vr_id, int(row.runtime.state), [str(each) for each in row.addrs])
        for row in rows
    ]


@pytest.fixture
def no_router_left(vpp: Subject) -> Iterator[None]:
    yield
    for index, _, _, _ in routers(vpp):
        run(vpp, index, start=False)
        router(vpp, index, add=False)


@pytest.mark.usefixtures("no_router_left")
def test_the_master_has_the_virtual_address_and_the_router_outlives_the_interface(
    vpp: Subject, first: int, sub: int
) -> None:
    assert (router(vpp, sub), router(vpp, sub)) == (0, -116)
    assert routers(vpp) == [(sub, 5, INIT, ["192.0.2.254"])]
    assert (run(vpp, sub), run(vpp, sub)) == (0, 0)
    deadline = time.monotonic() + 8
    while routers(vpp)[0][2] != MASTER and time.monotonic() < deadline:
        time.sleep(0.2)
    assert vpp.addresses(sub) == ["192.0.2.1/24", "192.0.2.254/24"]
    assert (has(vpp, "vrrp4-arp-input"), has(vpp, "vrrp4-accept-owner-input")) == (1, 1)
    track = {"sw_if_index": sub, "is_ipv6": False, "vr_id": 5}
    ifs = [{"sw_if_index": first, "priority": 10}]
    assert vpp.api.vrrp_vr_track_if_add_del(**track, is_add=True, n_ifs=1, ifs=ifs).retval == 0
    (tracked,) = vpp.api.vrrp_vr_track_if_dump(**track, dump_all=False)
    assert [(each.sw_if_index, each.priority) for each in tracked.ifs] == [(first, 10)]
    assert vpp.api.vrrp_vr_set_peers(**track, n_addrs=1, addrs=["192.0.2.3"]).retval == -73
    renew(vpp, first, sub)
    assert routers(vpp) == [(sub, 5, INTERFACE_DOWN, ["192.0.2.254"])]
    assert (vpp.addresses(sub), has(vpp, "vrrp4")) == ([], 0)
    assert (run(vpp, sub, start=False), router(vpp, sub, add=False), router(vpp, sub, add=False)) == (0, 0, -6)
    assert routers(vpp) == []


@pytest.mark.usefixtures("no_router_left")
def test_a_stopped_master_gives_the_virtual_address_back(vpp: Subject, sub: int) -> None:
    assert (router(vpp, sub), run(vpp, sub)) == (0, 0)
    deadline = time.monotonic() + 8
    while routers(vpp)[0][2] != MASTER and time.monotonic() < deadline:
        time.sleep(0.2)
    assert run(vpp, sub, start=False) == 0
    assert (routers(vpp)[0][2], vpp.addresses(sub), has(vpp, "vrrp4")) == (INIT, ["192.0.2.1/24"], 0)


def path(index: int) -> dict[str, Any]:
    nh = {"address": {"ip4": "192.0.2.9"}}
    return {"sw_if_index": index, "nh": nh, "n_labels": 0, "label_stack": [{}] * 16, "weight": 1, "proto": 0}


def policy(vpp: Subject, acl: int, *indexes: int, add: bool = True) -> int:
    paths = [path(index) for index in indexes]
    values = {"policy_id": 7, "acl_index": acl, "n_paths": len(paths), "paths": paths}
    return int(vpp.api.abf_policy_add_del(is_add=add, policy=values).retval)


def attach(vpp: Subject, index: int, *, add: bool = True) -> int:
    values = {"policy_id": 7, "sw_if_index": index, "priority": 10, "is_ipv6": False}
    return int(vpp.api.abf_itf_attach_add_del(is_add=add, attach=values).retval)


def attached(vpp: Subject) -> list[tuple[int, int, int]]:
    rows = vpp.api.abf_itf_attach_dump()
    return [(row.attach.policy_id, row.attach.sw_if_index, row.attach.priority) for row in rows]


def test_an_attached_policy_stays_and_does_nothing_on_the_next_interface(vpp: Subject, first: int, sub: int) -> None:
    rule = {"is_permit": 1, "src_prefix": "0.0.0.0/0", "dst_prefix": "0.0.0.0/0"}
    acl = vpp.api.acl_add_replace(acl_index=ALL, tag="t", count=1, r=[rule]).acl_index
    assert (policy(vpp, acl, sub), policy(vpp, acl + 1, first), policy(vpp, acl, first)) == (0, -7, 0)
    (shown,) = vpp.api.abf_policy_dump()
    assert [each.sw_if_index for each in shown.policy.paths] == [first, sub]
    assert (attach(vpp, sub), attach(vpp, sub)) == (0, -116)
    assert (attached(vpp), has(vpp, "abf-input-ip4")) == ([(7, sub, 10)], 1)
    renew(vpp, first, sub)
    assert (attached(vpp), has(vpp, "abf-input-ip4"), attach(vpp, sub)) == ([(7, sub, 10)], 0, -116)
    assert (attach(vpp, sub, add=False), attach(vpp, sub, add=False), attach(vpp, sub)) == (0, -6, 0)
    assert has(vpp, "abf-input-ip4") == 1
    vpp.api.delete_subif(sw_if_index=sub)
    assert (attached(vpp), attach(vpp, sub, add=False), attached(vpp)) == ([(7, sub, 10)], 0, [])
    assert vpp.sub(first, 100) == sub
    assert (policy(vpp, acl, first, add=False), policy(vpp, acl, sub, add=False)) == (0, 0)
    assert (list(vpp.api.abf_policy_dump()), policy(vpp, acl, sub, add=False)) == ([], -7)


def session(vpp: Subject, index: int, *, add: bool = True) -> int:
    ends = {"sw_if_index": index, "local_addr": "192.0.2.1", "peer_addr": "192.0.2.2"}
    if not add:
        return int(vpp.api.bfd_udp_del(**ends).retval)
    return int(vpp.api.bfd_udp_add(**ends, desired_min_tx=100000, required_min_rx=100000, detect_mult=3).retval)


def test_a_bfd_session_goes_with_its_interface(vpp: Subject, first: int, sub: int) -> None:
    assert (session(vpp, sub), session(vpp, sub), session(vpp, 4711)) == (0, -101, -2)
    (shown,) = vpp.api.bfd_udp_session_dump()
    assert (shown.sw_if_index, str(shown.local_addr), str(shown.peer_addr)) == (sub, "192.0.2.1", "192.0.2.2")
    assert (int(shown.state), shown.desired_min_tx, shown.detect_mult) == (1, 100000, 3)
    renew(vpp, first, sub)
    assert list(vpp.api.bfd_udp_session_dump()) == []
    assert session(vpp, sub, add=False) == -102


def test_a_policer_leaves_its_bits_of_l2_behind(vpp: Subject, first: int, sub: int) -> None:
    infos = {"cir": 1000, "cb": 100000, "conform_action": {"type": 1}}
    made = vpp.api.policer_add(name="p1", infos=infos)
    assert (made.retval, vpp.api.policer_add(name="p1", infos=infos).retval) == (0, -81)

    def put(*, is_on: bool = True, index: int = sub, number: int = made.policer_index) -> int:
        return int(vpp.api.policer_input_v2(policer_index=number, sw_if_index=index, apply=is_on).retval)

    assert (put(), put(), put(index=4711)) == (0, 0, -2)
    once = 2 if vpp.since("26.06") else 1  # on the arcs of both families, or on that of the port
    assert (has(vpp, "  policer-input"), has(vpp, "POLICER (")) == (2 * once, int(vpp.since("26.06")))
    renew(vpp, first, sub)
    assert (has(vpp, "  policer-input"), has(vpp, "POLICER (")) == (0, int(vpp.since("26.06")))
    assert (put(is_on=False), has(vpp, "POLICER (")) == (0, 0)
    assert (put(), vpp.api.policer_del(policer_index=made.policer_index).retval) == (0, 0)
    assert [row.name for row in vpp.api.policer_dump_v2(policer_index=ALL)] == []
    if vpp.since("25.06"):
        assert (put(number=77), put(is_on=False), has(vpp, "  policer-input")) == (-6, -6, once)
    again = vpp.api.policer_add(name="p2", infos=infos).policer_index
    assert (again, put(is_on=False), has(vpp, "  policer-input")) == (made.policer_index, 0, 0)
    assert vpp.api.policer_del(policer_index=again).retval == 0


def bits(vpp: Subject) -> list[str]:
    text = vpp.cli(f"show interface features {SUB}")[1].partition("\nl2-input:\n")[2].partition("\nl2-output:")[0]
    return [line.split()[0] for line in text.splitlines() if "(" in line]


def test_bits_of_l2_are_set_anew_with_the_mode(vpp: Subject, first: int) -> None:
    index = vpp.sub(first, 100)
    vpp.api.bridge_domain_add_del_v2(bd_id=10, flood=1, uu_flood=1, forward=1, learn=1, arp_term=0, is_add=1)
    assert vpp.api.sw_interface_set_l2_bridge(rx_sw_if_index=index, bd_id=10, enable=1).retval == 0
    reply = vpp.api.l2_flags(sw_if_index=index, is_set=False, feature_bitmap=1)
    assert (reply.retval, reply.resulting_feature_bitmap, bits(vpp)) == (0, 253, ["FWD", "UU_FLOOD", "FLOOD"])
    for word in ("forward", "flood"):
        assert vpp.cli(f"set interface l2 {word} {SUB} disable") == (0, "")
    assert bits(vpp) == ["FWD", "UU_FLOOD"]
    if vpp.since("26.06"):
        assert int(vpp.api.l2_interface_feat_flags_get(sw_if_index=index).flags) == 58
    vpp.leave_l2(index)
    assert vpp.api.sw_interface_set_l2_bridge(rx_sw_if_index=index, bd_id=10, enable=1).retval == 0
    assert bits(vpp) == ["LEARN", "FWD", "UU_FLOOD", "FLOOD"]
    vpp.leave_l2(index)
    if vpp.since("26.06"):
        assert vpp.api.l2_interface_feat_flags_get(sw_if_index=index).retval == -2


def test_bits_that_are_set_in_l3_are_those_of_the_next_interface(vpp: Subject, first: int) -> None:
    index = vpp.sub(first, 100)
    assert vpp.cli(f"set interface l2 learn {SUB}") == (0, "")
    renew(vpp, first, index)
    assert bits(vpp) == ["LEARN"]
    vpp.leave_l2(index)
    assert bits(vpp) == []


def names(vpp: Subject, part: str) -> list[str]:
    return sorted(line.strip() for line in vpp.cli(f"show interface features {SUB}")[1].splitlines() if part in line)


def test_a_qos_mark_stays_without_effect_and_a_record_goes(vpp: Subject, first: int, sub: int) -> None:
    def record(*, is_on: bool = True) -> int:
        values = {"sw_if_index": sub, "input_source": 1}
        return int(vpp.api.qos_record_enable_disable(enable=is_on, record=values).retval)

    def mark(*, is_on: bool = True) -> int:
        values = {"sw_if_index": sub, "map_id": 9, "output_source": 3}
        return int(vpp.api.qos_mark_enable_disable(enable=is_on, mark=values).retval)

    def marks() -> list[tuple[int, int, int]]:
        rows = vpp.api.qos_mark_dump(sw_if_index=ALL)
        return [(row.mark.sw_if_index, row.mark.map_id, int(row.mark.output_source)) for row in rows]

    def store(*, is_on: bool = True) -> int:
        values = {"sw_if_index": sub, "input_source": 3, "value": 5}
        return int(vpp.api.qos_store_enable_disable(enable=is_on, store=values).retval)

    rows = [{"outputs": bytes(range(256))}] * 4
    assert mark() == -65
    assert vpp.api.qos_egress_map_update(map={"id": 9, "rows": rows}).retval == 0
    assert (record(), record(), mark(), mark(), store()) == (0, 0, 0, 0, 0)
    assert [(row.record.sw_if_index, int(row.record.input_source)) for row in vpp.api.qos_record_dump()] == [(sub, 1)]
    assert [(row.store.sw_if_index, row.store.value) for row in vpp.api.qos_store_dump()] == [(sub, 5)]
    assert names(vpp, "qos") == [
        *("ip4-qos-mark", "ip4-qos-store", "ip4-qos-store", "ip6-qos-mark", "ip6-qos-store", "ip6-qos-store"),
        *("vlan-ip4-qos-record", "vlan-ip4-qos-record", "vlan-ip6-qos-record", "vlan-ip6-qos-record"),
        "vlan-mpls-qos-record",
    ]
    renew(vpp, first, sub)
    assert (list(vpp.api.qos_record_dump()), list(vpp.api.qos_store_dump()), marks()) == ([], [], [(sub, 9, 3)])
    assert names(vpp, "qos") == []
    assert (record(is_on=False), mark(is_on=False), mark(is_on=False)) == (-81, 0, -81)
    assert (mark(), names(vpp, "qos")) == (0, ["ip4-qos-mark", "ip6-qos-mark"])
    assert vpp.api.qos_egress_map_delete(id=9).retval == 0
    assert marks() == [(sub, ALL, 3)]
    assert (mark(is_on=False), marks()) == (0, [])


def test_a_cross_connect_of_l3_stays_without_effect(vpp: Subject, first: int, sub: int) -> None:
    def update() -> int:
        values = {"sw_if_index": sub, "is_ip6": False, "n_paths": 1, "paths": [path(first)]}
        return int(vpp.api.l3xc_update(l3xc=values).retval)

    def delete() -> int:
        return int(vpp.api.l3xc_del(sw_if_index=sub, is_ip6=False).retval)

    assert (update(), update(), names(vpp, "l3xc")) == (0, 0, ["l3xc-input-ip4"])
    renew(vpp, first, sub)
    (shown,) = vpp.api.l3xc_dump(sw_if_index=ALL)
    assert (shown.l3xc.sw_if_index, shown.l3xc.paths[0].sw_if_index) == (sub, first)
    assert (update(), names(vpp, "l3xc")) == (0, [])
    assert (delete(), delete(), list(vpp.api.l3xc_dump(sw_if_index=ALL))) == (0, -7, [])
    assert (update(), names(vpp, "l3xc"), delete(), names(vpp, "l3xc")) == (0, ["l3xc-input-ip4"], 0, [])


def test_reassembly_is_counted_and_goes_with_the_interface(vpp: Subject, first: int, sub: int) -> None:
    def reassemble(*, is_on: bool = True) -> int:
        values = {"sw_if_index": sub, "enable_ip4": is_on, "enable_ip6": False, "type": 0}
        return int(vpp.api.ip_reassembly_enable_disable(**values).retval)

    feature = "ip4-full-reassembly-feature"
    assert (reassemble(), reassemble(), names(vpp, "reassembly")) == (0, 0, [feature, feature])
    assert (reassemble(is_on=False), names(vpp, "reassembly")) == (0, [feature])
    renew(vpp, first, sub)
    assert names(vpp, "reassembly") == []


def test_what_is_behind_a_multipoint_tunnel_stays_for_the_next(vpp: Subject) -> None:
    def tunnel() -> int:
        values = {"src": "172.16.0.1", "dst": "0.0.0.0", "instance": ALL, "table_id": 0, "mode": 1}
        return int(vpp.api.ipip_add_tunnel(tunnel=values).sw_if_index)

    def entry(index: int, *, add: bool = True) -> int:
        values = {"sw_if_index": index, "peer": "10.50.0.2", "nh": "172.16.0.9", "nh_table_id": 0}
        return int(vpp.api.teib_entry_add_del(is_add=add, entry=values).retval)

    def entries() -> list[tuple[int, str, str]]:
        return [(row.entry.sw_if_index, str(row.entry.peer), str(row.entry.nh)) for row in vpp.api.teib_dump()]

    index = tunnel()
    assert (entry(index), entry(index), entry(4711)) == (0, -116, -2)
    assert vpp.api.ipip_del_tunnel(sw_if_index=index).retval == 0
    assert (entries(), tunnel()) == ([(index, "10.50.0.2", "172.16.0.9")], index)
    assert (entry(index, add=False), entry(index, add=False), entries()) == (0, -6, [])


def test_a_local_classifier_stays_for_the_next_interface(vpp: Subject, first: int, sub: int) -> None:
    made = vpp.api.classify_add_del_table(is_add=True, nbuckets=16, match_n_vectors=1, mask_len=16, mask=bytes(16))

    def put(table: int) -> int:
        values = {"is_ipv6": False, "sw_if_index": sub, "table_index": table}
        return int(vpp.api.classify_set_interface_ip_table(**values).retval)

    def classified() -> list[str]:
        rows = vpp.api.ip_route_v2_dump(src=2, table={"table_id": 0, "is_ip6": False})
        return sorted(str(row.route.prefix) for row in rows)

    assert (put(77), put(made.new_table_index), classified()) == (-6, 0, ["192.0.2.1/32"])
    text = vpp.cli("show ip fib table 0 192.0.2.1/32")[1]
    assert f"ip4-classify:[0]:table:{made.new_table_index}" in text
    assert vpp.add_address(sub, "198.51.100.1/24") == 0
    assert classified() == ["192.0.2.1/32", "198.51.100.1/32"]
    renew(vpp, first, sub)
    assert classified() == ["192.0.2.1/32", "198.51.100.1/32"]
    assert vpp.add_address(sub, "203.0.113.1/24") == 0
    assert classified() == ["192.0.2.1/32", "198.51.100.1/32"]
    vpp.up(sub)
    assert classified() == ["192.0.2.1/32", "198.51.100.1/32", "203.0.113.1/32"]
    assert (put(ALL), classified()) == (0, ["192.0.2.1/32", "198.51.100.1/32"])
    for address in ("192.0.2.1/32", "198.51.100.1/32"):
        body: dict[str, Any] = {"table_id": 0, "prefix": address, "src": 2, "n_paths": 0, "paths": []}
        assert vpp.api.ip_route_add_del_v2(is_add=False, is_multipath=False, route=body).retval == 0
    assert classified() == []


def test_an_mpls_route_stays_when_its_interface_goes(vpp: Subject, first: int, sub: int) -> None:
    vpp.api.mpls_table_add_del(mt_is_add=True, mt_table={"mt_table_id": 0})
    assert vpp.cli(f"mpls local-label add eos 700 via 192.0.2.9 {SUB} out-labels 200") == (0, "")

    def ways() -> list[tuple[int, int]]:
        rows = vpp.api.mpls_route_dump(table={"mt_table_id": 0})
        found = [row.mr_route for row in rows if row.mr_route.mr_label == 700]
        return [(path.sw_if_index, path.label_stack[0].label) for each in found for path in each.mr_paths]

    assert ways() == [(sub, 200)]
    assert "  CLI refs:1" in vpp.cli("show mpls fib table 0 700")[1]
    renew(vpp, first, sub)
    assert ways() == [(sub, 200)]
    assert vpp.cli(f"mpls local-label del eos 700 via 192.0.2.9 {SUB} out-labels 200") == (0, "")
    assert ways() == []
    assert vpp.api.mpls_table_add_del(mt_is_add=False, mt_table={"mt_table_id": 0}).retval == 0
