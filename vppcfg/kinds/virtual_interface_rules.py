"""Rules about all interfaces that VPP makes on demand: where they stand in the file, and what distinguishes tunnels."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.addresses import is_link_local
from vppcfg.entries.configuration import EncapConfig, TunnelConfig
from vppcfg.entries.index import Index
from vppcfg.kinds.virtual_interface_list import VIRTUAL_INTERFACES, section_of
from vppcfg.kinds.virtual_router_rules import KEY as VRRP
from vppcfg.model.problem import KeyPath, Problem, Severity


def created_elsewhere(index: Index) -> Iterator[Problem]:
    """Find bonds, tunnels and TAPs that the section which would make them lacks."""
    sections = {section.kind: section for section in VIRTUAL_INTERFACES}
    for interface in index.interfaces:
        section = sections.get(interface.kind)
        if section is not None and not index.creates(section, interface.name):
            text = f"{interface.name} has to be made; add it to `{section.key}`"
            yield Problem(rule=section.rule("undefined"), path=interface.path, text=text)


def created_alone(index: Index) -> Iterator[Problem]:
    """Find tunnels and TAPs without an entry below `interfaces`."""
    for virtual in index.configuration.virtual.values():
        section = section_of(virtual)
        if not section.needs_interface and not index.has(virtual.name):
            text = f"{virtual.name} is created and then left as it is; set its MTU and state below `interfaces`"
            rule = section.rule("no-interface")
            yield Problem(rule=rule, path=virtual.path, text=text, severity=Severity.WARNING)


def tunnel_ends(index: Index) -> Iterator[Problem]:
    """Find tunnels whose ends do not go together."""
    for tunnel in index.configuration.virtual_as(TunnelConfig).values():
        section, path = section_of(tunnel), (*tunnel.path, "remote")
        if tunnel.tunnel.is_multipoint:
            continue
        if (":" in tunnel.local) != (":" in tunnel.remote):
            text = f"{tunnel.local} and {tunnel.remote} are of different families; take two of one"
            yield Problem(rule=section.rule("family"), path=path, text=text)
        elif tunnel.local == tunnel.remote:
            text = f"the tunnel ends where it begins, at {tunnel.local}; take the address of the other router"
            yield Problem(rule=section.rule("self"), path=path, text=text)


def tunnel_remote(index: Index) -> Iterator[Problem]:
    """Find tunnels whose other end is an address of this router.

    A packet into such a tunnel has no receiver, or comes back, arrives and crashes VPP (vnet/ip/ip6_forward.c
    and ip4_forward.c, the nodes ip6-receive and ip4-receive, in 26.10).
    """
    tunnels = index.configuration.virtual_as(TunnelConfig).values()
    owners = _owners(index) if tunnels else {}
    for tunnel in tunnels:
        owner = owners.get((tunnel.encap_vrf, tunnel.remote))
        if owner is not None and tunnel.remote != tunnel.local:
            rule = section_of(tunnel).rule("remote-own")
            text = f"{tunnel.remote} is an address of this router, of {owner}; take that of the other end"
            yield Problem(rule=rule, path=(*tunnel.path, "remote"), text=text)


def tunnel_local(index: Index) -> Iterator[Problem]:
    """Find tunnels whose own end is an address that nothing in the file has, where nothing else can have it.

    VPP sends from any address, and takes what arrives only for its own ones. A file without addresses of the family is
    not the whole of a router.
    """
    configuration = index.configuration
    tunnels = configuration.virtual_as(EncapConfig).values()
    if not tunnels or configuration.unmanaged or not index.is_whole or any(i.dhcp_client for i in index.interfaces):
        return
    owners = _owners(index)
    elsewhere = {address: (vrf, owner) for (vrf, address), owner in owners.items()}
    families = {":" in address for address in elsewhere}
    for tunnel in tunnels:
        is_known = (":" in tunnel.local) in families and not is_link_local(tunnel.local)
        if is_known and (tunnel.encap_vrf, tunnel.local) not in owners:
            text = _without_owner(tunnel, elsewhere.get(tunnel.local))
            rule = section_of(tunnel).rule("local-missing")
            yield Problem(rule=rule, path=(*tunnel.path, "local"), text=text, severity=Severity.WARNING)


def _without_owner(tunnel: EncapConfig, found: tuple[str | None, str] | None) -> str:
    place = _vrf(tunnel.encap_vrf)
    if found is None:
        return f"no interface of this file has {tunnel.local} in {place}; correct it, or give it to one"
    vrf, owner = found
    return (
        f"{tunnel.local} is an address of {owner} in {_vrf(vrf)}, and the tunnel needs it in {place}; see `encap-vrf`"
    )


def _vrf(name: str | None) -> str:
    return "the default VRF" if name is None else f"the VRF {name}"


def _owners(index: Index) -> dict[tuple[str | None, str], str]:
    """Return the interface of each address, by the VRF and the address without its length."""
    return {
        (interface.vrf, address.partition("/")[0]): interface.name
        for interface in index.interfaces
        for address in interface.addresses
    }


def created_without_ethernet(index: Index) -> Iterator[Problem]:
    """Find what needs Ethernet on an interface that has none; VPP would take it, and crash at some of it.

    A DHCP client reads the hardware address of any but a memif, and there is none (send_dhcp_pkt in plugins/dhcp/
    client.c); what a virtual router advertises finds no frame to go into (adj_l2_rewrite_inline in vnet/adj/adj_l2.c).
    """
    for virtual in index.configuration.virtual.values():
        if not virtual.has_ethernet:
            section = section_of(virtual)
            for path, thing in _with_ethernet(index, virtual.name):
                text = f"{virtual.name} carries packets without Ethernet and cannot {thing}{section.ethernet_hint}"
                yield Problem(rule=section.rule("l3"), path=path, text=text)


def _with_ethernet(index: Index, name: str) -> Iterator[tuple[KeyPath, str]]:
    """Yield where the file sets for an interface what needs Ethernet, and in words what that is."""
    interface = index.find(name)
    if interface is not None and interface.mac is not None:
        yield (*interface.path, "mac"), "have a MAC address"
    if interface is not None and interface.neighbors:
        yield (*interface.path, "neighbors"), "have neighbours with MAC addresses"
    if interface is not None and interface.dhcp_client is not None:
        yield (*interface.path, "dhcp-client"), "have a DHCP client"
    if interface is not None and interface.name in index.configuration.owned.get(VRRP, {}):
        yield (*interface.path, "vrrp"), "have virtual routers"
    if interface is not None and interface.ra is not None:
        yield (*interface.path, "ra"), "advertise routers"
    if interface is not None and interface.link_local is not None:
        yield (*interface.path, "link-local"), "have a link-local address that differs from VPP's own"
    if interface is not None and interface.macip is not None:
        yield (*interface.path, "macip"), "look at MAC addresses"
    if interface is not None and interface.l2xc is not None:
        yield (*interface.path, "l2xc"), "be cross-connected"
    for child in index.children.get(name, ())[:1]:
        yield child.path, "have sub-interfaces"
    for source in index.sources.get(name, ()):
        yield (*source.path, "l2xc"), "be cross-connected"
    for bridge in index.bridges.get(name, ()):
        yield (*bridge.path, "interfaces", bridge.members.index(name)), "be a member of a bridge domain"


RULES = (created_elsewhere, created_alone, tunnel_ends, tunnel_remote, tunnel_local, created_without_ethernet)
