"""GRE tunnels: their ends, what they carry, and their keys."""

from __future__ import annotations

from collections.abc import Mapping

from vppcfg.model.tunnel import Gre, GreMode
from vppcfg.plan import operations as op
from vppcfg.plan.request import ALL_INDEXES, NO_INDEX, Indexes, Messages, Request, Value, Vocabulary
from vppcfg.vpp.connection import Connection, malformed
from vppcfg.vpp.messages.address import address_values, text_of_address
from vppcfg.vpp.messages.interface import Row
from vppcfg.vpp.round import Replies

_ADD_DEL = ("gre_tunnel_add_del_v2", "gre_tunnel_add_del")
"""Newest first; v2 came in 25.10, and takes keys."""
_DUMPS = {
    "gre_tunnel_v2_dump": "gre_tunnel_v2_details",
    "gre_tunnel_dump_v2": "gre_tunnel_details_v2",
    "gre_tunnel_dump": "gre_tunnel_details",
}
"""What tells of each; newest first, from 26.06 and 25.10 on. The one in the middle has a name from which clients that
go by names cannot tell that it answers with details; the last one leaves out keys."""
_DUMP = "gre_tunnel_dump"
PARTS = {"gre": _DUMP, "gre_key": "gre_tunnel_add_del_v2"}
_MODES = (GreMode.L3, GreMode.TEB, GreMode.ERSPAN)
"""By gre_tunnel_type (plugins/gre/gre.api)."""
_PATHS = tuple(
    f"tunnel.{name}"
    for name in ("sw_if_index", "type", "mode", "flags", "session_id", "outer_table_id", "src.af", "src.un", "dst.un")
)


def _create_gre(operation: op.CreateGre, indexes: Indexes, vpp: Vocabulary) -> Request:
    return _tunnel(operation.tunnel, vpp, is_add=1, instance=operation.instance)


def _delete_gre(operation: op.DeleteGre, indexes: Indexes, vpp: Vocabulary) -> Request:
    return _tunnel(operation.tunnel, vpp, is_add=0, instance=NO_INDEX)


def _tunnel(tunnel: Gre, vpp: Vocabulary, is_add: int, instance: int) -> Request:
    values: dict[str, Value] = {
        "is_add": is_add,
        "tunnel.type": _MODES.index(tunnel.mode),
        "tunnel.session_id": tunnel.session,
        "tunnel.instance": instance,
        "tunnel.outer_table_id": tunnel.encap_vrf,
        **address_values("tunnel.src", tunnel.local),
        **address_values("tunnel.dst", tunnel.remote),
    }
    message = vpp.newest(_ADD_DEL)
    if tunnel.key:
        values["tunnel.key"] = tunnel.key
    return Request(message, values)


MESSAGES: Messages = {
    op.CreateGre: _create_gre,
    op.DeleteGre: _delete_gre,
}


def requests(connection: Connection) -> list[bytes]:
    """Return the request for all tunnels, where VPP has the gre plugin."""
    if not connection.offers(_DUMP):
        return []
    return [connection.request(connection.newest(tuple(_DUMPS)), {"sw_if_index": ALL_INDEXES})[1]]


def read(connection: Connection, replies: Replies, rows: Mapping[int, Row]) -> dict[str, Gre]:
    """Return the tunnels by name; `rows` are the interfaces by index."""
    if not connection.offers(_DUMP):
        return {}
    details = _DUMPS[connection.newest(tuple(_DUMPS))]
    paths = (*_PATHS, "tunnel.key") if connection.has_field(details, "tunnel.key") else _PATHS
    tunnels = {}
    for index, kind, mode, flags, session, table, family, source, target, *key in connection.rows(
        replies, details, *paths
    ):
        if index in rows:
            tunnels[rows[index].name] = Gre(
                local=text_of_address(family, source),
                remote=text_of_address(family, target),
                mode=_mode(kind, details),
                session=session,
                key=key[0] if key else 0,
                encap_vrf=table,
                is_plain=not (mode or flags),
            )
    return tunnels


def _mode(kind: int, details: str) -> GreMode:
    if kind >= len(_MODES):
        raise malformed(details)
    return _MODES[kind]
