"""What a change does to routing daemons: their files, compared with what they run and with the desired state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from vppcfg.errors import ExitCode
from vppcfg.model.problem import Problem
from vppcfg.model.routing import DaemonKind, JournalledRouting, RoutingFile, RoutingTexts
from vppcfg.model.state import State
from vppcfg.plan.impact import Impact
from vppcfg.record import record
from vppcfg.routing_daemons.against_file import warnings_about
from vppcfg.routing_daemons.bird import Bird
from vppcfg.routing_daemons.bird_text import IncludeError, with_includes
from vppcfg.routing_daemons.daemon import (
    RoutingDaemon,
    RoutingDifference,
    SessionImpact,
)
from vppcfg.routing_daemons.frr import Frr
from vppcfg.routing_daemons.text_file import read_text, text_or_nothing
from vppcfg.transaction.guard import Limits, Objection

_IMPACTS = {
    SessionImpact.NONE: Impact.NONE,
    SessionImpact.POLICY: Impact.POLICY,
    SessionImpact.UNKNOWN: Impact.FLAP,
    SessionImpact.SESSIONS: Impact.FLAP,
}
"""What --max-impact takes the effects on sessions for."""


@record
class DaemonChange:
    """What a change does to one daemon."""

    texts: RoutingTexts
    difference: RoutingDifference = RoutingDifference()

    @property
    def is_changing(self) -> bool:
        """Return whether the daemon has to load anything."""
        return bool(self.difference.text_lines)


@record
class RoutingPlan:
    """What a change does to the daemons of the file."""

    changes: tuple[DaemonChange, ...] = ()
    problems: tuple[Problem, ...] = ()
    """Where a daemon's configuration expects what the router will not have."""
    objections: tuple[Objection, ...] = ()
    """Why it must not be done."""

    @property
    def steps(self) -> tuple[DaemonChange, ...]:
        """Return the changes of daemons that have to load anything."""
        return tuple(change for change in self.changes if change.is_changing)

    @property
    def impact(self) -> Impact:
        """Return how bad the worst effect is."""
        return routing_impact(self.steps)

    @property
    def journalled(self) -> JournalledRouting:
        """Return the configurations of daemons that the journal keeps for a rollback."""
        return JournalledRouting(texts=tuple(change.texts for change in self.changes))


NO_DAEMONS = RoutingPlan()


def routing_impact(steps: Iterable[DaemonChange]) -> Impact:
    """Return how bad the worst of what daemons load is."""
    return max((_IMPACTS[step.difference.worst] for step in steps), default=Impact.NONE)


def daemon_of(file: RoutingFile) -> RoutingDaemon:
    """Return the client of the daemon that a file is for."""
    return Frr(file) if file.kind is DaemonKind.FRR else Bird(file)


def unsaved_text(file: RoutingFile, text: str, loaded: Iterable[RoutingTexts]) -> str:
    """Return what BIRD may run other than `text` though its startup file lacks it; '' when nothing is known of that.

    BIRD does not report what it runs. `loaded` is what vppcfg has had it load, the newest first. A startup file that
    was written since is what BIRD runs, or known not to be.
    """
    if file.kind is not DaemonKind.BIRD:
        return ""
    startup = text_or_nothing(file.startup)
    unsaved = (
        each.after
        for each in loaded
        if each.file.instance == file.instance and startup == each.startup_before != each.startup_after
    )
    return next((each for each in unsaved if each != text), "")


def plan_routing(
    files: Iterable[RoutingFile], desired: State, limits: Limits, loaded: Sequence[RoutingTexts] = ()
) -> RoutingPlan:
    """Compare the files of all daemons with what those run, and hold them against the desired state.

    `loaded` is what vppcfg has had the daemons load, the newest first.
    """
    changes: list[DaemonChange] = []
    problems: list[Problem] = []
    objections: list[Objection] = []
    for file in files:
        text = wanted_text(file)
        if isinstance(text, Objection):
            objections.append(text)
            continue
        problems += warnings_about(file, text, desired)
        found = _change(file, text, limits, unsaved_text(file, text, loaded))
        if isinstance(found, DaemonChange):
            changes.append(found)
        else:
            objections += found
    plan = RoutingPlan(changes=tuple(changes), problems=tuple(problems), objections=tuple(objections))
    return replace(plan, objections=(*objections, *about_impact(plan, limits)))


def about_impact(plan: RoutingPlan, limits: Limits) -> Iterator[Objection]:
    """Yield an objection when what the daemons load has more impact than is allowed."""
    if plan.impact > limits.max_impact:
        text = f"what the routing daemons reload has impact {plan.impact.label}, more than --max-impact allows"
        yield Objection(text, f"--max-impact {plan.impact.label} allows it")


def wanted_text(file: RoutingFile) -> str | Objection:
    """Return the configuration in a file, with what BIRD includes in its place."""
    try:
        if file.kind is DaemonKind.BIRD:
            return with_includes(file.path)
        return read_text(file.path)[0]
    except OSError as error:
        hint = "correct `routing` in the file, or write that file"
        return Objection(f"{file.path} cannot be read: {error.strerror}", hint, ExitCode.INVALID)
    except IncludeError as error:
        return Objection(str(error), "correct the include, or put its text in its place", ExitCode.INVALID)


def _change(file: RoutingFile, text: str, limits: Limits, unsaved: str) -> DaemonChange | list[Objection]:
    daemon, title = daemon_of(file), file.kind.title
    if not text.strip():
        return [Objection(f"{file.path} is empty", f"write what {title} is to run into it", ExitCode.INVALID)]
    if wrong := daemon.check(text):
        hint = f"correct {file.path}"
        return [Objection(f"{title} does not take {file.path}: {each}", hint, ExitCode.INVALID) for each in wrong[:10]]
    if trouble := daemon.why_unfit(text):
        return [Objection(f"{title} cannot load {file.path}: {trouble}", "then try again", ExitCode.DATAPLANE)]
    running = daemon.running()
    if running.trouble and not (running.text and limits.no_way_back):
        hint = "`birdc configure` reads it; --no-way-back takes the file for what BIRD runs" if running.text else "look"
        return [Objection(f"it is not known what {title} runs: {running.trouble}", hint)]
    difference = daemon.difference(text, unsaved)
    if isinstance(difference, str):
        return [Objection(difference, f"try `vppcfg plan` again; is {title} busy?", ExitCode.DATAPLANE)]
    startup = text_or_nothing(file.startup)
    texts = RoutingTexts(
        file=file,
        before=unsaved or running.text,
        after=text,
        startup_before=startup or running.text,
        startup_after=text,
    )
    return DaemonChange(texts=texts, difference=difference)
