"""The notices of `vppcfg watch`: each difference and problem once, and again when it is gone; then a summary."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any, Protocol

from vppcfg.model.problem import KeyPath, Problem, Severity
from vppcfg.record import record
from vppcfg.render.diff_view import entry_lines, entry_name, signed_name
from vppcfg.render.file_difference import EntryDifference

_MOST = 3
"""Names in a summary; the rest is counted."""
_DEVIATIONS = frozenset({"sub-mtu-unset"})
"""Rules of warnings that name what VPP does otherwise than the file means, and no plan mends."""


@record
class Notice:
    """One thing that is worth a line."""

    event: str
    text: str
    data: Mapping[str, Any] = field(default_factory=dict)
    is_bad: bool = False
    is_detail: bool = False
    """Whether the summary behind it repeats it in brief."""
    below: tuple[str, ...] = ()
    """More lines."""


class Output(Protocol):
    """Where notices and the status go. Nothing that goes wrong there ends a watch, but a reader that left."""

    def notify(self, notice: Notice) -> None:
        """Pass on a notice."""

    def show(self, status: Metered) -> None:
        """Show how VPP stands now."""


class Metered(Protocol):
    """A status that can be written as metrics."""

    def text(self) -> str:
        """Return them in Prometheus's text format."""


class WallClock(Protocol):
    """The time, and a way to let it pass."""

    def monotonic(self) -> float:
        """Return seconds from some moment on."""

    def time(self) -> float:
        """Return the seconds since 1970."""

    def sleep(self, seconds: float) -> None:
        """Wait."""


Problems = tuple[Problem, ...]
Differences = Mapping[KeyPath, EntryDifference]
"""The entries in which VPP differs from the file, by their places: from VPP's to the file's."""


class Reported:
    """The differences and problems of one file that were reported last."""

    def __init__(self, file_name: str) -> None:
        self.differences: Differences = {}
        self.problems: Problems = ()
        self._file_name = file_name
        self._was_in_sync = False

    @property
    def errors(self) -> Problems:
        """Return the problems that forbid a plan."""
        return tuple(problem for problem in self.problems if problem.severity is Severity.ERROR)

    @property
    def lasting_problems(self) -> Problems:
        """Return the problems that keep VPP different from the file: the errors, and what no plan would mend."""
        return tuple(each for each in self.problems if each.severity is Severity.ERROR or each.rule in _DEVIATIONS)

    @property
    def is_drift(self) -> bool:
        """Return whether VPP differs from the file."""
        return bool(self.differences) or any(problem.rule in _DEVIATIONS for problem in self.problems)

    def forget_sync(self) -> None:
        """Report it again when VPP matches the file."""
        self._was_in_sync = False

    def after_look(self, found: Differences, problems: Problems) -> Iterator[Notice]:
        """Yield what is new, and a summary behind it; it counts as reported from then on."""
        new = [each for path, each in found.items() if self.differences.get(path) != each]
        gone = [each for path, each in self.differences.items() if path not in found]
        notices = [*map(_appeared, new), *map(_gone, gone), *_about_problems(self.problems, problems)]
        self.differences, self.problems = found, problems
        yield from notices
        is_in_sync = not self.differences and not self.lasting_problems
        if is_in_sync and not self._was_in_sync:
            yield Notice(event="in_sync", text=f"VPP matches {self._file_name}", data=self._counts())
        elif not is_in_sync and notices:
            yield Notice(event="drift", text=self._summary(new, gone), data=self._counts(), is_bad=True)
        self._was_in_sync = is_in_sync

    def _summary(self, new: Collection[EntryDifference], gone: Collection[EntryDifference]) -> str:
        parts = []
        if count := len(self.differences):
            parts.append(f"VPP differs from {self._file_name} in {count} {'entry' if count == 1 else 'entries'}")
        if new:
            parts[0] += f"{'' if len(new) == count else f', {len(new)} of them new'}: {_listed(map(signed_name, new))}"
        if gone:
            parts.append(f"{_listed(map(entry_name, gone))} {'matches' if len(gone) == 1 else 'match'} the file again")
        if count := len(self.lasting_problems):
            words = "problem stands" if count == 1 else "problems stand"
            parts.append(f"{count} {words} between {self._file_name} and VPP")
        return "; ".join(parts)

    def _counts(self) -> Mapping[str, object]:
        return {"file": self._file_name, "differences": len(self.differences), "problems": len(self.lasting_problems)}


def _listed(names: Iterable[str]) -> str:
    each = list(names)
    more = [f"{len(each) - _MOST} more"] if len(each) > _MOST else []
    return ", ".join([*each[:_MOST], *more])


def _appeared(difference: EntryDifference) -> Notice:
    text, *below = (line.text for line in entry_lines(difference))
    data = {
        "action": difference.action.value,
        "path": list(difference.path),
        "name": difference.name,
        "forced_by": difference.forced_by,
        "lines": [line.strip() for line in below],
    }
    return Notice(event="difference", text=text, below=tuple(below), data=data, is_bad=True, is_detail=True)


def _gone(difference: EntryDifference) -> Notice:
    text = f"= {entry_name(difference)} matches the file again"
    return Notice(
        event="gone", text=text, data={"path": list(difference.path), "name": difference.name}, is_detail=True
    )


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
