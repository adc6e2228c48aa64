"""The base of sections whose entries are interfaces that VPP makes on demand, such as tunnels, bonds and TAPs.

A kind is a subclass, in a module of its own, and a line in the list of sections; `model/kinds` lists the same kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar, Generic, NamedTuple, TypeGuard, TypeVar

from vppcfg.common.names import natural_key
from vppcfg.common.release import OLDEST, Release
from vppcfg.entries.configuration import DEFAULT_MTU, Configuration, KeyHolder, VirtualInterfaceConfig
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.section import NamedSection, Naming, Parsing, SectionEntry, Unmanaged, described, numbered
from vppcfg.entries.yaml.text import KeyValue
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.problem import Problem
from vppcfg.model.state import State
from vppcfg.model.virtual_interface import VirtualInterface

_Config = TypeVar("_Config", bound=VirtualInterfaceConfig)
_Virtual = TypeVar("_Virtual", bound=VirtualInterface)


class Plugin(NamedTuple):
    """The plugin of VPP that has the objects of a section."""

    name: str
    """Without _plugin.so."""
    reason: str
    """Why a file needs it."""
    use: str | None = None
    """What an object is that needs it, as `NAME is ...`; None when VPP is not asked for the plugin before a plan."""
    is_needed_by: Callable[[Any], bool] = lambda config: True
    """Returns whether an entry needs it."""
    since: Release = OLDEST
    """Before, what it does was part of VPP itself."""


class Part(NamedTuple):
    """Something that the plugin of a section has from some release on only; VPP is asked for it before a plan."""

    name: str
    """As in the facts of a VPP, among its plugins."""
    use: str
    """What an object that needs it is like, as `NAME ...`."""
    since: Release
    is_needed_by: Callable[[Any], bool]
    """Returns whether an entry needs it."""


class VirtualInterfaceSection(NamedSection, Generic[_Config, _Virtual]):
    """The section of one kind. A kind defines the methods that have no body here."""

    attribute = "virtual"
    has_interfaces = True
    holder = KeyHolder.TUNNEL
    word: str = ""
    """An interface of the kind is called this and a number; '' where names are of another form."""
    last: int = 0
    """The largest number."""
    noun: str
    """What an operator calls one, without the article."""
    config: type[_Config]
    virtual: type[_Virtual]
    plugin: Plugin | None = None
    parts: tuple[Part, ...] = ()
    needs_interface = False
    """Whether an entry makes no sense without one below `interfaces`; otherwise it is made and left as it is."""
    can_join_bond = False
    default_mtu = DEFAULT_MTU
    """Bytes; what an entry below `interfaces` without `mtu` means."""
    exclusive_class: ClassVar[str] = ""
    """The device class of ports that other programs created, where there are no others of the class."""
    ethernet_hint = ""
    """Which change gives one Ethernet that has none, as the end of a sentence."""
    assumed: ClassVar[Mapping[str, tuple[Any, Any]]] = {}

    def parse_entry(self, entry: SectionEntry, parsing: Parsing) -> _Config | Problem:
        """Parse a valid entry, or return its Problem."""
        raise NotImplementedError

    def to_desired(self, config: _Config, before: _Virtual | None, desired: DesiredStateBuilder) -> _Virtual:
        """Return what VPP is to make, given what it has made under that name, and what is wanted beside it."""
        raise NotImplementedError

    def unsupported_reason(self, virtual: _Virtual) -> str | None:
        """Return why no entry can express what VPP has created, None when one can."""
        return None

    def may_remove(self, virtual: _Virtual) -> bool:
        """Return whether a plan may remove one that the file does not name; if not, it is left as it is."""
        return True

    def needs_mark(self, virtual: _Virtual) -> bool:
        """Return whether a plan removes one that the file does not name only where a file has made it.

        That is so of what earlier releases left alone.
        """
        return False

    def virtual_from_state(self, name: str, virtual: _Virtual, state: State) -> _Config:
        """Return the entry of what VPP has created."""
        raise NotImplementedError

    def named(self, virtual: _Virtual, former: VirtualInterfaceConfig) -> _Virtual:
        """Return what VPP has made with the names that `former`, the entry of that interface in a file, has for it."""
        return virtual

    def adoption_conflict(self, name: str, observed: State, desired: _Virtual) -> str | None:
        """Return why a port of this name that VPP has, and no file has made, cannot become that of the file."""
        found = observed.virtual_of(name, self.virtual)
        if found is None:
            return f"no {self.noun}"
        differing = [
            attribute
            for attribute in self.virtual.recreate_on_change
            if getattr(found, attribute) != getattr(desired, attribute)
        ]
        return f"one with another {differing[0].replace('_', ' ')}" if differing else None

    def completed(self, entry: _Config) -> _Config:
        """Return an entry of a dump with placeholders for required values that VPP does not read back."""
        return entry

    def creating_in_linux(
        self, entry: _Config, namespaces: Collection[str], bridges: Collection[tuple[str, str]]
    ) -> _Config:
        """Return an entry that also creates these namespaces and bridges of Linux, where it names one."""
        return entry

    def to_yaml_keys(self, entry: _Config) -> Iterator[KeyValue]:
        """Yield what an entry sets but for its description."""
        raise NotImplementedError

    @property
    def kind(self) -> InterfaceKind:
        """Return what an interface of this section is."""
        return self.virtual.kind

    @cached_property
    def naming(self) -> Naming:  # type: ignore[override]  # from the attributes
        """Return what entries are called."""
        return numbered(self.word, 0, self.last, noun=self.noun, rule=self.rule("id"))

    def rule(self, what: str) -> str:
        """Return the name of a rule about the kind, such as vxlan-undefined."""
        return f"{self.kind.value}-{what}"

    @property
    def asked_plugin(self) -> Plugin | None:
        """Return the plugin that VPP is asked for before a plan."""
        return self.plugin if self.plugin is not None and self.plugin.use is not None else None

    def resolve(self, desired: DesiredStateBuilder) -> None:
        """Enter the objects of the file that belong to no other program and whose plugin VPP runs."""
        for name, config in self.entries_in(desired.configuration).items():
            if name not in desired.interfaces and self._is_possible(config, desired):
                before = desired.observed.virtual_of(name, self.virtual)
                desired.virtual[name] = self.to_desired(config, before, desired)

    def _is_possible(self, config: _Config, desired: DesiredStateBuilder) -> bool:
        return self._has_plugin(config, desired) and self._has_parts(config, desired)

    def _has_plugin(self, config: _Config, desired: DesiredStateBuilder) -> bool:
        plugin = self.asked_plugin
        if plugin is None or not plugin.is_needed_by(config):
            return True
        return desired.has_plugin(plugin.name, config.path, f"{config.name} is {plugin.use}")

    def _has_parts(self, config: _Config, desired: DesiredStateBuilder) -> bool:
        found = [
            desired.has_part(part.name, part.since, config.path, f"{config.name} {part.use}")
            for part in self.parts
            if part.is_needed_by(config)
        ]
        return all(found)

    def unsupported_virtual(self, interface: Interface, state: State) -> str | None:
        """Return why no file can express how an observed interface of this kind was created."""
        virtual = state.virtual_of(interface.name, self.virtual)
        if virtual is None or not self.naming.is_name(interface.name):
            return f"VPP does not show how this {self.noun} is made"
        return self.unsupported_reason(virtual)

    def from_state(self, state: State, unmanaged: Unmanaged) -> dict[str, _Config]:
        """Return the entries of what VPP has created, in natural order."""
        virtual = state.virtual_as(self.virtual)
        ours = (name for name in virtual if name in state.interfaces and state.interfaces[name].kind is self.kind)
        names = sorted((name for name in ours if not unmanaged.covers(name, state)), key=natural_key)
        return {name: self.virtual_from_state(name, virtual[name], state) for name in names}

    def entry_keys(self, entry: _Config) -> Iterator[KeyValue]:
        """Yield what one entry sets, key by key."""
        yield from described(entry.description)
        for key in self.to_yaml_keys(entry):
            yield key._replace(is_set_at_creation=True)

    def entries_in(self, configuration: Configuration) -> dict[str, _Config]:
        return {name: entry for name, entry in configuration.virtual.items() if self.is_entry(entry)}

    def is_entry(self, entry: VirtualInterfaceConfig | None) -> TypeGuard[_Config]:
        """Return whether an entry is one of this section."""
        return isinstance(entry, self.config)
