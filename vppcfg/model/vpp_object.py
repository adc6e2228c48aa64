"""Objects of VPP that are no interfaces, such as routes: one machinery compares, plans, proves and undoes all kinds.

A kind is a subclass of `VppObject` here or in its module of `kinds/`, and a subclass of `ObjectKind` there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import ClassVar, NamedTuple, TypeVar

from vppcfg.record import record


class Referent(Enum):
    """What an object can refer to."""

    INTERFACE = "interface"
    TABLE = "table"
    """A FIB table, by its key; the default ones are always there and nobody refers to them."""


class Reference(NamedTuple):
    """What must be there before an object is, and goes after it."""

    referent: Referent
    name: str

    def __str__(self) -> str:
        return self.name


@record
class VppObject:
    """One object. Two that are equal are the same configuration; a change of VPP's indexes is none."""

    noun: ClassVar[str]
    """What one is called in messages and in JSON documents."""
    table: ClassVar[str]
    """The key of the table that holds all of the kind in state documents."""
    carries_traffic: ClassVar[bool] = True
    """Whether traffic is lost when one goes or changes."""
    lost: ClassVar[str] = ""
    """What traffic loses with one for good, behind `its` and `their`, such as `next hops`; '' for the object itself."""

    @property
    def name(self) -> str:
        """Return what tells it from others of its kind, as an operator would write it."""
        raise NotImplementedError(type(self).__name__)

    def references(self) -> Iterator[Reference]:
        """Yield what it refers to: from this follow its order, its recreation and what a plan reports as lost."""
        yield from ()


Objects = Mapping[type[VppObject], Mapping[str, VppObject]]
"""Objects by kind and name; a kind without any has no entry."""
T = TypeVar("T", bound=VppObject)


def by_name(objects: Iterable[T]) -> dict[str, T]:
    """Return objects of one kind by their names."""
    return {each.name: each for each in objects}


def without_empty(objects: Mapping[type[VppObject], Mapping[str, VppObject]]) -> Objects:
    """Return objects by kind, without the kinds that have none."""
    return {kind: dict(found) for kind, found in objects.items() if found}
