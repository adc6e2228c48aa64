"""Interfaces that switch: cross-connects, joining and leaving bridge domains, tag rewrites."""

from __future__ import annotations

from vppcfg.plan import operations as op
from vppcfg.plan.request import Indexes, Messages, Request, Vocabulary
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.reading import Replies

_NORMAL, _BVI = 0, 1
"""l2_port_type (vnet/l2/l2.api)."""


def _set_cross_connect(operation: op.SetCrossConnect, indexes: Indexes, vpp: Vocabulary) -> Request:
    values = {
        "rx_sw_if_index": indexes.interface(operation.interface),
        "tx_sw_if_index": indexes.interface(operation.target),
        "enable": 1,
    }
    return Request("sw_interface_set_l2_xconnect", values)


def _join_bridge(operation: op.JoinBridge, indexes: Indexes, vpp: Vocabulary) -> Request:
    values = {
        "rx_sw_if_index": indexes.interface(operation.interface),
        "bd_id": operation.bd_id,
        "port_type": _BVI if operation.is_bvi else _NORMAL,
        "shg": operation.split_horizon_group,
        "enable": 1,
    }
    return Request("sw_interface_set_l2_bridge", values)


def _leave_l2(operation: op.LeaveL2, indexes: Indexes, vpp: Vocabulary) -> Request:
    """Say what `set interface l3` does: disabling a cross-connect leaves a bridge as well (vnet/l2/l2_api.c)."""
    values = {"rx_sw_if_index": indexes.interface(operation.interface), "tx_sw_if_index": 0, "enable": 0}
    return Request("sw_interface_set_l2_xconnect", values)


def _set_tag_rewrite(operation: op.SetTagRewrite, indexes: Indexes, vpp: Vocabulary) -> Request:
    rewrite = operation.tag_rewrite
    values = {
        "sw_if_index": indexes.interface(operation.interface),
        "vtr_op": rewrite.operation if rewrite else 0,
        "push_dot1q": rewrite.push_dot1q if rewrite else 0,
        "tag1": rewrite.tag1 if rewrite else 0,
        "tag2": rewrite.tag2 if rewrite else 0,
    }
    return Request("l2_interface_vlan_tag_rewrite", values)


MESSAGES: Messages = {
    op.SetCrossConnect: _set_cross_connect,
    op.JoinBridge: _join_bridge,
    op.LeaveL2: _leave_l2,
    op.SetTagRewrite: _set_tag_rewrite,
}


def requests(connection: Connection) -> list[bytes]:
    """Return the request for all cross-connects."""
    return [connection.request("l2_xconnect_dump")[1]]


def read_targets(connection: Connection, replies: Replies) -> dict[int, int]:
    """Return where every cross-connected interface sends what it receives."""
    return dict(connection.rows(replies, "l2_xconnect_details", "rx_sw_if_index", "tx_sw_if_index"))
