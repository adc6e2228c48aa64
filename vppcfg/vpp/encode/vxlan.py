"""What is said about VXLAN tunnels."""

from __future__ import annotations

from vppcfg.plan import operations as op
from vppcfg.vpp.codec import Value
from vppcfg.vpp.encode.address import address_values
from vppcfg.vpp.encode.request import Indexes, Request, Vocabulary, encode

_VXLAN = ("vxlan_add_del_tunnel_v3", "vxlan_add_del_tunnel_v2", "vxlan_add_del_tunnel")
"""Newest first; v3 is in 22.06 already. The newer ones take UDP ports, where 0 means VXLAN's own, and L3 tunnels."""
_NONE = 0xFFFFFFFF
"""No multicast interface; and as a next node, L2 (plugins/vxlan/vxlan.c)."""


@encode.register
def _(operation: op.CreateVxlan, indexes: Indexes, vpp: Vocabulary) -> Request:
    return _tunnel(operation, vpp, is_add=1)


@encode.register
def _(operation: op.DeleteVxlan, indexes: Indexes, vpp: Vocabulary) -> Request:
    return _tunnel(operation, vpp, is_add=0)


def _tunnel(operation: op.CreateVxlan | op.DeleteVxlan, vpp: Vocabulary, is_add: int) -> Request:
    values: dict[str, Value] = {
        "is_add": is_add,
        "instance": operation.instance,
        **address_values("src_address", operation.local),
        **address_values("dst_address", operation.remote),
        "mcast_sw_if_index": _NONE,
        "decap_next_index": _NONE,
        "vni": operation.vni,
    }
    return Request(vpp.newest(_VXLAN), values)
