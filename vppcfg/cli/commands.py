"""The commands that there are: words of a command line in, the modules that have to be imported for them out."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import cast

from vppcfg.cli.arguments import Command

_MODULES = {
    "check": "vppcfg.cli.check",
    "plan": "vppcfg.cli.plan",
    "apply": "vppcfg.cli.apply",
    "confirm": "vppcfg.cli.confirm",
    "rollback": "vppcfg.cli.rollback",
    "history": "vppcfg.cli.history",
    "diff": "vppcfg.cli.diff",
    "watch": "vppcfg.cli.watch",
    "dump": "vppcfg.cli.dump",
    "explain": "vppcfg.cli.explain",
    "sim": "vppcfg.cli.sim",
    "host": "vppcfg.cli.host",
    "startup": "vppcfg.cli.startup",
    "tune": "vppcfg.cli.tune",
    "loadtest": "vppcfg.cli.loadtest.command",
    "completion": "vppcfg.cli.completion",
}
"""In the order of `vppcfg --help`."""


def all_commands() -> list[Command]:
    """Return every command, in the order of `vppcfg --help`."""
    return [_imported(name) for name in _MODULES]


def commands_for(words: Sequence[str]) -> list[Command]:
    """Return the commands without which a command line cannot be parsed: the one that it names, or all of them."""
    if list(words) == ["--version"]:
        return []
    first = next((word for word in words if not word.startswith("-")), "")
    return [_imported(first)] if first in _MODULES else all_commands()


def _imported(name: str) -> Command:
    return cast(Command, import_module(_MODULES[name]))
