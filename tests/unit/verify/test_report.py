"""What two readings have in common, and how mismatches become groups."""

import pytest

from tests.unit.verify.test_routes import key
from vppcfg.model.forwarding import Hop, RouteEntry, TableId
from vppcfg.verify.mismatch import Comparison, Mismatch, MismatchKind, RouteMismatch, Subject
from vppcfg.verify.report import FIRST, Group, VerifyReport, report_of

MAIN, OTHER = TableId(False, 0), TableId(False, 77)
LINUX = RouteEntry((Hop("port0", b"\xc0\0\2\1"),), metric=20)
VPP = RouteEntry((Hop("port0", b"\xc0\0\2\2"),), source="lcp-rt", metric=44)
MISSING = RouteMismatch(MismatchKind.MISSING, LINUX)
STALE = RouteMismatch(MismatchKind.STALE, None, VPP)
DIFFERENT = RouteMismatch(MismatchKind.DIFFERENT, LINUX, VPP)


def of_routes(**prefixes: RouteMismatch) -> dict[bytes, RouteMismatch]:
    """Return mismatches of prefixes such as `p1`, 10.1.0.0/16."""
    return {key(f"10.{name[1:]}.0.0/16"): mismatch for name, mismatch in prefixes.items()}


def address(name: str, kind: MismatchKind = MismatchKind.MISSING, interface: str = "port0") -> Mismatch:
    return Mismatch(kind, Subject.ADDRESS, interface, name)


def neighbor(name: str, kind: MismatchKind, linux: str = "", vpp: str = "") -> Mismatch:
    return Mismatch(kind, Subject.NEIGHBOR, "port0", name, linux, vpp)


def report(*mismatches: Mismatch, routes: dict[TableId, dict[bytes, RouteMismatch]] | None = None) -> VerifyReport:
    return report_of(Comparison(mismatches=frozenset(mismatches), routes=routes or {}))


def test_two_readings_have_in_common_what_is_the_same_in_both() -> None:
    one = Comparison(
        mismatches=frozenset({address("192.0.2.1/24"), address("192.0.2.2/24")}),
        routes={MAIN: of_routes(p1=MISSING, p2=MISSING, p3=STALE), OTHER: of_routes(p1=MISSING)},
        limits={"old": 1},
        own={"CLI": 1},
    )
    later = Comparison(
        mismatches=frozenset({address("192.0.2.2/24"), address("192.0.2.3/24")}),
        routes={MAIN: of_routes(p2=MISSING, p3=MISSING, p4=STALE), TableId(True, 0): of_routes(p1=MISSING)},
        limits={"new": 2},
        compared={Subject.ROUTE: 9},
        own={"CLI": 3},
    )
    both = one.both(later)
    assert both == Comparison(
        mismatches=frozenset({address("192.0.2.2/24")}),
        routes={MAIN: of_routes(p2=MISSING)},
        limits={"new": 2},
        compared={Subject.ROUTE: 9},
        own={"CLI": 3},
    )
    assert one.both(Comparison()).count() == 0


def test_a_table_without_a_common_mismatch_is_left_out() -> None:
    assert Comparison(routes={MAIN: of_routes(p1=STALE)}).both(Comparison(routes={MAIN: of_routes(p1=MISSING)})) == (
        Comparison()
    )


def test_mismatches_are_counted_by_what_and_how() -> None:
    comparison = Comparison(
        mismatches=frozenset({address("192.0.2.1/24"), neighbor("192.0.2.9", MismatchKind.VPP_ONLY)}),
        routes={MAIN: of_routes(p1=MISSING, p2=MISSING), OTHER: of_routes(p1=DIFFERENT)},
    )
    assert comparison.count() == report_of(comparison).count == 4
    assert comparison.counts() == {
        (Subject.ADDRESS, MismatchKind.MISSING): 1,
        (Subject.NEIGHBOR, MismatchKind.VPP_ONLY): 1,
        (Subject.ROUTE, MismatchKind.MISSING): 2,
        (Subject.ROUTE, MismatchKind.DIFFERENT): 1,
    }
    assert not report_of(comparison).is_moving


def test_addresses_of_one_interface_stand_together_in_their_order() -> None:
    found = report(
        *(address(f"192.0.2.{number}/24") for number in (10, 9, 11, 1)), address("10.0.0.1/8", MismatchKind.STALE)
    )
    assert found.groups == (
        Group(
            subject=Subject.ADDRESS,
            kind=MismatchKind.MISSING,
            interface="port0",
            count=4,
            first=("192.0.2.1/24", "192.0.2.9/24", "192.0.2.10/24"),
        ),
        Group(subject=Subject.ADDRESS, kind=MismatchKind.STALE, interface="port0", count=1, first=("10.0.0.1/8",)),
    )
    assert len(found.groups[0].first) == FIRST


@pytest.mark.parametrize(("linux", "vpp"), [("02::1", ""), ("", "02::1")])
def test_neighbors_of_one_side_are_named_with_their_mac_address(linux: str, vpp: str) -> None:
    kind = MismatchKind.MISSING if linux else MismatchKind.STALE
    (group,) = report(neighbor("192.0.2.9", kind, linux, vpp), neighbor("192.0.2.8", kind, linux, vpp)).groups
    assert (group.count, group.linux, group.vpp) == (2, "", "")
    assert group.first == ("192.0.2.8 (02::1)", "192.0.2.9 (02::1)")


def test_neighbors_that_differ_stand_alone_with_both_addresses() -> None:
    groups = report(
        *(neighbor(f"192.0.2.{number}", MismatchKind.DIFFERENT, "02::1", "02::2") for number in (9, 8))
    ).groups
    assert [(group.first, group.count, group.linux, group.vpp) for group in groups] == [
        (("192.0.2.8",), 1, "02::1", "02::2"),
        (("192.0.2.9",), 1, "02::1", "02::2"),
    ]


def test_what_an_interface_has_but_once_is_told_of_both_sides() -> None:
    mtu = Mismatch(MismatchKind.DIFFERENT, Subject.MTU, "port0", linux="1400", vpp="1500")
    state = Mismatch(MismatchKind.DIFFERENT, Subject.STATE, "port1", linux="up", vpp="down")
    assert [
        (group.subject, group.interface, group.linux, group.vpp, group.first) for group in report(mtu, state).groups
    ] == [(Subject.STATE, "port1", "up", "down", ()), (Subject.MTU, "port0", "1400", "1500", ())]


def test_routes_that_lead_the_same_way_stand_together_whatever_their_metric_is() -> None:
    slower = RouteMismatch(MismatchKind.MISSING, LINUX._replace(metric=300))
    found = of_routes(p3=MISSING, p10=slower, p2=MISSING, p9=MISSING, p4=STALE, p5=DIFFERENT)
    groups = report(routes={MAIN: found, OTHER: of_routes(p1=MISSING)}).groups
    assert groups == (
        Group(
            subject=Subject.ROUTE,
            kind=MismatchKind.MISSING,
            table=MAIN,
            linux="via 192.0.2.1 dev port0",
            count=4,
            first=("10.2.0.0/16", "10.3.0.0/16", "10.9.0.0/16"),
        ),
        Group(
            subject=Subject.ROUTE,
            kind=MismatchKind.MISSING,
            table=OTHER,
            linux="via 192.0.2.1 dev port0",
            count=1,
            first=("10.1.0.0/16",),
        ),
        Group(
            subject=Subject.ROUTE,
            kind=MismatchKind.STALE,
            table=MAIN,
            vpp="via 192.0.2.2 dev port0",
            source="lcp-rt",
            count=1,
            first=("10.4.0.0/16",),
        ),
        Group(
            subject=Subject.ROUTE,
            kind=MismatchKind.DIFFERENT,
            table=MAIN,
            linux="via 192.0.2.1 dev port0",
            vpp="via 192.0.2.2 dev port0",
            source="lcp-rt",
            count=1,
            first=("10.5.0.0/16",),
        ),
    )


def test_a_group_is_told_in_the_order_of_subjects_interfaces_and_tables() -> None:
    found = report(
        address("192.0.2.1/24", interface="port10"),
        address("192.0.2.1/24", interface="port9"),
        Mismatch(MismatchKind.STALE, Subject.PAIR, "port1", "e1"),
        routes={TableId(True, 0): {key("2001:db8::/32"): MISSING}, MAIN: of_routes(p1=MISSING)},
    )
    assert [(group.subject, group.interface or str(group.table)) for group in found.groups] == [
        (Subject.PAIR, "port1"),
        (Subject.ADDRESS, "port9"),
        (Subject.ADDRESS, "port10"),
        (Subject.ROUTE, "IPv4 table 0"),
        (Subject.ROUTE, "IPv6 table 0"),
    ]
