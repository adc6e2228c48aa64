"""Boots a router, as its own boot does, on a VPP of the target release, real or simulated, with a temporary journal."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from vppcfg.app.approval import Terms
from vppcfg.app.booting import LATE, apply_at_boot
from vppcfg.app.console import Silent
from vppcfg.app.report import Report, SilentReport
from vppcfg.app.target import Target
from vppcfg.config.resolve import resolve
from vppcfg.entries.yaml.files import SourceFiles
from vppcfg.errors import ExitCode, VppcfgError
from vppcfg.model.problem import Problem, Severity
from vppcfg.model.state import State
from vppcfg.operations.operation import Operation
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.record import record
from vppcfg.render.plan_text import cli_line, describe
from vppcfg.transaction.transact import Failure
from vppcfg.upgrade.subject import UpgradeSubject

_LOGGERS = ("root.main", "vppcfg")


@record
class Boot:
    """How a boot went."""

    steps: int = 0
    """How many it takes."""
    failed_at: int | None = None
    """The step, from 1; 0 when it did not come to the first one, None when nothing failed."""
    failure: str = ""
    reached: State | None = None
    """What VPP has in the end; None when something failed."""


class _Listener(SilentReport):
    """Keeps the report of a boot: its plan, and what failed."""

    def __init__(self) -> None:
        self.plan: Plan | None = None
        self.failure: Failure | None = None

    def performing(self, plan: Plan) -> None:
        self.plan = plan

    def failed(self, failure: Failure) -> None:
        self.failure = failure


class _Audience(Silent):
    """A console that shows nothing and keeps what it is given."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.listener = _Listener()

    def show_problems(self, problems: Sequence[Problem], file_name: str) -> None:
        self.problems += problems

    def report(self, plan: Plan) -> Report:
        return self.listener


def boot(subject: UpgradeSubject, target: Target, files: SourceFiles) -> Boot:
    """Do on a VPP what the boot of the router does, and return how that went."""
    with _silence():
        return _booted(subject, target, files)


def _booted(subject: UpgradeSubject, target: Target, files: SourceFiles) -> Boot:
    audience = _Audience()
    listener = audience.listener
    try:
        with target.connect() as dataplane:
            problems = resolve(subject.configuration, dataplane.observe()).problems
        missing = [problem.text for problem in problems if problem.rule in LATE]
        if missing:  # a boot would wait for ports to appear
            return Boot(failed_at=0, failure="; ".join(missing))
        code = apply_at_boot(files, target, Terms(), audience)
        with target.connect() as dataplane:
            reached = dataplane.observe()
    except VppcfgError as error:
        return Boot(failed_at=0, failure=error.message)
    steps = len(listener.plan.steps) if listener.plan is not None else 0
    if listener.failure is not None:
        return Boot(steps=steps, failed_at=_place(listener.failure), failure=_why(listener.failure))
    errors = [problem for problem in audience.problems if problem.severity is Severity.ERROR]
    if code is not ExitCode.DONE:
        failure = "; ".join(f"{problem.text} [{problem.rule}]" for problem in errors) or f"it ended with {code.value}"
        return Boot(steps=steps, failed_at=0, failure=failure)
    left = make_plan(reached, resolve(subject.configuration, reached).desired).operations
    if left:
        text = f"{len(left)} steps are left to do after the boot, the first: {_text_of(left[0])}"
        return Boot(steps=steps, failed_at=steps, failure=text)
    return Boot(steps=steps, reached=reached)


def _place(failure: Failure) -> int:
    refusals = failure.performance.refusals if failure.performance is not None else ()
    return refusals[0].index + 1 if refusals else 0


def _why(failure: Failure) -> str:
    refusals = failure.performance.refusals if failure.performance is not None else ()
    if not refusals:
        return failure.text or failure.cause.value
    return f"{_text_of(refusals[0].operation)}: {refusals[0].text}"


def _text_of(operation: Operation) -> str:
    return cli_line(operation) or describe(operation)


@contextmanager
def _silence() -> Iterator[None]:
    """Let nothing be logged: it would be about a VPP that is none."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
