"""The words that schema/vppcfg.yaml has beyond yamale's own. A value that is fine leaves no trace here."""

from __future__ import annotations

from typing import Any

from yamale.validators import DefaultValidators, Validator

from vppcfg.config.address import canonical_address
from vppcfg.config.dataplane_validators import DATAPLANE_VALIDATORS
from vppcfg.config.names import NETNS_LENGTH, is_glob, is_interface_name, is_lcp_name, is_netns_name
from vppcfg.config.scalar import shown


class Address(Validator):  # type: ignore[misc] # yamale has no types
    """An IPv4 or IPv6 address with its prefix length."""

    tag = "address"

    def _is_valid(self, value: Any) -> bool:
        return canonical_address(value) is not None

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


VALIDATORS = {
    **DefaultValidators,
    **DATAPLANE_VALIDATORS,
    **{kind.tag: kind for kind in (Address, InterfaceName, LcpName, NetnsName, Glob)},
}
