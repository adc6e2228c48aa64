"""Contract: IPIP tunnels."""

from typing import Any

import pytest

from tests.contract.subject import ALL, Subject

LOCAL, REMOTE = "192.0.2.1", "192.0.2.2"
LOCAL6, REMOTE6 = "2001:db8::1", "2001:db8::2"
P2P, MULTIPOINT = range(2)
EXISTS, IN_USE, SAME_ENDS, FAMILIES, NO_TABLE, NO_REMOTE, NO_ENTRY = -79, -147, -82, -153, -3, -58, -6


def tunnel(vpp: Subject, number: int, local: str = LOCAL, remote: str = REMOTE, **more: Any) -> tuple[int, int]:
    fields = {"mode": P2P, "flags": 0, "dscp": 0, "table_id": 0, **more}
    ends = {"src": local, "dst": remote, "instance": number, "sw_if_index": ALL}
    reply = vpp.api.ipip_add_tunnel(tunnel={**fields, **ends})
    return reply.retval, reply.sw_if_index


def delete(vpp: Subject, index: int) -> int:
    return int(vpp.api.ipip_del_tunnel(sw_if_index=index).retval)


@pytest.mark.parametrize(("ends", "link_mtu"), [((LOCAL, REMOTE), 65516), ((LOCAL6, REMOTE6), 65496)])
def test_a_tunnel_is_born_down(vpp: Subject, ends: tuple[str, str], link_mtu: int) -> None:
    _, index = tunnel(vpp, 3, *ends, flags=0x1D, dscp=46)
    row = vpp.details(index)
    assert (row.interface_name, row.interface_dev_type, int(row.flags)) == ("ipip3", "IPIP tunnel device", 0)
    assert (row.link_mtu, list(row.mtu), str(row.l2_address)) == (link_mtu, [9000, 0, 0, 0], "00:00:00:00:00:00")
    (shown,) = vpp.api.ipip_tunnel_dump(sw_if_index=ALL)
    assert (shown.tunnel.instance, int(shown.tunnel.flags), int(shown.tunnel.dscp)) == (3, 0x1D, 46)
    assert (str(shown.tunnel.src), str(shown.tunnel.dst), shown.tunnel.sw_if_index) == (*ends, index)


@pytest.mark.parametrize(
    ("number", "changes", "retval"),
    [
        (4, {"mode": MULTIPOINT, "remote": "0.0.0.0"}, 0),
        (4, {"mode": MULTIPOINT}, NO_REMOTE),
        (4, {"local": REMOTE, "remote": LOCAL}, 0),
        (4, {"local": "0.0.0.0"}, 0),
        (3, {"remote": "192.0.2.9"}, IN_USE),
        (4, {"remote": LOCAL}, SAME_ENDS),
        (4, {"remote": REMOTE6}, FAMILIES),
        (4, {"table_id": 9}, NO_TABLE),
    ],
)
def test_a_tunnel_that_is_in_the_way_is_refused(
    vpp: Subject, number: int, changes: dict[str, Any], retval: int
) -> None:
    tunnel(vpp, 3)
    code, index = tunnel(vpp, number, **changes)
    assert (code, index == ALL) == (retval, retval != 0)


@pytest.mark.parametrize("changes", [{}, {"flags": 1}, {"dscp": 46}])
def test_a_tunnel_that_exists_is_refused_with_its_index(vpp: Subject, changes: dict[str, Any]) -> None:
    _, index = tunnel(vpp, 3)
    assert tunnel(vpp, 4, **changes) == (EXISTS, index)


def test_a_tunnel_is_deleted_by_its_interface(vpp: Subject, first: int) -> None:
    _, index = tunnel(vpp, 3)
    vpp.sub(index, 10)
    vpp.xconnect(first, index)
    assert delete(vpp, first) == NO_ENTRY
    assert delete(vpp, ALL) == NO_ENTRY
    assert delete(vpp, index) == 0
    assert delete(vpp, index) == NO_ENTRY
    assert {"ipip3", "ipip3.10"} & set(vpp.interfaces()) == set()
    assert tunnel(vpp, 3)[0] == 0


@pytest.mark.parametrize(
    ("line", "retval", "text"),
    [
        ("create ipip tunnel", 0, ""),
        ("create ipip tunnel src 192.0.2.1 dst 192.0.2.9 instance 4", 0, "ipip4\n"),
        ("create ipip tunnel instance 5 flags encap-copy-df src 2001:db8::1 dst 2001:db8::9", 0, "ipip5\n"),
        ("create ipip tunnel src 192.0.2.1 dst 192.0.2.1 instance 4", 0, "ipip4\n"),
        ("create ipip tunnel src 192.0.2.1 p2mp instance 6", 0, "ipip6\n"),
        ("create ipip tunnel src 192.0.2.1 dst 192.0.2.9 p2mp", -1, "destination IP address when mode is multi-point"),
        ("create ipip tunnel src 192.0.2.1 dst 192.0.2.2", -1, "IPIP tunnel already exists..."),
        ("create ipip tunnel src 192.0.2.1 dst 192.0.2.9 instance 3", -1, "Instance is in use"),
        ("create ipip tunnel src 192.0.2.1", -1, "mandatory argument(s) missing"),
        (
            "create ipip tunnel src 192.0.2.1 dst 2001:db8::2",
            -1,
            "source and destination must be of same address family",
        ),
        ("create ipip tunnel src 192.0.2.1 dst 192.0.2.3 outer-table-id 9", -1, "outer fib ID -1 doesn't exist"),
        ("create ipip tunnel src 192.0.2.1 dst 192.0.2.3 dscp 46", -1, "unknown input `dscp 46'"),
        ("delete ipip tunnel sw_if_index {index}", 0, ""),
        ("delete ipip tunnel sw_if_index 99", 0, ""),
        ("delete ipip tunnel ipip3", -1, "unknown input `ipip3'"),
    ],
)
def test_a_line_is_answered_as_vpp_does(vpp: Subject, line: str, retval: int, text: str) -> None:
    _, index = tunnel(vpp, 3)
    assert vpp.answer(line.format(index=index)) == (retval, text)


def test_a_typed_tunnel_has_its_flags(vpp: Subject) -> None:
    words = "flags encap-copy-df flags encap-copy-ecn flags decap-copy-ecn flags encap-copy-flow-label"
    vpp.cli(f"create ipip tunnel src {LOCAL} dst {REMOTE} instance 3 {words}")
    (shown,) = vpp.api.ipip_tunnel_dump(sw_if_index=ALL)
    assert int(shown.tunnel.flags) == 0x99
