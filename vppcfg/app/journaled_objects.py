"""Objects that the journal knows and VPP does not list, and the state that the file in force sets.

VPP does not list an object that another source hides, such as a route, and answers only about its name. Few objects
have a tag that could bear the mark of vppcfg.
"""

from __future__ import annotations

from collections.abc import Callable

from vppcfg.errors import PlanRefusedError
from vppcfg.model.state import State
from vppcfg.model.vpp_object import VppObject
from vppcfg.transaction.accepted import file_in_force
from vppcfg.transaction.journal import Journal


class JournaledObjects:
    """A function that returns the objects in VPP before and after the last change, however that ended.

    These are all that changes may have left: what the ones before it set, and was still there, is in its first state.
    """

    def __init__(self, journal: Journal) -> None:
        """Read `journal` when called, and again only once it has a newer change."""
        self._journal = journal
        self._number = 0
        self._objects: tuple[VppObject, ...] = ()

    def __call__(self) -> tuple[VppObject, ...]:
        """Return the objects: those read last, or none, where the journal may not be read or cannot be."""
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
    """Return a function that reads the state that the file in force sets, which few plans need.

    By it, a plan recognizes objects of an interface that has left the file as the file's. It returns None where no file
    is in force in this run of VPP, which `boot_id` names, or where the journal cannot be read.
    """

    def read() -> State | None:
        try:
            number = file_in_force(journal.newest_first(), boot_id)
            return None if number is None else journal.after(number)
        except PlanRefusedError:
            return None

    return read
