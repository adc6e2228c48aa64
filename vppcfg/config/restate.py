"""From the parts of a State that a configuration can say to that configuration; nothing is checked here."""

from __future__ import annotations

import re

from vppcfg.common.addresses import address_key
from vppcfg.common.names import natural_key
from vppcfg.config.left_alone import LeftAlone
from vppcfg.config.names import glob_of
from vppcfg.config.parse.interface import DEFAULT_MTU
from vppcfg.model.bond import Bond
from vppcfg.model.bridge import bridge_name
from vppcfg.model.configuration import (
    AclConfig,
    BondConfig,
    BridgeConfig,
    Configuration,
    InterfaceConfig,
    LcpConfig,
    TapConfig,
    VxlanConfig,
)
from vppcfg.model.device import DEFAULT_DEVICE_TYPE, DEVICE_TYPES
from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind
from vppcfg.model.ownership import description_of
from vppcfg.model.problem import KeyPath
from vppcfg.model.state import State
from vppcfg.model.tap import Tap
from vppcfg.model.vxlan import Vxlan

_TYPES_BY_CLASS = {device.device_class: name for name, device in DEVICE_TYPES.items() if name != DEFAULT_DEVICE_TYPE}
_DEFAULT_LOOPBACK_MAC = re.compile(r"de:ad:00:00:00:[0-9a-f]{2}|")
"""What VPP gives to a loopback (vnet/ethernet/interface.c, vnet_create_loopback_interface)."""


def restated(state: State, left: LeftAlone) -> Configuration:
    """Return the configuration of all that is not left alone."""
    names = [name for name in state.interfaces if not left.covers(name, state)]
    said = {name: _interface(name, state) for name in sorted(names, key=natural_key)}
    return Configuration(
        interfaces=said,
        bonds={name: _bond(name, made, state) for name in said if isinstance(made := state.made.get(name), Bond)},
        bridges=_bridges(state, left),
        vxlans={name: _vxlan(name, made) for name in said if isinstance(made := state.made.get(name), Vxlan)},
        taps={name: _tap(name, made) for name in said if isinstance(made := state.made.get(name), Tap)},
        acls={
            name: AclConfig(name=name, path=("acls", name), rules=state.acls[name].rules)
            for name in sorted(state.acls, key=natural_key)
            if name not in left.acls
        },
        sflow=state.sflow,
        unmanaged=tuple(unmanaged_globs(state, left)),
    )


def unmanaged_globs(state: State, left: LeftAlone) -> dict[str, str]:
    """Return the patterns for what is left alone, in order, each with the reason."""
    listed = {
        name: why for name, why in left.interfaces.items() if state.interfaces[name].parent not in left.interfaces
    }
    found = {glob_of(name): listed[name] for name in sorted(listed, key=natural_key)}
    found |= {glob_of(name): left.bridges[name] for name in sorted(left.bridges, key=natural_key)}
    return found | {glob_of(f"acl:{state.acls[name].tag}"): left.acls[name] for name in sorted(left.acls)}


def _interface(name: str, state: State) -> InterfaceConfig:
    interface = state.interfaces[name]
    return InterfaceConfig(
        name=name,
        path=_path(interface),
        kind=interface.kind,
        parent=interface.parent,
        sub_id=interface.sub_id,
        encapsulation=interface.encapsulation if isinstance(interface.encapsulation, Encapsulation) else None,
        description=description_of(interface.tag) or None,
        device_type=_TYPES_BY_CLASS.get(interface.device_class) if interface.kind is InterfaceKind.PHYSICAL else None,
        mac=_mac(interface),
        mtu=state.packet_mtu(name),
        is_up=interface.is_up,
        addresses=tuple(sorted(interface.addresses, key=address_key)),
        unnumbered=interface.unnumbered,
        lcp=_lcp(name, state),
        l2xc=interface.l2xc,
        has_mpls=interface.has_mpls,
        has_sflow=interface.has_sflow,
        acls=interface.acls,
    )


def _path(interface: Interface) -> KeyPath:
    if interface.parent is not None:
        return "interfaces", interface.parent, "sub-interfaces", interface.sub_id
    section = "loopbacks" if interface.kind is InterfaceKind.LOOPBACK else "interfaces"
    return section, interface.name


def _mac(interface: Interface) -> str | None:
    """Return the MAC of a loopback that somebody has set; that of a port may be the hardware's, and stays open."""
    if interface.kind is not InterfaceKind.LOOPBACK or _DEFAULT_LOOPBACK_MAC.fullmatch(interface.mac):
        return None
    return interface.mac


def _lcp(name: str, state: State) -> LcpConfig | None:
    pair = state.lcps.get(name)
    if pair is None:
        return None
    is_default = pair.netns == state.facts.lcp.default_netns
    return LcpConfig(host_name=pair.host_name, netns=None if is_default else pair.netns)


def _bond(name: str, bond: Bond, state: State) -> BondConfig:
    return BondConfig(
        name=name,
        path=("bondethernets", name),
        mac=state.interfaces[name].mac or None,
        members=tuple(sorted(bond.members, key=natural_key)),
        mode=bond.mode,
        load_balance=bond.load_balance if bond.mode.has_load_balance else None,
    )


def _bridges(state: State, left: LeftAlone) -> dict[str, BridgeConfig]:
    members: dict[str, list[Interface]] = {}
    for interface in state.interfaces.values():
        if interface.bridge is not None:
            members.setdefault(bridge_name(interface.bridge), []).append(interface)
    names = sorted((name for name in state.bridges if name not in left.bridges), key=natural_key)
    return {name: _bridge(name, state, members.get(name, [])) for name in names}


def _bridge(name: str, state: State, members: list[Interface]) -> BridgeConfig:
    bridge = state.bridges[name]
    described = description_of(bridge.tag)
    virtual = sorted(member.name for member in members if member.is_bvi)
    return BridgeConfig(
        name=name,
        path=("bridgedomains", name),
        bd_id=bridge.bd_id,
        description=described if described and described.isprintable() and not set("'\"") & set(described) else None,
        mtu=state.packet_mtu(members[0].name) if members else DEFAULT_MTU,
        bvi=virtual[0] if virtual else None,
        members=tuple(sorted((member.name for member in members if not member.is_bvi), key=natural_key)),
        settings=bridge.settings,
    )


def _vxlan(name: str, tunnel: Vxlan) -> VxlanConfig:
    path = ("vxlan_tunnels", name)
    return VxlanConfig(name=name, path=path, local=tunnel.local, remote=tunnel.remote, vni=tunnel.vni)


def _tap(name: str, tap: Tap) -> TapConfig:
    return TapConfig(
        name=name,
        path=("taps", name),
        host_name=tap.host_name,
        host_mac=tap.host_mac or None,
        host_mtu=tap.host_mtu or None,
        host_bridge=tap.host_bridge or None,
        host_netns=tap.host_netns or None,
        rx_ring_size=tap.rx_ring_size,
        tx_ring_size=tap.tx_ring_size,
    )
