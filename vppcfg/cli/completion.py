"""`vppcfg completion`: writes a script that completes vppcfg's commands, options and values in a shell."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable

from vppcfg.cli.arguments import CommandModule, Subparsers
from vppcfg.errors import ExitCode

SHELLS = ("bash", "zsh", "fish")


class CompletionCommand:
    """The command, which has to know all commands that there are."""

    def __init__(self, all_commands: Callable[[], list[CommandModule]]) -> None:
        self._all_commands = all_commands

    def add_parser(self, subparsers: Subparsers) -> None:
        """Declare the command."""
        parser = subparsers.add_parser(
            "completion",
            help="write completion for a shell",
            description="Write a script that completes commands, options and their values in a shell.",
        )
        parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help="bash, zsh or fish")
        parser.set_defaults(run=self.run)

    def run(self, args: argparse.Namespace) -> ExitCode:
        """Write the script for `args.shell` to standard output."""
        import sys

        from vppcfg.cli.output import write

        write(script_for(args.shell, self._all_commands()), sys.stdout)
        return ExitCode.DONE


def script_for(shell: str, commands: Iterable[CommandModule]) -> str:
    """Return the script for a shell, of these commands."""
    from vppcfg.cli.arguments import build_parser
    from vppcfg.commandline.bash import bash_script
    from vppcfg.commandline.command import describe
    from vppcfg.commandline.fish import fish_script
    from vppcfg.commandline.zsh import zsh_script
    from vppcfg.config.explain import explanations
    from vppcfg.tune.diagnosis import NAMES

    write_script = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}[shell]
    names = {("explain", "RULE"): tuple(explanations()), ("tune", "RULE"): NAMES}
    return write_script(describe(build_parser(commands)), names)
