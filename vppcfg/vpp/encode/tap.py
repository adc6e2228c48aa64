"""What is said about TAPs."""

from __future__ import annotations

from vppcfg.plan import operations as op
from vppcfg.vpp.codec import Value
from vppcfg.vpp.encode.interface import mac_bytes
from vppcfg.vpp.encode.request import Indexes, Request, Vocabulary, encode

_TAP = ("tap_create_v3", "tap_create_v2")
"""Newest first; v3 is in 22.06 already. They differ in the number of queues."""


@encode.register
def _(operation: op.CreateTap, indexes: Indexes, vpp: Vocabulary) -> Request:
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


@encode.register
def _(operation: op.DeleteTap, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request("tap_delete_v2", {"sw_if_index": indexes.interface(operation.interface)})
