"""Runs the checks of a configuration before and after a change; only what was good before can fail the change."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from vppcfg.app.questions import question_of, through_linux
from vppcfg.common.bounded_command import PLAIN_ENVIRONMENT, run_command
from vppcfg.common.clock import Clock, SystemClock
from vppcfg.dataplane import Dataplane
from vppcfg.errors import DataplaneError, LinuxError
from vppcfg.linux.inside import command_inside
from vppcfg.model.checks import MOST_WITHIN_S, Check, CommandCheck
from vppcfg.model.state import State
from vppcfg.record import record

log = logging.getLogger("root.main")

_PAUSE_S = 0.5
"""Between two attempts."""
_CLOCK = SystemClock()
_OPEN = "it was not tried further"
_SHOWN = 200
"""Characters of what a command printed last, in the reason why it is not good."""


@record
class CheckResult:
    """The outcome of a check."""

    check: Check
    reason: str = ""
    """Why it is not good, as the end of a sentence; '' when it is good."""

    @property
    def is_good(self) -> bool:
        """Return whether the router does what the check asks for."""
        return not self.reason

    @property
    def is_open(self) -> bool:
        """Return whether another check decided before this one did."""
        return self.reason == _OPEN


@record
class CheckComparison:
    """The same checks before and after a change."""

    before: tuple[CheckResult, ...]
    after: tuple[CheckResult, ...]

    @property
    def broken(self) -> tuple[CheckResult, ...]:
        """Return those that were good before and are not any more."""
        pairs = zip(self.before, self.after, strict=True)
        return tuple(after for before, after in pairs if before.is_good and not after.is_good and not after.is_open)

    @property
    def bad_before(self) -> tuple[CheckResult, ...]:
        """Return those that are not good, and were not before."""
        pairs = zip(self.before, self.after, strict=True)
        return tuple(after for before, after in pairs if not before.is_good and not after.is_good)

    @property
    def has_success(self) -> bool:
        """Return whether any check is good, so that the change is known to work at all."""
        return any(result.is_good for result in self.after)


def run_checks(
    checks: Sequence[Check],
    state: State,
    dataplane: Dataplane,
    should_stop: Callable[[], bool] = lambda: False,
    clock: Clock = _CLOCK,
    most_s: float = MOST_WITHIN_S,
    environment: Mapping[str, str] = PLAIN_ENVIRONMENT,
    decides: Callable[[CheckResult], bool] = lambda _: False,
    level_of_good: int = logging.INFO,
) -> tuple[CheckResult, ...]:
    """Run checks in turn, each until it is good or its time or `most_s` is over. `state` is what VPP has.

    Their times run together. After a result that `decides` the others are open. A VPP that goes away fails a check; it
    raises nothing.
    """
    began_s = clock.now()
    results: dict[Check, CheckResult] = {}
    while left := [check for check in checks if check not in results]:
        for check in left:
            attempt = partial(_attempt, check, state, dataplane, environment, should_stop)
            until_s = began_s + min(check.within_s, most_s)
            if (result := _tried(check, attempt, should_stop, clock, until_s)) is None:
                continue
            results[check] = result
            if result.is_good:
                log.log(level_of_good, "Check good: %s", check.text)
            else:
                log.warning("Check not good: %s: %s", check.text, result.reason)
            if decides(result):
                return tuple(results.get(each, CheckResult(check=each, reason=_OPEN)) for each in checks)
        if any(check not in results for check in checks):
            clock.sleep(_PAUSE_S)
    return tuple(results[check] for check in checks)


def reason_of(results: Sequence[CheckResult]) -> str:
    """Return in one line what is not good."""
    return "; ".join(f"{result.check.text}: {result.reason}" for result in results if not result.is_good)


def _tried(
    check: Check,
    attempt: Callable[[float], tuple[str, bool]],
    should_stop: Callable[[], bool],
    clock: Clock,
    until_s: float,
) -> CheckResult | None:
    """Try a check once, and return its result, None where another attempt may be better."""
    try:
        reason, is_final = attempt(max(until_s - clock.now(), 0.1))
    except DataplaneError as error:
        reason, is_final = error.message, True
    if reason and should_stop():
        return CheckResult(check=check, reason="it was interrupted")
    if not reason or is_final or clock.now() + _PAUSE_S >= until_s:
        return CheckResult(check=check, reason=reason)
    return None


def _attempt(
    check: Check,
    state: State,
    dataplane: Dataplane,
    environment: Mapping[str, str],
    should_stop: Callable[[], bool],
    remaining_s: float,
) -> tuple[str, bool]:
    """Return why a check is not good now, '' when it is, and whether another attempt would be the same.

    Raise DataplaneError when VPP goes away.
    """
    if isinstance(check, CommandCheck):
        return _run_command(check, environment, remaining_s, should_stop)
    question = question_of(check, state)
    if isinstance(question, str):
        return question, True
    outcome = dataplane.ask(question)
    if outcome.is_unable and (other := through_linux(check, state)) is not None:
        outcome = dataplane.ask(other)
    if outcome.cannot_ask:
        return f"it could not be asked: {outcome.cannot_ask}", False
    return ("" if outcome.is_answered else "nothing answered in time"), False


def _run_command(
    check: CommandCheck, environment: Mapping[str, str], remaining_s: float, should_stop: Callable[[], bool]
) -> tuple[str, bool]:
    try:
        words = command_inside(check.netns, check.command)
    except LinuxError as error:
        return error.message, True
    ran = run_command(words, environment, remaining_s, should_stop)
    output = ran.output.decode(errors="replace")
    if ran.trouble:
        return f"{ran.trouble}{_end_of(output)}", not ran.is_started
    if check.contains not in output:
        return f"its output does not contain {check.contains!r}{_end_of(output)}", False
    return "", False


def _end_of(output: str) -> str:
    """Return what a command printed last, as the end of a message."""
    line = next((line.strip() for line in reversed(output.splitlines()) if line.strip()), "")
    return f" (it printed last: {line[:_SHOWN]})" if line else ""
