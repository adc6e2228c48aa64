"""Compares the routes of Linux with those in effect in VPP, a table at a time, in one pass over VPP's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from vppcfg.model.forwarding import RouteEntry, Routes, canonical_hops, prefix_key
from vppcfg.model.route import SOURCE
from vppcfg.record import record
from vppcfg.verify.mismatch import MismatchKind, RouteMismatch

COPIED = frozenset({"lcp-rt", "lcp-rt-dynamic"})
"""The sources of the routes that linux-nl puts into VPP (lcp_router_init in linux-cp/lcp_router.c)."""
FALLBACKS = frozenset({"default-route", "special"})
"""Sources of what every table has from the start; what Linux has of the same prefix did not come."""
_TO_ITSELF = prefix_key(False, b"\xff\xff\xff\xff", 32)
"""linux-nl punts this one in each of its tables (lcp_router_table_add_del_special_routes)."""


@record
class TableComparison:
    """What came out for one table."""

    mismatches: dict[bytes, RouteMismatch]
    """By prefix."""
    compared: int
    """How many routes of Linux were looked for."""
    own: Counter[str]
    """Routes of VPP alone, by source."""


def shared_with_files(
    linux: Routes, vpp: Iterable[tuple[bytes, RouteEntry]]
) -> tuple[Routes, Iterator[tuple[bytes, RouteEntry]]]:
    """Return what Linux and files both have in a table, for a VPP that copies none of Linux's routes.

    Linux then sends what is its own, such as the sessions of a routing daemon, by a table that is not kept alike.
    """
    ours = [(prefix, way) for prefix, way in vpp if way.source == SOURCE and prefix in linux.by_prefix]
    return Routes(entries=linux.entries, by_prefix={prefix: linux.by_prefix[prefix] for prefix, _ in ours}), iter(ours)


def _is_alike(linux: RouteEntry, vpp: RouteEntry) -> bool:
    """Return whether both lead the same way; VPP may look up the interface of a gateway that a file names alone."""
    if vpp.source != SOURCE:
        return linux.hops == vpp.hops
    named = {hop.gateway: hop.interface for hop in linux.hops if hop.gateway}
    hops = [hop._replace(interface=hop.interface or named.get(hop.gateway, "")) for hop in vpp.hops]
    return linux.hops == canonical_hops(hops)


def compare_table(linux: Routes, vpp: Iterable[tuple[bytes, RouteEntry]]) -> TableComparison:
    """Return how the routes of a table differ. Those of `linux` are used up.

    The best path counts on either side: what stands by with a larger metric carries no packet. A route of VPP is stale
    only when linux-nl is its source.
    """
    left, ways = linux.by_prefix, linux.entries
    compared = sum(not ways[place].uncopied_reason for place in left.values())
    missing = [RouteMismatch(MismatchKind.MISSING, way) for way in ways]
    found: dict[bytes, RouteMismatch] = {}
    alike: dict[RouteMismatch, RouteMismatch] = {}
    own: Counter[str] = Counter()
    for prefix, way in vpp:
        place = left.pop(prefix, None)
        if place is None:
            if way.source in COPIED and prefix != _TO_ITSELF:
                mismatch = RouteMismatch(MismatchKind.STALE, None, way)
                found[prefix] = alike.setdefault(mismatch, mismatch)
            else:
                own[way.source] += 1
        elif not ways[place].uncopied_reason and not _is_alike(ways[place], way):
            mismatch = missing[place]
            if way.source not in FALLBACKS:
                mismatch = RouteMismatch(MismatchKind.DIFFERENT, ways[place], way)
                mismatch = alike.setdefault(mismatch, mismatch)
            found[prefix] = mismatch
    for prefix, place in left.items():
        if not ways[place].uncopied_reason:
            found[prefix] = missing[place]
    return TableComparison(mismatches=found, compared=compared, own=own)
