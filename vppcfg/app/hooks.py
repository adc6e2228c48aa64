"""Runs the hooks of the configuration in force after a change, and keeps their output with the change."""

from __future__ import annotations

import logging
import shlex
from collections.abc import Callable

from vppcfg.app.change_context import ChangeContext
from vppcfg.app.target import now
from vppcfg.common.bounded_command import CommandResult, run_command
from vppcfg.common.printable import printable, printable_lines
from vppcfg.errors import ExitCode, PlanRefusedError, StorageError
from vppcfg.model.hooks import HookEvent, Hooks
from vppcfg.transaction.accepted import last_accepted
from vppcfg.transaction.journal import HOOK_LOG, Journal

log = logging.getLogger("root.main")


def run_hook(
    hooks: Hooks, event: HookEvent, number: int, place: ChangeContext, should_stop: Callable[[], bool] = lambda: False
) -> str:
    """Run the command for an event after change `number`, and return why it has failed; '' when it has not."""
    if hooks.unreadable:
        return _with_trouble(f"whether {event.value} has a hook is not known: {hooks.unreadable}")
    command = hooks.command(event)
    if not command:
        return ""
    log.info("Running the hook %s: %s", event.value, shlex.join(command))
    values = {"VPPCFG_EVENT": event.value, "VPPCFG_CHANGE": str(number)}
    began = now()
    ran = run_command(command, {**place.target.environment(), **values}, hooks.within_s, should_stop)
    kept = _journal_output(f"{began} {event.value}: {shlex.join(command)}", ran, number, place.journal)
    return _with_trouble(f"the hook {event.value} failed: {ran.trouble}{kept}") if ran.trouble else ""


def hooks_in_force(place: ChangeContext) -> Hooks:
    """Return the hooks of the configuration that was accepted last, as the journal has kept them."""
    former = last_accepted(place.records)
    return journalled_hooks(former.entry.number, place.journal) if former is not None else Hooks()


def journalled_hooks(number: int, journal: Journal) -> Hooks:
    """Return the hooks that the journal has kept with a change, or why they cannot be known."""
    try:
        return journal.hooks(number)
    except PlanRefusedError as error:
        return Hooks(unreadable=error.message, is_lost=isinstance(error, StorageError))


def after_boot(code: ExitCode, hooks: Hooks, place: ChangeContext) -> ExitCode:
    """Run what is to be run once VPP has its configuration, and return how the boot ended."""
    if code is not ExitCode.DONE:
        return code
    if hooks.is_lost:  # VPP has what was accepted: a damaged journal does not fail the boot
        log.error("Whether after-boot has a hook is not known: %s", hooks.unreadable)
        return code
    newest = next(place.journal.newest_first(), None)
    trouble = run_hook(hooks, HookEvent.AFTER_BOOT, newest.entry.number if newest is not None else 0, place)
    return ExitCode.HOOK_FAILED if trouble else code


def _with_trouble(trouble: str) -> str:
    log.error("%s%s", trouble[0].upper(), trouble[1:])
    return trouble


def _journal_output(title: str, ran: CommandResult, number: int, journal: Journal) -> str:
    """Keep what a command has printed with the change, and return where, as the end of a message."""
    end = ran.trouble or "it succeeded"
    output = printable_lines(ran.output.decode(errors="replace"))
    text = f"{printable(title)}\n{output}{'' if output.endswith(chr(10)) or not output else chr(10)}"
    try:
        path = journal.append(number, HOOK_LOG, f"{text}{now()} {end}, after {ran.seconds:.1f} s\n")
    except StorageError as error:
        log.error("The output of the hook cannot be kept: %s", error.message)
        return ""
    return f"; {path} has its output" if ran.output else ""
