"""Shows what is done and asks for approval: at a terminal, in a program, or not at all.

What happens is in the log (`logging`) as well; this is what a user interface shows in its own form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from vppcfg.app.report import Report
    from vppcfg.app.routing_plan import DaemonChange
    from vppcfg.model.problem import Problem
    from vppcfg.model.programs import Program
    from vppcfg.model.state import State
    from vppcfg.plan.plan import Plan


class Console(Protocol):
    """What shows and asks. It may raise UsageError where something cannot be shown at all, as on a full disk."""

    def show_problems(self, problems: Sequence[Problem], file_name: str) -> None:
        """Show what is wrong with a file, or stands between it and VPP."""

    def show_plan(self, plan: Plan) -> None:
        """Show what is about to be done."""

    def show_difference(self, before: State, after: State, what: str) -> None:
        """Show what makes a saved plan stale; `what` names what has changed."""

    def show_routing(self, steps: Sequence[DaemonChange]) -> None:
        """Show what routing daemons are about to load."""

    def show_programs(self, programs: Sequence[Program]) -> None:
        """Show which programs of this machine are going to be run."""

    def agrees_to_reload(self, steps: Sequence[DaemonChange]) -> bool:
        """Return whether routing daemons may lose sessions; True without an operator to ask."""

    def agrees(self, plan: Plan) -> bool:
        """Return whether objects may be removed or recreated; True without an operator to ask."""

    def report(self, plan: Plan) -> Report:
        """Return the report that shows the progress of a change."""

    def listens(self) -> bool:
        """Return whether the operator can type while a change waits."""

    def typed(self) -> str:
        """Return the line that was typed since the last call, without blanks around it; '' for none. Do not wait."""

    def waiting(self, window_s: float) -> AbstractContextManager[Callable[[float], None]]:
        """Return a function to call, within its context, with how many seconds of a window are over."""


class Silent:
    """A console that shows nothing, and agrees."""

    def show_problems(self, problems: Sequence[Problem], file_name: str) -> None:
        """Show nothing."""

    def show_plan(self, plan: Plan) -> None:
        """Show nothing."""

    def show_difference(self, before: State, after: State, what: str) -> None:
        """Show nothing."""

    def show_routing(self, steps: Sequence[DaemonChange]) -> None:
        """Show nothing."""

    def show_programs(self, programs: Sequence[Program]) -> None:
        """Show nothing."""

    def agrees_to_reload(self, steps: Sequence[DaemonChange]) -> bool:
        """Return True."""
        return True

    def agrees(self, plan: Plan) -> bool:
        """Return True."""
        return True

    def report(self, plan: Plan) -> Report:
        """Return a report that writes nothing."""
        from vppcfg.app.report import SilentReport

        return SilentReport()

    def listens(self) -> bool:
        """Return False."""
        return False

    def typed(self) -> str:
        """Return ''."""
        return ""

    @contextmanager
    def waiting(self, window_s: float) -> Iterator[Callable[[float], None]]:
        """Show nothing."""
        yield lambda seconds: None
