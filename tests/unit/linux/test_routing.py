"""Addresses, neighbours and routes as the kernel tells them, against what `ip` was told."""

import errno
import socket
import struct
from collections.abc import Iterator

import pytest

from tests.unit.linux.machine import Machine, skip_reason
from vppcfg.linux.host import LinuxHost
from vppcfg.linux.routing import RouteReader
from vppcfg.model.forwarding import Hop, LinuxForwarding, TableId, hops_text, prefix_text

needs_namespaces = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))
DEVICES = {"e0": "port0", "e1": "port1"}
MAIN, MAIN_6 = TableId(False, 0), TableId(True, 0)


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    """Two devices with a pair each, one without, all up and with addresses."""
    with Machine() as made:
        for number, name in enumerate(("e0", "e1", "mgmt")):
            made.ip("link", "add", name, "type", "veth", "peer", "name", f"{name}-far")
            for each in (name, f"{name}-far"):
                made.run("sh", "-c", f"echo 0 > /proc/sys/net/ipv6/conf/{each}/accept_dad")
                made.ip("link", "set", each, "up")
            made.ip("address", "add", f"192.0.{number}.1/24", "dev", name)
            made.ip("address", "add", f"2001:db8:{number}::1/64", "dev", name)
        yield made


@pytest.fixture
def routes(machine: Machine) -> Iterator[Machine]:
    """The machine, without the routes of other tests."""
    yield machine
    for family in ("-4", "-6"):
        for table in ("main", "77"):
            for proto in ("boot", "static", "bgp"):
                machine.run("sh", "-c", f"ip {family} route flush table {table} proto {proto} || true")


def seen_in(machine: Machine) -> LinuxForwarding:
    return LinuxHost(machine.pid).read_forwarding("", DEVICES)


@needs_namespaces
def test_rules_are_told_that_lead_what_comes_in_by_a_pair_elsewhere(machine: Machine) -> None:
    assert seen_in(machine).rules == ()
    for line in (
        "from 10.0.0.0/8 lookup 77 priority 100",
        "iif e0 to 192.0.2.0/24 lookup 300 priority 101",
        "not fwmark 0x10 lookup 77 priority 102",
        "from all lookup main priority 103 suppress_prefixlength 0",
        "from 10.9.0.0/16 prohibit priority 104",
        "iif lo lookup 77 priority 105",
        "iif mgmt lookup 77 priority 106",
        "l3mdev priority 1000",
    ):
        machine.ip("rule", "add", *line.split())
    machine.ip("-6", "rule", "add", *["from", "2001:db8::/32", "lookup", "77", "priority", "100"])
    try:
        assert seen_in(machine).rules == (
            "100: from 10.0.0.0/8 lookup 77",
            "101: from all to 192.0.2.0/24 iif e0 lookup 300",
            "102: not from all fwmark 0x10 lookup 77",
            "103: from all lookup 254",
            "104: from 10.9.0.0/16 prohibit",
            "-6 100: from 2001:db8::/32 lookup 77",
        )
    finally:
        for priority in (*range(100, 107), 1000):
            machine.ip("rule", "del", "priority", str(priority))
        machine.ip("-6", "rule", "del", "priority", "100")


def told(machine: Machine, table: TableId = MAIN) -> dict[str, str]:
    """Return the routes of a table as text, those that are not copied with the reason."""
    found = seen_in(machine).tables.get(table)
    if found is None:
        return {}
    ways = {prefix_text(key): found.entries[place] for key, place in found.by_prefix.items()}
    return {
        prefix: f"({way.uncopied_reason})" if way.uncopied_reason else hops_text(way.hops)
        for prefix, way in ways.items()
    }


@needs_namespaces
def test_routes_lead_where_linux_says_as_linux_nl_copies_them(routes: Machine) -> None:
    for words in (
        "10.1.0.0/16 via 192.0.0.9",
        "10.2.0.0/16 dev e0",
        "blackhole 10.3.0.0/16",
        "unreachable 10.4.0.0/16",
        "prohibit 10.5.0.0/16",
        "throw 10.6.0.0/16",
        "10.7.0.0/16 nexthop via 192.0.0.9 nexthop via 192.0.1.9",
        "10.8.0.0/16 via 192.0.2.9",
        "10.9.0.0/16 via inet6 2001:db8::9 dev e0",
        "default via 192.0.0.9",
    ):
        routes.ip("route", "add", *words.split())
    assert told(routes) == {
        "0.0.0.0/0": "via 192.0.0.9 dev port0",
        "10.1.0.0/16": "via 192.0.0.9 dev port0",
        "10.2.0.0/16": "dev port0",
        "10.3.0.0/16": "blackhole",
        "10.4.0.0/16": "unreachable",
        "10.5.0.0/16": "prohibit",
        "10.7.0.0/16": "via 192.0.0.9 dev port0, via 192.0.1.9 dev port1",
        "10.9.0.0/16": "via 2001:db8::9 dev port0",
    }


@needs_namespaces
def test_routes_of_ipv6_lead_likewise_and_those_of_links_are_left_out(routes: Machine) -> None:
    for words in (
        "2001:db8:101::/48 via 2001:db8::9",
        "blackhole 2001:db8:103::/48",
        "2001:db8:107::/48 nexthop via 2001:db8::9 nexthop via 2001:db8:1::9",
        "2001:db8:109::/48 via fe80::9 dev e1",
        "default via 2001:db8::9",
    ):
        routes.ip("-6", "route", "add", *words.split())
    assert told(routes, MAIN_6) == {
        "::/0": "via 2001:db8::9 dev port0",
        "2001:db8:101::/48": "via 2001:db8::9 dev port0",
        "2001:db8:103::/48": "blackhole",
        "2001:db8:107::/48": "via 2001:db8::9 dev port0, via 2001:db8:1::9 dev port1",
        "2001:db8:109::/48": "via fe80::9 dev port1",
    }


@needs_namespaces
def test_of_several_routes_to_a_prefix_that_with_the_least_metric_counts(routes: Machine) -> None:
    for words in (
        "10.1.0.0/16 via 192.0.0.9 metric 100 proto static",
        "10.1.0.0/16 via 192.0.1.9 metric 20 proto bgp",
        "10.1.0.0/16 via 192.0.0.7 metric 300",
        "10.2.0.0/16 via 192.0.2.9",
        "10.2.0.0/16 via 192.0.1.9 metric 20",
    ):
        routes.ip("route", "add", *words.split())
    assert told(routes) == {"10.1.0.0/16": "via 192.0.1.9 dev port1", "10.2.0.0/16": "via 192.0.1.9 dev port1"}


@needs_namespaces
def test_what_linux_nl_copies_otherwise_or_not_at_all_is_counted(routes: Machine) -> None:
    for words in (
        "10.1.0.0/16 nexthop via 192.0.0.9 weight 1 nexthop via 192.0.1.9 weight 3",
        "10.2.0.0/16 nexthop via 192.0.0.9 nexthop via 192.0.2.9",
        "multicast 239.1.0.0/16 dev e0",
        "10.3.0.0/16 via 192.0.0.9 tos 4",
    ):
        routes.ip("route", "add", *words.split())
    found = seen_in(routes)
    assert found.limits == {
        "routes with weights, which linux-nl makes less by one": 1,
        "routes with a next hop that has no pair and is left out": 1,
        "multicast routes, which go to multicast tables": 1,
        "routes by source or type of service, which linux-nl does not look at": 1,
    }
    assert told(routes) == {
        "10.1.0.0/16": "via 192.0.0.9 dev port0 weight 1, via 192.0.1.9 dev port1 weight 2",
        "10.2.0.0/16": "via 192.0.0.9 dev port0",
        "239.1.0.0/16": "(multicast routes, which go to multicast tables)",
        "10.3.0.0/16": "(routes by source or type of service, which linux-nl does not look at)",
    }


@needs_namespaces
def test_a_namespace_or_device_that_is_not_there_is_left_out(machine: Machine) -> None:
    host = LinuxHost(machine.pid)
    assert host.read_forwarding("nowhere", DEVICES) == LinuxForwarding()
    assert set(host.read_forwarding("", {"e0": "port0", "e9": "port9"}).sides) == {"port0"}


def attribute(kind: int, value: bytes) -> bytes:
    return struct.pack("=HH", 4 + len(value), kind) + value.ljust(len(value) + 3 & ~3, b"\0")


def message(*attributes: bytes, length: int = 16, kind: int = 1, protocol: int = 4, table: int = 254) -> bytes:
    head = struct.pack("=BBBBBBBBI", socket.AF_INET, length, 0, 0, table, protocol, 0, kind, 0)
    return head + b"".join(attributes)


def number(value: int) -> bytes:
    return struct.pack("=I", value)


def hops_of(*attributes: bytes) -> list[tuple[Hop, ...] | str]:
    """Return the hops of a route through device 7, or why it is not copied."""
    reader = RouteReader({7: "port0"})
    data = message(attribute(15, number(254)), attribute(1, b"\x0a\1\0\0"), *attributes)
    reader.take(data, (0, len(data)))
    return [way.uncopied_reason or way.hops for routes in reader.routes().tables.values() for way in routes.entries]


GATEWAY, DEVICE = attribute(5, b"\xc0\0\0\x09"), attribute(4, number(7))


def test_labels_are_those_that_the_packet_is_wrapped_in() -> None:
    stack = struct.pack(">II", 100 << 12, 200 << 12 | 0x100)
    wrapped = attribute(22, attribute(1, stack)) + attribute(21, struct.pack("=H", 1))
    assert hops_of(GATEWAY, DEVICE, wrapped) == [(Hop("port0", b"\xc0\0\0\x09", 1, (100, 200)),)]


def test_another_encapsulation_is_not_copied() -> None:
    wrapped = attribute(22, attribute(1, b"\0" * 8)) + attribute(21, struct.pack("=H", 5))
    assert hops_of(GATEWAY, DEVICE, wrapped) == ["routes with an encapsulation that linux-nl drops"]


def test_a_next_hop_object_without_its_hops_is_not_copied() -> None:
    assert hops_of(attribute(30, number(5))) == ["routes with a next-hop object whose hops the kernel does not report"]


@pytest.mark.parametrize("metrics", [(20, 100), (100, 20)])
def test_the_least_metric_counts_in_whatever_order_routes_are_told(metrics: tuple[int, int]) -> None:
    reader = RouteReader({7: "port0"})
    for metric in metrics:
        gateway = attribute(5, bytes((192, 0, 2, metric)))
        destination = attribute(1, b"\x0a\1\0\0")
        data = message(attribute(15, number(254)), destination, attribute(6, number(metric)), gateway, DEVICE)
        reader.take(data, (0, len(data)))
    routes = reader.routes().tables[MAIN]
    (place,) = routes.by_prefix.values()
    assert hops_text(routes.entries[place].hops) == "via 192.0.2.20 dev port0"


def test_the_destination_is_found_wherever_it_stands() -> None:
    reader = RouteReader({7: "port0"})
    for data in (
        message(
            attribute(4, number(7)),
            attribute(15, number(254)),
            attribute(5, b"\xc0\0\0\x09"),
            attribute(1, b"\x0a\1\0\0"),
        ),
        message(attribute(1, b"\x0a\2\0\0"), attribute(4, number(7))),
    ):
        reader.take(data, (0, len(data)))
    found = reader.routes().tables[MAIN]
    assert {prefix_text(key) for key in found.by_prefix} == {"10.1.0.0/16", "10.2.0.0/16"}


@needs_namespaces
def test_no_permission_is_said(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr("vppcfg.linux.host.read_addresses", refuse)
    with pytest.raises(Exception, match="no permission to read addresses, neighbours and routes"):
        seen_in(machine)
