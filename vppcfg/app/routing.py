"""Routing daemons in a change: their files compared with what they run, loaded after VPP, rolled back with it."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime

from vppcfg.errors import ExitCode, PlanRefusedError
from vppcfg.model.problem import Problem
from vppcfg.model.routing import DaemonKind, KeptRouting, RoutingFile, RoutingTexts
from vppcfg.model.state import State
from vppcfg.plan.impact import Impact
from vppcfg.record import record
from vppcfg.routing_daemons.against_file import warnings_about
from vppcfg.routing_daemons.bird import Bird
from vppcfg.routing_daemons.bird_text import IncludeError, with_includes
from vppcfg.routing_daemons.daemon import (
    NOTHING_WAITS,
    RoutingDaemon,
    RoutingDifference,
    SessionImpact,
    write_like,
)
from vppcfg.routing_daemons.frr import Frr
from vppcfg.routing_daemons.text_file import read_text
from vppcfg.transaction.entry import ACCEPTED, IN_FORCE, Record
from vppcfg.transaction.guard import Limits, Objection
from vppcfg.transaction.journal import NO_ROUTING, Journal

log = logging.getLogger("root.main")

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
        return bool(self.difference.lines)


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
    def kept(self) -> KeptRouting:
        """Return the configurations of daemons that the journal keeps for a rollback."""
        return KeptRouting(texts=tuple(change.texts for change in self.changes))


NO_DAEMONS = RoutingPlan()


def routing_impact(steps: Iterable[DaemonChange]) -> Impact:
    """Return how bad the worst of what daemons load is."""
    return max((_IMPACTS[step.difference.worst] for step in steps), default=Impact.NONE)


def daemon_of(file: RoutingFile) -> RoutingDaemon:
    """Return the client of the daemon that a file is for."""
    return Frr(file) if file.kind is DaemonKind.FRR else Bird(file)


def plan_routing(files: Iterable[RoutingFile], desired: State, limits: Limits) -> RoutingPlan:
    """Compare the files of all daemons with what those run, and hold them against the desired state."""
    changes: list[DaemonChange] = []
    problems: list[Problem] = []
    objections: list[Objection] = []
    for file in files:
        text = _text_of(file)
        if isinstance(text, Objection):
            objections.append(text)
            continue
        problems += warnings_about(file, text, desired)
        found = _change(file, text, limits)
        if isinstance(found, DaemonChange):
            changes.append(found)
        else:
            objections += found
    plan = RoutingPlan(changes=tuple(changes), problems=tuple(problems), objections=tuple(objections))
    if plan.impact > limits.max_impact:
        text = f"what the routing daemons reload has impact {plan.impact.label}, more than --max-impact allows"
        objection = Objection(text, f"--max-impact {plan.impact.label} allows it")
        return RoutingPlan(changes=plan.changes, problems=plan.problems, objections=(*plan.objections, objection))
    return plan


def _text_of(file: RoutingFile) -> str | Objection:
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


def _change(file: RoutingFile, text: str, limits: Limits) -> DaemonChange | list[Objection]:
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
    difference = daemon.difference(text)
    if isinstance(difference, str):
        return [Objection(difference, f"try `vppcfg plan` again; is {title} busy?", ExitCode.DATAPLANE)]
    startup = _read(file.startup)
    texts = RoutingTexts(
        file=file, before=running.text, after=text, startup_before=startup or running.text, startup_after=text
    )
    return DaemonChange(texts=texts, difference=difference)


def daemon_rollback(record: Record, records: Sequence[Record], journal: Journal) -> RoutingPlan:
    """Return what brings the daemons back to what they ran before a change and all those in force after it.

    A daemon that does not answer is an error when it comes to loading. Raise PlanRefusedError when the journal cannot
    be read.
    """
    oldest: dict[tuple[DaemonKind, str, str], RoutingTexts] = {}
    for other in records:
        if other.entry.number < record.entry.number or other.status not in IN_FORCE:
            continue
        for texts in journal.routing(other.entry.number).texts:
            oldest.setdefault((texts.file.kind, texts.file.pathspace, texts.file.socket), texts)
    return RoutingPlan(changes=tuple(map(_back_to, oldest.values())))


def _back_to(texts: RoutingTexts) -> DaemonChange:
    daemon = daemon_of(texts.file)
    running = daemon.running()
    difference = daemon.difference(texts.before) if running.text else RoutingDifference()
    if isinstance(difference, str):
        difference = RoutingDifference(lines=(f"? {difference}",))
    if not running.text:
        difference = RoutingDifference(lines=(f"? {running.trouble}",))
    return DaemonChange(
        texts=RoutingTexts(
            file=texts.file,
            before=running.text,
            after=texts.before,
            startup_before=_read(texts.file.startup),
            startup_after=texts.startup_before,
        ),
        difference=difference,
    )


def keep_startup_files(number: int, journal: Journal) -> None:
    """Have the daemons start with what a change has loaded, now that it is accepted; report it when that fails."""
    for texts in _kept(number, journal).texts:
        file, title, change = texts.file, texts.file.kind.title, journal.record(number)
        if texts.is_changing and (trouble := _why_not_kept(texts, has_waited=change.timer is not None)):
            log.error("%s does not confirm its configuration: %s", title, trouble)
        if texts.startup_after and _read(file.startup) != texts.startup_after:
            if trouble := write_like(file.startup, texts.startup_after, file.startup):
                log.error("%s would start with its previous configuration: %s", title, trouble)
                continue
            # BIRD has read it already: it is not newer than what it runs.
            with suppress(ValueError):
                began_s = datetime.fromisoformat(change.entry.made_at).timestamp()
                os.utime(file.startup, (began_s, began_s))
            log.info("%s starts with the configuration of change %d: %s", title, number, file.startup)


def is_corrected(number: int, journal: Journal) -> bool:
    """Return whether a file of a routing daemon asks for something else by now than for a change."""
    return any(_text_of(texts.file) != texts.after for texts in _kept(number, journal).texts)


def _why_not_kept(texts: RoutingTexts, *, has_waited: bool) -> str:
    """Have a daemon keep what it runs, or load it again where it has gone back by itself; return why that failed."""
    daemon = daemon_of(texts.file)
    trouble = daemon.keep()
    if trouble != NOTHING_WAITS:
        return trouble
    return daemon.load(texts.after, None) if has_waited and texts.file.kind is DaemonKind.BIRD else ""


def keep_running(number: int, journal: Journal) -> None:
    """Have the daemons not go back by themselves: another timer brings them back."""
    for texts in _kept(number, journal).texts:
        trouble = daemon_of(texts.file).keep() if texts.is_changing else ""
        if trouble not in {"", NOTHING_WAITS}:
            log.warning("%s does not confirm its configuration: %s", texts.file.kind.title, trouble)


def accepted_routing(newest_first: Iterable[Record], journal: Journal) -> KeptRouting:
    """Return what the daemons run by the last change that was accepted and knew any."""
    for other in newest_first:
        if other.status in ACCEPTED and (kept := _kept(other.entry.number, journal)).texts:
            return kept
    return NO_ROUTING


def drift_of(kept: KeptRouting) -> Iterator[tuple[str, str]]:
    """Yield each daemon that does not run what was accepted, and how, or that does not start with it."""
    for texts in kept.texts:
        daemon, title = daemon_of(texts.file), texts.file.kind.title
        difference = daemon.difference(texts.after)
        if isinstance(difference, str):
            yield title, difference
        elif difference.lines:
            more = f" and {len(difference.lines) - 1} more" if len(difference.lines) > 1 else ""
            yield title, f"{title} does not run what was accepted: {difference.lines[0]}{more}"
        elif _read(texts.file.startup) != texts.startup_after:
            yield title, f"{texts.file.startup} is not what was accepted, and {title} would start with it"


def bring_back_accepted_routing(newest_first: Iterable[Record], journal: Journal) -> None:
    """Have the daemons run what was accepted last, where a change was under way when VPP went; report what fails."""
    for texts in accepted_routing(newest_first, journal).texts:
        daemon, title = daemon_of(texts.file), texts.file.kind.title
        difference = daemon.difference(texts.after)
        if isinstance(difference, str):
            log.warning("%s; it starts with %s", difference, texts.file.startup)
        elif difference.lines:
            log.warning("%s does not run what was accepted last: that is loaded again", title)
            if trouble := daemon.load(texts.after, None):
                log.error("%s", trouble)


def _kept(number: int, journal: Journal) -> KeptRouting:
    if not number:
        return NO_ROUTING
    try:
        return journal.routing(number)
    except PlanRefusedError as error:
        log.error("What the routing daemons ran around change %d is not known: %s", number, error.message)
        return NO_ROUTING


def _read(path: str) -> str:
    """Return a text file, '' when there is none to read."""
    try:
        return read_text(path)[0]
    except OSError:
        return ""
