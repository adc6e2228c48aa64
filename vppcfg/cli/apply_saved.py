"""`vppcfg apply PLAN`: applies a saved plan, if everything still is as it was when the plan was made."""

from __future__ import annotations

import argparse
import logging
import sys
from dataclasses import replace
from pathlib import Path

from vppcfg import __version__
from vppcfg.cli.apply_file import apply_loaded
from vppcfg.cli.arguments import DEFAULT_CONFIG
from vppcfg.cli.confirming import wait_for_confirmation
from vppcfg.cli.difference import painted_changes
from vppcfg.cli.output import Paint, write
from vppcfg.cli.workplace import Workplace, workplace
from vppcfg.config import Loaded, parse_text
from vppcfg.config.configuration import Configuration
from vppcfg.config.resolve import resolve
from vppcfg.config.yaml.document import STDIN
from vppcfg.errors import ExitCode, PlanRefusedError, UsageError
from vppcfg.model.state import State
from vppcfg.plan.diff import diff
from vppcfg.transaction.folders import group_id
from vppcfg.transaction.saved_plan import SavedPlan, read_saved_plan

log = logging.getLogger("root.main")
_AGAIN = "make a new one: `vppcfg plan --save`"


def apply_saved(args: argparse.Namespace) -> ExitCode:
    """Apply the plan that the arguments name. Raise PlanRefusedError when it is stale."""
    if args.config != DEFAULT_CONFIG:
        raise UsageError("name a configuration or a saved plan, not both", "the plan knows its configuration")
    saved = read_saved_plan(Path(args.plan), group_id())
    if saved.made_with != __version__:
        raise PlanRefusedError(
            f"{args.plan} was made by vppcfg {saved.made_with}, and this is {__version__}; nothing was changed", _AGAIN
        )
    configuration, loaded = _configuration(saved, args.plan)
    args.config, args.adopt = saved.source_name, saved.is_adopting
    with workplace(args) as place:
        _refuse_stale(saved, configuration, place)
        code, number = apply_loaded(configuration, loaded, place, args)
    if code is ExitCode.DONE and number and args.confirm is not None:
        return wait_for_confirmation(number, args)
    return code


def _configuration(saved: SavedPlan, name: str) -> tuple[Configuration, Loaded]:
    loaded = parse_text(saved.source, saved.source_name)
    if loaded.configuration is None:
        raise PlanRefusedError(f"the configuration in {name} is not valid", _AGAIN)
    return loaded.configuration, loaded


def _refuse_stale(saved: SavedPlan, configuration: Configuration, place: Workplace) -> None:
    """Raise PlanRefusedError when VPP, its state or the file is not what the plan was made for."""
    boot_id = place.session.boot_id
    if boot_id != saved.boot_id:
        raise PlanRefusedError(
            f"the plan is stale: it was made for VPP {saved.boot_id}, and this is {boot_id}; nothing was changed",
            _AGAIN,
        )
    now = place.session.dataplane.observe()
    _refuse_moved(saved.observed, now, "VPP is not as it was when the plan was made")
    wanted = resolve(configuration, now, adopt=saved.is_adopting).desired
    _refuse_moved(saved.desired, wanted, "the plan would lead elsewhere now")
    _refuse_edited(saved, now)


def _refuse_edited(saved: SavedPlan, now: State) -> None:
    """Raise PlanRefusedError when the file is there and asks for something else by now."""
    if saved.source_name == STDIN:
        return
    try:
        source = Path(saved.source_name).read_bytes()
    except OSError:
        return
    if source == saved.source:
        return
    configuration = parse_text(source, saved.source_name).configuration
    if configuration is None:
        raise PlanRefusedError(
            f"the plan is stale: {saved.source_name} is not valid any more; nothing was changed", _AGAIN
        )
    wanted = resolve(configuration, now, adopt=saved.is_adopting).desired
    _refuse_moved(saved.desired, wanted, f"{saved.source_name} asks for something else by now")


def _refuse_moved(before: State, after: State, what: str) -> None:
    if before == after:
        return
    changes = tuple(diff(before, replace(after, facts=before.facts)))
    write(painted_changes(changes, Paint(False)), sys.stderr)
    raise PlanRefusedError(f"the plan is stale: {what}; nothing was changed", _AGAIN)
