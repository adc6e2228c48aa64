"""The configuration file as frozen records with canonical values: what an operator wants, of whatever VPP."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from enum import Enum
from typing import Any, TypeVar

from vppcfg.entries.nat44 import Nat44Config
from vppcfg.entries.yaml.text import KeyValue
from vppcfg.model.acl import AclBinding, AclRule, MacipRule
from vppcfg.model.bridge import BridgeSettings
from vppcfg.model.checks import Check
from vppcfg.model.dataplane import DataplaneSection
from vppcfg.model.det44 import Det44Map, Det44Timeouts
from vppcfg.model.hooks import Hooks
from vppcfg.model.interface import Encapsulation, InterfaceKind, InterfaceValues, RxMode, TagRewrite
from vppcfg.model.ipfix import FlowParams, IpfixExporter
from vppcfg.model.ownership import MARK, kept_by_vpp
from vppcfg.model.placement import thread_of
from vppcfg.model.problem import KeyPath
from vppcfg.model.route import RouteEnd
from vppcfg.model.routing import RoutingFile
from vppcfg.model.state import LldpSettings, SflowSettings
from vppcfg.model.tunnel import Tunnel
from vppcfg.model.vrf import FibTable
from vppcfg.record import record

DEFAULT_MTU = 1500
"""Bytes, of an interface or a bridge domain without the key."""
MIN_MTU, MAX_MTU = 128, 9216
"""Bytes; as in schema/vppcfg.yaml."""


@record
class LcpConfig:
    """The `lcp` key: a Linux device name, and a namespace unless VPP's default is meant."""

    host_name: str
    netns: str | None = None


@record
class QueueConfig:
    """One entry below `rx-placement` or `tx-placement`."""

    key: str | int
    """As it stands in the file."""
    queue: int | None
    """None when the key is no number of a queue."""
    threads: tuple[str, ...]
    """As the file names them; of a receive queue it is one."""

    @property
    def numbers(self) -> set[int]:
        """Return VPP's numbers of the threads."""
        return {thread_of(name) for name in self.threads}


@record
class NeighborConfig:
    """One entry below `neighbors` of an interface."""

    key: str | int
    """As it stands in the file."""
    address: str | None
    """Canonical; None when the key is no address."""
    mac: str


@record
class TagRewriteConfig:
    """The key `tag-rewrite` of an interface."""

    rewrite: TagRewrite | None
    """None leaves the tags of frames as they are."""
    popped: int = 0
    """How many tags it takes off."""
    fault: str = ""
    """What is wrong about it; it means nothing then."""


@record
class HopConfig:
    """One next hop of a route, with the default of each key that is absent."""

    path: KeyPath
    has_keys: bool = field(default=True, compare=False)
    """False where the file has the gateway alone in its place."""
    gateway: str = ""
    """Canonical; '' for none."""
    interface: str = ""
    vrf: str | None = None
    """The VRF in which the gateway, or without one the destination, is looked up."""
    weight: int = 1
    preference: int = 0


@record
class PolicyRouteConfig:
    """One entry below `policy-routes` of an interface."""

    path: KeyPath
    acl: str
    priority: int = 0
    is_ipv6: bool = False
    """As in the file, else as its first gateway is."""
    hops: tuple[HopConfig, ...] = ()
    """In the order of the file; none where there is an end."""
    end: RouteEnd | None = None


@record
class InterfaceConfig(InterfaceValues):
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
    mtu: int = DEFAULT_MTU
    """Bytes; a sub-interface without the key has its parent's."""
    sets_mtu: bool = field(default=False, compare=False)
    """Whether the key is there; a sub-interface without an MTU of its own in VPP is left without one otherwise."""
    is_up: bool = True
    addresses: tuple[str, ...] = ()
    """Canonical address/length, in the order of the file."""
    without_length: frozenset[str] = field(default=frozenset(), compare=False)
    """Those of them that the file has without a length."""
    lcp: LcpConfig | None = None
    vrf: str | None = None
    """None is the default one."""
    neighbors: tuple[NeighborConfig, ...] = ()
    """In the order of the file."""
    tag_rewrite: TagRewriteConfig | None = None
    """None is the usual one."""
    rx_mode: RxMode | None = None
    """None leaves it as it is."""
    rx_placement: tuple[QueueConfig, ...] = ()
    """In the order of the file; queues that are not named stay where they are."""
    tx_placement: tuple[QueueConfig, ...] = ()
    policy_routes: tuple[PolicyRouteConfig, ...] | None = None
    """In the order of the file; None has none, and leaves those of other programs as they are."""
    acls: AclBinding = AclBinding()


@record
class VirtualInterfaceConfig:
    """One entry of a section whose objects VPP makes on demand; a kind is a subclass, in the module of its section.

    MTU, addresses and so on of the same interface stand in its InterfaceConfig.
    """

    name: str
    path: KeyPath
    description: str | None = None
    mac: str | None = None
    """Canonical; None leaves it as it is. Most kinds have it in the entry below `interfaces`."""
    members: tuple[str, ...] = ()
    """The ports that a bond is made of; those of any other kind are none."""

    def macs(self) -> Iterator[tuple[str, KeyPath]]:
        """Yield the MAC addresses that the entry sets, each with its place."""
        if self.mac is not None:
            yield self.mac, (*self.path, "mac")

    @property
    def descriptors(self) -> int:
        """Return how many buffers its rings hold, of a kind whose entry sets their sizes."""
        return 0

    @property
    def has_ethernet(self) -> bool:
        """Return whether the interface carries Ethernet frames."""
        return True

    @property
    def mark(self) -> str:
        """Return the mark in the tag of the interface."""
        return MARK


_Kind = TypeVar("_Kind", bound=VirtualInterfaceConfig)


@record
class EncapConfig(VirtualInterfaceConfig):
    """One entry of a section of interfaces whose packets travel inside of others, from an own address."""

    encap_vrf: str | None = None
    """The VRF of the packets outside; None is the default one."""

    @property
    def local(self) -> str:
        """Return the own address, canonical."""
        raise NotImplementedError

    def parts(self) -> Iterator[KeyPath]:
        """Yield the paths below the entry that have places of their own, such as those of peers."""
        yield from ()


@record
class TunnelConfig(EncapConfig):
    """One entry of a section of tunnels."""

    tunnel: Tunnel
    """As in the file, with the default table in place of the VRF, which VPP knows by number only."""
    given: frozenset[str] = field(default=frozenset(), compare=False)
    """The keys that the entry has, at their default too."""

    @property
    def local(self) -> str:
        """Return the own address, canonical."""
        return self.tunnel.local

    @property
    def remote(self) -> str:
        """Return the address of the other router, canonical; that of none, of a multipoint tunnel."""
        return self.tunnel.remote

    @property
    def has_ethernet(self) -> bool:
        """Return whether frames go through, and not packets."""
        return self.tunnel.has_ethernet

    @property
    def added_bytes(self) -> int:
        """Return how many bytes longer a packet is outside than inside: those of all headers before it."""
        return (40 if ":" in self.local else 20) + self.tunnel.header_bytes


@record
class StaticMacConfig:
    """One entry below `static-macs` of a bridge domain."""

    key: str | int
    """As it stands in the file."""
    mac: str | None
    """Canonical; None when the key is no MAC address."""
    member: str


@record
class BridgeConfig:
    """One entry below `bridgedomains`."""

    name: str
    path: KeyPath
    bd_id: int
    description: str | None = None
    mtu: int = DEFAULT_MTU
    """Bytes; what all members must have, VPP knows none for a bridge."""
    bvi: str | None = None
    members: tuple[str, ...] = ()
    split_horizon: Mapping[str, int] | None = None
    """Groups of members that send each other nothing, 0 (none) for those that are not named; None leaves them as they
    are."""
    static_macs: tuple[StaticMacConfig, ...] = ()
    """In the order of the file."""
    filtered_macs: tuple[str, ...] = ()
    """Canonical, in the order of the file."""
    settings: BridgeSettings = BridgeSettings()


@record
class VrfConfig:
    """One entry below `vrfs`."""

    name: str
    path: KeyPath
    table_id: int
    description: str | None = None
    """VPP has no place for it."""
    has_ipv4: bool = True
    has_ipv6: bool = True

    def tables(self) -> Iterator[FibTable]:
        """Yield the tables that it is to have in VPP."""
        for is_ipv6, is_wanted in ((False, self.has_ipv4), (True, self.has_ipv6)):
            if is_wanted:
                yield FibTable(table_id=self.table_id, is_ipv6=is_ipv6, name=self.name)


@record
class ProxyArpRange:
    """One range of the section `proxy_arp`."""

    first: str
    """Canonical."""
    last: str
    vrf: str | None
    """None is the default one."""
    path: KeyPath


@record
class RouteConfig:
    """One entry of `routes`, of the section or of a VRF."""

    prefix: str
    """Canonical."""
    vrf: str | None
    """None is the default one."""
    path: KeyPath
    hops: tuple[HopConfig, ...] = ()
    """In the order of the file; none where there is an end."""
    end: RouteEnd | None = None


@record
class AclConfig:
    """One entry below `acls`: its terms multiplied out into VPP's rules, prefix lists and families resolved."""

    name: str
    path: KeyPath
    rules: tuple[AclRule, ...]
    positions: tuple[int, ...] = field(default=(), compare=False)
    """The term that each rule comes of; nothing for a list that VPP has."""


@record
class MacipConfig:
    """One entry below `macip_acls`: its terms multiplied out into VPP's rules, prefix lists and families resolved."""

    name: str
    path: KeyPath
    rules: tuple[MacipRule, ...]
    positions: tuple[int, ...] = field(default=(), compare=False)
    """The term that each rule comes of."""


@record
class IpfixConfig:
    """The section `ipfix`."""

    exporter: IpfixExporter = IpfixExporter()
    """Without its FIB table."""
    vrf: str | None = None
    """None is the default one."""
    params: FlowParams = FlowParams()


class KeyHolder(Enum):
    """Below what a key of `OwnedConfig` stands."""

    FILE = "the file"
    INTERFACE = "an interface"
    TUNNEL = "a tunnel, in the section that it is made in"
    VRF = "a VRF"
    BRIDGE = "a bridge domain"


@record
class OwnedConfig:
    """One key by which the file owns objects of VPP that bear no mark: while it is absent, no plan touches them."""

    holder: KeyHolder
    name: str
    """Of the interface, VRF, bridge domain or tunnel; '' for the file."""
    path: KeyPath
    value: Any
    """What stands there, in the form of its kind."""
    yaml: KeyValue = field(compare=False)
    """The key with its value, as it is written."""


@record
class Det44Config:
    """The section `det44`."""

    maps: tuple[Det44Map, ...] = ()
    """In the order of the file."""
    timeouts: Det44Timeouts = Det44Timeouts()


@record
class Configuration:
    """A whole file. Sub-interfaces stand beside their parents, by their VPP name (`PARENT.ID`)."""

    interfaces: Mapping[str, InterfaceConfig] = field(default_factory=dict)
    """Everything below `interfaces` and `loopbacks`; a tunnel or TAP may stand in its own section alone."""
    virtual: Mapping[str, VirtualInterfaceConfig] = field(default_factory=dict)
    """What bonds, tunnels and TAPs are to be made with, by interface."""
    bridges: Mapping[str, BridgeConfig] = field(default_factory=dict)
    """By name, bdN."""
    vrfs: Mapping[str, VrfConfig] = field(default_factory=dict)
    acls: Mapping[str, AclConfig] = field(default_factory=dict)
    macips: Mapping[str, MacipConfig] = field(default_factory=dict)
    sflow: SflowSettings = SflowSettings()
    lldp: LldpSettings = LldpSettings()
    ipfix: IpfixConfig | None = None
    """None records nothing, and leaves an exporter alone that something else uses."""
    proxy_arps: tuple[ProxyArpRange, ...] = ()
    """In the order of the file."""
    routes: tuple[RouteConfig, ...] = ()
    """Of all VRFs, in the order of the file."""
    det44: Det44Config | None = None
    """None leaves deterministic NAT alone."""
    nat44: Nat44Config | None = None
    """None leaves NAT44 alone."""
    entries: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The entries of the sections that kinds of objects have for themselves, by the key of the section and by name."""
    owned: Mapping[str, Mapping[str, OwnedConfig]] = field(default_factory=dict)
    """What stands at keys whose objects are the file's as soon as the key is there, by key and name of the holder."""
    unmanaged: tuple[str, ...] = ()
    """Globs over names of objects that are read past."""
    protected: tuple[str, ...] = ()
    """Interfaces that no plan may do anything to."""
    routing: tuple[RoutingFile, ...] = ()
    """Routing daemons whose configuration changes together with that of VPP."""
    checks: tuple[Check, ...] = ()
    """What shows whether the router does its work, in the order of the file."""
    hooks: Hooks = Hooks()
    """What is run after a change."""
    dataplane: DataplaneSection | None = None
    """How VPP itself is set up; plans do not look at it."""

    def macs(self) -> Iterator[tuple[str, KeyPath]]:
        """Yield every MAC address that the file gives to an interface, and where."""
        for interface in self.interfaces.values():
            if interface.mac is not None:
                yield interface.mac, (*interface.path, "mac")
        for virtual in self.virtual.values():
            yield from virtual.macs()

    def virtual_of(self, name: str, kind: type[_Kind]) -> _Kind | None:
        """Return what an interface of a kind is to be made with, None when it is none of that kind."""
        virtual = self.virtual.get(name)
        return virtual if isinstance(virtual, kind) else None

    def virtual_as(self, kind: type[_Kind]) -> dict[str, _Kind]:
        """Return what all interfaces of a kind are to be made with, by name; it goes through all kinds each time."""
        return {name: virtual for name, virtual in self.virtual.items() if isinstance(virtual, kind)}

    def owned_keys(self, holder: KeyHolder, name: str) -> list[KeyValue]:
        """Return the keys of `owned` that stand below an interface, VRF, bridge domain or tunnel."""
        found = (entries[name] for entries in self.owned.values() if name in entries)
        return [each.yaml for each in found if each.holder is holder]

    def described_beyond_tags(self) -> list[InterfaceConfig | VirtualInterfaceConfig | BridgeConfig]:
        """Return the entries with a description of which a tag of VPP does not hold every character."""
        entries: list[InterfaceConfig | VirtualInterfaceConfig | BridgeConfig] = [*self.interfaces.values()]
        entries += [*self.virtual.values(), *self.bridges.values()]
        return [entry for entry in entries if entry.description and self.kept_by_vpp(entry) != entry.description]

    def kept_by_vpp(self, entry: InterfaceConfig | VirtualInterfaceConfig | BridgeConfig) -> str:
        """Return what a tag holds of the description of an entry."""
        virtual = self.virtual.get(entry.name)
        return kept_by_vpp(entry.description or "", MARK if virtual is None else virtual.mark)

    def path_of(self, name: str) -> KeyPath | None:
        """Return where the file names an interface, None when it does not."""
        entry = self.interfaces.get(name) or self.virtual.get(name)
        return None if entry is None else entry.path
