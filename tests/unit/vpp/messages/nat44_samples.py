"""What the operations of NAT44 send: an operation, the name of its message, and values of it."""

from __future__ import annotations

from typing import Any

from vppcfg.kinds.nat44.exemptions import AddNatExemption, RemoveNatExemption
from vppcfg.kinds.nat44.interface import SetNatOutput, SetNatSide
from vppcfg.kinds.nat44.leaks import AddNatLeak, AddNatLeaks, RemoveNatLeaks
from vppcfg.kinds.nat44.mappings import AddNatMapping, RemoveNatMapping
from vppcfg.kinds.nat44.pools import AddNatAddress, AddNatPool, RemoveNatAddress, RemoveNatPool
from vppcfg.kinds.nat44.settings import DisableNat44, EnableNat44, SetNatForwarding, SetNatMss, SetNatTimeouts
from vppcfg.model.nat44 import (
    Nat44,
    NatAddress,
    NatExemption,
    NatLeaks,
    NatMapping,
    NatPool,
    NatProtocol,
    TwiceNat,
)
from vppcfg.plan.operation import Operation

SETTINGS = Nat44(sessions=1000, inside_table=7)
TWICE = NatAddress(address="192.0.2.9", table_id=7, is_twice=True)
BY_ADDRESS = NatMapping(local="10.0.0.9", external="192.0.2.9", table_id=7, tag="all")
BY_INTERFACE = NatMapping(
    local="10.0.0.9",
    interface="other",
    protocol=NatProtocol.TCP,
    local_port=22,
    external_port=2222,
    twice=TwiceNat.SELF,
    is_out_to_in_only=True,
    tag="ssh",
)
EXEMPT = NatExemption(interface="other", protocol=NatProtocol.UDP, port=500, tag="ike")
_NONE = 0xFFFFFFFF
_SWITCH, _SIDE = "nat44_ed_plugin_enable_disable", "nat44_interface_add_del_feature"
_RANGE, _POOL = "nat44_add_del_address_range", "nat44_add_del_interface_addr"
_MAPPING, _IDENTITY = "nat44_add_del_static_mapping_v2", "nat44_add_del_identity_mapping"
_LEAKS, _LEAK = "nat44_ed_add_del_vrf_table", "nat44_ed_add_del_vrf_route"
_OWN = {"local_ip_address": b"\x0a\0\0\x09", "external_sw_if_index": 2, "protocol": 6, "flags": 6}


def _tag(text: str) -> bytes:
    return text.encode().ljust(64, b"\0")


SAMPLES: list[tuple[Operation, str, dict[str, Any]]] = [
    (EnableNat44(item=SETTINGS), _SWITCH, {"enable": True, "sessions": 1000, "inside_vrf": 7, "outside_vrf": 0}),
    (DisableNat44(item=SETTINGS), _SWITCH, {"enable": False}),
    (
        SetNatTimeouts(udp_s=1, tcp_established_s=2, tcp_transitory_s=3, icmp_s=4),
        "nat_set_timeouts",
        {"udp": 1, "tcp_established": 2, "tcp_transitory": 3, "icmp": 4},
    ),
    (SetNatForwarding(is_on=True), "nat44_forwarding_enable_disable", {"enable": True}),
    (SetNatMss(mss=1400), "nat_set_mss_clamping", {"mss_value": 1400, "enable": True}),
    (SetNatMss(mss=0), "nat_set_mss_clamping", {"mss_value": 0, "enable": False}),
    (
        AddNatAddress(item=NatAddress(address="192.0.2.9")),
        _RANGE,
        {"is_add": True, "vrf_id": _NONE, "flags": 0},
    ),
    (RemoveNatAddress(item=TWICE), _RANGE, {"is_add": False, "vrf_id": 7, "flags": 1}),
    (AddNatPool(item=NatPool(interface="other")), _POOL, {"is_add": True, "sw_if_index": 2, "flags": 0}),
    (RemoveNatPool(item=NatPool(interface="port", is_twice=True)), _POOL, {"sw_if_index": 1, "flags": 1}),
    (
        AddNatMapping(item=BY_ADDRESS),
        _MAPPING,
        {
            "flags": 8,
            "external_ip_address": b"\xc0\0\2\x09",
            "external_sw_if_index": _NONE,
            "vrf_id": 7,
            "tag": _tag("all"),
        },
    ),
    (AddNatMapping(item=BY_INTERFACE), _MAPPING, {**_OWN, "is_add": True, "tag": _tag("ssh|out2in|self")}),
    (RemoveNatMapping(item=BY_INTERFACE), _MAPPING, {**_OWN, "is_add": False, "external_port": 2222}),
    (
        AddNatExemption(item=EXEMPT),
        _IDENTITY,
        {"is_add": True, "flags": 0, "protocol": 17, "port": 500, "sw_if_index": 2, "tag": _tag("ike")},
    ),
    (RemoveNatExemption(item=NatExemption(address="10.0.0.9", table_id=7)), _IDENTITY, {"flags": 8, "vrf_id": 7}),
    (AddNatLeaks(item=NatLeaks(table_id=7)), _LEAKS, {"table_vrf_id": 7, "is_add": True}),
    (RemoveNatLeaks(item=NatLeaks(table_id=7)), _LEAKS, {"table_vrf_id": 7, "is_add": False}),
    (AddNatLeak(table_id=7, target=8), _LEAK, {"table_vrf_id": 7, "vrf_id": 8, "is_add": True}),
    (SetNatSide(interface="other", is_inside=True, is_on=True), _SIDE, {"sw_if_index": 2, "flags": 32}),
    (SetNatSide(interface="other", is_inside=False, is_on=False), _SIDE, {"flags": 16, "is_add": False}),
    (
        SetNatOutput(interface="other", is_on=True),
        "nat44_ed_add_del_output_interface",
        {"sw_if_index": 2, "is_add": True},
    ),
]
