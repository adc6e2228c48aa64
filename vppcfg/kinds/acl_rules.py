"""Rules about access lists: what interfaces apply, what no packet reaches, and what lists with state lack or miss."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv4Network
from itertools import groupby

from vppcfg.common.resemblance import did_you_mean
from vppcfg.entries.configuration import AclConfig, InterfaceConfig
from vppcfg.entries.index import Index
from vppcfg.kinds.acl_section import KEY, OTHERS
from vppcfg.model.acl import ICMP6, AclAction, AclRule
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.nat44 import NatSide
from vppcfg.model.problem import Problem, Severity

Families = frozenset[bool]
"""Of each family whether it is IPv6."""


def acl_applied(index: Index) -> Iterator[Problem]:
    """Find ACLs that interfaces apply and the file lacks, and those that VPP would take once only."""
    for interface in index.interfaces:
        if not interface.acls:
            continue
        for key, names in (("input", interface.acls.input), ("output", interface.acls.output)):
            seen: set[str] = set()
            for position, name in enumerate(names):
                path = (*interface.path, "acls", key, position)
                if not index.has_entry(KEY, name, index.configuration.acls):
                    text = f"there is no ACL {name} in this file; add it to `acls`"
                    text += did_you_mean(name, index.configuration.acls)
                    yield Problem(rule="acl-undefined", path=path, text=text)
                elif name in seen:
                    yield Problem(rule="acl-duplicate", path=path, text=f"{name} is in this list already; remove it")
                seen.add(name)


def acl_term_unreached(index: Index) -> Iterator[Problem]:
    """Find, once for each list, terms behind one that takes every packet of their families."""
    for acl in index.configuration.acls.values():
        unreached = list(_unreached_terms(acl)) if acl.positions else []
        if unreached:
            others = f", nor {len(unreached) - 1} more below it" if len(unreached) > 1 else ""
            text = f"no packet reaches this term{others}: a term above it takes all; put that last, or remove this one"
            path = (*acl.path, "terms", unreached[0])
            yield Problem(rule="acl-term-unreached", path=path, text=text, severity=Severity.WARNING)


def acl_unreached(index: Index) -> Iterator[Problem]:
    """Find lists of an interface behind others that take every packet of their families.

    Of several, VPP asks the next one only for what no rule of the former ones matches (plugins/acl/public_inlines.h).
    """
    for interface in index.interfaces if index.configuration.acls else ():
        if len(interface.acls.input) > 1:
            yield from _unreached_lists(interface, "input", interface.acls.input, index)
        if len(interface.acls.output) > 1:
            yield from _unreached_lists(interface, "output", interface.acls.output, index)


def acl_unused(index: Index) -> Iterator[Problem]:
    """Find lists that no interface applies."""
    used = {name for each in index.interfaces for name in (*each.acls.input, *each.acls.output)}
    used |= {each.acl for interface in index.interfaces for each in interface.policy_routes or ()}
    return index.unused("acl-unused", index.configuration.acls, used, "no interface applies")


def acl_reflect_alone(index: Index) -> Iterator[Problem]:
    """Find `permit+reflect` in one direction of an interface that has no list in the other, where answers go.

    VPP looks for sessions in the directions that have lists (acl_fa_enable_disable in plugins/acl/sess_mgmt_node.c).
    """
    acls = index.configuration.acls
    if any(pattern.startswith(OTHERS) for pattern in index.configuration.unmanaged):
        return  # another program may apply the list
    reflecting = {name for name, acl in acls.items() if any(map(_reflects, acl.rules))}
    for interface in index.interfaces if reflecting else ():
        applied = interface.acls
        for key, names, others in (
            ("input", applied.input, applied.output),
            ("output", applied.output, applied.input),
        ):
            if others or reflecting.isdisjoint(names):
                continue
            other, way = ("output", "goes out") if key == "input" else ("input", "comes in")
            rules = [rule for name in names if name in acls for rule in acls[name].rules]
            drops_some = any(rule.action is AclAction.DENY for rule in rules) or len(_taken(rules)) < 2
            text = f"no list drops what {way} here, so that `permit+reflect` has no answers to let through"
            text += f"; write `permit`, or set `{other}`" if drops_some else f", and all packets pass; set `{other}`"
            severity = Severity.NOTICE if drops_some else Severity.WARNING
            yield Problem(rule="acl-reflect-alone", path=(*interface.path, "acls", key), text=text, severity=severity)


def _reflects(rule: AclRule) -> bool:
    return rule.action is AclAction.PERMIT_REFLECT


_SOLICITATION, _ADVERTISEMENT = 135, 136
"""Types of ICMPv6 (RFC 4861)."""
_NEEDED = {"input": (_ADVERTISEMENT,), "output": (_SOLICITATION, _ADVERTISEMENT)}
"""What must pass; solicitations of others come in as multicast, which no list sees (seen on VPP 26.10)."""


def acl_neighbors(index: Index) -> Iterator[Problem]:
    """Find lists that drop all neighbour discovery of an interface with IPv6 addresses."""
    acls = index.configuration.acls
    verdicts: dict[tuple[str, int], bool | None] = {}

    def verdict(name: str, icmp_type: int) -> bool | None:
        if (name, icmp_type) not in verdicts:
            verdicts[name, icmp_type] = _verdict(acls[name].rules, icmp_type)
        return verdicts[name, icmp_type]

    for interface in index.interfaces if acls else ():
        for key, names in (("input", interface.acls.input), ("output", interface.acls.output)):
            if not names or not all(name in acls for name in names) or not _discovers_neighbors(interface, index):
                continue
            for icmp_type in _NEEDED[key]:
                if not next((found for name in names if (found := verdict(name, icmp_type)) is not None), False):
                    text = (
                        f"{interface.name} has IPv6 addresses, and no term permits ICMPv6 type {icmp_type}, by which "
                    )
                    text += "neighbours are found; add { action: permit, protocol: icmp }"
                    path = (*interface.path, "acls", key)
                    yield Problem(rule="acl-neighbors", path=path, text=text, severity=Severity.WARNING)
                    break


def _discovers_neighbors(interface: InterfaceConfig, index: Index) -> bool:
    virtual = index.configuration.virtual.get(interface.name)
    leads_nowhere = interface.kind is InterfaceKind.LOOPBACK and interface.name not in index.bvi_bridges
    has_ethernet = (virtual is None or virtual.has_ethernet) and not leads_nowhere
    has_network = any(":" in each and not each.endswith("/128") for each in interface.addresses)
    return has_ethernet and has_network and not any(":" in (each.address or "") for each in interface.neighbors)


def _verdict(rules: Iterable[AclRule], icmp_type: int) -> bool | None:
    """Return whether rules permit packets of a type of ICMPv6, if only of some hosts; None when they decide nothing."""
    for rule in rules:
        (first, last), (code, _) = rule.source_ports, rule.destination_ports
        is_of_type = rule.protocol == 0 or (rule.protocol == ICMP6 and first <= icmp_type <= last and code == 0)
        if ":" in rule.source and is_of_type:
            if rule.action is not AclAction.DENY:
                return True
            if _is_everywhere(rule):
                return False
    return None


def acl_inside_address(index: Index) -> Iterator[Problem]:
    """Find terms for what comes in from the world that name a host behind NAT44, which translates after the lists."""
    nat44, acls = index.configuration.nat44, index.configuration.acls
    hosts = {each.local.address for each in nat44.static if each.local.address} if nat44 is not None else set()
    outside: dict[str, str] = {}
    """The first interface to the world that applies each list."""
    for interface in index.interfaces if hosts else ():
        if interface.nat44 in (NatSide.OUTSIDE, NatSide.OUTPUT):
            for name in interface.acls.input:
                outside.setdefault(name, interface.name)
    for name, by in outside.items():
        acl = acls.get(name)
        for position, rule in zip(acl.positions, acl.rules, strict=False) if acl is not None else ():
            if rule.action is not AclAction.DENY and (host := _host_in(rule.destination, hosts)):
                text = f"what comes in by {by} for {host} has its outside address here, since NAT44 translates after "
                text += "access lists; name that address, or leave `destination` out"
                path = ("acls", name, "terms", position)
                yield Problem(rule="acl-inside-address", path=path, text=text, severity=Severity.WARNING)
                break


def _host_in(prefix: str, hosts: Iterable[str]) -> str:
    """Return the first of some IPv4 hosts that a prefix of less than all addresses has, '' for none."""
    if ":" in prefix or prefix.endswith("/0"):
        return ""
    network = IPv4Network(prefix)
    return next((host for host in sorted(hosts) if IPv4Address(host) in network), "")


def _unreached_lists(interface: InterfaceConfig, key: str, names: Iterable[str], index: Index) -> Iterator[Problem]:
    taken: dict[bool, str] = {}
    """The list that takes all packets of a family."""
    for position, name in enumerate(names):
        acl = index.configuration.acls.get(name)
        if acl is None or not acl.rules or name in taken.values():
            continue
        families = frozenset(":" in rule.source for rule in acl.rules)
        if families <= taken.keys():
            takers = " and ".join(dict.fromkeys(taken[family] for family in sorted(families)))
            text = f"no packet reaches {name}: {takers} before it takes all; remove the term that does, or {name}"
            path = (*interface.path, "acls", key, position)
            yield Problem(rule="acl-unreached", path=path, text=text, severity=Severity.WARNING)
        for family in _taken(acl.rules):
            taken.setdefault(family, name)


def _unreached_terms(acl: AclConfig) -> Iterator[int]:
    """Yield the positions of the terms that no packet reaches."""
    taken: Families = frozenset()
    for position, pairs in groupby(zip(acl.positions, acl.rules, strict=True), key=lambda pair: pair[0]):
        rules = [rule for _, rule in pairs]
        if taken and frozenset(":" in rule.source for rule in rules) <= taken:
            yield position
        taken |= _taken(rules)


def _taken(rules: Iterable[AclRule]) -> Families:
    """Return the families of which rules take every packet."""
    return frozenset(":" in rule.source for rule in rules if _takes_all(rule))


def _takes_all(rule: AclRule) -> bool:
    return rule.protocol == 0 and _is_everywhere(rule)


def _is_everywhere(rule: AclRule) -> bool:
    return rule.source.endswith("/0") and rule.destination.endswith("/0")


RULES = (
    acl_applied,
    acl_inside_address,
    acl_neighbors,
    acl_reflect_alone,
    acl_term_unreached,
    acl_unreached,
    acl_unused,
)
