"""What a watch tells: each difference and each problem once, and when it is gone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any, Protocol

from vppcfg.model.problem import Problem, Severity
from vppcfg.plan.drift import Drifts, news
from vppcfg.record import record
from vppcfg.render.drift_text import difference_data, difference_line, gone_line
from vppcfg.render.prometheus import WatchMetrics


@record
class Notice:
    """One thing that is worth a line."""

    event: str
    text: str
    data: Mapping[str, Any] = field(default_factory=dict)
    is_bad: bool = False


class Output(Protocol):
    """Where notices and the status go. Nothing that goes wrong there ends a watch, but a reader that left."""

    def say(self, notice: Notice) -> None:
        """Tell a notice."""

    def show(self, status: WatchMetrics) -> None:
        """Show how VPP stands now."""


Problems = tuple[Problem, ...]


class Said:
    """The differences and problems of one file that were said last."""

    def __init__(self, file_name: str) -> None:
        self.differences: Drifts = {}
        self.problems: Problems = ()
        self._file_name = file_name
        self._was_in_sync = False
        self._untold: Drifts = {}
        """What a summary alone has stood for."""

    @property
    def errors(self) -> Problems:
        """Return the problems that forbid a plan."""
        return tuple(problem for problem in self.problems if problem.severity is Severity.ERROR)

    def forget_sync(self) -> None:
        """Say it again when VPP is as the file says."""
        self._was_in_sync = False

    def after_look(self, found: Drifts, problems: Problems, *, is_brief: bool = False) -> Iterator[Notice]:
        """Yield what is news, and a summary behind it; it counts as said from then on.

        When it `is_brief`, as after a restart of VPP, the summary stands for all that is new, and nothing is said of
        each of these when it is gone.
        """
        told = {key: each for key, each in self.differences.items() if key not in self._untold}
        if is_brief:
            self._untold = {key: each for key, each in found.items() if told.get(key) != each}
        else:
            self._untold = {key: each for key, each in self._untold.items() if found.get(key) == each}
        to_tell = {key: each for key, each in found.items() if key not in self._untold}
        notices = [*_about_differences(told, to_tell), *_about_problems(self.problems, problems)]
        is_news = bool(notices) or found != self.differences
        self.differences, self.problems = found, problems
        yield from notices
        is_in_sync = not self.differences and not self.errors
        if is_in_sync and not self._was_in_sync:
            yield Notice(event="in_sync", text=f"VPP is as {self._file_name} says", data=self._counts())
        elif not is_in_sync and is_news:
            yield Notice(event="drift", text=self._summary(), data=self._counts(), is_bad=True)
        self._was_in_sync = is_in_sync

    def _summary(self) -> str:
        more = f", and {len(self.errors)} problem(s) stand between them" if self.errors else ""
        return f"{len(self.differences)} object(s) differ from {self._file_name}{more}"

    def _counts(self) -> Mapping[str, object]:
        return {"file": self._file_name, "differences": len(self.differences), "problems": len(self.errors)}


def _about_differences(before: Drifts, now: Drifts) -> Iterator[Notice]:
    what = news(before, now)
    for difference in what.appeared:
        data = difference_data(difference)
        yield Notice(event="difference", text=difference_line(difference), data=data, is_bad=True)
    for difference in what.gone:
        yield Notice(event="gone", text=gone_line(difference), data={"kind": difference.kind, "name": difference.name})


def _about_problems(before: Problems, now: Problems) -> Iterator[Notice]:
    for problem in now:
        if problem not in before:
            text = f"! {problem.text} [{problem.rule}]"
            yield Notice(event="problem", text=text, data=_data(problem), is_bad=True)
    for problem in before:
        if problem not in now:
            text = f"= solved: {problem.text} [{problem.rule}]"
            yield Notice(event="problem_gone", text=text, data=_data(problem))


def _data(problem: Problem) -> Mapping[str, object]:
    return {
        "rule": problem.rule,
        "severity": problem.severity.value,
        "path": list(problem.path),
        "line": problem.line,
        "message": problem.text,
    }
