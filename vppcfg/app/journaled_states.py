"""States that the journal knows: those around the last change, and the one that the file in force sets.

VPP does not list an object that another source hides, such as a route, and answers only about its name. Few objects
have a tag that could bear the mark of vppcfg.
"""

from __future__ import annotations

from collections.abc import Callable

from vppcfg.errors import PlanRefusedError
from vppcfg.model.state import State
from vppcfg.transaction.accepted import file_in_force
from vppcfg.transaction.journal import Journal


class JournaledStates:
    """A function that returns the states of VPP before and after the last change, however that ended, of our objects.

    All that changes may have left is in them: what the ones before it set, and was still there, is in its first state.
    """

    def __init__(self, journal: Journal) -> None:
        """Read `journal` when called, and again only once it has a newer change."""
        self._journal = journal
        self._number = 0
        self._states: tuple[State, ...] = ()

    def __call__(self) -> tuple[State, ...]:
        """Return the states: those read last, or none, where the journal may not be read or cannot be."""
        try:
            newest = next(self._journal.newest_first(), None)
            if newest is not None and newest.entry.number != self._number:
                number = newest.entry.number
                read = (self._journal.before, self._journal.after)
                self._states = tuple(state(number, is_whole=False) for state in read)
                self._number = number
        except PlanRefusedError:
            return self._states
        return self._states


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
