"""Rules about the neighbours of multipoint tunnels: against each other, their tunnel and its interface."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_address, ip_interface

from vppcfg.entries.configuration import Configuration, OwnedConfig, TunnelConfig
from vppcfg.entries.index import Index
from vppcfg.kinds.route_section import DEFAULT_VRF
from vppcfg.model.problem import KeyPath, Problem, Severity
from vppcfg.record import record

KEY = "neighbors"


@record
class NextHopConfig:
    """The router that a neighbour is behind."""

    address: str
    """Canonical."""
    vrf: str | None = None
    """The VRF that it is looked up in, `default` for the default table; None is that of the tunnel's ends."""


NextHops = tuple[tuple[str, NextHopConfig], ...]
"""Addresses of neighbours, each with its router, in the order of the file."""


def tunnel_of(entry: OwnedConfig, configuration: Configuration) -> TunnelConfig | None:
    """Return the tunnel that has an entry, None where it is wrong."""
    return configuration.virtual_of(entry.name, TunnelConfig)


def named_vrf(hop: NextHopConfig, tunnel: TunnelConfig) -> str | None:
    """Return the VRF of a next hop, None for the default one."""
    if hop.vrf is None:
        return tunnel.encap_vrf
    return None if hop.vrf == DEFAULT_VRF else hop.vrf


def _entries(index: Index) -> Iterator[tuple[TunnelConfig, OwnedConfig]]:
    for entry in index.configuration.owned.get(KEY, {}).values():
        tunnel = tunnel_of(entry, index.configuration)
        if tunnel is not None:
            yield tunnel, entry


def _hops(index: Index) -> Iterator[tuple[TunnelConfig, str, NextHopConfig, KeyPath]]:
    """Yield each neighbour of a tunnel to many, with the place of its entry."""
    for tunnel, entry in _entries(index):
        if tunnel.tunnel.is_multipoint:
            yield from ((tunnel, peer, hop, (*entry.path, peer)) for peer, hop in entry.value)


def neighbors_multipoint(index: Index) -> Iterator[Problem]:
    """Find neighbours of tunnels to one router."""
    for tunnel, entry in _entries(index):
        if not tunnel.tunnel.is_multipoint:
            text = f"{tunnel.name} leads to {tunnel.remote} alone; remove `neighbors`, or take `multipoint: true`"
            yield Problem(rule="tunnel-neighbors-multipoint", path=entry.path, text=text)


def neighbors_next_hop(index: Index) -> Iterator[Problem]:
    """Find next hops that the tunnel cannot send to: of the other family, or in a VRF that is not there."""
    vrfs = index.configuration.vrfs
    for tunnel, _, hop, path in _hops(index):
        if (":" in hop.address) != (":" in tunnel.local):
            text = f"{hop.address} is of another family than {tunnel.local}, the tunnel's own end"
            yield Problem(rule="tunnel-neighbors-family", path=path, text=text)
        elif (name := hop.vrf) is not None and name != DEFAULT_VRF:
            vrf = vrfs.get(name)
            if vrf is not None and not (vrf.has_ipv6 if ":" in hop.address else vrf.has_ipv4):
                text = f"{name} has no table for the family of {hop.address}"
                yield Problem(rule="vrf-family", path=path, text=text)
            elif vrf is None and not index.has_entry("vrfs", name, vrfs):
                text = f"there is no VRF {name} in this file; add it to `vrfs`"
                yield Problem(rule="vrf-undefined", path=path, text=text)


def neighbors_own(index: Index) -> Iterator[Problem]:
    """Find next hops that are addresses of this router: a packet to one comes back, and crashes VPP 26.10."""
    hops = list(_hops(index))
    owners = {
        (interface.vrf, address.partition("/")[0]): interface.name
        for interface in (index.interfaces if hops else ())
        for address in interface.addresses
    }
    for tunnel, _, hop, path in hops:
        owner = owners.get((named_vrf(hop, tunnel), hop.address))
        if owner is not None:
            text = f"{hop.address} is an address of this router, of {owner}; take that of the other router"
            yield Problem(rule="tunnel-neighbors-own", path=path, text=text)


def neighbors_twice(index: Index) -> Iterator[Problem]:
    """Find routers whose packets VPP could take for those of two tunnels."""
    owners: dict[tuple[object, ...], str] = {
        _packets(tunnel, tunnel.remote, tunnel.encap_vrf): name
        for name, tunnel in index.configuration.virtual_as(TunnelConfig).items()
        if not tunnel.tunnel.is_multipoint
    }
    for tunnel, _, hop, path in _hops(index):
        first = owners.setdefault(_packets(tunnel, hop.address, named_vrf(hop, tunnel)), tunnel.name)
        if first != tunnel.name:
            text = f"{first} has the packets from {hop.address} to {tunnel.local} too; take another `local` or `key`"
            yield Problem(rule="tunnel-neighbors-twice", path=path, text=text)


def _packets(tunnel: TunnelConfig, other: str, vrf: str | None) -> tuple[object, ...]:
    """Return what VPP knows the packets of a tunnel by: the keys of a tunnel to that router alone."""
    return type(tunnel.tunnel), vrf, replace(tunnel.tunnel, remote=other).unique_key


def neighbors_vrf(index: Index) -> Iterator[Problem]:
    """Find neighbours of a family in two VRFs, of which VPP loses one (`_counts_elsewhere` of the kind)."""
    first: dict[bool, tuple[str | None, str]] = {}
    for tunnel, peer, _, path in _hops(index):
        interface = index.find(tunnel.name)
        if interface is None:
            continue
        vrf, name = first.setdefault(":" in peer, (interface.vrf, tunnel.name))
        if vrf != interface.vrf:
            text = f"{tunnel.name} and {name} are in different VRFs, and VPP loses one by neighbours in both; take one"
            yield Problem(rule="tunnel-neighbors-vrf", path=path, text=text)


def neighbors_subnet(index: Index) -> Iterator[Problem]:
    """Find neighbours that are in no subnet of their tunnel, so that no packet to their own address goes there."""
    for tunnel, peer, _, path in _hops(index):
        interface = index.find(tunnel.name)
        if interface is None or interface.unnumbered or interface.dhcp_client or not interface.addresses:
            continue
        address, own = ip_address(peer), list(map(ip_interface, interface.addresses))
        if any(each.ip == address for each in own):
            text = f"{peer} is an address of {tunnel.name} itself; take that of the neighbour"
            yield Problem(rule="tunnel-neighbors-subnet", path=path, text=text)
        elif not address.is_link_local and not any(address in each.network for each in own):
            text = f"{peer} is in no subnet of {tunnel.name}, so that nothing is sent to it there"
            yield Problem(rule="tunnel-neighbors-subnet", path=path, text=text, severity=Severity.WARNING)


RULES = (
    neighbors_multipoint,
    neighbors_next_hop,
    neighbors_own,
    neighbors_twice,
    neighbors_vrf,
    neighbors_subnet,
)
