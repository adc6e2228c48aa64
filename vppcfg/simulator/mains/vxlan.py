"""VXLAN tunnels (plugins/vxlan/vxlan.h)."""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address

from vppcfg.simulator.pool import Pool
from vppcfg.simulator.wire import NONE

Address = IPv4Address | IPv6Address
TunnelKey = tuple[int | Address, ...]


@dataclass(slots=True, kw_only=True)
class Tunnel:
    """One tunnel (vxlan_tunnel_t)."""

    index: int
    number: int
    """The N of vxlan_tunnelN."""
    source: Address
    destination: Address
    source_port: int
    destination_port: int
    vni: int
    mcast_sw_if_index: int = NONE
    table: int = 0
    decap_next: int = 1
    key: TunnelKey = ()
    sw_if_index: int = 0


@dataclass(slots=True, kw_only=True)
class VxlanMain:
    """All tunnels."""

    tunnels: Pool[Tunnel] = field(default_factory=Pool)
    by_key: dict[TunnelKey, int] = field(default_factory=dict)
    by_sw: dict[int, int] = field(default_factory=dict)
    numbers: set[int] = field(default_factory=set)
