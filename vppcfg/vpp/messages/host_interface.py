"""Host-interfaces: ports on devices of Linux (plugins/af_packet/af_packet.api)."""

from __future__ import annotations

from collections.abc import Mapping

from vppcfg.model.host_interface import HOST_INTERFACE_PREFIX, HostInterface
from vppcfg.plan import operations as op
from vppcfg.plan.request import Indexes, Messages, Request, Value, Vocabulary
from vppcfg.vpp.connection import Connection, text_of
from vppcfg.vpp.reading import Replies
from vppcfg.vpp.row import Row

_DUMP = "af_packet_dump"
PARTS = {"af_packet": _DUMP}
_QDISC_BYPASS, _CKSUM_GSO = 1, 2
"""What `create host-interface` turns on unless told otherwise, and the API does not: AF_PACKET_API_FLAG_*."""


def _create_host_interface(operation: op.CreateHostInterface, indexes: Indexes, vpp: Vocabulary) -> Request:
    values: dict[str, Value] = {
        "mode": 1,
        "use_random_hw_addr": 1,
        "host_if_name": operation.port.device,
        "flags": _QDISC_BYPASS | _CKSUM_GSO,
        "num_rx_queues": 1,
        "num_tx_queues": 1,
    }
    return Request("af_packet_create_v3", values)


def _delete_host_interface(operation: op.DeleteHostInterface, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request("af_packet_delete", {"host_if_name": operation.port.device})


MESSAGES: Messages = {
    op.CreateHostInterface: _create_host_interface,
    op.DeleteHostInterface: _delete_host_interface,
}


def requests(connection: Connection) -> list[bytes]:
    """Return the request for all host-interfaces, where VPP has the plugin."""
    return [connection.request(_DUMP)[1]] if connection.offers(_DUMP) else []


def read(connection: Connection, replies: Replies, rows: Mapping[int, Row]) -> dict[str, HostInterface]:
    """Return the host-interfaces by name, without those that somebody gave another one; `rows` are by index."""
    if not connection.offers(_DUMP):
        return {}
    found = connection.rows(replies, "af_packet_details", "sw_if_index", "host_if_name")
    devices = {rows[index].name: text_of(device) for index, device in found if index in rows}
    return {
        name: HostInterface(device=device)
        for name, device in devices.items()
        if name == f"{HOST_INTERFACE_PREFIX}{device}"
    }
