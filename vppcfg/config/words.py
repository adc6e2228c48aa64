"""Which values the words of schema/vppcfg.yaml stand for: one table, for whoever has to tell right from wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vppcfg.common.addresses import canonical_address, canonical_host, canonical_prefix, is_unicast
from vppcfg.common.mac import canonical_mac
from vppcfg.config import dataplane_words as dataplane
from vppcfg.config.names import (
    is_acl_name,
    is_glob,
    is_interface_name,
    is_lcp_name,
    is_netns_name,
    is_prefix_list_name,
)

Predicate = Callable[[Any], bool]


def is_address(value: Any) -> bool:
    """Return whether a value is an IPv4 or IPv6 address with its prefix length."""
    return canonical_address(value) is not None


def is_mac(value: Any) -> bool:
    """Return whether a value is a MAC address in any of its usual forms."""
    return canonical_mac(value) is not None


def is_host(value: Any) -> bool:
    """Return whether a value is the address of one host, without a length."""
    address = canonical_host(value)
    return address is not None and is_unicast(address)


def is_prefix(value: Any) -> bool:
    """Return whether a value is a host, a prefix or a host with a length."""
    return canonical_prefix(value) is not None


def is_endpoint(value: Any) -> bool:
    """Return whether an ACL may match addresses with a value: a prefix, or the name of a prefix list or `any`."""
    return is_prefix_list_name(value) or canonical_prefix(value) is not None


def is_number_or_text(value: Any) -> bool:
    """Return whether a value is a whole number or text."""
    return isinstance(value, (int, str)) and not isinstance(value, bool)


SIMPLE: dict[str, Predicate] = {
    "acl_name": is_acl_name,
    "address": is_address,
    "endpoint": is_endpoint,
    "file_path": dataplane.is_file_path,
    "glob": is_glob,
    "group_name": dataplane.is_group_name,
    "host": is_host,
    "hugepage_size": dataplane.is_hugepage_size,
    "interface_name": is_interface_name,
    "isolate": dataplane.is_isolate,
    "lcp_name": is_lcp_name,
    "mac": is_mac,
    "netns_name": is_netns_name,
    "plugin_names": dataplane.is_plugin_names,
    "prefix": is_prefix,
    "protocol": is_number_or_text,
    "range": is_number_or_text,
    "truth_or_auto": dataplane.is_truth_or_auto,
    "workers": dataplane.is_workers,
}
"""Words that take no arguments."""

WITH_LIMITS: dict[str, Callable[..., Predicate]] = {
    "number_or_auto": dataplane.number_or_auto,
    "size_or_auto": dataplane.size_or_auto,
}
"""Words that take the least and the largest value."""
