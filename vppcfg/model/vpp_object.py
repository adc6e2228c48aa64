"""The base of objects of VPP that are no interfaces, such as routes: what comparing, planning and undoing need of them.

A kind is a subclass of `VppObject` here or in its module of `kinds/`, and a subclass of `ObjectKind` there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import ClassVar, NamedTuple, TypeVar

from vppcfg.common.release import Release
from vppcfg.record import record


class Referent(Enum):
    """What an object can refer to."""

    INTERFACE = "interface"
    TABLE = "table"
    """A FIB table, by its key; the default ones always exist and are not referred to."""
    BRIDGE = "bridge"
    OBJECT = "object"
    """Another object that is no interface, by `VppObject.label`."""


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
    is_replaceable: ClassVar[bool] = True
    """Whether VPP takes a changed one in place of the one of its name, which is removed before otherwise."""
    is_always_ours: ClassVar[bool] = False
    """Whether VPP shows which are those of files; of other kinds the file owns what it has a key for."""
    attachment_kinds: ClassVar[tuple[str, ...]] = ()
    """What those that no file owns are called among the attachments of other programs."""
    kinds_of_all: ClassVar[tuple[str, ...]] = ()
    """Those of `attachment_kinds` that apply to all interfaces together: the key at the top of a file owns them."""
    fib_sources: ClassVar[frozenset[str]] = frozenset()
    """The FIB sources by which VPP holds the tables that one refers to, until it is removed."""
    goes_with_table: ClassVar[bool] = False
    """Whether a plan removes one that the file in force set with the FIB table that it refers to."""
    is_permanent: ClassVar[bool] = False
    """Whether VPP cannot remove one: that it has more of them than wanted is no difference."""
    carries_traffic: ClassVar[bool] = True
    """Whether traffic is lost when one goes or changes."""
    needs_linux: ClassVar[bool] = False
    """Whether it works on what Linux has behind LCP pairs, so that a private VPP is without it."""
    impact_verbs: ClassVar[Mapping[str, tuple[str, str]]] = {}
    """The impact on traffic, as predicates of one and of many, by the words of the kind's own account."""
    is_named_with_noun: ClassVar[bool] = False
    """Whether a sentence names one by its noun too, as the name alone means nothing."""
    lost: ClassVar[str] = ""
    """What traffic loses with one for good, behind `its` and `their`, such as `next hops`; '' for the object itself."""

    @property
    def name(self) -> str:
        """Return what distinguishes it from others of its kind, as an operator would write it."""
        raise NotImplementedError(type(self).__name__)

    @property
    def label(self) -> str:
        """Return the noun of its kind, and its name."""
        return f"{self.noun} {self.name}"

    @property
    def scope(self) -> str:
        """Return what a file owns together: all of an interface, for example, by its name; '' for all of the kind."""
        return ""

    @property
    def since(self) -> Release | None:
        """Return the first release that can have it, if not all can: an older one may crash when it is set."""
        return None

    def references(self) -> Iterator[Reference]:
        """Yield what it refers to: from this follow its order, its recreation and what a plan reports as lost."""
        yield from ()


@record
class HiddenObject:
    """An object of ours that VPP does not list: another one shadows it, or VPP lists none of its kind."""

    item: VppObject
    """What was asked about."""
    by: str
    """The source in effect, in VPP's words: lcp-rt, interface; '' where it is ours. Or `OF_DELETED`, `OF_OTHERS`."""
    found: VppObject | None
    """What VPP keeps of ours, None for nothing."""


OF_DELETED = "deleted interface"
"""VPP has kept the object on an interface that was deleted, and would end when it is set on another one."""
OF_OTHERS = "another program"
"""VPP has an object of that name that another program has set, and that ours would replace."""
Objects = Mapping[type[VppObject], Mapping[str, VppObject]]
"""Objects by kind and name; a kind without any has no entry."""
T = TypeVar("T", bound=VppObject)


def by_name(objects: Iterable[T]) -> dict[str, T]:
    """Return objects of one kind by their names."""
    return {each.name: each for each in objects}


def without_empty(objects: Mapping[type[VppObject], Mapping[str, VppObject]]) -> Objects:
    """Return objects by kind, without the kinds that have none."""
    return {kind: dict(found) for kind, found in objects.items() if found}


def permanent_in(objects: Objects) -> Objects:
    """Return the objects that VPP cannot remove."""
    return {kind: found for kind, found in objects.items() if kind.is_permanent}


Ownership = frozenset[tuple[str, str]]
"""What a file owns of objects that bear no mark: the table of their kind, and their scope."""


def all_of(*kinds: type[VppObject]) -> Ownership:
    """Return what a file owns with a section for all objects of some kinds."""
    return frozenset((kind.table, "") for kind in kinds)


def owns_all(owned: Ownership, kind: type[VppObject]) -> bool:
    """Return whether a file decides about all objects of a kind."""
    return all_of(kind) <= owned


def is_owned(item: VppObject, owned: Ownership) -> bool:
    """Return whether plans may change an object."""
    return item.is_always_ours or (item.table, item.scope) in owned


def left_alone(objects: Objects, owned: Ownership) -> Iterator[VppObject]:
    """Yield the objects that plans must not change."""
    return (each for found in objects.values() for each in found.values() if not is_owned(each, owned))


def owned_of(objects: Objects, owned: Ownership) -> Objects:
    """Return the objects that plans may change."""
    return without_empty(
        {kind: {name: each for name, each in found.items() if is_owned(each, owned)} for kind, found in objects.items()}
    )


def has_object(objects: Mapping[type[VppObject], Mapping[str, VppObject]], label: str) -> bool:
    """Return whether there is an object with a label."""
    return any(
        label.startswith(f"{kind.noun} ") and label.removeprefix(f"{kind.noun} ") in found
        for kind, found in objects.items()
    )
