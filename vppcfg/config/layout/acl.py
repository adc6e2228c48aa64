"""The text of access lists: one term per rule, but for two rules that say the same of both families."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from vppcfg.config.layout.text import flow_map, scalar
from vppcfg.model.acl import ICMP, ICMP6, MAX_ICMP, MAX_PORT, AclRule

_ALL4, _ALL6 = "0.0.0.0/0", "::/0"
_NAMES = {1: "icmp", 6: "tcp", 17: "udp", 58: "ipv6-icmp"}
"""Other protocols are written as numbers."""


def acl_lines(rules: tuple[AclRule, ...]) -> list[str]:
    """Return the lines of an access list."""
    return ["terms:", *(f"  - {flow_map(term)}" for term in _terms(rules))]


def _terms(rules: tuple[AclRule, ...]) -> Iterator[dict[str, str]]:
    position = 0
    while position < len(rules):
        rule = rules[position]
        is_pair = position + 1 < len(rules) and rules[position + 1] == _sibling(rule)
        yield _term(rule, is_both=is_pair)
        position += 2 if is_pair else 1


def _sibling(rule: AclRule) -> AclRule | None:
    """Return the rule that says of IPv6 what this one says of all IPv4."""
    if (rule.source, rule.destination) != (_ALL4, _ALL4):
        return None
    protocol = ICMP6 if rule.protocol == ICMP else rule.protocol
    return replace(rule, source=_ALL6, destination=_ALL6, protocol=protocol)


def _term(rule: AclRule, *, is_both: bool) -> dict[str, str]:
    term = {"action": rule.action.value}
    if not is_both:
        term["family"] = "ipv6" if ":" in rule.source else "ipv4"
    for key, prefix in (("source", rule.source), ("destination", rule.destination)):
        if prefix not in (_ALL4, _ALL6):
            term[key] = scalar(prefix)
    if rule.protocol:
        term["protocol"] = _NAMES.get(rule.protocol, str(rule.protocol))
    is_icmp = rule.protocol in (ICMP, ICMP6)
    keys = ("icmp-type", "icmp-code") if is_icmp else ("source-port", "destination-port")
    for key, numbers in zip(keys, (rule.source_ports, rule.destination_ports), strict=True):
        if numbers != (0, MAX_ICMP if is_icmp else MAX_PORT):
            term[key] = _range(*numbers)
    return term


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"
