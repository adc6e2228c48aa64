"""The commands, their options and arguments as frozen data, read off an argparse parser, and what values may stand for.

It parses no command line and looks at no disk.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Mapping

from vppcfg.record import record

FILES = frozenset({"CAPTURE", "DUMP", "FILE", "OUT", "PATH", "PLAN", "SOCKET"})
"""Values that are names of files, as help writes them; sockets and outputs too."""
FOLDERS = frozenset({"DIR"})
Names = Mapping[tuple[str, str], tuple[str, ...]]
"""Words known beforehand, by the command that takes them (`tune capture`) and how its help writes the value."""


@record
class Option:
    """An option: `names` as they are typed, `value` as help shows it, empty for a switch."""

    names: tuple[str, ...]
    value: str
    choices: tuple[str, ...]
    help: str
    group: str
    is_required: bool
    is_repeatable: bool
    excludes: frozenset[str]
    """The names of options that cannot stand beside it."""


@record
class Argument:
    """An argument without a name of its own."""

    value: str
    choices: tuple[str, ...]
    help: str
    is_required: bool
    is_repeatable: bool


@record
class Command:
    """A command, `words` being what is typed to name it."""

    words: tuple[str, ...]
    summary: str
    description: str
    epilog: str
    options: tuple[Option, ...]
    arguments: tuple[Argument, ...]
    commands: tuple[Command, ...]

    def walk(self) -> Iterator[Command]:
        """Yield this command and all below it, parents first."""
        yield self
        for command in self.commands:
            yield from command.walk()


def describe(parser: argparse.ArgumentParser) -> Command:
    """Return what the parser of the whole command line takes."""
    return _command(parser, (parser.prog,), summary="")


def _command(parser: argparse.ArgumentParser, words: tuple[str, ...], summary: str) -> Command:
    """Return what a parser takes; `summary` is its help in the parser above it."""
    actions = parser._actions
    below = [action for action in actions if isinstance(action, argparse._SubParsersAction)]
    arguments = [action for action in actions if not action.option_strings and action not in below]
    return Command(
        words=words,
        summary=summary,
        description=parser.description or "",
        epilog=parser.epilog or "",
        options=tuple(_options(parser)),
        arguments=tuple(_argument(action, parser) for action in arguments if action.help != argparse.SUPPRESS),
        commands=tuple(command for action in below for command in _commands(action, words)),
    )


def _commands(action: argparse._SubParsersAction[argparse.ArgumentParser], words: tuple[str, ...]) -> Iterator[Command]:
    """Yield the commands below one; those that help does not list are left out."""
    for listed in action._choices_actions:
        yield _command(action.choices[listed.dest], (*words, listed.dest), listed.help or "")


def _options(parser: argparse.ArgumentParser) -> Iterator[Option]:
    excluded = _exclusions(parser)
    for group in parser._action_groups:
        for action in group._group_actions:
            if action.option_strings and action.help != argparse.SUPPRESS:
                yield Option(
                    names=tuple(action.option_strings),
                    value=_value(action),
                    choices=_choices(action),
                    help=_help(action, parser),
                    group=group.title or "",
                    is_required=action.required,
                    is_repeatable=isinstance(action, argparse._AppendAction),
                    excludes=excluded.get(action.dest, frozenset()),
                )


def _exclusions(parser: argparse.ArgumentParser) -> dict[str, frozenset[str]]:
    """Return the names of the options that each option excludes, by its destination."""
    return {
        action.dest: frozenset(
            name for other in group._group_actions if other is not action for name in other.option_strings
        )
        for group in parser._mutually_exclusive_groups
        for action in group._group_actions
    }


def _argument(action: argparse.Action, parser: argparse.ArgumentParser) -> Argument:
    return Argument(
        value=_value(action) or action.dest,
        choices=_choices(action),
        help=_help(action, parser),
        is_required=action.required,
        is_repeatable=action.nargs in {"*", "+"},
    )


def _value(action: argparse.Action) -> str:
    """Return how help names an action's value, empty when it takes none."""
    if action.nargs == 0:
        return ""
    if isinstance(action.metavar, str):
        return action.metavar
    return "|".join(_choices(action)) or action.dest.upper()


def _choices(action: argparse.Action) -> tuple[str, ...]:
    return tuple(str(choice) for choice in action.choices or ())


def _help(action: argparse.Action, parser: argparse.ArgumentParser) -> str:
    """Return an action's help with its default filled in, as `--help` shows it."""
    text = parser._get_formatter()._expand_help(action) if action.help else ""
    return re.sub(r"\s+", " ", text).strip()


@record
class Words:
    """What to offer for a value; nothing when all of it is empty."""

    words: tuple[str, ...] = ()
    has_files: bool = False
    has_folders: bool = False


def words_for(taker: Option | Argument, command: Command, names: Names) -> Words:
    """Return what to offer for an option's value or an argument; of A|B both are offered."""
    parts = taker.value.split("|")
    known = taker.choices or names.get((" ".join(command.words[1:]), taker.value), ())
    return Words(
        words=known,
        has_files=not known and not FILES.isdisjoint(parts),
        has_folders=not known and not FOLDERS.isdisjoint(parts),
    )
