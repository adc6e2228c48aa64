"""One entry of `sub-interfaces` as an InterfaceConfig, or what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vppcfg.config.names import MAX_SUB_ID, is_sub_id
from vppcfg.config.parse.encapsulation import parse_encapsulation
from vppcfg.config.parse.interface import parse_interface
from vppcfg.config.yaml.errors import shown
from vppcfg.model.configuration import InterfaceConfig
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.problem import KeyPath, Problem


def sub_interface_name(parent: str, sub_id: object) -> str:
    """Return VPP's name of a sub-interface."""
    return f"{parent}.{sub_id}"


def parse_sub_interface(
    raw: Mapping[str, Any] | None, parent: str, sub_id: str | int, path: KeyPath, parent_mtu: int
) -> InterfaceConfig | Problem:
    """Parse the sub-interface `sub_id` of interface `parent`, whose MTU of `parent_mtu` bytes is its default."""
    if not isinstance(sub_id, int) or not is_sub_id(sub_id):
        text = f"{shown(sub_id)} is no sub-interface id, a number from 1 to {MAX_SUB_ID} without quotes"
        return Problem(rule="sub-id", path=path, text=text)
    if not raw:
        text = f"sub-interface {sub_id} has no keys; say at least `state: up`, or remove it"
        return Problem(rule="sub-empty", path=path, text=text)
    encapsulation = parse_encapsulation(raw.get("encapsulation"), sub_id, path)
    if isinstance(encapsulation, Problem):
        return encapsulation
    name = sub_interface_name(parent, sub_id)
    return parse_interface(
        raw,
        name,
        path,
        InterfaceKind.SUB_INTERFACE,
        parent=parent,
        sub_id=sub_id,
        encapsulation=encapsulation,
        default_mtu=parent_mtu,
    )
