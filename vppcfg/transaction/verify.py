"""Verifies a change: observes the dataplane again after a plan was carried out, and returns what still differs."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from vppcfg.dataplane import Dataplane
from vppcfg.model.live_state import as_others_have_it
from vppcfg.model.state import State
from vppcfg.operations.change import Change
from vppcfg.plan.diff import diff
from vppcfg.plan.plan import Plan
from vppcfg.record import record

SETTLE_S = 2.0
"""How long the state may take to become what was asked for."""
INTERVAL_S = 0.2


@record
class Remainder:
    """What a state that was observed lacks to be the desired one; it is empty when it lacks nothing."""

    changes: tuple[Change[Any], ...]
    observed: State
    desired: State

    def __bool__(self) -> bool:
        return bool(self.changes)


def still_different(
    plan: Plan,
    dataplane: Dataplane,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
    should_stop: Callable[[], bool] = lambda: False,
) -> Remainder:
    """Observe until the state is the desired one, for a bounded time; return what differs at the end of it.

    Read again is what the plan has changed and what depends on it: what others change meanwhile, a watch finds.
    """
    deadline, touched = clock() + SETTLE_S, plan.touched_interfaces
    while True:
        observed = dataplane.observe_again(plan.operations, touched, plan.desired)
        desired = as_others_have_it(plan.desired, observed)
        changes = tuple(diff(observed, desired))
        if not changes or clock() > deadline or should_stop():
            return Remainder(changes=changes, observed=observed, desired=desired)
        sleep(INTERVAL_S)
