"""A parsed file, and the index of it that every rule is given: parents, children, members and users of its entries."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol, TypeVar

from vppcfg.entries.configuration import BridgeConfig, Configuration, InterfaceConfig, VirtualInterfaceConfig
from vppcfg.entries.virtual_interface_section import VirtualInterfaceSection
from vppcfg.model.problem import KeyPath, Problem, Severity
from vppcfg.record import record

_T = TypeVar("_T")
TagKey = tuple[str, bool, int]
"""Parent, whether the outer tag is 802.1ad, outer VLAN id."""


@record
class Parsed:
    """The outcome of parsing a file."""

    configuration: Configuration
    """The valid entries."""
    broken: frozenset[str] = frozenset()
    """Names of the interfaces and loopbacks that the file has but `configuration` lacks."""
    broken_entries: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The same for the entries of other sections, by section."""
    lost_sections: frozenset[str] = frozenset()
    """Sections of which nothing at all is known."""
    problems: tuple[Problem, ...] = ()
    is_cut: bool = False
    """Whether there are more problems than these."""


class PlacedEntry(Protocol):
    """An entry of a section with names."""

    @property
    def path(self) -> KeyPath:
        """Return where it stands in the file."""


@record
class Index:
    """What every rule is given. Nothing in it is to be changed."""

    configuration: Configuration
    interfaces: Sequence[InterfaceConfig] = ()
    sub_interfaces: Sequence[InterfaceConfig] = ()
    broken: frozenset[str] = frozenset()
    """Interfaces that the file has, with problems of their own, about which nothing else is known."""
    broken_parents: frozenset[str] = frozenset()
    """Interfaces of which a sub-interface is broken."""
    children: Mapping[str, Sequence[InterfaceConfig]] = field(default_factory=dict)
    """Sub-interfaces by parent; an interface without any is not in it."""
    sources: Mapping[str, Sequence[InterfaceConfig]] = field(default_factory=dict)
    """Interfaces by the l2xc target that they name."""
    one_tag: Mapping[TagKey, InterfaceConfig] = field(default_factory=dict)
    """The first sub-interface with one tag, by that tag."""
    bridges: Mapping[str, Sequence[BridgeConfig]] = field(default_factory=dict)
    """Bridge domains by the members that they name."""
    bvi_bridges: Mapping[str, Sequence[BridgeConfig]] = field(default_factory=dict)
    """Bridge domains by the BVI that they name."""
    bonds: Mapping[str, Sequence[VirtualInterfaceConfig]] = field(default_factory=dict)
    """Bonds by the members that they name."""
    broken_entries: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By section: entries other than interfaces that the file has, with problems of their own."""
    lost_sections: frozenset[str] = frozenset()
    """Sections of which nothing is known."""
    is_mended: bool = False
    """Whether anything of a wrong shape was left out."""

    @property
    def is_whole(self) -> bool:
        """Return whether everything in the file is known, so that what is not found in it is missing."""
        return not (self.is_mended or self.broken or self.lost_sections or any(self.broken_entries.values()))

    @property
    def names(self) -> Collection[str]:
        """Return the names of the sound interfaces."""
        return self.configuration.interfaces.keys()

    def find(self, name: str | None) -> InterfaceConfig | None:
        """Return the sound interface `name`."""
        return None if name is None else self.configuration.interfaces.get(name)

    def has(self, name: str) -> bool:
        """Return whether the file has an interface `name`, sound or not."""
        return name in self.configuration.interfaces or name in self.broken or "interfaces" in self.lost_sections

    def has_entry(self, section: str, name: str, sound: Mapping[str, object]) -> bool:
        """Return whether the file has an entry `name` in a section, of which `sound` holds the sound ones."""
        return name in sound or name in self.broken_entries.get(section, ()) or section in self.lost_sections

    def unused(
        self, rule: str, entries: Mapping[str, PlacedEntry], used: Collection[str | None], words: str
    ) -> Iterator[Problem]:
        """Yield a notice for each entry that nothing in the file uses; none while some of the file is unknown."""
        for name, entry in entries.items() if self.is_whole else ():
            if name not in used:
                yield Problem(rule=rule, path=entry.path, text=f"{words} {name}", severity=Severity.NOTICE)

    def creates(self, section: VirtualInterfaceSection[Any, Any], name: str) -> bool:
        """Return whether the file has an entry `name` in a section of interfaces that VPP makes, sound or not."""
        is_sound = section.is_entry(self.configuration.virtual.get(name))
        return is_sound or self.has_entry(section.key, name, {})

    def why_switched(self, name: str) -> str | None:
        """Return what puts an interface into L2 mode, None when it routes."""
        interface = self.find(name)
        if interface is not None and interface.l2xc is not None:
            return "is cross-connected"
        if name in self.sources:
            return f"is the target of the cross-connect of {self.sources[name][0].name}"
        return f"is a member of {self.bridges[name][0].name}" if name in self.bridges else None

    def one_tag_parent(self, interface: InterfaceConfig) -> InterfaceConfig | None:
        """Return the one-tag sub-interface with the same outer tag as a two-tag one."""
        tags = interface.encapsulation
        if interface.parent is None or tags is None or tags.inner is None:
            return None
        return self.one_tag.get((interface.parent, tags.is_dot1ad, tags.outer))


def index_of(parsed: Parsed, *, is_mended: bool = False) -> Index:
    """Return the index of a parsed file, in one pass over it."""
    interfaces = tuple(parsed.configuration.interfaces.values())
    children: dict[str, list[InterfaceConfig]] = {}
    sources: dict[str, list[InterfaceConfig]] = {}
    one_tag: dict[TagKey, InterfaceConfig] = {}
    for interface in interfaces:
        if interface.l2xc is not None:
            sources.setdefault(interface.l2xc, []).append(interface)
        tags = interface.encapsulation
        if interface.parent is not None and tags is not None:
            children.setdefault(interface.parent, []).append(interface)
            if tags.inner is None:
                one_tag.setdefault((interface.parent, tags.is_dot1ad, tags.outer), interface)
    configuration = parsed.configuration
    return Index(
        configuration=configuration,
        interfaces=interfaces,
        sub_interfaces=tuple(child for family in children.values() for child in family),
        broken=parsed.broken,
        broken_parents=frozenset(name.rpartition(".")[0] for name in parsed.broken),
        children=children,
        sources=sources,
        one_tag=one_tag,
        bridges=_by_member((bridge, bridge.members) for bridge in configuration.bridges.values()),
        bvi_bridges=_by_member((bridge, (bridge.bvi,)) for bridge in configuration.bridges.values() if bridge.bvi),
        bonds=_by_member((bond, bond.members) for bond in configuration.virtual.values()),
        broken_entries=parsed.broken_entries,
        lost_sections=parsed.lost_sections,
        is_mended=is_mended,
    )


def _by_member(groups: Iterable[tuple[_T, Iterable[str]]]) -> dict[str, list[_T]]:
    """Return the groups that each member is named by, as often as it is."""
    found: dict[str, list[_T]] = {}
    for group, members in groups:
        for member in members:
            found.setdefault(member, []).append(group)
    return found
