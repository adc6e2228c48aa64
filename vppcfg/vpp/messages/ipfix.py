"""IPFIX: the exporter, what is recorded, and of which interfaces (vnet/ipfix-export, plugins/flowprobe).

There may be more exporters, which flowprobe does not use: they are left alone.
"""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import IPv4Address

from vppcfg.model.features import TrafficDirection
from vppcfg.model.ipfix import (
    GONE_TABLE,
    FlowLayer,
    FlowParams,
    FlowRecords,
    FlowVariant,
    IpfixExporter,
    IpfixSettings,
)
from vppcfg.model.vrf import table_key
from vppcfg.plan import operations as op
from vppcfg.plan.request import ALL_INDEXES, Indexes, Known, Messages, Request, Value, Vocabulary
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.reading import Replies

ATTRIBUTE = "flow_records"
PARTS = {"flowprobe": "flowprobe_interface_add_del"}
_EXPORTER, _PARAMS, _PROBES = "ipfix_exporter_dump", "flowprobe_get_params", "flowprobe_interface_dump"
_VARIANTS = {FlowVariant.IP4: 0, FlowVariant.IP6: 1, FlowVariant.L2: 2}
_DIRECTIONS = {TrafficDirection.INPUT: 0, TrafficDirection.OUTPUT: 1, TrafficDirection.BOTH: 2}
_LAYERS = {FlowLayer.L2: 1, FlowLayer.L3: 2, FlowLayer.L4: 4}
_NO_TABLE = 0xFFFFFFFF
"""Of the FIB table: the default one."""
_ENDS = ("collector_address.un", "src_address.un")
_DETAILS = (*_ENDS, "collector_port", "vrf_id", "path_mtu", "template_interval", "udp_checksum")


def _set_flow_records(operation: op.SetFlowRecords, indexes: Indexes, vpp: Vocabulary) -> Request:
    values: dict[str, Value] = {
        "is_add": int(operation.is_on),
        "which": _VARIANTS[operation.records.variant],
        "direction": _DIRECTIONS[operation.records.direction],
        "sw_if_index": indexes.interface(operation.interface),
    }
    return Request("flowprobe_interface_add_del", values)


def _set_flow_params(operation: op.SetFlowParams, indexes: Indexes, vpp: Vocabulary) -> Request:
    params = operation.params
    values: dict[str, Value] = {
        "record_flags": sum(_LAYERS[layer] for layer in params.layers),
        "active_timer": params.active_s,
        "passive_timer": params.passive_s,
    }
    return Request("flowprobe_set_params", values)


def _set_ipfix_exporter(operation: op.SetIpfixExporter, indexes: Indexes, vpp: Vocabulary) -> Request:
    exporter = operation.exporter
    ends = (_packed(exporter.collector), _packed(exporter.source))
    values: dict[str, Value] = {
        **dict(zip(_ENDS, ends, strict=True)),
        "collector_port": exporter.port,
        "vrf_id": exporter.table_id or _NO_TABLE,
        "path_mtu": exporter.path_mtu,
        "template_interval": exporter.template_interval_s,
        "udp_checksum": int(exporter.has_udp_checksum),
    }
    return Request("set_ipfix_exporter", values)


def _packed(address: str) -> bytes:
    return IPv4Address(address or "0.0.0.0").packed.ljust(16, b"\0")


MESSAGES: Messages = {
    op.SetFlowRecords: _set_flow_records,
    op.SetFlowParams: _set_flow_params,
    op.SetIpfixExporter: _set_ipfix_exporter,
}


def requests(connection: Connection) -> list[bytes]:
    """Return the requests for the exporter, for what is recorded, and for the interfaces."""
    asked = [connection.request(name)[1] for name in (_EXPORTER, _PARAMS) if connection.offers(name)]
    probes = {"sw_if_index": ALL_INDEXES}
    return [*asked, *([connection.request(_PROBES, probes)[1]] if connection.offers(_PROBES) else [])]


def read(connection: Connection, replies: Replies, known: Known) -> dict[int, FlowRecords]:
    """Return what is recorded of interfaces, by their indexes."""
    if not connection.offers(_PROBES):
        return {}
    variants = {number: variant for variant, number in _VARIANTS.items()}
    directions = {number: direction for direction, number in _DIRECTIONS.items()}
    return {
        index: FlowRecords(variant=variants[which], direction=directions[direction])
        for index, which, direction in connection.rows(
            replies, "flowprobe_interface_details", "sw_if_index", "which", "direction"
        )
        if which in variants and direction in directions
    }


def read_settings(connection: Connection, replies: Replies, tables: Collection[str]) -> IpfixSettings:
    """Return the exporter, none of a VPP that sends nothing, and what is recorded; `tables` are the FIB tables."""
    exporter, params = IpfixExporter(), FlowParams()
    if connection.offers(_EXPORTER):
        for collector, source, port, table_id, mtu, interval, checksum in connection.rows(
            replies, "ipfix_exporter_details", *_DETAILS
        ):
            if any(collector[:4]):
                exporter = IpfixExporter(
                    collector=str(IPv4Address(collector[:4])),
                    source=str(IPv4Address(source[:4])),
                    port=port,
                    table_id=_table(table_id, tables),
                    path_mtu=mtu,
                    template_interval_s=interval,
                    has_udp_checksum=bool(checksum),
                )
    if connection.offers(_PARAMS):
        for flags, active, passive in connection.rows(
            replies, "flowprobe_get_params_reply", "record_flags", "active_timer", "passive_timer"
        ):
            layers = tuple(layer for layer, bit in _LAYERS.items() if flags & bit)
            params = FlowParams(layers=layers, active_s=active, passive_s=passive)
    return IpfixSettings(exporter=exporter, params=params)


def _table(table_id: int, tables: Collection[str]) -> int:
    """Return the FIB table of the exporter; VPP tells that of one that is gone, too."""
    if table_id in (0, _NO_TABLE):
        return 0
    return table_id if table_key(table_id, is_ipv6=False) in tables else GONE_TABLE
