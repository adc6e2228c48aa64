"""The words that schema/vppcfg.yaml has beyond yamale's own. A value that is fine leaves no trace here."""

from __future__ import annotations

from typing import Any

from yamale.validators import DefaultValidators, Validator

from vppcfg.config.dataplane_validators import DATAPLANE_VALIDATORS
from vppcfg.config.names import (
    NETNS_LENGTH,
    is_acl_name,
    is_glob,
    is_interface_name,
    is_lcp_name,
    is_netns_name,
)
from vppcfg.config.words import is_address, is_endpoint, is_host, is_mac, is_number_or_text, is_prefix
from vppcfg.config.yaml.errors import shown


class Address(Validator):  # type: ignore[misc] # yamale has no types
    """An IPv4 or IPv6 address with its prefix length."""

    tag = "address"

    def _is_valid(self, value: Any) -> bool:
        return is_address(value)

    def fail(self, value: Any) -> str:
        """Say what an address looks like."""
        return f"{shown(value)} is no address with a prefix length, such as 192.0.2.1/24 or 2001:db8::1/64"


class InterfaceName(Validator):  # type: ignore[misc]
    """The name of an interface in VPP."""

    tag = "interface_name"

    def _is_valid(self, value: Any) -> bool:
        return is_interface_name(value)

    def fail(self, value: Any) -> str:
        """Say what an interface is called."""
        return f"{shown(value)} cannot be the name of an interface"


class LcpName(Validator):  # type: ignore[misc]
    """The Linux name of an LCP."""

    tag = "lcp_name"

    def _is_valid(self, value: Any) -> bool:
        return is_lcp_name(value)

    def fail(self, value: Any) -> str:
        """Say what an LCP is called."""
        return f"{shown(value)} is no LCP name: a lower case letter, then up to 14 of a-z, 0-9, `-` and `.`"


class NetnsName(Validator):  # type: ignore[misc]
    """The name of a network namespace."""

    tag = "netns_name"

    def _is_valid(self, value: Any) -> bool:
        return is_netns_name(value)

    def fail(self, value: Any) -> str:
        """Say what a network namespace is called."""
        return f"{shown(value)} is no namespace: at most {NETNS_LENGTH} letters, digits, `-`, `_` and `.`"


class Glob(Validator):  # type: ignore[misc]
    """A pattern over names."""

    tag = "glob"

    def _is_valid(self, value: Any) -> bool:
        return is_glob(value)

    def fail(self, value: Any) -> str:
        """Say what a pattern is."""
        return f"{shown(value)} is no name or glob; it is text without spaces, in which * stands for anything"


class Mac(Validator):  # type: ignore[misc]
    """A MAC address in any of its usual forms."""

    tag = "mac"

    def _is_valid(self, value: Any) -> bool:
        return is_mac(value)

    def fail(self, value: Any) -> str:
        """Say what a MAC address looks like; YAML may have taken one for a number."""
        hint = "; put it in quotes" if isinstance(value, int) and not isinstance(value, bool) else ""
        return f"{shown(value)} is no MAC address such as 02:00:5e:00:53:01{hint}"


class Host(Validator):  # type: ignore[misc]
    """The address of one host, without a length."""

    tag = "host"

    def _is_valid(self, value: Any) -> bool:
        return is_host(value)

    def fail(self, value: Any) -> str:
        """Say what a host's address looks like."""
        return f"{shown(value)} is no address of a host such as 192.0.2.1 or 2001:db8::1, without a prefix length"


class Prefix(Validator):  # type: ignore[misc]
    """A host, a prefix or a host with a length."""

    tag = "prefix"

    def _is_valid(self, value: Any) -> bool:
        return is_prefix(value)

    def fail(self, value: Any) -> str:
        """Say what a prefix looks like."""
        return f"{shown(value)} is no address or prefix such as 192.0.2.1, 192.0.2.0/24 or 2001:db8::/32"


class Endpoint(Validator):  # type: ignore[misc]
    """What an ACL may match addresses with: a prefix, or the name of a prefix list or `any`."""

    tag = "endpoint"

    def _is_valid(self, value: Any) -> bool:
        return is_endpoint(value)

    def fail(self, value: Any) -> str:
        """Say what may stand here."""
        return f"{shown(value)} is neither an address, a prefix, the name of a prefix list nor any"


class AclName(Validator):  # type: ignore[misc]
    """The name of an ACL."""

    tag = "acl_name"

    def _is_valid(self, value: Any) -> bool:
        return is_acl_name(value)

    def fail(self, value: Any) -> str:
        """Say what an ACL is called."""
        return f"{shown(value)} is no name of an ACL: a lower case letter, then up to 55 of a-z, 0-9 and `-`"


class Protocol(Validator):  # type: ignore[misc]
    """The number or the name of an IP protocol; which there are is told by a rule."""

    tag = "protocol"

    def _is_valid(self, value: Any) -> bool:
        return is_number_or_text(value)

    def fail(self, value: Any) -> str:
        """Say what a protocol looks like."""
        return f"{shown(value)} is neither the number nor the name of a protocol"


class Range(Validator):  # type: ignore[misc]
    """A number, a name or a range of numbers; its limits are told by a rule."""

    tag = "range"

    def _is_valid(self, value: Any) -> bool:
        return is_number_or_text(value)

    def fail(self, value: Any) -> str:
        """Say what a range looks like."""
        return f"{shown(value)} is neither a number, a name nor a range such as 1024-"


VALIDATORS = {
    **DefaultValidators,
    **DATAPLANE_VALIDATORS,
    **{kind.tag: kind for kind in (Address, InterfaceName, LcpName, NetnsName, Glob, Mac, Host, Prefix)},
    **{kind.tag: kind for kind in (Endpoint, AclName, Protocol, Range)},
}
