"""The section `macip_acls`: access lists by MAC and IP address, identified by their names as ACLs are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from vppcfg.common.addresses import canonical_mac
from vppcfg.common.bounds import (
    ALL_MACIP_SHAPES_MOST,
    MACIP_RULES_MOST,
    MACIP_RULES_PER_SHAPE,
    MACIP_SHAPES_MOST,
)
from vppcfg.common.names import natural_key
from vppcfg.entries.configuration import MacipConfig
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.names import ACL_LENGTH, LIST, is_acl_name
from vppcfg.entries.section import NamedSection, Naming, Parsing, SectionEntry, Unmanaged
from vppcfg.entries.yaml.errors import shown
from vppcfg.entries.yaml.text import KeyValue
from vppcfg.kinds import acl_match
from vppcfg.kinds.acl_section import PLUGIN
from vppcfg.model.acl import ANY_MAC, ONE_MAC, MacipAcl, MacipAction, MacipRule, canonical_macip_rule
from vppcfg.model.ownership import MARK
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.state import State

KEY = "macip_acls"
OTHERS = "macip:"
"""The prefix of the name of a list of another program, before its tag."""
_RULES, _SHAPES = "macip-rules-most", "macip-shapes-most"
_ALL4, _ALL6 = acl_match.EVERYWHERE.ipv4[0], acl_match.EVERYWHERE.ipv6[0]


class MacipAclSection(NamedSection):
    """The section `macip_acls`."""

    key = KEY
    attribute = "macips"
    naming = Naming(
        is_name=is_acl_name,
        rule="macip-name",
        form=f"a MACIP ACL has a lower case letter, then up to {ACL_LENGTH - 1} of a-z, 0-9 and `-`",
        pattern=(LIST.pattern, ACL_LENGTH),
    )

    def parse_entry(self, entry: SectionEntry, parsing: Parsing) -> MacipConfig | Problem | list[Problem]:
        """Return a list, or all that is wrong with its terms.

        That is an empty list when the cause, a broken prefix list, is reported elsewhere.
        """
        rules: list[MacipRule] = []
        positions: list[int] = []
        problems: list[Problem] = []
        is_sound = True
        for position, raw in enumerate(entry.raw["terms"]):
            found = _term(raw, (*entry.path, "terms", position), parsing)
            if isinstance(found, tuple):
                rules += found
                positions += [position] * len(found)
            else:
                is_sound = False
                problems += found
        if not is_sound:
            return problems
        if problem := _too_much(entry, rules, parsing):
            return problem
        return MacipConfig(name=entry.name, path=entry.path, rules=tuple(rules), positions=tuple(positions))

    def resolve(self, desired: DesiredStateBuilder) -> None:
        for name, config in desired.configuration.macips.items():
            if desired.has_plugin(PLUGIN, config.path, f"{name} is a MACIP access list"):
                before = desired.observed.macips.get(name)
                index = before.index if before is not None else None
                desired.macips[name] = MacipAcl(rules=config.rules, tag=f"{MARK} {name}", index=index)

    def from_state(self, state: State, unmanaged: Unmanaged) -> dict[str, MacipConfig]:
        """Return the lists that are not left alone, in natural order."""
        names = sorted((name for name in state.macips if name not in unmanaged.of("macips")), key=natural_key)
        return {name: _entry_from_rules(name, state.macips[name].rules) for name in names}

    def entry_keys(self, entry: MacipConfig) -> Iterator[KeyValue]:
        """Yield the terms: one per rule, but for two rules that are the same for both families."""
        yield KeyValue("terms", list(_terms(entry.rules)), is_block=True)


def unsupported_reason(name: str, macip: MacipAcl) -> str | None:
    """Return why no file can express an observed list, None when one can."""
    if not is_acl_name(name) or macip.tag != f"{MARK} {name}":
        return f'its tag is not one of ours: "{macip.tag}"'
    if not macip.rules:
        return "it has no rules"
    for position, rule in enumerate(macip.rules):
        if rule.action is MacipAction.PERMIT_AND_EGRESS:
            return f"its rule {position} is about packets that go out as well"
        if rule.mac_mask == ANY_MAC != rule.mac or canonical_macip_rule(rule) != rule:
            return f"its rule {position} is not in the form that vppcfg writes"
    return None


def _term(raw: Mapping[str, Any], path: KeyPath, parsing: Parsing) -> tuple[MacipRule, ...] | list[Problem]:
    """Return the rules of a term, or what is wrong with it."""
    mac, mask = canonical_mac(raw.get("mac")), canonical_mac(raw.get("mac-mask"))
    if mac is None and mask is not None:
        text = "`mac-mask` selects bits of `mac`; add `mac`, or remove the mask"
        return [Problem(rule="macip-mask", path=(*path, "mac-mask"), text=text)]
    lists = acl_match.KEY
    source, family = raw.get("source"), raw.get("family") or acl_match.ANY
    prefixes = acl_match.parse_endpoint(source, parsing.parts[lists])
    if prefixes is None:
        if source in parsing.broken_entries[lists]:
            return []
        text = f"{shown(source)} is neither a prefix nor the name of a prefix list in this file"
        return [Problem(rule="macip-source-empty", path=(*path, "source"), text=text)]
    ipv4 = prefixes.ipv4 if family in (acl_match.ANY, "ipv4") else ()
    ipv6 = prefixes.ipv6 if family in (acl_match.ANY, "ipv6") else ()
    if not ipv4 and not ipv6:
        which = "" if family == acl_match.ANY else f"{family} "
        text = f"{shown(source)} has no {which}prefixes, so the term matches nothing"
        return [Problem(rule="macip-source-empty", path=(*path, "source"), text=text)]
    rule = MacipRule(
        action=MacipAction(raw["action"]),
        source=_ALL4,
        mac=mac or ANY_MAC,
        mac_mask=ANY_MAC if mac is None else mask or ONE_MAC,
    )
    return tuple(canonical_macip_rule(replace(rule, source=prefix)) for prefix in chain(ipv4, ipv6))


def shape_of(rule: MacipRule) -> tuple[bool, int, str]:
    """Return what VPP sorts rules by: rules alike in this share its classifiers."""
    return ":" in rule.source, int(rule.source.partition("/")[2]), rule.mac_mask


def _too_much(entry: SectionEntry, rules: list[MacipRule], parsing: Parsing) -> Problem | None:
    """Count the rules of a list, and return the problem of one that is more than VPP should be given."""
    shapes = Counter(map(shape_of, rules))
    parsing.counts[_RULES] += len(rules)
    parsing.counts[_SHAPES] += len(shapes)
    count, shape_count, alike = parsing.counts[_RULES], parsing.counts[_SHAPES], max(shapes.values(), default=0)
    what = "combinations of prefix length and MAC mask"
    if count > MACIP_RULES_MOST:
        rule, text = _RULES, f"with this one the MACIP ACLs have {count:,} rules; {MACIP_RULES_MOST:,} are possible"
    elif alike > MACIP_RULES_PER_SHAPE:
        possible = f"{MACIP_RULES_PER_SHAPE:,} are possible, because VPP crashes when its memory for them is full"
        rule, text = _RULES, f"{alike:,} rules have the same prefix length and MAC mask; {possible}"
    elif len(shapes) > MACIP_SHAPES_MOST:
        rule, text = _SHAPES, f"the terms have {len(shapes)} {what}; {MACIP_SHAPES_MOST} are possible"
    elif shape_count > ALL_MACIP_SHAPES_MOST:
        possible = f"{ALL_MACIP_SHAPES_MOST:,} are possible"
        rule, text = _SHAPES, f"with this one the MACIP ACLs have {shape_count:,} {what}; {possible}"
    else:
        return None
    return Problem(rule=rule, path=(*entry.path, "terms"), text=text)


def _pairs(rules: tuple[MacipRule, ...]) -> Iterator[tuple[MacipRule, bool]]:
    """Yield a rule for each term, and whether it is for IPv6 too."""
    position = 0
    while position < len(rules):
        rule = rules[position]
        is_both = rule.source == _ALL4 and rules[position + 1 : position + 2] == (replace(rule, source=_ALL6),)
        yield rule, is_both
        position += 2 if is_both else 1


def _entry_from_rules(name: str, rules: tuple[MacipRule, ...]) -> MacipConfig:
    counts = (2 if is_both else 1 for _, is_both in _pairs(rules))
    positions = tuple(position for position, count in enumerate(counts) for _ in range(count))
    return MacipConfig(name=name, path=(KEY, name), rules=rules, positions=positions)


def _terms(rules: tuple[MacipRule, ...]) -> Iterator[tuple[KeyValue, ...]]:
    for rule, is_both in _pairs(rules):
        yield tuple(_term_keys(rule, is_both=is_both))


def _term_keys(rule: MacipRule, *, is_both: bool) -> Iterator[KeyValue]:
    """Yield what a term sets."""
    yield KeyValue("action", rule.action.value)
    if rule.mac_mask != ANY_MAC:
        yield KeyValue("mac", rule.mac)
    if rule.mac_mask not in (ANY_MAC, ONE_MAC):
        yield KeyValue("mac-mask", rule.mac_mask)
    if not is_both and rule.source in (_ALL4, _ALL6):
        yield KeyValue("family", "ipv6" if rule.source == _ALL6 else "ipv4")
    if rule.source not in (_ALL4, _ALL6):
        yield KeyValue("source", rule.source)
