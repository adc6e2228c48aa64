"""What is said about interfaces that switch: cross-connects, membership of bridges, tag-rewrite."""

from __future__ import annotations

from vppcfg.plan import operations as op
from vppcfg.vpp.encode.request import Indexes, Request, Vocabulary, encode

_NORMAL, _BVI = 0, 1
"""l2_port_type (vnet/l2/l2.api)."""


@encode.register
def _(operation: op.SetCrossConnect, indexes: Indexes, vpp: Vocabulary) -> Request:
    values = {
        "rx_sw_if_index": indexes.interface(operation.interface),
        "tx_sw_if_index": indexes.interface(operation.target),
        "enable": 1,
    }
    return Request("sw_interface_set_l2_xconnect", values)


@encode.register
def _(operation: op.JoinBridge, indexes: Indexes, vpp: Vocabulary) -> Request:
    values = {
        "rx_sw_if_index": indexes.interface(operation.interface),
        "bd_id": operation.bd_id,
        "port_type": _BVI if operation.is_bvi else _NORMAL,
        "shg": operation.split_horizon_group,
        "enable": 1,
    }
    return Request("sw_interface_set_l2_bridge", values)


@encode.register
def _(operation: op.LeaveL2, indexes: Indexes, vpp: Vocabulary) -> Request:
    """Say what `set interface l3` does: disabling a cross-connect leaves a bridge as well (vnet/l2/l2_api.c)."""
    values = {"rx_sw_if_index": indexes.interface(operation.interface), "tx_sw_if_index": 0, "enable": 0}
    return Request("sw_interface_set_l2_xconnect", values)


@encode.register
def _(operation: op.SetTagRewrite, indexes: Indexes, vpp: Vocabulary) -> Request:
    rewrite = operation.tag_rewrite
    values = {
        "sw_if_index": indexes.interface(operation.interface),
        "vtr_op": rewrite.operation if rewrite else 0,
        "push_dot1q": rewrite.push_dot1q if rewrite else 0,
        "tag1": rewrite.tag1 if rewrite else 0,
        "tag2": rewrite.tag2 if rewrite else 0,
    }
    return Request("l2_interface_vlan_tag_rewrite", values)
