"""Cross-connects, by interface index."""

from __future__ import annotations

from vppcfg.vpp.connection import Connection, Replies


def requests(connection: Connection) -> list[bytes]:
    """Return the request for all cross-connects."""
    return [connection.request("l2_xconnect_dump")[1]]


def read_targets(connection: Connection, replies: Replies) -> dict[int, int]:
    """Return where every cross-connected interface sends what it receives."""
    return dict(connection.rows(replies, "l2_xconnect_details", "rx_sw_if_index", "tx_sw_if_index"))
