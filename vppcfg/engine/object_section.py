"""The base of sections whose entries are named objects of VPP that are no interfaces, such as neighbour tables.

Objects of VPP bear no mark, so that the section is what owns them: while a file lacks it, they stay as they are; with
it, even empty, VPP has those of the file and no others.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from vppcfg.common.names import natural_key
from vppcfg.engine.object_kind import VppObjectKind
from vppcfg.entries.configuration import Configuration
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.section import NamedSection, Parsing, Unmanaged
from vppcfg.model.state import State
from vppcfg.model.vpp_object import Referent, VppObject, all_of

T = TypeVar("T", bound=VppObject)
E = TypeVar("E")


class ObjectSection(VppObjectKind[T], NamedSection, Generic[T, E]):
    """A kind of object with such a section; `E` is an entry of it."""

    attribute = "entries"
    entry_schema: tuple[str, ...] = ()
    """The lines of schema/vppcfg.yaml for an entry."""

    @abstractmethod
    def to_object(self, entry: E, configuration: Configuration) -> T | None:
        """Return the object that an entry defines, None where the entry is wrong in a way that a rule finds."""

    @abstractmethod
    def entry_of(self, item: T, state: State) -> tuple[str, E] | None:
        """Return the name of the entry for an object, and the entry; None where no file can have it."""

    def schema_sections(self) -> Mapping[str, str]:
        return {self.key: f"map(include('{self.key}', required=False), required=False)"}

    def schema_parts(self) -> Mapping[str, tuple[str, ...]]:
        return {self.key: self.entry_schema}

    def parse(self, parsing: Parsing) -> dict[str, Any]:
        """Return the sound entries by name, below the key of the section; nothing where the file lacks it."""
        sound = NamedSection.parse(self, parsing)
        return {self.key: sound} if self.key in parsing.content else {}

    def entries_in(self, configuration: Configuration) -> Mapping[str, E]:
        return configuration.entries.get(self.key, {})

    def resolve(self, desired: DesiredStateBuilder) -> None:
        """Enter the objects of the file, and those that depend on interfaces that it leaves alone."""
        if self.key not in desired.configuration.entries:
            return
        desired.owned |= all_of(self.object_class)
        observed: Iterable[T] = desired.observed.of(self.object_class).values()
        for item in observed:
            if _is_unmanaged(item, desired):
                desired.enter(item)
        for entry in self.entries_in(desired.configuration).values():
            new = self.to_object(entry, desired.configuration)
            if new is not None:
                desired.enter(new)

    def from_state(self, state: State, unmanaged: Unmanaged) -> dict[str, dict[str, E]] | None:
        """Return the entries for what VPP has, without what depends on interfaces that are left alone."""
        items: list[T] = [
            item
            for item in state.of(self.object_class).values()
            if not any(unmanaged.covers(name, state) for name in _interfaces_of(item))
        ]
        found = (self.entry_of(item, state) for item in sorted(items, key=lambda item: natural_key(item.name)))
        entries = dict(each for each in found if each is not None)
        return {self.key: entries} if entries else None


def _is_unmanaged(item: VppObject, desired: DesiredStateBuilder) -> bool:
    """Return whether an object depends on an interface that the file leaves alone."""
    return any(map(desired.globs.matches, _interfaces_of(item)))


def _interfaces_of(item: VppObject) -> Iterator[str]:
    return (each.name for each in item.references() if each.referent is Referent.INTERFACE)
