"""`vppcfg apply --boot`: brings a fresh VPP to what was accepted last, so that no unconfirmed change comes back."""

from __future__ import annotations

import argparse
import logging
from hashlib import sha256
from pathlib import Path

from vppcfg.cli.apply import apply_loaded, guard
from vppcfg.cli.change import Intent, make_change
from vppcfg.cli.loading import load_configuration
from vppcfg.cli.workplace import Workplace, workplace
from vppcfg.errors import ExitCode, PlanRefusedError
from vppcfg.model.ownership import NameGlobs
from vppcfg.plan.plan import make_plan
from vppcfg.plan.retarget import retarget
from vppcfg.transaction.accepted import last_accepted
from vppcfg.transaction.journal import Origin, Record

log = logging.getLogger("root.main")

PATIENCE_S = 120.0
"""How long VPP may take to answer after the machine or VPP was started."""


def apply_at_boot(args: argparse.Namespace) -> ExitCode:
    """Wait for VPP and apply the file when it is what was accepted last, else the state that was."""
    with workplace(args, patience_s=PATIENCE_S) as place:
        accepted = last_accepted(place.records)
        if accepted is None or accepted.entry.source_digest == _digest(args.config):
            configuration, loaded = load_configuration(args)
            return apply_loaded(configuration, loaded, place, args, is_boot=True)[0]
        log.warning(
            "%s is not what was applied last (change %d): that comes back; `vppcfg apply` applies the file",
            args.config,
            accepted.entry.number,
        )
        return _apply_state(accepted, place, args)


def _digest(file_name: str) -> str:
    try:
        return sha256(Path(file_name).read_bytes()).hexdigest()
    except OSError:
        return ""


def _apply_state(accepted: Record, place: Workplace, args: argparse.Namespace) -> ExitCode:
    entry = accepted.entry
    observed = place.session.dataplane.observe()
    target = retarget(place.journal.after(entry.number), observed, NameGlobs(entry.unmanaged).matches)
    if target.missing:
        raise PlanRefusedError(
            f"VPP lacks what change {entry.number} was made for: {', '.join(target.missing)}",
            "correct the file, and apply it",
        )
    plan = make_plan(observed, target.state)
    if not plan.steps:
        log.info("Nothing to do")
        return ExitCode.DONE
    guard(plan, (), args, is_boot=True)
    intent = Intent(
        origin=Origin.BOOT,
        source_name=entry.source_name,
        source_digest=entry.source_digest,
        unmanaged=entry.unmanaged,
        keep=args.keep,
        is_forced=True,
    )
    return make_change(plan, intent, place, args).code
