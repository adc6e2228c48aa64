"""The base of all kinds of objects, such as bonds and routes: what parsing, plans and reading VPP ask of each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

from vppcfg.entries.index import Index
from vppcfg.entries.section import Section
from vppcfg.model.attachment import Attachment
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.problem import Problem
from vppcfg.model.state import State
from vppcfg.operations.change import Change
from vppcfg.operations.feature import Feature
from vppcfg.operations.operation import Operation
from vppcfg.operations.request import Known
from vppcfg.operations.stages import Step
from vppcfg.operations.transition import Transition
from vppcfg.wire.reading import Replies, VppReader
from vppcfg.wire.shell import Shown

Rule = Callable[[Index], Iterator[Problem]]
"""What entries must be to each other: it takes the index of a file and yields problems; it never raises."""


V_co = TypeVar("V_co", covariant=True)


class Questions(Protocol[V_co]):
    """The second round of reading VPP: requests about single interfaces, which the first round has found."""

    @property
    def requests(self) -> Sequence[bytes]:
        """Return the requests."""

    def read(self, connection: VppReader, replies: Replies) -> Mapping[int, V_co]:
        """Return the values by interface index."""


class FatalLeftover(NamedTuple):
    """Why VPP would end at an operation: it has kept something of a deleted interface."""

    text: str
    hint: str
    """What an operator does to get rid of it."""


def taking_index(index: int) -> str:
    """Return, for a hint, what gives the index of a deleted interface to a new one."""
    until = f"until one has index {index} in `show interface`"
    return f"restart VPP, or type `create loopback interface` at its prompt {until}"


class Kind:
    """One kind of object. A subclass stands in a module of `kinds/`, and one object of it in the list `KINDS`."""

    key: str
    """Its key in the file: that of a section, or one in the entries of interfaces."""
    foreign_keys: ClassVar[tuple[str, ...]] = ()
    """What other products call it, in lower case and with hyphens: a file that has one of these gets a hint."""
    operations: ClassVar[tuple[type[Operation], ...]] = ()
    """Those that are its own."""
    rules: ClassVar[tuple[Rule, ...]] = ()
    rule_texts: ClassVar[str] = ""
    """The file with the texts of its rules, of a kind that another program adds; schema/rules.yaml has all others."""
    api_module: ClassVar[str] = ""
    """The file of API definitions with its messages, without .api.json."""
    numbered: ClassVar[str] = ""
    """What its objects are called where VPP numbers them and messages name these numbers; '' elsewhere."""
    on_interfaces: ClassVar[tuple[str, ...]] = ()
    """The attributes of `Interface` that `interface_steps` sets; without any it is not asked."""
    is_on_most: ClassVar[bool] = False
    """Whether most interfaces have it, such as addresses. Plans ask such a kind about every interface that changes, and
    the others only about interfaces that have anything of theirs."""
    own_attachments: ClassVar[frozenset[str]] = frozenset()
    """Kinds of attachments that other programs have of it, and that go otherwise than right before their holder."""
    nodes: ClassVar[str] = ""
    """The nodes of VPP's feature arcs that it turns on, as a regular expression; a node that no kind has is taken for
    another program's."""
    is_read_closely: ClassVar[bool] = False
    """Whether a VPP with many interfaces is asked for it only where it is known to be, or may be changed."""
    capabilities: ClassVar[Mapping[str, str]] = {}
    """Optional parts of VPP, each with the message whose presence shows it."""

    @property
    def family(self) -> str:
        """Return what is the same for kinds that are read together, each from what the others ask: NAT44's, for one.

        They stand in one folder of `kinds/`, or in modules whose names begin with the same word.
        """
        folder, _, module = type(self).__module__.rpartition(".")
        return module.partition("_")[0] if folder == "vppcfg.kinds" else folder

    def sections(self) -> tuple[Section, ...]:
        """Return its sections of the file: itself where it is one."""
        return (self,) if isinstance(self, Section) else ()

    def has_nodes_on(self, interface: Interface) -> bool:
        """Return whether an interface may have its nodes.

        A kind of objects that are no interfaces is not asked: their references name the interfaces.
        """
        return True

    def schema_sections(self) -> Mapping[str, str]:
        """Return the lines of schema/vppcfg.yaml for its sections, by their keys, where they follow from the kind."""
        return {}

    def schema_parts(self) -> Mapping[str, Sequence[str]]:
        """Return the lines of schema/vppcfg.yaml that follow from declared keys, by the name of their part."""
        return {}

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the requests for all objects of the kind, as far as VPP takes them."""
        return []

    def requests_about(self, connection: VppReader, replies: Replies, indexes: Sequence[int] | None) -> list[bytes]:
        """Return the requests about the interfaces at `indexes`, which are read closely; None for all there are.

        `replies` are those to `requests`.
        """
        return []

    def commands(self, connection: VppReader) -> list[str]:
        """Return the commands that show what no message of this VPP does."""
        return []

    def parts_present(self, connection: VppReader, shown: Shown) -> Iterable[str]:
        """Return the optional parts that this VPP has; `shown` is what commands printed."""
        return (part for part, message in self.capabilities.items() if connection.offers(message))

    def read_indexes(self, connection: VppReader) -> dict[str, int]:
        """Ask VPP for the number of every object by its name, where the kind is `numbered`."""
        return {}

    def read_settings(
        self, connection: VppReader, replies: Replies, tables: Collection[str], version: str
    ) -> dict[str, Any]:
        """Return what belongs to no interface, by attribute of `State`; `tables` are the FIB tables."""
        return {}

    def read_on_interfaces(
        self, connection: VppReader, replies: Replies, known: Known
    ) -> Mapping[str, Mapping[int, Any]]:
        """Return what interfaces have of it, by attribute of `Interface` and by their index, beside features."""
        return {}

    @property
    def asks_interfaces(self) -> bool:
        """Return whether there are any `interface_questions`."""
        return type(self).interface_questions is not Kind.interface_questions

    def interface_questions(
        self, connection: VppReader, replies: Replies, indexes: Sequence[int]
    ) -> Mapping[str, Questions[Any]]:
        """Return what is asked of interfaces in the second round, by attribute of `Interface`."""
        return {}

    def read_facts(
        self, connection: VppReader, replies: Replies, known: Known, found: Mapping[str, Mapping[int, Any]]
    ) -> dict[str, Any]:
        """Return what a plan has to know and never changes, by attribute of `Facts`.

        `found` is what `read_on_interfaces` has returned.
        """
        return {}

    def changes(self, observed: State, desired: State) -> Iterator[Change[Any]]:
        """Yield what must change of it, where it belongs to no interface."""
        yield from ()

    def lost_of_others(self, observed: State, reached: State, deleted: Collection[str]) -> Iterator[Attachment]:
        """Yield what other programs lose by a plan, such as with the interfaces, tables and bridge domains `deleted`.

        `reached` is where the plan leads. Only what the kind's own attributes of a state have of others is meant, such
        as their policies for policy routing; what `State.unmanaged` has is known without it.
        """
        yield from ()

    def attachment_removal(
        self, attachment: Attachment, removal: Sequence[Operation], transition: Transition
    ) -> Sequence[Step] | None:
        """Return the steps with the `removal` of one of `own_attachments`; None where it stays during a change."""
        return None

    def fatal_leftovers(
        self, operations: Sequence[Operation], observed: State, desired: State
    ) -> Iterator[FatalLeftover]:
        """Yield why VPP would end at operations because of what it has kept of deleted interfaces."""
        yield from ()

    def restorable(self, state: State) -> State:
        """Return a state without what no plan can set again, and what is without effect.

        An example is a static MAC address of an interface that is in no bridge domain. A rollback leads there.
        """
        return state

    def features(self) -> Mapping[str, Feature]:
        """Return how plans set its features of interfaces, by attribute of `Interface`."""
        return {}

    def interface_steps(self, transition: Transition, name: str) -> Iterator[Step]:
        """Yield the steps that set it on an interface."""
        yield from ()

    def setting_steps(self, transition: Transition) -> Iterator[Step]:
        """Yield the steps that set it."""
        yield from ()


class CreatedKind(Kind):
    """One kind of interface that VPP creates and deletes."""

    kind: InterfaceKind

    def creation(self, interface: Interface, virtual: Any) -> Step:
        """Return the step that creates an interface as it is to be; `virtual` is what it is created with, if any."""
        raise NotImplementedError

    def deletion(self, interface: Interface, virtual: Any) -> Step:
        """Return the step that deletes an interface."""
        raise NotImplementedError
