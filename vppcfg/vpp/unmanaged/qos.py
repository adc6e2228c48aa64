"""Reads the QoS that others set on interfaces: what is recorded, stored and marked (vnet/qos/qos.api)."""

from __future__ import annotations

from vppcfg.model.attachment import Layer
from vppcfg.operations.request import ALL_INDEXES
from vppcfg.vpp.unmanaged.simple import DescribedObject, Fields, simple_reader

_SOURCES = ("ext", "vlan", "mpls", "ip")
"""qos_source_t (vnet/qos/qos_types.h)."""


def _record(fields: Fields, name: str) -> DescribedObject:
    source = _SOURCES[fields["input_source"]]
    return DescribedObject("QoS record", source, f"qos record {source} {name}")


def _store(fields: Fields, name: str) -> DescribedObject:
    source, value = _SOURCES[fields["input_source"]], fields["value"]
    return DescribedObject("QoS store", f"{source} {value}", f"qos store {source} {name} value {value}")


def _mark(fields: Fields, name: str) -> DescribedObject:
    source, number = _SOURCES[fields["output_source"]], fields["map_id"]
    return DescribedObject("QoS mark", f"{source} by map {number}", f"qos mark {source} {name} id {number}")


READERS = (
    simple_reader(
        "qos_record_dump",
        "qos_record_details",
        ("sw_if_index", "input_source"),
        ("qos_record_enable_disable", "enable"),
        _record,
        prefix="record.",
        layer=Layer.ALL,
    ),
    simple_reader(
        "qos_store_dump",
        "qos_store_details",
        ("sw_if_index", "input_source", "value"),
        ("qos_store_enable_disable", "enable"),
        _store,
        prefix="store.",
        layer=Layer.ALL,
    ),
    simple_reader(
        "qos_mark_dump",
        "qos_mark_details",
        ("sw_if_index", "map_id", "output_source"),
        ("qos_mark_enable_disable", "enable"),
        _mark,
        prefix="mark.",
        asked={"sw_if_index": ALL_INDEXES},  # the only one of these dumps that takes an interface
        layer=Layer.ALL,
    ),
)
"""The readers of this module, each with the messages that it needs."""
