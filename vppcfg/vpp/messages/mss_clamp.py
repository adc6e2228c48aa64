"""TCP MSS clamping: how it is set, and where it is on (plugins/mss_clamp/mss_clamp.api)."""

from __future__ import annotations

from vppcfg.model.features import MssLimit, TrafficDirection
from vppcfg.plan import operations as op
from vppcfg.plan.request import ALL_INDEXES, Indexes, Known, Messages, Request, Vocabulary
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.reading import Replies

ATTRIBUTE = "mss_clamp"
_SET = "mss_clamp_enable_disable"
_GET = "mss_clamp_get"
PARTS = {"mss_clamp": _SET}
_OF_ALL = {"sw_if_index": ALL_INDEXES}
_DIRECTIONS = {1: TrafficDirection.INPUT, 2: TrafficDirection.OUTPUT, 3: TrafficDirection.BOTH}
_FLAGS = {direction: flags for flags, direction in _DIRECTIONS.items()}
_PATHS = ("sw_if_index", "ipv4_direction", "ipv4_mss", "ipv6_direction", "ipv6_mss")


def _set_mss_clamp(operation: op.SetMssClamp, indexes: Indexes, vpp: Vocabulary) -> Request:
    values = {"sw_if_index": indexes.interface(operation.interface)}
    for limit in operation.limits:
        family = "ipv6" if limit.is_ipv6 else "ipv4"
        values |= {f"{family}_mss": limit.mss, f"{family}_direction": _FLAGS[limit.direction]}
    return Request(_SET, values)


MESSAGES: Messages = {op.SetMssClamp: _set_mss_clamp}


def requests(connection: Connection) -> list[bytes]:
    """Return the request for the first page of limits, where VPP takes it."""
    return [connection.request(_GET, {"cursor": 0, **_OF_ALL})[1]] if connection.offers(_GET) else []


def read(connection: Connection, replies: Replies, known: Known) -> dict[int, tuple[MssLimit, ...]]:
    """Return the limits by interface index. Further pages of them are asked for here."""
    if not connection.offers(_GET):
        return {}
    found = {}
    for page in connection.pages(replies, _GET, _OF_ALL, "limits of the MSS"):
        for index, *families in connection.rows(page, "mss_clamp_details", *_PATHS):
            limits = [
                MssLimit(mss=mss, is_ipv6=is_ipv6, direction=_DIRECTIONS[flags])
                for is_ipv6, flags, mss in ((False, *families[:2]), (True, *families[2:]))
                if flags in _DIRECTIONS
            ]
            found[index] = tuple(limits)
    return found
