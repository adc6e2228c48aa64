"""Compares addresses, neighbours and routes of Linux with those that VPP forwards by: `vppcfg verify`.

Linux is read first, which costs VPP nothing. VPP is asked for a part of it, prefix by prefix, or with `--all` for all
that it has, while its workers stand still. What differs is read again before it counts: Linux notifies VPP of changes
by netlink, and linux-nl takes up to 2048 of them in 50 ms (linux-cp/lcp_nl.c), so that VPP is behind for a while after
a change of many routes.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import partial
from ipaddress import IPv4Network
from types import MappingProxyType
from typing import Protocol

from vppcfg.errors import DataplaneError, LinuxError
from vppcfg.model.forwarding import LinuxForwarding, RouteEntry, RoutePlace, Routes, TableId, VppForwarding
from vppcfg.model.route import SOURCE
from vppcfg.record import record
from vppcfg.verify.mismatch import Comparison, MismatchKind, RouteMismatch, Subject
from vppcfg.verify.pairs import compare_pairs, neighbors_of
from vppcfg.verify.report import VerifyReport, report_of
from vppcfg.verify.routes import TableComparison, compare_table, shared_with_files
from vppcfg.verify.sample import VerifySample, by_table, lengths_of, picked

log = logging.getLogger(__name__)

PAUSE_S = 2.0
"""Between two readings; linux-nl waits as long before it reads everything anew (sync-attempt-delay)."""
READINGS = 6
"""So often both sides are read as long as mismatches become fewer."""
MOST_LOOKED_UP = 5000
"""Up to so many routes that were different are looked up again one by one, where all had been read."""
SHARE = 0.01
"""Of the time in which VPP is asked for one thing after the other, it answers for so much at most."""
MOST_OF_TIME = 0.001
"""Of the time between two looks, VPP answers for so much in all; workers stand still for a part of that."""
LEAST_S = 0.1
_SHARE_OF_ALL = 0.1
_MOST_COUNTED = 20
"""Tables whose prefixes VPP is asked to count, the largest of Linux."""
_FEW = 200
"""So many prefixes of a table VPP sends at once, for which it takes a millisecond."""
_MAIN = TableId(is_ipv6=False, number=0)
_MOST_RULES = 5
_HOST = 32
_MACS = "MAC addresses of neighbours, for VPP has so many that `verify --all` alone asks for them"
_NO_LISTENER = "routes, for VPP runs without linux-nl"
_ELSEWHERE = "routes in a namespace that linux-nl does not listen in"


class Forwarder(Protocol):
    """A VPP, as far as it is verified."""

    def read_forwarding(self, *, is_all: bool) -> VppForwarding:
        """Return what it forwards by, but for the routes; its tables and all neighbours with `is_all`.

        Without it, VPP is asked for nothing that takes it long. Raise DataplaneError.
        """

    def read_routes(self, table: TableId, around: VppForwarding) -> Iterator[tuple[bytes, RouteEntry]]:
        """Yield the routes of a table. Raise DataplaneError."""

    def find_routes(
        self, places: Collection[RoutePlace], around: VppForwarding, rest: Callable[[float], bool]
    ) -> Iterator[tuple[RoutePlace, RouteEntry | None]]:
        """Yield the routes of single prefixes, None for what is not there, as long as `rest` wants it.

        It is called with the seconds that VPP took to answer a batch. Raise DataplaneError.
        """

    def find_neighbors(
        self, asked: Collection[tuple[str, str]], around: VppForwarding, rest: Callable[[float], bool]
    ) -> Mapping[tuple[str, str], bool]:
        """Return whether VPP has a neighbour for each of `asked`, interfaces and addresses. Raise DataplaneError."""

    def count_prefixes(self, table: TableId) -> Mapping[int, int]:
        """Return how many prefixes of each length a table has, nothing where VPP cannot tell. Raise DataplaneError."""


class LinuxNamespaces(Protocol):
    """The Linux around a VPP, as far as it is verified."""

    def read_forwarding(self, netns: str, devices: Mapping[str, str]) -> LinuxForwarding:
        """Return what the devices of a namespace have, which are interfaces of VPP by name. Raise LinuxError."""


class Sleeper(Protocol):
    """A way to let time pass."""

    def sleep(self, seconds: float) -> None:
        """Wait."""


class Pace:
    """Leaves VPP alone between batches of questions, and ends them when they have taken enough of its time."""

    def __init__(self, clock: Sleeper, *, share: float = SHARE, most_s: float = float("inf")) -> None:
        """VPP is to answer for `share` of the time at most, and `most_s` in all: so long workers may stand still."""
        self._clock, self._share, self._left_s = clock, share, most_s

    def rest(self, took_s: float) -> bool:
        """Wait after VPP took so long to answer, and return whether to go on."""
        self._left_s -= took_s
        if self._left_s <= 0:
            return False
        self._clock.sleep(took_s / self._share)
        return True


@record
class VerifyScope:
    """What of VPP is held against Linux at one reading."""

    pace: Callable[[], Pace]
    routes: Callable[[Mapping[TableId, Routes]], Collection[RoutePlace]] | None = None
    """Chooses the prefixes that are looked up, from what Linux has; None to read all routes of VPP."""
    neighbors: Callable[[Collection[tuple[str, str]]], Collection[tuple[str, str]]] = tuple
    """Chooses from Linux's neighbours in the same way, where VPP has too many to be asked for all."""
    is_all: bool = True
    addresses: Mapping[str, Set[str]] = field(default_factory=dict)
    """Those that interfaces are to have."""
    on_progress: Callable[[int], None] = lambda percent: None
    """Is told how many per cent of what was chosen have been looked up; 100 when no more is."""


def verify(
    vpp: Forwarder,
    linux: LinuxNamespaces,
    *,
    sample: VerifySample | None = None,
    own: Collection[RoutePlace] = (),
    addresses: Mapping[str, Set[str]] = MappingProxyType({}),
    on_progress: Callable[[int], None] = lambda percent: None,
    pause_s: float = PAUSE_S,
    clock: Sleeper = time,
) -> VerifyReport:
    """Return how VPP is not as Linux: all of it, or what a `sample` chooses. Raise DataplaneError or LinuxError.

    A mismatch counts when it is in every reading: what was different is read a second time, and again as long as it
    becomes less. Routes of files, `own`, are always in the sample. `addresses` are those that interfaces
    are to have.
    """
    if sample is None:
        scope = VerifyScope(pace=lambda: Pace(clock, share=_SHARE_OF_ALL))
    else:
        most_s = max(LEAST_S, sample.interval_s * MOST_OF_TIME)
        chosen = partial(sample.routes, own=own)
        scope = VerifyScope(
            pace=lambda: Pace(clock, most_s=most_s), routes=chosen, neighbors=sample.neighbors, is_all=False
        )
    scope = replace(scope, addresses=addresses)
    first = found = compare(vpp, linux, replace(scope, on_progress=on_progress))
    is_moving = False
    for _ in range(READINGS - 1):
        before = found.count()
        if not before:
            break
        clock.sleep(pause_s)
        latest = compare(vpp, linux, _again(found, scope))
        found = found.both(latest)
        is_fewer = found.count() < before
        is_moving |= is_fewer or latest.count() > found.count()
        if not is_fewer:
            break
    if sample is not None:
        sample.note(first.looked_up, first.places())
    return report_of(found, is_moving=is_moving)


def _again(found: Comparison, scope: VerifyScope) -> VerifyScope:
    """Return what is read once more: what was not the same, unless that is more than a walk would be."""
    places = found.places()
    neighbors = {(each.interface, each.name) for each in found.mismatches if each.subject is Subject.NEIGHBOR}
    return replace(
        scope,
        routes=None if scope.is_all and len(places) > MOST_LOOKED_UP else lambda tables: places,
        neighbors=lambda known: sorted(neighbors.intersection(known)),
    )


def compare(vpp: Forwarder, linux: LinuxNamespaces, scope: VerifyScope) -> Comparison:
    """Read both sides once and return how they differ. Raise DataplaneError or LinuxError."""
    facts = vpp.read_forwarding(is_all=scope.is_all)
    if not facts.has_linux_cp:
        raise DataplaneError(
            "this VPP runs without the linux-cp plugin, and has no LCP pairs to verify",
            "plugin linux_cp_plugin.so { enable } in startup.conf starts it",
        )
    around = _around(linux, facts)
    looked_up, unread = None, Counter[str]()
    known = neighbors_of(facts, around[facts.default_netns]) if facts.has_linux_nl and not facts.has_neighbors else []
    if known:
        looked_up = vpp.find_neighbors(scope.neighbors(known), facts, scope.pace().rest)
        unread[_MACS] = len(known)
    pairs = compare_pairs(facts, around, looked_up, scope.addresses)
    limits = pairs.limits
    for reason, count in _limits(facts, around):
        limits[reason] += count
    in_linux = {Subject.NEIGHBOR: max(len(known), pairs.compared[Subject.NEIGHBOR])}
    routes = _compare_routes(vpp, facts, around, scope)
    return Comparison(
        mismatches=pairs.mismatches,
        routes=routes.found,
        limits=dict(+limits),
        compared={**pairs.compared, Subject.ROUTE: routes.compared},
        own=routes.own,
        in_linux={**in_linux, Subject.ROUTE: max(routes.in_linux, routes.compared)},
        uncounted=routes.uncounted,
        unread={**unread, **routes.beside},
        looked_up=frozenset(routes.looked_up),
    )


def _around(linux: LinuxNamespaces, facts: VppForwarding) -> dict[str, LinuxForwarding]:
    """Return what Linux has in each namespace that can be read. Raise LinuxError when linux-nl's own cannot.

    VPP takes paths and processes for the name of a namespace, too, and those cannot.
    """
    around = {}
    for netns, devices in _devices(facts).items():
        try:
            around[netns] = linux.read_forwarding(netns, devices)
        except LinuxError as error:
            if netns == facts.default_netns:
                raise
            log.warning("The LCP pairs in namespace %s are left out: %s", netns, error.message)
    return around


def _devices(facts: VppForwarding) -> dict[str, dict[str, str]]:
    """Return the interface of each Linux device by name, by namespace; linux-nl's is always among them."""
    devices: dict[str, dict[str, str]] = {facts.default_netns: {}}
    for pair in facts.pairs:
        if pair.side is not None:
            devices.setdefault(pair.netns, {})[pair.host_name] = pair.interface
    return devices


@dataclass(slots=True)
class _RoutesCompared:
    """What came out for the routes so far."""

    found: dict[TableId, Mapping[bytes, RouteMismatch]] = field(default_factory=dict)
    compared: int = 0
    own: Counter[str] = field(default_factory=Counter)
    in_linux: int = 0
    uncounted: dict[tuple[TableId, int], int] = field(default_factory=dict)
    beside: dict[str, int] = field(default_factory=dict)
    looked_up: Collection[RoutePlace] = ()

    def take(self, table: TableId, outcome: TableComparison) -> None:
        """Take what came out for one table."""
        self.compared += outcome.compared
        self.own += outcome.own
        if outcome.mismatches:
            self.found[table] = outcome.mismatches

    def find_stale(self, table: TableId, outcome: TableComparison) -> None:
        """Take what only reading a whole table shows: what VPP has alone."""
        stale = {each: way for each, way in outcome.mismatches.items() if way.kind is MismatchKind.STALE}
        self.own += outcome.own
        if stale:
            self.found[table] = {**self.found.get(table, {}), **stale}


def _compare_routes(
    vpp: Forwarder, facts: VppForwarding, around: Mapping[str, LinuxForwarding], scope: VerifyScope
) -> _RoutesCompared:
    """Compare table by table; a table that VPP lacks has none of Linux's routes.

    Where VPP does not copy Linux's routes, those of files are compared with what Linux has of the same prefixes.
    """
    done = _RoutesCompared()
    if not (facts.has_linux_nl or SOURCE in facts.sources.values()):
        return done
    tables = dict(around[facts.default_netns].tables)
    lengths = {table: lengths_of(routes) for table, routes in tables.items()}
    answers: dict[RoutePlace, RouteEntry | None] | None = None
    if scope.routes is not None:
        answers = _looked_up(vpp, scope.routes(tables), facts, scope)
        done.looked_up = answers.keys()
    asked = by_table(done.looked_up)
    for table in sorted({*facts.tables, *tables} if answers is None else asked):
        linux = tables.get(table, Routes(entries=[], by_prefix={}))
        if answers is None:
            routes = vpp.read_routes(table, facts) if table in facts.tables else iter(())
        else:
            linux = picked(linux, asked[table])
            routes = _there(table, asked[table], answers)
        if not facts.has_linux_nl:
            linux, routes = shared_with_files(linux, routes)
        done.take(table, compare_table(linux, routes))
    if facts.has_linux_nl:
        done.in_linux = sum(sum(each.values()) for each in lengths.values())
        if answers is not None and not scope.is_all:
            _count(vpp, facts, tables, lengths, done)
    return done


def _looked_up(
    vpp: Forwarder, places: Collection[RoutePlace], facts: VppForwarding, scope: VerifyScope
) -> dict[RoutePlace, RouteEntry | None]:
    """Return the routes of those prefixes that VPP was asked about, None for what is not there."""
    answers: dict[RoutePlace, RouteEntry | None] = {}
    for place, way in vpp.find_routes(places, facts, scope.pace().rest):
        answers[place] = way
        scope.on_progress(99 * len(answers) // len(places))
    scope.on_progress(100)
    return answers


def _there(
    table: TableId, prefixes: Iterable[bytes], answers: Mapping[RoutePlace, RouteEntry | None]
) -> Iterator[tuple[bytes, RouteEntry]]:
    for prefix in prefixes:
        if (way := answers[table, prefix]) is not None:
            yield prefix, way


def _count(
    vpp: Forwarder,
    facts: VppForwarding,
    tables: Mapping[TableId, Routes],
    lengths: Mapping[TableId, Mapping[int, int]],
    done: _RoutesCompared,
) -> None:
    """Hold the numbers of prefixes against each other, by length: so many are missing, or there is more than Linux has.

    Of the latter nobody can tell at this price whether it is stale: VPP has routes of its own, of IPv4 most with /32.
    A small table is read for it. VPP may have routes in the main one that Linux has none in any more.
    """
    lengths = {_MAIN: {}, **lengths}
    connected = {each for pair in facts.pairs if pair.side is not None for each in _networks(pair.side.addresses)}
    largest = sorted(lengths, key=lambda table: -sum(lengths[table].values()))[:_MOST_COUNTED]
    for table in sorted(largest):
        counts = vpp.count_prefixes(table)
        missing = Counter(prefix[-1] for prefix in done.found.get(table, ()))
        own = Counter(network.prefixlen for network in connected) + Counter({0: 1, 4: 2})
        beside = 0
        for length, count in counts.items():
            copied = lengths[table].get(length, 0) - missing[length]
            beside += max(0, count - copied - own[length]) if length < _HOST else 0
        for length, count in lengths[table].items() if counts else ():
            if (lacking := count - counts.get(length, 0) - missing[length]) > 0:
                done.uncounted[table, length] = lacking
        if beside and sum(counts.values()) <= _FEW:
            linux = tables.get(table, Routes(entries=[], by_prefix={}))
            done.find_stale(
                table, compare_table(replace(linux, by_prefix=dict(linux.by_prefix)), vpp.read_routes(table, facts))
            )
        elif beside:
            done.beside[f"prefixes of {table} that Linux lacks: VPP's own or stale, as `verify --all` shows"] = beside


def _networks(addresses: Iterable[str]) -> Iterator[IPv4Network]:
    return (IPv4Network(each, strict=False) for each in addresses if ":" not in each)


def _limits(facts: VppForwarding, around: Mapping[str, LinuxForwarding]) -> Iterator[tuple[str, int]]:
    """Yield what VPP does not follow or linux-nl not copy of Linux, or copies in another way, and how many."""
    for netns, each in around.items():
        for rule in each.rules[:_MOST_RULES]:
            yield f"the rule (`ip rule`) {rule}, which VPP does not follow", 1
        yield "further rules, which VPP does not follow", len(each.rules[_MOST_RULES:])
        count = sum(len(routes.by_prefix) for routes in each.tables.values())
        if not facts.has_linux_nl:
            yield _NO_LISTENER, count
        elif netns != facts.default_netns:
            yield _ELSEWHERE, count
        else:
            yield from each.limits.items()
