"""What a VPP's answers mean: rows by message in, a State out."""

import math
import socket
import struct

import pytest

from tests.unit.vpp.stub_vpp import ALL, Request, StubVpp, observed
from vppcfg.common.addresses import canonical_address
from vppcfg.errors import DataplaneError
from vppcfg.model.features import DhcpClient, MssLimit, RouterAdvertisements, UrpfCheck, UrpfMode
from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind, OtherMatch, SubFlag, TagRewrite
from vppcfg.model.lcp import LcpPair
from vppcfg.model.state import State
from vppcfg.operations.request import Value

SUB = 1
PORT, SUB_INTERFACE = 1, 10


def stub_with_port(plugins: tuple[str, ...] = ("linux_cp",)) -> StubVpp:
    stub = StubVpp(plugins=plugins)
    stub.add_interface(0, "local0", interface_dev_type="local", l2_address=bytes(6))
    stub.add_interface(PORT, "port")
    return stub


def add_sub(stub: StubVpp, match: int, outer: int = 100, inner: int = 0, **values: Value) -> None:
    """Have a sub-interface of the port, number 10 if not told otherwise."""
    row: dict[str, Value] = {"sup_sw_if_index": PORT, "type": SUB, "sub_id": 100, "mtu.0": 0, "sub_if_flags": match}
    row |= {"sub_outer_vlan_id": outer, "sub_inner_vlan_id": inner}
    stub.add_interface(SUB_INTERFACE, "port.100", **(row | values))


@pytest.mark.parametrize(
    ("flags", "outer", "inner", "expected"),
    [
        (2, 100, 0, Encapsulation(outer=100)),
        (2 | 8, 100, 0, Encapsulation(outer=100, is_dot1ad=True)),
        (4 | 16, 100, 7, Encapsulation(outer=100, inner=7, is_exact=True)),
        (4 | 8, 100, 7, Encapsulation(outer=100, inner=7, is_dot1ad=True)),
        (2 | 256, 100, 0, Encapsulation(outer=100)),
        (32, 0, 0, OtherMatch(flags=32)),
        (2 | 64, 0, 0, OtherMatch(flags=66)),
        (4 | 128, 100, 0, OtherMatch(flags=132, outer=100)),
        (2, 0, 0, OtherMatch(flags=2)),
        (4, 100, 0, OtherMatch(flags=4, outer=100)),
        (2, 100, 7, OtherMatch(flags=2, outer=100, inner=7)),
        (0, 0, 0, OtherMatch(flags=0)),
        (6, 100, 7, OtherMatch(flags=6, outer=100, inner=7)),
    ],
)
def test_flags_and_tags_become_a_match(
    flags: int, outer: int, inner: int, expected: Encapsulation | OtherMatch
) -> None:
    stub = stub_with_port()
    add_sub(stub, flags, outer, inner)
    assert observed(stub).interfaces["port.100"].encapsulation == expected


def test_what_hangs_on_a_port_and_is_no_sub_interface_is_a_port() -> None:
    stub = stub_with_port()
    add_sub(stub, 0, type=2)
    found = observed(stub).interfaces["port.100"]
    assert (found.kind, found.parent) == (InterfaceKind.PHYSICAL, None)


def test_a_tag_rewrite_is_read_and_absent_when_disabled() -> None:
    stub = stub_with_port()
    add_sub(stub, SubFlag.ONE_TAG, vtr_op=6, vtr_push_dot1q=1, vtr_tag1=5, vtr_tag2=6)
    state = observed(stub)
    assert state.interfaces["port.100"].tag_rewrite == TagRewrite(operation=6, push_dot1q=1, tag1=5, tag2=6)
    assert state.interfaces["port"].tag_rewrite is None


@pytest.mark.parametrize(
    ("device_class", "mac", "expected"),
    [("Loopback", b"\2\2\2\2\2\2", None), ("tuntap", bytes(6), None), ("memif", b"\2\2\2\2\2\2", 9000)],
)
def test_only_what_has_a_link_mtu_shows_one(device_class: str, mac: bytes, expected: int | None) -> None:
    stub = stub_with_port()
    stub.rows[1] |= {"interface_dev_type": device_class, "l2_address": mac}
    assert observed(stub).interfaces["port"].link_mtu == expected


def test_protocol_mtus_are_shown_where_they_deviate() -> None:
    stub = stub_with_port()
    stub.rows[1] |= {"mtu.1": 1400, "mtu.2": 9000, "mtu.3": 0}
    assert observed(stub).interfaces["port"].protocol_mtus == (1400, 0, 0)


def give_addresses(stub: StubVpp, addresses: dict[tuple[int, int], list[str]]) -> None:
    """Have `addresses` by interface and whether they are IPv6."""

    def answer(request: Request) -> list[bytes]:
        index, is_ip6 = request.value("sw_if_index"), request.value("is_ipv6")
        replies = []
        for address in addresses.get((index, is_ip6), ()):
            text, _, length = address.partition("/")
            raw = socket.inet_pton(socket.AF_INET6 if is_ip6 else socket.AF_INET, text)
            values = {"prefix.address.af": int(is_ip6), "prefix.address.un": raw, "prefix.len": int(length)}
            replies.append(stub.say("ip_address_details", request, {"sw_if_index": index} | values))
        return replies

    stub.answers["ip_address_dump"] = answer


def test_addresses_are_canonical_and_link_local_ones_left_out() -> None:
    stub = stub_with_port()
    give_addresses(
        stub,
        {
            (1, 0): ["192.0.2.1/24", "169.254.0.1/16"],
            (1, 1): ["2001:DB8:0:0::1/64", "fe80::1/128", "febf::1/64", "fec0::1/64", "::ffff:1.2.3.4/128"],
        },
    )
    assert observed(stub).interfaces["port"].addresses == {
        "192.0.2.1/24",
        "169.254.0.1/16",
        "2001:db8::1/64",
        "fec0::1/64",
        canonical_address("::ffff:1.2.3.4/128"),  # as a file says it: Python 3.13 writes it otherwise than 3.11
    }


def with_tables(stub: StubVpp, tables: list[int], by_question: dict[tuple[int, int], int]) -> None:
    """Have FIB `tables`, and interfaces in them by interface and whether IPv6 is asked for."""
    stub.answers["ip_table_dump"] = lambda request: [
        stub.say("ip_table_details", request, {"table.table_id": table}) for table in tables
    ]

    def answer(request: Request) -> list[bytes]:
        table = by_question.get((request.value("sw_if_index"), request.value("is_ipv6")), 0)
        return [stub.say("sw_interface_get_table_reply", request, {"vrf_id": table})]

    stub.answers["sw_interface_get_table"] = answer


def test_tables_are_asked_for_only_when_there_are_others() -> None:
    stub = stub_with_port()
    with_tables(stub, [0, 0], {})
    assert observed(stub).interfaces["port"].tables == (0, 0)
    assert "sw_interface_get_table" not in stub.asked


def test_a_vpp_without_a_list_of_tables_is_asked_for_each() -> None:
    stub = stub_with_port()
    with_tables(stub, [], {(1, 1): 20})
    stub.drop("ip_table_dump")
    assert observed(stub).interfaces["port"].tables == (0, 20)


def show_lcp(stub: StubVpp, text: str) -> None:
    """Print `text` for `show lcp`, and nothing with an error when an interface is named that is not there."""

    def answer(request: Request) -> list[bytes]:
        names = {str(row["interface_name"]) for row in stub.rows}
        is_known = request.text == "show lcp" or request.text.removeprefix("show lcp phy ") in names
        return [stub.say("cli_inband_reply", request, {"retval": 0 if is_known else -1}, text if is_known else "no")]

    stub.answers["cli_inband"] = answer


SWITCHES = "lcp default netns 'dataplane'\nlcp lcp-auto-subint on\nlcp lcp-sync off\nlcp lcp-sync-unnumbered on\n"


def test_the_switches_are_read_though_local0_has_another_name() -> None:
    stub = StubVpp()
    show_lcp(stub, SWITCHES.replace("lcp-sync off", "lcp-sync on"))
    assert observed(stub).facts.lcp.is_sync


Pair = tuple[int, int, str, str]


def give_pairs(stub: StubVpp, *pages: list[Pair], field: str = "netns") -> None:
    """Have pairs of interface, host interface, host name and namespace, a page per question."""

    def answer(request: Request) -> list[bytes]:
        page = request.value("cursor")
        is_last = page == len(pages) - 1
        end = {"retval": 0 if is_last else -165, "cursor": ALL if is_last else page + 1}
        details = [
            {"phy_sw_if_index": phy, "host_sw_if_index": host, "host_if_name": name, field: netns}
            for phy, host, name, netns in pages[page]
        ]
        replies = [stub.say("lcp_itf_pair_details", request, values) for values in details]
        return [*replies, stub.say("lcp_itf_pair_get_reply", request, end)]

    stub.answers["lcp_itf_pair_get"] = answer


def test_pairs_come_page_by_page_and_hide_their_vpp_side() -> None:
    stub = stub_with_port()
    add_sub(stub, SubFlag.ONE_TAG)
    stub.add_interface(3, "tap4096", interface_dev_type="tap")
    stub.add_interface(4, "tap4096.100", interface_dev_type="tap", sup_sw_if_index=3, type=SUB, sub_id=100)
    stub.add_interface(5, "tap4096.7", interface_dev_type="tap", sup_sw_if_index=3, type=SUB, sub_id=7)
    stub.add_interface(6, "tap1", interface_dev_type="tap")
    give_pairs(stub, [(PORT, 3, "e0", "")], [(SUB_INTERFACE, 4, "e0.100", "ns")])
    state = observed(stub)
    assert state.lcps == {"port": LcpPair(host_name="e0"), "port.100": LcpPair(host_name="e0.100", netns="ns")}
    assert list(state.interfaces) == ["port", "port.100", "tap1"]


def test_a_list_of_pairs_without_end_is_an_error() -> None:
    stub = stub_with_port()
    end = {"retval": -165, "cursor": 5}
    stub.answers["lcp_itf_pair_get"] = lambda request: [stub.say("lcp_itf_pair_get_reply", request, end)]
    with pytest.raises(DataplaneError, match="does not end"):
        observed(stub)


@pytest.mark.parametrize(
    ("index", "name", "device_class"),
    [(99, "other", "dpdk"), (3, "other", "dpdk"), (3, "tap4096", "tap"), (3, "memif0/0", "memif")],
    ids=["gone", "port", "new-tap", "memif"],
)
def test_a_pair_whose_host_index_went_to_something_else_has_no_host(index: int, name: str, device_class: str) -> None:
    """The pair of the port was deleted; that of its sub-interface stays and names what was tap4096.100."""
    stub = stub_with_port()
    add_sub(stub, SubFlag.ONE_TAG)
    stub.add_interface(index, name, interface_dev_type=device_class)
    give_pairs(stub, [(SUB_INTERFACE, 3, "e0.100", "")])
    state = observed(stub)
    assert state.lcps == {"port.100": LcpPair(host_name="e0.100", has_host=False)}
    assert name in state.interfaces


def test_the_name_of_the_namespace_field_until_22_06_is_known() -> None:
    stub = stub_with_port()
    for item in stub.documents:
        for message in item["messages"]:
            if message[0] == "lcp_itf_pair_details":
                message[:] = [
                    ["string", "namespace", 32] if field == ["string", "netns", 32] else field for field in message
                ]
    stub.build()
    give_pairs(stub, [(PORT, 99, "e0", "ns")], field="namespace")
    assert observed(stub).lcps["port"].netns == "ns"


def test_a_vpp_with_nothing_but_interfaces_has_empty_tables() -> None:
    stub = StubVpp(plugins=())
    stub.add_interface(PORT, "port")
    stub.drop(
        *("bridge_domain_dump", "sw_bond_interface_dump", "ip_unnumbered_dump", "mpls_table_dump"),
        *("mpls_interface_dump", "ip_table_dump"),
    )
    stub.answers["sw_interface_get_table"] = lambda request: [stub.say("sw_interface_get_table_reply", request)]
    state = observed(stub)
    assert state == State(interfaces={"port": state.interfaces["port"]})
    assert state.interfaces["port"] == Interface(
        name="port",
        kind=InterfaceKind.PHYSICAL,
        device_class="dpdk",
        mac="02:00:00:00:00:01",
        link_mtu=9000,
        packet_mtu=9000,
    )


def test_reverse_path_checks_name_a_table_when_it_is_not_that_of_the_interface() -> None:
    stub = StubVpp(plugins=("urpf",))
    stub.add_interface(PORT, "eth0")
    rows: list[dict[str, Value]] = [
        {"sw_if_index": PORT, "is_input": True, "mode": 2},
        {"sw_if_index": PORT, "af": 1, "mode": 1, "table_id": 7},
        {"sw_if_index": PORT, "is_input": True, "af": 1, "table_id": 9},
    ]
    stub.tell("urpf_interface_dump", "urpf_interface_details", *rows)
    assert observed(stub).interfaces["eth0"].urpf == (
        UrpfCheck(mode=UrpfMode.STRICT),
        UrpfCheck(mode=UrpfMode.LOOSE, is_ipv6=True, is_output=True, table_id=7),
    )


def _times(longest: float) -> dict[str, Value]:
    times = {"max_radv_interval": longest, "min_radv_interval": 150.0, "initial_adverts_interval": 16.0}
    return {name: struct.pack("<d", seconds) for name, seconds in times.items()}


def test_advertisements_are_read_where_somebody_has_asked_for_any() -> None:
    stub = StubVpp()
    stub.add_interface(PORT, "eth0")
    stub.add_interface(PORT + 1, "eth1")
    quiet: dict[str, Value] = {
        **{"sw_if_index": PORT, "adv_router_lifetime": 600, "adv_link_layer_address": 1, "initial_adverts_count": 3},
        **_times(200.0),
    }
    loud = {**quiet, "sw_if_index": PORT + 1, "send_radv": 1, "adv_managed_flag": 1, **_times(201.0)}
    stub.tell("sw_interface_ip6nd_ra_dump", "sw_interface_ip6nd_ra_details", quiet, loud)
    found = observed(stub).interfaces
    assert found["eth0"].ra is None
    assert found["eth1"].ra == RouterAdvertisements(is_managed=True, max_interval_s=201)


def test_the_mtu_in_advertisements_is_known_where_it_is_not_that_of_ipv6() -> None:
    stub = StubVpp()
    names = {PORT: "as_it_is", PORT + 1: "stale", PORT + 2: "of_ipv6", PORT + 3: "without_any", PORT + 4: "older"}
    mtus: dict[str, dict[str, Value]] = {"of_ipv6": {"mtu.0": 9000, "mtu.2": 1500}, "without_any": {"mtu.0": 0}}
    advertised = {"as_it_is": 1500, "stale": 9000, "of_ipv6": 1500, "without_any": 9000, "older": 0}
    for index, name in names.items():
        stub.add_interface(index, name, **mtus.get(name, {"mtu.0": 1500}))
    rows = [
        {"sw_if_index": index, "adv_link_mtu": advertised[name], "adv_router_lifetime": 600, **_times(200.0)}
        for index, name in names.items()
    ]
    stub.tell("sw_interface_ip6nd_ra_dump", "sw_interface_ip6nd_ra_details", *rows)
    found = {name: interface.ra_mtu for name, interface in observed(stub).interfaces.items()}
    assert found == {**dict.fromkeys(names.values(), 0), "stale": 9000}


@pytest.mark.parametrize("seconds", [math.nan, math.inf, 1e300])
def test_an_interval_that_is_none_is_not_believed(seconds: float) -> None:
    stub = StubVpp()
    stub.add_interface(PORT, "eth0")
    stub.tell("sw_interface_ip6nd_ra_dump", "sw_interface_ip6nd_ra_details", {"sw_if_index": PORT, **_times(seconds)})
    with pytest.raises(DataplaneError, match="does not match its definition"):
        observed(stub)


def test_limits_of_the_mss_are_read_page_by_page() -> None:
    stub = StubVpp(plugins=("mss_clamp",))
    stub.add_interface(PORT, "eth0")
    pages: dict[int, tuple[int, int, dict[str, Value]]] = {
        0: (-165, 5, {"sw_if_index": 4711, "ipv6_mss": 1220, "ipv6_direction": 1}),
        5: (0, ALL, {"sw_if_index": PORT, "ipv4_mss": 1360, "ipv4_direction": 3, "ipv6_mss": 9}),
    }

    def answer(request: Request) -> list[bytes]:
        retval, cursor, row = pages[request.value("cursor")]
        details = stub.say("mss_clamp_details", request, row)
        return [details, stub.say("mss_clamp_get_reply", request, {"retval": retval, "cursor": cursor})]

    stub.answers["mss_clamp_get"] = answer
    assert observed(stub).interfaces["eth0"].mss_clamp == (MssLimit(mss=1360),)


def test_the_address_that_a_dhcp_client_has_is_none_of_the_interface() -> None:
    stub = stub_with_port(("dhcp",))
    give_addresses(stub, {(1, 0): ["192.0.2.1/24", "198.51.100.7/25"]})
    lease: dict[str, Value] = {"lease.host_address.un": bytes((198, 51, 100, 7, *bytes(12))), "lease.mask_width": 25}
    client: dict[str, Value] = {
        "client.sw_if_index": PORT,
        "client.hostname": "r1",
        "client.set_broadcast_flag": True,
        **lease,
    }
    stub.answers["dhcp_client_dump"] = lambda request: [stub.say("dhcp_client_details", request, client)]
    port = observed(stub).interfaces["port"]
    assert port.addresses == {"192.0.2.1/24"}
    assert port.dhcp_client == DhcpClient(hostname="r1")


def test_an_address_that_is_leased_while_vpp_is_asked_is_none_of_the_interface_either() -> None:
    stub = stub_with_port(("dhcp",))
    give_addresses(stub, {(1, 0): ["198.51.100.7/25"]})
    client: dict[str, Value] = {"client.sw_if_index": PORT, "client.set_broadcast_flag": True}
    lease: dict[str, Value] = {"lease.host_address.un": bytes((198, 51, 100, 7, *bytes(12))), "lease.mask_width": 25}
    told = [client, {**client, **lease}]
    stub.answers["dhcp_client_dump"] = lambda request: [stub.say("dhcp_client_details", request, told.pop(0))]
    assert observed(stub).interfaces["port"].addresses == frozenset()


@pytest.mark.parametrize(("sub_id", "shown"), [(2147483648, -2147483648), (4294967295, -1), (2147483648, 2147483648)])
def test_a_sub_interface_has_its_id_in_its_name_also_where_vpp_writes_a_sign(sub_id: int, shown: int) -> None:
    stub = stub_with_port()
    add_sub(stub, SubFlag.ONE_TAG, sub_id=sub_id, interface_name=f"port.{shown}")
    stub.drop("mpls_interface_dump")
    stub.tell("mpls_table_dump", "mpls_table_details", {"mt_table.mt_table_id": 0})
    stub.show({"show mpls interface": f"port.{shown}\n  MPLS enabled\n"})
    state = observed(stub)
    assert {name: each.has_mpls for name, each in state.interfaces.items()} == {"port": False, f"port.{sub_id}": True}


def test_a_port_whose_name_ends_like_a_sign_keeps_it() -> None:
    stub = stub_with_port()
    stub.add_interface(7, "port.-1")
    assert set(observed(stub).interfaces) == {"port", "port.-1"}


def test_neighbors_of_interfaces_that_are_gone_are_told_apart() -> None:
    stub = stub_with_port()
    rows: list[dict[str, Value]] = [
        {"neighbor.sw_if_index": index, "neighbor.flags": flags, "neighbor.ip_address.un": bytes([192, 0, 2, last])}
        for index, flags, last in ((PORT, 1, 5), (77, 1, 6), (77, 0, 7))
    ]
    stub.answers["ip_neighbor_dump"] = lambda request: [
        stub.say("ip_neighbor_details", request, row) for row in rows if not request.value("af")
    ]
    state = observed(stub)
    assert [each.address for each in state.interfaces["port"].neighbors] == ["192.0.2.5"]
    (left,) = state.facts.left_neighbors
    assert (left.sw_if_index, left.address) == (77, "192.0.2.6")
