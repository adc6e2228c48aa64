"""Finds the changes of a plan that no key of the file shows, and words a line for each.

An attribute is shown when the entries of the file differ once it alone has changed. For the others there is a line that
a reader cannot type, and that looks like a comment.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from functools import cached_property
from types import MappingProxyType
from typing import Any, cast

from vppcfg.config.dump import yaml_entries
from vppcfg.config.section_list import SECTIONS
from vppcfg.entries.section import YamlEntry
from vppcfg.kinds.kind_list import TABLES
from vppcfg.model.acl import AclBinding
from vppcfg.model.bridge import StaticMac, bridge_name
from vppcfg.model.interface import Encapsulation, Interface, OtherMatch, TagRewrite
from vppcfg.model.problem import KeyPath
from vppcfg.model.state import State, tables_in_use
from vppcfg.operations.change import Action, AttributeChange, Change, ObjectKind
from vppcfg.plan.state_document import plain
from vppcfg.record import evolve

_INTERFACE_FIELDS = frozenset(field.name for field in fields(Interface))
_FOLLOWS: Mapping[str, frozenset[str]] = {
    "link_mtu": frozenset({"packet_mtu"}),
    "split_horizon_group": frozenset({"bridge"}),
    "tag_rewrite": frozenset({"bridge", "encapsulation", "l2xc"}),
}
"""Attributes that change with other attributes, and need no line of their own then."""
_DEVICE_FOLLOWS: Mapping[str, frozenset[str]] = {
    "mtu": frozenset({"packet_mtu", "host_mtu"}),
    "is_up": frozenset({"is_up"}),
    "bridge": frozenset({"host_bridge"}),
}
"""The same for a Linux device, whose attributes change with those of its interface."""
_OF_INTERFACES = tuple(section for section in SECTIONS if section.has_interfaces)
_SHOWN_WHOLE = frozenset({ObjectKind.SFLOW, ObjectKind.LLDP, ObjectKind.PROXY_ARP, ObjectKind.IPFIX})
"""What has nothing that a file cannot express."""


_LISTS = frozenset({ObjectKind.ACL, ObjectKind.MACIP})
"""What has nothing but rules that a file can express."""


def restricted(
    state: State,
    names: Collection[str],
    others: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> State:
    """Return a state with just these objects; `others` are those of other kinds, by their table."""
    cut = replace(
        state,
        interfaces={name: state.interfaces[name] for name in names if name in state.interfaces},
        lcps={name: state.lcps[name] for name in names if name in state.lcps},
        virtual={name: state.virtual[name] for name in names if name in state.virtual and name in state.interfaces},
    )
    found = {kind.table: kind.in_state(state) for kind in TABLES}
    tables = {
        table: {name: things[name] for name in others.get(table, ()) if name in things}
        for table, things in found.items()
    }
    return cut.with_tables(tables)


def implicit_changes(
    change: Change[Any], before: State, after: State, siblings: Iterable[Change[Any]]
) -> Iterator[str]:
    """Yield a line for each attribute of a change that no key of the file shows.

    `siblings` are the other changes of the same interface: what follows from them needs no line.
    """
    if change.action in (Action.CREATE, Action.DELETE) or change.kind in _SHOWN_WHOLE:
        return
    if change.kind is ObjectKind.BRIDGE:
        yield from _stray_macs(change)
        return
    others = {attribute.name for sibling in siblings for attribute in sibling.attributes}
    if change.kind is ObjectKind.LINUX:
        is_new = any(sibling.action is not Action.UPDATE for sibling in siblings)
        for attribute in change.attributes:
            if not is_new and others.isdisjoint(_DEVICE_FOLLOWS[attribute.name]):
                yield f"its Linux device: {attribute_text(attribute)}"
        return
    own = {attribute.name for attribute in change.attributes}
    shown = _Shown(change, before, after)
    what = "its LCP pair: " if change.kind is ObjectKind.LCP else ""
    for attribute in change.attributes:
        if own.isdisjoint(_FOLLOWS.get(attribute.name, ())) and not shown.is_shown(attribute):
            yield f"{what}{attribute_text(attribute)}"
    if change.kind is ObjectKind.INTERFACE:
        yield from _static_macs_elsewhere(change.name, before, after)


def _stray_macs(change: Change[Any]) -> Iterator[str]:
    """Yield a line when a bridge domain does not send the same MAC addresses to interfaces that are gone."""
    for attribute in change.attributes:
        if attribute.name == "stray_macs":
            yield f"static macs of interfaces that are gone: {_words(attribute.old)} -> {_words(attribute.new)}"


def _static_macs_elsewhere(name: str, before: State, after: State) -> Iterator[str]:
    """Yield a line when an interface does not have the same static MAC addresses where it is no member.

    The file has those of members alone. VPP keeps them when an interface leaves a bridge domain: so the line may appear
    although VPP changes nothing.
    """
    old, new = (_macs_elsewhere(state.interfaces[name], state) for state in (before, after))
    if old != new:
        yield f"static macs where it is no member: {_words(old)} -> {_words(new)}"


def _macs_elsewhere(interface: Interface, state: State) -> tuple[StaticMac, ...]:
    is_member = interface.bridge is not None and bridge_name(interface.bridge) in state.bridges
    return tuple(each for each in interface.static_macs if not is_member or each.bd_id != interface.bridge)


class _Shown:
    """The words of the file about one object that changes, to try each of its attributes alone."""

    def __init__(self, change: Change[Any], before: State, after: State) -> None:
        self._change, self._before, self._after = change, before, after

    def is_shown(self, attribute: AttributeChange) -> bool:
        """Return whether the words of the file differ when just this attribute changes."""
        change, before = self._change, self._before
        if change.kind in _LISTS:
            return attribute.name == "rules"
        if attribute.name in ("mac", "is_bvi", "static_macs"):
            return True
        if attribute.name == "bridge":
            bridges = before.bridges.keys() | self._after.bridges.keys()
            ids = [bd_id for bd_id in (attribute.old, attribute.new) if isinstance(bd_id, int)]
            return all(bridge_name(bd_id) in bridges for bd_id in ids)
        if attribute.name == "split_horizon_group":
            return not before.interfaces[change.name].is_bvi
        return self._entries(_with(self._near, change, attribute)) != self._entries_now

    @cached_property
    def _near(self) -> State:
        """The object, what it stands on, and the FIB tables that it is in before and after."""
        name, before, after = self._change.name, self._before, self._after
        tables = {*tables_in_use(before, [name]), *tables_in_use(after, [name])}
        vrfs = {**before.vrfs, **after.vrfs}
        near = restricted(before, {name, before.interfaces[name].parent or name})
        return replace(near, vrfs={key: vrfs[key] for key in tables if key in vrfs})

    @cached_property
    def _entries_now(self) -> dict[KeyPath, YamlEntry]:
        return self._entries(self._near)

    @staticmethod
    def _entries(state: State) -> dict[KeyPath, YamlEntry]:
        return yaml_entries(state, sections=_OF_INTERFACES)


def _with(state: State, change: Change[Any], attribute: AttributeChange) -> State:
    """Return the state with one attribute of one object changed."""
    name, altered = change.name, cast(dict[str, Any], {attribute.name: attribute.new})
    if change.kind is ObjectKind.LCP:
        return replace(state, lcps={**state.lcps, name: replace(state.lcps[name], **altered)})
    if attribute.name in _INTERFACE_FIELDS:
        return replace(state, interfaces={**state.interfaces, name: evolve(state.interfaces[name], **altered)})
    virtual: Any = state.virtual[name]
    return replace(state, virtual={**state.virtual, name: replace(virtual, **altered)})


def attribute_text(attribute: AttributeChange) -> str:
    """Return what an attribute was and will be, in words."""
    if attribute.name == "packet_mtu" and attribute.old == attribute.new:
        return f"mtu: {attribute.new} set on the sub-interface, no longer inherited"
    if attribute.name == "ra_mtu":
        return f"router advertisements name MTU {attribute.new}, no longer {attribute.old}"
    name = "MTU to Linux" if attribute.name == "host_mtu" else attribute.name.replace("_", " ")
    return f"{name}: {_words(attribute.old)} -> {_words(attribute.new)}"


def _words(value: object) -> str:
    """Return a value of the model that the file has no words for, as an operator would write it."""
    if value is None or value == "":
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Encapsulation | OtherMatch | TagRewrite):
        return str(value)
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, frozenset | Mapping):
        return ", ".join(plain(value)) or "none"
    if isinstance(value, list):
        return " and ".join(_settings(item) if isinstance(item, dict) else _words(item) for item in value)
    if isinstance(value, AclBinding):
        return f"input {' '.join(value.input) or 'none'}, output {' '.join(value.output) or 'none'}"
    if is_dataclass(value):
        return _settings(plain(value))
    if isinstance(value, tuple):
        return f"({', '.join(_words(item) for item in value)})" if value else "none"
    return str(value)


def _settings(values: Mapping[str, object]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {_words(setting)}" for name, setting in values.items())
