"""Reports the progress of a change: a progress line and log lines for people, or JSON, an object a step, for programs.

No error of output may stop the change: its reader may be gone.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from vppcfg.app.checking import CheckResult
from vppcfg.app.report import Report
from vppcfg.app.unmanaged import log_missing
from vppcfg.cli.difference import painted_states
from vppcfg.cli.output import Paint, print_error, print_line
from vppcfg.cli.progress import Progress
from vppcfg.common.printable import json_text, printable
from vppcfg.dataplane import Performance, Refusal
from vppcfg.errors import ExitCode, UsageError
from vppcfg.operations.change import Change
from vppcfg.operations.operation import Operation
from vppcfg.plan.pauses import ALONE_MS, time_text
from vppcfg.plan.plan import Plan
from vppcfg.render.pause_text import pause_document
from vppcfg.render.plan_text import cli_line, describe, plan_text
from vppcfg.transaction.announcing import Announced
from vppcfg.transaction.entry import Record
from vppcfg.transaction.planning import restore_commands
from vppcfg.transaction.transact import POST_CHANGE_CAUSES, Cause, Ending, Failure, Outcome

log = logging.getLogger("root.main")

_STRIKING_S = 1.0
"""An answer that took longer is spoken of, though nothing of the kind was to be expected."""
FORMAT_VERSION = 1
"""Of the JSON lines; grows when a reader of the former ones would misread them."""


def report_for(plan: Plan, *, is_json: bool) -> Report:
    """Return the report that the options ask for."""
    return JsonReport(plan) if is_json else TextReport()


def line_of(operation: Operation) -> str:
    """Return an operation as an operator would type it, or a description."""
    return printable(cli_line(operation) or describe(operation))


class TextReport:
    """Writes a progress line and the log."""

    def __init__(self) -> None:
        self._progress = Progress("Applying", 0)
        self._plan: Plan | None = None
        self._longest_answer_s = 0.0
        self._is_long = False
        """Whether a plan had steps for which VPP forwards nothing for so long that they are sent alone."""

    def performing(self, plan: Plan) -> None:
        """Begin a progress line."""
        self._plan = plan
        self._is_long = self._is_long or (plan.pauses.longest_ms or 0.0) >= ALONE_MS
        self._progress = Progress("Applying", len(plan.steps))

    def progress(self, done: int) -> None:
        """Move the progress line on."""
        with suppress(UsageError):
            self._progress.report(done)

    def performed(self, performance: Performance) -> None:
        """End the progress line, and log what VPP refused."""
        with suppress(UsageError):
            self._progress.clear()
        self._longest_answer_s = max(self._longest_answer_s, performance.longest_answer_s)
        for refusal in performance.refusals if self._plan else ():
            self._refused(refusal)

    def verifying(self) -> None:
        """Print nothing: it takes a moment only."""

    def announced(self, announced: Announced) -> None:
        """Print how many addresses hosts were told of, and of which not."""
        if announced.addresses:
            log.info("Announced %s", "1 address" if announced.addresses == 1 else f"{announced.addresses} addresses")
        for text in announced.failures:
            log.warning("%s", printable(text))

    def stopping(self) -> None:
        """Print that the change stops, which can take some seconds."""
        log.warning("Stopping: VPP ends the steps that it was given, and then the old state is brought back")

    def failed(self, failure: Failure) -> None:
        """Print why the change failed."""
        with suppress(UsageError):
            self._progress.clear()
        if failure.cause in POST_CHANGE_CAUSES | {Cause.GONE}:
            log.error("%s", printable(failure.text))
        elif failure.cause is Cause.BUG:
            log.error("vppcfg itself has failed in the middle of it")
        elif failure.cause is Cause.DIFFERENT:
            log.error("Every step succeeded, but VPP shows something else; this still differs from what was asked for:")
            log_missing(failure.not_carried_over)
            if failure.remaining:
                left = failure.remaining
                text = painted_states(left.observed, left.desired, Paint(False)).rstrip("\n")
                print_error(text or "\n".join(map(_difference, left.changes)))
        elif failure.performance is not None and self._plan is not None:
            what = "Stopped" if failure.cause is Cause.STOPPED else "Failed"
            log.error("%s after %d of %d steps", what, len(failure.performance.done), len(self._plan.steps))

    def checked(self, results: Sequence[CheckResult], *, is_before: bool) -> None:
        """Print nothing: each check is in the log."""

    def undoing(self, plan: Plan) -> None:
        """Begin another progress line."""
        log.info("Going back in %s", _steps(len(plan.steps)))
        self._plan = plan
        self._is_long = self._is_long or (plan.pauses.longest_ms or 0.0) >= ALONE_MS
        self._progress = Progress("Going back", len(plan.steps))

    def ended(self, outcome: Outcome, record: Record, code: ExitCode, folder: Path) -> None:
        """Print how VPP stands."""
        if outcome.ending is Ending.NEW:
            log.info("Applied %s", _steps(record.entry.steps))
        elif outcome.ending is Ending.KEPT:
            log.error("What was reached stays")
        elif outcome.ending is Ending.OLD and not outcome.not_restored:
            log.warning("The old state is back, after %s", _steps(outcome.inverse))
        elif outcome.ending is Ending.OLD:
            log.warning("What vppcfg manages is as before, after %s", _steps(outcome.inverse))
        else:
            _log_outcome(outcome, folder / f"{record.entry.number:06}")
        if self._is_long or self._longest_answer_s > _STRIKING_S:
            took = time_text(1000 * self._longest_answer_s)
            log.info("VPP answered its slowest step after %s, and forwarded nothing for about that time at most", took)
        log_missing(outcome.not_restored)
        for each in outcome.displaced:
            log.warning("%s", each)

    def _refused(self, refusal: Refusal) -> None:
        total = len(self._plan.steps) if self._plan else 0
        log.error("Step %d of %d was refused: %s", refusal.index + 1, total, line_of(refusal.operation))
        log.error("The answer: %s", printable(refusal.text))


def _steps(number: int) -> str:
    return f"{number} step" if number == 1 else f"{number} steps"


def _log_outcome(outcome: Outcome, folder: Path) -> None:
    """Print what is neither as before nor as asked for, and what would bring the old state back."""
    if outcome.trouble:
        log.error("%s", printable(outcome.trouble))
    if outcome.ending is Ending.LOST:
        log.error("VPP was restarted and has lost its configuration; `vppcfg apply` brings it to the file again")
        return
    if outcome.rollback_plan is None:
        log.error("What VPP has now cannot be read; if it still runs, it is between the old state and the new one")
        log.error("%s has the commands of the whole way back", folder / "reverse.txt")
        log.error("When VPP answers again, `vppcfg rollback` brings the old state back, `vppcfg apply` the new one")
        return
    log.error("VPP is between the old state and the new one")
    print_error("This differs from the old state:")
    way = outcome.rollback_plan
    print_error(painted_states(way.observed, way.desired, Paint(False)).rstrip("\n"))
    print_error("These commands bring the old state back:")
    for line in plan_text(way).lines:
        print_error(printable(line))
    log.error("`vppcfg rollback` tries again to go back; `vppcfg plan` shows what is left of the new state")


class JsonReport:
    """Writes one JSON object per line to standard output."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._said = 0
        self._direction = "forward"
        self._longest_answer_s = 0.0
        self._is_listened_to = True

    def performing(self, plan: Plan) -> None:
        """Write how many steps there are."""
        self._begin(plan, "forward")

    def undoing(self, plan: Plan) -> None:
        """Write how many steps back there are."""
        self._begin(plan, "back")

    def progress(self, done: int) -> None:
        """Write the steps that were done since."""
        for index in range(self._said, done):
            self._step(index, {"result": "done"})
        self._said = max(self._said, done)

    def performed(self, performance: Performance) -> None:
        """Write the rest: what was refused, and what was done in its wake."""
        self._longest_answer_s = max(self._longest_answer_s, performance.longest_answer_s)
        refusals = {refusal.index: refusal for refusal in performance.refusals}
        for index in sorted({*performance.done, *refusals}):
            if index in refusals:
                refusal = refusals[index]
                self._step(index, {"result": "refused", "retval": refusal.retval, "text": refusal.text})
            elif index >= self._said:
                self._step(index, {"result": "done"})

    def verifying(self) -> None:
        """Write that the state is read again."""
        self._write("verify")

    def announced(self, announced: Announced) -> None:
        """Write how many addresses hosts were told of, and of which not."""
        self._write("announce", addresses=announced.addresses, failures=list(announced.failures))

    def checked(self, results: Sequence[CheckResult], *, is_before: bool) -> None:
        """Write what each check has found."""
        when = "before" if is_before else "after"
        for result in results:
            self._write("check", when=when, check=result.check.text, good=result.is_good, reason=result.reason)

    def stopping(self) -> None:
        """Write that the change stops because of a signal."""
        self._write("stop")

    def failed(self, failure: Failure) -> None:
        """Write why the change failed."""
        remaining = failure.remaining.changes if failure.remaining is not None else ()
        differs = [f"{change.kind.value} {change.name}" for change in remaining]
        self._write(
            "failure", cause=failure.cause.name.lower(), text=failure.text or failure.cause.value, differs=differs
        )

    def ended(self, outcome: Outcome, record: Record, code: ExitCode, folder: Path) -> None:
        """Write how VPP stands."""
        way_back = plan_text(outcome.rollback_plan).lines if outcome.rollback_plan else []
        self._write(
            "end",
            exit_code=int(code),
            state=outcome.ending.name.lower(),
            change=record.entry.number,
            status=record.status.value,
            trouble=outcome.trouble,
            longest_answer_ms=round(1000 * self._longest_answer_s, 1),
            way_back=way_back,
            not_back=[f"{each.holder}: {each.label}" for each in outcome.not_restored],
            commands=restore_commands(outcome.not_restored),
            address_order=[str(each) for each in outcome.displaced],
        )

    def _begin(self, plan: Plan, direction: str) -> None:
        self._plan, self._said, self._direction = plan, 0, direction
        self._write(
            "begin", steps=len(plan.steps), impact=plan.impact.label, pause_ms=pause_document(plan)["longest_ms"]
        )

    def _step(self, index: int, result: dict[str, Any]) -> None:
        step = self._plan.steps[index]
        known = {"step": index + 1, "phase": step.stage.phase.value, "command": line_of(step.operation)}
        self._write("step", **known, **result)

    def _write(self, event: str, **values: Any) -> None:
        if not self._is_listened_to:
            return
        try:
            known = {"format_version": FORMAT_VERSION, "event": event, "direction": self._direction}
            print_line(json_text({**known, **values}))
        except UsageError:
            self._is_listened_to = False


def _difference(change: Change[Any]) -> str:
    """Return a line about what differs and no file can set."""
    parts = ", ".join(f"{each.name} is {each.old} instead of {each.new}" for each in change.attributes)
    return printable(f"{change.name}: {parts or change.action.value}")
