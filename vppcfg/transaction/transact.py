"""A plan carried out so that VPP ends in the new state or in the old one, or the outcome names what it has.

It carries out the steps of a plan and nothing else; journal, questions and messages are the business of others.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, nullcontext
from enum import Enum
from functools import partial
from typing import Any, Protocol

from vppcfg.dataplane import Dataplane, Performance
from vppcfg.errors import DataplaneError, GivenUpError, PlanProofError
from vppcfg.model.attachment import Attachment
from vppcfg.model.live_state import as_others_have_it
from vppcfg.model.state import State
from vppcfg.operations.attachment import RestoreAttachment, RestoreInLinux
from vppcfg.operations.change import Change
from vppcfg.plan.address_order import Displaced, displaced
from vppcfg.plan.diff import diff
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.plan.rollback import Reachable, closest_to, created_ports, prove_way_back
from vppcfg.plan.unmanaged import without
from vppcfg.record import record
from vppcfg.transaction.announcing import Announced, Announcer
from vppcfg.transaction.perform import perform_plan
from vppcfg.transaction.planning import not_carried_over, not_restored, plan_on
from vppcfg.transaction.session import RestartedError, Session

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


RECONNECT_S = 30.0
"""How long a VPP that does not answer may take to do so before the rollback is given up."""
_CONNECTIONS = 2
"""Connections of a rollback: one that is lost meanwhile is made once more."""
_ATTEMPTS = 2
"""Attempts of a rollback: what is refused once because of a moment's state is planned anew."""


class Cause(Enum):
    """Why a change did not come to its end; each value completes the sentence `It failed:`."""

    REFUSED = "VPP refused a step"
    GONE = "VPP went away or did not answer"
    DIFFERENT = "every step succeeded, but VPP or Linux shows something else"
    STOPPED = "it was interrupted"
    HOOK = "the hook after-apply failed"
    ROUTING = "the routing daemon did not take its configuration"
    CHECK = "a check that was good before is not any more"
    BUG = "an error in vppcfg itself"


POST_CHANGE_CAUSES = frozenset({Cause.HOOK, Cause.ROUTING, Cause.CHECK})
"""What goes wrong once VPP has the new state; the text of such a failure is the whole sentence."""


class Ending(Enum):
    """How VPP stands at the end."""

    NEW = "new state"
    OLD = "old state"
    KEPT = "new state as far as it got"
    """Verification failed, and the operator wanted it to stay."""
    BETWEEN = "between"
    LOST = "restarted"
    """VPP is another process, without the configuration of the former one."""


@record
class Failure:
    """What went wrong on the way to the new state."""

    cause: Cause
    text: str = ""
    performance: Performance | None = None
    """How far it got, where that is known."""
    remaining: Remainder | None = None
    """What differs from the desired state, after a verification."""
    not_carried_over: tuple[Attachment, ...] = ()
    """What others had, was to be carried over, and is missing."""


@record
class Outcome:
    """The outcome of a plan."""

    ending: Ending
    failure: Failure | None = None
    inverse: int = 0
    """Steps that the rollback took."""
    trouble: str = ""
    """Why the rollback did not reach the old state, '' where it did."""
    rollback_plan: Plan | None = None
    """What is left to do to be back, when that could be found out."""
    not_restored: tuple[Attachment, ...] = ()
    """What others had on interfaces and in tables before, and do not have any more."""
    displaced: tuple[Displaced, ...] = ()
    """The addresses that were first on their interfaces, and are not in the state that is back."""


Waiting = Callable[[], AbstractContextManager[None]]
"""A context for a wait that may be given up: GivenUpError is raised within it."""


class Watcher(Protocol):
    """An observer that is called with the progress of a change; what it raises does not stop the change."""

    def performing(self, plan: Plan) -> None:
        """A plan begins."""

    def progress(self, done: int) -> None:
        """So many of its steps are done."""

    def performed(self, performance: Performance) -> None:
        """The plan has ended, or has been ended by a refusal."""

    def verifying(self) -> None:
        """The state is read again."""

    def failed(self, failure: Failure) -> None:
        """It failed, and the rollback comes next."""

    def announced(self, announced: Announced) -> None:
        """Addresses that moved have been announced, or could not be."""

    def undoing(self, plan: Plan) -> None:
        """The rollback begins."""


def transact(
    plan: Plan,
    session: Session,
    *,
    watcher: Watcher,
    should_stop: Callable[[], bool],
    is_unmanaged: Callable[[str], bool],
    on_bug: Callable[[Outcome], object],
    keep: bool = False,
    waiting: Waiting = nullcontext,
    post_change: Callable[[], Failure | None] = lambda: None,
) -> Outcome:
    """Carry a plan out and verify it; go back to the state that it was made for when anything goes wrong.

    `should_stop` is asked all the time, but not in a rollback, where nothing ends early but the wait for a VPP that
    does not answer, by what `waiting` raises. With `keep`, a state that differs from the desired one although every
    step succeeded stays as it is. `post_change` is called when VPP has the new state, and returns why that cannot be
    kept, None when it can. An unexpected error is raised again, after the rollback and after `on_bug` was
    called with the outcome.
    """
    announcer = Announcer(session)
    try:
        failure = _forward(plan, session, announcer, watcher, should_stop)
        if failure is None or (keep and failure.cause is Cause.DIFFERENT):
            _announce_again(announcer, watcher, should_stop)
        failure = failure or _run_post_change(post_change, should_stop)
    except BaseException:
        failure = Failure(cause=Cause.BUG)
        watcher.failed(failure)
        on_bug(_back(plan, failure, session, watcher, is_unmanaged, waiting))
        raise
    if failure is None:
        return Outcome(ending=Ending.NEW)
    watcher.failed(failure)
    if keep and failure.cause is Cause.DIFFERENT:
        return Outcome(ending=Ending.KEPT, failure=failure)
    return _back(plan, failure, session, watcher, is_unmanaged, waiting)


def _forward(
    plan: Plan, session: Session, announcer: Announcer, watcher: Watcher, should_stop: Callable[[], bool]
) -> Failure | None:
    watcher.performing(plan)
    announcer.expect(plan)
    try:
        performance = perform_plan(plan, session.dataplane, watcher.progress, should_stop)
        watcher.performed(performance)
        gone = _beyond_recall(plan, performance)
        if performance.refusals and not gone:
            return Failure(cause=Cause.REFUSED, performance=performance)
        if should_stop():
            return Failure(cause=Cause.STOPPED, performance=performance)
        announcer.announce()
        watcher.verifying()
        remaining = still_different(plan, session.dataplane, should_stop=should_stop)
        carried = not_carried_over(plan, session.dataplane, remaining.observed)
        absent = tuple(each for each in carried if each not in gone)
    except DataplaneError as error:
        return Failure(cause=Cause.GONE, text=error.message)
    if should_stop():
        return Failure(cause=Cause.STOPPED, performance=performance)
    if not remaining and not absent:
        return None
    return Failure(cause=Cause.DIFFERENT, performance=performance, remaining=remaining, not_carried_over=absent)


def _announce_again(announcer: Announcer, watcher: Watcher, should_stop: Callable[[], bool] = lambda: False) -> None:
    announced = announcer.repeat(should_stop)
    if announced is not None:
        watcher.announced(announced)


def _run_post_change(post_change: Callable[[], Failure | None], should_stop: Callable[[], bool]) -> Failure | None:
    failure = post_change()
    if should_stop():
        return Failure(cause=Cause.STOPPED, text=failure.text if failure is not None else "")
    return failure


def _beyond_recall(plan: Plan, performance: Performance) -> frozenset[Attachment]:
    """Return what Linux had in a former state only and refuses to take again, when nothing else was refused.

    A rollback goes on without: a device that such a route needs may have gone since, and no rollback would be possible.
    """
    refused = [each.operation for each in performance.refusals]
    found = [each.attachment for each in refused if isinstance(each, RestoreInLinux)]
    is_past = len(found) == len(refused) and not any(each in plan.observed.unmanaged for each in found)
    return frozenset(found if is_past else ())


def _back(
    plan: Plan,
    failure: Failure,
    session: Session,
    watcher: Watcher,
    is_unmanaged: Callable[[str], bool],
    waiting: Waiting,
) -> Outcome:
    is_in_doubt, trouble = failure.cause in {Cause.GONE, Cause.BUG}, ""
    created = created_ports(plan.observed, plan.desired)
    for _ in range(_CONNECTIONS):
        try:
            if is_in_doubt:
                with waiting():
                    session.reopen(RECONNECT_S)
            return go_back(plan.observed, failure, session, watcher, is_unmanaged, created, plan.desired)
        except RestartedError as error:
            return Outcome(ending=Ending.LOST, failure=failure, trouble=error.message)
        except (PlanProofError, GivenUpError) as error:
            return Outcome(ending=Ending.BETWEEN, failure=failure, trouble=error.message)
        except DataplaneError as error:
            is_in_doubt, trouble = True, error.message
    return Outcome(ending=Ending.BETWEEN, failure=failure, trouble=trouble)


def go_back(
    before: State,
    failure: Failure,
    session: Session,
    watcher: Watcher,
    is_unmanaged: Callable[[str], bool],
    created: Collection[str] = (),
    ours: State | None = None,
) -> Outcome:
    """Plan from what is there now to the state `before`, carry that out, and look. Raise DataplaneError.

    Ports that were `created` since are removed with or without their mark, and so is what `ours` has configured, where
    the change was to lead.
    """
    inverse, trouble = 0, ""
    refused: frozenset[Attachment] = frozenset()
    announcer = Announcer(session)
    for _ in range(_ATTEMPTS):
        now = session.dataplane.observe()
        target = closest_to(before, now, is_unmanaged, created, ours)
        plan = _plan_back(target, now, session.dataplane, refused)
        if not plan.steps:
            break
        watcher.undoing(plan)
        announcer.expect(plan, before)
        performance = perform_plan(plan, session.dataplane, watcher.progress)
        announcer.announce()
        watcher.performed(performance)
        inverse += len(performance.done)
        trouble = "".join(f"VPP refused a step of the way back: {refusal.text}" for refusal in performance.refusals[:1])
        refused |= {
            each.operation.attachment for each in performance.refusals if isinstance(each.operation, RestoreAttachment)
        }
        if not performance.refusals and not still_different(plan, session.dataplane):
            break
    _announce_again(announcer, watcher)
    now = session.dataplane.observe()
    target = closest_to(before, now, is_unmanaged, created, ours)
    left = not_restored(before, session.dataplane, now)
    if not target.awaited and target.is_reached(now):
        order = tuple(displaced(now, target.state))
        return Outcome(ending=Ending.OLD, failure=failure, inverse=inverse, not_restored=left, displaced=order)
    if target.awaited:
        trouble = f"gone since: {', '.join(target.awaited)}"
    return Outcome(
        ending=Ending.BETWEEN,
        failure=failure,
        inverse=inverse,
        trouble=trouble or "VPP shows something else after the rollback",
        rollback_plan=prove_way_back(target, partial(make_plan, now)).plan,
        not_restored=left,
    )


def _plan_back(target: Reachable, now: State, dataplane: Dataplane, refused: frozenset[Attachment]) -> Plan:
    """Return the plan to a former state, without what was refused before. Raise PlanProofError, DataplaneError."""
    return prove_way_back(target, lambda state: plan_on(dataplane, now, without(state, refused))).plan
