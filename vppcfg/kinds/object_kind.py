"""What kinds of objects that are no interfaces have alike: how they are set, removed and read back."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from vppcfg.kinds.kind import Kind
from vppcfg.model.state import State
from vppcfg.model.vpp_object import Hidden, VppObject, is_owned
from vppcfg.model.vrf import FibTable
from vppcfg.plan.change import Change, ObjectKind, table_changes
from vppcfg.plan.impact_level import Impact
from vppcfg.plan.object_operation import RemoveObject, SetObject
from vppcfg.vpp.reading import Replies, VppReader

T = TypeVar("T", bound=VppObject)


class Felt(NamedTuple):
    """What traffic to an object feels for good."""

    name: str
    impact: Impact
    what: str
    """A word of `VppObject.felt`."""
    needs: frozenset[str]
    """What it depends on before or after, by name: who changes that is the cause."""


class VppObjectKind(Kind, Generic[T]):
    """One kind of object. Its section enters what the file wants into `DesiredState.objects`."""

    thing: ClassVar[type[Any]]
    """The class of its objects."""
    has_own_steps: ClassVar[bool] = False
    """Whether its steps come from `setting_steps`, because their order follows from more than their references."""

    sees_hosts: ClassVar[bool] = True
    """Whether `read` is given host sides of LCP pairs by name: not where linux-cp has objects to each of them."""
    has_account: ClassVar[bool] = False
    """Whether `felt` knows what traffic feels; of other kinds each operation counts."""

    @abstractmethod
    def set(self, thing: T) -> SetObject:
        """Return the operation that creates an object, or replaces the one of its name."""

    @abstractmethod
    def remove(self, thing: T) -> RemoveObject:
        """Return the operation that removes an object."""

    @abstractmethod
    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterable[T]:
        """Return the objects that are ours, or that the file decides about.

        `names` are the interfaces by index, `tables` all FIB tables, the default ones too.
        """

    def is_left_alone(self, thing: T) -> bool:
        """Return whether an object is somebody else's: it stays as it is observed, whatever state is wanted."""
        return False

    def finish(self, state: State) -> State:
        """Return an observed state with the objects of the kind as they are beside all others."""
        return state

    def disturbed(self, before: Mapping[str, T], after: Mapping[str, T]) -> frozenset[str]:
        """Return the objects that stay and that VPP breaks on the way: they are removed and set again."""
        return frozenset()

    def changes(self, observed: State, desired: State) -> Iterator[Change[Any]]:
        """Yield the objects that appear, change and disappear."""
        wanted, found = (
            {name: each for name, each in state.of(self.thing).items() if not self.is_left_alone(each)}
            for state in (desired, observed)
        )
        ours = {name: each for name, each in found.items() if name in wanted or is_owned(each, desired.owned)}
        return table_changes(ObjectKind.OBJECT, ours, wanted)

    def felt(self, before: State, after: State, linked: tuple[Collection[str], Collection[str]]) -> Iterable[Felt]:
        """Yield what traffic feels between two states, whose interfaces with link are known."""
        return ()

    def is_in_use(self, connection: VppReader, replies: Replies) -> bool:
        """Return whether VPP may have objects of ours that it does not show."""
        return False

    def hidden(self, connection: VppReader, things: Sequence[T], names: Mapping[int, str]) -> Iterable[Hidden]:
        """Yield those of objects that VPP does not show, since it goes by another one, and what it keeps of ours."""
        return ()


AnyObjectKind = VppObjectKind[Any]
