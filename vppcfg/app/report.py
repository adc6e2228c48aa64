"""The interface of observers that follow one change: its steps, its checks, and how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from vppcfg.app.checking import CheckResult
from vppcfg.dataplane import Performance
from vppcfg.errors import ExitCode
from vppcfg.plan.plan import Plan
from vppcfg.transaction.announcing import Announced
from vppcfg.transaction.entry import Record
from vppcfg.transaction.transact import Failure, Outcome, Watcher


class Report(Watcher, Protocol):
    """An observer of one change, from its first step to its outcome."""

    def stopping(self) -> None:
        """A signal has come, at which the change is stopped or undone."""

    def checked(self, results: Sequence[CheckResult], *, is_before: bool) -> None:
        """The checks have been run, before the change or after it."""

    def ended(self, outcome: Outcome, record: Record, code: ExitCode, folder: Path) -> None:
        """It is over, one way or the other; `folder` is that of the journal."""


class SilentReport:
    """A report that writes nothing."""

    def performing(self, plan: Plan) -> None:
        """Print nothing."""

    def progress(self, done: int) -> None:
        """Print nothing."""

    def performed(self, performance: Performance) -> None:
        """Print nothing."""

    def verifying(self) -> None:
        """Print nothing."""

    def failed(self, failure: Failure) -> None:
        """Print nothing."""

    def announced(self, announced: Announced) -> None:
        """Print nothing."""

    def undoing(self, plan: Plan) -> None:
        """Print nothing."""

    def stopping(self) -> None:
        """Print nothing."""

    def checked(self, results: Sequence[CheckResult], *, is_before: bool) -> None:
        """Print nothing."""

    def ended(self, outcome: Outcome, record: Record, code: ExitCode, folder: Path) -> None:
        """Print nothing."""
