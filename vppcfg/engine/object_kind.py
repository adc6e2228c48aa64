"""The base of kinds of objects that are no interfaces: how they are set, removed and read back."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from vppcfg.engine.kind import Kind
from vppcfg.model.state import State
from vppcfg.model.vpp_object import HiddenObject, Reference, Referent, VppObject, is_owned
from vppcfg.model.vrf import FibTable, ForeignRoutes
from vppcfg.operations.change import Change, Impact, ObjectKind, table_changes
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.operations.operation import Operation
from vppcfg.operations.stages import Stage
from vppcfg.wire.reading import Replies, VppReader

T = TypeVar("T", bound=VppObject)


class TrafficImpact(NamedTuple):
    """The lasting impact on traffic of one object."""

    name: str
    impact: Impact
    what: str
    """A key of `VppObject.impact_verbs`."""
    needs: frozenset[str]
    """The names of what it depends on before or after: an operation that changes one of them is the cause."""
    interfaces: frozenset[str] = frozenset()
    """Whose packets suffer, beside those of the interface that is the object's scope."""


class InFileForm(NamedTuple):
    """A state with what scripts have set as a file sets it."""

    state: State
    others: frozenset[tuple[str, str]] = frozenset()
    """Kinds and names of what others have that the state has so."""
    reasons: Mapping[str, str] = {}
    """By interface: why no file can have what is there."""


class VppObjectKind(Kind, Generic[T]):
    """One kind of object. Its section enters the objects of the file into `DesiredStateBuilder.objects`."""

    object_class: ClassVar[type[Any]]
    """The class of its objects."""
    has_own_steps: ClassVar[bool] = False
    """Whether its steps come from `setting_steps`, because their order follows from more than their references."""

    set_stage: ClassVar[Stage] = Stage.SET_OBJECT
    """When a plan sets one, new or changed."""
    sees_hosts: ClassVar[bool] = True
    """Whether `read` is given host sides of LCP pairs by name: not where linux-cp has objects to each of them."""
    counts_operations: ClassVar[bool] = True
    """Whether each operation on an object that was there is an impact, beside those of `traffic_impacts`."""

    @abstractmethod
    def set(self, item: T) -> SetObject:
        """Return the operation that creates an object, or replaces the one of its name."""

    @abstractmethod
    def remove(self, item: T) -> RemoveObject:
        """Return the operation that removes an object."""

    @abstractmethod
    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Sequence[FibTable]
    ) -> Iterable[T]:
        """Return the objects that are ours, or that the file decides about.

        `names` are the interfaces by index, `tables` all FIB tables, the default ones too.
        """

    def is_of_others(self, item: T) -> bool:
        """Return whether an object belongs to another program: it stays as observed, whatever the desired state."""
        return False

    def removal(self, item: T, *, with_table: bool) -> Sequence[Operation]:
        """Return what removes an object and leaves nothing of it; a FIB table that it refers to may be deleted next."""
        return (self.remove(item),)

    def finish(self, state: State) -> State:
        """Return an observed state whose objects of this kind are completed from all the others."""
        return state

    def disturbed(self, before: Mapping[str, T], after: Mapping[str, T]) -> frozenset[str]:
        """Return the objects that stay, but that VPP breaks during the change: they are recreated."""
        return frozenset()

    def changes(self, observed: State, desired: State) -> Iterator[Change[Any]]:
        """Yield the objects that appear, change and disappear, but for those that VPP keeps anyway."""
        after, found = (
            {name: each for name, each in state.of(self.object_class).items() if not self.is_of_others(each)}
            for state in (desired, observed)
        )
        ours = {
            name: each
            for name, each in found.items()
            if name in after or (is_owned(each, desired.owned) and not each.is_permanent)
        }
        return table_changes(ObjectKind.OBJECT, ours, after)

    def traffic_impacts(
        self, before: State, after: State, linked: tuple[Collection[str], Collection[str]]
    ) -> Iterable[TrafficImpact]:
        """Yield the impact on traffic between two states; `linked` are the interfaces with link in each of them.

        Asked of kinds whose `impact_verbs` have words for it.
        """
        return ()

    def removes_routes(self, routes: ForeignRoutes, operations: Sequence[Operation], observed: State) -> bool:
        """Return whether the routes of a FIB table that a plan deletes go with objects of the kind before."""
        table = Reference(Referent.TABLE, routes.table.key)
        is_its_own = routes.source in self.object_class.fib_sources
        return is_its_own and any(table in each.references() for each in observed.of(self.object_class).values())

    def holders(self, items: Collection[T], state: State) -> Iterable[str]:
        """Return the interfaces whose entries set these objects, beside those that the objects refer to."""
        return ()

    def is_in_use(self, connection: VppReader, replies: Replies) -> bool:
        """Return whether VPP may have objects of ours that it does not show."""
        return False

    def hidden(self, connection: VppReader, items: Sequence[T], names: Mapping[int, str]) -> Iterable[HiddenObject]:
        """Yield the objects that VPP hides because another one is in effect, and what it keeps of ours."""
        return ()

    def in_file_form(self, connection: VppReader, state: State, names: Mapping[int, str]) -> InFileForm:
        """Return a state with the objects of scripts as a file sets them, where it can."""
        return InFileForm(state)


AnyObjectKind = VppObjectKind[Any]
