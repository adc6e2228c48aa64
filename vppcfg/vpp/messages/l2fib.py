"""MAC addresses that bridge domains do not learn: those of one interface, and filters (vnet/l2/l2.api).

VPP tells all that it knows in one list, also what it has learnt, which is left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from vppcfg.model.bridge import StaticMac, macs_in_order
from vppcfg.plan import operations as op
from vppcfg.plan.request import NO_INDEX, Indexes, Known, Messages, Request, Value, Vocabulary
from vppcfg.vpp.address_codec import mac_bytes
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.messages.bridge import Portless
from vppcfg.vpp.reading import Replies

ATTRIBUTE = "static_macs"
PARTS: dict[str, str] = {}
_DUMP = "l2_fib_table_dump"
_DETAILS = "l2_fib_table_details"
_PATHS = ("bd_id", "mac", "sw_if_index", "static_mac", "filter_mac", "bvi_mac")
_ALL_DOMAINS = 0xFFFFFFFF
_WHATEVER = 0
"""In place of an interface: VPP does not look where the entry that it forgets leads."""


def _set_static_mac(operation: op.SetStaticMac, indexes: Indexes, vpp: Vocabulary) -> Request:
    values = {"sw_if_index": indexes.interface(operation.interface), "static_mac": 1, "filter_mac": 0}
    return _request(operation, values, is_add=operation.is_on)


def _filter_mac(operation: op.FilterMac, indexes: Indexes, vpp: Vocabulary) -> Request:
    values: dict[str, Value] = {"sw_if_index": NO_INDEX, "static_mac": 0, "filter_mac": 1}
    return _request(operation, values, is_add=True)


def _forget_mac(operation: op.ForgetMac, indexes: Indexes, vpp: Vocabulary) -> Request:
    values: dict[str, Value] = {"sw_if_index": _WHATEVER, "static_mac": 0, "filter_mac": 0}
    return _request(operation, values, is_add=False)


def _request(
    operation: op.SetStaticMac | op.FilterMac | op.ForgetMac, values: dict[str, Value], *, is_add: bool
) -> Request:
    known: dict[str, Value] = {"mac": mac_bytes(operation.mac), "bd_id": operation.bd_id, "is_add": int(is_add)}
    return Request("l2fib_add_del", {**known, **values, "bvi_mac": 0})


MESSAGES: Messages = {
    op.SetStaticMac: _set_static_mac,
    op.FilterMac: _filter_mac,
    op.ForgetMac: _forget_mac,
}


class _Entry(NamedTuple):
    bd_id: int
    mac: str
    sw_if_index: int
    is_filter: bool


def requests(connection: Connection) -> list[bytes]:
    """Return the request for what all bridge domains know; none where VPP has no such thing."""
    return [connection.request(_DUMP, {"bd_id": _ALL_DOMAINS})[1]] if connection.offers(_DUMP) else []


def read(connection: Connection, replies: Replies, known: Known) -> dict[int, tuple[StaticMac, ...]]:
    """Return the static MAC addresses by the index of their interface."""
    found: dict[int, list[StaticMac]] = {}
    for entry in _entries(connection, replies):
        if not entry.is_filter and entry.sw_if_index in known.names:
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
