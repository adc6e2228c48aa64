"""Two states and what changes between them, as the entries of the file that appear, differ and disappear.

Both states are put into the words of the file by the code that `dump` uses, and then compared entry by entry: a new key
or a new kind of object needs nothing here. First they are cut down to what the changes touch, and each gets what only
the other one has, such as a name that only a file knows. What happens and no key shows, such as that an interface is
recreated, becomes a remark on an entry.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from vppcfg.common.names import natural_key
from vppcfg.config.dump import yaml_entries
from vppcfg.config.section_list import INTERFACES, SECTIONS
from vppcfg.entries.section import YamlEntry
from vppcfg.entries.yaml.text import KeyValue
from vppcfg.kinds.kind_list import OBJECT_KINDS, TABLES
from vppcfg.kinds.virtual_interface_list import VIRTUAL_INTERFACES
from vppcfg.model.bridge import bridge_name
from vppcfg.model.kinds import as_created
from vppcfg.model.ownership import is_foreign
from vppcfg.model.placement import moved_placements
from vppcfg.model.problem import KeyPath
from vppcfg.model.state import State, tables_in_use
from vppcfg.model.tap import Tap
from vppcfg.model.virtual_interface import VIRTUAL_INTERFACE_OF
from vppcfg.model.vpp_object import Referent, VppObject
from vppcfg.model.vrf import FibTable
from vppcfg.operations.change import Action, Change, ObjectKind
from vppcfg.operations.recreate import is_open
from vppcfg.record import evolve, record
from vppcfg.render.entry_view import EntryLine, entry_difference, whole_entry
from vppcfg.render.implicit_changes import attribute_text, implicit_changes, restricted

_ORDER = {section.key: position for position, section in enumerate(SECTIONS)}
_SECTIONS = {kind.object_kind: kind.key for kind in TABLES}
"""The section of each kind of objects that are no interfaces and have names, such as bridge domains."""
_VIRTUAL_INTERFACES = frozenset(section.key for section in VIRTUAL_INTERFACES)
"""The sections of interfaces that VPP makes; such an interface may have an entry in `interfaces` too."""
_SHOWN_ELSEWHERE = (
    "mac",
    "device_class",
    "tag",
    "bridge",
    "is_bvi",
    "split_horizon_group",
    "static_macs",
    "tag_rewrite",
)
"""Attributes for which an interface that VPP makes needs no entry in `interfaces`: another entry has them, or none."""


@record
class EntryDifference:
    """What happens to one entry of the file."""

    action: Action
    path: KeyPath
    """Of the entry; of what the file has no entry for, what it is, as one word or several."""
    name: str
    """Of the object in VPP."""
    lines: tuple[EntryLine, ...] = ()
    """Its keys and values."""
    remarks: tuple[str, ...] = ()
    """What happens to it and no key shows."""
    forced_by: str | None = None
    """Why it is recreated."""


def file_difference(before: State, after: State, changes: Iterable[Change[Any]]) -> list[EntryDifference]:
    """Return the entries that the changes between two states concern, in the order of the file."""
    return _Comparison(before, after, tuple(changes)).entries()


class _Comparison:
    """Two states, cut down to what the changes touch."""

    def __init__(self, before: State, after: State, changes: Sequence[Change[Any]]) -> None:
        before, after = _as_far_as_managed(before, after)
        self._before, self._after = before, after
        self._of_interface: dict[str, list[Change[Any]]] = {}
        """The changes of each interface, its LCP pair and its Linux device."""
        self._others: list[Change[Any]] = []
        for change in changes:
            if change.name in before.interfaces or change.name in after.interfaces:
                self._of_interface.setdefault(change.name, []).append(change)
            else:
                self._others.append(change)
        self._cut_down()
        self._namespaces = after.namespaces - before.namespaces
        self._linux_bridges = after.linux_bridges - before.linux_bridges
        old, new = self._old.interfaces, self._new.interfaces
        macs = {name for name in self._of_interface if name in old and name in new and old[name].mac != new[name].mac}
        self._was = yaml_entries(self._old, with_macs=macs)
        self._will = yaml_entries(
            self._new, with_macs=macs, namespaces=self._namespaces, linux_bridges=self._linux_bridges
        )
        self._found: dict[KeyPath, EntryDifference] = {}

    def _cut_down(self) -> None:
        """Set `_old` and `_new`: both states with nothing but what the changes touch, and alike in what does not count.

        With an interface goes the bridge domain that it is in, whose entry lists it; with a domain go all its members,
        with a FIB table all interfaces in it, with a sub-interface its parent, and with an object what it refers to.
        """
        states = (self._before, self._after)
        names = set(self._of_interface)
        bridges = {change.name for change in self._others if change.kind is ObjectKind.BRIDGE}
        for state in states:
            touched = (state.interfaces[name].bridge for name in names if name in state.interfaces)
            bridges |= {bridge_name(bd_id) for bd_id in touched if bd_id is not None}
        names |= _members_of(bridges, states) if bridges else set()
        tables = {change.name for change in self._others if change.kind is ObjectKind.VRF}
        names |= _users_of(tables, states) if tables else set()
        names |= self._holders(self._objects())
        names |= self._referred(Referent.INTERFACE)
        bridges |= self._referred(Referent.BRIDGE)
        interfaces = [state.interfaces[name] for state in states for name in names if name in state.interfaces]
        names |= {interface.parent for interface in interfaces if interface.parent is not None}
        if any(change.kind is ObjectKind.LINUX for change in self._others):
            names |= self._after.virtual_as(Tap).keys()
        others: dict[str, Collection[str]] = {
            kind.table: [change.name for change in self._others if change.kind is kind.object_kind] for kind in TABLES
        }
        old, new = (restricted(state, names, {**others, "bridges": bridges}) for state in states)
        old, new = _with_moved_queues(old, _with_order_of(old, new))
        self._old = _with_names_of(old, new)
        self._new = _with_names_of(_with_open_values(old, new), old)

    def _objects(self) -> list[VppObject]:
        """Return the objects that differ, as they were and as they will be."""
        both = (item for change in self._others for item in (change.before, change.after))
        return [item for item in both if isinstance(item, VppObject)]

    def _holders(self, items: Sequence[VppObject]) -> set[str]:
        """Return the interfaces whose entries set objects that do not refer to them."""
        by_class: dict[type[VppObject], list[VppObject]] = {}
        for item in items:
            by_class.setdefault(type(item), []).append(item)
        return {
            name
            for kind in OBJECT_KINDS
            for state in (self._before, self._after)
            if kind.object_class in by_class
            for name in kind.holders(by_class[kind.object_class], state)
        }

    def _referred(self, referent: Referent) -> set[str]:
        """Return the interfaces or bridge domains that the objects refer to that differ: their keys can stand below."""
        return {each.name for item in self._objects() for each in item.references() if each.referent is referent}

    def entries(self) -> list[EntryDifference]:
        """Return every entry that differs, and what changes without one."""
        for path in self._was.keys() | self._will.keys():
            self._compare(self._was.get(path), self._will.get(path))
        entries_of = self._entries_by_interface()
        for name, changes in self._of_interface.items():
            self._remark(name, changes, entries_of[name])
        self._remark_on_named_objects()
        for path in self._without_entry():
            self._found[path] = EntryDifference(action=Action.CREATE, path=path, name=path[0])
        for change in self._others:
            if change.kind is ObjectKind.MEMIF_SOCKET:
                path = (f"{change.name} at {change.before}",)
                self._found[path] = EntryDifference(action=change.action, path=path, name=change.name)
        self._found |= {each.path: each for each in self._unshown()}
        return sorted(self._found.values(), key=_place)

    def _remark_on_named_objects(self) -> None:
        """Enter what happens to bridge domains, access lists and the like, and the words of their entries do not show.

        One that changes in nothing that a file can express has no entry so far, and gets one.
        """
        for change in self._others:
            if change.kind in _SECTIONS:
                path = (_SECTIONS[change.kind], change.name)
                found = self._found.get(path) or EntryDifference(action=change.action, path=path, name=change.name)
                remarks = tuple(implicit_changes(change, self._before, self._after, ()))
                self._found[path] = replace(found, remarks=remarks)

    def _unshown(self) -> list[EntryDifference]:
        """Return the objects that change while no entry does that may be about them: there are no words for how.

        An entry may be about an object when it is in the section of its kind, or names something that the object refers
        to, or an interface whose entry sets it.
        """
        shown = {word for found in self._found.values() for word in (*map(str, found.path), found.name)}
        tables = (each for state in (self._before, self._after) for each in state.vrfs.values())
        shown |= {table.key for table in tables if table.name in shown}
        by_class: dict[type[Any], list[Change[Any]]] = {}
        for change in self._others:
            if change.kind is ObjectKind.OBJECT:
                by_class.setdefault(type(_object_of(change)), []).append(change)
        found = []
        for kind in OBJECT_KINDS:
            changes = by_class.get(kind.object_class, [])
            if not changes or kind.key in shown or not shown.isdisjoint(self._holders(list(map(_object_of, changes)))):
                continue
            for change in changes:
                item = _object_of(change)
                if shown.isdisjoint(reference.name for reference in item.references()):
                    remarks, path = tuple(map(attribute_text, change.attributes)), (item.label,)
                    found.append(EntryDifference(action=change.action, path=path, name=change.name, remarks=remarks))
        return found

    def _compare(self, was: YamlEntry | None, will: YamlEntry | None) -> None:
        """Enter what happens to an entry, if anything does."""
        entry = was if will is None else will
        assert entry is not None
        if was is not None and will is not None:
            action, lines = Action.UPDATE, entry_difference(was.keys, will.keys)
            if not lines:
                return
        else:
            keys = self._whole(entry, self._new if was is None else self._old)
            if keys is None:
                return
            action, lines = Action.DELETE if will is None else Action.CREATE, whole_entry(keys)
        self._found[entry.path] = EntryDifference(action=action, path=entry.path, name=entry.name, lines=tuple(lines))

    def _whole(self, entry: YamlEntry, state: State) -> tuple[KeyValue, ...] | None:
        """Return what an entry sets that appears or disappears in a state, None where it is not needed.

        A loopback on which nothing is set, for example, has an entry in `loopbacks` and needs none in `interfaces`; the
        first one then shows its description.
        """
        if entry.path[0] == INTERFACES.key:
            is_needed = entry.name not in state.virtual or not _is_as_created(entry.name, state)
            return entry.keys if is_needed else None
        if entry.path[0] in _VIRTUAL_INTERFACES and _is_as_created(entry.name, state):
            described = state.described(entry.name, state.interfaces[entry.name].tag)
            return (KeyValue("description", described), *entry.keys) if described else entry.keys
        return entry.keys

    def _entries_by_interface(self) -> dict[str, list[KeyPath]]:
        """Return the entries of each interface, found to differ or not, those that differ first."""
        paths: dict[str, list[KeyPath]] = {}
        every = (*self._will.values(), *self._was.values())
        interfaces = (entry for entry in every if entry.path[0] not in _SECTIONS.values())
        for entry in sorted(interfaces, key=lambda entry: entry.path not in self._found):
            paths.setdefault(entry.name, []).append(entry.path)
        return paths

    def _remark(self, name: str, changes: Sequence[Change[Any]], paths: Sequence[KeyPath]) -> None:
        """Enter what happens to an interface and the words of its entries do not show.

        The remarks stand at the first of its entries that differ; where none does, at the first of all. That it joins
        or leaves a bridge domain is shown by the entry of the domain.
        """
        remarks: list[str] = []
        for change in changes:
            others = [other for other in changes if other is not change]
            remarks += implicit_changes(change, self._before, self._after, others)
            if change.kind is ObjectKind.LCP and change.action is Action.REPLACE and not _is_implied(change, others):
                remarks.append(f"its LCP pair is recreated, because {change.forced_by}")
        of_itself = [change for change in changes if change.kind is ObjectKind.INTERFACE]
        replaced = [change for change in of_itself if change.action is Action.REPLACE]
        found = [path for path in dict.fromkeys(paths) if path in self._found]
        if not found and not remarks and not replaced and _belongs_to_bridge(of_itself):
            return
        if not found and not remarks:
            remarks += self._renumbered(name)
        if not found:
            self._found[paths[0]] = EntryDifference(action=Action.UPDATE, path=paths[0], name=name)
            found = [paths[0]]
        for path in found if replaced else ():
            entry = self._found[path]
            action = Action.REPLACE if entry.action is Action.UPDATE else entry.action
            self._found[path] = replace(entry, action=action, forced_by=replaced[0].forced_by)
        self._found[found[0]] = replace(self._found[found[0]], remarks=tuple(remarks))

    def _renumbered(self, name: str) -> Iterator[str]:
        """Yield the FIB tables of an interface that stays in its VRF, whose id changes."""
        old, new = (state.interfaces[name].tables for state in (self._before, self._after))
        for former, later in dict.fromkeys(zip(old, new, strict=True)):
            if former != later:
                yield f"its VRF: FIB table {former} -> {later}"

    def _without_entry(self) -> Iterator[tuple[str]]:
        """Yield what is made that no entry of the file names."""
        taps = self._new.virtual_as(Tap).values()
        yield from ((f"Linux namespace {netns}",) for netns in self._namespaces - {tap.host_netns for tap in taps})
        for netns, name in self._linux_bridges - {(tap.host_netns, tap.host_bridge) for tap in taps}:
            yield (f"Linux bridge {name}{f' in namespace {netns}' if netns else ''}",)
        for change in self._others:
            is_new_table = change.kind is ObjectKind.VRF and change.action is Action.CREATE
            if is_new_table and isinstance(change.after, FibTable) and change.after.is_unnamed:
                yield (f"FIB table {change.name}",)
        if any(change.kind is ObjectKind.MPLS for change in self._others) and not self._is_mpls_turned_on():
            yield ("default MPLS table",)

    def _is_mpls_turned_on(self) -> bool:
        old = self._old.interfaces
        return any(
            after.has_mpls and not (name in old and old[name].has_mpls) for name, after in self._new.interfaces.items()
        )


def _as_far_as_managed(before: State, after: State) -> tuple[State, State]:
    """Return both states without what the file does not own, and with the descriptions and names that it has.

    A FIB table that stays, and has no name in VPP, gets that of the file or a made one: no entry could name it else.
    """
    after = replace(after.managed(after.owned), facts=before.facts)
    before = before.managed(after.owned)
    before = replace(before, descriptions={**after.descriptions, **before.descriptions})
    unnamed = {key for key, table in before.vrfs.items() if table.is_unnamed and after.vrfs.get(key) == table}
    if unnamed:
        before, after = (_with_names_of_tables(state, unnamed, before.descriptions) for state in (before, after))
    return before, after


def _object_of(change: Change[Any]) -> Any:
    return change.after if change.before is None else change.before


def _with_names_of_tables(state: State, keys: Iterable[str], names: Mapping[str, str]) -> State:
    """Return a state in which tables that have no name in VPP have that of the file: its entries are then shown."""
    named = {key: replace(state.vrfs[key], name=names.get(key, f"vrf{state.vrfs[key].table_id}")) for key in keys}
    return replace(state, vrfs={**state.vrfs, **named})


def _users_of(tables: set[str], states: Iterable[State]) -> set[str]:
    return {
        name for state in states for name in state.interfaces if not tables.isdisjoint(tables_in_use(state, [name]))
    }


def _with_order_of(before: State, after: State) -> State:
    """Return the later state with the addresses that stay in the order that VPP has, which no plan changes."""
    alike = {
        name: evolve(each, address_order=(*there.in_order, *each.in_order))
        for name, each in after.interfaces.items()
        if (there := before.interfaces.get(name)) and (there.address_order or each.address_order)
    }
    return replace(after, interfaces={**after.interfaces, **alike}) if alike else after


def _members_of(bridges: Collection[str], states: Iterable[State]) -> set[str]:
    return {
        interface.name
        for state in states
        for interface in state.interfaces.values()
        if interface.bridge is not None and bridge_name(interface.bridge) in bridges
    }


def _with_names_of(state: State, other: State) -> State:
    """Return a state with the names that only configurations have as in another one, where it lacks them.

    An interface has its counterpart under the same name. Where there is none, it is the one of the same kind with the
    same `unique_key`: VPP takes only one tunnel between two addresses, for example, whatever it is called.
    """
    alike = {(type(each), each.unique_key): each for each in other.virtual.values() if each.unique_key}
    found = {
        name: virtual.with_names_of(other.virtual.get(name) or alike.get((type(virtual), virtual.unique_key or ())))
        for name, virtual in state.virtual.items()
    }
    return replace(state, virtual=found)


def _with_moved_queues(before: State, after: State) -> tuple[State, State]:
    """Return both states with those queues of ports that move as if an operator had placed them, and no others.

    A file places few queues, and where they were before is mostly VPP's own choice.
    """
    old, new = dict(before.interfaces), dict(after.interfaces)
    for name in old.keys() & new.keys():
        if any(each.rx_placement or each.tx_placement for each in (old[name], new[name])):
            rx = moved_placements(old[name].rx_placement, new[name].rx_placement)
            tx = moved_placements(old[name].tx_placement, new[name].tx_placement)
            old[name] = evolve(old[name], rx_placement=rx[0], tx_placement=tx[0])
            new[name] = evolve(new[name], rx_placement=rx[1], tx_placement=tx[1])
    return replace(before, interfaces=old), replace(after, interfaces=new)


def _with_open_values(before: State, after: State) -> State:
    """Return the later state with what it leaves open as it is before: MAC addresses, settings of LLDP and the like.

    What is left open does not change, and is no difference.
    """
    interfaces = {
        name: evolve(interface, mac=before.interfaces[name].mac)
        for name, interface in after.interfaces.items()
        if not interface.mac and name in before.interfaces
    }
    closed = {}
    for name, virtual in after.virtual.items():
        former: Any = before.virtual.get(name)
        if former.__class__ is virtual.__class__:
            left = [field.name for field in fields(virtual) if is_open(field.name, getattr(virtual, field.name))]
            closed[name] = replace(virtual, **{attribute: getattr(former, attribute) for attribute in left})
    known = {field.name: getattr(after.lldp, field.name) for field in fields(after.lldp)}
    lldp = replace(before.lldp, **{name: value for name, value in known.items() if value is not None})
    return replace(after, interfaces={**after.interfaces, **interfaces}, virtual={**after.virtual, **closed}, lldp=lldp)


def _is_as_created(name: str, state: State) -> bool:
    """Return whether nothing is set on an interface that would need an entry of its own."""
    interface = state.interfaces.get(name)
    if (
        interface is None
        or interface.kind not in VIRTUAL_INTERFACE_OF
        or name in state.lcps
        or is_foreign(interface.tag)
    ):
        return False
    left = {attribute: getattr(interface, attribute) for attribute in _SHOWN_ELSEWHERE}
    return interface == evolve(as_created(name, interface.kind, state.virtual.get(name)), **left)


def _is_implied(change: Change[Any], others: Iterable[Change[Any]]) -> bool:
    """Return whether it goes without saying that a pair is recreated: with its interface, or as it differs itself."""
    if any(other.action is Action.REPLACE for other in others):
        return True
    return any(attribute.name == change.forced_by for attribute in change.attributes)


def _belongs_to_bridge(changes: Iterable[Change[Any]]) -> bool:
    """Return whether what happens to an interface is that a bridge has it, or has it no more."""
    return any(attribute.name in ("bridge", "is_bvi") for change in changes for attribute in change.attributes)


def _place(entry: EntryDifference) -> tuple[Any, ...]:
    """Return a key that sorts entries as in a file, and behind them what no file has an entry for."""
    return _ORDER.get(str(entry.path[0]), len(_ORDER)), natural_key(entry.name)
