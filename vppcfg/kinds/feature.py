"""What features of interfaces have alike: each is an attribute of `Interface`, set by operations of its own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, Generic, TypeVar

from vppcfg.config.interface_key import InterfaceKey
from vppcfg.config.yaml.text import Value
from vppcfg.kinds.kind import Kind
from vppcfg.plan.feature import Feature, SetFeature
from vppcfg.plan.request import Known
from vppcfg.vpp.reading import Replies, VppReader

V = TypeVar("V")


class FeatureKind(Kind, InterfaceKey, Generic[V]):
    """One feature of interfaces."""

    def in_plans(self) -> Feature:
        """Return how a plan turns it on and off."""
        return Feature(self.setters)

    @abstractmethod
    def parse(self, raw: Any) -> V:
        """Return the attribute that a value of the right shape stands for."""

    @abstractmethod
    def as_yaml(self, value: V) -> Value:
        """Return the value in the file that an attribute stands for."""

    @abstractmethod
    def setters(self, name: str, value: V) -> Iterable[SetFeature]:
        """Return the operations that set a value on an interface that has none."""

    @abstractmethod
    def read(self, connection: VppReader, replies: Replies, known: Known) -> dict[int, V]:
        """Return the values by interface index, of interfaces that have one."""

    def output_keys(self, value: V) -> Iterator[tuple[str, ...]]:
        """Yield the keys, from that of the interface on, of what works on packets on their way out."""
        yield from ()


AnyFeature = FeatureKind[Any]
