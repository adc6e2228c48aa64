"""A copy of a state on which operations are tried one after the other, with indexes for their preconditions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain
from socket import AF_INET6
from typing import TypeVar

from vppcfg.common.addresses import AddressIndex
from vppcfg.model.acl import Acl, MacipAcl
from vppcfg.model.attachment import Attachment, Layer, by_holder, in_order
from vppcfg.model.bond import Bond
from vppcfg.model.bridge import Bridge
from vppcfg.model.features import ProxyArp
from vppcfg.model.interface import Interface, alter
from vppcfg.model.ipfix import IpfixSettings
from vppcfg.model.iproute2 import address_of
from vppcfg.model.lcp import LcpPair, SubInterfaceDependencies
from vppcfg.model.linux import LEAST_IPV6_MTU, LinuxDevice
from vppcfg.model.linux_setting import LinuxKind, LinuxSetting
from vppcfg.model.memif import sockets_in_use
from vppcfg.model.policy_route import PolicyRoute, with_route
from vppcfg.model.state import LldpSettings, SflowSettings, State
from vppcfg.model.tap import Tap
from vppcfg.model.virtual_interface import VirtualInterface
from vppcfg.model.vpp_object import Reference, Referent, VppObject, has_object, without_empty
from vppcfg.model.vrf import FibTable, table_keys
from vppcfg.operations.linux_losses import goes_with, is_followed, is_lost_by_state, needs_ipv6
from vppcfg.record import evolve

_Kind = TypeVar("_Kind", bound=VirtualInterface)
_DEFAULT_TABLES = (0, 0)


class References:
    """Who refers to what, by the name of what is referred to."""

    def __init__(self) -> None:
        self._sources: dict[str, set[str]] = {}

    def add(self, source: str, targets: Iterable[str]) -> None:
        """Note that `source` refers to each of `targets`."""
        for target in targets:
            self._sources.setdefault(target, set()).add(source)

    def drop(self, source: str, targets: Iterable[str]) -> None:
        """Note that `source` no longer refers to any of `targets`."""
        for target in targets:
            self._sources[target].discard(source)

    def to(self, target: str) -> set[str]:
        """Return who refers to `target`."""
        return self._sources.get(target, set())


class WorkingState:
    """A mutable copy of a State. Operations change it; nothing else should."""

    def __init__(self, state: State) -> None:
        self._state = state
        self.interfaces: dict[str, Interface] = {}
        self.lcps: dict[str, LcpPair] = {}
        self.virtual: dict[str, VirtualInterface] = dict(state.virtual)
        self.bridges: dict[str, Bridge] = dict(state.bridges)
        self.vrfs: dict[str, FibTable] = dict(state.vrfs)
        self.acls: dict[str, Acl] = dict(state.acls)
        self.macips: dict[str, MacipAcl] = dict(state.macips)
        self.unmanaged: dict[str, set[Attachment]] = by_holder(state.unmanaged)
        self.sflow: SflowSettings = state.sflow
        self.lldp: LldpSettings = state.lldp
        self.proxy_arps: frozenset[ProxyArp] = state.proxy_arps
        self.ipfix: IpfixSettings = state.ipfix
        self.has_mpls_table: bool = state.has_mpls_table
        self.objects: dict[type[VppObject], dict[str, VppObject]] = {
            kind: dict(found) for kind, found in state.objects.items()
        }
        self.referring: dict[Reference, set[str]] = {}
        """Objects that are no interfaces, in words, by what they refer to."""
        self.memif_sockets: dict[int, str] = {
            **dict(state.facts.memif_sockets),
            **sockets_in_use(state.virtual.items()),
        }
        self.has_linux = state.facts.has_linux
        self._lcp_settings = state.facts.lcp
        self.workers = state.facts.workers
        self.is_auto_subint = state.facts.lcp.is_auto_subint
        self.linux: dict[str, LinuxDevice] = dict(state.linux)
        self.namespaces: set[str] = set(state.namespaces)
        self.linux_bridges: set[tuple[str, str]] = set(state.linux_bridges)
        self.stacking = SubInterfaceDependencies()
        self.matches: dict[tuple[str | None, object], str] = {}
        """The sub-interface that matches each set of tags on each port."""
        self.references = References()
        """Cross-connects by their target, borrowers of addresses by their donor."""
        self.mirrored = References()
        """Interfaces by those that they send copies of frames to."""
        self.bound = References()
        """Interfaces by the access lists that they apply."""
        self.bound_macips = References()
        """Interfaces by the MACIP access lists that they apply."""
        self.steered = References()
        """Interfaces by the access lists that their policy routes look at."""
        self.policy_holders: dict[int, set[str]] = {}
        """Interfaces by the policies that they have, by VPP's numbers."""
        self.in_table = References()
        """Interfaces by the FIB tables that they are in, without the default ones."""
        self.with_proxy_arp: set[str] = set()
        """Interfaces with proxy ARP."""
        self.recorded: set[str] = set()
        """Interfaces with flow records."""
        self.bridge_members: dict[int, set[str]] = {}
        self.static_macs: dict[int, dict[str, str]] = {}
        """The interface of each static MAC address of each bridge domain."""
        self.bond_of: dict[str, str] = {}
        """The bond of each member."""
        self.linux_names: dict[tuple[str, str], str] = {}
        """The interface that holds each Linux device, by namespace and name."""
        self.peers: dict[str, str] = {}
        """The interface of each peer, by the key of the peer."""
        self._alike: dict[tuple[type[VirtualInterface], object], str] | None = None
        """The interface that was last made with each identity, and may be gone; None until it is asked for."""
        self._addresses: dict[int, AddressIndex] = {}
        self._own: set[str] = set()
        """Interfaces that are copies of the working state's own, which it changes in place until it shows them."""
        self._fill(state)

    def _fill(self, state: State) -> None:
        for interface in state.interfaces.values():
            self.add_interface(interface)
            for address in interface.addresses:
                self.address_index(interface, address).add(interface.name, address)
        for name, pair in state.lcps.items():
            self.add_pair(name, pair)
        for name, virtual in state.virtual.items():
            if isinstance(virtual, Tap):
                self.linux_names[virtual.host_netns, virtual.host_name] = name
            elif isinstance(virtual, Bond):
                self.bond_of.update(dict.fromkeys(virtual.members, name))
            self.peers.update(dict.fromkeys(virtual.peer_prefixes, name))

        for found in state.objects.values():
            for item in found.values():
                self._refer(item)

    def set_object(self, item: VppObject) -> None:
        """Enter an object in place of the one of its name."""
        found = self.objects.setdefault(type(item), {})
        if item.name in found:
            self.remove_object(found[item.name])
        found[item.name] = item
        self._refer(item)

    def remove_object(self, item: VppObject) -> None:
        """Take an object out."""
        del self.objects[type(item)][item.name]
        for reference in item.references():
            self.referring[reference].discard(item.label)

    def _refer(self, item: VppObject) -> None:
        for reference in item.references():
            self.referring.setdefault(reference, set()).add(item.label)

    def has(self, reference: Reference) -> bool:
        """Return whether what an object refers to is there."""
        if reference.referent is Referent.OBJECT:
            return has_object(self.objects, reference.name)
        tables: Mapping[Referent, Mapping[str, object]] = {
            Referent.INTERFACE: self.interfaces,
            Referent.TABLE: self.vrfs,
            Referent.BRIDGE: self.bridges,
        }
        return reference.name in tables[reference.referent]

    def has_holder(self, name: str) -> bool:
        """Return whether there is an interface, FIB table or bridge domain that another program depends on."""
        return name in self.interfaces or name in self.vrfs or name in self.bridges

    def state(self) -> State:
        """Return the state that the working state has become."""
        self._own.clear()
        sockets = tuple(sorted(self.memif_sockets.items()))
        facts = self._state.facts
        return replace(
            self._state,
            interfaces=dict(self.interfaces),
            lcps=dict(self.lcps),
            virtual=dict(self.virtual),
            bridges=dict(self.bridges),
            vrfs=dict(self.vrfs),
            acls=dict(self.acls),
            macips=dict(self.macips),
            unmanaged=in_order(chain.from_iterable(self.unmanaged.values())),
            sflow=self.sflow,
            lldp=self.lldp,
            proxy_arps=self.proxy_arps,
            ipfix=self.ipfix,
            has_mpls_table=self.has_mpls_table,
            objects=without_empty(self.objects),
            linux=dict(self.linux),
            namespaces=frozenset(self.namespaces),
            linux_bridges=frozenset(self.linux_bridges),
            facts=facts if sockets == facts.memif_sockets else replace(facts, memif_sockets=sockets),
        )

    def virtual_of(self, name: str, kind: type[_Kind]) -> _Kind | None:
        """Return what an interface of a kind is made with, None when it is none of that kind."""
        virtual = self.virtual.get(name)
        return virtual if isinstance(virtual, kind) else None

    def virtual_alike(self, wanted: VirtualInterface) -> str | None:
        """Return an interface beside which VPP takes no other that is made like `wanted`, None when there is none."""
        kind, identity = type(wanted), wanted.unique_key
        if identity is None:
            return None
        if self._alike is None:
            self._alike = {(type(virtual), virtual.unique_key): name for name, virtual in self.virtual.items()}
        name = self._alike.get((kind, identity))
        virtual = self.virtual.get(name) if name is not None else None
        return name if virtual is not None and type(virtual) is kind and virtual.unique_key == identity else None

    def enter_virtual(self, name: str, virtual: VirtualInterface) -> None:
        """Enter what an interface is made with that must be like no other."""
        self.virtual[name] = virtual
        if self._alike is not None:
            self._alike[type(virtual), virtual.unique_key] = name

    def address_index(self, interface: Interface, address: str) -> AddressIndex:
        """Return the index of the FIB that `address` is in on this interface."""
        table_id = interface.table_of(address)
        index = self._addresses.get(table_id)
        if index is None:
            index = self._addresses[table_id] = AddressIndex()
        return index

    def holders(self, host: str, table_id: int) -> set[str]:
        """Return the interfaces that have the address `host` in a FIB table."""
        index = self._addresses.get(table_id)
        return set(index.holders(host)) if index is not None else set()

    def add_interface(self, interface: Interface) -> None:
        """Enter an interface, without its addresses, into the tables."""
        self.interfaces[interface.name] = interface
        if interface.parent is not None:
            self.stacking.add(interface)
            if interface.encapsulation is not None:
                self.matches[interface.parent, interface.encapsulation.tags] = interface.name
        self.references.add(interface.name, _targets(interface))
        if interface.mirrors:
            self.mirrored.add(interface.name, {each.target for each in interface.mirrors})
        if interface.has_proxy_arp:
            self.with_proxy_arp.add(interface.name)
        if interface.acls:
            self.bound.add(interface.name, {*interface.acls.input, *interface.acls.output})
        if interface.policy_routes:
            self._steer(interface.name, interface.policy_routes)
        if interface.flow_records is not None:
            self.recorded.add(interface.name)
        if interface.macip is not None:
            self.bound_macips.add(interface.name, [interface.macip])
        if interface.bridge is not None:
            self.bridge_members.setdefault(interface.bridge, set()).add(interface.name)
        for each in interface.static_macs:
            self.static_macs.setdefault(each.bd_id, {})[each.mac] = interface.name
        if interface.tables != _DEFAULT_TABLES:
            self.in_table.add(interface.name, list(table_keys(interface.tables)))

    def create_interface(self, interface: Interface) -> None:
        """Enter an interface that nothing else has: what changes it later needs no copy."""
        self.add_interface(interface)
        self._own.add(interface.name)

    def remove_interface(self, name: str) -> None:
        """Take out an interface that nothing refers to any more."""
        interface = self.interfaces.pop(name)
        self.unmanaged.pop(name, None)
        if interface.tables != _DEFAULT_TABLES:
            self.in_table.drop(name, list(table_keys(interface.tables)))
        self._own.discard(name)
        if interface.parent is not None:
            self.stacking.remove(interface)
            if interface.encapsulation is not None:
                self.matches.pop((interface.parent, interface.encapsulation.tags), None)

    def change(self, name: str, **attributes: object) -> None:
        """Set attributes of an interface that no index depends on."""
        if name in self._own:
            alter(self.interfaces[name], attributes)
        else:
            self.interfaces[name] = evolve(self.interfaces[name], **attributes)
            self._own.add(name)

    def attach_policy(self, name: str, route: PolicyRoute) -> None:
        """Give an interface a policy route."""
        self.change(name, policy_routes=with_route(self.interfaces[name].policy_routes, route))
        self._steer(name, (route,))

    def detach_policy(self, name: str, route: PolicyRoute) -> None:
        """Take a policy route off an interface."""
        left = [each for each in self.interfaces[name].policy_routes if each.policy_id != route.policy_id]
        self.change(name, policy_routes=tuple(left))
        if route.acl not in {each.acl for each in left}:
            self.steered.drop(name, (route.acl,))
        self.policy_holders[route.policy_id or 0].discard(name)
        for reference in route.references():
            self.referring[reference].discard(_label(name, route))

    def _steer(self, name: str, routes: tuple[PolicyRoute, ...]) -> None:
        self.steered.add(name, {each.acl for each in routes})
        for each in routes:
            self.policy_holders.setdefault(each.policy_id or 0, set()).add(name)
            for reference in each.references():
                self.referring.setdefault(reference, set()).add(_label(name, each))

    def set_packet_mtu(self, name: str, **mtus: object) -> None:
        """Set packet MTUs of an interface. Router advertisements go on naming the MTU of when IPv6 came up."""
        interface = self.interfaces[name]
        advertised, is_ipv6_on = interface.ra_mtu or interface.ipv6_mtu, interface.is_ipv6_on
        self.change(name, **mtus)
        if is_ipv6_on:
            self.change(name, ra_mtu=0 if advertised == self.interfaces[name].ipv6_mtu else advertised)

    def add_pair(self, name: str, pair: LcpPair) -> None:
        """Enter an LCP pair into the tables."""
        self.lcps[name] = pair
        self.linux_names[pair.netns, pair.host_name] = name

    def remove_pair(self, name: str) -> None:
        """Take an LCP pair out of the tables."""
        pair = self.lcps.pop(name)
        del self.linux_names[pair.netns, pair.host_name]
        if name in self.unmanaged:
            self.unmanaged[name] = {each for each in self.unmanaged[name] if each.linux is None}

    def lose_with_address(self, name: str, address: str) -> None:
        """Take away what Linux loses with an address of an interface, where its device follows."""
        if name in self.unmanaged and self._is_followed(name):
            there = {each.linux for each in self.unmanaged[name] if each.linux is not None}
            others = {each for each in there if each.kind is LinuxKind.ADDRESS}
            left = self.interfaces[name].addresses
            lost = {each for each in others if goes_with(each, address, left, self._carries)}
            left = left.union(map(address_of, others - lost))
            lost |= {each for each in there - others if goes_with(each, address, left, self._carries)}
            self._lose(lost, {name})

    def follow_in_linux(self, name: str, *, is_up: bool = True, mtu: int = 0) -> None:
        """Take away what Linux loses where the device of an interface follows its state, or its MTU if not 0."""
        if self._is_followed(name):
            self.set_in_linux(name, is_up=is_up, mtu=mtu or LEAST_IPV6_MTU)

    def set_in_linux(self, name: str, *, is_up: bool, mtu: int) -> None:
        """Take away what Linux loses with the state and MTU of a device, and of those that are on it."""
        if (is_up and mtu >= LEAST_IPV6_MTU) or not self.unmanaged:
            return
        going = {name, *self.stacking.dependents_of(self.interfaces[name])}
        lost = {
            each.linux
            for holder in going
            for each in self.unmanaged.get(holder, ())
            if each.linux is not None
            if (mtu < LEAST_IPV6_MTU and needs_ipv6(each.linux))
            or (not is_up and is_lost_by_state(each.linux, self._carries))
        }
        self._lose(lost, going)

    def _lose(self, lost: set[LinuxSetting], holders: set[str]) -> None:
        """Take settings of Linux away from their holders, a route from all that it leads through."""
        for holder in holders.union(*(each.interfaces() for each in lost)):
            self.unmanaged[holder] = {each for each in self.unmanaged.get(holder, ()) if each.linux not in lost}

    def _carries(self, name: str, route: LinuxSetting) -> bool:
        """Return whether Linux still has next hops of a route over the device of an interface.

        Those of IPv4 go with its last address; a device without one can have such as no address carries.
        """
        if not self._is_up_in_linux(name):
            return False
        if route.family == AF_INET6 or not self._is_followed(name) or self.interfaces[name].has_ipv4:
            return True
        before = self._state.interfaces.get(name)
        return route.is_exact and before is not None and not before.has_ipv4

    def _is_up_in_linux(self, name: str) -> bool:
        """Return whether the Linux device of an interface is up, and so is what it stands on."""
        interface = self.interfaces.get(name)
        if interface is None:
            return False
        device = None if self._is_followed(name) else self.linux.get(name)
        is_up = interface.is_up if device is None else device.is_up
        return is_up and (interface.parent is None or self._is_up_in_linux(interface.parent))

    def _is_followed(self, name: str) -> bool:
        return is_followed(self.lcps.get(name), self._lcp_settings)

    def switch(self, name: str, **attributes: object) -> None:
        """Put an interface into another L2 mode: to a target, into a bridge, or with neither to L3."""
        before = self.interfaces[name]
        if before.l2xc is not None:
            self.references.drop(name, [before.l2xc])
        if before.bridge is not None:
            self.bridge_members[before.bridge].discard(name)
        if name in self.unmanaged:
            self.unmanaged[name] = {each for each in self.unmanaged[name] if each.layer is not Layer.SWITCHED}
        blank = {"l2xc": None, "bridge": None, "is_bvi": False, "split_horizon_group": 0}
        self.change(name, **{**blank, **attributes})
        after = self.interfaces[name]
        if after.l2xc is not None:
            self.references.add(name, [after.l2xc])
        if after.bridge is not None:
            self.bridge_members.setdefault(after.bridge, set()).add(name)

    def move(self, name: str, table_id: int, *, is_ipv6: bool) -> None:
        """Put an interface, for one family, into a FIB table."""
        before = self.interfaces[name]
        self.in_table.drop(name, list(table_keys(before.tables)))
        ip4, ip6 = before.tables
        self.change(name, tables=(ip4, table_id) if is_ipv6 else (table_id, ip6))
        self.in_table.add(name, list(table_keys(self.interfaces[name].tables)))

    def borrow(self, name: str, donor: str | None) -> None:
        """Let an interface borrow the addresses of `donor`, or none."""
        before = self.interfaces[name]
        if before.unnumbered is not None:
            self.references.drop(name, [before.unnumbered])
        if donor is not None:
            self.references.add(name, [donor])
        self.change(name, unnumbered=donor)


def _label(name: str, route: PolicyRoute) -> str:
    return f"policy {route.policy_id} of {name}"


def _targets(interface: Interface) -> list[str]:
    return [target for target in (interface.l2xc, interface.unnumbered) if target is not None]
