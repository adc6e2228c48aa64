"""The base of kinds that have a table of `State` and a section of the file: bridge domains and access lists."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Generic, Protocol, TypeVar, cast

from vppcfg.engine.kind import Kind
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.section import NamedSection
from vppcfg.model.interface import Interface
from vppcfg.model.ownership import is_foreign
from vppcfg.model.state import State
from vppcfg.operations.change import Change, ObjectKind, table_changes
from vppcfg.operations.request import Known
from vppcfg.operations.working_state import WorkingState
from vppcfg.wire.reading import Replies, VppReader


class Tagged(Protocol):
    """An object whose tag names its owner."""

    @property
    def tag(self) -> str:
        """Return VPP's tag, whole."""


T = TypeVar("T", bound=Tagged)


class TableKind(Kind, NamedSection, Generic[T]):
    """One such kind; `T` is the record of an object."""

    table: ClassVar[str]
    """The attribute of State, and of whatever has such tables, and the key in state documents."""
    object_class: ClassVar[type[Any]]
    """The class of its objects."""
    object_kind: ClassVar[ObjectKind]
    noun: ClassVar[str]
    """What one is called in messages."""
    is_always_in_documents: ClassVar[bool] = True
    """Whether state documents have the table even when it is empty."""
    unmanaged_pattern: ClassVar[str]
    """What covers all of the kind below `unmanaged`."""
    mistaken_patterns: ClassVar[tuple[str, ...]]
    """What operators write below `unmanaged` when they mean all of the kind."""
    used_in: ClassVar[tuple[str, ...]]
    """The attributes of `Interface` by which interfaces use them."""

    @abstractmethod
    def unmanaged_name(self, name: str, item: T) -> str:
        """Return what patterns below `unmanaged` call an observed object."""

    @abstractmethod
    def unsupported_reason(self, name: str, item: T) -> str | None:
        """Return why no file can express an observed object, None when one can."""

    @abstractmethod
    def used_by(self, interface: Interface, state: State) -> Iterable[str]:
        """Return the names of those that an interface uses."""

    @abstractmethod
    def use(self, name: str) -> str:
        """Return, as a clause about an interface, how it uses one."""

    @abstractmethod
    def copy_unmanaged(self, desired: DesiredStateBuilder) -> None:
        """Enter as they are the observed objects that plans must not touch."""

    @abstractmethod
    def users(self, name: str, working: WorkingState) -> Collection[str]:
        """Return the interfaces whose traffic one affects."""

    @abstractmethod
    def read(self, connection: VppReader, replies: Replies, known: Known) -> Mapping[str, T]:
        """Return the objects of VPP by name."""

    def unsupported_use(self, interface: Interface, state: State) -> str | None:
        """Return, as a clause about an interface, why no file can express how it uses them; None when one can."""
        return None

    def in_state(self, state: State) -> Mapping[str, T]:
        """Return the objects of a state by name."""
        return cast(Mapping[str, T], getattr(state, self.table))

    def is_not_ours(self, name: str, item: T, is_unmanaged: Callable[[str], bool]) -> bool:
        """Return whether no plan may touch an object."""
        return is_foreign(item.tag) or is_unmanaged(self.unmanaged_name(name, item))

    def changes(self, observed: State, desired: State) -> Iterator[Change[Any]]:
        """Yield what appears, changes and disappears."""
        return table_changes(self.object_kind, self.in_state(observed), self.in_state(desired))


AnyTable = TableKind[Any]
