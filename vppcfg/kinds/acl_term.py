"""Parses one term of an ACL and multiplies it out into VPP's rules, or finds what is wrong with its keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, product
from typing import Any

from vppcfg.common.resemblance import did_you_mean
from vppcfg.entries.names import IpNames
from vppcfg.entries.yaml.errors import shown
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
from vppcfg.model.acl import ICMP, ICMP6, MAX_ICMP, MAX_PORT, TCP, UDP, AclAction, AclRule
from vppcfg.model.problem import KeyPath, Problem
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
