"""A Configuration with what rules look things up in: each interface's sub-interfaces, and who points to whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from vppcfg.config.parse import Parsed
from vppcfg.model.configuration import Configuration, InterfaceConfig

TagKey = tuple[str, bool, int]
"""Parent, whether the outer tag is 802.1ad, outer VLAN id."""


@dataclass(frozen=True, slots=True, kw_only=True)
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

    def find(self, name: str | None) -> InterfaceConfig | None:
        """Return the sound interface `name`."""
        return None if name is None else self.configuration.interfaces.get(name)

    def has(self, name: str) -> bool:
        """Return whether the file has an interface `name`, sound or not."""
        return name in self.configuration.interfaces or name in self.broken

    def one_tag_parent(self, interface: InterfaceConfig) -> InterfaceConfig | None:
        """Return the one-tag sub-interface with the same outer tag as a two-tag one."""
        tags = interface.encapsulation
        if interface.parent is None or tags is None or tags.inner is None:
            return None
        return self.one_tag.get((interface.parent, tags.is_dot1ad, tags.outer))


def index_of(parsed: Parsed) -> Index:
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
    return Index(
        configuration=parsed.configuration,
        interfaces=interfaces,
        sub_interfaces=tuple(child for family in children.values() for child in family),
        broken=parsed.broken,
        broken_parents=frozenset(name.rpartition(".")[0] for name in parsed.broken),
        children=children,
        sources=sources,
        one_tag=one_tag,
    )
