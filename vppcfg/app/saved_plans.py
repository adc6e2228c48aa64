"""Plans that are kept in files: written, and applied if everything still is as it was when the plan was made."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from vppcfg import __version__
from vppcfg.app.applying import Applied, apply_at, awaited_confirmation
from vppcfg.app.approval import Terms
from vppcfg.app.change_context import locked_context
from vppcfg.app.console import Console
from vppcfg.app.foreign_files import refuse_foreign
from vppcfg.app.journaled_states import applied_file
from vppcfg.app.keys import wanted_keys
from vppcfg.app.planning import propose
from vppcfg.app.target import Target, now
from vppcfg.config.load import Loaded, parse_text, source_of
from vppcfg.config.resolve import resolve
from vppcfg.dataplane import Dataplane, is_restarted, restarted_text
from vppcfg.entries.configuration import Configuration
from vppcfg.entries.yaml.files import STDIN, files_at, read_again
from vppcfg.errors import ConfigError, PlanRefusedError, UntrustedFileError
from vppcfg.model.linux_neighbors import as_in_linux
from vppcfg.model.live_state import with_live_of
from vppcfg.model.problem import Problem
from vppcfg.model.programs import Program, programs_of
from vppcfg.model.state import State
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.plan.state_document import document_of, state_of
from vppcfg.record import record
from vppcfg.render.plan_text import plan_text
from vppcfg.transaction.folders import group_id
from vppcfg.transaction.journal import Journal
from vppcfg.transaction.planning import seen_closely
from vppcfg.transaction.safe_open import read_with_origin
from vppcfg.transaction.signed_document import sealed, unsealed, write_durably

FORMAT_VERSION = 1
_KIND = "plan"


@record
class SavedPlan:
    """What a plan was made of; the steps follow from it."""

    made_at: str
    """ISO 8601."""
    made_with: str
    """Version of vppcfg, on which the steps depend."""
    boot_id: str
    source_name: str
    """Absolute path of the configuration file; `-` for standard input."""
    source: bytes
    """The file as it was."""
    is_adopting: bool
    observed: State
    desired: State
    lines: tuple[str, ...]
    """The steps for people."""
    foreign: str = ""
    """Why others than root and the user can have written the file that it was read from; '' when they cannot."""


def sealed_plan(plan: SavedPlan) -> bytes:
    """Return the bytes of a saved plan."""
    content: dict[str, Any] = {
        "made_at": plan.made_at,
        "made_with": plan.made_with,
        "boot_id": plan.boot_id,
        "source_name": plan.source_name,
        "source": plan.source.decode(errors="surrogateescape"),
        "is_adopting": plan.is_adopting,
        "lines": plan.lines,
        "observed": document_of(plan.observed),
        "desired": document_of(plan.desired),
    }
    return sealed(_KIND, FORMAT_VERSION, content)


def read_saved_plan(path: Path, group: int | None) -> SavedPlan:
    """Return the plan in a file. Raise UntrustedFileError when it is not as `vppcfg plan --save` left it."""
    file = read_with_origin(path, group)
    content = unsealed(file.data, _KIND, FORMAT_VERSION, os.fspath(path))
    try:
        return SavedPlan(
            **{
                **content,
                "source": content["source"].encode(errors="surrogateescape"),
                "lines": tuple(content["lines"]),
                "observed": state_of(content["observed"]),
                "desired": state_of(content["desired"]),
                "foreign": file.foreign,
            }
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UntrustedFileError(f"{path} is no plan of vppcfg: {error}") from error


log = logging.getLogger("root.main")
_AGAIN = "make a new one: `vppcfg plan --save`"


def save_plan(name: str, plan: Plan, loaded: Loaded, boot_id: str, *, adopt: bool) -> None:
    """Keep a plan, and what it was made for, in a file of the user's own. Raise StorageError or UntrustedFileError.

    What is kept is the user's own from then on, and so are the programs that the configuration runs.
    """
    if loaded.configuration is not None:
        programs = programs_of(loaded.configuration.hooks, loaded.configuration.checks)
        refuse_foreign(loaded.configuration, loaded, programs, reads_keys=bool(wanted_keys(plan.desired)))
    saved = SavedPlan(
        made_at=now(),
        made_with=__version__,
        boot_id=boot_id,
        source_name=loaded.origin,
        source=loaded.source,
        is_adopting=adopt,
        observed=plan.observed,
        desired=plan.desired,
        lines=tuple(plan_text(plan).lines),
    )
    write_durably(Path(name), sealed_plan(saved))
    log.info("Saved the plan as %s: `vppcfg apply %s` applies it", name, name)


def apply_saved(name: str, target: Target, terms: Terms, console: Console) -> Applied:
    """Apply a saved plan. Raise PlanRefusedError when it is stale."""
    saved = saved_plan(name)
    _refuse_other_version(saved, name)
    configuration, loaded = _configuration(saved, name)
    terms = replace(terms, adopt=saved.is_adopting)
    with locked_context(target, "vppcfg apply") as place:
        refuse_stale(saved, _found(saved, configuration, loaded, place.session.dataplane, place.journal), console)
        applied = apply_at(place, configuration, loaded, terms, console)
    return awaited_confirmation(applied, target, terms, console)


@record
class CurrentState:
    """What a saved plan is compared with: its configuration, and VPP as it is now."""

    configuration: Configuration
    loaded: Loaded
    observed: State
    boot_id: str
    applied: Callable[[], State | None]
    """Returns the state that the file in force sets."""
    problems: tuple[Problem, ...]
    """Of the configuration on this VPP."""


def current_state_for(saved: SavedPlan, name: str, target: Target) -> CurrentState:
    """Return what a saved plan is compared with. Raise PlanRefusedError when another version of vppcfg made it."""
    _refuse_other_version(saved, name)
    configuration, loaded = _configuration(saved, name)
    with target.connect() as dataplane:
        return _found(saved, configuration, loaded, dataplane, target.journal())


def _found(
    saved: SavedPlan, configuration: Configuration, loaded: Loaded, dataplane: Dataplane, journal: Journal
) -> CurrentState:
    observed, boot_id = dataplane.observe(), dataplane.boot_id
    if observed.facts.left_out:  # what the plan touches was read closely when it was made
        touched = make_plan(saved.observed, saved.desired).touched_interfaces
        observed = seen_closely(dataplane, observed, saved.desired, touched)
        objects = (each for found in saved.observed.objects.values() for each in found.values())
        unseen = [each for each in objects if each.name not in observed.of(type(each))]
        observed = observed.with_hidden(dataplane.hidden(unseen))  # of a large table none is listed
    applied = applied_file(journal, boot_id)
    problems = propose(configuration, loaded, observed, adopt=saved.is_adopting, applied=applied).problems
    return CurrentState(
        configuration=configuration,
        loaded=loaded,
        observed=observed,
        boot_id=boot_id,
        applied=applied,
        problems=problems,
    )


def _refuse_other_version(saved: SavedPlan, name: str) -> None:
    if saved.made_with != __version__:
        raise PlanRefusedError(
            f"{name} was made by vppcfg {saved.made_with}, and this is {__version__}; nothing was changed", _AGAIN
        )


def saved_plan(name: str) -> SavedPlan:
    """Return the plan in a file. Raise UntrustedFileError, which recognizes a configuration file without -c."""
    try:
        return read_saved_plan(Path(name), group_id())
    except UntrustedFileError as error:
        if not error.message.endswith("is not a plan of vppcfg"):
            raise
        hint = f"a configuration is named with -c: `vppcfg apply -c {name}`"
        raise UntrustedFileError(error.message, hint) from error


def _configuration(saved: SavedPlan, name: str) -> tuple[Configuration, Loaded]:
    loaded = replace(parse_text(saved.source, saved.source_name), foreign=saved.foreign)
    if loaded.configuration is None:
        raise PlanRefusedError(f"the configuration in {name} is not valid", _AGAIN)
    return loaded.configuration, loaded


def saved_programs(saved: SavedPlan) -> tuple[Program, ...]:
    """Return the programs that the configuration of a saved plan runs."""
    configuration = parse_text(saved.source, saved.source_name).configuration
    return programs_of(configuration.hooks, configuration.checks) if configuration is not None else ()


def refuse_stale(saved: SavedPlan, found: CurrentState, console: Console) -> None:
    """Raise PlanRefusedError when VPP, its state or the file is not what the plan was made for; show what differs."""
    if is_restarted(str(saved.boot_id), found.boot_id):
        raise PlanRefusedError(
            f"the plan is stale, for {restarted_text(str(saved.boot_id), found.boot_id)}; nothing was changed",
            _AGAIN,
        )
    _refuse_moved(saved.observed, found.observed, "VPP is not as it was when the plan was made", console)
    desired = _desired(found.configuration, saved, found)
    _refuse_moved(saved.desired, desired, "the plan would lead elsewhere now", console)
    _refuse_edited(saved, found, console)


def _desired(configuration: Configuration, saved: SavedPlan, found: CurrentState) -> State:
    return resolve(configuration, found.observed, adopt=saved.is_adopting, applied=found.applied).desired


def _refuse_edited(saved: SavedPlan, found: CurrentState, console: Console) -> None:
    """Raise PlanRefusedError when the file is there and asks for something else by now.

    A plan of another user names no file that is opened.
    """
    if saved.source_name == STDIN or saved.foreign:
        return
    try:
        source = source_of(files_at(saved.source_name), read_again)
    except ConfigError:
        return
    if source == saved.source:
        return
    configuration = parse_text(source, saved.source_name).configuration
    if configuration is None:
        raise PlanRefusedError(
            f"the plan is stale: {saved.source_name} is not valid any more; nothing was changed", _AGAIN
        )
    desired = _desired(configuration, saved, found)
    _refuse_moved(saved.desired, desired, f"{saved.source_name} asks for something else by now", console)


def _refuse_moved(before: State, after: State, what: str, console: Console) -> None:
    before, after = as_in_linux(with_live_of(before, after), after).with_own_places(), after.with_own_places()
    if before == after:
        return
    console.show_difference(before, after, f"{what[0].upper()}{what[1:]}; since then this has moved")
    raise PlanRefusedError(f"the plan is stale: {what}; nothing was changed", _AGAIN)
