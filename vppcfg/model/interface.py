"""Interfaces and sub-interfaces of a VPP dataplane, as desired and as observed, and the drivers that some have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, fields
from enum import Enum, IntEnum
from operator import attrgetter
from typing import Any

from vppcfg.common.addresses import address_key
from vppcfg.model.acl import AclBinding
from vppcfg.model.bridge import StaticMac
from vppcfg.model.det44 import Det44Side
from vppcfg.model.features import DhcpClient, Lldp, Mirror, MssLimit, PacketFeature, RouterAdvertisements, UrpfCheck
from vppcfg.model.ipfix import FlowRecords
from vppcfg.model.live import LiveAddress
from vppcfg.model.nat44 import NatSide
from vppcfg.model.neighbor import Neighbor
from vppcfg.model.placement import Placements
from vppcfg.model.policy_route import PolicyRoute
from vppcfg.record import evolve, record

_PORT_MTU = 9000
"""Bytes; link and packet MTU of an unconfigured Ethernet port (vnet/ethernet/interface.c)."""
WITHOUT_MTU = 9000
"""Bytes of the largest packet that VPP routes out of an interface without a packet MTU (vnet/interface_funcs.h)."""

_FRAME_OVERHEAD = 22
"""Bytes of header and two VLAN tags that VPP takes off the largest frame for the link MTU (vnet/ethernet/interface.c);
that of the drivers of its own is in vnet/dev/port.c and drivers/."""

FIXED_LINK_MTU = frozenset({"RDMA interface", "AF_XDP interface", "atlantic"})
"""Driver classes that refuse every change of their link MTU (rdma/device.c, af_xdp/device.c,
drivers/atlantic/port.c)."""

LINK_MTU_WHILE_UP = frozenset({"af-packet", "memif", "virtio", "tap", "VXLAN"})
"""Driver classes that take a new link MTU while the port is up. Others may answer that the port is running (many
DPDK drivers do, dpdk/device/init.c; so do VPP's own, drivers/iavf/port.c), so these are shut for it."""


@record
class DeviceType:
    """A value of the `device-type` key: the defaults of a port of that kind."""

    device_class: str
    link_mtu: int = _PORT_MTU
    packet_mtu: int = _PORT_MTU


DEVICE_TYPES = {
    "dpdk": DeviceType(device_class="dpdk"),
    "af-packet": DeviceType(device_class="af-packet"),
    "af-xdp": DeviceType(device_class="AF_XDP interface"),
    "rdma": DeviceType(device_class="RDMA interface"),
    "memif": DeviceType(device_class="memif"),
    "vmxnet3": DeviceType(device_class="VMXNET3 interface"),
    "virtio": DeviceType(device_class="virtio"),
    "vhost-user": DeviceType(device_class="vhost-user"),
    "atlantic": DeviceType(device_class="atlantic", link_mtu=16352 - _FRAME_OVERHEAD),
    "iavf": DeviceType(device_class="iavf", link_mtu=1514 - _FRAME_OVERHEAD),
    "ige": DeviceType(device_class="ige", link_mtu=9728 - _FRAME_OVERHEAD),
    "octeon": DeviceType(device_class="octeon"),
}
DEFAULT_DEVICE_TYPE = "dpdk"


class RxMode(Enum):
    """How VPP learns that packets have come to a port; the values are those of the file."""

    POLLING = "polling"
    INTERRUPT = "interrupt"
    ADAPTIVE = "adaptive"
    """By interrupts while little comes, by polling otherwise."""
    MIXED = "mixed"
    """Not the same of all queues, which the configuration never sets."""


RX_MODES = {1: RxMode.POLLING, 2: RxMode.INTERRUPT, 3: RxMode.ADAPTIVE}
"""RX_MODE_API_POLLING and so on (vnet/interface_types.api)."""


_USUALLY_INTERRUPTED = frozenset({"af-packet", "memif", "vhost-user", "virtio"})
"""Driver classes whose ports VPP makes with interrupts."""


def usual_rx_mode(device_class: str) -> RxMode:
    """Return the default rx-mode of a driver's port."""
    return RxMode.INTERRUPT if device_class in _USUALLY_INTERRUPTED else RxMode.POLLING


class InterfaceKind(Enum):
    """What an interface is to vppcfg: who makes it, and what can be done with it."""

    PHYSICAL = "physical"
    """Exists by itself or was made outside the configuration; never created, never deleted."""
    SUB_INTERFACE = "sub-interface"
    LOOPBACK = "loopback"
    BOND = "bond"
    VXLAN = "vxlan"
    GRE = "gre"
    IPIP = "ipip"
    WIREGUARD = "wireguard"
    TAP = "tap"
    HOST_INTERFACE = "host-interface"
    MEMIF = "memif"
    VHOST_USER = "vhost-user"


PORTS = frozenset({InterfaceKind.PHYSICAL, InterfaceKind.HOST_INTERFACE, InterfaceKind.MEMIF, InterfaceKind.VHOST_USER})
"""Where frames come in from outside of VPP, whoever made it."""


class SubFlag(IntEnum):
    """sub_if_flags (vnet/interface_types.api)."""

    NO_TAGS = 1
    ONE_TAG = 2
    TWO_TAGS = 4
    DOT1AD = 8
    EXACT_MATCH = 16
    DEFAULT = 32
    OUTER_ANY = 64
    INNER_ANY = 128


_MATCH = sum(SubFlag)
"""Every bit that speaks of the match; DOT1AH speaks of provider backbone bridging."""
_TAGS = SubFlag.ONE_TAG | SubFlag.TWO_TAGS
_PLAIN = _TAGS | SubFlag.DOT1AD | SubFlag.EXACT_MATCH


@record
class Encapsulation:
    """The VLAN tags that a sub-interface matches (VPP's create_subif): 802.1Q or 802.1ad outside, 802.1Q inside."""

    outer: int
    """Outer VLAN id, 1..4095."""
    inner: int | None = None
    """Inner VLAN id, 1..4095; None for one tag."""
    is_dot1ad: bool = False
    is_exact: bool = False

    @property
    def tag_count(self) -> int:
        """Return how many tags are matched, 1 or 2."""
        return 1 if self.inner is None else 2

    def carries(self, inner: Encapsulation) -> bool:
        """Return whether this is one tag, and `inner` two of which that is the outer one."""
        if self.inner is not None or inner.inner is None:
            return False
        return (self.outer, self.is_dot1ad) == (inner.outer, inner.is_dot1ad)

    @property
    def tags(self) -> tuple[int, int | None, bool]:
        """Return what must be unique on a port: VPP refuses the same tags twice, exact-match or not."""
        return self.outer, self.inner, self.is_dot1ad

    @property
    def flags(self) -> int:
        """Return it as `SubFlag` bits."""
        flags = int(SubFlag.ONE_TAG if self.inner is None else SubFlag.TWO_TAGS)
        flags |= SubFlag.DOT1AD if self.is_dot1ad else 0
        return flags | (SubFlag.EXACT_MATCH if self.is_exact else 0)

    def __str__(self) -> str:
        """Return it as `create sub-interfaces` takes it."""
        return str(OtherMatch(flags=self.flags, outer=self.outer, inner=self.inner or 0))


@record
class OtherMatch:
    """A match that the configuration language cannot express: default, untagged, any outer or inner tag."""

    flags: int
    """VPP's sub_if_flags (vnet/interface_types.api), as read."""
    outer: int = 0
    inner: int = 0

    @property
    def tags(self) -> tuple[int, int, int]:
        """Return what must be unique on a port."""
        return self.flags, self.outer, self.inner

    def __str__(self) -> str:
        """Return it as `create sub-interfaces` takes it."""
        if self.flags & SubFlag.DEFAULT:
            return "default"
        if self.flags & SubFlag.NO_TAGS:
            return "untagged"
        words = [
            "dot1ad" if self.flags & SubFlag.DOT1AD else "dot1q",
            "any" if self.flags & SubFlag.OUTER_ANY else str(self.outer),
        ]
        if self.flags & SubFlag.TWO_TAGS:
            words += ["inner-dot1q", "any" if self.flags & SubFlag.INNER_ANY else str(self.inner)]
        if self.flags & SubFlag.EXACT_MATCH:
            words.append("exact-match")
        return " ".join(words)


def encapsulation_of(flags: int, outer: int, inner: int) -> Encapsulation | OtherMatch:
    """Return the match that VPP reports by its flags and VLAN ids."""
    flags &= _MATCH
    tags = flags & _TAGS
    is_plain = not flags & ~_PLAIN and tags in (SubFlag.ONE_TAG, SubFlag.TWO_TAGS)
    if not is_plain or not outer or bool(inner) != (tags == SubFlag.TWO_TAGS):
        return OtherMatch(flags=flags, outer=outer, inner=inner)
    return Encapsulation(
        outer=outer,
        inner=inner or None,
        is_dot1ad=bool(flags & SubFlag.DOT1AD),
        is_exact=bool(flags & SubFlag.EXACT_MATCH),
    )


_REWRITES = {
    1: "push {kind} {tag1}",
    2: "push {kind} {tag1} {tag2}",
    3: "pop 1",
    4: "pop 2",
    5: "translate 1-1 {kind} {tag1}",
    6: "translate 1-2 {kind} {tag1} {tag2}",
    7: "translate 2-1 {kind} {tag1}",
    8: "translate 2-2 {kind} {tag1} {tag2}",
}
"""The words for each vtr_op (vnet/l2/l2_vtr.c)."""


@record
class TagRewrite:
    """VPP's VLAN tag rewrite on an L2 interface (l2_interface_vlan_tag_rewrite); absent when disabled."""

    operation: int
    """VPP's vtr_op (vnet/l2/l2_vtr.h): 1, 2 push; 3, 4 pop; 5..8 translate."""
    push_dot1q: int = 0
    tag1: int = 0
    tag2: int = 0

    def __str__(self) -> str:
        """Return it as `set interface l2 tag-rewrite` takes it."""
        kind = "dot1q" if self.push_dot1q else "dot1ad"
        return _REWRITES[self.operation].format(kind=kind, tag1=self.tag1, tag2=self.tag2)


@record
class InterfaceValues:
    """The values that a file gives an interface and VPP has alike: both the entry and the interface have them."""

    unnumbered: str | None = None
    l2xc: str | None = None
    has_mpls: bool = False
    has_sflow: bool = False
    has_gso: bool = False
    has_proxy_arp: bool = False
    dhcp_client: DhcpClient | None = None
    urpf: tuple[UrpfCheck, ...] = ()
    mss_clamp: tuple[MssLimit, ...] = ()
    mirrors: tuple[Mirror, ...] = ()
    lldp: Lldp | None = None
    ra: RouterAdvertisements | None = None
    link_local: str | None = None
    macip: str | None = None
    flow_records: FlowRecords | None = None
    det44: Det44Side | None = None
    nat44: NatSide | None = None
    unmanaged_addresses: tuple[str, ...] = ()


@record
class Interface:
    """One interface; all values canonical. Two of them are equal when VPP shows no difference."""

    name: str
    kind: InterfaceKind
    device_class: str = ""
    """VPP's name of the driver, such as dpdk or af_packet; '' on a sub-interface."""
    parent: str | None = None
    sub_id: int = 0
    encapsulation: Encapsulation | OtherMatch | None = None
    mac: str = ""
    """Colon-separated lower case; '' on a sub-interface and where there is none."""
    link_mtu: int | None = None
    """Largest frame payload that the port takes, in bytes; None where VPP has none to set."""
    packet_mtu: int = 0
    """Largest packet, in bytes; 0 on a sub-interface means that of its parent."""
    rx_mode: RxMode | None = None
    """Of a port; None as is usual for its driver."""
    rx_placement: Placements = ()
    """The threads that look after the receive queues of a port; those that are not named are open. Nothing without
    workers: the main thread does all then."""
    tx_placement: Placements = ()
    """The threads that may use each transmit queue, likewise."""
    protocol_mtus: tuple[int, int, int] = (0, 0, 0)
    """MTUs for IPv4, IPv6 and MPLS that deviate from the packet MTU, in bytes; 0 means that they do not."""
    is_up: bool = False
    tag: str = ""
    addresses: frozenset[str] = frozenset()
    """Canonical address/length; without link-local addresses."""
    address_order: tuple[str, ...] = field(default=(), compare=False)
    """Addresses in the order of VPP or the file, where that is not the order of their values: see `in_order`."""
    live: tuple[LiveAddress, ...] = field(default=(), compare=False)
    """The addresses that are not configured, in order, and those of a DHCPv4 client, which `addresses` lacks."""
    unmanaged_addresses: tuple[str, ...] = field(default=(), compare=False)
    """Prefixes whose addresses here are left alone; a file sets it, and VPP does not know."""
    l2xc: str | None = None
    """Interface that receives what comes in here."""
    bridge: int | None = None
    """Bridge domain that the interface is a member of."""
    is_bvi: bool = False
    """Whether it is where that bridge domain meets routing."""
    split_horizon_group: int = 0
    """Of a bridge member: members of a group send each other nothing; 0 is none."""
    tag_rewrite: TagRewrite | None = None
    tables: tuple[int, int] = (0, 0)
    """FIB table ids of IPv4 and IPv6."""
    unnumbered: str | None = None
    """Interface whose addresses are borrowed."""
    has_mpls: bool = False
    has_sflow: bool = False
    has_gso: bool = False
    """Whether VPP cuts large packets that leave here, where the device cannot."""
    has_proxy_arp: bool = False
    """Whether VPP answers here for the addresses of others that State.proxy_arps has."""
    dhcp_client: DhcpClient | None = None
    """None without a DHCP client."""
    neighbors: tuple[Neighbor, ...] = ()
    """Static ones, in the order of their addresses."""
    urpf: tuple[UrpfCheck, ...] = ()
    """In the order of `urpf_in_order`."""
    mss_clamp: tuple[MssLimit, ...] = ()
    """IPv4 first."""
    mirrors: tuple[Mirror, ...] = ()
    """In the order of `mirrors_in_order`."""
    static_macs: tuple[StaticMac, ...] = ()
    """Of bridge domains, in the order of `macs_in_order`; they outlive the membership as well as the interface."""
    lldp: Lldp | None = None
    """Of ports; None where LLDP is not spoken."""
    ra: RouterAdvertisements | None = None
    """None where VPP sends none and has nothing to put into them."""
    ra_mtu: int = field(default=0, compare=False)
    """The MTU in bytes that router advertisements name, or would name, where that is not `ipv6_mtu`: VPP takes it when
    IPv6 comes up (vnet/ip6-nd/ip6_ra.c). 0 where they agree, and where IPv6 is off. `stale_ra_mtu` compares it."""
    link_local: str | None = None
    """The configured IPv6 link-local address; None for the one that VPP makes of the MAC address."""
    macip: str | None = None
    """The MACIP access list that it applies to what comes in, by name."""
    flow_records: FlowRecords | None = None
    """The flows that are recorded for IPFIX."""
    policy_routes: tuple[PolicyRoute, ...] = ()
    """In the order of `policy_route.in_order`."""
    det44: Det44Side | None = None
    """The side of deterministic NAT that it is on."""
    nat44: NatSide | None = None
    """Where it stands to NAT44; None where nothing of it is translated."""
    acls: AclBinding = AclBinding()

    @property
    def depth(self) -> int:
        """Return how many VLAN tags down from its port the interface is: 0, 1 or 2."""
        if self.parent is None:
            return 0
        return self.encapsulation.tag_count if isinstance(self.encapsulation, Encapsulation) else 1

    @property
    def in_order(self) -> tuple[str, ...]:
        """Return the addresses in the order in which VPP has them, or is to get them (ip_interface_address_add).

        The first one of a family is what NAT44 and whoever borrows take, and what VPP sends from.
        """
        listed = tuple(address for address in dict.fromkeys(self.address_order) if address in self.addresses)
        rest = self.addresses.difference(listed) if len(listed) < len(self.addresses) else ()
        return (*listed, *sorted(rest, key=address_key))

    @property
    def has_ipv4(self) -> bool:
        """Return whether the interface has IPv4 addresses of its own."""
        return any(":" not in address for address in self.addresses)

    @property
    def has_ipv6(self) -> bool:
        """Return whether the interface has IPv6 addresses of its own beyond the link-local one."""
        return any(":" in address for address in self.addresses)

    @property
    def is_ipv6_on(self) -> bool:
        """Return whether IPv6 is known to be on: who turns it on by hand is not seen."""
        return self.has_ipv6 or self.ra is not None or self.link_local is not None or bool(self.ra_mtu)

    @property
    def ipv6_mtu(self) -> int:
        """Return the bytes of the largest IPv6 packet that VPP sends here (vnet/interface_funcs.h)."""
        return self.protocol_mtus[1] or self.packet_mtu or WITHOUT_MTU

    @property
    def is_advertising(self) -> bool:
        """Return whether VPP sends router advertisements here."""
        return self.ra is not None and self.ra.is_sent

    @property
    def is_l2(self) -> bool:
        """Return whether frames received here are switched rather than routed."""
        return self.l2xc is not None or self.bridge is not None

    def table_of(self, address: str) -> int:
        """Return the id of the FIB table that an address of this interface is in."""
        return self.tables[1 if ":" in address else 0]


FEATURES = {
    "has_mpls": "MPLS",
    "has_sflow": "sFlow",
    "has_gso": "GSO",
    "has_proxy_arp": "proxy ARP",
    "dhcp_client": "the DHCP client",
    "urpf": "uRPF",
    "mss_clamp": "TCP MSS clamping",
    "mirrors": "mirroring",
    "static_macs": "static MAC addresses",
    "lldp": "LLDP",
    "ra": "router advertisements",
    "link_local": "the link-local address",
    "macip": "the MACIP access list",
    "flow_records": "flow records",
    "policy_routes": "policy routes",
    "det44": "DET44",
    "nat44": "NAT44",
}
"""What VPP does with the packets of an interface beyond forwarding them: attributes, and what each is called.

VPP notes these under the index of the interface, so each is turned off before the interface goes. The default of the
attribute is that it is off.
"""
WATCHING = frozenset({"has_sflow", "lldp", "flow_records"})
"""Features that only look at packets, or tell of the interface: what passes is the same with and without."""
ADDING = frozenset({"has_mpls", "has_gso", "dhcp_client", "mirrors", "ra"})
"""Features that take nothing from packets when they come, and something when they go."""
features_of = attrgetter(*FEATURES)
"""Returns the values of all features of an interface, in the order of FEATURES."""
FEATURE_DEFAULTS = {field.name: field.default for field in fields(Interface) if field.name in FEATURES}
NO_FEATURES = tuple(FEATURE_DEFAULTS[attribute] for attribute in FEATURES)
_WITHOUT_FEATURES = Interface(name="", kind=InterfaceKind.PHYSICAL)


FEATURE_TABLES: Mapping[str, str] = {"nat44": "nat44"}
"""Features that a file owns together with objects that are no interfaces, with the table of these: without any, no
interface has the feature."""


def without_features(interfaces: Mapping[str, Interface], attributes: Iterable[str]) -> Mapping[str, Interface]:
    """Return interfaces on which some features are off."""
    off = {name: FEATURE_DEFAULTS[name] for name in attributes}
    if not off:
        return interfaces
    values_of = attrgetter(*off)
    usual = values_of(_WITHOUT_FEATURES)
    bare = {name: evolve(each, **off) for name, each in interfaces.items() if values_of(each) != usual}
    return {**interfaces, **bare} if bare else interfaces


def features_on(interface: Interface) -> list[str]:
    """Return the attributes of the features that are on."""
    found = features_of(interface)
    if found == NO_FEATURES:
        return []
    return [name for name, value, off in zip(FEATURES, found, NO_FEATURES, strict=True) if value != off]


def packet_features(interface: Interface) -> Iterator[PacketFeature]:
    """Yield what an interface does with packets of one family."""
    for value in features_of(interface):
        for each in value if isinstance(value, tuple) else (value,):
            if isinstance(each, PacketFeature):
                yield each


_SETTERS = {field.name: vars(Interface)[field.name].__set__ for field in fields(Interface)}
"""What sets each attribute, frozen or not."""


def alter(copy: Interface, changes: Mapping[str, Any]) -> None:
    """Set attributes of a new copy before it is shared; it is frozen from then on."""
    for name, value in changes.items():
        _SETTERS[name](copy, value)


def must_be_down_for_link_mtu(interface: Interface) -> bool:
    """Return whether the driver of a port may refuse a new link MTU while the port is up."""
    return interface.kind is InterfaceKind.PHYSICAL and interface.device_class not in LINK_MTU_WHILE_UP
