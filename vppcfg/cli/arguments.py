"""The argument parser that all commands share: global options before and after the command, wrong usage exits 3."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn, Protocol, cast

from vppcfg import __version__
from vppcfg.cli.output import ColourChoice, write
from vppcfg.common.resemblance import did_you_mean
from vppcfg.errors import ExitCode, UsageError

IDENTITY = f"vppcfg {__version__} (with journal and rollback; not the vppcfg on PyPI)"
"""Version and nature of this program: the public vppcfg has its name."""

_SCHEMA = "the schema is built in; `vppcfg completion json-schema` writes the one for editors"
_FORCE = "there is no such option: a guard that refuses names the one that overrides it; see docs/migration.md"
_OF_THE_PUBLIC_TOOL = {"-s": _SCHEMA, "--schema": _SCHEMA, "-f": _FORCE, "--force": _FORCE}
"""Options that the public vppcfg 1.2 has and this one has not, and what to do instead."""

_FORMATTER_OF_ANY_WIDTH: Any = partial(argparse.HelpFormatter, width=80)


class Subparsers(Protocol):
    """What argparse's add_subparsers returns, as far as a command needs it."""

    choices: dict[str, argparse.ArgumentParser]

    def add_parser(self, name: str, **settings: Any) -> argparse.ArgumentParser:
        """Add a command and return its parser."""


class CommandModule(Protocol):
    """What a command is, usually a module. Importing it costs no time: what it works with, `run` imports."""

    def add_parser(self, subparsers: Subparsers) -> None:
        """Declare the command's name, help and arguments, and its `run` as the default of `run`."""

    def run(self, args: argparse.Namespace) -> ExitCode:
        """Carry the command out. Raise VppcfgError where it ends early."""


class Parser(argparse.ArgumentParser):
    """An ArgumentParser that raises our error where argparse exits with 2, and takes no shortened options."""

    def __init__(self, **settings: Any) -> None:
        # argparse makes a formatter for each argument that is added; one that measures the terminal takes 5 ms.
        super().__init__(**{"allow_abbrev": False, "formatter_class": _FORMATTER_OF_ANY_WIDTH, **settings})

    def format_help(self) -> str:
        """Return the help, as wide as the terminal."""
        self.formatter_class = argparse.HelpFormatter
        return super().format_help()

    def format_usage(self) -> str:
        """Return the usage, as wide as the terminal."""
        self.formatter_class = argparse.HelpFormatter
        return super().format_usage()

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse a command line. Raise UsageError, which recognizes a configuration file without -c."""
        parsed, rest = self.parse_known_args(args, namespace)
        if rest:
            command = getattr(parsed, "command", None)
            is_file = hasattr(parsed, "config") and not rest[0].startswith("-")
            hint = f"`{self.prog} {command} --help` lists the arguments" if command else f"see `{self.prog} --help`"
            hint = _OF_THE_PUBLIC_TOOL.get(rest[0].partition("=")[0], hint)
            raise UsageError(
                f"unrecognized arguments: {' '.join(rest)}",
                f"a configuration file is named with -c: `{self.prog} {command} -c {rest[0]}`" if is_file else hint,
            )
        return parsed

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse as argparse does, and keep what was given for `error`."""
        self._given = list(sys.argv[1:] if args is None else args)
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Raise UsageError, with a hint for a configuration file without -c or for an unknown command."""
        hint = f"`{self.prog} --help` lists the arguments"
        before, is_choice, rest = message.partition("invalid choice: '")
        if is_choice and before.endswith("COMMAND: "):
            name, _, commands = rest.partition("' ")
            option = self._given[self._given.index(name) - 1] if name in self._given[1:] else ""
            if option.startswith("-") and option not in self._option_string_actions and "/" not in name:
                raise UsageError(f"unrecognized arguments: {option} {name}", hint)
            message = f"there is no command `{name}`{did_you_mean(name, re.findall('[a-z-]+', commands))}"
            hint = f"`{self.prog} --help` lists the commands"
            if "." in name and self.get_default("config") is not None:
                hint = f"a configuration file is named with -c: `{self.prog} -c {name}`"
            elif "/" in name:
                hint = f"options stand behind the command: `{self.prog} COMMAND -a {name}`"
        raise UsageError(message, hint)

    def _print_message(self, message: str, file: Any = None) -> None:
        """Write help and version as everything else is written: a reader that left is no error."""
        write(message, file or sys.stdout)


def build_parser(commands: Iterable[CommandModule]) -> Parser:
    """Return the parser of the whole command line."""
    parser = Parser(
        prog="vppcfg",
        description="Plan, apply and tune the configuration of an FD.io VPP router.",
        epilog="`vppcfg COMMAND --help` lists the arguments of a command.",
    )
    _add_global_options(parser, is_default=True)
    added = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    subparsers = cast(Subparsers, added)
    for command in commands:
        command.add_parser(subparsers)
    for command_parser in subparsers.choices.values():
        _add_global_options(command_parser, is_default=False)
    return parser


class CommandsBelow(argparse._SubParsersAction):  # type: ignore[type-arg]  # no generic class when this is run
    """Commands below one that has options of its own, which count for nothing before them: argparse drops these."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Parse what follows. Raise UsageError for an option before the command."""
        for action in parser._actions:
            is_own = action.option_strings and action.default is not argparse.SUPPRESS
            if is_own and getattr(namespace, action.dest) != action.default:
                command = f"{parser.prog} {values[0]}"
                raise UsageError(
                    f"{action.option_strings[-1]} stands before `{values[0]}`, where it has no effect",
                    f"`{command} --help` lists what comes after it",
                )
        super().__call__(parser, namespace, values, option_string)


def add_repeated_options(parser: argparse.ArgumentParser) -> None:
    """Add the global options to a command below another one, which `build_parser` does not see."""
    _add_global_options(parser, is_default=False)


def _add_global_options(parser: argparse.ArgumentParser, *, is_default: bool) -> None:
    """Add the options that stand before or after the command; only the former may set a default."""
    group = parser.add_argument_group("global options")

    def add(*names: str, default: Any, **settings: Any) -> None:
        group.add_argument(*names, default=default if is_default else argparse.SUPPRESS, **settings)

    add("-d", "--debug", default=False, action="store_true", help="log everything, and show where an error comes from")
    add("-q", "--quiet", default=False, action="store_true", help="log warnings and errors only")
    add(
        "--color",
        default=ColourChoice.AUTO.value,
        choices=[choice.value for choice in ColourChoice],
        help="colour the output (default: auto, on a terminal unless NO_COLOR is set)",
    )
    with suppress(argparse.ArgumentError):  # `sim` has a --version of its own
        group.add_argument("--version", action="version", version=IDENTITY, help="show the version")
