"""The report of `verify`: mismatches between Linux and VPP in groups, since few causes make many of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from heapq import nsmallest
from typing import Any

from vppcfg.common.names import natural_key
from vppcfg.model.attachment import Attachment
from vppcfg.model.forwarding import RouteEntry, TableId, hops_text, prefix_text
from vppcfg.record import record
from vppcfg.verify.mismatch import Comparison, Mismatch, MismatchKind, RouteMismatch, Subject

FIRST = 3
"""So many of a group are named; the rest is counted."""


@record
class Group:
    """Mismatches that look alike."""

    subject: Subject
    kind: MismatchKind
    interface: str = ""
    """VPP's name; '' of routes, whose next hops name theirs."""
    table: TableId | None = None
    linux: str = ""
    """What Linux has, of a route where it leads."""
    vpp: str = ""
    source: str = ""
    """Who put a route into VPP, as VPP calls it."""
    count: int = 0
    first: tuple[str, ...] = ()
    """The first few of them, in order."""


@record
class VerifyReport:
    """What one verification found."""

    groups: tuple[Group, ...]
    counts: Mapping[tuple[Subject, MismatchKind], int]
    compared: Mapping[Subject, int]
    limits: Mapping[str, int]
    own: Mapping[str, int]
    in_linux: Mapping[Subject, int] = field(default_factory=dict)
    """How many neighbours and routes Linux has, of which as many were looked up as were compared."""
    unread: Mapping[str, int] = field(default_factory=dict)
    unprotected: tuple[Attachment, ...] = ()
    """IPsec that interfaces had after the last change and have no more."""
    shadowed: Mapping[str, str] = field(default_factory=dict)
    """Routes of the file that VPP has below those of others, and whose these are; they do not count."""
    is_moving: bool = False
    """Whether there were other mismatches that went away, or came, while both sides were read again."""

    @property
    def count(self) -> int:
        """Return how many mismatches there are that count."""
        different = sum(number for (_, kind), number in self.counts.items() if kind is not MismatchKind.VPP_ONLY)
        return different + len(self.unprotected)


def report_of(comparison: Comparison, *, is_moving: bool = False) -> VerifyReport:
    """Return the report of a comparison, in an order of its own."""
    groups = [*_of_pairs(comparison), *_of_routes(comparison)]
    return VerifyReport(
        groups=tuple(sorted(groups, key=_order)),
        counts=comparison.counts(),
        compared=comparison.compared,
        limits=comparison.limits,
        own=comparison.own,
        in_linux=comparison.in_linux,
        unread=comparison.unread,
        is_moving=is_moving,
    )


def _of_pairs(comparison: Comparison) -> Iterator[Group]:
    """Yield what interfaces have: addresses and neighbours of one together, everything else by itself."""
    together: dict[tuple[Any, ...], list[Mismatch]] = {}
    for each in comparison.mismatches:
        is_many = each.subject in (Subject.ADDRESS, Subject.NEIGHBOR) and each.kind is not MismatchKind.DIFFERENT
        values = () if is_many else (each.name, each.linux, each.vpp)
        together.setdefault((each.subject, each.kind, each.interface, *values), []).append(each)
    for key, found in together.items():
        first = sorted((_named(each) for each in found), key=natural_key)[:FIRST]
        yield Group(
            subject=key[0],
            kind=key[1],
            interface=key[2],
            linux=found[0].linux if len(key) > 3 else "",
            vpp=found[0].vpp if len(key) > 3 else "",
            count=len(found),
            first=tuple(each for each in first if each),
        )


def _named(mismatch: Mismatch) -> str:
    mac = mismatch.linux or mismatch.vpp
    is_one_side = mismatch.subject is Subject.NEIGHBOR and mismatch.kind is not MismatchKind.DIFFERENT
    return f"{mismatch.name} ({mac})" if is_one_side else mismatch.name


def _of_routes(comparison: Comparison) -> Iterator[Group]:
    """Yield routes of one table that lead the same way, wherever that is, and those that are only known to lack."""
    for (table, length), count in comparison.uncounted.items():
        way = f"with /{length}, as their number shows"
        yield Group(subject=Subject.ROUTE, kind=MismatchKind.MISSING, table=table, linux=way, count=count)
    for table, found in comparison.routes.items():
        for mismatch, prefixes in _together(found).items():
            yield Group(
                subject=Subject.ROUTE,
                kind=mismatch.kind,
                table=table,
                linux=hops_text(mismatch.linux.hops) if mismatch.linux is not None else "",
                vpp=hops_text(mismatch.vpp.hops) if mismatch.vpp is not None else "",
                source=mismatch.vpp.source if mismatch.vpp is not None else "",
                count=len(prefixes),
                first=tuple(map(prefix_text, nsmallest(FIRST, prefixes))),
            )


def _together(found: Mapping[bytes, RouteMismatch]) -> dict[RouteMismatch, list[bytes]]:
    """Return the prefixes by what they have alike. Many have one and the same object, which is looked at once."""
    by_object: dict[int, list[bytes]] = {}
    objects: dict[int, RouteMismatch] = {}
    for prefix, mismatch in found.items():
        by_object.setdefault(id(mismatch), []).append(prefix)
        objects[id(mismatch)] = mismatch
    together: dict[RouteMismatch, list[bytes]] = {}
    for number, prefixes in by_object.items():
        together.setdefault(_alike(objects[number]), []).extend(prefixes)
    return together


def _alike(mismatch: RouteMismatch) -> RouteMismatch:
    """Return the mismatch without what does not make another group of it."""
    linux = None if mismatch.linux is None else RouteEntry(mismatch.linux.hops)
    vpp = None if mismatch.vpp is None else RouteEntry(mismatch.vpp.hops, mismatch.vpp.source)
    return RouteMismatch(mismatch.kind, linux, vpp)


def _order(group: Group) -> tuple[Any, ...]:
    subjects, kinds = list(Subject), list(MismatchKind)
    return (
        subjects.index(group.subject),
        kinds.index(group.kind),
        group.table,
        natural_key(group.interface),
        group.linux,
        group.vpp,
        group.source,
        group.first,
    )
