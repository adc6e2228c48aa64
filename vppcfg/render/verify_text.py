"""What a verification found, for people, and as data for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from vppcfg.common.names import natural_key
from vppcfg.model.route import source_words
from vppcfg.verify.mismatch import MismatchKind, Subject
from vppcfg.verify.report import FIRST, Group, VerifyReport

_NOUNS = {
    Subject.PAIR: ("LCP pair", "LCP pairs"),
    Subject.STATE: ("state", "states"),
    Subject.MTU: ("MTU", "MTUs"),
    Subject.ADDRESS: ("address", "addresses"),
    Subject.NEIGHBOR: ("neighbour", "neighbours"),
    Subject.ROUTE: ("route", "routes"),
}
_SIGNS = {
    MismatchKind.MISSING: "-",
    MismatchKind.STALE: "+",
    MismatchKind.DIFFERENT: "~",
    MismatchKind.LOST: "-",
    MismatchKind.VPP_ONLY: "!",
}
"""What VPP has less than it is to have, more than Linux, otherwise than Linux, and more where that may be right."""
_COUNTED = (Subject.PAIR, Subject.ADDRESS, Subject.NEIGHBOR, Subject.ROUTE)
_WIDTH = 80


def counted(number: int, subject: Subject) -> str:
    """Return a number of things with their noun."""
    return f"{number:,} {_NOUNS[subject][number != 1]}"


def summary(report: VerifyReport) -> str:
    """Return one line that shows how VPP stands to Linux."""
    seen = ", ".join(_seen(report, subject) for subject in _COUNTED)
    if not report.count:
        return f"VPP forwards as Linux does: {seen}"
    parts = [
        f"{counted(number, subject)} {kind.value}"
        for subject in Subject
        for kind in MismatchKind
        if (number := report.counts.get((subject, kind), 0)) and kind is not MismatchKind.VPP_ONLY
    ]
    if report.unprotected:
        parts.append(f"IPsec missing on {len({each.holder for each in report.unprotected})}")
    return f"VPP does not forward as Linux does: {', '.join(parts)}; of {seen}"


def _seen(report: VerifyReport, subject: Subject) -> str:
    """Return how many things of a kind were compared, and of how many where that is more."""
    compared = report.compared.get(subject, 0)
    there = report.in_linux.get(subject, 0)
    if there <= compared:
        return counted(compared, subject)
    return f"{counted(there, subject)} ({compared:,} looked up)"


def report_lines(report: VerifyReport) -> Iterator[str]:
    """Yield the lines of a report: each group with the first of it, what is not copied, and the summary."""
    for group in report.groups:
        yield from group_lines(group)
    for reason, count in sorted(report.limits.items()):
        yield f"! Not as in Linux: {reason} ({count:,})"
    for reason, count in sorted(report.unread.items()):
        yield f"! Not compared: {reason} ({count:,})"
    for by in sorted(set(report.shadowed.values())):
        names = [name for name, other in report.shadowed.items() if other == by]
        yield f"! Shadowed by {source_words(by)}: {counted(len(names), Subject.ROUTE)} of the file"
        first = sorted(names, key=natural_key)[:FIRST]
        yield from _listed(first, len(names))
    if report.is_moving:
        yield "! Other differences came or went while both sides were read again; they are not counted"
    yield summary(report)


def group_lines(group: Group) -> Iterator[str]:
    """Yield the line of a group, and below it the first of those that are in it."""
    yield f"{_SIGNS[group.kind]} {group_text(group)}"
    is_many = group.subject in (Subject.ADDRESS, Subject.NEIGHBOR) and group.kind is not MismatchKind.DIFFERENT
    if (is_many or group.subject is Subject.ROUTE) and group.first:
        yield from _listed(group.first, group.count)


def _listed(first: Sequence[str], count: int) -> Iterator[str]:
    more = [f"{count - FIRST:,} more"] if count > FIRST else []
    line = "   "
    for position, each in enumerate([*first, *more]):
        piece = f" {each}" if not position else f", {each}"
        if position and len(line) + len(piece) > _WIDTH:
            yield f"{line},"
            line, piece = "   ", f" {each}"
        line += piece
    yield line


def group_text(group: Group) -> str:
    """Return the line of a group."""
    if group.subject is Subject.ROUTE:
        return _route_text(group)
    if group.subject is Subject.PAIR:
        return _pair_text(group)
    if group.subject in (Subject.STATE, Subject.MTU):
        noun = _NOUNS[group.subject][0]
        return f"{noun} of {group.interface}: {group.vpp} in VPP, {group.linux} in Linux"
    if group.kind is MismatchKind.DIFFERENT:
        return f"neighbour {group.first[0]} of {group.interface}: {group.vpp} in VPP, {group.linux} in Linux"
    return f"{_where(group)}: {counted(group.count, group.subject)} of {group.interface}"


def _where(group: Group) -> str:
    if group.kind is MismatchKind.VPP_ONLY:
        return "VPP alone has, from its own ARP or ND or from Linux before"
    if group.kind is MismatchKind.LOST:
        return "Configured, VPP and Linux lack"
    return "Linux has, VPP lacks" if group.kind is MismatchKind.MISSING else "VPP has, Linux lacks"


def _pair_text(group: Group) -> str:
    name = f"LCP pair of {group.interface}"
    if group.kind is MismatchKind.STALE:
        return f"{name}: Linux has no device {group.first[0]}"
    if group.linux:
        return f"{name}: {group.first[0]} is another device than the pair was made with ({group.linux}, {group.vpp})"
    return f"{name}, {group.first[0]}: {group.vpp}"


def _route_text(group: Group) -> str:
    count = f"{counted(group.count, group.subject)} of {group.table}"
    if group.kind is MismatchKind.MISSING:
        return f"Linux has, VPP lacks: {count} {group.linux}"
    if group.kind is MismatchKind.STALE:
        return f"VPP has, Linux lacks: {count} {group.vpp} ({group.source})"
    source = f" ({group.source})" if group.source else ""
    return f"{count}: {group.vpp}{source} in VPP, {group.linux} in Linux"


def report_document(report: VerifyReport) -> dict[str, Any]:
    """Return a report as plain data."""
    return {
        "is_same": not report.count,
        "is_moving": report.is_moving,
        "compared": {subject.value: report.compared.get(subject, 0) for subject in _COUNTED},
        "counts": [
            {"subject": subject.value, "discord": kind.value, "count": count}
            for subject in Subject
            for kind in MismatchKind
            if (count := report.counts.get((subject, kind), 0))
        ],
        "groups": [_group_document(group) for group in report.groups],
        "limits": [{"reason": reason, "count": count} for reason, count in sorted(report.limits.items())],
        "in_linux": {subject.value: report.in_linux.get(subject, 0) for subject in (Subject.NEIGHBOR, Subject.ROUTE)},
        "not_compared": [{"reason": reason, "count": count} for reason, count in sorted(report.unread.items())],
        "own_routes": dict(sorted(report.own.items())),
        "unprotected": [{"interface": each.holder, "what": each.label} for each in report.unprotected],
        "shadowed": [{"route": name, "source": report.shadowed[name]} for name in sorted(report.shadowed)],
        "text": summary(report),
    }


def _group_document(group: Group) -> dict[str, Any]:
    table = group.table
    return {
        "subject": group.subject.value,
        "discord": group.kind.value,
        "interface": group.interface or None,
        "table": None if table is None else {"family": 6 if table.is_ipv6 else 4, "number": table.number},
        "linux": group.linux or None,
        "vpp": group.vpp or None,
        "source": group.source or None,
        "count": group.count,
        "first": list(group.first),
        "text": group_text(group),
    }
