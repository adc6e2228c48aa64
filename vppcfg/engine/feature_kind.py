"""The base of features of interfaces, such as MPLS: a key of the file, an attribute of `Interface`, own operations."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from vppcfg.engine.kind import Kind, Questions
from vppcfg.entries.interface_key import InterfaceKey
from vppcfg.entries.yaml.text import Value
from vppcfg.operations.feature import Feature, SetFeature, Switch
from vppcfg.operations.request import Known
from vppcfg.operations.stages import Stage
from vppcfg.operations.transition import Transition
from vppcfg.wire.reading import Replies, VppReader

V = TypeVar("V")


class FeatureKind(Kind, InterfaceKey, Generic[V]):
    """One feature of interfaces. A plan turns it off and on again where `is_interrupted` requires that."""

    turn_on: ClassVar[Stage] = Stage.TURN_FEATURE_ON
    command: ClassVar[str] = ""
    """The command of VPP's prompt that sets it on the interface which is its first further word."""
    command_words: ClassVar[frozenset[str]] = frozenset()
    """Words of the command that may stand before the interface."""
    valued_word: ClassVar[str] = ""
    """One more of these, with a value behind it."""
    command_apart: ClassVar[frozenset[str] | None] = None
    """Words by which two such commands for an interface set different things; without them the later one counts.

    None where the later one does not replace what the earlier one sets.
    """

    def in_plans(self) -> Feature:
        """Return how a plan turns it on and off."""
        return Feature(self.setters, self.turn_on, self.is_interrupted, self.is_forgotten, self.completed)

    def features(self) -> Mapping[str, Feature]:
        return {self.attribute: self.in_plans()}

    def is_interrupted(self, transition: Transition, name: str) -> bool:
        """Return whether it must be off for a while on an interface that stays and has it before and after."""
        return False

    def is_forgotten(self, transition: Transition, name: str) -> bool:
        """Return whether VPP forgets it during the change, so that nothing turns it off."""
        return False

    def completed(self, operation: SetFeature, transition: Transition) -> SetFeature:
        """Return an operation with what it takes of other objects."""
        return operation

    @abstractmethod
    def parse(self, raw: Any) -> V:
        """Return the attribute that a value of the right shape stands for."""

    @abstractmethod
    def as_yaml(self, value: V) -> Value:
        """Return the value in the file that an attribute stands for."""

    @abstractmethod
    def setters(self, name: str, value: V) -> Iterable[SetFeature]:
        """Return the operations that set a value on an interface that has none."""

    def read(self, connection: VppReader, replies: Replies, known: Known) -> dict[int, V]:
        """Return the values by interface index, of interfaces that have one."""
        return {}

    def second_round(self, connection: VppReader, replies: Replies, indexes: Sequence[int]) -> Questions[V] | None:
        """Return what is asked of the interfaces at `indexes` after the first `replies`; None where `read` has all."""
        return None

    @property
    def asks_interfaces(self) -> bool:
        return type(self).second_round is not FeatureKind.second_round

    def interface_questions(
        self, connection: VppReader, replies: Replies, indexes: Sequence[int]
    ) -> Mapping[str, Questions[V]]:
        asked = self.second_round(connection, replies, indexes)
        return {} if asked is None else {self.attribute: asked}

    def output_keys(self, value: V) -> Iterator[tuple[str, ...]]:
        """Yield the keys, from that of the interface on, of what works on packets on their way out."""
        yield from ()


class SwitchKind(FeatureKind[bool]):
    """A feature that is on or off."""

    command_apart = frozenset()
    switch: ClassVar[type[Switch]]

    def parse(self, raw: bool) -> bool:
        return raw

    def as_yaml(self, value: bool) -> Value:
        return value

    def setters(self, name: str, value: bool) -> Iterable[SetFeature]:
        """Return the operation that turns it on."""
        return [self.switch(interface=name, is_on=True)] if value else []


AnyFeature = FeatureKind[Any]
