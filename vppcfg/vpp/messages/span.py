"""Mirroring: how it is set, and which interfaces send copies of their frames where (vnet/span/span.api)."""

from __future__ import annotations

from vppcfg.model.features import DELETED_TARGET, Mirror, TrafficDirection, mirrors_in_order
from vppcfg.plan import operations as op
from vppcfg.plan.request import NO_INDEX, Indexes, Known, Messages, Request, Value, Vocabulary
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.reading import Replies

ATTRIBUTE = "mirrors"
_DUMP = "sw_interface_span_dump"
PARTS: dict[str, str] = {}
_DIRECTIONS = {1: TrafficDirection.INPUT, 2: TrafficDirection.OUTPUT, 3: TrafficDirection.BOTH}
_STATES = {direction: state for state, direction in _DIRECTIONS.items()}
_DISABLED = 0


def _set_mirror(operation: op.SetMirror, indexes: Indexes, vpp: Vocabulary) -> Request:
    """Name no target where it is gone: that ends all mirrors of the interface."""
    target = operation.target
    values: dict[str, Value] = {
        "sw_if_index_from": indexes.interface(operation.interface),
        "sw_if_index_to": NO_INDEX if target == DELETED_TARGET else indexes.interface(target),
        "state": _DISABLED if operation.direction is None else _STATES[operation.direction],
        "is_l2": int(operation.is_l2),
    }
    return Request("sw_interface_span_enable_disable", values)


MESSAGES: Messages = {op.SetMirror: _set_mirror}


def requests(connection: Connection) -> list[bytes]:
    """Return the requests for all mirrors, those of ports and those of L2 mode, where VPP takes them."""
    if not connection.offers(_DUMP):
        return []
    return [connection.request(_DUMP, {"is_l2": is_l2})[1] for is_l2 in (0, 1)]


def read(connection: Connection, replies: Replies, known: Known) -> dict[int, tuple[Mirror, ...]]:
    """Return the mirrors by the index of the interface whose frames are copied."""
    if not connection.offers(_DUMP):
        return {}
    found: dict[int, list[Mirror]] = {}
    paths = ("sw_if_index_from", "sw_if_index_to", "state", "is_l2")
    for index, target, state, is_l2 in connection.rows(replies, "sw_interface_span_details", *paths):
        if state in _DIRECTIONS:
            name = known.names.get(target, DELETED_TARGET)
            mirror = Mirror(target=name, direction=_DIRECTIONS[state], is_l2=bool(is_l2))
            found.setdefault(index, []).append(mirror)
    return {index: mirrors_in_order(dict.fromkeys(mirrors)) for index, mirrors in found.items()}
