"""`verify` on a real VPP with linux-cp and linux-nl, and the kernel that they listen to."""

import time
from collections.abc import Callable, Iterator

import pytest

from tests.real_vpp import RealVpp
from vppcfg.app.target import Target
from vppcfg.app.verifying import verify
from vppcfg.model.forwarding import TableId
from vppcfg.verify.mismatch import MismatchKind, Subject
from vppcfg.verify.report import VerifyReport
from vppcfg.verify.sample import VerifySample

PORTS = ("port0", "port1")
EARLY = "10.77.0.0/16"
"""A route that Linux has before the first pair is made: linux-nl reads what is there only after an error."""
ROUTES = (
    "10.1.0.0/16 via 192.0.2.9",
    "10.2.0.0/16 via 192.0.2.9 metric 300",
    "10.3.0.0/16 dev e0",
    "blackhole 10.4.0.0/16",
    "unreachable 10.5.0.0/16",
    "prohibit 10.6.0.0/16",
    "throw 10.7.0.0/16",
    "10.8.0.0/16 nexthop via 192.0.2.9 nexthop via 198.51.100.9",
    "10.9.0.0/16 via 192.0.2.9 proto bgp",
    "10.9.0.0/16 via 198.51.100.9 proto bgp metric 20",
    "10.12.0.0/16 via 192.0.2.9 table 77",
    "10.13.0.0/16 via inet6 2001:db8::9 dev e0",
    "default via 192.0.2.9",
)
ROUTES_6 = (
    "2001:db8:1::/48 via 2001:db8::9",
    "blackhole 2001:db8:4::/48",
    "2001:db8:8::/48 nexthop via 2001:db8::9 nexthop via 2001:db8::a",
    "2001:db8:9::/48 dev e0",
    "2001:db8:10::/48 via fe80::9 dev e0",
)
NEIGHBORS = (
    "192.0.2.9 lladdr 02:00:00:00:00:09 nud permanent dev e0",
    "192.0.2.10 lladdr 02:00:00:00:00:0a nud stale dev e0",
    "2001:db8::9 lladdr 02:00:00:00:00:0b nud permanent dev e0",
)
SETTLE_S = 1.0
Found = set[tuple[Subject, MismatchKind, str]]


@pytest.fixture
def router() -> Iterator[RealVpp]:
    """A VPP whose two ports have pairs, with something of everything in Linux."""
    vpp = RealVpp(plugins=["linux_nl"])
    vpp.start(PORTS)
    try:
        for number, port in enumerate(PORTS):
            assert vpp.cli(f"set interface state {port} up") == (0, "")
            assert vpp.cli(f"lcp create {port} host-if e{number}") == (0, "")
            vpp.ip("link", "set", f"e{number}", "up")
        for words in ("192.0.2.1/24 dev e0", "2001:db8::1/64 dev e0", "198.51.100.1/24 dev e1"):
            vpp.ip("address", "add", *words.split())
        for words in ROUTES:
            vpp.ip("route", "add", *words.split())
        for words in ROUTES_6:
            vpp.ip("-6", "route", "add", *words.split())
        for words in NEIGHBORS:
            vpp.ip("neighbor", "replace", *words.split())
        assert vpp.cli("ip route add 10.99.0.0/16 via 192.0.2.9 port0") == (0, "")
        time.sleep(SETTLE_S)
        yield vpp
    finally:
        vpp.stop()


def verified(vpp: RealVpp, sample: VerifySample | None = None) -> VerifyReport:
    plane, linux = Target(api_socket=str(vpp.socket_path)).connect_apart()
    assert linux is not None
    with plane:
        return verify(plane, linux, sample=sample, pause_s=SETTLE_S)


def found(vpp: RealVpp, sample: VerifySample | None = None) -> Found:
    """Return what counts, each with the first that is named, or the interface."""
    groups = [group for group in verified(vpp, sample).groups if group.kind is not MismatchKind.VPP_ONLY]
    return {(group.subject, group.kind, next(iter(group.first), group.interface)) for group in groups}


def test_a_healthy_router_has_no_mismatch_and_all_that_linux_has_was_compared(router: RealVpp) -> None:
    report = verified(router)
    assert report.count == 0, report.groups
    assert report.compared[Subject.ROUTE] == len(ROUTES) + len(ROUTES_6) - 2  # throw, and the route with two metrics
    assert report.compared[Subject.ADDRESS] == 3
    assert report.own["CLI"] == 1


def test_a_look_by_parts_compares_all_of_a_small_router_but_what_is_vpps_own(router: RealVpp) -> None:
    report = verified(router, VerifySample(interval_s=300))
    whole = verified(router)
    assert (report.count, report.compared, report.in_linux) == (0, whole.compared, whole.in_linux)
    assert (report.unread, report.own["CLI"]) == ({}, 1), "such a small table of IPv4 is read for it"


def test_a_service_finds_by_parts_what_reading_all_finds(router: RealVpp) -> None:
    """Linux tells nobody of the routes that go with the last address of a device."""
    sample = VerifySample(interval_s=300)
    router.ip("route", "add", "10.14.0.0/16", "via", "198.51.100.9")
    time.sleep(SETTLE_S)
    assert verified(router, sample).count == 0
    router.ip("address", "del", "198.51.100.1/24", "dev", "e1")
    time.sleep(SETTLE_S)
    report = verified(router, sample)
    assert (Subject.ROUTE, MismatchKind.STALE) in report.counts
    assert report.groups == verified(router).groups


def test_the_last_route_that_linux_has_dropped_in_silence_is_found_at_the_first_look(router: RealVpp) -> None:
    assert verified(router, VerifySample(interval_s=300)).count == 0
    for number, address in enumerate(("192.0.2.1/24", "198.51.100.1/24")):
        router.ip("address", "del", address, "dev", f"e{number}")
    time.sleep(SETTLE_S)
    report = verified(router, VerifySample(interval_s=300))
    assert (Subject.ROUTE, MismatchKind.STALE) in report.counts
    in_main = [group for group in verified(router).groups if group.table in (None, TableId(False, 0), TableId(True, 0))]
    assert list(report.groups) == in_main, "of other tables in which Linux has none any more, `--all` tells"


def add_a_static_route_that_linux_does_not_go_by(vpp: RealVpp) -> None:
    """Linux goes by the least metric, and VPP by a static route before that of a daemon."""
    for words in ("via 192.0.2.9 proto static metric 100", "via 198.51.100.9 proto bgp metric 20"):
        vpp.ip("route", "add", "10.10.0.0/16", *words.split())


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (
            lambda vpp: vpp.cli("set interface ip address port0 203.0.113.1/24"),
            (Subject.ADDRESS, MismatchKind.STALE, "203.0.113.1/24"),
        ),
        (lambda vpp: vpp.cli("set interface mtu packet 1300 port1"), (Subject.MTU, MismatchKind.DIFFERENT, "port1")),
        (
            lambda vpp: vpp.cli("set ip neighbor port0 192.0.2.10 02:00:00:00:00:99"),
            (Subject.NEIGHBOR, MismatchKind.DIFFERENT, "192.0.2.10"),
        ),
        (
            lambda vpp: vpp.cli("set ip neighbor del port0 192.0.2.9 02:00:00:00:00:09"),
            (Subject.NEIGHBOR, MismatchKind.MISSING, "192.0.2.9 (02:00:00:00:00:09)"),
        ),
        (add_a_static_route_that_linux_does_not_go_by, (Subject.ROUTE, MismatchKind.DIFFERENT, "10.10.0.0/16")),
    ],
)
def test_what_is_changed_behind_linuxs_back_is_found_alone(
    router: RealVpp, fault: Callable[[RealVpp], object], expected: tuple[Subject, MismatchKind, str]
) -> None:
    fault(router)
    time.sleep(SETTLE_S)
    assert found(router) == found(router, VerifySample(interval_s=300)) == {expected}


def test_a_neighbor_that_vpp_has_learnt_by_itself_does_not_count(router: RealVpp) -> None:
    router.cli("set ip neighbor port0 192.0.2.200 02:00:00:00:00:c8")
    report = verified(router)
    assert report.count == 0
    assert report.counts == {(Subject.NEIGHBOR, MismatchKind.VPP_ONLY): 1}


def test_a_route_that_is_older_than_the_first_pair_never_came() -> None:
    vpp = RealVpp(plugins=["linux_nl"])
    vpp.start(PORTS[:1])
    try:
        vpp.ip("route", "add", "blackhole", EARLY)
        assert vpp.cli("set interface state port0 up") == (0, "")
        assert vpp.cli("lcp create port0 host-if e0") == (0, "")
        vpp.ip("link", "set", "e0", "up")
        time.sleep(SETTLE_S)
        assert found(vpp) == {(Subject.ROUTE, MismatchKind.MISSING, EARLY)}
    finally:
        vpp.stop()


def test_without_linux_nl_nothing_is_compared_that_nobody_copies() -> None:
    vpp = RealVpp()
    vpp.start(PORTS[:1])
    try:
        assert vpp.cli("lcp create port0 host-if e0") == (0, "")
        vpp.ip("route", "add", "blackhole", EARLY)
        report = verified(vpp)
        assert report.limits["routes, for VPP runs without linux-nl"] == 1
        assert report.compared[Subject.ROUTE] == 0
    finally:
        vpp.stop()


def test_addresses_that_a_device_made_anew_has_lost_are_found() -> None:
    vpp = RealVpp()
    vpp.start(PORTS[:1])
    try:
        for line in ("set interface state port0 up", "set interface ip address port0 192.0.2.1/24"):
            assert vpp.cli(line) == (0, "")
        assert vpp.cli("lcp create port0 host-if e0") == (0, "")
        vpp.ip("link", "set", "e0", "up")
        vpp.ip("address", "add", "192.0.2.1/24", "dev", "e0")
        assert verified(vpp).count == 0
        for line in ("lcp delete port0", "lcp create port0 host-if wan"):
            assert vpp.cli(line) == (0, "")
        vpp.ip("link", "set", "wan", "up")
        assert found(vpp) == {(Subject.ADDRESS, MismatchKind.STALE, "192.0.2.1/24")}
    finally:
        vpp.stop()
