"""The objects that the last change set, by the journal: VPP does not show some of them, and marks few as a file's."""

from __future__ import annotations

from collections.abc import Callable

from vppcfg.errors import PlanRefusedError
from vppcfg.model.state import State
from vppcfg.model.vpp_object import VppObject
from vppcfg.transaction.accepted import file_in_force
from vppcfg.transaction.journal import Journal


class Formerly:
    """The objects before and after the last change, however that ended. What it began with came from those before."""

    def __init__(self, journal: Journal) -> None:
        """Read `journal` when asked, each entry once."""
        self._journal = journal
        self._number = 0
        self._objects: tuple[VppObject, ...] = ()

    def __call__(self) -> tuple[VppObject, ...]:
        """Return the objects; none where the journal may not be read, or cannot."""
        try:
            newest = next(self._journal.newest_first(), None)
            if newest is not None and newest.entry.number != self._number:
                number = newest.entry.number
                states = (self._journal.before(number), self._journal.after(number))
                tables = [table for state in states for table in state.objects.values()]
                self._number, self._objects = number, tuple(each for table in tables for each in table.values())
        except PlanRefusedError:
            return self._objects
        return self._objects


def applied_file(journal: Journal, boot_id: str) -> Callable[[], State | None]:
    """Return what reads the state that the file in force sets; None without one in this run of VPP, or unreadable."""

    def read() -> State | None:
        try:
            number = file_in_force(journal.newest_first(), boot_id)
            return None if number is None else journal.after(number)
        except PlanRefusedError:
            return None

    return read
