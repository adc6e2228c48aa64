"""VXLAN tunnels and their endpoints."""

from __future__ import annotations

from collections.abc import Mapping

from vppcfg.model.tunnel import VXLAN_PORT, Vxlan
from vppcfg.plan import operations as op
from vppcfg.plan.request import ALL_INDEXES, NO_INDEX, Indexes, Messages, Request, Value, Vocabulary
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.messages.address import address_values, text_of_address
from vppcfg.vpp.messages.interface import Row
from vppcfg.vpp.round import Replies

_ADD_DEL = ("vxlan_add_del_tunnel_v3", "vxlan_add_del_tunnel_v2", "vxlan_add_del_tunnel")
"""Newest first; v3 is in 22.06 already. The newer ones take UDP ports, where 0 means VXLAN's own, and L3 tunnels."""
_DUMP = "vxlan_tunnel_v2_dump"
"""In 22.06 already; it tells UDP ports, which its predecessor did not."""
PARTS = {"vxlan": _DUMP}
_NEXT_IS_L2 = NO_INDEX
"""What vxlan_add_del_tunnel takes for it (plugins/vxlan/vxlan.c)."""
_TO_L2 = 1
"""VXLAN_INPUT_NEXT_L2_INPUT (plugins/vxlan/vxlan.h)."""
_PATHS = (
    "sw_if_index",
    "src_address.af",
    "src_address.un",
    "dst_address.un",
    "src_port",
    "dst_port",
    "mcast_sw_if_index",
    "encap_vrf_id",
    "decap_next_index",
    "vni",
)


def _create_vxlan(operation: op.CreateVxlan, indexes: Indexes, vpp: Vocabulary) -> Request:
    return _tunnel(operation.tunnel, vpp, is_add=1, instance=operation.instance)


def _delete_vxlan(operation: op.DeleteVxlan, indexes: Indexes, vpp: Vocabulary) -> Request:
    return _tunnel(operation.tunnel, vpp, is_add=0, instance=operation.instance)


def _tunnel(tunnel: Vxlan, vpp: Vocabulary, is_add: int, instance: int) -> Request:
    values: dict[str, Value] = {
        "is_add": is_add,
        "instance": instance,
        **address_values("src_address", tunnel.local),
        **address_values("dst_address", tunnel.remote),
        "mcast_sw_if_index": NO_INDEX,
        "encap_vrf_id": tunnel.encap_vrf,
        "decap_next_index": _NEXT_IS_L2,
        "vni": tunnel.vni,
    }
    ports = {"src_port": tunnel.source_port, "dst_port": tunnel.destination_port}
    values |= {name: port for name, port in ports.items() if port != VXLAN_PORT}
    return Request(vpp.newest(_ADD_DEL), values)


MESSAGES: Messages = {
    op.CreateVxlan: _create_vxlan,
    op.DeleteVxlan: _delete_vxlan,
}


def requests(connection: Connection) -> list[bytes]:
    """Return the request for all tunnels, where VPP has the vxlan plugin."""
    return [connection.request(_DUMP, {"sw_if_index": ALL_INDEXES})[1]] if connection.offers(_DUMP) else []


def read(connection: Connection, replies: Replies, rows: Mapping[int, Row]) -> dict[str, Vxlan]:
    """Return the tunnels by name; `rows` are the interfaces by index.

    A tunnel for L3 packets is known by having no MAC address: no message tells more.
    """
    if not connection.offers(_DUMP):
        return {}
    tunnels = {}
    for index, family, source, target, source_port, destination_port, group, table, next_node, vni in connection.rows(
        replies, "vxlan_tunnel_v2_details", *_PATHS
    ):
        if index in rows:
            is_usual = group == NO_INDEX and next_node == _TO_L2
            tunnels[rows[index].name] = Vxlan(
                local=text_of_address(family, source),
                remote=text_of_address(family, target),
                vni=vni,
                source_port=source_port,
                destination_port=destination_port,
                encap_vrf=table,
                is_plain=is_usual and any(rows[index].mac),
            )
    return tunnels
