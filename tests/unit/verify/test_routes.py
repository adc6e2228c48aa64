"""Routes of Linux and VPP, table against table."""

import socket

from vppcfg.model.forwarding import Hop, RouteEntry, Routes, canonical_hops, hops_text, prefix_key, prefix_text
from vppcfg.verify.mismatch import MismatchKind
from vppcfg.verify.routes import TableComparison, compare_table


def key(text: str) -> bytes:
    address, _, length = text.partition("/")
    is_ipv6 = ":" in address
    raw = socket.inet_pton(socket.AF_INET6 if is_ipv6 else socket.AF_INET, address)
    return prefix_key(is_ipv6, raw, int(length))


def via(last: int, interface: str = "port0", source: str = "") -> RouteEntry:
    return RouteEntry((Hop(interface, bytes((192, 0, 2, last))),), source=source)


DROP = RouteEntry((Hop("", end="blackhole"),), source="default-route")


def compared(linux: dict[str, RouteEntry], vpp: dict[str, RouteEntry]) -> TableComparison:
    ways = list(linux.values())
    by_prefix = {key(prefix): place for place, prefix in enumerate(linux)}
    return compare_table(Routes(entries=ways, by_prefix=by_prefix), [(key(each), way) for each, way in vpp.items()])


def kinds_of(linux: dict[str, RouteEntry], vpp: dict[str, RouteEntry]) -> dict[str, MismatchKind]:
    return {prefix_text(each): found.kind for each, found in compared(linux, vpp).mismatches.items()}


def test_the_same_routes_are_no_mismatch_whoever_put_them_there() -> None:
    linux = {"10.1.0.0/16": via(1), "2001:db8::/32": via(2), "0.0.0.0/0": via(3)}
    vpp = {"10.1.0.0/16": via(1, source="lcp-rt"), "2001:db8::/32": via(2, source="API")}
    vpp["0.0.0.0/0"] = via(3, source="lcp-rt-dynamic")
    found = compared(linux, vpp)
    assert (found.mismatches, found.compared, dict(found.own)) == ({}, 3, {})


def test_what_vpp_lacks_is_missing_also_when_the_table_drops_such_packets_by_itself() -> None:
    linux = {"10.1.0.0/16": via(1), "0.0.0.0/0": via(1)}
    assert kinds_of(linux, {"0.0.0.0/0": DROP}) == {
        "10.1.0.0/16": MismatchKind.MISSING,
        "0.0.0.0/0": MismatchKind.MISSING,
    }


def test_only_what_linux_nl_has_put_into_vpp_can_be_stale() -> None:
    others = ("interface", "adjacency", "special", "default-route", "API", "CLI", "IPv6-nd", "")
    vpp = {f"10.{number}.0.0/16": via(1, source=source) for number, source in enumerate(others)}
    vpp |= {"10.100.0.0/16": via(1, source="lcp-rt"), "10.101.0.0/16": via(1, source="lcp-rt-dynamic")}
    found = compared({}, vpp)
    assert {prefix_text(each) for each in found.mismatches} == {"10.100.0.0/16", "10.101.0.0/16"}
    assert sum(found.own.values()) == len(others)


def test_what_linux_nl_puts_into_each_of_its_tables_is_not_stale() -> None:
    assert kinds_of({}, {"255.255.255.255/32": RouteEntry((Hop("", end="local"),), source="lcp-rt")}) == {}


def test_next_hops_are_the_same_in_any_order_and_with_the_same_weights() -> None:
    one, two = Hop("port0", b"\xc0\0\2\1"), Hop("port1", b"\xc0\0\2\2")
    linux = RouteEntry(canonical_hops([one, two]))
    assert (
        kinds_of({"10.1.0.0/16": linux}, {"10.1.0.0/16": RouteEntry(canonical_hops([two, one]), source="lcp-rt")}) == {}
    )
    heavier = RouteEntry(canonical_hops([one, two._replace(weight=2)]), source="lcp-rt")
    assert kinds_of({"10.1.0.0/16": linux}, {"10.1.0.0/16": heavier}) == {"10.1.0.0/16": MismatchKind.DIFFERENT}
    assert canonical_hops([one._replace(weight=7)]) == (one,)


def test_what_linux_nl_cannot_copy_is_neither_missing_nor_stale_nor_different() -> None:
    linux = {
        "10.1.0.0/16": RouteEntry((), uncopied_reason="multicast"),
        "10.2.0.0/16": RouteEntry((), uncopied_reason="encapsulation"),
    }
    found = compared(linux, {"10.2.0.0/16": via(1, source="lcp-rt")})
    assert (found.mismatches, found.compared) == ({}, 0)


def test_next_hops_read_as_ip_route_says_them() -> None:
    hops = canonical_hops([Hop("port1", b"\xc0\0\2\2", 2), Hop("port0", bytes(15) + b"\1", 1, (16, 17)), Hop("port2")])
    assert hops_text(hops) == (
        "encap mpls 16/17 via ::1 dev port0 weight 1, via 192.0.2.2 dev port1 weight 2, dev port2 weight 1"
    )
    assert hops_text((Hop("", end="prohibit"),)) == "prohibit"
    assert hops_text((Hop("", b"\xc0\0\2\2"),)) == "via 192.0.2.2"
