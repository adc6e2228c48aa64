"""Messages about sFlow (plugins/sflow/sflow.c)."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.simulator.handlers.call import Call, Handler, Handlers, Outgoing
from vppcfg.simulator.vnet import sflow
from vppcfg.simulator.wire import NONE


def set_enabled(call: Call, is_on: bool, sw_if_index: int) -> list[Outgoing]:
    """Sample a port, or no longer; the field calls itself a hardware index and is none."""
    sflow.set_enabled(call.tables, sw_if_index, is_on)
    return [("sflow_enable_disable_reply", (0,))]


def dump(call: Call, hw_index: int) -> Iterator[Outgoing]:
    """Show the ports whose packets are sampled, by a true hardware index."""
    for index in sflow.ports(call.tables):
        if hw_index in {NONE, index}:
            yield "sflow_interface_details", (index,)


def set_rate(call: Call, rate: int) -> list[Outgoing]:
    """Sample one packet in so many."""
    call.tables.sflow.sampling_rate = rate
    return [("sflow_sampling_rate_set_reply", (0,))]


def get_rate(call: Call) -> list[Outgoing]:
    """Show of how many packets one is sampled."""
    return [("sflow_sampling_rate_get_reply", (call.tables.sflow.sampling_rate,))]


def set_interval(call: Call, seconds: int) -> list[Outgoing]:
    """Send counters every so many seconds."""
    call.tables.sflow.polling_interval_s = seconds
    return [("sflow_polling_interval_set_reply", (0,))]


def get_interval(call: Call) -> list[Outgoing]:
    """Show how often counters are sent."""
    return [("sflow_polling_interval_get_reply", (call.tables.sflow.polling_interval_s,))]


def set_header(call: Call, size: int) -> list[Outgoing]:
    """Set how much of a packet is told."""
    sflow.set_header_bytes(call.tables, size)
    return [("sflow_header_bytes_set_reply", (0,))]


def get_header(call: Call) -> list[Outgoing]:
    """Show how much of a packet is told."""
    return [("sflow_header_bytes_get_reply", (call.tables.sflow.header_bytes,))]


def set_direction(call: Call, direction: int) -> list[Outgoing]:
    """Set whether what comes in, goes out or both is sampled."""
    call.tables.sflow.direction = direction
    return [("sflow_direction_set_reply", (0,))]


def get_direction(call: Call) -> list[Outgoing]:
    """Show what is sampled."""
    return [("sflow_direction_get_reply", (call.tables.sflow.direction,))]


def set_drops(call: Call, is_on: int) -> list[Outgoing]:
    """Tell about dropped packets, or not."""
    call.tables.sflow.has_drop_monitoring = int(bool(is_on))
    return [("sflow_drop_monitoring_set_reply", (0,))]


def get_drops(call: Call) -> list[Outgoing]:
    """Show whether dropped packets are told about."""
    return [("sflow_drop_monitoring_get_reply", (call.tables.sflow.has_drop_monitoring,))]


HANDLERS: Handlers = {
    "sflow_enable_disable": Handler(answer=set_enabled, is_change=True),
    "sflow_interface_dump": Handler(answer=dump),
    "sflow_sampling_rate_set": Handler(answer=set_rate, is_change=True),
    "sflow_sampling_rate_get": Handler(answer=get_rate),
    "sflow_polling_interval_set": Handler(answer=set_interval, is_change=True),
    "sflow_polling_interval_get": Handler(answer=get_interval),
    "sflow_header_bytes_set": Handler(answer=set_header, is_change=True),
    "sflow_header_bytes_get": Handler(answer=get_header),
    "sflow_direction_set": Handler(answer=set_direction, is_change=True),
    "sflow_direction_get": Handler(answer=get_direction),
    "sflow_drop_monitoring_set": Handler(answer=set_drops, is_change=True),
    "sflow_drop_monitoring_get": Handler(answer=get_drops),
}
