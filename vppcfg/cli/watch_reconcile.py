"""Brings a VPP that drifted back to its file: the same transaction as apply's, without anybody to ask."""

from __future__ import annotations

import argparse

from vppcfg.app.signals import Terminated
from vppcfg.cli.change import Intent, make_change
from vppcfg.cli.consent import refuse_rolled_back
from vppcfg.cli.watch_file import WatchedFile
from vppcfg.cli.watch_loop import Reconciler
from vppcfg.cli.workplace import Workplace, workplace
from vppcfg.config.resolve import resolve
from vppcfg.errors import ExitCode, PlanRefusedError
from vppcfg.model.problem import Severity
from vppcfg.plan.impact import Impact
from vppcfg.plan.plan import make_plan
from vppcfg.transaction import guard
from vppcfg.transaction.entry import Origin


def reconciler_for(args: argparse.Namespace) -> Reconciler:
    """Return what brings the VPP that the options name to a file."""
    settings = argparse.Namespace(**{**vars(args), "format": "text", "force": False})
    return lambda file: reconcile(file, settings)


def reconcile(file: WatchedFile, args: argparse.Namespace) -> ExitCode:
    """Plan, perform and verify, or go back; return how that ended. Raise VppcfgError when it is refused.

    A signal that comes meanwhile is obeyed once VPP is in the old state or the new one.
    """
    with workplace(args) as place:
        code = _reconcile(file, place, args)
    if code is ExitCode.INTERRUPTED:
        raise KeyboardInterrupt
    if code is ExitCode.TERMINATED:
        raise Terminated
    return code


def _reconcile(file: WatchedFile, place: Workplace, args: argparse.Namespace) -> ExitCode:
    refuse_rolled_back(file.loaded.digest, place, args)
    resolution = resolve(file.configuration, place.session.dataplane.observe(), adopt=args.adopt)
    errors = [problem.text for problem in resolution.problems if problem.severity is Severity.ERROR]
    if errors:
        raise PlanRefusedError(errors[0])
    plan = make_plan(resolution.observed, resolution.desired)
    if not plan.steps:
        return ExitCode.DONE
    guard.check_impact(plan, Impact[args.max_impact.upper()])
    guard.check_protected(plan, file.configuration.protected)
    guard.check_mass_deletion(plan)
    return make_change(plan, _intent(file), place, args).code


def _intent(file: WatchedFile) -> Intent:
    return Intent(
        origin=Origin.RECONCILE,
        source_name=file.loaded.origin,
        source_digest=file.loaded.digest,
        unmanaged=file.configuration.unmanaged,
    )
