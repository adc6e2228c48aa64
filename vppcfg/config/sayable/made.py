"""Bonds, VXLAN tunnels and TAPs: what they were made with that the configuration language cannot say."""

from __future__ import annotations

from vppcfg.common.addresses import canonical_host, is_unicast
from vppcfg.config.names import is_bond_name, is_lcp_name, is_netns_name, is_tap_name, is_vxlan_name
from vppcfg.config.rules.tap import MAX_RING, MIN_RING
from vppcfg.model.bond import Bond
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.state import State
from vppcfg.model.tap import Tap
from vppcfg.model.vxlan import Vxlan

MAX_VNI = 0xFFFFFF
MIN_MTU, MAX_MTU = 128, 9216


def why_made_unsayable(interface: Interface, state: State) -> str | None:
    """Return why what the interface was made with cannot be said."""
    name, made = interface.name, state.made.get(interface.name)
    if interface.kind is InterfaceKind.BOND:
        return None if is_bond_name(name) and isinstance(made, Bond) else _unknown("bond")
    if interface.kind is InterfaceKind.VXLAN:
        return _vxlan(made) if is_vxlan_name(name) and isinstance(made, Vxlan) else _unknown("tunnel")
    if interface.kind is InterfaceKind.TAP:
        return _tap(made) if is_tap_name(name) and isinstance(made, Tap) else _unknown("TAP")
    return None


def _unknown(what: str) -> str:
    return f"VPP does not show how this {what} is made"


def _vxlan(tunnel: Vxlan) -> str | None:
    if not tunnel.is_plain:
        return "it is a multicast tunnel, or has ports, a FIB table or a next node of its own"
    if not 1 <= tunnel.vni <= MAX_VNI:
        return f"its VNI {tunnel.vni} is outside of 1 to {MAX_VNI}"
    if not all(canonical_host(end) == end and is_unicast(end) for end in (tunnel.local, tunnel.remote)):
        return "one of its ends is no address of a host"
    return None


def _tap(tap: Tap) -> str | None:
    if not is_lcp_name(tap.host_name):
        return f"its Linux side has a name that the configuration does not allow: {tap.host_name}"
    if tap.host_bridge and not is_lcp_name(tap.host_bridge):
        return f"it is in a Linux bridge with a name that the configuration does not allow: {tap.host_bridge}"
    if tap.host_netns and not is_netns_name(tap.host_netns):
        return f'it is in a network namespace that the configuration cannot name: "{tap.host_netns}"'
    if tap.host_mtu and not MIN_MTU <= tap.host_mtu <= MAX_MTU:
        return f"the MTU of its Linux side is {tap.host_mtu}, outside of {MIN_MTU} to {MAX_MTU}"
    for size in (tap.rx_ring_size, tap.tx_ring_size):
        if not MIN_RING <= size <= MAX_RING:
            return f"it has a ring of {size}"
    return None
