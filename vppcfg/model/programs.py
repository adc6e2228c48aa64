"""The programs of this machine that a change runs: hooks and checks of the file."""

from __future__ import annotations

from collections.abc import Iterable

from vppcfg.model.checks import Check, CommandCheck
from vppcfg.model.hooks import HookEvent, Hooks
from vppcfg.record import record


@record
class Program:
    """A program that is run, with the rights of whoever runs vppcfg."""

    event: str
    """When, in the words of the file: `after-apply`, `after-rollback`, `after-boot` or `check`."""
    command: tuple[str, ...]


def programs_of(hooks: Hooks, checks: Iterable[Check] = ()) -> tuple[Program, ...]:
    """Return what the hooks and the checks of a configuration run."""
    hooked = (Program(event=event.value, command=hooks.command(event)) for event in HookEvent if hooks.command(event))
    checking = (Program(event="check", command=check.command) for check in checks if isinstance(check, CommandCheck))
    return (*hooked, *checking)
