"""What `check --fleet` keeps of one file: its problems, and what can meet that of other routers, with its place."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_network
from typing import NamedTuple

from vppcfg.common.addresses import AddressKey, address_key
from vppcfg.common.release import Release
from vppcfg.config.fleet.finding import Place
from vppcfg.config.load import load
from vppcfg.entries.configuration import DEFAULT_MTU, Configuration, EncapConfig, InterfaceConfig
from vppcfg.entries.yaml.document import Document
from vppcfg.entries.yaml.files import refuse_from_elsewhere
from vppcfg.errors import ConfigError
from vppcfg.kinds.nd_proxy import KEY as ND_PROXY
from vppcfg.kinds.owned_list import OWNED
from vppcfg.kinds.policy_route_section import as_routes
from vppcfg.kinds.route_rules import vrf_of
from vppcfg.kinds.tunnel_neighbor_rules import KEY as NEIGHBORS
from vppcfg.kinds.tunnel_neighbor_rules import NextHops
from vppcfg.kinds.virtual_router_rules import KEY as VRRP
from vppcfg.kinds.virtual_router_rules import RouterEntry
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.problem import KeyPath, Problem, Severity
from vppcfg.model.route import NextHop
from vppcfg.record import record

Tags = tuple[int, int | None, bool] | None
"""Outer and inner VLAN id, and whether the outer one is 802.1ad; None without any."""


class LinkEnd(NamedTuple):
    """An interface with addresses."""

    router: str
    name: str
    vrf: str
    """'' is the default one."""
    mtu: int
    tags: Tags
    mtu_place: Place


class FleetAddress(NamedTuple):
    """An address of an interface."""

    text: str
    """With its length."""
    key: AddressKey
    end: LinkEnd
    place: Place

    @property
    def host(self) -> str:
        """Return the address without its length."""
        return self.text.partition("/")[0]

    @property
    def network(self) -> str:
        """Return the prefix of the address."""
        return str(ip_network(self.text, strict=False))


class FleetGateway(NamedTuple):
    """A gateway of a route, a policy route, a cross-connect of L3 or a punt redirect."""

    host: str
    vrf: str
    """In which it is looked up; '' is the default one."""
    what: str
    """What leads to it: the prefix of a route, or the key and its interface."""
    place: Place


class FleetNeighbor(NamedTuple):
    """A neighbour in a tunnel to many routers."""

    peer: str
    """Its address in the tunnel."""
    next_hop: str
    """The address of its router."""
    place: Place


class FleetTunnel(NamedTuple):
    """An end of a tunnel, or of several to different peers."""

    router: str
    virtual: EncapConfig
    mtu: int
    """Bytes of a packet inside."""
    outer_mtu: int | None
    """Bytes of a packet outside that the router can send from the local end; None when that is not known."""
    place: Place
    parts: tuple[Place, ...]
    """The keys of the entry with places of their own."""
    hosts: frozenset[str]
    """The addresses of its interface, without lengths."""
    neighbors: tuple[FleetNeighbor, ...] | None
    """Of a tunnel to many routers; None where the file leaves them alone."""


class FleetVirtualRouter(NamedTuple):
    """A virtual router on one subnet of its interface."""

    router: str
    interface: str
    vrf: str
    """'' is the default one."""
    subnet: str
    vr_id: int
    addresses: tuple[str, ...]
    """Of the family of the subnet, sorted."""
    interval_cs: int
    priority: int
    is_accepting: bool
    host: str
    """The address of the interface on the subnet."""
    peers: tuple[str, ...]
    """Of the family of the subnet; none where it speaks to the group."""
    place: Place


class FleetProxy(NamedTuple):
    """An IPv6 host for which a router answers neighbour solicitations."""

    router: str
    interface: str
    """Behind which the host is."""
    vrf: str
    """'' is the default one."""
    host: str
    place: Place


@record
class Member:
    """What one file sets."""

    router: str
    """The file's name without its ending."""
    file: str
    problems: tuple[Problem, ...] = ()
    """Its errors and warnings."""
    is_known: bool = False
    """Whether all of its router is known; it is not when the file has errors."""
    addresses: tuple[FleetAddress, ...] = ()
    macs: tuple[tuple[str, Place], ...] = ()
    tunnels: tuple[FleetTunnel, ...] = ()
    gateways: tuple[FleetGateway, ...] = ()
    virtual_routers: tuple[FleetVirtualRouter, ...] = ()
    nd_proxies: tuple[FleetProxy, ...] = ()


def read_member(file: str, release: Release | None = None) -> Member:
    """Return what a file sets; one that cannot be read is a problem like others."""
    router = os.path.basename(file).removesuffix(".yaml")
    try:
        refuse_from_elsewhere(file)
        loaded = load(file)
    except ConfigError as error:
        problem = Problem(rule="fleet-file", path=(), text=error.message, file=file)
        return Member(router=router, file=file, problems=(problem,))
    problems = loaded.problems
    if release is not None and loaded.configuration is not None:
        from vppcfg.config.for_release import too_new_for

        problems = loaded.placed([*problems, *too_new_for(loaded.configuration, release)])
    own = tuple(replace(problem, file=file) for problem in problems if problem.severity is not Severity.NOTICE)
    if loaded.understood is None or loaded.document is None:
        return Member(router=router, file=file, problems=own)
    return _MemberReader(router, file, loaded.understood, loaded.document).member(own)


class _MemberReader:
    def __init__(self, router: str, file: str, configuration: Configuration, document: Document) -> None:
        self._router = router
        self._file = file
        self._configuration = configuration
        self._document = document

    def member(self, problems: tuple[Problem, ...]) -> Member:
        """Return the router."""
        addresses = tuple(self._addresses())
        return Member(
            router=self._router,
            file=self._file,
            problems=problems,
            is_known=all(problem.severity is not Severity.ERROR for problem in problems),
            addresses=addresses,
            macs=tuple((mac, self._place(path)) for mac, path in self._configuration.macs()),
            tunnels=tuple(self._tunnels(addresses)),
            gateways=tuple(self._gateways()),
            virtual_routers=tuple(self._virtual_routers(addresses)),
            nd_proxies=tuple(self._nd_proxies()),
        )

    def _addresses(self) -> Iterator[FleetAddress]:
        for interface in self._configuration.interfaces.values():
            if not interface.addresses:
                continue
            end = self._end(interface)
            for position, text in enumerate(interface.addresses):
                place = self._place((*interface.path, "addresses", position))
                yield FleetAddress(text=text, key=address_key(text), end=end, place=place)

    def _end(self, interface: InterfaceConfig) -> LinkEnd:
        tags = interface.encapsulation
        path = (*interface.path, "mtu")
        line, column = self._document.locate_value(path)
        return LinkEnd(
            router=self._router,
            name=interface.name,
            vrf=interface.vrf or "",
            mtu=interface.mtu,
            tags=None if tags is None else tags.tags,
            mtu_place=Place(self._file, path, line, column),
        )

    def _tunnels(self, addresses: tuple[FleetAddress, ...]) -> Iterator[FleetTunnel]:
        for virtual in self._configuration.virtual.values():
            if isinstance(virtual, EncapConfig):
                yield FleetTunnel(
                    router=self._router,
                    virtual=virtual,
                    mtu=self._inner_mtu(virtual.name),
                    outer_mtu=self._outer_mtu(virtual, addresses),
                    place=self._place(virtual.path),
                    parts=tuple(map(self._place, virtual.parts())),
                    hosts=frozenset(each.host for each in addresses if each.end.name == virtual.name),
                    neighbors=self._neighbors(virtual.name),
                )

    def _neighbors(self, name: str) -> tuple[FleetNeighbor, ...] | None:
        entry = self._configuration.owned.get(NEIGHBORS, {}).get(name)
        if entry is None:
            return None
        hops: NextHops = entry.value
        return tuple(FleetNeighbor(peer, hop.address, self._place((*entry.path, peer))) for peer, hop in hops)

    def _gateways(self) -> Iterator[FleetGateway]:
        routes = [(route.prefix, route) for route in self._configuration.routes]
        for interface in self._configuration.interfaces.values():
            routes += [(f"a policy route of {interface.name}", route) for route in as_routes(interface)]
        for what, route in routes:
            for hop in route.hops:
                if hop.gateway:
                    yield FleetGateway(hop.gateway, vrf_of(route, hop) or "", what, self._place(hop.path))
        for key, name, next_hop, path in self._redirections():
            by = self._configuration.interfaces.get(next_hop.interface)
            if next_hop.gateway and by is not None:
                what = f"`{key}` of {name}" if name else f"`{key}`"
                yield FleetGateway(next_hop.gateway, by.vrf or "", what, self._place(path))

    def _redirections(self) -> Iterator[tuple[str, str, NextHop, KeyPath]]:
        """Yield the next hops of keys such as `l3xc`: the key, what it is below of, the hop, its place."""
        for section in OWNED:
            for name, entry in section.entries_in(self._configuration).items():
                yield from ((section.key, name, hop, path) for hop, path in section.next_hops(entry))

    def _virtual_routers(self, addresses: tuple[FleetAddress, ...]) -> Iterator[FleetVirtualRouter]:
        """Yield the virtual routers once for each subnet of their interface and family."""
        owned = self._configuration.owned.get(VRRP, {})
        for address in addresses:
            entries: tuple[RouterEntry, ...] = owned[address.end.name].value if address.end.name in owned else ()
            for entry in entries:
                for router in entry.routers(address.end.name):
                    if router.is_ipv6 is (":" in address.host):
                        yield FleetVirtualRouter(
                            router=self._router,
                            interface=address.end.name,
                            vrf=address.end.vrf,
                            subnet=address.network,
                            vr_id=router.vr_id,
                            addresses=router.addresses,
                            interval_cs=router.interval_cs,
                            priority=router.priority,
                            is_accepting=router.is_accepting,
                            host=address.host,
                            peers=router.peers,
                            place=self._place(entry.path),
                        )

    def _nd_proxies(self) -> Iterator[FleetProxy]:
        for name, entry in self._configuration.owned.get(ND_PROXY, {}).items():
            if (interface := self._configuration.interfaces.get(name)) is None:  # it has problems of its own
                continue
            vrf = interface.vrf or ""
            for position, host in enumerate(entry.value):
                yield FleetProxy(self._router, name, vrf, host, self._place((*entry.path, position)))

    def _inner_mtu(self, name: str) -> int:
        interface = self._configuration.interfaces.get(name)
        if interface is not None:
            return interface.mtu
        bridges = (bridge for bridge in self._configuration.bridges.values() if name in bridge.members)
        return next((bridge.mtu for bridge in bridges), DEFAULT_MTU)

    def _outer_mtu(self, virtual: EncapConfig, addresses: tuple[FleetAddress, ...]) -> int | None:
        """Return the MTU of the interface with the local end; from a loopback, the best that any other one has."""
        in_table = [address.end for address in addresses if address.end.vrf == (virtual.encap_vrf or "")]
        own = next(
            (
                address.end
                for address in addresses
                if address.host == virtual.local and address.end.vrf == (virtual.encap_vrf or "")
            ),
            None,
        )
        if own is None or not self._is_loopback(own):
            return None if own is None else own.mtu
        return max((end.mtu for end in in_table if not self._is_loopback(end)), default=None)

    def _is_loopback(self, end: LinkEnd) -> bool:
        return self._configuration.interfaces[end.name].kind is InterfaceKind.LOOPBACK

    def _place(self, path: KeyPath) -> Place:
        line, column = self._document.locate(path)
        return Place(self._file, path, line, column)
