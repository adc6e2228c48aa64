"""What follows once VPP has a new state: routing daemons load theirs, a hook runs, and checks decide on the change."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence

from vppcfg.app.change_context import ChangeContext
from vppcfg.app.checking import CheckComparison, CheckResult, reason_of, run_checks
from vppcfg.app.daemon_routes import MissingRoutes, await_routes, missing_routes
from vppcfg.app.hooks import run_hook
from vppcfg.app.intent import Intent
from vppcfg.app.late_effects import LateEffect, adjacencies, late_effects
from vppcfg.app.report import Report
from vppcfg.app.routing_plan import DaemonChange, daemon_of
from vppcfg.common.clock import Clock, SystemClock
from vppcfg.errors import ExitCode
from vppcfg.model.checks import MOST_WITHIN_S, Check
from vppcfg.model.hooks import HookEvent
from vppcfg.operations.change import Impact
from vppcfg.plan.plan import Plan
from vppcfg.routing_daemons.daemon import Adjacency
from vppcfg.transaction.entry import ROLLBACKS, Origin, Status
from vppcfg.transaction.transact import Cause, Failure

log = logging.getLogger("root.main")

_CLOCK = SystemClock()
_BEFORE_S = 10.0
"""How long a check may take before the change, when nothing has to settle: what is good is good within that."""
_AGAIN_S, _AGAIN_WITHIN_S = 3.0, 10.0
"""How often checks are run again that must stay good, and how long each may then take."""
_RESERVE_S = 15.0
"""What the timer has left when checks end: for the last one, and to write down that the change is confirmed."""
_BY_CHECKS = "confirmed by its checks"


def _interrupts_a_pair(plan: Plan) -> bool:
    """Return whether a device of Linux goes away or down, at least for a moment, and with it the routes by it."""
    pairs = plan.observed.lcps.keys() | plan.desired.lcps.keys()
    return any(impact >= Impact.FLAP for name, impact in plan.impacts.items() if name in pairs)


class PostChange:
    """The steps after one change, from the checks made before it, for comparison, to the verdict on it."""

    def __init__(
        self,
        plan: Plan,
        intent: Intent,
        place: ChangeContext,
        report: Report,
        should_stop: Callable[[], bool],
        clock: Clock = _CLOCK,
    ) -> None:
        self._plan = plan
        self._intent = intent
        self._place = place
        self.report = report
        self._should_stop = should_stop
        self._loaded: list[DaemonChange] = []
        self._concerned = intent.routing.changes if _interrupts_a_pair(plan) else intent.routing.steps
        """Daemons whose routes VPP may lose: those that load something, and all where a device of theirs goes."""
        self._missing: dict[str, MissingRoutes] = {}
        """What VPP lacked of the routes of each of these, before the change; without an entry before a rollback."""
        self._trouble = ""
        """Why a daemon does not run what it should, at the end of a rollback."""
        self.unloaded: tuple[DaemonChange, ...] = ()
        """Daemons that have not taken their configuration."""
        self._before: tuple[CheckResult, ...] = ()
        self._adjacencies: tuple[Adjacency, ...] = ()
        self._clock = clock
        self._timer_ends_s = math.inf
        self._unseen: tuple[str, ...] = ()
        """What the checks could not wait for."""
        self.comparison: CheckComparison | None = None
        """What the checks have found, once they have run twice."""

    def check_before(self) -> None:
        """Look at routes and run the checks while nothing is changed yet: what is not good now cannot fail the change.

        Before a rollback no daemon is asked: one that hangs must not hold up VPP.
        """
        if self._intent.origin not in ROLLBACKS:
            for change in self._concerned:
                file = change.texts.file
                self._missing[file.kind.title] = missing_routes(daemon_of(file), self._place.target)
        if self._intent.checks:
            log.info("Running the checks before the change")
            self._before = self._checked(self._intent.checks, is_before=True)
            self._adjacencies = adjacencies([change.texts.file for change in self._intent.routing.changes])
        if self._intent.confirm_s is not None:
            self._timer_ends_s = self._clock.now() + self._intent.confirm_s

    def run(self, number: int) -> Failure | None:
        """Load the routing daemons, run the hook of change `number`, then the checks.

        Return why the change cannot stay, None when it can. A rollback stays whatever happens to the daemons.
        """
        if self._intent.origin in ROLLBACKS:
            self.load_daemons_anyway()
        elif trouble := self._load_daemons():
            return Failure(cause=Cause.ROUTING, text=f"{Cause.ROUTING.value}: {trouble}")
        if self._intent.origin in {Origin.APPLY, Origin.RECONCILE}:
            trouble = run_hook(self._intent.hooks, HookEvent.AFTER_APPLY, number, self._place, self._should_stop)
            if trouble:
                return Failure(cause=Cause.HOOK, text=trouble)
        return self._missing_routes() or (self._check_after() if self._intent.checks else None)

    def load_daemons_anyway(self) -> None:
        """Load the routing daemons of a change that stays whatever they do; report it when one does not take it."""
        if trouble := self._load_daemons():
            self._trouble = trouble
            log.error("%s", trouble)

    def restore_daemons(self) -> None:
        """Have the daemons run what they ran before, once VPP's old state is back; report it when one does not."""
        for change in self._loaded:
            title = change.texts.file.kind.title
            trouble = daemon_of(change.texts.file).load(change.texts.before, None)
            if trouble:
                self._trouble = f"{title} is not back: {trouble}"
                log.error("%s; its startup file %s is unchanged", self._trouble, change.texts.file.startup)
            else:
                log.warning("%s keeps its previous configuration", title)

    def _load_daemons(self) -> str:
        """Load what differs, and return why daemons have not taken it; only a rollback goes on after the first."""
        is_rollback = self._intent.origin in ROLLBACKS
        troubles = []
        for change in self._intent.routing.steps:
            daemon = daemon_of(change.texts.file)
            log.info("Loading the configuration of %s", change.texts.file.kind.title)
            self._loaded.append(change)
            if trouble := daemon.load(change.texts.after, None if is_rollback else self._intent.confirm_s):
                troubles.append(trouble)
                self.unloaded += (change,)
                if not is_rollback:
                    break
        return "; ".join(troubles)

    def _missing_routes(self) -> Failure | None:
        """Wait for VPP to have the daemons' routes again; only with checks is that a failure."""
        for change in self._concerned:
            file, title = change.texts.file, change.texts.file.kind.title
            before = self._missing.get(title, MissingRoutes())
            found = await_routes(daemon_of(file), self._place.target, file.within_s, before, self._should_stop)
            if found.unknown:
                log.warning("Whether VPP has the routes of %s is not known: %s", title, found.unknown)
            elif found.prefixes and self._intent.checks and self._intent.confirm_s is not None:
                return Failure(cause=Cause.ROUTING, text=f"{found.text} ({title})")
            elif found.prefixes:
                also = "" if title in self._missing else "; whether it had them before the rollback was not asked"
                log.warning("%s (%s)%s", found.text, title, also)
        return None

    def verdict(self, code: ExitCode, status: Status, text: str) -> tuple[ExitCode, Status, str]:
        """Return how a change ends by its daemons and its checks, given how it would end without them."""
        if self._trouble:
            status = Status.STRANDED if status is Status.REVERTED else status
            return ExitCode.STRANDED, status, "; ".join(filter(None, (text, self._trouble)))
        found = self.comparison
        if found is None or status not in {Status.WAITING, Status.APPLIED}:
            return code, status, text
        if found.broken:  # it stays: no confirmation was asked for
            failed = f"{Cause.CHECK.value}: {reason_of(found.broken)}"
            return ExitCode.CHECK_FAILED if code is ExitCode.DONE else code, status, failed
        if status is Status.APPLIED:
            return code, status, text
        if not found.has_success:
            log.warning(
                "No check passed before the change or passes now, so they decide nothing: confirm it or roll "
                "back yourself"
            )
            return code, status, text
        if self._unseen:
            log.warning("The checks are good, but do not decide: confirm the change once that shows, or roll it back")
            return code, status, text
        if self._intent.holds:
            log.info("The checks are good, and the change waits to be confirmed, as --hold asks")
            return code, status, text
        log.info("The checks are good, and confirm the change")
        return code, Status.CONFIRMED, _BY_CHECKS

    def _check_after(self) -> Failure | None:
        """Run the checks until none of what the change may end late can come any more, or one is broken."""
        log.info("Running the checks after the change")
        changed_s = self._clock.now()
        after = self._checked(self._intent.checks, is_before=False)
        self.comparison = CheckComparison(before=self._before, after=after)
        for result in self.comparison.bad_before:
            log.warning("Does not count, for it was not good before the change: %s", result.check.text)
        self._keep_checking(changed_s)
        if not (broken := self.comparison.broken):
            return None
        reason = f"{Cause.CHECK.value}: {reason_of(broken)}"
        if self._intent.confirm_s is not None:
            return Failure(cause=Cause.CHECK, text=reason)
        log.error("%s%s; the change stays", reason[0].upper(), reason[1:])
        return None

    def _keep_checking(self, changed_s: float) -> None:
        """Run the checks that are good again and again, as long as they must stay good."""
        assert self.comparison is not None
        good = [result.check for result in self.comparison.after if result.is_good]
        if self.comparison.broken or not good:
            return
        seen = [LateEffect(f"`for` of {check.text}", check.for_s) for check in good if check.for_s]
        seen += late_effects(self._plan, self._intent.routing.steps, self._adjacencies)
        most_s = self._timer_ends_s - changed_s - _RESERVE_S
        # Without a timer `most_s` is infinite, and so is `after_s` of what comes at a time that nobody knows.
        awaited = [each for each in seen if each.after_s <= most_s and math.isfinite(each.after_s)]
        self._unseen = tuple(each.text for each in seen if each not in awaited)
        for text in self._unseen:
            log.warning("The checks end before that shows: %s", text)
        last = max(awaited, key=lambda each: each.after_s, default=LateEffect("", 0.0))
        until_s = changed_s + last.after_s
        if until_s > self._clock.now():
            log.info("The checks must stay good for another %.0f s: %s", until_s - self._clock.now(), last.text)
        while self._clock.now() < until_s and not self._should_stop() and not self.comparison.broken:
            self._clock.sleep(min(_AGAIN_S, until_s - self._clock.now()))
            again = {result.check: result for result in self._checked(good, is_before=False, is_again=True)}
            after = tuple(again.get(result.check, result) for result in self.comparison.after)
            self.comparison = CheckComparison(before=self.comparison.before, after=after)

    def _checked(self, checks: Sequence[Check], *, is_before: bool, is_again: bool = False) -> tuple[CheckResult, ...]:
        """Run checks; one that breaks the change leaves the others open. Run again, only failures are reported."""
        before = {result.check for result in self._before if result.is_good and self._intent.confirm_s is not None}
        results = run_checks(
            checks,
            self._plan.observed if is_before else self._plan.desired,
            self._place.session.dataplane,
            self._should_stop,
            self._clock,
            most_s=_BEFORE_S if is_before else _AGAIN_WITHIN_S if is_again else MOST_WITHIN_S,
            environment=self._place.target.environment(),
            decides=lambda result: not result.is_good and result.check in before,
            level_of_good=logging.DEBUG if is_again else logging.INFO,
        )
        if not is_again or not all(result.is_good for result in results):
            self.report.checked(results, is_before=is_before)
        return results
