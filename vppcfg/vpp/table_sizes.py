"""Reads how large VPP's tables are from its stats segment, which costs VPP no message and its workers no halt.

A table's counters have a place for each of its objects, so that the length of a vector tells: of load balances, of
which each route has one (vnet/dpo/load_balance.c), of adjacencies (vnet/adj/adj.c) and of the replications of multicast
routes (vnet/dpo/replicate_dpo.c). They have these names in all releases from 23.06 to 26.10.
"""

from __future__ import annotations

from vppcfg.errors import DataplaneError
from vppcfg.model.table_sizes import TableSizes
from vppcfg.vpp.segment import Segment

_LENGTHS = {
    "routes": "/net/route/to",
    "adjacencies": "/net/adjacency",
    "multicast_routes": "/net/mroute",
    "interfaces": "/if/names",
}
"""Counters with a place for each object, by the attribute."""
_SESSIONS = "/nat44-ed/total-sessions"


def read_sizes(stats_socket: str) -> TableSizes | None:
    """Return how large the tables of the VPP behind a stats socket are, None when there is no segment to be read."""
    try:
        with Segment(stats_socket, only=(*_LENGTHS.values(), _SESSIONS)) as segment:
            return segment.read(lambda: _read(segment))
    except DataplaneError:
        return None


def _read(segment: Segment) -> TableSizes:
    lengths = {attribute: segment.length(name) for attribute, name in _LENGTHS.items()}
    return TableSizes(**lengths, nat44_sessions=segment.scalar(_SESSIONS))
