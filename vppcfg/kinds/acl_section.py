"""The section `acls`: access lists, identified by their names, whose terms are multiplied out into VPP's rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, product
from typing import Any

from vppcfg.common.bounds import ACL_RULES_MANY, ACL_RULES_MOST, ALL_ACL_RULES_MOST
from vppcfg.common.names import natural_key
from vppcfg.common.resemblance import did_you_mean
from vppcfg.entries.configuration import AclConfig, InterfaceConfig
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.entry_key import EntryKey
from vppcfg.entries.names import ACL_LENGTH, LIST, IpNames, is_acl_name, read_ip_names
from vppcfg.entries.section import NamedSection, Naming, Parsing, SectionEntry, Unmanaged
from vppcfg.entries.yaml.errors import shown
from vppcfg.entries.yaml.text import KeyValue
from vppcfg.kinds import acl_match
from vppcfg.kinds.acl_match import (
    ANY,
    PrefixList,
    Range,
    host_bits,
    parse_endpoint,
    parse_protocol,
    parse_range,
    parse_tcp_flags,
)
from vppcfg.model.acl import (
    ICMP,
    ICMP6,
    MAX_ICMP,
    MAX_PORT,
    TCP,
    UDP,
    Acl,
    AclAction,
    AclBinding,
    AclRule,
    canonical_rule,
)
from vppcfg.model.interface import Interface
from vppcfg.model.ownership import MARK
from vppcfg.model.problem import KeyPath, Problem, Severity
from vppcfg.model.state import State
from vppcfg.record import record


@record
class Context:
    """What the terms of all ACLs of a file may name."""

    names: IpNames
    lists: Mapping[str, PrefixList]
    broken_lists: frozenset[str]
    """Names of prefix lists that the file has, about which nothing else is known."""


class Term:
    """Parses one term, key by key, and keeps what is wrong with each."""

    def __init__(self, raw: Mapping[str, Any], path: KeyPath, context: Context) -> None:
        self._raw = raw
        self._path = path
        self._context = context
        self.problems: list[Problem] = []
        self.remarks: list[Problem] = []
        """Warnings about a sound term."""
        self.is_sound = True
        self._sources, self._destinations = self._endpoint("source"), self._endpoint("destination")
        self._protocol = self._parsed_protocol()
        self._check_families(self._sources, self._destinations)
        self._first, self._second = self._ranges(self._protocol)
        self._tcp_flags = self._parsed_tcp_flags(self._protocol)

    @property
    def rule_count(self) -> int:
        """Return how many rules a sound term is; a few lines can express billions."""
        ipv4 = len(self._sources.ipv4) * len(self._destinations.ipv4)
        return ipv4 + len(self._sources.ipv6) * len(self._destinations.ipv6)

    def rules(self) -> Iterator[AclRule]:
        """Yield the rules of a sound term; look before how many there are."""
        assert self._protocol is not None
        sources, destinations = self._sources, self._destinations
        action = AclAction(self._raw["action"])
        for source, destination in chain(
            product(sources.ipv4, destinations.ipv4), product(sources.ipv6, destinations.ipv6)
        ):
            yield AclRule(
                action=action,
                source=source,
                destination=destination,
                protocol=ICMP6 if self._protocol == ICMP and ":" in source else self._protocol,
                source_ports=self._first,
                destination_ports=self._second,
                tcp_flags=self._tcp_flags,
            )

    def _parsed_protocol(self) -> int | None:
        protocol = parse_protocol(self._raw.get("protocol"), self._context.names.protocols)
        if protocol is None:
            text = f"there is no protocol {shown(self._raw['protocol'])}; write its number, 0 to 255, or any"
            text += did_you_mean(str(self._raw["protocol"]), self._context.names.protocols)
            self._report("acl-protocol-unknown", "protocol", text)
        return protocol

    def _endpoint(self, key: str) -> PrefixList:
        """Return the prefixes that the family leaves; report it when there are none."""
        raw = self._raw.get(key)
        prefixes = parse_endpoint(raw, self._context.lists)
        if prefixes is None:
            if raw in self._context.broken_lists:
                self.is_sound = False
            else:
                text = f"{shown(raw)} is neither a prefix nor the name of a prefix list in this file"
                text += did_you_mean(str(raw), self._context.lists)
                self._report(f"acl-{key}-empty", key, text)
            return PrefixList()
        if remark := host_bits("acl-host-bits", (*self._path, key), raw):
            self.remarks.append(remark)
        family = self._raw.get("family") or ANY
        left = PrefixList(
            ipv4=prefixes.ipv4 if family in (ANY, "ipv4") else (), ipv6=prefixes.ipv6 if family in (ANY, "ipv6") else ()
        )
        if not left.ipv4 and not left.ipv6:
            text = f"{shown(raw)} has no {'' if family == ANY else family + ' '}prefixes, so the term matches nothing"
            self._report(f"acl-{key}-empty", key, text)
        return left

    def _check_families(self, sources: PrefixList, destinations: PrefixList) -> None:
        has_both = all(ends.ipv4 or ends.ipv6 for ends in (sources, destinations))
        if has_both and not (sources.ipv4 and destinations.ipv4) and not (sources.ipv6 and destinations.ipv6):
            text = "the source and the destination have no family in common, so the term matches nothing"
            self._report("acl-family-mismatch", "destination", text)

    def _ranges(self, protocol: int | None) -> tuple[Range, Range]:
        """Return the source and destination ports, or the ICMP types and codes."""
        is_icmp, has_ports = protocol in (ICMP, ICMP6), protocol in (TCP, UDP)
        ports = [self._ports(key, has_ports or protocol is None) for key in ("source-port", "destination-port")]
        icmp = [self._icmp(key, is_icmp or protocol is None) for key in ("icmp-type", "icmp-code")]
        first, second = icmp if is_icmp else ports
        return first, second

    def _ports(self, key: str, may_be: bool) -> Range:
        raw = self._raw.get(key)
        if not may_be and raw not in (None, ANY):
            text = f"`{key}` needs `protocol: tcp` or `protocol: udp`; other protocols have no ports"
            self._report("acl-ports-protocol", key, text)
        ports = parse_range(raw, MAX_PORT, self._context.names.services)
        if ports is None:
            text = f"{shown(raw)} is no port 0 to {MAX_PORT}, no service, and no range such as 1024-, -1023 or 80-90"
            self._report("acl-port-range", key, text)
        return ports or (0, MAX_PORT)

    def _icmp(self, key: str, may_be: bool) -> Range:
        raw = self._raw.get(key)
        if not may_be and raw not in (None, ANY):
            text = f"`{key}` needs `protocol: icmp` or `protocol: ipv6-icmp`"
            self._report("acl-icmp-protocol", key, text)
        numbers = parse_range(raw, MAX_ICMP)
        if numbers is None:
            text = f"{shown(raw)} is not a number 0 to {MAX_ICMP}, and no range such as 3-, -8 or 0-5"
            self._report("acl-icmp-range", key, text)
        return numbers or (0, MAX_ICMP)

    def _parsed_tcp_flags(self, protocol: int | None) -> tuple[int, int]:
        words = self._raw.get("tcp-flags") or ()
        if words and protocol not in (TCP, None):
            self._report("acl-tcp-flags", "tcp-flags", "`tcp-flags` needs `protocol: tcp`")
        flags = parse_tcp_flags(words)
        if flags is None:
            text = "a flag is to be set and not to be set, so the term matches nothing; remove one of the two"
            self._report("acl-tcp-flags", "tcp-flags", text)
        return flags or (0, 0)

    def _report(self, rule: str, key: str, text: str) -> None:
        self.is_sound = False
        self.problems.append(Problem(rule=rule, path=(*self._path, key), text=text))


KEY = "acls"
PLUGIN = "acl"
OTHERS = "acl:"
"""The prefix of the name of a list of another program, before its tag."""
_ALL_PORTS = (0, MAX_PORT)
_ALL_FLAGS = 255
_ALL4, _ALL6 = "0.0.0.0/0", "::/0"
_PROTOCOLS: Mapping[int, str | int] = {1: "icmp", 6: "tcp", 17: "udp", 58: "ipv6-icmp"}
"""Other protocols are written as numbers."""


class AclSection(NamedSection):
    """The section `acls`."""

    key = KEY
    attribute = "acls"
    naming = Naming(
        is_name=is_acl_name,
        rule="acl-name",
        form=f"an ACL has a lower case letter, then up to {ACL_LENGTH - 1} of a-z, 0-9 and `-`",
        pattern=(LIST.pattern, ACL_LENGTH),
    )

    def parse(self, parsing: Parsing) -> dict[str, Any]:
        """Return the sound ACLs; what is wrong with sound terms of the others is noted too."""
        content = parsing.content.get(self.key)
        if not isinstance(content, dict):
            return {}
        self._judge_broken(content, parsing)
        return super().parse(parsing)

    def _judge_broken(self, content: Mapping[Any, Any], parsing: Parsing) -> None:
        """Note what is wrong with the sound terms of ACLs that cannot be parsed as a whole."""
        bad_terms = {path[:4] for path in parsing.bad_paths if path[:1] == (self.key,) and path[2:3] == ("terms",)}
        broken = {path[1] for path in bad_terms}
        context = _context(parsing)
        for name, raw in content.items():
            terms = raw.get("terms") if name in broken and isinstance(raw, dict) else None
            for position, term in enumerate(terms if isinstance(terms, list) else ()):
                path = (self.key, name, "terms", position)
                if path not in bad_terms:
                    parsing.problems += Term(term, path, context).problems

    def parse_entry(self, entry: SectionEntry, parsing: Parsing) -> AclConfig | Problem | list[Problem]:
        """Return an ACL, or all that is wrong with its terms; an unknown cause gives an empty list."""
        context = _context(parsing)
        terms = [Term(raw, (*entry.path, "terms", n), context) for n, raw in enumerate(entry.raw["terms"])]
        if not all(term.is_sound for term in terms):
            return [problem for term in terms for problem in term.problems]
        count = sum(term.rule_count for term in terms)
        parsing.counts[self.key] += count
        if problem := _too_many(entry, count, parsing.counts[self.key]):
            return problem
        if count >= ACL_RULES_MANY:
            text = f"the terms are {count:,} rules, prefixes multiplied out; VPP takes long over so many"
            path = (*entry.path, "terms")
            parsing.problems.append(Problem(rule="acl-rules-many", path=path, text=text, severity=Severity.WARNING))
        parsing.problems += [remark for term in terms for remark in term.remarks]
        return AclConfig(
            name=entry.name,
            path=entry.path,
            rules=tuple(rule for term in terms for rule in term.rules()),
            positions=tuple(position for position, term in enumerate(terms) for _ in range(term.rule_count)),
        )

    def resolve(self, desired: DesiredStateBuilder) -> None:
        for name, config in desired.configuration.acls.items():
            if desired.has_plugin(PLUGIN, config.path, f"{name} is an access list"):
                before = desired.observed.acls.get(name)
                index = before.index if before is not None else None
                desired.acls[name] = Acl(rules=config.rules, tag=f"{MARK} {name}", index=index)

    def from_state(self, state: State, unmanaged: Unmanaged) -> dict[str, AclConfig]:
        """Return the access lists that are not left alone, in natural order."""
        names = sorted((name for name in state.acls if name not in unmanaged.of("acls")), key=natural_key)
        return {name: AclConfig(name=name, path=(self.key, name), rules=state.acls[name].rules) for name in names}

    def entry_keys(self, entry: AclConfig) -> Iterator[KeyValue]:
        """Yield the terms: one per rule, but for two rules that are the same for both families."""
        yield KeyValue("terms", list(_terms(entry.rules)), is_block=True)


class AclsKey(EntryKey):
    """The key `acls` of interfaces, each direction a name or a list of names."""

    key = attribute = KEY
    plugin = PLUGIN
    reason = "an interface applies ACLs"

    def parse(self, raw: Mapping[str, Any], path: KeyPath) -> AclBinding:
        return AclBinding(input=_names(raw.get("input")), output=_names(raw.get("output")))

    def from_state(self, interface: Interface, state: State, path: KeyPath) -> AclBinding:
        return interface.acls

    def yaml_keys(self, config: InterfaceConfig) -> Iterable[KeyValue]:
        """Return the key, as by default where no list is applied."""
        return (_acls_key(config.acls) if config.acls else _NO_ACLS,)

    def to_desired(self, config: InterfaceConfig, base: Interface, desired: DesiredStateBuilder) -> Mapping[str, Any]:
        """Return what VPP is to apply; where it lacks the plugin, that stays as it is."""
        path, thing = (*config.path, KEY), f"{config.name} has {KEY}"
        if not config.acls or desired.has_plugin(PLUGIN, path, thing):
            return {KEY: config.acls}
        return {}

    def without_entry(self, base: Interface) -> Mapping[str, Any]:
        """Return that no list is applied."""
        return {KEY: AclBinding()}


def _names(raw: Any) -> tuple[str, ...]:
    return (raw,) if isinstance(raw, str) else tuple(raw or ())


def _acls_key(acls: AclBinding) -> KeyValue:
    bound = (("input", acls.input), ("output", acls.output))
    directions = tuple([KeyValue(key, list(names), is_default=not names) for key, names in bound])
    return KeyValue(KEY, directions, is_default=not acls, is_block=True)


_NO_ACLS = _acls_key(AclBinding())
ACLS_KEY = AclsKey()


def unsupported_reason(name: str, acl: Acl) -> str | None:
    """Return why no file can express an observed access list, None when one can."""
    if not is_acl_name(name) or acl.tag != f"{MARK} {name}":
        return f'its tag is not one of ours: "{acl.tag}"'
    if not acl.rules:
        return "it has no rules"
    for position, rule in enumerate(acl.rules):
        if reason := _why_not_rule(rule):
            return f"its rule {position} {reason}"
    return None


def _too_many(entry: SectionEntry, count: int, count_so_far: int) -> Problem | None:
    """Return the problem of an access list with which there are more rules than there may be."""
    if count >= ACL_RULES_MOST:
        text = f"the terms are {count:,} rules, prefixes multiplied out; fewer than {ACL_RULES_MOST:,} are possible"
    elif count_so_far >= ALL_ACL_RULES_MOST:
        text = f"with this one the ACLs have {count_so_far:,} rules; fewer than {ALL_ACL_RULES_MOST:,} are possible"
    else:
        return None
    return Problem(rule="acl-rules-most", path=(*entry.path, "terms"), text=text)


def _context(parsing: Parsing) -> Context:
    lists = acl_match.KEY
    return Context(
        names=read_ip_names(),
        lists=parsing.parts[lists],
        broken_lists=parsing.broken_entries[lists],
    )


def _why_not_rule(rule: AclRule) -> str | None:
    if canonical_rule(rule) != rule:
        return "is not in the form that vppcfg writes"
    if rule.protocol == ICMP and ":" in rule.source:
        return "looks for the ICMP of IPv4 in IPv6"
    if not 0 <= rule.protocol <= 255:
        return f"has the protocol {rule.protocol}"
    return _why_not_ranges(rule)


def _why_not_ranges(rule: AclRule) -> str | None:
    mask, value = rule.tcp_flags
    if value & ~mask or not 0 <= mask <= _ALL_FLAGS:
        return "looks for TCP flags that no packet can have"
    ranges = (rule.source_ports, rule.destination_ports)
    largest = MAX_ICMP if rule.protocol in (ICMP, ICMP6) else MAX_PORT
    if not all(0 <= first <= last <= largest for first, last in ranges):
        return "has a range that no packet can be in"
    if rule.protocol not in (ICMP, ICMP6, TCP, UDP) and ranges != (_ALL_PORTS, _ALL_PORTS):
        return f"looks at ports of protocol {rule.protocol}, which has none"
    return None


def _terms(rules: tuple[AclRule, ...]) -> Iterator[tuple[KeyValue, ...]]:
    position = 0
    while position < len(rules):
        rule = rules[position]
        is_pair = position + 1 < len(rules) and rules[position + 1] == _sibling(rule)
        yield tuple(_term_keys(rule, is_both=is_pair))
        position += 2 if is_pair else 1


def _sibling(rule: AclRule) -> AclRule | None:
    """Return the rule that does for IPv6 what this one does for all IPv4."""
    if (rule.source, rule.destination) != (_ALL4, _ALL4):
        return None
    protocol = ICMP6 if rule.protocol == ICMP else rule.protocol
    return replace(rule, source=_ALL6, destination=_ALL6, protocol=protocol)


def _term_keys(rule: AclRule, *, is_both: bool) -> Iterator[KeyValue]:
    """Yield what a term sets."""
    yield KeyValue("action", rule.action.value)
    if not is_both:
        yield KeyValue("family", "ipv6" if ":" in rule.source else "ipv4")
    for key, prefix in (("source", rule.source), ("destination", rule.destination)):
        if prefix not in (_ALL4, _ALL6):
            yield KeyValue(key, prefix)
    if rule.protocol:
        yield KeyValue("protocol", _PROTOCOLS.get(rule.protocol, rule.protocol))
    is_icmp = rule.protocol in (ICMP, ICMP6)
    keys = ("icmp-type", "icmp-code") if is_icmp else ("source-port", "destination-port")
    for key, numbers in zip(keys, (rule.source_ports, rule.destination_ports), strict=True):
        if numbers != (0, MAX_ICMP if is_icmp else MAX_PORT):
            yield KeyValue(key, _range(*numbers))
    if rule.tcp_flags != (0, 0):
        yield KeyValue("tcp-flags", list(acl_match.tcp_flag_words(*rule.tcp_flags)))


def _range(first: int, last: int) -> str | int:
    return first if first == last else f"{first}-{last}"
