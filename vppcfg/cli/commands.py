"""The list of commands, and which of their modules a command line requires to be imported."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from vppcfg.cli.arguments import CommandModule

NAMES = (
    "check",
    "plan",
    "apply",
    "confirm",
    "rollback",
    "history",
    "diff",
    "watch",
    "verify",
    "probe",
    "nat",
    "metrics",
    "top",
    "dump",
    "adopt",
    "rest",
    "explain",
    "sim",
    "host",
    "startup",
    "upgrade",
    "tune",
    "report",
    "loadtest",
    "completion",
)
"""In the order of `vppcfg --help`."""


def all_commands() -> list[CommandModule]:
    """Return every command, in the order of `vppcfg --help`."""
    return [_imported(name) for name in NAMES]


def commands_for(words: Sequence[str]) -> list[CommandModule]:
    """Return the commands without which a command line cannot be parsed: the one that it names, or all of them."""
    if list(words) == ["--version"]:
        return []
    first = next((word for word in words if not word.startswith("-")), "")
    return [_imported(first)] if first in NAMES and "--" not in words else all_commands()


@cache
def _imported(name: str) -> CommandModule:
    """Import one command, and none of the others."""
    match name:
        case "check":
            from vppcfg.cli import check

            return check
        case "plan":
            from vppcfg.cli import plan

            return plan
        case "apply":
            from vppcfg.cli import apply

            return apply
        case "confirm":
            from vppcfg.cli import confirm

            return confirm
        case "rollback":
            from vppcfg.cli import rollback

            return rollback
        case "history":
            from vppcfg.cli import history

            return history
        case "diff":
            from vppcfg.cli import diff

            return diff
        case "watch":
            from vppcfg.cli import watch

            return watch
        case "verify":
            from vppcfg.cli import verify

            return verify
        case "probe":
            from vppcfg.cli import probe

            return probe
        case "nat":
            from vppcfg.cli import nat

            return nat
        case "report":
            from vppcfg.cli import report

            return report
        case "top":
            from vppcfg.cli import top

            return top
        case "metrics":
            from vppcfg.cli import metrics

            return metrics
        case "dump":
            from vppcfg.cli import dump

            return dump
        case "adopt":
            from vppcfg.cli import adopt

            return adopt
        case "rest":
            from vppcfg.cli import rest

            return rest
        case "explain":
            from vppcfg.cli import explain

            return explain
        case "sim":
            from vppcfg.cli import sim

            return sim
        case "host":
            from vppcfg.cli import host

            return host
        case "startup":
            from vppcfg.cli import startup

            return startup
        case "upgrade":
            from vppcfg.cli import upgrade

            return upgrade
        case "tune":
            from vppcfg.cli.tune import command as tune

            return tune
        case "loadtest":
            from vppcfg.cli.loadtest import command as loadtest

            return loadtest
        case "completion":
            from vppcfg.cli.completion import CompletionCommand

            return CompletionCommand(all_commands)
        case _:
            raise ValueError(name)
