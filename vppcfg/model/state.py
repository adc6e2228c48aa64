"""The state of a dataplane: desired, observed and everything between, all of one frozen type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any, TypeVar, cast

from vppcfg.model.acl import Acl, MacipAcl
from vppcfg.model.attachment import Attachment
from vppcfg.model.bridge import Bridge
from vppcfg.model.features import ProxyArp, TrafficDirection
from vppcfg.model.interface import FEATURE_TABLES, WITHOUT_MTU, Interface, without_features
from vppcfg.model.ipfix import IpfixSettings
from vppcfg.model.lcp import LcpPair, LcpSettings
from vppcfg.model.linux import LinuxDevice
from vppcfg.model.neighbor import OrphanedNeighbor
from vppcfg.model.ownership import description_of, mark_of, tag_for
from vppcfg.model.table_sizes import TableSizes
from vppcfg.model.tap import Tap
from vppcfg.model.virtual_interface import VirtualInterface
from vppcfg.model.vpp_object import (
    HiddenObject,
    Objects,
    Ownership,
    Reference,
    Referent,
    VppObject,
    has_object,
    owned_of,
)
from vppcfg.model.vrf import FibTable, table_keys
from vppcfg.record import record

_Kind = TypeVar("_Kind", bound=VirtualInterface)
_Object = TypeVar("_Object", bound=VppObject)


@record
class SflowSettings:
    """How packets are sampled (plugins/sflow)."""

    sampling_rate: int = 10000
    """One packet in so many."""
    polling_interval_s: int = 20
    header_bytes: int = 128
    direction: TrafficDirection | None = None
    """Which packets of a port; None leaves it as it is, and is what a VPP before 25.10 has."""
    has_drops: bool | None = None
    """Whether dropped packets are reported with the reason; None likewise."""


@record
class LldpSettings:
    """What all ports that speak LLDP have alike; None leaves a value as it is."""

    system_name: str | None = None
    hold: int | None = None
    """After so many intervals without a word, a neighbour forgets this router."""
    interval_s: int | None = None


@record
class Facts:
    """What a dataplane is, as opposed to how it is configured; never a difference between two states."""

    version: str = ""
    """VPP's own version text, such as 23.06-rc0~35-gaf4046134."""
    plugins: frozenset[str] = frozenset()
    """Names of the optional parts that answer: linux_cp, acl, sflow, ..."""
    lcp: LcpSettings = LcpSettings()
    memif_sockets: tuple[tuple[int, str], ...] = ()
    """The ids and files of the sockets that memifs are at, or may be, but for the built-in one."""
    left_neighbors: tuple[OrphanedNeighbor, ...] = ()
    """Static neighbours of interfaces that are gone."""
    address_followers: frozenset[str] = frozenset()
    """Interfaces whose IPv4 address NAT44 uses: it takes another one once the old one has gone, and not before."""
    followed_addresses: frozenset[str] = frozenset()
    """The IPv4 addresses that NAT44 has, where it follows interfaces: those that it has taken are among them."""
    may_hide: bool = False
    """Whether VPP may have objects of ours that it does not show."""
    nat44_sessions: int | None = None
    """How many sessions NAT44 had before a plan that loses them all; None where they were not counted."""
    has_had_det44: bool = False
    """Whether DET44 was enabled since VPP was started; whether it still is cannot be read."""
    left_det44: int | None = None
    """The index of a deleted interface by which DET44 would lead the outside prefixes of maps, None for none."""
    left_proxies: tuple[str, ...] = ()
    """The names of ND proxies that a plan sets and VPP has kept of a deleted interface."""
    left_policies: tuple[tuple[int, int], ...] = ()
    """The policies (ABF) with a next hop on a deleted interface, and the index that it had."""
    has_left_cross_connects: bool = False
    """Whether VPP has cross-connects of deleted interfaces, which the next ones with their indexes have then."""
    workers: int = 0
    """How many threads forward packets beside the main one, which does it alone where there are none."""
    sizes: TableSizes | None = None
    """How large VPP's tables are; None where that could not be read."""
    left_out: tuple[str, ...] = ()
    """What was not looked for, because VPP would have stopped its workers for too long."""
    has_linux: bool = False
    """Whether the Linux side could be read; without it, it is left alone."""
    linux_others: frozenset[tuple[str, str]] = frozenset()
    """Linux devices that are not VPP's, by namespace and name, in the namespaces that were looked into."""
    linux_neighbors: frozenset[tuple[str, str, str]] = frozenset()
    """Interface, address and MAC address of the neighbours that never age in Linux, where linux-nl listens."""
    linux_udp_ports: frozenset[int] = frozenset()
    """UDP ports that programs there listen on."""


@record
class State:
    """Interfaces by name, and what is on them. Treat the mappings as read-only."""

    interfaces: Mapping[str, Interface] = field(default_factory=dict)
    lcps: Mapping[str, LcpPair] = field(default_factory=dict)
    """LCP pairs by the name of the VPP interface."""
    virtual: Mapping[str, VirtualInterface] = field(default_factory=dict)
    """What bonds, tunnels and TAPs are made with, by interface."""
    bridges: Mapping[str, Bridge] = field(default_factory=dict)
    """By the name that a configuration gives them, bdN."""
    vrfs: Mapping[str, FibTable] = field(default_factory=dict)
    """FIB tables other than the default ones, by their `table_key`."""
    acls: Mapping[str, Acl] = field(default_factory=dict)
    """By name; those of other programs by `acl:` and their tag, made unique by `@` and VPP's index."""
    macips: Mapping[str, MacipAcl] = field(default_factory=dict)
    """By name; those of other programs by `macip:` and their tag, made unique likewise."""
    linux: Mapping[str, LinuxDevice] = field(default_factory=dict)
    """Linux devices by the VPP interface whose LCP pair or TAP they belong to."""
    namespaces: frozenset[str] = frozenset()
    """Names of Linux's network namespaces; of a desired state, those `with_own_places`."""
    linux_bridges: frozenset[tuple[str, str]] = frozenset()
    """Linux bridges, by namespace ('' is VPP's own) and name, likewise."""
    sflow: SflowSettings = SflowSettings()
    lldp: LldpSettings = LldpSettings()
    """Not known while no port speaks LLDP: VPP reports them with its ports."""
    proxy_arps: frozenset[ProxyArp] = frozenset()
    ipfix: IpfixSettings = IpfixSettings()
    has_mpls_table: bool = False
    objects: Objects = field(default_factory=dict)
    """Routes and other objects that are no interfaces, by their class and name; `of` returns those of one class."""
    hidden_by: Mapping[str, str] = field(default_factory=dict, compare=False)
    """By the name of an object that another source shadows: that source, in VPP's words."""
    owned: Ownership = field(default=frozenset(), compare=False)
    """Which of the objects are the file's; plans leave all others alone, and compare none of them."""
    facts: Facts = field(default=Facts(), compare=False)
    unmanaged: tuple[Attachment, ...] = field(default=(), compare=False)
    """What others have on the interfaces and tables that a plan touches; read for these alone, and in order."""
    descriptions: Mapping[str, str] = field(default_factory=dict, compare=False)
    """What only a file knows: descriptions of which a tag holds but a part, by interface or bridge, and names of FIB
    tables that have none in VPP, by key."""

    def virtual_of(self, name: str, kind: type[_Kind]) -> _Kind | None:
        """Return what an interface of a kind is made with, None when it is none of that kind."""
        virtual = self.virtual.get(name)
        return virtual if isinstance(virtual, kind) else None

    def virtual_as(self, kind: type[_Kind]) -> dict[str, _Kind]:
        """Return what all interfaces of a kind are made with, by name; it goes through all kinds each time."""
        return {name: virtual for name, virtual in self.virtual.items() if isinstance(virtual, kind)}

    def of(self, kind: type[_Object]) -> Mapping[str, _Object]:
        """Return the objects of a class by their names."""
        return cast(Mapping[str, _Object], self.objects.get(kind, {}))

    def has_all(self, references: Iterable[Reference]) -> bool:
        """Return whether everything is there that an object refers to."""
        return all(map(self._has, references))

    def _has(self, reference: Reference) -> bool:
        if reference.referent is Referent.OBJECT:
            return has_object(self.objects, reference.name)
        tables: Mapping[Referent, Mapping[str, object]] = {
            Referent.INTERFACE: self.interfaces,
            Referent.TABLE: self.vrfs,
            Referent.BRIDGE: self.bridges,
        }
        return reference.name in tables[reference.referent]

    def with_tables(self, tables: Mapping[str, Any]) -> State:
        """Return the state with other objects in some of its tables, by their attribute."""
        return replace(self, **tables)

    def managed(self, owned: Ownership) -> State:
        """Return the state without the objects that are not `owned`, and what is theirs on interfaces.

        Plans see none of them.
        """
        off = [name for name, table in FEATURE_TABLES.items() if (table, "") not in owned]
        interfaces = without_features(self.interfaces, off)
        return replace(self, interfaces=interfaces, objects=owned_of(self.objects, owned), owned=owned)

    def with_hidden(self, found: Iterable[HiddenObject]) -> State:
        """Return this state with objects that VPP has and does not list."""
        objects = {kind: dict(items) for kind, items in self.objects.items()}
        hidden_by = dict(self.hidden_by)
        for each in found:
            if each.found is not None:
                objects.setdefault(type(each.found), {})[each.found.name] = each.found
                if each.by:
                    hidden_by[each.found.name] = each.by
        return replace(self, objects=objects, hidden_by=hidden_by)

    def described(self, name: str, tag: str) -> str:
        """Return the description of what bears a tag of ours: the whole one if known, else what of it the tag holds."""
        if name in self.descriptions and tag_for(self.descriptions[name], mark_of(tag)) == tag:
            return self.descriptions[name]
        return description_of(tag)

    def has_holder(self, name: str) -> bool:
        """Return whether there is an interface, a FIB table or a bridge domain of a name, that something is on."""
        return name in self.interfaces or name in self.vrfs or name in self.bridges

    def can_have(self, attachment: Attachment) -> bool:
        """Return whether everything is there that something of others is on."""
        return all(map(self.has_holder, (attachment.holder, *attachment.refers())))

    def with_own_places(self) -> State:
        """Return this state without namespaces and bridges that no LCP pair or TAP is in: others' come and go."""
        taps = self.virtual_as(Tap).values()
        namespaces = {each.netns for each in self.lcps.values()} | {each.host_netns for each in taps}
        bridges = {(each.host_netns, each.host_bridge) for each in taps}
        return replace(self, namespaces=self.namespaces & namespaces, linux_bridges=self.linux_bridges & bridges)

    def sub_interfaces_by_parent(self) -> dict[str, list[str]]:
        """Return the names of the sub-interfaces of each interface that has any."""
        children: dict[str, list[str]] = {}
        for interface in self.interfaces.values():
            if interface.parent is not None:
                children.setdefault(interface.parent, []).append(interface.name)
        return children

    def packet_mtu(self, name: str) -> int:
        """Return the packet MTU in bytes that is in force on interface `name`: its own, its parent's, or VPP's."""
        interface = self.interfaces[name]
        parent = self.interfaces.get(interface.parent or "")
        return interface.packet_mtu or (WITHOUT_MTU if parent is None else parent.packet_mtu)

    def with_explicit_mtus(self) -> State:
        """Return this state with every inherited packet MTU written out, so that states compare by effect."""
        inherited = {
            name: replace(interface, packet_mtu=self.packet_mtu(name))
            for name, interface in self.interfaces.items()
            if interface.packet_mtu == 0
        }
        return replace(self, interfaces={**self.interfaces, **inherited}) if inherited else self


def tables_in_use(state: State, names: Iterable[str]) -> Iterator[str]:
    """Yield the FIB tables, but the default ones, that some interfaces, or the ends of some tunnels, are in."""
    for name in names:
        interface, virtual = state.interfaces.get(name), state.virtual.get(name)
        if interface is not None:
            yield from table_keys(interface.tables)
        if virtual is not None and virtual.needed_table is not None:
            yield virtual.needed_table
