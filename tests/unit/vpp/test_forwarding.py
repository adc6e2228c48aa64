"""What a VPP's answers about pairs, neighbours and routes mean, and those of a VPP that behaves oddly."""

import socket
import struct
from collections.abc import Mapping
from ipaddress import ip_network

import pytest

from tests.unit.vpp.stub_vpp import Request, StubVpp, connected
from vppcfg.errors import DataplaneError
from vppcfg.model.forwarding import (
    Hop,
    NeighborSeen,
    PairSide,
    RouteEntry,
    TableId,
    VppForwarding,
    canonical_hops,
    hops_text,
    prefix_key,
    prefix_text,
)
from vppcfg.model.table_sizes import TableSizes
from vppcfg.operations.request import Value

PORT, SUB, TAP, SUB_TAP = 1, 2, 3, 4
NAMES = {PORT: "port", SUB: "port.100"}
SOURCES = {9: "CLI", 23: "lcp-rt"}
NO_INDEX = 0xFFFFFFFF
SHOWN = {
    "show lcp phy local0": "lcp default netns 'dataplane'\nlcp lcp-auto-subint off\nlcp lcp-sync on\n",
    "show plugins": "  1. linux_cp_plugin.so\n  2. linux_nl_plugin.so\n",
}


def vpp_with_pairs() -> StubVpp:
    stub = StubVpp()
    stub.add_interface(PORT, "port", **{"flags": 3, "mtu.0": 1500})
    stub.add_interface(SUB, "port.100", **{"sup_sw_if_index": PORT, "type": 1, "sub_id": 100, "mtu.0": 0, "flags": 1})
    stub.add_interface(TAP, "tap4096", interface_dev_type="virtio")
    stub.add_interface(SUB_TAP, "tap4096.100", **{"sup_sw_if_index": TAP, "type": 1, "sub_id": 100})
    pairs: list[dict[str, Value]] = [
        {"phy_sw_if_index": PORT, "host_sw_if_index": TAP, "vif_index": 12, "host_if_name": "e0"},
        {"phy_sw_if_index": SUB, "host_sw_if_index": SUB_TAP, "vif_index": 13, "host_if_name": "e0.100", "netns": "x"},
    ]
    stub.answers["lcp_itf_pair_get"] = lambda request: [
        *(stub.say("lcp_itf_pair_details", request, row) for row in pairs),
        stub.say("lcp_itf_pair_get_reply", request),
    ]
    stub.show(SHOWN)
    stub.tell("ip_table_dump", "ip_table_details", {}, {"table.table_id": 7}, {"table.is_ip6": 1})
    sources: list[dict[str, Value]] = [{"src.id": number, "src.name": name} for number, name in SOURCES.items()]
    stub.tell("fib_source_dump", "fib_source_details", *sources)
    stub.answers["ip_neighbor_dump"] = lambda request: []
    stub.answers["ip_address_dump"] = lambda request: []
    return stub


def read(stub: StubVpp) -> VppForwarding:
    with connected(stub) as plane:
        return plane.read_forwarding()


def test_pairs_are_told_with_their_interfaces_and_devices() -> None:
    found = read(vpp_with_pairs())
    assert [(pair.interface, pair.host_name, pair.netns, pair.device_index) for pair in found.pairs] == [
        ("port", "e0", "", 12),
        ("port.100", "e0.100", "x", 13),
    ]
    assert [pair.has_host for pair in found.pairs] == [True, True]
    assert (found.default_netns, found.is_sync, found.has_linux_nl) == ("dataplane", True, True)
    assert found.tables == (TableId(False, 0), TableId(False, 7), TableId(True, 0))
    assert found.sources == SOURCES
    assert found.names[SUB] == "port.100"


@pytest.mark.parametrize(
    ("port", "sub", "expected"),
    [((1500, 3), (0, 1), (9000, True)), ((1500, 3), (1400, 1), (1400, True)), ((1400, 0), (9000, 1), (1400, False))],
)
def test_a_sub_interface_is_at_most_what_its_port_is_unless_it_has_no_mtu_at_all(
    port: tuple[int, int], sub: tuple[int, int], expected: tuple[int, bool]
) -> None:
    stub = vpp_with_pairs()
    for row, (mtu, flags) in zip(stub.rows[:2], (port, sub), strict=True):
        row |= {"mtu.0": mtu, "flags": flags}
    side = read(stub).pairs[1].side
    assert side is not None
    assert (side.mtu, side.is_up) == expected


def test_a_pair_whose_interface_is_gone_has_no_side() -> None:
    stub = vpp_with_pairs()
    del stub.rows[1]
    (_, lost) = read(stub).pairs
    assert (lost.interface, lost.side, lost.has_host) == ("interface 2", None, False)


def test_neighbors_have_an_age_and_addresses_a_length() -> None:
    stub = vpp_with_pairs()
    row: dict[str, Value] = {"neighbor.sw_if_index": PORT, "neighbor.mac_address": b"\2\0\0\0\0\1", "neighbor.flags": 1}
    row |= {"neighbor.ip_address.un": b"\xc0\0\2\x09", "age": struct.pack(">d", 61.5)}
    stub.answers["ip_neighbor_dump"] = lambda request: [stub.say("ip_neighbor_details", request, row)]
    address: dict[str, Value] = {"sw_if_index": PORT, "prefix.address.un": b"\xc0\0\2\1", "prefix.len": 24}
    stub.answers["ip_address_dump"] = lambda request: [stub.say("ip_address_details", request, address)]
    side = read(stub).pairs[0].side
    seen = NeighborSeen(mac="02:00:00:00:00:01", is_static=True)
    assert side == PairSide(mtu=1500, is_up=True, addresses=frozenset({"192.0.2.1/24"}), neighbors={"192.0.2.9": seen})
    assert side.neighbors["192.0.2.9"].age_s == 61.5


def test_an_unnumbered_interface_has_the_addresses_of_its_donor_and_vrrps_are_known() -> None:
    stub = StubVpp(plugins=("linux_cp", "vrrp"))
    stub.add_interface(PORT, "port", **{"flags": 3, "mtu.0": 1500})
    stub.add_interface(SUB, "donor", **{"flags": 3, "mtu.0": 1500})
    stub.add_interface(TAP, "tap4096", interface_dev_type="virtio")
    pair: dict[str, Value] = {"phy_sw_if_index": PORT, "host_sw_if_index": TAP, "host_if_name": "e0"}
    stub.answers["lcp_itf_pair_get"] = lambda request: [
        stub.say("lcp_itf_pair_details", request, pair),
        stub.say("lcp_itf_pair_get_reply", request),
    ]
    stub.show(SHOWN)
    stub.tell("ip_unnumbered_dump", "ip_unnumbered_details", {"sw_if_index": PORT, "ip_sw_if_index": SUB})
    lent = {SUB: (b"\xc0\0\2\1", b"\xc0\0\2\xfe")}
    stub.answers["ip_address_dump"] = lambda request: [
        stub.say("ip_address_details", request, {"sw_if_index": SUB, "prefix.address.un": raw, "prefix.len": 24})
        for raw in lent.get(request.value("sw_if_index"), ())
        if not request.value("is_ipv6")
    ]
    router: dict[str, Value] = {"config.sw_if_index": SUB, "config.flags": 2, "runtime.state": 2, "n_addrs": 1}
    stub.answers["vrrp_vr_dump"] = lambda request: [
        stub.say("vrrp_vr_details", request, router, elements=[{"un": b"\xc0\0\2\xfe"}])
    ]
    (found,) = read(stub).pairs
    assert found.side is not None
    assert found.is_unnumbered
    assert found.side.addresses == {"192.0.2.1/24", "192.0.2.254/24"}
    assert found.virtual == {"192.0.2.254/24"}


def test_a_vpp_without_linux_cp_is_asked_for_nothing_else() -> None:
    stub = StubVpp(plugins=())
    assert read(stub) == VppForwarding()
    assert "ip_neighbor_dump" not in stub.asked


MAIN = TableId(False, 0)


def told(stub: StubVpp, table: TableId = MAIN) -> dict[str, RouteEntry]:
    around = VppForwarding(names=NAMES, sources=SOURCES)
    with connected(stub) as plane:
        return {prefix_text(prefix): way for prefix, way in plane.read_routes(table, around)}


def path(**values: Value) -> Mapping[str, Value]:
    """Return a path with the fields of a next hop; `address` is text."""
    address = values.pop("address", "")
    raw = b""
    if isinstance(address, str) and address:
        is_ipv6 = ":" in address
        raw = socket.inet_pton(socket.AF_INET6 if is_ipv6 else socket.AF_INET, address)
        values.setdefault("proto", int(is_ipv6))
    return {
        "sw_if_index": values.pop("sw_if_index", PORT),
        "weight": values.pop("weight", 1),
        "preference": values.pop("preference", 0),
        "type": values.pop("type", 0),
        "proto": values.pop("proto", 0),
        "nh.address": raw,
        "n_labels": values.pop("n_labels", 0),
        "label_stack.0.label": values.pop("label0", 0),
        "label_stack.1.label": values.pop("label1", 0),
    }


def answer_routes(stub: StubVpp, *routes: tuple[str, int, list[Mapping[str, Value]]]) -> None:
    """Answer ip_route_v2_dump with routes: prefix, number of the source, paths."""

    def values(prefix: str, source: int) -> dict[str, Value]:
        address, _, length = prefix.partition("/")
        is_ipv6 = ":" in address
        raw = socket.inet_pton(socket.AF_INET6 if is_ipv6 else socket.AF_INET, address)
        found: dict[str, Value] = {"route.prefix.address.af": int(is_ipv6), "route.prefix.address.un": raw}
        return {**found, "route.prefix.len": int(length), "route.src": source}

    stub.answers["ip_route_v2_dump"] = lambda request: [
        stub.say("ip_route_v2_details", request, values(prefix, source), elements=paths)
        for prefix, source, paths in routes
    ]


def test_routes_lead_where_their_best_paths_do() -> None:
    stub = StubVpp()
    answer_routes(
        stub,
        ("10.1.0.0/16", 23, [path(address="192.0.2.9")]),
        ("10.2.0.0/16", 9, [path(address="192.0.2.9", preference=20), path(address="192.0.2.8", preference=44)]),
        ("10.3.0.0/16", 23, [path(address="192.0.2.9", weight=2), path(sw_if_index=SUB, address="192.0.2.7")]),
        ("10.4.0.0/16", 23, [path()]),
        ("10.5.0.0/16", 23, [path(address="2001:db8::9")]),
        ("10.6.0.0/16", 23, [path(address="192.0.2.9", n_labels=2, label0=100, label1=200)]),
        ("10.7.0.0/16", 9, [path(sw_if_index=NO_INDEX, address="192.0.2.9")]),
        ("10.8.0.0/16", 99, [path(sw_if_index=77)]),
    )
    found = told(stub)
    assert {prefix: hops_text(way.hops) for prefix, way in found.items()} == {
        "10.1.0.0/16": "via 192.0.2.9 dev port",
        "10.2.0.0/16": "via 192.0.2.9 dev port",
        "10.3.0.0/16": "via 192.0.2.9 dev port weight 2, via 192.0.2.7 dev port.100 weight 1",
        "10.4.0.0/16": "dev port",
        "10.5.0.0/16": "via 2001:db8::9 dev port",
        "10.6.0.0/16": "encap mpls 100/200 via 192.0.2.9 dev port",
        "10.7.0.0/16": "via 192.0.2.9",
        "10.8.0.0/16": "dev interface 77",
    }
    assert [found[prefix].source for prefix in ("10.1.0.0/16", "10.2.0.0/16", "10.8.0.0/16")] == ["lcp-rt", "CLI", ""]
    assert found["10.2.0.0/16"].metric == 20


@pytest.mark.parametrize(
    ("kind", "end"), [(1, "local"), (2, "blackhole"), (5, "unreachable"), (6, "prohibit"), (8, "type 8")]
)
def test_a_path_that_ends_a_packets_way_says_how(kind: int, end: str) -> None:
    stub = StubVpp()
    answer_routes(stub, ("2001:db8::/32", 23, [path(sw_if_index=NO_INDEX, type=kind)]))
    assert told(stub, TableId(True, 0)) == {"2001:db8::/32": RouteEntry((Hop("", end=end),), source="lcp-rt")}


def test_what_many_routes_have_alike_is_decoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded = []

    def counted(hops: list[Hop]) -> tuple[Hop, ...]:
        decoded.append(hops)
        return canonical_hops(hops)

    monkeypatch.setattr("vppcfg.vpp.forwarding.canonical_hops", counted)
    stub = StubVpp()
    routes = [(f"10.{number}.0.0/16", 23, [path(address=f"192.0.2.{number % 4}")]) for number in range(200)]
    answer_routes(stub, *routes)
    assert len(told(stub)) == 200
    assert len(decoded) == 4


def test_a_message_that_is_cut_short_is_an_error() -> None:
    stub = StubVpp()
    answer_routes(stub, ("10.1.0.0/16", 23, [path()]))
    whole = stub.answers["ip_route_v2_dump"]

    def cut(data: bytes) -> bytes:
        body = data[16:-40]
        return data[:8] + len(body).to_bytes(4) + data[12:16] + body

    stub.answers["ip_route_v2_dump"] = lambda request: [cut(data) for data in whole(request)]
    with pytest.raises(DataplaneError, match="ip_route_v2_details does not match its definition"):
        told(stub)


def test_an_empty_table_has_no_routes() -> None:
    stub = StubVpp()
    stub.answers["ip_route_v2_dump"] = lambda request: []
    assert told(stub) == {}


def answer_lookups(stub: StubVpp, *known: tuple[str, int, list[Mapping[str, Value]]]) -> list[str]:
    """Answer ip_route_lookup_v2 by `known` routes of table 7; return the list that will have what was asked for."""
    asked: list[str] = []
    routes = {prefix: (source, paths) for prefix, source, paths in known}

    def answer(request: Request) -> list[bytes]:
        family, raw, length = (request.value(f"prefix.{each}") for each in ("address.af", "address.un", "len"))
        asked.append(prefix_text(prefix_key(family, raw[: 16 if family else 4], length)))
        assert request.value("exact") == 1
        if request.value("table_id") != 7:
            return [stub.say("ip_route_lookup_v2_reply", request, {"retval": -3})]
        if asked[-1] not in routes:
            return [stub.say("ip_route_lookup_v2_reply", request, {"retval": -6})]
        source, paths = routes[asked[-1]]
        values = {"route.prefix.address.af": family, "route.prefix.address.un": raw, "route.prefix.len": length}
        values |= {"route.src": source, "route.table_id": 7}
        return [stub.say("ip_route_lookup_v2_reply", request, values, elements=paths)]

    stub.answers["ip_route_lookup_v2"] = answer
    return asked


def keys_of(*prefixes: str) -> list[bytes]:
    return [
        prefix_key(each.version == 6, each.network_address.packed, each.prefixlen) for each in map(ip_network, prefixes)
    ]


def test_prefixes_are_looked_up_one_by_one_in_batches_until_it_is_enough() -> None:
    stub, took = StubVpp(), list[float]()
    asked = answer_lookups(stub, ("10.1.0.0/16", 23, [path(address="192.0.2.9")]), ("2001:db8::/32", 9, [path()]))
    many = [f"10.2.{number}.0/24" for number in range(60)]
    around = VppForwarding(names=NAMES, sources=SOURCES)

    def rest(seconds: float) -> bool:
        took.append(seconds)
        return len(took) < 3

    with connected(stub) as plane:
        keys = keys_of("10.1.0.0/16", "2001:db8::/32", *many)
        found = dict(plane.find_routes([(TableId(key[0] == 1, 7), key) for key in keys], around, rest))
        (elsewhere,) = plane.find_routes([(TableId(False, 8), keys[0])], around, rest)
    there = {prefix_text(key): (hops_text(way.hops), way.source) for (_, key), way in found.items() if way is not None}
    assert there == {"10.1.0.0/16": ("via 192.0.2.9 dev port", "lcp-rt"), "2001:db8::/32": ("dev port", "CLI")}
    assert [prefix_text(key) for _, key in found] == asked[:48] == ["10.1.0.0/16", "2001:db8::/32", *many[:46]]
    assert elsewhere[1] is None
    assert all(seconds > 0 for seconds in took)


def test_a_neighbor_is_there_when_the_table_of_its_interface_has_a_route_for_it_alone() -> None:
    stub = StubVpp()
    answer_lookups(stub, ("192.0.2.9/32", 15, [path()]), ("2001:db8::9/128", 15, [path()]))
    stub.answers["sw_interface_get_table"] = lambda request: [
        stub.say("sw_interface_get_table_reply", request, {"vrf_id": 7 if request.value("sw_if_index") == PORT else 8})
    ]
    asked = [("port", "192.0.2.9"), ("port", "192.0.2.8"), ("port", "2001:db8::9"), ("port.100", "192.0.2.9")]
    with connected(stub) as plane:
        found = plane.find_neighbors([*asked, ("gone", "192.0.2.9")], VppForwarding(names=NAMES), lambda took_s: True)
    assert found == dict(zip(asked, (True, False, True, False), strict=True))


def test_prefixes_of_ipv4_are_counted_by_their_length_and_those_of_ipv6_are_not() -> None:
    stub = StubVpp()
    text = "ipv4-VRF:7, fib_index:1, locks:[lcp-rt:1, ]\r\n   Prefix length         Count      \r\n"
    stub.show({"show ip fib summary table 7": f"{text}{24:20}{700000:16}\r\n{32:20}{9:16}\r\n"})
    with connected(stub) as plane:
        assert plane.count_prefixes(TableId(False, 7)) == {24: 700000, 32: 9}
        assert plane.count_prefixes(TableId(True, 7)) == {}


def test_neighbors_are_asked_for_all_at_once_only_where_the_segment_shows_that_they_are_few(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for sizes, is_read in ((None, False), (TableSizes(adjacencies=300), True), (TableSizes(adjacencies=301), False)):
        monkeypatch.setattr("vppcfg.vpp.live.read_sizes", lambda path, sizes=sizes: sizes)
        stub = vpp_with_pairs()
        with connected(stub) as plane:
            assert plane.read_forwarding(is_all=False).has_neighbors is is_read
        assert ("ip_neighbor_dump" in stub.asked) is is_read
        assert "ip_table_dump" not in stub.asked
