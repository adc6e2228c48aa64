"""Applies a configuration as a transaction: plans, asks the guards, changes VPP, and writes the journal."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from vppcfg.app.approval import Terms, guard, pass_guards, refuse_rolled_back, refuse_unwanted_reload
from vppcfg.app.change_context import ChangeContext, locked_context
from vppcfg.app.changing import log_nothing_to_do, make_change, note_unchanged
from vppcfg.app.confirming import wait_for_confirmation
from vppcfg.app.console import Console
from vppcfg.app.foreign_files import foreign_reason, refuse_foreign
from vppcfg.app.intent import Intent
from vppcfg.app.journaled_states import applied_file
from vppcfg.app.loading import load_configuration
from vppcfg.app.planning import propose, show_obstacles
from vppcfg.app.routing_accepted import loaded_texts, persist_running, refuse_old_startup, starts_otherwise
from vppcfg.app.routing_plan import RoutingPlan, plan_routing
from vppcfg.app.taken_addresses import about_taken, probe_new_addresses
from vppcfg.app.target import Target
from vppcfg.config.load import Loaded
from vppcfg.entries.configuration import Configuration
from vppcfg.entries.yaml.files import SourceFiles
from vppcfg.errors import ConfigError, DataplaneError, ExitCode, PlanRefusedError, UsageError, VppcfgError
from vppcfg.model.checks import Check, longest_s
from vppcfg.model.problem import Problem
from vppcfg.model.programs import programs_of
from vppcfg.plan.plan import Plan
from vppcfg.record import record
from vppcfg.transaction.accepted import last_accepted, last_interrupted
from vppcfg.transaction.entry import Origin
from vppcfg.transaction.installing import digest_at, refuse_misplaced

log = logging.getLogger("root.main")

_ERRORS: Mapping[ExitCode, type[VppcfgError]] = {ExitCode.INVALID: ConfigError, ExitCode.DATAPLANE: DataplaneError}
"""What an objection is raised as, so that `plan` and `apply` end alike."""


@record
class Applied:
    """The outcome of a configuration."""

    code: ExitCode
    change: int = 0
    """Number of the change in the journal, 0 when there is none."""
    problems: tuple[Problem, ...] = ()
    """What stood between the configuration and VPP."""
    is_waiting: bool = False
    """Whether the operator has to confirm the change."""
    failed_checks: tuple[str, ...] = ()
    """The checks that were good before the change and are not any more, each with the reason."""


def apply_file(files: str | SourceFiles, target: Target, terms: Terms, console: Console) -> Applied:
    """Apply a configuration file, or several over each other.

    Raise VppcfgError when it is refused before anything was changed.
    """
    configuration, loaded = load_configuration(files, console)
    return apply_configuration(configuration, loaded, target, terms, console)


def apply_configuration(
    configuration: Configuration, loaded: Loaded, target: Target, terms: Terms, console: Console
) -> Applied:
    """Apply a configuration that was loaded; with `terms.wait`, return once it is decided whether it stays."""
    with locked_context(target, "vppcfg apply") as place:
        applied = apply_at(place, configuration, loaded, terms, console)
    return awaited_confirmation(applied, target, terms, console)


def awaited_confirmation(applied: Applied, target: Target, terms: Terms, console: Console) -> Applied:
    """Print how to confirm, and wait for the confirmation where that is wanted."""
    if applied.code is not ExitCode.DONE or not applied.is_waiting or terms.confirm_s is None:
        return applied
    code = wait_for_confirmation(applied.change, target, terms.confirm_s, console, wait=terms.wait)
    return replace(applied, code=code)


def apply_at(
    place: ChangeContext,
    configuration: Configuration,
    loaded: Loaded,
    terms: Terms,
    console: Console,
    *,
    is_boot: bool = False,
) -> Applied:
    """Apply a configuration with the lock held."""
    intent = _installing(_intent(configuration, loaded, terms, is_boot=is_boot), terms)
    if not is_boot:
        # What root puts in place is root's from then on.
        checks = configuration.checks if terms.has_checks or terms.install_as else ()
        refuse_foreign(configuration, loaded, programs_of(intent.hooks, checks))
    refuse_rolled_back(intent.source_digest, place, terms)
    applied = applied_file(place.journal, place.session.boot_id)
    observed = place.session.dataplane.observe()
    proposal = propose(configuration, loaded, observed, adopt=terms.adopt, applied=applied)
    code = show_obstacles(proposal, loaded.name, console)
    if code is not ExitCode.DONE:
        log.error("Nothing was changed")
        return Applied(code=code, problems=proposal.problems)
    plan = proposal.plan_on(place.session.dataplane)
    if not is_boot:
        intent = replace(intent, routing=_routing(configuration, plan, place, terms, loaded, console))
    if not plan.steps and not intent.routing.steps:
        log_nothing_to_do(plan)
        is_interrupted = last_interrupted(reversed(place.records)) is not None
        is_unsaved = any(map(starts_otherwise, intent.routing.journalled.texts))
        if is_not_in_force(intent.source_digest, place) or is_interrupted or intent.install_as or is_unsaved:
            unchanged = note_unchanged(plan, intent, place)
            persist_running(unchanged.entry.number, place.journal)
            refuse_misplaced(unchanged)
            refuse_old_startup(unchanged, place.journal)
        return Applied(code=ExitCode.DONE, problems=proposal.problems)
    if not is_boot:
        if terms.rehearsal is not None:
            from vppcfg.app.plan_rehearsal import refuse_failed

            refuse_failed(plan, terms.rehearsal, configuration.unmanaged, intent.foreign_reason)
        console.show_programs(intent.programs)
    (pass_guards if is_boot else guard)(plan, configuration.protected, terms, console, place.session.dataplane)
    refuse_unwanted_reload(intent.routing, plan, console)
    if intent.checks:
        _refuse_taken(plan, place)
    change_result = make_change(plan, intent, place, console)
    refuse_misplaced(change_result.record)
    if change_result.code is ExitCode.DONE:
        refuse_old_startup(change_result.record, place.journal)
    broken = change_result.comparison.broken if change_result.comparison is not None else ()
    return Applied(
        code=change_result.code,
        change=change_result.record.entry.number,
        problems=proposal.problems,
        is_waiting=change_result.is_waiting,
        failed_checks=tuple(f"{result.check.text}: {result.reason}" for result in broken),
    )


def _intent(configuration: Configuration, loaded: Loaded, terms: Terms, *, is_boot: bool) -> Intent:
    return Intent(
        origin=Origin.BOOT if is_boot else Origin.APPLY,
        source_name=loaded.origin,
        source_digest=loaded.digest,
        source=loaded.source,
        comment=terms.comment,
        unmanaged=configuration.unmanaged,
        protected=configuration.protected,
        hooks=configuration.hooks,
        foreign_reason=partial(foreign_reason, loaded),
        checks=_checks(configuration, terms),
        holds=terms.holds,
        confirm_s=terms.confirm_s,
        keep=terms.keep,
        is_forced=terms.limits.no_way_back or is_boot,
    )


def _refuse_taken(plan: Plan, place: ChangeContext) -> None:
    """Raise PlanRefusedError when another host has an address that the plan sets."""
    probes = probe_new_addresses(plan, place.session.dataplane)
    for probe in probes:
        log.info("%s", probe.text)
    for objection in about_taken(probes):
        raise objection.error()


def _routing(
    configuration: Configuration, plan: Plan, place: ChangeContext, terms: Terms, loaded: Loaded, console: Console
) -> RoutingPlan:
    """Return what the routing daemons are to load. Raise PlanRefusedError when one of them cannot, or must not."""
    former = loaded_texts(reversed(place.records), place.journal) if configuration.routing else ()
    routing = plan_routing(configuration.routing, plan.desired, terms.limits, former)
    console.show_problems(loaded.placed(routing.problems), loaded.name)
    for objection in routing.objections:
        raise _ERRORS.get(objection.code, PlanRefusedError)(f"{objection.text}; nothing was changed", objection.hint)
    console.show_routing(routing.steps)
    return routing


def _checks(configuration: Configuration, terms: Terms) -> tuple[Check, ...]:
    """Return what is to be checked. Raise UsageError when that is nothing, or takes longer than there is."""
    if not terms.has_checks:
        return ()
    checks = (*configuration.checks, *terms.more_checks)
    if not checks:
        raise UsageError("there is nothing to check", "add `checks` to the file, or name some with --add-check")
    if terms.confirm_s is not None and longest_s(checks) >= terms.confirm_s:
        raise UsageError(
            f"the checks may take {longest_s(checks)} s, and the change waits {terms.confirm_s:g} s to be confirmed",
            "give more time with --confirm, or less to the checks with `within`",
        )
    return checks


def _installing(intent: Intent, terms: Terms) -> Intent:
    """Return an intent with the place that the file is to get, unless that has the same file already.

    Raise UsageError when no file can stand there.
    """
    if not terms.install_as:
        return intent
    path = os.path.realpath(terms.install_as)
    if os.path.exists(path) and not os.path.isfile(path):
        raise UsageError(f"{terms.install_as} is no regular file, so no file can be put in its place")
    if not os.path.isdir(os.path.dirname(path)):
        raise UsageError(f"there is no folder {os.path.dirname(path)} to put a file into", "make it first")
    is_there = digest_at(path) == intent.source_digest
    return replace(intent, source_name=path, install_as="" if is_there else path)


def is_not_in_force(digest: str, place: ChangeContext) -> bool:
    """Return whether the last change that the journal has as accepted is not of this file."""
    last = last_accepted(place.records)
    return last is None or last.entry.source_digest != digest
