"""TAPs and what each is made with. What became of its Linux device is read through netlink, not here."""

from __future__ import annotations

from collections.abc import Mapping

from vppcfg.model.tap import Tap
from vppcfg.plan import operations as op
from vppcfg.plan.request import ALL_INDEXES, Indexes, Messages, Request, Value, Vocabulary
from vppcfg.vpp.connection import Connection, text_of
from vppcfg.vpp.messages.interface import mac_bytes
from vppcfg.vpp.reading import Replies
from vppcfg.vpp.row import Row

_TAP = ("tap_create_v3", "tap_create_v2")
"""Newest first; v3 is in 22.06 already. They differ in the number of queues."""
_DUMP = "sw_interface_tap_v2_dump"
PARTS = {"tap": _DUMP}
_TUN = 16
"""TAP_API_FLAG_TUN (plugins/tap/tapv2.api): the device carries packets without Ethernet, and is called tunN."""
_PATHS = (
    "sw_if_index",
    "tx_ring_sz",
    "rx_ring_sz",
    "host_mtu_size",
    "host_mac_addr",
    "tap_flags",
    "host_if_name",
    "host_namespace",
    "host_bridge",
)


def _create_tap(operation: op.CreateTap, indexes: Indexes, vpp: Vocabulary) -> Request:
    tap = operation.tap
    values: dict[str, Value] = {
        "id": operation.instance,
        "use_random_mac": 1,
        "num_rx_queues": 1,
        "tx_ring_sz": tap.tx_ring_size,
        "rx_ring_sz": tap.rx_ring_size,
        "host_mtu_set": int(tap.host_mtu != 0),
        "host_mtu_size": tap.host_mtu,
        "host_mac_addr_set": int(tap.host_mac != ""),
        "host_mac_addr": mac_bytes(tap.host_mac),
        "tap_flags": tap.flags,
        "host_namespace_set": int(tap.host_netns != ""),
        "host_namespace": tap.host_netns,
        "host_if_name_set": 1,
        "host_if_name": tap.host_name,
        "host_bridge_set": int(tap.host_bridge != ""),
        "host_bridge": tap.host_bridge,
    }
    message = vpp.newest(_TAP)
    if vpp.has_field(message, "num_tx_queues"):
        values["num_tx_queues"] = 1
    return Request(message, values)


def _delete_tap(operation: op.DeleteTap, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request("tap_delete_v2", {"sw_if_index": indexes.interface(operation.interface)})


MESSAGES: Messages = {
    op.CreateTap: _create_tap,
    op.DeleteTap: _delete_tap,
}


def requests(connection: Connection) -> list[bytes]:
    """Return the request for all TAPs, where VPP has the tap plugin."""
    return [connection.request(_DUMP, {"sw_if_index": ALL_INDEXES})[1]] if connection.offers(_DUMP) else []


def read(connection: Connection, replies: Replies, rows: Mapping[int, Row]) -> dict[str, Tap]:
    """Return the TAPs by name; `rows` are the interfaces by index, without the VPP side of LCP pairs."""
    if not connection.offers(_DUMP):
        return {}
    return {
        rows[index].name: Tap(
            host_name=text_of(name),
            host_mac=mac.hex(":") if any(mac) else "",
            host_mtu=mtu,
            host_bridge=text_of(bridge),
            host_netns=text_of(netns),
            rx_ring_size=rx_size,
            tx_ring_size=tx_size,
            flags=flags,
        )
        for index, tx_size, rx_size, mtu, mac, flags, name, netns, bridge in connection.rows(
            replies, "sw_interface_tap_v2_details", *_PATHS
        )
        if index in rows and not flags & _TUN
    }
