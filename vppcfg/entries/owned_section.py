"""The base of sections and keys that own objects of VPP that bear no mark: QoS, relays, L3 cross-connects and more.

VPP does not report who has configured such an object. So the key is what makes them the file's, all that depend on what
it stands below: while it is absent, plans leave them alone, and with it, even empty, VPP has those of the file and no
others.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from vppcfg.common.names import natural_key
from vppcfg.common.release import OLDEST, Release
from vppcfg.entries.configuration import Configuration, KeyHolder, OwnedConfig
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.section import Parsing, Section, Unmanaged, YamlEntry
from vppcfg.entries.yaml.text import KeyValue, Value, key_lines
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.route import NextHop
from vppcfg.model.state import State
from vppcfg.model.vpp_object import Reference, Referent, VppObject
from vppcfg.model.vrf import table_key

V = TypeVar("V")
_KEYS: set[str] = set()
"""The keys of all such sections."""
_CHILDREN = "sub-interfaces"
_LOOPBACKS = "loopbacks"
_INTERFACES = "interfaces"
DEFAULT_TABLE = "0"
"""The scope of the default FIB table."""
_HOLDERS = {
    _INTERFACES: KeyHolder.INTERFACE,
    _LOOPBACKS: KeyHolder.INTERFACE,
    "vrfs": KeyHolder.VRF,
    "bridgedomains": KeyHolder.BRIDGE,
}
"""What the entries of each section are; those of all others are tunnels, or have no such key."""


class _Given(NamedTuple):
    """One such key of a file."""

    holder: KeyHolder
    name: str
    path: KeyPath
    raw: Any


class OwnedSection(Section, Generic[V]):
    """One such key, at the top of a file or below what it belongs to."""

    attribute = "owned"
    holders: ClassVar[tuple[KeyHolder, ...]]
    """Below what the key stands."""
    below: ClassVar[tuple[str, ...]] = ()
    """The sections of the tunnels that have the key."""
    object_classes: ClassVar[tuple[type[VppObject], ...]]
    """The classes of objects that it owns."""
    plugin: ClassVar[str] = ""
    """The plugin of VPP that has them; '' where they are always there."""
    plugin_since: ClassVar[Release] = OLDEST
    """Before, what the plugin does was part of VPP itself."""
    reason: ClassVar[str] = ""
    """What the file does with the plugin, as a clause."""
    since: ClassVar[Release] = OLDEST
    """The first release that can do it."""
    is_block: ClassVar[bool] = False
    """Whether the value is written on lines of its own."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if key := cls.__dict__.get("key"):
            _KEYS.add(key)

    @abstractmethod
    def parse_value(self, raw: Any, path: KeyPath, problems: list[Problem]) -> V:
        """Return what the sound entries of a value stand for; add to `problems` what is wrong with the others."""

    @abstractmethod
    def objects_of(self, entry: OwnedConfig, configuration: Configuration) -> Iterable[VppObject]:
        """Return the objects that VPP is to have."""

    def objects_for(self, entry: OwnedConfig, desired: DesiredStateBuilder) -> Iterable[VppObject]:
        """Return the objects that VPP is to have, where that depends on what it has."""
        return self.objects_of(entry, desired.configuration)

    def next_hops(self, entry: OwnedConfig) -> Iterator[tuple[NextHop, KeyPath]]:
        """Yield the next hops to which an entry sends packets of others, each with its place."""
        yield from ()

    @abstractmethod
    def as_yaml(self, value: V) -> Value:
        """Return the value in the file."""

    @abstractmethod
    def values_in(self, state: State) -> Iterator[tuple[KeyHolder, str, V]]:
        """Yield the values that stand for the objects of a state, each with what it is below of."""

    def scope_of(self, entry: OwnedConfig, configuration: Configuration) -> str:
        """Return the scope of the objects that an entry owns: the interface or bridge domain, or the FIB table."""
        if entry.holder is KeyHolder.VRF:
            return str(configuration.vrfs[entry.name].table_id) if entry.name in configuration.vrfs else ""
        return DEFAULT_TABLE if KeyHolder.VRF in self.holders else entry.name

    def parse(self, parsing: Parsing) -> dict[str, dict[str, OwnedConfig]]:
        """Return the entries by the names of what they are below of, each with what is sound of it."""
        found: dict[str, OwnedConfig] = {}
        broken = set()
        for each in _given_in(parsing).get(self.key, ()):
            if each.holder not in self.holders or (each.holder is KeyHolder.TUNNEL and each.path[0] not in self.below):
                continue
            sound = parsing.sound(each.raw, each.path)
            problems: list[Problem] = []
            if sound is not None:
                value = self.parse_value(sound, each.path, problems)
                found[each.name] = self._entry(each.holder, each.name, each.path, value)
            if problems or sound is not each.raw:
                parsing.problems += problems
                broken.add(each.name)
        if broken:
            parsing.broken_entries[self.key] = frozenset(broken)
        return {self.key: found} if found else {}

    def _entry(self, holder: KeyHolder, name: str, path: KeyPath, value: Any) -> OwnedConfig:
        yaml = KeyValue(self.key, self.as_yaml(value), is_block=self.is_block)
        return OwnedConfig(holder=holder, name=name, path=path, value=value, yaml=yaml)

    def entries_in(self, configuration: Configuration) -> Mapping[str, OwnedConfig]:
        """Return the entries of a file by the names of what they are below of."""
        return configuration.owned.get(self.key, {})

    def resolve(self, desired: DesiredStateBuilder) -> None:
        """Enter the objects of the file, and what it owns; nothing where VPP lacks what has them."""
        configuration = desired.configuration
        for entry in self.entries_in(configuration).values():
            objects = list(self.objects_for(entry, desired))
            if objects and not self._is_possible(entry, desired):
                continue
            scope = self.scope_of(entry, configuration)
            desired.owned |= {(object_class.table, scope) for object_class in self.object_classes}
            for each in objects:
                desired.enter(each)

    def _is_possible(self, entry: OwnedConfig, desired: DesiredStateBuilder) -> bool:
        if self.plugin:
            return desired.has_plugin(self.plugin, entry.path, self.reason, since=self.since)
        return desired.is_since(self.since, entry.path, self.reason)

    def from_state(self, state: State, unmanaged: Unmanaged) -> dict[str, dict[str, OwnedConfig]]:
        """Return the entries for all that VPP has, but below interfaces and bridge domains that are left alone."""
        state = self._without_outward(state, unmanaged)
        kept = (each for each in self.values_in(state) if not _has_no_entry(each[0], each[1], state, unmanaged))
        found = {
            name: self._entry(holder, name, (*_path_of(holder, name, state), self.key), value)
            for holder, name, value in sorted(kept, key=lambda each: natural_key(each[1]))
            if (*_path_of(holder, name, state), self.key) not in unmanaged.keys
        }
        return {self.key: found} if found else {}

    def _without_outward(self, state: State, unmanaged: Unmanaged) -> State:
        """Return a state without all of a scope of which one object refers to what is left alone."""
        lost = {
            each.scope
            for object_class in self.object_classes
            for each in state.of(object_class).values()
            if any(_is_out(one, state, unmanaged) for one in each.references())
        }
        if not lost:
            return state
        kept = {
            object_class: {name: each for name, each in state.of(object_class).items() if each.scope not in lost}
            for object_class in self.object_classes
        }
        return replace(state, objects={**state.objects, **kept})

    def yaml_entries(self, configuration: Configuration) -> Iterator[YamlEntry]:
        """Yield what stands at the top of the file; the sections of interfaces and the like have the rest."""
        entry = self.entries_in(configuration).get("")
        if entry is not None and entry.holder is KeyHolder.FILE:
            keys = entry.yaml.value if isinstance(entry.yaml.value, tuple) else (entry.yaml,)
            yield YamlEntry(path=(self.key,), name=self.key, keys=keys)

    def lines(self, configuration: Configuration, reasons: Mapping[str, str]) -> Iterator[str]:
        entry = self.entries_in(configuration).get("")
        if entry is not None and entry.holder is KeyHolder.FILE:
            yield from key_lines([entry.yaml])


def _is_out(reference: Reference, state: State, unmanaged: Unmanaged) -> bool:
    """Return whether the file leaves alone what an object refers to."""
    name = reference.name
    if reference.referent is Referent.INTERFACE:
        return name in state.interfaces and unmanaged.covers(name, state)
    return reference.referent is Referent.TABLE and name in unmanaged.of("vrfs")


def _given_in(parsing: Parsing) -> Mapping[str, list[_Given]]:
    """Return all such keys of a file by key, found in one walk through it."""
    if parsing.owning_keys is None:
        found: dict[str, list[_Given]] = {}
        for holder, name, path, entry in _entries(parsing.content):
            for key in _KEYS.intersection(entry):
                if entry[key] is not None:
                    found.setdefault(key, []).append(_Given(holder, name, (*path, key), entry[key]))
        parsing.owning_keys = found
    return parsing.owning_keys


def _entries(content: Mapping[Any, Any]) -> Iterator[tuple[KeyHolder, str, KeyPath, Mapping[Any, Any]]]:
    """Yield all that can have such a key: the file, its entries and sub-interfaces."""
    yield KeyHolder.FILE, "", (), content
    for section, entries in content.items():
        holder = _HOLDERS.get(section, KeyHolder.TUNNEL)
        for name, entry in entries.items() if isinstance(entries, dict) else ():
            if not isinstance(entry, dict):
                continue
            yield holder, str(name), (section, name), entry
            children = entry.get(_CHILDREN) if holder is KeyHolder.INTERFACE else None
            for sub_id, child in children.items() if isinstance(children, dict) else ():
                if isinstance(child, dict):
                    yield holder, f"{name}.{sub_id}", (section, name, _CHILDREN, sub_id), child


def _path_of(holder: KeyHolder, name: str, state: State) -> KeyPath:
    """Return the path of the entry of what an object of a state depends on."""
    if holder is KeyHolder.INTERFACE:
        interface = state.interfaces[name]
        if interface.parent is not None:
            return (_INTERFACES, interface.parent, _CHILDREN, interface.sub_id)
        return (_LOOPBACKS if interface.kind is InterfaceKind.LOOPBACK else _INTERFACES, name)
    if holder is KeyHolder.TUNNEL:
        return (f"{state.interfaces[name].kind.value}_tunnels", name)
    sections = {KeyHolder.VRF: "vrfs", KeyHolder.BRIDGE: "bridgedomains"}
    return () if holder is KeyHolder.FILE else (sections[holder], name)


def _has_no_entry(holder: KeyHolder, name: str, state: State, unmanaged: Unmanaged) -> bool:
    """Return whether no entry of what an object depends on is written, because of its name or of a part of a state."""
    if holder in (KeyHolder.INTERFACE, KeyHolder.TUNNEL):
        return name not in state.interfaces or unmanaged.covers(name, state)
    return holder is KeyHolder.BRIDGE and (name not in state.bridges or name in unmanaged.of("bridges"))


def vrf_of_table(table_id: int, state: State, *, is_ipv6: bool) -> tuple[KeyHolder, str] | None:
    """Return what a key about a FIB table of a state stands below: a VRF, or the file; None where no file names it."""
    if not table_id:
        return KeyHolder.FILE, ""
    table = state.vrfs.get(table_key(table_id, is_ipv6=is_ipv6))
    return None if table is None or table.is_unnamed else (KeyHolder.VRF, table.name)
