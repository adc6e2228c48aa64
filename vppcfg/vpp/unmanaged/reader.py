"""How objects that other programs configure are read from VPP: a plan reports those on what it deletes or recreates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from vppcfg.model.attachment import Attachment
from vppcfg.model.state import State
from vppcfg.model.vrf import FibTable
from vppcfg.vpp.connection import Connection
from vppcfg.wire.reading import Replies


class ReadScope(NamedTuple):
    """Whose attachments are asked for, and what VPP's numbers stand for."""

    names: Mapping[int, str]
    """Every interface by its index."""
    holders: frozenset[str]
    """The interfaces by name, and FIB tables by key."""
    tables: Sequence[FibTable]
    """Every FIB table, those with number 0 too."""
    state: State
    """What was observed of what vppcfg manages."""

    def name(self, index: int) -> str:
        """Return the name of an interface that is asked for, '' for any other."""
        name = self.names.get(index, "")
        return name if name in self.holders else ""

    def concerns(self, name: str, others: Iterable[str]) -> bool:
        """Return whether an object on an interface that is there is asked for, or one of what it leads to or needs."""
        return bool(name) and not self.holders.isdisjoint((name, *others))

    def examined(self, connection: Connection) -> list[int]:
        """Return the indexes of the interfaces that are asked about one by one: all that a plan touches, few of all."""
        indexes = self.indexes()
        if len(indexes) < len(self.state.interfaces) or connection.survey.examines_all(len(indexes)):
            return indexes
        connection.survey.leave_out("features and classifiers of interfaces that no file can have")
        return []

    def indexes(self) -> list[int]:
        """Return the indexes of the interfaces that are asked for."""
        return [index for index, name in self.names.items() if name in self.holders]


class Reader(NamedTuple):
    """One family of objects."""

    messages: tuple[str, ...]
    """What VPP must have for it to be asked."""
    requests: Callable[[Connection, ReadScope], Sequence[bytes]]
    read: Callable[[Connection, Replies, ReadScope], Iterable[Attachment]]
