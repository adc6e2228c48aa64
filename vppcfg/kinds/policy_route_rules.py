"""Rules about policy routes; the rules of routes check their next hops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Interface, IPv6Interface, ip_interface, ip_network

from vppcfg.common.resemblance import did_you_mean
from vppcfg.entries.configuration import InterfaceConfig, PolicyRouteConfig
from vppcfg.entries.index import Index
from vppcfg.model.acl import AclAction, AclRule
from vppcfg.model.problem import Problem, Severity


def policy_route_acl(index: Index) -> Iterator[Problem]:
    """Find access lists of policy routes that the file lacks, and those that permit none of their packets."""
    acls = index.configuration.acls
    for _, entry in _entries(index):
        path = (*entry.path, "acl")
        if entry.acl not in acls:
            if not index.has_entry("acls", entry.acl, acls):
                text = f"there is no ACL {entry.acl} in this file; add it to `acls`{did_you_mean(entry.acl, acls)}"
                yield Problem(rule="acl-undefined", path=path, text=text)
            continue
        rules = [rule for rule in acls[entry.acl].rules if (":" in rule.source) is entry.is_ipv6]
        if all(rule.action is AclAction.DENY for rule in rules):
            family, other = ("IPv6", "ipv4") if entry.is_ipv6 else ("IPv4", "ipv6")
            text = f"{entry.acl} permits no {family}, so the policy route would forward nothing"
            text += f"; add such a term, or `family: {other}`"
            yield Problem(rule="policy-route-acl", path=path, text=text)


def policy_route_priority(index: Index) -> Iterator[Problem]:
    """Find policy routes of one interface and family with the same priority: which comes first is open."""
    seen: set[tuple[str, bool, int]] = set()
    for interface, entry in _entries(index):
        key = (interface.name, entry.is_ipv6, entry.priority)
        if key in seen:
            text = f"another policy route of {interface.name} has the priority {entry.priority}; give it another one"
            yield Problem(rule="policy-route-priority", path=entry.path, text=text, severity=Severity.WARNING)
        seen.add(key)


def _entries(index: Index) -> Iterator[tuple[InterfaceConfig, PolicyRouteConfig]]:
    for interface in index.interfaces:
        for entry in interface.policy_routes or ():
            yield interface, entry


def policy_route_twice(index: Index) -> Iterator[Problem]:
    """Find access lists that an interface has policy routes for twice, and next hops that one has twice."""
    seen: set[tuple[str, bool, str]] = set()
    for interface, entry in _entries(index):
        key = (interface.name, entry.is_ipv6, entry.acl)
        if key in seen:
            text = (
                f"{interface.name} has a policy route for {entry.acl} and this family already; VPP looks at a list once"
            )
            yield Problem(rule="policy-route-twice", path=(*entry.path, "acl"), text=f"{text}; remove one of both")
        seen.add(key)
        hops = [(hop.gateway, hop.interface, hop.vrf) for hop in entry.hops]
        if len(set(hops)) < len(hops):
            text = "a next hop is given twice; give it once, with its weight"
            yield Problem(rule="policy-route-twice", path=(*entry.path, "via"), text=text)


def policy_route_own(index: Index) -> Iterator[Problem]:
    """Find policy routes that take from the neighbours of an interface what is for the router itself, too."""
    for interface, entry in _entries(index):
        acl = index.configuration.acls.get(entry.acl)
        own = [ip_interface(each) for each in interface.addresses if (":" in each) is entry.is_ipv6]
        taken = next((each for address in own for each in _taken(acl.rules, address)), "") if acl is not None else ""
        if taken:
            text = f"the ACL {entry.acl} permits packets {taken}: the next hop of the policy route gets them, and not "
            text += f"{interface.name} itself; deny them before"
            yield Problem(rule="policy-route-own", path=(*entry.path, "acl"), text=text, severity=Severity.WARNING)


def _taken(rules: Iterable[AclRule], own: IPv4Interface | IPv6Interface) -> Iterator[str]:
    """Yield what rules for all protocols take of the packets to an address from its network, in words."""
    denied = []
    for rule in rules:
        source, destination, network = ip_network(rule.source), ip_network(rule.destination), own.network
        if rule.protocol or own.ip not in destination or not source.overlaps(network):
            continue
        part = max(source, network, key=lambda each: each.prefixlen)
        if rule.action is AclAction.DENY:
            denied.append(part)
        elif not any(part.network_address in each for each in denied if each.prefixlen <= part.prefixlen):
            is_all = own.version == 4 and source.prefixlen == destination.prefixlen == 0
            origin = "" if part == network else f"from {part} "
            yield f"{origin}to {own.ip}{', and of DHCP to 255.255.255.255' if is_all else ''}"


RULES = (policy_route_acl, policy_route_priority, policy_route_twice, policy_route_own)
