"""Rules about policy routes; the rules of routes check their next hops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Interface, IPv6Interface, ip_interface, ip_network

from vppcfg.common.resemblance import did_you_mean
from vppcfg.config.configuration import InterfaceConfig, PolicyRouteConfig
from vppcfg.config.rules.index import Index
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
    """Find policy routes that take everything from the neighbours of an interface, what is for the router too."""
    for interface, entry in _entries(index):
        acl = index.configuration.acls.get(entry.acl)
        addresses = [ip_interface(each) for each in interface.addresses if (":" in each) is entry.is_ipv6]
        found = ((each.ip, _taking(acl.rules, each)) for each in addresses if acl is not None)
        own, rule = next(((host, rule) for host, rule in found if rule is not None), (None, None))
        if rule is not None:
            has_broadcasts = not entry.is_ipv6 and rule.source == rule.destination == "0.0.0.0/0"
            what = (
                f"{own}, an address of {interface.name}{', and of DHCP to 255.255.255.255' if has_broadcasts else ''}"
            )
            text = f"the ACL {entry.acl} permits all packets to {what}: the next hop gets them; deny them before"
            yield Problem(rule="policy-route-own", path=(*entry.path, "acl"), text=text, severity=Severity.WARNING)


def _taking(rules: Iterable[AclRule], own: IPv4Interface | IPv6Interface) -> AclRule | None:
    """Return the first rule that looks at packets to an address from its network, where it permits all of them."""
    for rule in rules:
        source, destination = ip_network(rule.source), ip_network(rule.destination)
        if destination.version == own.version and own.ip in destination and source.overlaps(own.network):
            return rule if rule.action is not AclAction.DENY and rule.protocol == 0 else None
    return None


RULES = (policy_route_acl, policy_route_priority, policy_route_twice, policy_route_own)
