"""Access lists, by addresses and by MAC: rules as VPP's acl plugin has them, and what an interface applies."""

from __future__ import annotations

import ipaddress
from dataclasses import field, replace
from enum import Enum

from vppcfg.record import record

ICMP, TCP, UDP, ICMP6 = 1, 6, 17, 58
TCP_FLAGS = {"fin": 1, "syn": 2, "rst": 4, "psh": 8, "ack": 16, "urg": 32, "ece": 64, "cwr": 128}
"""By the words of the file (vnet/tcp/tcp_packet.h)."""
MAX_PORT = 65535
MAX_ICMP = 255


class AclAction(Enum):
    """What happens to a packet that matches; the values are those of the configuration."""

    DENY = "deny"
    PERMIT = "permit"
    PERMIT_REFLECT = "permit+reflect"


@record
class AclRule:
    """One rule (plugins/acl/acl_types.api); of the two prefixes, both are of the same family."""

    action: AclAction
    source: str
    """Canonical prefix."""
    destination: str
    """Canonical prefix."""
    protocol: int = 0
    """IP protocol number; 0 means any."""
    source_ports: tuple[int, int] = (0, 65535)
    """First and last port, or ICMP type."""
    destination_ports: tuple[int, int] = (0, 65535)
    """First and last port, or ICMP code."""
    tcp_flags: tuple[int, int] = (0, 0)
    """Of TCP: the flags that are looked at, and which of these must be set."""


def canonical_rule(rule: AclRule) -> AclRule:
    """Return the rule as vppcfg writes it, with the same effect (plugins/acl/public_inlines.h).

    VPP looks at no ports where the protocol is any, at flags for TCP only, and never at the host bits of a prefix;
    ICMP types and codes have 8 bits.
    """
    first, second = rule.source_ports, rule.destination_ports
    if rule.protocol == 0:
        first = second = (0, MAX_PORT)
    elif rule.protocol in (ICMP, ICMP6):
        first, second = _icmp_range(first), _icmp_range(second)
    return replace(
        rule,
        source=str(ipaddress.ip_network(rule.source, strict=False)),
        destination=str(ipaddress.ip_network(rule.destination, strict=False)),
        source_ports=first,
        destination_ports=second,
        tcp_flags=rule.tcp_flags if rule.protocol == TCP else (0, 0),
    )


def _icmp_range(numbers: tuple[int, int]) -> tuple[int, int]:
    """Return the range of ICMP types or codes that VPP can meet, and one that it cannot meet as it is."""
    return (numbers[0], MAX_ICMP) if numbers[0] <= MAX_ICMP < numbers[1] else numbers


@record
class Acl:
    """One access list. It is identified by its name: what follows the mark in its tag."""

    rules: tuple[AclRule, ...]
    tag: str = ""
    """VPP's tag, whole."""
    index: int | None = field(default=None, compare=False)
    """VPP's own number for it; None for one that is to be made."""


@record
class AclBinding:
    """The access lists that an interface applies, in order, by name."""

    input: tuple[str, ...] = ()
    output: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Return whether any list is applied."""
        return bool(self.input or self.output)


class MacipAction(Enum):
    """What happens to a packet of a host that matches; the values are those of the configuration, but for the last."""

    DENY = "deny"
    PERMIT = "permit"
    PERMIT_AND_EGRESS = "permit and egress"
    """Packets to the host pass as well, and what goes to others is dropped; the configuration never sets it."""


ANY_MAC = "00:00:00:00:00:00"
ONE_MAC = "ff:ff:ff:ff:ff:ff"
"""The mask that looks at all of a MAC address."""


@record
class MacipRule:
    """One rule about hosts by MAC and IP address (plugins/acl/acl_types.api)."""

    action: MacipAction
    source: str
    """Canonical prefix."""
    mac: str = ANY_MAC
    mac_mask: str = ANY_MAC
    """The bits of the MAC address that are looked at."""


def canonical_macip_rule(rule: MacipRule) -> MacipRule:
    """Return the rule as vppcfg writes it, with the same effect: VPP looks at nothing outside of its masks."""
    mac, mask = (int(text.replace(":", ""), 16) for text in (rule.mac, rule.mac_mask))
    masked = (mac & mask).to_bytes(6).hex(":")
    return replace(rule, source=str(ipaddress.ip_network(rule.source, strict=False)), mac=masked)


@record
class MacipAcl:
    """One access list by MAC and IP address, of which an interface applies one. It is identified by its name."""

    rules: tuple[MacipRule, ...]
    tag: str = ""
    """VPP's tag, whole."""
    index: int | None = field(default=None, compare=False)
    """VPP's own number for it; None for one that is to be made."""
