"""`vppcfg rollback [N]`: plans from what is there now to the state before change N, and applies that."""

from __future__ import annotations

import argparse
import logging
from typing import TYPE_CHECKING

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.dataplane_options import add_dataplane_options
from vppcfg.cli.transaction_options import add_change_options, add_state_dir_option
from vppcfg.errors import ExitCode, PlanRefusedError

if TYPE_CHECKING:
    from vppcfg.cli.change import Intent
    from vppcfg.cli.workplace import Workplace
    from vppcfg.plan.plan import Plan
    from vppcfg.transaction.journal import Record

log = logging.getLogger("root.main")


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "rollback",
        help="bring back the state before a change",
        description=(
            "Bring VPP back to the state before a change. What the change did is not replayed backwards: the way is "
            "planned from what VPP has now."
        ),
    )
    parser.add_argument(
        "number",
        metavar="N",
        nargs="?",
        type=change_number,
        help="number of the change (default: the last one in force); `vppcfg history` lists them",
    )
    add_dataplane_options(parser)
    add_change_options(parser)
    add_state_dir_option(parser)
    parser.add_argument("--unless-confirmed", metavar="N", type=change_number, help=argparse.SUPPRESS)
    parser.add_argument("--deadline", metavar="S", type=float, default=0.0, help=argparse.SUPPRESS)
    parser.add_argument("--ready-fd", metavar="FD", type=int, help=argparse.SUPPRESS)
    parser.set_defaults(run=run, keep=False)


def change_number(text: str) -> int:
    """Return the number of a change in an argument. Raise ArgumentTypeError."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of a change")
    return int(text)


def run(args: argparse.Namespace) -> ExitCode:
    """Roll back, at once or when nobody confirms in time."""
    from vppcfg.cli.workplace import workplace

    if args.unless_confirmed is not None:
        from vppcfg.cli.rollback_timer import roll_back_unless_confirmed

        return roll_back_unless_confirmed(args)
    with workplace(args, is_settling=False) as place:
        return roll_back(_chosen(place, args), place, args)


def _chosen(place: Workplace, args: argparse.Namespace) -> Record:
    from vppcfg.transaction.accepted import to_roll_back

    if args.number is not None:
        return place.journal.record(args.number)
    record = to_roll_back(place.records)
    if record is None:
        raise PlanRefusedError("no change is in force that could be rolled back", "`vppcfg history` lists the changes")
    return record


def roll_back(record: Record, place: Workplace, args: argparse.Namespace, *, is_timer: bool = False) -> ExitCode:
    """Bring back the state before a change and note that this change, and those after it, are not in force any more."""
    from vppcfg.cli.apply import ask, show
    from vppcfg.cli.change import make_change
    from vppcfg.plan.impact import Impact
    from vppcfg.transaction.guard import check_impact

    plan = plan_back(record, place)
    if plan.steps:
        show(plan, args)
        check_impact(plan, Impact[args.max_impact.upper()])
        if not is_timer:
            ask(plan, args)
        made = make_change(plan, _intent(record, place, is_timer=is_timer), place, args)
        if made.code is not ExitCode.DONE:
            return made.code
    else:
        log.info("Nothing to do")
    _note(record, place, is_timer=is_timer)
    log.info("The state before change %d is back", record.entry.number)
    return ExitCode.DONE


def plan_back(record: Record, place: Workplace) -> Plan:
    """Return the plan from what is there now to the state before a change. Raise PlanRefusedError without a port."""
    from vppcfg.model.ownership import NameGlobs
    from vppcfg.plan.plan import make_plan
    from vppcfg.plan.retarget import retarget

    entry = record.entry
    observed = place.session.dataplane.observe()
    target = retarget(place.journal.before(entry.number), observed, NameGlobs(entry.unmanaged).matches)
    if target.missing:
        raise PlanRefusedError(
            f"VPP has lost what was there before change {entry.number}: {', '.join(target.missing)}",
            "bring the port back, or correct the file and apply it",
        )
    return make_plan(observed, target.state)


def _intent(record: Record, place: Workplace, *, is_timer: bool) -> Intent:
    from vppcfg.cli.change import Intent
    from vppcfg.plan.diff import diff
    from vppcfg.transaction.accepted import last_accepted
    from vppcfg.transaction.journal import Origin

    entry = record.entry
    former = last_accepted([other for other in place.records if other.entry.number < entry.number])
    is_known = former is not None and not any(
        diff(place.journal.before(entry.number), place.journal.after(former.entry.number))
    )
    return Intent(
        origin=Origin.TIMER if is_timer else Origin.ROLLBACK,
        source_name=former.entry.source_name if former and is_known else "",
        source_digest=former.entry.source_digest if former and is_known else "",
        target=entry.number,
        is_forced=True,
        unmanaged=entry.unmanaged,
    )


def _note(record: Record, place: Workplace, *, is_timer: bool) -> None:
    """Write down what is not in force any more, and stop its timer."""
    from vppcfg.cli.change import disarm
    from vppcfg.cli.workplace import now
    from vppcfg.transaction.journal import IN_FORCE, Status

    text = "nobody confirmed it in time" if is_timer else ""
    for other in place.records:
        if other.entry.number >= record.entry.number and other.status in IN_FORCE:
            place.journal.end(other, Status.ROLLED_BACK, now(), text)
            disarm(other)
