"""Sub-interfaces: entries below `sub-interfaces` of an interface, and the VLAN tags that they match."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vppcfg.entries.configuration import Configuration, InterfaceConfig, KeyHolder
from vppcfg.entries.names import MAX_SUB_ID, is_sub_id
from vppcfg.entries.section import NamePattern, described
from vppcfg.entries.yaml.errors import shown
from vppcfg.entries.yaml.text import KeyValue, key_lines
from vppcfg.kinds import interface_keys
from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.state import State

NAME_PATTERN: NamePattern = ("[1-9][0-9]*", None)
MAX_VLAN_ID = 4095


def name_of(parent: str, sub_id: object) -> str:
    """Return VPP's name of a sub-interface."""
    return f"{parent}.{sub_id}"


def parse(
    raw: Mapping[str, Any] | None, parent: str, sub_id: str | int, path: KeyPath, parent_mtu: int
) -> InterfaceConfig | Problem:
    """Parse the sub-interface `sub_id` of interface `parent`, whose MTU of `parent_mtu` bytes is its default."""
    if not isinstance(sub_id, int) or not is_sub_id(sub_id):
        text = f"{shown(sub_id)} is no sub-interface id, a number from 1 to {MAX_SUB_ID} without quotes"
        return Problem(rule="sub-id", path=path, text=text)
    if not raw:
        text = f"sub-interface {sub_id} has no keys; set at least `state: up`, or remove it"
        return Problem(rule="sub-empty", path=path, text=text)
    encapsulation = _parse_encapsulation(raw.get("encapsulation"), sub_id, path)
    if isinstance(encapsulation, Problem):
        return encapsulation
    return interface_keys.parse(
        raw,
        name_of(parent, sub_id),
        path,
        InterfaceKind.SUB_INTERFACE,
        parent=parent,
        sub_id=sub_id,
        encapsulation=encapsulation,
        default_mtu=parent_mtu,
    )


def _parse_encapsulation(raw: Mapping[str, Any] | None, sub_id: int, path: KeyPath) -> Encapsulation | Problem:
    """Parse the value of an `encapsulation` key; without one the id is the VLAN, matched exactly.

    `path` is that of the sub-interface. Return what is wrong when the keys do not go together.
    """
    if raw is None:
        if sub_id > MAX_VLAN_ID:
            text = f"{sub_id} cannot be a VLAN id; set the tags to match with `encapsulation`"
            return Problem(rule="encap-id", path=path, text=text)
        return Encapsulation(outer=sub_id, is_exact=True)
    dot1q, dot1ad, inner = raw.get("dot1q"), raw.get("dot1ad"), raw.get("inner-dot1q")
    at = (*path, "encapsulation")
    if dot1q is not None and dot1ad is not None:
        return Problem(rule="encap-both", path=at, text="the outer tag is either `dot1q` or `dot1ad`, not both")
    if dot1q is None and dot1ad is None:
        if inner is None:
            return Problem(rule="encap-no-tag", path=at, text="no tag is given; add `dot1q` or `dot1ad`")
        text = "`inner-dot1q` needs an outer tag; add `dot1q` or `dot1ad`"
        return Problem(rule="encap-inner-alone", path=at, text=text)
    outer: int = raw["dot1ad"] if dot1q is None else dot1q
    is_exact = raw.get("exact-match") or False
    return Encapsulation(outer=outer, inner=inner, is_dot1ad=dot1q is None, is_exact=is_exact)


def unsupported_reason(interface: Interface) -> str | None:
    """Return why no file can express which VLAN tags an observed sub-interface matches, or what it is called."""
    if interface.parent is None:
        return None
    tags = interface.encapsulation
    if not isinstance(tags, Encapsulation):
        return "it matches VLAN tags in a way that a configuration cannot express"
    if not all(1 <= vlan <= MAX_VLAN_ID for vlan in (tags.outer, tags.inner or 1)):
        return "it matches a VLAN id that a configuration cannot express"
    if not is_sub_id(interface.sub_id) or interface.name != name_of(interface.parent, interface.sub_id):
        return "it has a name that VPP gives to no sub-interface"
    return None


def from_state(interface: Interface, state: State, section: str) -> InterfaceConfig:
    """Return the entry of a sub-interface, below its parent in a section."""
    path = (section, interface.parent or "", interface_keys.CHILDREN, interface.sub_id)
    return interface_keys.from_state(interface, state, path)


def lines(child: InterfaceConfig, parent: InterfaceConfig, configuration: Configuration) -> list[str]:
    """Return the text of an entry; one without keys gets `state: up`."""
    owned = configuration.owned_keys(KeyHolder.INTERFACE, child.name)
    return key_lines([*keys(child, parent.mtu), *owned]) or ["state: up"]


def keys(child: InterfaceConfig, parent_mtu: int) -> list[KeyValue]:
    """Return what an entry sets below a parent with an MTU."""
    return [
        *described(child.description),
        *_encapsulation(child),
        KeyValue("mtu", child.mtu, child.mtu == parent_mtu),
        interface_keys.state_key(child),
        *interface_keys.use_keys(child),
    ]


def _encapsulation(child: InterfaceConfig) -> list[KeyValue]:
    tags = child.encapsulation
    if tags is None:
        return []
    is_default = tags == Encapsulation(outer=child.sub_id, is_exact=True)
    return [KeyValue("encapsulation", _tag_keys(tags), is_default, is_set_at_creation=True)]


def _tag_keys(tags: Encapsulation) -> tuple[KeyValue, ...]:
    outer = KeyValue("dot1ad" if tags.is_dot1ad else "dot1q", tags.outer)
    exact = KeyValue("exact-match", tags.is_exact, not tags.is_exact)
    return (outer, exact) if tags.inner is None else (outer, KeyValue("inner-dot1q", tags.inner), exact)
