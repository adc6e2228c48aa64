"""One entry of `interfaces`, `sub-interfaces` or `loopbacks`, of the right shape, as an InterfaceConfig."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vppcfg.common.addresses import canonical_address
from vppcfg.common.mac import canonical_mac
from vppcfg.config.parse.acl_binding import parse_acl_binding
from vppcfg.config.parse.lcp import parse_lcp
from vppcfg.model.configuration import InterfaceConfig
from vppcfg.model.interface import Encapsulation, InterfaceKind
from vppcfg.model.problem import KeyPath

DEFAULT_MTU = 1500
"""Bytes, of an interface without the key."""


def parse_interface(
    raw: Mapping[str, Any],
    name: str,
    path: KeyPath,
    kind: InterfaceKind,
    *,
    parent: str | None = None,
    sub_id: int = 0,
    encapsulation: Encapsulation | None = None,
    default_mtu: int = DEFAULT_MTU,
) -> InterfaceConfig:
    """Parse the keys that interfaces of all kinds share; the rest of a sub-interface is given."""
    mtu = raw.get("mtu")
    return InterfaceConfig(
        name=name,
        path=path,
        kind=kind,
        parent=parent,
        sub_id=sub_id,
        encapsulation=encapsulation,
        description=raw.get("description") or None,
        device_type=raw.get("device-type"),
        mac=canonical_mac(raw.get("mac")),
        mtu=default_mtu if mtu is None else mtu,
        is_up=raw.get("state") != "down",
        addresses=tuple(address for text in raw.get("addresses") or () if (address := canonical_address(text))),
        unnumbered=raw.get("unnumbered"),
        lcp=parse_lcp(raw.get("lcp")),
        l2xc=raw.get("l2xc"),
        has_mpls=raw.get("mpls") or False,
        has_sflow=raw.get("sflow") or False,
        acls=parse_acl_binding(raw.get("acls")),
    )
