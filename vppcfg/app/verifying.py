"""Compares addresses, neighbours and routes of Linux with those that VPP forwards by: `vppcfg verify`.

Both sides are read again before a mismatch counts. Linux notifies VPP of changes by netlink, and linux-nl takes up to
2048 of them in 50 ms (linux-cp/lcp_nl.c): after a change of many routes VPP is behind for a while.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Protocol

from vppcfg.errors import DataplaneError, LinuxError
from vppcfg.model.forwarding import LinuxForwarding, RouteEntry, Routes, TableId, VppForwarding
from vppcfg.model.route import SOURCE
from vppcfg.verify.mismatch import Comparison, RouteMismatch, Subject
from vppcfg.verify.pairs import compare_pairs
from vppcfg.verify.report import VerifyReport, report_of
from vppcfg.verify.routes import compare_table, shared_with_files

log = logging.getLogger(__name__)

PAUSE_S = 2.0
"""Between two readings; linux-nl waits as long before it reads everything anew (sync-attempt-delay)."""
READINGS = 6
"""So often both sides are read as long as mismatches become fewer."""
_NO_LISTENER = "routes, for VPP runs without linux-nl"
_ELSEWHERE = "routes in a namespace that linux-nl does not listen in"


class Forwarder(Protocol):
    """A VPP, as far as it is verified."""

    def read_forwarding(self) -> VppForwarding:
        """Return what it forwards by, but for the routes. Raise DataplaneError."""

    def read_routes(self, table: TableId, around: VppForwarding) -> Iterator[tuple[bytes, RouteEntry]]:
        """Yield the routes of a table. Raise DataplaneError."""


class LinuxNamespaces(Protocol):
    """The Linux around a VPP, as far as it is verified."""

    def read_forwarding(self, netns: str, devices: Mapping[str, str]) -> LinuxForwarding:
        """Return what the devices of a namespace have, which are interfaces of VPP by name. Raise LinuxError."""


class Sleeper(Protocol):
    """A way to let time pass."""

    def sleep(self, seconds: float) -> None:
        """Wait."""


def verify(vpp: Forwarder, linux: LinuxNamespaces, *, pause_s: float = PAUSE_S, clock: Sleeper = time) -> VerifyReport:
    """Return how VPP is not as Linux. Raise DataplaneError or LinuxError.

    A mismatch counts when it is in every reading: both sides are read a second time, and again as long as there are
    fewer each time.
    """
    found = compare(vpp, linux)
    is_moving = False
    for _ in range(READINGS - 1):
        before = found.count()
        if not before:
            break
        clock.sleep(pause_s)
        latest = compare(vpp, linux)
        found = found.both(latest)
        is_fewer = found.count() < before
        is_moving |= is_fewer or latest.count() > found.count()
        if not is_fewer:
            break
    return report_of(found, is_moving=is_moving)


def compare(vpp: Forwarder, linux: LinuxNamespaces) -> Comparison:
    """Read both sides once and return how they differ. Raise DataplaneError or LinuxError."""
    facts = vpp.read_forwarding()
    if not facts.has_linux_cp:
        raise DataplaneError(
            "this VPP runs without the linux-cp plugin, and has no LCP pairs to verify",
            "plugin linux_cp_plugin.so { enable } in startup.conf starts it",
        )
    around = _around(linux, facts)
    pairs = compare_pairs(facts, around)
    limits = pairs.limits
    for reason, count in _limits(facts, around):
        limits[reason] += count
    routes, compared, own = _compare_routes(vpp, facts, around)
    return Comparison(
        mismatches=pairs.mismatches,
        routes=routes,
        limits=dict(+limits),
        compared={**pairs.compared, Subject.ROUTE: compared},
        own=own,
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


def _compare_routes(
    vpp: Forwarder, facts: VppForwarding, around: Mapping[str, LinuxForwarding]
) -> tuple[dict[TableId, Mapping[bytes, RouteMismatch]], int, Mapping[str, int]]:
    """Compare table by table; a table that VPP lacks has none of Linux's routes.

    Where VPP does not copy Linux's routes, those of files are compared with what Linux has of the same prefixes.
    """
    if not (facts.has_linux_nl or SOURCE in facts.sources.values()):
        return {}, 0, {}
    found: dict[TableId, Mapping[bytes, RouteMismatch]] = {}
    compared, own = 0, Counter[str]()
    tables = dict(around[facts.default_netns].tables)
    for table in sorted({*facts.tables, *tables}):
        routes = vpp.read_routes(table, facts) if table in facts.tables else iter(())
        linux = tables.get(table, Routes(entries=[], by_prefix={}))
        if not facts.has_linux_nl:
            linux, routes = shared_with_files(linux, routes)
        outcome = compare_table(linux, routes)
        compared += outcome.compared
        own += outcome.own
        if outcome.mismatches:
            found[table] = outcome.mismatches
    return found, compared, dict(own)


def _limits(facts: VppForwarding, around: Mapping[str, LinuxForwarding]) -> Iterator[tuple[str, int]]:
    """Yield what linux-nl does not copy of Linux's routes, or copies in another way, and how many."""
    for netns, each in around.items():
        count = sum(len(routes.by_prefix) for routes in each.tables.values())
        if not facts.has_linux_nl:
            yield _NO_LISTENER, count
        elif netns != facts.default_netns:
            yield _ELSEWHERE, count
        else:
            yield from each.limits.items()
