"""Rules about virtual routers (VRRP), and the entries of the file that they check."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_address, ip_interface

from vppcfg.common.resemblance import did_you_mean
from vppcfg.entries.configuration import InterfaceConfig
from vppcfg.entries.index import Index
from vppcfg.model.problem import KeyPath, Problem, Severity
from vppcfg.model.virtual_router import OWNER_PRIORITY, VirtualRouter, hosts_in_order
from vppcfg.record import record

KEY = "vrrp"


@record
class RouterEntry:
    """One entry below `vrrp` of an interface: a virtual router for each family of its addresses."""

    key: int | str
    """As it stands in the file."""
    path: KeyPath = ()
    router: VirtualRouter
    """With the addresses and peers of both families, and no interface."""

    def may_join(self, other: RouterEntry) -> bool:
        """Return whether all is alike but the addresses and peers, of which both have some or none."""
        mine, theirs = self.router, other.router
        alike = replace(mine, addresses=theirs.addresses, peers=theirs.peers)
        return alike == theirs and bool(mine.peers) == bool(theirs.peers)

    def joined_by(self, other: RouterEntry) -> RouterEntry:
        """Return the entry of both families."""
        mine, theirs = self.router, other.router
        addresses, peers = (*mine.addresses, *theirs.addresses), (*mine.peers, *theirs.peers)
        return replace(self, router=replace(mine, addresses=addresses, peers=peers))

    def routers(self, interface: str) -> Iterator[VirtualRouter]:
        """Yield the virtual router of each family as VPP is to have it."""
        for is_ipv6 in (False, True):
            addresses, peers = (
                hosts_in_order([host for host in hosts if (":" in host) is is_ipv6])
                for hosts in (self.router.addresses, self.router.peers)
            )
            if addresses:
                yield replace(self.router, interface=interface, is_ipv6=is_ipv6, addresses=addresses, peers=peers)


def vrrp_addresses(index: Index) -> Iterator[Problem]:
    """Find addresses that two virtual routers of an interface have, and numbers that stand there twice."""
    for interface, entries in _entries(index):
        seen: set[str] = set()
        for entry in entries:
            for position, host in enumerate(entry.router.addresses):
                if host in seen:
                    text = f"{interface.name} has the virtual address {host} already; remove one of both"
                    yield Problem(rule="vrrp-address", path=(*entry.path, "addresses", position), text=text)
                seen.add(host)
        known: set[tuple[int, bool]] = set()
        for entry in entries:
            families = {(entry.router.vr_id, ":" in host) for host in entry.router.addresses}
            if families & known:
                text = f"{interface.name} has a virtual router {entry.router.vr_id} of this family already; renumber it"
                yield Problem(rule="vrrp-address", path=entry.path, text=text)
            known |= families


def vrrp_owner(index: Index) -> Iterator[Problem]:
    """Find routers of priority 255 without the addresses, and addresses of the interface with a lower one."""
    for interface, entries in _entries(index):
        own = {address.partition("/")[0] for address in interface.addresses}
        for entry in entries:
            path = (*entry.path, "priority")
            missing = next((host for host in entry.router.addresses if host not in own), None)
            has = next((host for host in entry.router.addresses if host in own), None)
            if entry.router.priority == OWNER_PRIORITY and missing is not None:
                text = f"priority 255 is for the router that has {missing} on {interface.name}; take a lower one"
                yield Problem(rule="vrrp-owner", path=path, text=text)
            elif entry.router.priority != OWNER_PRIORITY and has is not None:
                text = f"{has} is an address of {interface.name}, so that this router owns it; set `priority: 255`"
                yield Problem(rule="vrrp-owner", path=path, text=text)


def vrrp_interface(index: Index) -> Iterator[Problem]:
    """Find virtual routers on interfaces that switch, or have no address of the family."""
    for interface, entries in _entries(index):
        if reason := index.why_switched(interface.name):
            text = f"{interface.name} {reason} and does not route; put `vrrp` on the BVI, or remove it"
            yield Problem(rule="vrrp-switched", path=(*interface.path, KEY), text=text)
            continue
        for entry in entries:
            for family, is_ipv6 in (("IPv4", False), ("IPv6", True)):
                has_family = any((":" in host) is is_ipv6 for host in entry.router.addresses)
                if has_family and not any((":" in address) is is_ipv6 for address in interface.addresses):
                    text = (
                        f"{interface.name} has no {family} address, without which the router does not come up; add one"
                    )
                    yield Problem(rule="vrrp-family", path=(*entry.path, "addresses"), text=text)


def vrrp_accept(index: Index) -> Iterator[Problem]:
    """Find addresses in no network of the interface that the master is to have there."""
    for interface, entries in _entries(index):
        networks = [ip_interface(address).network for address in interface.addresses]
        for entry in entries:
            for position, host in enumerate(entry.router.addresses):
                if entry.router.is_accepting and not any(ip_address(host) in network for network in networks):
                    length = 64 if ":" in host else 24
                    text = f"{host} is in no network of {interface.name}: VPP gives it the length /{length}"
                    path = (*entry.path, "addresses", position)
                    yield Problem(rule="vrrp-accept", path=path, text=text, severity=Severity.WARNING)


def vrrp_track(index: Index) -> Iterator[Problem]:
    """Find tracked interfaces that the file lacks, the interface itself, and more than the priority has."""
    for interface, entries in _entries(index):
        for entry in entries:
            for each in entry.router.tracked:
                path = (*entry.path, "track", each.interface)
                if each.interface == interface.name:
                    text = "a virtual router looks at its own interface anyway; remove it"
                elif not index.has(each.interface):
                    text = f"there is no interface {each.interface} in this file"
                    text += did_you_mean(each.interface, index.names)
                elif each.priority >= entry.router.priority:
                    text = f"it takes {each.priority} from a priority of {entry.router.priority}; take less"
                else:
                    continue
                yield Problem(rule="vrrp-track", path=path, text=text)


def vrrp_track_address(index: Index) -> Iterator[Problem]:
    """Find tracked interfaces without an address of the router's family: to VPP they are down (vrrp_intf_ip_up)."""
    for _, entries in _entries(index):
        for entry in entries:
            for each in entry.router.tracked:
                other = index.find(each.interface)
                if other is None or other.unnumbered or other.dhcp_client or other.unmanaged_addresses:
                    continue
                wanted = {":" in host for host in entry.router.addresses}
                given = {":" in address for address in other.addresses} | _with_link_local(other)
                for is_ipv6 in sorted(wanted - given):
                    family = "IPv6" if is_ipv6 else "IPv4"
                    text = (
                        f"{other.name} has no {family} address, so it is down to VPP, which takes {each.priority} off"
                    )
                    path = (*entry.path, "track", each.interface)
                    yield Problem(rule="vrrp-track-address", path=path, text=text, severity=Severity.WARNING)


def _with_link_local(interface: InterfaceConfig) -> set[bool]:
    """Return True for IPv6 where the interface has it without an address of the file."""
    has_some = interface.lcp is not None or interface.link_local is not None or interface.ra is not None
    return {True} if has_some else set()


def vrrp_peers(index: Index) -> Iterator[Problem]:
    """Find peers that are the router itself, and peers and addresses that are not of the same families."""
    for interface, entries in _entries(index):
        own = {address.partition("/")[0] for address in interface.addresses}
        for entry in (each for each in entries if each.router.peers):
            path = (*entry.path, "unicast-peers")
            itself = next((host for host in entry.router.peers if host in own), None)
            if itself is not None:
                text = f"{itself} is an address of this router; name those of the others"
                yield Problem(rule="vrrp-peers", path=path, text=text)
            elif {":" in host for host in entry.router.peers} != {":" in host for host in entry.router.addresses}:
                text = "peers and addresses are not of the same families; name a peer for each family"
                yield Problem(rule="vrrp-peers", path=path, text=text)


def _entries(index: Index) -> Iterator[tuple[InterfaceConfig, tuple[RouterEntry, ...]]]:
    for name, owned in index.configuration.owned.get(KEY, {}).items():
        interface = index.find(name)
        if interface is not None:
            yield interface, owned.value


RULES = (vrrp_addresses, vrrp_owner, vrrp_interface, vrrp_accept, vrrp_track, vrrp_track_address, vrrp_peers)
