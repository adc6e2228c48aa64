"""One entry of `bridgedomains`, of the right shape, as a BridgeConfig."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from vppcfg.config.names import MAX_BRIDGE, is_bridge_name, number_of
from vppcfg.config.parse.entries import Entry, Naming
from vppcfg.config.parse.interface import DEFAULT_MTU
from vppcfg.model.bridge import BridgeSettings
from vppcfg.model.configuration import BridgeConfig
from vppcfg.model.problem import Problem

NAMING = Naming(
    section="bridgedomains",
    is_name=is_bridge_name,
    rule="bd-id",
    wanted=f"a bridge domain is called bd1 to bd{MAX_BRIDGE}",
    dispensable=frozenset({"description", "settings"}),
)


def setting_key(attribute: str) -> str:
    """Return the key of the configuration for an attribute of BridgeSettings."""
    return attribute.replace("_", "-")


def parse_bridge(entry: Entry) -> BridgeConfig | Problem:
    """Parse a bridge domain; return what is wrong with the one that VPP keeps for itself."""
    bd_id = number_of(entry.name, "bd")
    if bd_id == 0:
        return Problem(rule="bd-zero", path=entry.path, text="bridge domain 0 is VPP's own; take another number")
    mtu = entry.raw.get("mtu")
    return BridgeConfig(
        name=entry.name,
        path=entry.path,
        bd_id=bd_id,
        description=entry.raw.get("description") or None,
        mtu=DEFAULT_MTU if mtu is None else mtu,
        bvi=entry.raw.get("bvi"),
        members=tuple(entry.raw.get("interfaces") or ()),
        settings=_settings(entry.raw.get("settings") or {}),
    )


def _settings(raw: Mapping[str, Any]) -> BridgeSettings:
    given = {field.name: raw.get(setting_key(field.name)) for field in fields(BridgeSettings)}
    return BridgeSettings(**{name: value for name, value in given.items() if value is not None})
