"""Access lists that the configuration language cannot say."""

from __future__ import annotations

from vppcfg.config.names import is_acl_name
from vppcfg.model.acl import ICMP, ICMP6, MAX_ICMP, MAX_PORT, TCP, UDP, Acl, AclRule, canonical_rule
from vppcfg.model.ownership import MARK

_ALL_PORTS = (0, MAX_PORT)


def why_acl_unsayable(name: str, acl: Acl) -> str | None:
    """Return why the access list cannot be configured as it is."""
    if not is_acl_name(name) or acl.tag != f"{MARK} {name}":
        return f'its tag is not one of ours: "{acl.tag}"'
    if not acl.rules:
        return "it has no rules"
    for position, rule in enumerate(acl.rules):
        if reason := _rule(rule):
            return f"its rule {position} {reason}"
    return None


def _rule(rule: AclRule) -> str | None:
    if rule.tcp_flags != (0, 0):
        return "looks at TCP flags"
    if canonical_rule(rule) != rule:
        return "is not in the form that vppcfg writes"
    if rule.protocol == ICMP and ":" in rule.source:
        return "looks for the ICMP of IPv4 in IPv6"
    if not 0 <= rule.protocol <= 255:
        return f"has the protocol {rule.protocol}"
    return _ranges(rule)


def _ranges(rule: AclRule) -> str | None:
    ranges = (rule.source_ports, rule.destination_ports)
    largest = MAX_ICMP if rule.protocol in (ICMP, ICMP6) else MAX_PORT
    if not all(0 <= first <= last <= largest for first, last in ranges):
        return "has a range that no packet can be in"
    if rule.protocol not in (ICMP, ICMP6, TCP, UDP) and ranges != (_ALL_PORTS, _ALL_PORTS):
        return f"looks at ports of protocol {rule.protocol}, which has none"
    return None
