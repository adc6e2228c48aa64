"""TAPs: one dump in, what each was made with by name out. What became of it in Linux is not known here."""

from __future__ import annotations

from collections.abc import Mapping

from vppcfg.model.tap import Tap
from vppcfg.vpp.connection import Connection, Replies, text_of
from vppcfg.vpp.observe.interface import Row

_ALL = 0xFFFFFFFF
_DUMP = "sw_interface_tap_v2_dump"
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


def requests(connection: Connection) -> list[bytes]:
    """Return the request for all TAPs, where VPP has the tap plugin."""
    return [connection.request(_DUMP, {"sw_if_index": _ALL})[1]] if connection.offers(_DUMP) else []


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
