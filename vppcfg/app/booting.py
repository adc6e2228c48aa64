"""`vppcfg apply --boot`: configures a freshly started VPP as was accepted last; no unconfirmed change comes back."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from vppcfg.app.applying import apply_at
from vppcfg.app.approval import Terms, pass_guards
from vppcfg.app.change_context import ChangeContext, locked_context
from vppcfg.app.changing import log_nothing_to_do, make_change
from vppcfg.app.console import Console
from vppcfg.app.foreign_files import foreign_reason
from vppcfg.app.hooks import after_boot, journalled_hooks
from vppcfg.app.intent import Intent
from vppcfg.app.loading import configuration_in, load_configuration, read
from vppcfg.app.routing_accepted import bring_back_accepted_routing
from vppcfg.app.target import Target, now
from vppcfg.app.unmanaged import compare_with
from vppcfg.app.way_back import log_unlike
from vppcfg.config.load import Loaded
from vppcfg.config.resolve import resolve
from vppcfg.entries.configuration import Configuration
from vppcfg.entries.yaml.files import SourceFiles
from vppcfg.errors import ConfigError, ExitCode, NotNowError, StorageError
from vppcfg.model.hooks import NO_HOOKS, Hooks
from vppcfg.model.ownership import NameGlobs
from vppcfg.model.problem import Problem, Severity
from vppcfg.model.state import State
from vppcfg.plan.rollback import closest_to, prove_way_back
from vppcfg.transaction.accepted import accepted_entry, accepted_state
from vppcfg.transaction.entry import INTERRUPTED, Entry, Origin, Status
from vppcfg.transaction.planning import plan_on, refuse_too_new

log = logging.getLogger("root.main")

PATIENCE_S = 120.0
"""How long VPP may take to answer after the machine or VPP was started."""
PORTS_PATIENCE_S = 60.0
"""How long interfaces may be missing after that: VPP answers before it has those of `unix { exec FILE }`."""
LATE = frozenset({"phy-missing", "route-interface", "nat44-interface"})
"""The rules about interfaces that other programs create, and that may come later."""


def apply_at_boot(files: str | SourceFiles, target: Target, terms: Terms, console: Console) -> ExitCode:
    """Wait for VPP and apply the file when it is what was accepted last, else the state that was."""
    with locked_context(target, "vppcfg apply", patience_s=PATIENCE_S, must_go_on=True) as place:
        code = _apply_at(place, files, terms, console)
        if code in {ExitCode.DONE, ExitCode.HOOK_FAILED}:
            _note_interruption(place)
            _compare(place)
            bring_back_accepted_routing(reversed(place.records), place.journal)
        return code


def _compare(place: ChangeContext) -> None:
    """Log what other programs had on interfaces and in tables before the boot, and do not have after it."""
    copy = place.journal.accepted()
    accepted = accepted_entry(place.records, copy)
    state = accepted_state(accepted, place.journal, copy) if accepted is not None else None
    if state is not None:
        compare_with(state, place.session.dataplane)


def _note_interruption(place: ChangeContext) -> None:
    """Write down that nothing is left in VPP of the last changes, which did not come to their end before this boot.

    Those that a later change went on from stay what they are: it began half-way.
    """
    for record in reversed(place.records):
        if record.status not in {*INTERRUPTED, Status.REVERTED}:
            return
        if record.status in INTERRUPTED:
            text = "it did not come to its end, and VPP got what was accepted when it was started"
            try:
                place.journal.end(record, Status.REVERTED, now(), text)
            except StorageError as error:
                log.error(
                    "Change %d is undone, but the journal could not be updated: %s", record.entry.number, error.message
                )


def _apply_at(place: ChangeContext, files: str | SourceFiles, terms: Terms, console: Console) -> ExitCode:
    copy = place.journal.accepted()
    accepted = accepted_entry(place.records, copy)
    if accepted is None:
        if place.journal.last_lost():
            log.warning("The journal does not have the last accepted configuration, so %s is applied", files)
        return _apply_file(*load_configuration(files, console), place, terms, console)
    loaded = _readable(files)
    unchanged = loaded if loaded is not None and loaded.digest == accepted.source_digest else None
    if unchanged is not None and unchanged.configuration is not None:
        # A change to the same file may have been rolled back since, to what VPP had drifted to.
        return _apply_file(configuration_in(unchanged, console), unchanged, place, replace(terms, again=True), console)
    state = accepted_state(accepted, place.journal, copy)
    if state is None:
        if unchanged is None:
            log.warning("The file of change %d, applied last, is lost, so %s is applied", accepted.number, files)
        loaded = read(files) if loaded is None else loaded
        return _apply_file(configuration_in(loaded, console), loaded, place, terms, console)
    if unchanged is not None:
        console.show_problems(unchanged.to_act_on, unchanged.name)
        text = "this vppcfg refuses %s, which was applied last (change %d): its state comes back; mend the file"
        log.error(text, files, accepted.number)
    else:
        log.warning(
            "%s is not what was applied last (change %d): that comes back; `vppcfg apply` applies the file",
            files,
            accepted.number,
        )
    return _apply_state(accepted, state, place, terms, console)


def await_ports(
    missing: Callable[[], tuple[str, ...]],
    patience_s: float | None = None,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Return when no interface is missing any more, or when `patience_s` are over and who needs them must refuse."""
    deadline, pause = clock() + (PORTS_PATIENCE_S if patience_s is None else patience_s), 0.1
    has_said = False
    while names := missing():
        if clock() + pause > deadline:
            return
        if not has_said:
            log.info("Waiting for VPP to make %s", ", ".join(names))
            has_said = True
        sleep(pause)
        pause = min(2 * pause, 2.0)


def _missing_ports(configuration: Configuration, place: ChangeContext) -> tuple[str, ...]:
    return resolve(configuration, place.session.dataplane.observe()).missing


def _readable(files: str | SourceFiles) -> Loaded | None:
    """Return what is in a file, whether it is valid or not; None when there is nothing to read."""
    try:
        return read(files)
    except ConfigError:
        return None


def _apply_file(
    configuration: Configuration, loaded: Loaded, place: ChangeContext, terms: Terms, console: Console
) -> ExitCode:
    if configuration.hooks != NO_HOOKS and (reason := foreign_reason(loaded)):
        configuration = replace(configuration, hooks=Hooks(unreadable=reason))
    await_ports(lambda: _missing_ports(configuration, place))
    applied = apply_at(place, configuration, loaded, terms, console, is_boot=True)
    code = ExitCode.NOT_NOW if _lacks_only_ports(applied.problems) else applied.code
    return after_boot(code, configuration.hooks, place)


def _lacks_only_ports(problems: Sequence[Problem]) -> bool:
    """Return whether nothing but missing interfaces stands between a file and VPP, which may have them later."""
    rules = {problem.rule for problem in problems if problem.severity is Severity.ERROR}
    return bool(rules) and rules <= LATE


def _apply_state(entry: Entry, desired: State, place: ChangeContext, terms: Terms, console: Console) -> ExitCode:
    is_unmanaged = NameGlobs(entry.unmanaged).matches
    await_ports(lambda: closest_to(desired, place.session.dataplane.observe(), is_unmanaged).awaited)
    observed = place.session.dataplane.observe()
    target = closest_to(desired, observed, is_unmanaged)
    if target.awaited:
        raise NotNowError(
            f"VPP lacks what change {entry.number} was made for: {', '.join(target.awaited)}",
            "wait for the ports and try again, or correct the file and apply it",
        )
    dataplane = place.session.dataplane
    way = prove_way_back(target, lambda state: plan_on(dataplane, observed, replace(state, unmanaged=())))
    log_unlike(way)
    plan = way.plan
    refuse_too_new(plan)
    hooks = journalled_hooks(entry.number, place.journal)
    if not plan.steps:
        log_nothing_to_do(plan)
        return after_boot(ExitCode.DONE, hooks, place)
    pass_guards(plan, entry.protected, terms, console, place.session.dataplane)
    intent = Intent(
        origin=Origin.BOOT,
        source_name=entry.source_name,
        source_digest=entry.source_digest,
        unmanaged=entry.unmanaged,
        protected=entry.protected,
        keep=terms.keep,
        is_forced=True,
        hooks=hooks,
        foreign_reason=partial(place.journal.foreign_reason, entry.number),
    )
    return after_boot(make_change(plan, intent, place, console).code, hooks, place)
