"""What two readings have in common, and how mismatches become groups."""

from tests.unit.verify.test_routes import key
from vppcfg.model.forwarding import Hop, RouteEntry, TableId
from vppcfg.verify.mismatch import Comparison, Mismatch, MismatchKind, RouteMismatch, Subject
from vppcfg.verify.report import Group, VerifyReport, report_of

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
