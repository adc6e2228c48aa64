"""Brings a VPP that drifted back to its file, by the same transaction as an apply, and decides when to try again."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

from vppcfg.app.approval import Terms, refuse_objections, refuse_rolled_back
from vppcfg.app.change_context import ChangeContext, locked_context
from vppcfg.app.changing import make_change
from vppcfg.app.console import Console
from vppcfg.app.foreign_files import foreign_reason, refuse_foreign
from vppcfg.app.intent import Intent
from vppcfg.app.journaled_states import applied_file
from vppcfg.app.planning import propose
from vppcfg.app.signals import Terminated
from vppcfg.app.target import Target
from vppcfg.app.watching.file import WatchedFile
from vppcfg.app.watching.notices import Differences
from vppcfg.config.resolve import resolve
from vppcfg.errors import ExitCode, NotNowError, PlanRefusedError
from vppcfg.model.problem import Severity
from vppcfg.model.programs import programs_of
from vppcfg.transaction.entry import Origin
from vppcfg.transaction.planning import seen_closely

Reconciler = Callable[[WatchedFile, Collection[str]], ExitCode]
"""Brings VPP to the file and returns how that ended; raises VppcfgError when it is refused."""
LONGEST_S = 3600.0
"""Between two attempts."""


class Attempts:
    """What could not be reconciled last, and when that may be tried again."""

    def __init__(self, first_s: float) -> None:
        """Try again after `first_s`, then after twice the time, up to an hour."""
        self._first_s = self._pause_s = first_s
        self._failed: Differences = {}
        self._due_s = 0.0

    def is_due(self, differences: Differences, now_s: float) -> bool:
        """Return whether to try."""
        return differences != self._failed or now_s >= self._due_s

    def fail(self, differences: Differences, now_s: float) -> float:
        """Note a failure and return after how many seconds the next attempt is due."""
        is_same = differences == self._failed
        self._pause_s = min(2 * self._pause_s, LONGEST_S) if is_same else self._first_s
        self._failed, self._due_s = differences, now_s + self._pause_s
        return self._pause_s

    def succeed(self) -> None:
        """Forget what failed before."""
        self._failed, self._pause_s = {}, self._first_s


def reconcile(
    file: WatchedFile, differing: Collection[str], target: Target, terms: Terms, console: Console
) -> ExitCode:
    """Plan, perform and verify, or go back; return how that ended. Raise VppcfgError when it is refused.

    The interfaces named in `differing` are read in every detail.

    A signal that comes meanwhile is obeyed once VPP is in the old state or the new one.
    """
    with locked_context(target, "vppcfg watch") as place:
        code = _reconcile(file, differing, place, terms, console)
    if code is ExitCode.INTERRUPTED:
        raise KeyboardInterrupt
    if code is ExitCode.TERMINATED:
        raise Terminated
    return code


def _reconcile(
    file: WatchedFile, differing: Collection[str], place: ChangeContext, terms: Terms, console: Console
) -> ExitCode:
    if file.has_changed():
        raise NotNowError(f"{file.name} has changed meanwhile", "it is loaded first")
    refuse_rolled_back(file.loaded.digest, place, terms)
    applied = applied_file(place.journal, place.session.boot_id)
    dataplane = place.session.dataplane
    observed = dataplane.observe()
    if observed.facts.left_out:
        desired = resolve(file.configuration, observed, adopt=terms.adopt).desired
        observed = seen_closely(dataplane, observed, desired, differing)
    proposal = propose(file.configuration, file.loaded, observed, adopt=terms.adopt, applied=applied)
    errors = [problem.text for problem in proposal.problems if problem.severity is Severity.ERROR]
    if errors:
        raise PlanRefusedError(errors[0])
    plan = proposal.plan_on(place.session.dataplane)
    if not plan.steps:
        return ExitCode.DONE
    refuse_foreign(file.configuration, file.loaded, programs_of(file.configuration.hooks))
    refuse_objections(plan, file.configuration.protected, terms.limits, dataplane)
    return make_change(plan, _intent(file), place, console).code


def _intent(file: WatchedFile) -> Intent:
    return Intent(
        origin=Origin.RECONCILE,
        source_name=file.loaded.origin,
        source_digest=file.loaded.digest,
        source=file.loaded.source,
        unmanaged=file.configuration.unmanaged,
        protected=file.configuration.protected,
        hooks=file.configuration.hooks,
        foreign_reason=partial(foreign_reason, file.loaded),
    )
