"""VXLAN tunnels: one dump in, endpoints by name out."""

from __future__ import annotations

from collections.abc import Mapping

from vppcfg.model.vxlan import Vxlan
from vppcfg.vpp.connection import Connection, Replies
from vppcfg.vpp.observe.address import text_of_address
from vppcfg.vpp.observe.interface import Row

_ALL = 0xFFFFFFFF
_DUMP = "vxlan_tunnel_v2_dump"
"""In 22.06 already; it tells UDP ports, which its predecessor did not."""
_PORT = 4789
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


def requests(connection: Connection) -> list[bytes]:
    """Return the request for all tunnels, where VPP has the vxlan plugin."""
    return [connection.request(_DUMP, {"sw_if_index": _ALL})[1]] if connection.offers(_DUMP) else []


def read(connection: Connection, replies: Replies, rows: Mapping[int, Row]) -> dict[str, Vxlan]:
    """Return the tunnels by name; `rows` are the interfaces by index.

    A tunnel for L3 packets is known by having no MAC address: no message tells more.
    """
    if not connection.offers(_DUMP):
        return {}
    tunnels = {}
    for index, family, source, target, *ports, group, table, next_node, vni in connection.rows(
        replies, "vxlan_tunnel_v2_details", *_PATHS
    ):
        if index in rows:
            is_usual = ports == [_PORT, _PORT] and group == _ALL and not table and next_node == _TO_L2
            tunnels[rows[index].name] = Vxlan(
                local=text_of_address(family, source),
                remote=text_of_address(family, target),
                vni=vni,
                is_plain=is_usual and any(rows[index].mac),
            )
    return tunnels
