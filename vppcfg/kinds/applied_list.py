"""The base of both kinds of access lists: what becomes of lists that others attach to the interfaces of a file.

What `unmanaged` covers stays where it is; of the rest, a plan names what it takes off.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import ClassVar, TypeVar

from vppcfg.engine.table_kind import TableKind
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.model.acl import Acl, MacipAcl
from vppcfg.model.attachment import ApiCall, Attachment
from vppcfg.model.interface import Interface
from vppcfg.model.ownership import is_ours
from vppcfg.model.state import State

L = TypeVar("L", bound=Acl | MacipAcl)


class AppliedListKind(TableKind[L]):
    """One of both kinds."""

    others: ClassVar[str]
    """The prefix of the name of a list of another program, before its tag."""

    @abstractmethod
    def applied(self, interface: Interface) -> Mapping[str, Sequence[str]]:
        """Return the names of the lists that an interface applies by direction, which is '' where there is but one."""

    @abstractmethod
    def application(self, item: L, interface: str, direction: str) -> ApiCall:
        """Return the call by which another program applies a list."""

    def unmanaged_name(self, name: str, item: L) -> str:
        return f"{self.others}{item.tag}"

    def is_not_ours(self, name: str, item: L, is_unmanaged: Callable[[str], bool]) -> bool:
        """Return whether no plan may touch a list; one with our mark is ours, though a pattern like `acl:*` fits it."""
        return not is_ours(item.tag) and super().is_not_ours(name, item, is_unmanaged)

    def resolve_settings(self, desired: DesiredStateBuilder) -> None:
        """Let interfaces go on applying the lists of others that `unmanaged` covers."""
        there = self._of_others(desired.observed)
        desired.keep_applied(
            {name for name, item in there.items() if desired.globs.matches(self.unmanaged_name(name, item))}
        )

    def lost_of_others(self, observed: State, reached: State, deleted: Collection[str]) -> Iterator[Attachment]:
        """Yield the lists of others that interfaces no longer apply. A rollback applies them again.

        A list with the name of one of the file as its tag is that of the file, as it was before it was adopted.
        """
        there, then = self._of_others(observed), self.in_state(reached)
        for name, interface in observed.interfaces.items() if there else ():
            after = self.applied(reached.interfaces[name]) if name in reached.interfaces else {}
            for direction, lists in self.applied(interface).items():
                for each in lists:
                    item = there.get(each)
                    if item is None or each in after.get(direction, ()) or self._is_declared(item.tag, then):
                        continue
                    label = each.removeprefix(self.others) + (f" of {direction}" if direction else "")
                    put = self.application(item, name, direction)
                    yield Attachment(holder=name, kind=self.noun, name=label, put=put)

    def _of_others(self, state: State) -> dict[str, L]:
        return {name: item for name, item in self.in_state(state).items() if not is_ours(item.tag)}

    def _is_declared(self, name: str, lists: Mapping[str, L]) -> bool:
        return name in lists and is_ours(lists[name].tag)
