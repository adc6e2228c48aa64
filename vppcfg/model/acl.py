"""Access lists: rules as VPP's acl plugin has them, and which of them an interface applies."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class AclAction(Enum):
    """What becomes of a packet that matches; the values are those of the configuration."""

    DENY = "deny"
    PERMIT = "permit"
    PERMIT_REFLECT = "permit+reflect"


@dataclass(frozen=True, slots=True, kw_only=True)
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
    """Mask and value; the configuration says none, so they are read and kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Acl:
    """One access list. It is identified by its name: what follows the mark in its tag."""

    rules: tuple[AclRule, ...]
    tag: str = ""
    """VPP's tag, whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AclBinding:
    """The access lists that an interface applies, in order, by name."""

    input: tuple[str, ...] = ()
    output: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Return whether any list is applied."""
        return bool(self.input or self.output)
