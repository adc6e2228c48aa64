"""IPIP tunnels: their ends, and what they do with the outer header."""

from __future__ import annotations

from collections.abc import Mapping

from vppcfg.model.interface import InterfaceKind
from vppcfg.model.tunnel import Ipip
from vppcfg.plan import operations as op
from vppcfg.plan.request import ALL_INDEXES, Indexes, Messages, Request, Vocabulary
from vppcfg.vpp import devclass
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.messages.address import address_values, text_of_address
from vppcfg.vpp.messages.interface import Row
from vppcfg.vpp.round import Replies

_DUMP = "ipip_tunnel_dump"
PARTS = {"ipip": _DUMP}
_PATHS = tuple(
    f"tunnel.{name}" for name in ("sw_if_index", "src.af", "src.un", "dst.un", "table_id", "flags", "mode", "dscp")
)


def _create_ipip(operation: op.CreateIpip, indexes: Indexes, vpp: Vocabulary) -> Request:
    tunnel = operation.tunnel
    values = {
        "tunnel.instance": operation.instance,
        **address_values("tunnel.src", tunnel.local),
        **address_values("tunnel.dst", tunnel.remote),
        "tunnel.table_id": tunnel.encap_vrf,
        "tunnel.flags": tunnel.flags,
        "tunnel.dscp": tunnel.dscp,
    }
    return Request("ipip_add_tunnel", values)


def _delete_ipip(operation: op.DeleteIpip, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request("ipip_del_tunnel", {"sw_if_index": indexes.interface(operation.interface)})


MESSAGES: Messages = {
    op.CreateIpip: _create_ipip,
    op.DeleteIpip: _delete_ipip,
}


def requests(connection: Connection) -> list[bytes]:
    """Return the request for all tunnels, where VPP has them."""
    return [connection.request(_DUMP, {"sw_if_index": ALL_INDEXES})[1]] if connection.offers(_DUMP) else []


def read(connection: Connection, replies: Replies, rows: Mapping[int, Row]) -> dict[str, Ipip]:
    """Return the tunnels by name; `rows` are the interfaces by index.

    VPP lists 6rd tunnels among them, as if they were others; these have another class and name. Up to 23.06 the mode is
    whatever was in memory (e870d5b6ac3); a tunnel with more than one other end is one to the address 0.
    """
    if not connection.offers(_DUMP):
        return {}
    tunnels = {}
    for index, family, source, target, table, flags, mode, dscp in connection.rows(
        replies, "ipip_tunnel_details", *_PATHS
    ):
        row = rows.get(index)
        if row is not None and devclass.kind_of(row.device_class, row.name) is InterfaceKind.IPIP:
            tunnels[row.name] = Ipip(
                local=text_of_address(family, source),
                remote=text_of_address(family, target),
                dscp=dscp,
                flags=flags,
                encap_vrf=table,
                is_plain=not mode or any(target[: 16 if family else 4]),
            )
    return tunnels
