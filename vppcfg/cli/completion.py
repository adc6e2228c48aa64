"""`vppcfg completion`: writes what completes vppcfg's command line in a shell, or its file in an editor."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable

from vppcfg.cli.arguments import CommandModule, Subparsers
from vppcfg.errors import ExitCode

SHELLS = ("bash", "zsh", "fish")
FOR_EDITORS = "json-schema"


class CompletionCommand:
    """The command, which has to know all commands that there are."""

    def __init__(self, all_commands: Callable[[], list[CommandModule]]) -> None:
        self._all_commands = all_commands

    def add_parser(self, subparsers: Subparsers) -> None:
        """Declare the command."""
        parser = subparsers.add_parser(
            "completion",
            help="write completion for a shell or an editor",
            description=(
                "Write a script that completes commands, options and their values in a shell, or the JSON Schema by "
                "which an editor completes the keys of the configuration file and marks mistakes in it."
            ),
        )
        parser.add_argument(
            "wanted", metavar="WHAT", choices=[*SHELLS, FOR_EDITORS], help=f"bash, zsh, fish or {FOR_EDITORS}"
        )
        parser.set_defaults(run=self.run)

    def run(self, args: argparse.Namespace) -> ExitCode:
        """Write the script for `args.wanted`, or the schema, to standard output."""
        import sys

        from vppcfg.cli.output import write

        if args.wanted == FOR_EDITORS:
            write(_schema_for_editors(), sys.stdout)
        else:
            write(script_for(args.wanted, self._all_commands()), sys.stdout)
        return ExitCode.DONE


def _schema_for_editors() -> str:
    """Return the JSON Schema with an identifier by which tools tell it from that of another release."""
    import json

    from vppcfg import __version__, assets

    schema = json.loads(assets.find("schema/vppcfg.schema.json").read_text(encoding="utf-8"))
    named = {"$id": f"urn:vppcfg:{__version__}:configuration", "version": __version__, **schema}
    return json.dumps(named, indent=2, ensure_ascii=False) + "\n"


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
