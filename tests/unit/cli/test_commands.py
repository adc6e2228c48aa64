"""Which commands a command line is parsed with: what comes out is the same as with all of them."""

from collections.abc import Sequence

import pytest

from vppcfg.cli.arguments import CommandModule, build_parser
from vppcfg.cli.commands import all_commands, commands_for
from vppcfg.commandline.command import describe


def names_of(commands: Sequence[CommandModule]) -> list[str]:
    return [command.words[-1] for command in describe(build_parser(commands)).commands]


NAMES = names_of(all_commands())


def test_every_command_is_known_by_the_name_that_it_declares() -> None:
    assert len(NAMES) == len(all_commands())
    for name in NAMES:
        assert names_of(commands_for([name])) == [name]


@pytest.mark.parametrize("name", NAMES)
def test_help_is_the_same_with_the_one_command_as_with_all(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--debug", name, "--help"]
    for commands in (commands_for(words), all_commands()):
        with pytest.raises(SystemExit):
            build_parser(commands).parse_args(words)
    shown = capsys.readouterr().out
    half = len(shown) // 2
    assert shown[:half] == shown[half:]
    assert len(commands_for(words)) == 1


@pytest.mark.parametrize(
    "words", [[], ["--help"], ["nonsense"], ["--color", "always", "plan"], ["-d", "--version"], ["--", "plan"]]
)
def test_all_commands_are_there_where_none_comes_first(words: list[str]) -> None:
    assert commands_for(words) == all_commands()


def test_the_version_needs_no_command() -> None:
    assert commands_for(["--version"]) == []
