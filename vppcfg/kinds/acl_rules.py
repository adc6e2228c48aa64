"""Rules about access lists: the file has those that interfaces apply, and packets can reach each of their terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from vppcfg.common.resemblance import did_you_mean
from vppcfg.entries.configuration import AclConfig, InterfaceConfig
from vppcfg.entries.index import Index
from vppcfg.kinds.acl_section import KEY
from vppcfg.model.acl import AclRule
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
    return rule.protocol == 0 and rule.source.endswith("/0") and rule.destination.endswith("/0")
