"""A configuration file as typed, canonical values: what the operator wants, before it meets a dataplane."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from vppcfg.model.acl import AclBinding, AclRule
from vppcfg.model.bond import BondMode, LoadBalance
from vppcfg.model.bridge import BridgeSettings
from vppcfg.model.dataplane import DataplaneSection
from vppcfg.model.interface import Encapsulation, InterfaceKind
from vppcfg.model.problem import KeyPath
from vppcfg.model.sflow import SflowSettings
from vppcfg.record import record


@record
class LcpConfig:
    """The `lcp` key: a Linux device name, and a namespace unless VPP's default is meant."""

    host_name: str
    netns: str | None = None


@record
class InterfaceConfig:
    """One entry below `interfaces`, `sub-interfaces` or `loopbacks`, defaults filled in."""

    name: str
    path: KeyPath
    """Where it stands in the file."""
    kind: InterfaceKind = InterfaceKind.PHYSICAL
    parent: str | None = None
    sub_id: int = 0
    encapsulation: Encapsulation | None = None
    description: str | None = None
    device_type: str | None = None
    mac: str | None = None
    """Canonical; None leaves it as it is. That of a bond stands in its BondConfig."""
    mtu: int = 1500
    """Bytes; a sub-interface without the key has its parent's."""
    is_up: bool = True
    addresses: tuple[str, ...] = ()
    """Canonical address/length, in the order of the file."""
    unnumbered: str | None = None
    lcp: LcpConfig | None = None
    l2xc: str | None = None
    has_mpls: bool = False
    has_sflow: bool = False
    acls: AclBinding = AclBinding()


@record
class BondConfig:
    """One entry below `bondethernets`; its MTU, addresses and so on stand in its InterfaceConfig."""

    name: str
    path: KeyPath
    description: str | None = None
    mac: str | None = None
    members: tuple[str, ...] = ()
    mode: BondMode = BondMode.LACP
    load_balance: LoadBalance | None = LoadBalance.L34


@record
class BridgeConfig:
    """One entry below `bridgedomains`."""

    name: str
    path: KeyPath
    bd_id: int
    description: str | None = None
    mtu: int = 1500
    """Bytes; what all members must have, VPP knows none for a bridge."""
    bvi: str | None = None
    members: tuple[str, ...] = ()
    settings: BridgeSettings = BridgeSettings()


@record
class VxlanConfig:
    """One entry below `vxlan_tunnels`."""

    name: str
    path: KeyPath
    local: str
    remote: str
    vni: int
    description: str | None = None


@record
class TapConfig:
    """One entry below `taps`."""

    name: str
    path: KeyPath
    host_name: str
    description: str | None = None
    host_mac: str | None = None
    """Canonical; None leaves it as it is."""
    host_mtu: int | None = None
    host_bridge: str | None = None
    creates_bridge: bool = False
    host_netns: str | None = None
    creates_netns: bool = False
    rx_ring_size: int = 256
    tx_ring_size: int = 256


@record
class AclConfig:
    """One entry below `acls`: its terms multiplied out into VPP's rules, prefix lists and families resolved."""

    name: str
    path: KeyPath
    rules: tuple[AclRule, ...]


@record
class Configuration:
    """A whole file. Sub-interfaces stand beside their parents, by their VPP name (`PARENT.ID`)."""

    interfaces: Mapping[str, InterfaceConfig] = field(default_factory=dict)
    """Everything below `interfaces` and `loopbacks`; a tunnel or TAP may stand in its own section alone."""
    bonds: Mapping[str, BondConfig] = field(default_factory=dict)
    bridges: Mapping[str, BridgeConfig] = field(default_factory=dict)
    """By name, bdN."""
    vxlans: Mapping[str, VxlanConfig] = field(default_factory=dict)
    taps: Mapping[str, TapConfig] = field(default_factory=dict)
    acls: Mapping[str, AclConfig] = field(default_factory=dict)
    sflow: SflowSettings = SflowSettings()
    unmanaged: tuple[str, ...] = ()
    """Globs over names of objects that are read past."""
    protected: tuple[str, ...] = ()
    """Interfaces that no plan may take down or recreate."""
    dataplane: DataplaneSection | None = None
    """How VPP itself is set up; plans do not look at it."""
