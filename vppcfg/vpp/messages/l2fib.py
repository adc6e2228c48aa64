"""What frames are switched by: cross-connects, and MAC addresses that bridge domains do not learn (vnet/l2/l2.api).

VPP tells all that it knows in one list, also what it has learnt, which is left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from vppcfg.model.bridge import StaticMac, macs_in_order
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.messages.bridge import Portless
from vppcfg.vpp.reading import Replies

_DUMP = "l2_fib_table_dump"
_DETAILS = "l2_fib_table_details"
_PATHS = ("bd_id", "mac", "sw_if_index", "static_mac", "filter_mac", "bvi_mac")
_ALL_DOMAINS = 0xFFFFFFFF


class _Entry(NamedTuple):
    bd_id: int
    mac: str
    sw_if_index: int
    is_filter: bool


def requests(connection: Connection) -> list[bytes]:
    """Return the requests for all cross-connects, and for what all bridge domains know, where VPP has such things."""
    known = [connection.request(_DUMP, {"bd_id": _ALL_DOMAINS})[1]] if connection.offers(_DUMP) else []
    return [connection.request("l2_xconnect_dump")[1], *known]


def read_targets(connection: Connection, replies: Replies) -> dict[int, int]:
    """Return where every cross-connected interface sends what it receives."""
    return dict(connection.rows(replies, "l2_xconnect_details", "rx_sw_if_index", "tx_sw_if_index"))


def read(connection: Connection, replies: Replies, names: Mapping[int, str]) -> dict[int, tuple[StaticMac, ...]]:
    """Return the static MAC addresses by the index of their interface."""
    found: dict[int, list[StaticMac]] = {}
    for entry in _entries(connection, replies):
        if not entry.is_filter and entry.sw_if_index in names:
            found.setdefault(entry.sw_if_index, []).append(StaticMac(bd_id=entry.bd_id, mac=entry.mac))
    return {index: macs_in_order(macs) for index, macs in found.items()}


def read_portless(connection: Connection, replies: Replies, names: Collection[int]) -> dict[int, Portless]:
    """Return by bridge domain the MAC addresses of none of the interfaces with an index among `names`."""
    found: dict[int, tuple[list[str], list[str]]] = {}
    for entry in _entries(connection, replies):
        if entry.is_filter or entry.sw_if_index not in names:
            filtered, stray = found.setdefault(entry.bd_id, ([], []))
            (filtered if entry.is_filter else stray).append(entry.mac)
    return {
        bd_id: Portless(filtered=tuple(sorted(filtered)), stray=tuple(sorted(stray)))
        for bd_id, (filtered, stray) in found.items()
    }


def _entries(connection: Connection, replies: Replies) -> Iterator[_Entry]:
    """Yield what somebody has entered: what VPP has learnt, the MAC addresses of BVIs and what the bridge domains that
    are gone have left are left out."""
    if not connection.offers(_DUMP):
        return
    for bd_id, mac, index, is_static, is_filter, is_bvi in connection.rows(replies, _DETAILS, *_PATHS):
        if (is_static or is_filter) and not is_bvi and bd_id != _ALL_DOMAINS:
            yield _Entry(bd_id, mac.hex(":"), index, bool(is_filter))
