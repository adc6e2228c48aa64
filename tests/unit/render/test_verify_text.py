"""What a verification found, in words and as data."""

from typing import Any

import pytest

from vppcfg.model.forwarding import TableId
from vppcfg.render.verify_text import group_lines, report_document, report_lines, summary
from vppcfg.verify.mismatch import Comparison, Mismatch, MismatchKind, Subject
from vppcfg.verify.report import Group, report_of

MAIN = TableId(False, 0)
NEIGHBOR = Mismatch(MismatchKind.VPP_ONLY, Subject.NEIGHBOR, "port0", "192.0.2.9", vpp="02:00:00:00:00:09")
MTU = Mismatch(MismatchKind.DIFFERENT, Subject.MTU, "port0", linux="1400", vpp="1500")


def lines(subject: Subject, kind: MismatchKind, *first: str, count: int = 1, **values: object) -> list[str]:
    group = Group(subject=subject, kind=kind, first=first, count=count, **values)  # type: ignore[arg-type]
    return list(group_lines(group))


def test_a_group_of_one_subject_reads_as_a_sentence() -> None:
    assert lines(Subject.STATE, MismatchKind.DIFFERENT, interface="port0", linux="up", vpp="down") == [
        "~ state of port0: down in VPP, up in Linux"
    ]
    assert lines(Subject.MTU, MismatchKind.DIFFERENT, interface="port0", linux="1400", vpp="1500") == [
        "~ MTU of port0: 1500 in VPP, 1400 in Linux"
    ]
    assert lines(
        Subject.NEIGHBOR, MismatchKind.DIFFERENT, "192.0.2.9", interface="port0", linux="02::1", vpp="02::2"
    ) == ["~ neighbour 192.0.2.9 of port0: 02::2 in VPP, 02::1 in Linux"]


def test_a_pair_says_what_is_wrong_with_it() -> None:
    assert lines(Subject.PAIR, MismatchKind.STALE, "e0", interface="port0") == [
        "+ LCP pair of port0: Linux has no device e0"
    ]
    assert lines(Subject.PAIR, MismatchKind.DIFFERENT, "e0", interface="port0", vpp="its interface is gone") == [
        "~ LCP pair of port0, e0: its interface is gone"
    ]
    assert lines(Subject.PAIR, MismatchKind.DIFFERENT, "e0", interface="port0", linux="device 9", vpp="device 7") == [
        "~ LCP pair of port0: e0 is another device than the pair was made with (device 9, device 7)"
    ]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (MismatchKind.MISSING, "- Linux has, VPP lacks: 5 addresses of port0"),
        (MismatchKind.STALE, "+ VPP has, Linux lacks: 5 addresses of port0"),
    ],
)
def test_of_many_the_first_are_named_and_the_rest_is_counted(kind: MismatchKind, text: str) -> None:
    found = lines(Subject.ADDRESS, kind, "10.0.0.1/8", "10.0.0.2/8", "10.0.0.3/8", count=5, interface="port0")
    assert found == [text, "    10.0.0.1/8, 10.0.0.2/8, 10.0.0.3/8, 2 more"]


def test_what_is_named_stays_within_80_columns() -> None:
    first = [f"2001:db8:ffff:ffff:ffff:ffff:ffff:{number}/128" for number in range(3)]
    found = lines(Subject.ROUTE, MismatchKind.MISSING, *first, count=1234567, table=MAIN, linux="dev port0")
    assert found == [
        "- Linux has, VPP lacks: 1,234,567 routes of IPv4 table 0 dev port0",
        f"    {first[0]},",
        f"    {first[1]},",
        f"    {first[2]}, 1,234,564 more",
    ]


def test_a_line_may_be_80_columns_long() -> None:
    first = [f"10.{number}.0.{'0' * fill}/16" for number, fill in ((1, 28), (2, 26))]
    assert len(f"    {', '.join(first)}") == 80
    assert lines(Subject.ADDRESS, MismatchKind.MISSING, *first, interface="port0", count=2)[1:] == [
        f"    {', '.join(first)}"
    ]
    first[1] += "0"
    assert len(lines(Subject.ADDRESS, MismatchKind.MISSING, *first, interface="port0", count=2)) == 3


def test_routes_say_who_put_them_into_vpp() -> None:
    values: dict[str, Any] = {"table": TableId(True, 7), "source": "lcp-rt", "vpp": "dev port1"}
    assert lines(Subject.ROUTE, MismatchKind.STALE, "2001:db8::/32", **values) == [
        "+ VPP has, Linux lacks: 1 route of IPv6 table 7 dev port1 (lcp-rt)",
        "    2001:db8::/32",
    ]
    assert lines(Subject.ROUTE, MismatchKind.DIFFERENT, "2001:db8::/32", linux="dev port0", **values) == [
        "~ 1 route of IPv6 table 7: dev port1 (lcp-rt) in VPP, dev port0 in Linux",
        "    2001:db8::/32",
    ]


def test_what_vpp_alone_has_is_told_and_does_not_make_a_difference() -> None:
    report = report_of(Comparison(mismatches=frozenset({NEIGHBOR}), compared={Subject.NEIGHBOR: 1}))
    assert list(report_lines(report)) == [
        "! VPP alone has, from its own ARP or ND or from Linux before: 1 neighbour of port0",
        "    192.0.2.9 (02:00:00:00:00:09)",
        "VPP forwards as Linux does: 0 LCP pairs, 0 addresses, 1 neighbour, 0 routes",
    ]
    assert report_document(report)["is_same"] is True
    assert report_document(report)["groups"][0]["discord"] == "alone"


def test_what_nobody_copies_and_what_moves_stands_before_the_summary() -> None:
    comparison = Comparison(mismatches=frozenset({MTU, NEIGHBOR}), limits={"multicast routes": 1200, "a": 1})
    *_, first, second, moving, last = report_lines(report_of(comparison, is_moving=True))
    assert (first, second) == ("! Not as in Linux: a (1)", "! Not as in Linux: multicast routes (1,200)")
    assert moving == "! Other differences came or went while both sides were read again; they are not counted"
    assert last == (
        "VPP does not forward as Linux does: 1 MTU different; of 0 LCP pairs, 0 addresses, 0 neighbours, 0 routes"
    )
    assert summary(report_of(comparison)) == last
