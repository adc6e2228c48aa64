"""`vppcfg plan`: a configuration file in, the steps that bring a dataplane to it out. Changes nothing."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.options import (
    DEFAULT_CONFIG,
    add_adopt_option,
    add_again_option,
    add_config_option,
    add_dataplane_options,
    add_limit_options,
    add_reading_option,
    add_rehearsal_options,
    add_state_dir_option,
    files_of,
    limits_of,
    output_file,
    rehearsal_of,
    target_of,
    terms_of,
)
from vppcfg.common.log_detail import DETAIL
from vppcfg.errors import (
    ContradictionError,
    DataplaneError,
    ExitCode,
    NotNowError,
    PlanRefusedError,
    UsageError,
    VppcfgError,
)

if TYPE_CHECKING:
    from vppcfg.app.planning import Proposal
    from vppcfg.app.routing_plan import DaemonChange, RoutingPlan
    from vppcfg.cli.console import Terminal
    from vppcfg.config.load import Loaded
    from vppcfg.dataplane import Dataplane
    from vppcfg.entries.configuration import Configuration
    from vppcfg.model.problem import Problem
    from vppcfg.model.programs import Program
    from vppcfg.model.state import State
    from vppcfg.operations.operation import Operation
    from vppcfg.plan.plan import Plan
    from vppcfg.probe.rehearsal import PlanRehearsal
    from vppcfg.transaction.guard import Limits, Objection
    from vppcfg.transaction.journal import Journal

log = logging.getLogger("root.main")


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "plan",
        help="show the steps from VPP's state to the configuration",
        description=(
            "Show the steps that bring VPP from its present state to the configuration. Changes nothing, and reads "
            "private keys for --rehearse alone. The exit code is that of `vppcfg apply --yes` with the same options, "
            "except that `apply` may refuse a private key."
        ),
    )
    add_config_option(parser)
    add_dataplane_options(parser)
    add_reading_option(parser)
    parser.add_argument(
        "-o", "--output", metavar="OUT", type=output_file, help="write the plan to a file (default: standard output)"
    )
    parser.add_argument(
        "--format",
        choices=["cli", "diff", "json"],
        help=(
            "CLI lines for `vppctl exec` (default in a pipe and for -o), the difference as entries of the file "
            "(default on a terminal), or JSON for programs"
        ),
    )
    parser.add_argument(
        "--html",
        metavar="FILE",
        type=output_file,
        help="also write the plan as one HTML page, for the approval of the change",
    )
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        "--novpp", action="store_true", help="plan against an unconfigured VPP with only the ports of the file"
    )
    source.add_argument(
        "--state",
        "--against",
        metavar="DUMP",
        help="plan against a saved `vppcfg dump`, a state document, or an archive of `vppcfg report`",
    )
    source.add_argument(
        "--save",
        metavar="PLAN",
        help="save the plan for `vppcfg apply PLAN`, which carries out exactly this plan or refuses",
    )
    source.add_argument(
        "--show", metavar="PLAN", help="show a saved plan, with the exit code that `vppcfg apply PLAN` would have"
    )
    add_adopt_option(parser)
    add_limit_options(parser)
    add_again_option(parser)
    add_rehearsal_options(parser, "--rehearse", "rehearse the plan step by step")
    parser.add_argument(
        "--probe-addresses",
        action="store_true",
        help="probe the links for hosts that already use a new address; `apply --check` probes too, and refuses "
        "duplicates",
    )
    parser.add_argument(
        "--detailed-exitcode", action="store_true", help="exit 2 when there is something to change, 0 when not"
    )
    add_state_dir_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """Show the plan; exit 12, 5 or 4 when something forbids applying it, as `apply` would."""
    from vppcfg.app.journaled_states import applied_file
    from vppcfg.app.loading import load_configuration
    from vppcfg.app.planning import propose
    from vppcfg.cli.console import log_unknown_pauses, terminal_for
    from vppcfg.model.programs import programs_of

    console = terminal_for(args)
    if args.show is not None:
        return _show_saved(args, console)
    configuration, loaded = load_configuration(files_of(args), console)
    with observed(args, configuration) as (state, dataplane):
        boot_id = dataplane.boot_id if dataplane is not None else ""
        if boot_id:
            _warn_of_journal(args, boot_id)
        journal = target_of(args).journal()
        applied = applied_file(journal, boot_id)
        proposal = propose(configuration, loaded, state, adopt=args.adopt, applied=applied)
        before = _before_planning(loaded, boot_id, args)
        if not proposal.resolution.is_possible:
            log.error("There is no plan at present")
            return _verdict(before, proposal.problems, (), loaded.name, console)
        plan = _plan_of(proposal, args, dataplane)
        guarded = _guarded(plan, configuration, args, dataplane)
        foreign = refused_programs(configuration, loaded) if dataplane is not None else []
        routing = routing_of(plan, configuration, journal, limits_of(args), None if foreign else dataplane)
        _probe_addresses(plan, args, dataplane)
    rehearsal = _rehearsed(plan, args, configuration.unmanaged, loaded)
    problems = loaded.placed((*proposal.problems, *routing.problems))
    guarded = [*foreign, *routing.objections, *guarded]
    programs = programs_of(configuration.hooks, configuration.checks) if plan.steps or routing.steps else ()
    shown = (*proposal.resolution.problems, *routing.problems)
    _show(plan, shown, (*before, *guarded), args, programs, routing, rehearsal)
    if dataplane is not None:
        log_unknown_pauses(plan)
    if args.html is not None:
        _write_page(plan, shown, (*before, *guarded), loaded, args, programs, routing, rehearsal)
    code = _verdict(before, problems, guarded, loaded.name, console)
    if rehearsal is not None and rehearsal.has_failed and code is ExitCode.DONE:
        code = ExitCode.REFUSED
    if code is not ExitCode.DONE:
        return code
    if args.save is not None:
        from vppcfg.app.saved_plans import save_plan

        save_plan(args.save, plan, loaded, boot_id, adopt=args.adopt)
    log.info("Planning succeeded", extra=DETAIL)
    is_pending = bool(plan.steps or routing.steps)
    return ExitCode.CHANGES_PENDING if is_pending and args.detailed_exitcode else ExitCode.DONE


def routing_of(
    plan: Plan, configuration: Configuration, journal: Journal, limits: Limits, dataplane: Dataplane | None
) -> RoutingPlan:
    """Return what routing daemons load with the plan; without a VPP, nothing is known of those of its machine."""
    from vppcfg.app.routing_accepted import loaded_texts
    from vppcfg.app.routing_plan import NO_DAEMONS, plan_routing

    if not configuration.routing:
        return NO_DAEMONS
    if dataplane is None:
        log.warning("What the routing daemons would load is left out: they run on the router")
        return NO_DAEMONS
    try:
        loaded = loaded_texts(journal.newest_first(), journal)
    except PlanRefusedError as error:
        log.warning("What the routing daemons have loaded without being confirmed is not known: %s", error.message)
        loaded = ()
    return plan_routing(configuration.routing, plan.desired, limits, loaded)


def _rehearsed(plan: Plan, args: argparse.Namespace, unmanaged: Sequence[str], loaded: Loaded) -> PlanRehearsal | None:
    """Rehearse a plan on request, and print what that shows."""
    terms = rehearsal_of(args)
    if terms is None or not plan.steps:
        return None
    from functools import partial

    from vppcfg.app.foreign_files import foreign_reason
    from vppcfg.app.plan_rehearsal import logged, rehearse_plan
    from vppcfg.cli.progress import Progress
    from vppcfg.model.ownership import NameGlobs

    with Progress("Rehearsing", len(plan.steps)) as progress:
        rehearsal = rehearse_plan(
            plan, terms, NameGlobs(unmanaged).matches, progress.report, partial(foreign_reason, loaded)
        )
    logged(rehearsal)
    return rehearsal


def refused_programs(configuration: Configuration, loaded: Loaded) -> list[Objection]:
    """Return why `apply` would refuse what a configuration does on the machine, beside VPP."""
    from vppcfg.app.foreign_files import refuse_foreign
    from vppcfg.model.programs import programs_of
    from vppcfg.transaction.guard import Objection

    try:
        refuse_foreign(configuration, loaded, programs_of(configuration.hooks))
    except PlanRefusedError as error:
        return [Objection(error.message, error.hint, error.exit_code)]
    return []


def _plan_of(proposal: Proposal, args: argparse.Namespace, dataplane: Dataplane | None) -> Plan:
    """Return the plan; on a running VPP it includes what other programs have on what it touches.

    Raise UsageError when there is none because a state document contradicts itself.
    """
    try:
        return proposal.plan() if dataplane is None else proposal.plan_on(dataplane)
    except ContradictionError as error:
        if args.state is None:
            raise
        raise UsageError(f"{args.state} contradicts itself, and cannot be planned from: {error.reason}") from error


def _show_saved(args: argparse.Namespace, console: Terminal) -> ExitCode:
    """Show a saved plan; exit as `apply` of it would."""
    from dataclasses import replace

    from vppcfg.app.saved_plans import current_state_for, refuse_stale, saved_plan, saved_programs
    from vppcfg.plan.plan import make_plan

    if args.probe_addresses:
        raise UsageError("--show prints a saved plan, and reads neither VPP nor a file", "leave out --probe-addresses")
    if rehearsal_of(args) is not None:
        raise UsageError("--show prints a saved plan, and rehearses nothing", "leave out --rehearse")
    if args.config != DEFAULT_CONFIG or args.adopt:
        raise UsageError("--show takes no configuration and no --adopt", "the plan was saved with both")
    saved = saved_plan(args.show)
    log.info("Made %s by vppcfg %s for %s", saved.made_at, saved.made_with, saved.source_name)
    plan = make_plan(saved.observed, saved.desired)
    try:
        found = current_state_for(saved, args.show, target_of(args))
    except VppcfgError:
        _show(plan, (), (), args, saved_programs(saved))
        raise
    sized = replace(saved.observed.facts, sizes=found.observed.facts.sizes)
    plan = replace(plan, observed=replace(plan.observed, facts=sized))
    _warn_of_journal(args, found.boot_id)
    before = _before_planning(found.loaded, found.boot_id, args)
    foreign = refused_programs(found.configuration, found.loaded)
    with target_of(args).connect() as dataplane:
        guarded = _guarded(plan, found.configuration, args, dataplane)
        running = None if foreign else dataplane
        routing = routing_of(plan, found.configuration, target_of(args).journal(), limits_of(args), running)
    guarded = [*foreign, *routing.objections, *guarded]
    problems = found.loaded.placed((*found.problems, *routing.problems))
    _show(plan, problems, (*before, *guarded), args, saved_programs(saved), routing)
    code = _verdict(before, problems, guarded, saved.source_name, console)
    try:
        refuse_stale(saved, found, console)
    except PlanRefusedError as error:
        if not before:
            raise
        log.error("%s", error.message)
    if args.html is not None:
        _write_page(plan, problems, (*before, *guarded), found.loaded, args, saved_programs(saved), routing)
    if code is not ExitCode.DONE:
        return code
    log.info("It fits: VPP and the file are as they were; `vppcfg apply %s` applies it", args.show)
    is_pending = bool(plan.steps or routing.steps)
    return ExitCode.CHANGES_PENDING if is_pending and args.detailed_exitcode else ExitCode.DONE


def _verdict(
    before: Sequence[Objection],
    problems: Sequence[Problem],
    guarded: Sequence[Objection],
    file_name: str,
    console: Terminal,
) -> ExitCode:
    """Print everything that `apply` would refuse, and return the exit code of the first refusal."""
    from vppcfg.app.planning import exit_code_of

    console.show_problems(problems, file_name)
    obstacle = exit_code_of(problems)
    if obstacle is not ExitCode.DONE:
        log.error("The plan would be refused at present")
    for objection in (*before, *guarded):
        log.error("`vppcfg apply` would refuse this: %s; %s", objection.text, objection.hint)
    codes = (*(each.code for each in before), obstacle, *(each.code for each in guarded))
    return next((code for code in codes if code is not ExitCode.DONE), ExitCode.DONE)


@contextmanager
def observed(args: argparse.Namespace, configuration: Configuration) -> Iterator[tuple[State, Dataplane | None]]:
    """Yield the state to plan from, made up, read or that of a running VPP, and that VPP."""
    if args.novpp:
        from vppcfg.config.assumed_state import assumed_state

        yield assumed_state(configuration), None
    elif args.state is not None:
        from vppcfg.app.loading import read_state

        yield read_state(args.state), None
    else:
        with _connected(args) as dataplane:
            yield dataplane.observe(), dataplane


@contextmanager
def _connected(args: argparse.Namespace) -> Iterator[Dataplane]:
    """Yield the running VPP. Raise NotNowError where it does not answer while another vppcfg is at work on it."""
    from vppcfg.transaction.lock import holder_text

    target = target_of(args)
    try:
        with target.connect() as dataplane:
            yield dataplane
    except DataplaneError as error:
        if holder := target.who_is_at_work():
            text = f"{error.message}; {holder_text(holder)}"
            raise NotNowError(text, "wait for it to end, and plan again") from error
        raise


def _before_planning(loaded: Loaded, boot_id: str, args: argparse.Namespace) -> list[Objection]:
    """Return why `apply` would refuse before it plans; nothing where there is no VPP."""
    from vppcfg.app.approval import target_objections

    return list(target_objections(loaded.digest, target_of(args), boot_id, terms_of(args))) if boot_id else []


def _guarded(
    plan: Plan, configuration: Configuration, args: argparse.Namespace, dataplane: Dataplane | None
) -> list[Objection]:
    """Return why the guards of `apply` with the same options would refuse the plan."""
    from vppcfg.app.approval import rollback_objections
    from vppcfg.transaction.guard import about_unmanaged, final_objections, objections

    if not plan.steps:
        return []
    limits = terms_of(args).limits
    return [
        *objections(plan, configuration.protected, limits),
        *about_unmanaged(plan, configuration.protected, limits),
        *rollback_objections(plan, configuration.unmanaged, limits),
        *final_objections(plan, dataplane),
    ]


def _probe_addresses(plan: Plan, args: argparse.Namespace, dataplane: Dataplane | None) -> None:
    """Print whether another host has each new address, on request. Raise UsageError without a VPP."""
    if not args.probe_addresses:
        return
    if dataplane is None:
        raise UsageError("--probe-addresses asks a running VPP", "leave out --novpp and --state")
    from vppcfg.app.taken_addresses import probe_new_addresses

    for probe in probe_new_addresses(plan, dataplane):
        log.log(logging.WARNING if probe.is_taken or probe.not_asked else logging.INFO, "%s", probe.text)


def _warn_of_journal(args: argparse.Namespace, boot_id: str) -> None:
    """Print what the journal has of a change that waits or was interrupted, where it may be read."""
    from vppcfg.app.confirming import unconfirmed
    from vppcfg.app.interrupted_change import interrupted_change

    journal = target_of(args).journal()
    with suppress(PlanRefusedError):
        if undecided := unconfirmed(journal):
            log.warning("%s", undecided.text)
        if found := interrupted_change(journal.newest_first(), boot_id):
            log.warning("%s", found.text)


def _show(
    plan: Plan,
    problems: Sequence[Problem],
    objections: Sequence[Objection],
    args: argparse.Namespace,
    programs: Sequence[Program],
    routing: RoutingPlan | None = None,
    rehearsal: PlanRehearsal | None = None,
) -> None:
    from vppcfg.app.changing import log_nothing_to_do
    from vppcfg.cli.console import programs_text, routing_text
    from vppcfg.cli.output import ColourChoice, is_terminal, paint_for, write_document

    for_a_person = args.output is None and is_terminal(sys.stdout)
    shape = args.format or ("diff" if for_a_person else "cli")

    steps = routing.steps if routing is not None else ()
    if not plan.steps and not steps:
        log_nothing_to_do(plan)
        if shape != "json" and args.output is None:
            return
    if shape == "cli":
        if args.format is None and args.output is None:
            log.info("CLI lines, because standard output is no terminal; `--format diff` shows the difference")
        from vppcfg.render.notes import omission_lines
        from vppcfg.render.plan_text import comment_line, plan_text

        text = plan_text(plan)
        comments = [comment_line(line) for line in (*routing_text(steps), *programs_text(programs))]
        write_document("".join(f"{line}\n" for line in (*text.lines, *comments)), args.output)
        said = omission_lines(plan) if plan.steps else ()
        for line in (*programs_text(programs), *said):  # a comment has no signs that VPP's CLI would take for its own
            log.info("%s", line)
        _warn_of_gaps(text.without_form)
    elif shape == "json":
        from vppcfg.app.routing_plan import routing_impact
        from vppcfg.render.json_text import plan_document
        from vppcfg.render.programs_text import program_document
        from vppcfg.render.rehearsal_text import rehearsal_document

        refusals = [objection.text for objection in objections]
        document = plan_document(
            plan,
            problems,
            api_call,
            refusals,
            routing_documents(steps),
            routing_impact(steps),
            program_document(programs),
            rehearsal_document(rehearsal) if rehearsal is not None else None,
        )
        write_document(document, args.output)
    else:
        from vppcfg.cli.difference import painted_difference

        paint = paint_for(sys.stdout, ColourChoice.NEVER if args.output else args.color)
        beside = "".join(f"{line}\n" for line in (*routing_text(steps), *programs_text(programs)))
        write_document(f"{painted_difference(plan, paint) if plan.steps else ''}{beside}", args.output)


def routing_documents(steps: Sequence[DaemonChange]) -> list[Any]:
    """Return what programs read of what routing daemons load."""
    from vppcfg.render.routing_text import routing_document

    return [
        routing_document(
            step.texts.file.kind.value,
            step.texts.file.path,
            step.difference.text_lines,
            step.difference.worst.name.lower(),
            step.difference.effects,
        )
        for step in steps
    ]


def _write_page(
    plan: Plan,
    problems: Sequence[Problem],
    objections: Sequence[Objection],
    loaded: Loaded,
    args: argparse.Namespace,
    programs: Sequence[Program],
    routing: RoutingPlan,
    rehearsal: PlanRehearsal | None = None,
) -> None:
    """Write the plan for a browser."""
    from vppcfg import __version__
    from vppcfg.app.target import now, who
    from vppcfg.cli.console import programs_text, routing_text
    from vppcfg.cli.output import write_file
    from vppcfg.render.plan_page import PageFacts, plan_page
    from vppcfg.render.rehearsal_text import rehearsal_lines

    place = "an unconfigured VPP" if args.novpp else args.state or f"the VPP at {args.api_socket}"
    facts = PageFacts(
        file=loaded.name, digest=loaded.digest, made_at=now(), made_by=who(), vppcfg_version=__version__, source=place
    )
    refusals = [objection.text for objection in objections]
    rehearsed = [*rehearsal_lines(rehearsal)] if rehearsal is not None else []
    loads, runs = [*routing_text(routing.steps)], [*programs_text(programs)]
    page = plan_page(plan, problems, refusals, facts, loads, runs, rehearsed)
    write_file(page, args.html)
    log.info("Wrote the plan as a page to %s", args.html)


def api_call(operation: Operation) -> tuple[str, Mapping[str, Any]]:
    """Return the message that carries an operation out, and its values: one to VPP, or one to Linux by netlink."""
    from vppcfg.common.documents import plain
    from vppcfg.vpp.messages.readable import api_call as api_call_to_vpp

    if not operation.needs_vpp:
        return "netlink", plain(operation)
    return api_call_to_vpp(operation)


def _warn_of_gaps(count: int) -> None:
    if count:
        log.warning("%d step(s) have no CLI form: the text alone does not bring VPP there, `vppcfg apply` does", count)
