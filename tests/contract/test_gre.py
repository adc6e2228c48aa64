"""Contract: GRE tunnels."""

from typing import Any

import pytest

from tests.contract.subject import ALL, Subject

LOCAL, REMOTE = "192.0.2.1", "192.0.2.2"
LOCAL6, REMOTE6 = "2001:db8::1", "2001:db8::2"
L3, TEB, ERSPAN = range(3)
P2P, MULTIPOINT = range(2)
EXISTS, IN_USE, SAME_ENDS, NO_SESSION, FAMILIES, NO_TABLE, NO_VALUE, NO_REMOTE = -79, -147, -82, -148, -153, -3, -7, -58


def tunnel(vpp: Subject, number: int, local: str = LOCAL, remote: str = REMOTE, **more: Any) -> tuple[int, int]:
    is_add = more.pop("is_add", True)
    fields = {"type": L3, "mode": P2P, "flags": 0, "session_id": 0, "outer_table_id": 0, "key": 0, **more}
    ends = {"src": local, "dst": remote, "instance": number, "sw_if_index": ALL}
    reply = vpp.api.gre_tunnel_add_del_v2(is_add=is_add, tunnel={**fields, **ends})
    return reply.retval, reply.sw_if_index


@pytest.mark.parametrize(
    ("ends", "kind", "link_mtu", "mac"),
    [
        ((LOCAL, REMOTE), L3, 65512, "00:00:00:00:00"),
        ((LOCAL6, REMOTE6), L3, 65492, "00:00:00:00:00"),
        ((LOCAL, REMOTE), TEB, 8998, "d0:0b:ee:d0:00"),
        ((LOCAL6, REMOTE6), TEB, 8978, "d0:0b:ee:d0:00"),
        ((LOCAL, REMOTE), ERSPAN, 8998, "d0:0b:ee:d0:00"),
    ],
)
def test_a_tunnel_is_born_down(vpp: Subject, ends: tuple[str, str], kind: int, link_mtu: int, mac: str) -> None:
    _, index = tunnel(vpp, 3, *ends, type=kind, session_id=5 if kind == ERSPAN else 0, key=9)
    row = vpp.details(index)
    assert (row.interface_name, row.interface_dev_type, int(row.flags)) == ("gre3", "GRE tunnel device", 0)
    assert (row.link_mtu, list(row.mtu), str(row.l2_address)[:14]) == (link_mtu, [9000, 0, 0, 0], mac)
    (shown,) = vpp.gre_tunnels()
    assert (shown.tunnel.instance, int(shown.tunnel.type), shown.tunnel.key) == (3, kind, 9)
    assert (str(shown.tunnel.src), str(shown.tunnel.dst), shown.tunnel.sw_if_index) == (*ends, index)


@pytest.mark.parametrize(
    ("number", "changes", "retval"),
    [
        (4, {}, EXISTS),
        (4, {"type": TEB}, 0),
        (4, {"type": ERSPAN}, 0),
        (4, {"key": 1}, 0),
        (4, {"flags": 1}, EXISTS),
        (4, {"mode": MULTIPOINT, "remote": "0.0.0.0"}, 0),
        (4, {"mode": MULTIPOINT}, NO_REMOTE),
        (4, {"local": REMOTE, "remote": LOCAL}, 0),
        (3, {"key": 1}, IN_USE),
        (4, {"remote": LOCAL}, SAME_ENDS),
        (4, {"remote": REMOTE6}, FAMILIES),
        (4, {"session_id": 1024}, NO_SESSION),
        (4, {"outer_table_id": 9}, NO_TABLE),
    ],
)
def test_a_tunnel_that_is_in_the_way_is_refused(
    vpp: Subject, number: int, changes: dict[str, Any], retval: int
) -> None:
    tunnel(vpp, 3)
    code, index = tunnel(vpp, number, **changes)
    assert (code, index == ALL) == (retval, retval != 0)


def test_a_tunnel_is_deleted_by_all_that_it_was_made_with(vpp: Subject, first: int) -> None:
    _, index = tunnel(vpp, 3, type=TEB, key=7)
    vpp.sub(index, 10)
    vpp.xconnect(first, index)
    assert tunnel(vpp, 3, type=TEB, is_add=False) == (-6, ALL)
    assert tunnel(vpp, 3, key=7, is_add=False) == (-6, ALL)
    assert tunnel(vpp, 99, type=TEB, key=7, is_add=False) == (0, index)
    assert {"gre3", "gre3.10"} & set(vpp.interfaces()) == set()


def test_a_session_tells_tunnels_apart_even_where_it_is_not_shown(vpp: Subject) -> None:
    _, index = tunnel(vpp, 3, session_id=5)
    (shown,) = vpp.gre_tunnels(index)
    assert shown.tunnel.session_id == 0
    assert tunnel(vpp, 3, is_add=False) == (-6, ALL)
    assert tunnel(vpp, 3, session_id=5, is_add=False) == (0, index)


def test_the_first_version_makes_and_shows_tunnels_without_keys(vpp: Subject) -> None:
    ends = {"src": LOCAL, "dst": REMOTE, "instance": 3, "sw_if_index": ALL}
    fields = {"type": TEB, "mode": P2P, "flags": 0, "session_id": 0, "outer_table_id": 0, **ends}
    reply = vpp.api.gre_tunnel_add_del(is_add=True, tunnel=fields)
    _, keyed = tunnel(vpp, 4, key=8)
    dump = vpp.api.gre_tunnel_dump if vpp.since("26.06") else vpp.gre_tunnels
    shown = {row.tunnel.instance: row.tunnel.sw_if_index for row in dump(sw_if_index=ALL)}
    assert shown == {3: reply.sw_if_index, 4: keyed}
    assert vpp.api.gre_tunnel_add_del(is_add=False, tunnel={**fields, "type": L3}).retval == -6
    assert vpp.api.gre_tunnel_add_del(is_add=False, tunnel=fields).retval == 0


def test_a_tunnel_takes_addresses_mpls_and_a_donor(vpp: Subject, first: int) -> None:
    (_, index), (_, borrower) = tunnel(vpp, 3), tunnel(vpp, 4, key=4)
    assert vpp.add_address(index, "10.0.0.0/31") == 0
    assert vpp.add_address(index, "2001:db8:1::/127") == 0
    vpp.api.mpls_table_add_del(mt_is_add=True, mt_table={"mt_table_id": 0})
    assert vpp.api.sw_interface_set_mpls_enable(sw_if_index=index, enable=True).retval == 0
    vpp.add_address(first, "10.0.9.1/24")
    reply = vpp.api.sw_interface_set_unnumbered(sw_if_index=first, unnumbered_sw_if_index=borrower, is_add=True)
    assert reply.retval == 0


@pytest.mark.parametrize(
    ("line", "retval", "text"),
    [
        ("create gre tunnel", 0, ""),
        ("create gre tunnel src 192.0.2.1 dst 192.0.2.9 instance 4", 0, "gre4\n"),
        ("create gre tunnel src 192.0.2.1 dst 192.0.2.9 teb instance 6", 0, "gre6\n"),
        ("create gre tunnel instance 5 erspan 5 src 192.0.2.1 dst 192.0.2.9", 0, "gre5\n"),
        ("create gre tunnel src 192.0.2.1 dst 192.0.2.9 key 4294967295 instance 6", 0, "gre6\n"),
        ("create gre tunnel src 192.0.2.1 multipoint instance 6", 0, "gre6\n"),
        ("create gre tunnel src 192.0.2.1 dst 192.0.2.2 key 7 outer-table-id 0 del", 0, "DELETED ({index})\n"),
        ("create gre tunnel src 192.0.2.1 dst 192.0.2.2 key 7", -1, "GRE tunnel already exists..."),
        ("create gre tunnel src 192.0.2.1 dst 192.0.2.2 del", -1, "GRE tunnel doesn't exist"),
        ("create gre tunnel src 192.0.2.1 dst 192.0.2.2 instance 3", -1, "Instance is in use"),
        ("create gre tunnel src 192.0.2.1 dst 192.0.2.1", -1, "src and dst are identical"),
        ("create gre tunnel src 192.0.2.1 dst 2001:db8::2", -1, "src and dst address must be the same AF"),
        ("create gre tunnel src 192.0.2.1", -1, "destination address not specified"),
        ("create gre tunnel dst 192.0.2.1", -1, "source address not specified"),
        ("create gre tunnel src 192.0.2.1 dst 192.0.2.3 erspan 1024", -1, "session ID 1024 out of range"),
        ("create gre tunnel src 192.0.2.1 dst 192.0.2.3 outer-table-id 9", -1, "outer table ID 9 doesn't exist"),
        ("create gre tunnel src 192.0.2.1 dst 192.0.2.3 erspan", -1, "unknown input `erspan'"),
    ],
)
def test_a_line_is_answered_as_vpp_does(vpp: Subject, line: str, retval: int, text: str) -> None:
    _, index = tunnel(vpp, 3, key=7)
    assert vpp.answer(line) == (retval, text.format(index=index))


def test_a_number_that_does_not_fit_is_no_number_or_cut(vpp: Subject) -> None:
    line = "create gre tunnel src 192.0.2.1 dst 192.0.2.3 instance 4294967294"
    refusal = "create gre tunnel: unknown input `instance 4294967294'\n"
    assert vpp.cli(line) == ((-1, refusal) if vpp.since("26.10") else (0, "gre-2\n"))
