"""What interfaces offer to traffic, their services, from a state alone: a plan compares them to find its impact.

An operation that changes a state changes services by that, so nothing has to declare it here. What there is about
a new kind of interface follows from `Interface` and from its `VirtualInterface`; what a new attribute lets through or
keeps out belongs into `Policy`, which has all of `model.interface.FEATURES`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from enum import Enum
from types import MappingProxyType
from typing import NamedTuple, Protocol

from vppcfg.model.acl import Acl, AclRule, MacipAcl, MacipRule
from vppcfg.model.bond import Bond
from vppcfg.model.bridge import Bridge, bridge_name
from vppcfg.model.features import ProxyArp
from vppcfg.model.interface import ADDING, FEATURES, NO_FEATURES, WATCHING, Interface, features_of
from vppcfg.model.lcp import LcpPair
from vppcfg.model.linux import LinuxDevice
from vppcfg.model.neighbor import Neighbor
from vppcfg.model.tap import Tap
from vppcfg.model.virtual_interface import VirtualInterface


class ServicePart(Enum):
    """One thing that an interface offers to traffic; the values are those of JSON documents."""

    INTERFACE = "interface"
    """That it is the same one: an interface that is recreated has other counters and neighbours."""
    LINK = "link"
    MAC = "mac"
    PATH = "path"
    """A cross-connect, a bridge domain, or the bond that it is a member of."""
    ADDRESS = "address"
    PEER = "peer"
    """A peer of a tunnel, or a prefix that a peer has."""
    PAIR = "lcp"
    DEVICE = "linux"
    """The Linux device is up, and a port of the bridge that it should be."""
    POLICY = "policy"
    SIZE = "size"
    REDUNDANCY = "redundancy"


class Policy(NamedTuple):
    """What an interface lets in and out."""

    input: tuple[tuple[AclRule, ...], ...] = ()
    """The rules of each access list."""
    output: tuple[tuple[AclRule, ...], ...] = ()
    features: tuple[object, ...] = NO_FEATURES
    """The values of FEATURES, without the names of access lists."""
    macip: tuple[MacipRule, ...] | None = None
    """The rules of the MACIP access list, which drops what none of them permits; None lets all pass."""
    neighbors: tuple[Neighbor, ...] = ()
    proxy_arps: frozenset[ProxyArp] = frozenset()
    """The addresses of other hosts for which it answers ARP."""
    bridge: tuple[object, ...] = ()
    """The switches of the bridge domain, and the MAC addresses to which it sends nothing."""


LEASED = "the leased address"
"""What stands for the address that a DHCP client gets, among addresses."""
NO_PEERS: Mapping[str, frozenset[str]] = MappingProxyType({})


class Service(NamedTuple):
    """What one interface offers to traffic."""

    has_link: bool = False
    mac: str = ""
    """'' where it is not known, or there is none."""
    path: tuple[object, ...] | None = None
    """Where frames go; None when they go nowhere, or the interface routes."""
    addresses: frozenset[str] = frozenset()
    """Its own, or those that it borrows."""
    tables: tuple[int, int] = (0, 0)
    """The FIB tables that these are in: in another one, an address is another address."""
    pair: tuple[str, str] | None = None
    """Namespace and name of the Linux device."""
    device: str | None = None
    """The Linux bridge of a Linux device that is up, '' for none; None when it is down or there is no device."""
    policy: Policy = Policy()
    sizes: tuple[int, ...] = ()
    """MTUs in bytes: link, packet, IPv4, IPv6, MPLS, Linux device, the other end of a cross-connect; 0 is unknown."""
    redundancy: int = 0
    """Members with link of the bond that it is, or is on."""
    peers: Mapping[str, frozenset[str]] = NO_PEERS
    """The prefixes of each peer of a tunnel, by its key."""

    @property
    def is_nothing(self) -> bool:
        """Return whether there is nothing that traffic or Linux could lose."""
        return not self.has_link and self.pair is None


NOTHING = Service()


class Tables(Protocol):
    """What a State and a WorkingState share."""

    @property
    def interfaces(self) -> Mapping[str, Interface]:
        """Return the interfaces by name."""

    @property
    def lcps(self) -> Mapping[str, LcpPair]:
        """Return the LCP pairs by interface."""

    @property
    def virtual(self) -> Mapping[str, VirtualInterface]:
        """Return what interfaces are made with."""

    @property
    def bridges(self) -> Mapping[str, Bridge]:
        """Return the bridge domains by name."""

    @property
    def acls(self) -> Mapping[str, Acl]:
        """Return the access lists by name."""

    @property
    def macips(self) -> Mapping[str, MacipAcl]:
        """Return the MACIP access lists by name."""

    @property
    def linux(self) -> Mapping[str, LinuxDevice]:
        """Return the Linux devices by interface."""

    @property
    def proxy_arps(self) -> Collection[ProxyArp]:
        """Return the ranges of addresses for which VPP answers ARP."""


class Services:
    """The services of all interfaces of a state or a working state, each computed when it is asked for."""

    def __init__(
        self,
        tables: Tables,
        linked: Collection[str],
        linked_members: Mapping[int, Collection[str]],
        bond_of: Mapping[str, str],
    ) -> None:
        """Take the interfaces that have link, those of them in each bridge domain, and the bond of each member."""
        self._tables = tables
        self._linked = linked
        self._linked_members = linked_members
        self._bond_of = bond_of

    def of(self, name: str) -> Service:
        """Return the service of an interface, NOTHING when there is none of that name."""
        interface = self._tables.interfaces.get(name)
        if interface is None:
            return NOTHING
        has_link = name in self._linked
        parent = self._tables.interfaces.get(interface.parent) if interface.parent is not None else None
        root = interface if parent is None else parent
        virtual = self._tables.virtual.get(root.name)
        is_bond = virtual.__class__ is Bond
        return Service(
            has_link,
            root.mac,
            self._path(interface) if has_link else None,
            self._addresses(interface) if has_link else frozenset(),
            interface.tables,
            self._pair(name),
            self._device(interface),
            self._policy(interface) if has_link else Policy(),
            self._sizes(interface, parent),
            sum(member in self._linked for member in virtual.members) if isinstance(virtual, Bond) and is_bond else 0,
            virtual.peer_prefixes if has_link and parent is None and virtual is not None else NO_PEERS,
        )

    def _path(self, interface: Interface) -> tuple[object, ...] | None:
        if interface.l2xc is not None:
            return ("l2xc", interface.l2xc, interface.tag_rewrite) if interface.l2xc in self._linked else None
        if interface.bridge is not None:
            bridge = self._tables.bridges.get(bridge_name(interface.bridge))
            forwards = bridge is None or bridge.settings.unicast_forward
            if not forwards or len(self._linked_members.get(interface.bridge, ())) < 2:
                return None
            group = interface.split_horizon_group
            return "bridge", interface.bridge, interface.is_bvi, group, interface.tag_rewrite
        bond = self._bond_of.get(interface.name)
        if bond is None or bond not in self._linked:
            return None
        virtual = self._tables.virtual[bond]
        assert isinstance(virtual, Bond)
        membership = virtual.members[interface.name]
        return "bond", bond, membership.is_passive, membership.is_long_timeout

    def _addresses(self, interface: Interface) -> frozenset[str]:
        is_switched = interface.is_l2 and not interface.is_bvi
        if is_switched or interface.name in self._bond_of:
            return frozenset()
        if interface.dhcp_client is not None:
            return interface.addresses | {LEASED}
        if interface.unnumbered is None:
            return interface.addresses
        donor = self._tables.interfaces.get(interface.unnumbered)
        return donor.addresses if donor is not None and donor.name in self._linked else frozenset()

    def _pair(self, name: str) -> tuple[str, str] | None:
        pair = self._tables.lcps.get(name)
        if pair is not None:
            return (pair.netns, pair.host_name) if pair.has_host else None
        virtual = self._tables.virtual.get(name)
        return (virtual.host_netns, virtual.host_name) if isinstance(virtual, Tap) else None

    def _device(self, interface: Interface) -> str | None:
        """Return what Linux does with the device; a VLAN of a device that is down does nothing."""
        device = self._tables.linux.get(interface.name)
        if device is None or not device.is_up:
            return None
        below = self._tables.linux.get(interface.parent) if interface.parent is not None else None
        return device.bridge if below is None or below.is_up else None

    def _policy(self, interface: Interface) -> Policy:
        bridge = self._tables.bridges.get(bridge_name(interface.bridge)) if interface.bridge is not None else None
        features = features_of(interface)
        if not (interface.acls or features != NO_FEATURES or interface.neighbors or bridge):
            return _OPEN
        return Policy(
            tuple(self._rules(interface.acls.input)),
            tuple(self._rules(interface.acls.output)),
            self._features(interface, features),
            self._macip_rules(interface.macip),
            interface.neighbors,
            self._proxy_arps(interface) if interface.has_proxy_arp else frozenset(),
            _switches(bridge) if bridge is not None else (),
        )

    def _features(self, interface: Interface, features: tuple[object, ...]) -> tuple[object, ...]:
        """Return the values of features, with what access lists permit in place of their names."""
        if interface.macip is None and not interface.policy_routes:
            return features
        steered = tuple(
            (each.is_ipv6, each.priority, *self._rules((each.acl,)), each.hops, each.end)
            for each in interface.policy_routes
        )
        named = {_MACIP: None, _STEERED: steered}
        return tuple(named.get(place, value) for place, value in enumerate(features))

    def _proxy_arps(self, interface: Interface) -> frozenset[ProxyArp]:
        return frozenset(each for each in self._tables.proxy_arps if each.table_id == interface.tables[0])

    def _macip_rules(self, name: str | None) -> tuple[MacipRule, ...] | None:
        """Return the rules of a list; one without any lets all pass (plugins/acl/acl.c)."""
        macip = self._tables.macips.get(name) if name is not None else None
        return (macip.rules or None) if macip is not None else None

    def _rules(self, names: tuple[str, ...]) -> Iterator[tuple[AclRule, ...]]:
        for name in names:
            acl = self._tables.acls.get(name)
            if acl is not None:
                yield acl.rules

    def _sizes(self, interface: Interface, parent: Interface | None) -> tuple[int, ...]:
        packet = interface.packet_mtu or (parent.packet_mtu if parent is not None else 0)
        ip4, ip6, mpls = interface.protocol_mtus
        device = self._tables.linux.get(interface.name)
        other = self._tables.interfaces.get(interface.l2xc) if interface.l2xc is not None else None
        link = (interface if parent is None else parent).link_mtu
        return (
            link or 0,
            packet,
            ip4 or packet,
            ip6 or packet,
            mpls or packet,
            device.mtu if device is not None else 0,
            self._packet_mtu(other) if other is not None else 0,
        )

    def _packet_mtu(self, interface: Interface) -> int:
        if interface.packet_mtu or interface.parent is None:
            return interface.packet_mtu
        parent = self._tables.interfaces.get(interface.parent)
        return parent.packet_mtu if parent is not None else 0


_OPEN = Policy()
_MACIP, _STEERED = (tuple(FEATURES).index(attribute) for attribute in ("macip", "policy_routes"))


def _switches(bridge: Bridge) -> tuple[object, ...]:
    """Return what a bridge domain does with frames, but for forwarding at all, which is the path."""
    is_on = bridge.settings
    return (
        is_on.learn,
        is_on.unicast_flood,
        is_on.unknown_unicast_flood,
        is_on.arp_termination,
        is_on.arp_unicast_forward,
        bridge.filtered_macs,
    )


Missing = tuple[ServicePart, str]
"""What is missing: the part, and which address, or which peer or prefix of a peer."""


def missing(before: Service, now: Service) -> Iterator[Missing]:
    """Yield what was there before and is not there, or is another one or less, now."""
    if before.has_link:
        if not now.has_link:
            yield ServicePart.LINK, ""
        else:
            yield from _less(before, now)
        if before.path is not None and before.path != now.path:
            yield ServicePart.PATH, ""
        for address in before.addresses:
            if address not in now.addresses or before.tables[":" in address] != now.tables[":" in address]:
                yield ServicePart.ADDRESS, address
        for key, prefixes in before.peers.items():
            if key not in now.peers:
                yield ServicePart.PEER, key
            else:
                yield from ((ServicePart.PEER, prefix) for prefix in prefixes - now.peers[key])
    if before.pair is not None and before.pair != now.pair:
        yield ServicePart.PAIR, ""
    if before.device is not None and (now.device is None or before.device not in ("", now.device)):
        yield ServicePart.DEVICE, ""


def _less(before: Service, now: Service) -> Iterator[Missing]:
    """Yield what is another one or less on an interface that has link."""
    if before.mac and now.mac and before.mac != now.mac:
        yield ServicePart.MAC, ""
    if before.policy != now.policy and not _is_alike(before.policy, now.policy):
        yield ServicePart.POLICY, ""
    if any(0 < size < former for former, size in zip(before.sizes, now.sizes, strict=True)):
        yield ServicePart.SIZE, ""
    if now.redundancy < before.redundancy:
        yield ServicePart.REDUNDANCY, ""


def _keeps(before: tuple[object, ...], now: tuple[object, ...]) -> bool:
    """Return whether the features of an interface let through what they did."""
    return before == now or all(
        old == new or attribute in WATCHING or (attribute in ADDING and old == off)
        for attribute, old, new, off in zip(FEATURES, before, now, NO_FEATURES, strict=True)
    )


def _is_alike(one: Policy, other: Policy) -> bool:
    """Return whether the same rules stand in the same order, in whatever lists; lists without rules deny all.

    The switches of a bridge domain count for who stays in one: coming or leaving is a matter of the path.
    """
    if one.bridge and other.bridge and one.bridge != other.bridge:
        return False
    return (
        _keeps(one.features, other.features)
        and one[3:-1] == other[3:-1]
        and all(
            bool(former) == bool(lists) and sum(former, ()) == sum(lists, ())
            for former, lists in ((one.input, other.input), (one.output, other.output))
        )
    )
