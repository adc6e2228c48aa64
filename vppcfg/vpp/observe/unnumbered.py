"""Borrowed addresses: who borrows from whom, by interface index."""

from __future__ import annotations

from vppcfg.vpp.connection import Connection, Replies

_ALL = 0xFFFFFFFF
_DUMP = "ip_unnumbered_dump"


def requests(connection: Connection) -> list[bytes]:
    """Return the request for all unnumbered interfaces."""
    return [connection.request(_DUMP, {"sw_if_index": _ALL})[1]] if connection.offers(_DUMP) else []


def read(connection: Connection, replies: Replies) -> dict[int, int]:
    """Return the donor of every unnumbered interface."""
    if not connection.offers(_DUMP):
        return {}
    return dict(connection.rows(replies, "ip_unnumbered_details", "sw_if_index", "ip_sw_if_index"))
