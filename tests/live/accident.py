"""Something that happens once in the middle of a change on a real VPP, in place of one of its operations."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

import pytest

from vppcfg.dataplane import Performance, Refusal
from vppcfg.errors import DataplaneError
from vppcfg.operations.operation import Operation
from vppcfg.vpp.live import LiveDataplane
from vppcfg.vpp.perform import WINDOW

Place = Callable[[Sequence[Operation]], int | None]
"""Returns where among operations it happens, None when it does not."""


def nth(number: int) -> Place:
    """Return the place of an operation by its number from 0, over all operations of a change."""
    left = number

    def place(operations: Sequence[Operation]) -> int | None:
        nonlocal left
        if left < len(operations):
            return left
        left -= len(operations)
        return None

    return place


def first(kind: type[Operation]) -> Place:
    """Return the place of the first operation of a kind."""
    return lambda operations: next((at for at, each in enumerate(operations) if isinstance(each, kind)), None)


def refuse(operation: Operation) -> Performance:
    """Answer as VPP does when it refuses."""
    return Performance(done=(), refusals=(Refusal(index=0, operation=operation, retval=-1, text="no"),))


def lose(operation: Operation) -> Performance:
    raise DataplaneError("the connection is lost")


def have_accident(patch: pytest.MonkeyPatch, place: Place, happen: Callable[[Operation], Performance]) -> None:
    """Have something happen once; the operations before it are carried out, and with a refusal what was sent behind."""
    perform, has_happened = LiveDataplane.perform, False

    def performing(
        plane: LiveDataplane,
        operations: Sequence[Operation],
        report: Any = None,
        should_stop: Any = None,
        waits: Collection[int] = (),
    ) -> Performance:
        nonlocal has_happened
        at = None if has_happened else place(operations)
        if at is None:
            return perform(plane, operations, report, should_stop, waits)
        has_happened = True
        done = perform(plane, operations[:at], report, should_stop, {each for each in waits if each < at})
        refusals = tuple(replace(each, index=at) for each in happen(operations[at]).refusals)
        end = min((wait for wait in waits if wait > at), default=len(operations))
        perform(plane, operations[at + 1 : end][:WINDOW])
        return Performance(done=done.done, refusals=refusals)

    patch.setattr(LiveDataplane, "perform", performing)
