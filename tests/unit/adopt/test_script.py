"""The text of a script: where a command begins and ends, comments, joined lines, macros; as a VPP reads it."""

import pytest

from tests.unit.adopt.test_replay import adopted
from vppcfg.adopt.script import MacroError, Macros, commands_in, escaped, unescaped
from vppcfg.cli.rest import _commands


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("", []),
        ("\n  \n# only a comment\n", []),
        ("set interface state loop0 up", [(1, "set interface state loop0 up")]),
        ("a\r\nb\r\n", [(1, "a"), (2, "b")]),
        ("\ta # behind\n\n  b\n", [(1, "a"), (3, "b")]),
        ("set interface \\\n state loop0 up\nb", [(1, "set interface \n state loop0 up"), (3, "b")]),
        ("a # not joined \\\n b", [(1, "a \n b")]),
        ("a\\#b", [(1, "a\\#b")]),
        ("a \\\\\nb", [(1, "a \\\\"), (2, "b")]),
        ("a \\", [(1, "a \\")]),
    ],
)
def test_commands_are_found_with_their_lines(text: str, commands: list[tuple[int, str]]) -> None:
    assert [
        (number, " \n".join(part.strip() for part in command.split("\n"))) for number, command in commands_in(text)
    ] == [(number, " \n".join(part.strip() for part in command.split("\n"))) for number, command in commands]


def test_macros_stand_for_their_values() -> None:
    macros = Macros()
    macros.define("IF", "loop0")
    macros.define("UP", "state $(IF) up")
    assert macros.put_into("set interface $(UP)") == "set interface state loop0 up"
    assert macros.put_into("$IF, a\\$b") == "loop0, a$b"
    macros.undefine("IF")
    macros.undefine("IF")
    with pytest.raises(MacroError, match=r"\$IF has no value"):
        macros.put_into("set interface $(UP)")


def test_macros_that_never_end_are_an_error() -> None:
    macros = Macros()
    macros.define("A", "$(A)")
    with pytest.raises(MacroError, match="more than 8 deep"):
        macros.put_into("$(A)")
    for number in range(6):
        macros.define(f"B{number}", f"$(B{number + 1})" * 20)
    macros.define("B6", "x" * 100)
    with pytest.raises(MacroError, match="grows by more than"):
        macros.put_into("$(B0)")


@pytest.mark.parametrize(
    "command", ["set x a#b", "set x $(NAME)", "set x pa$word", "set x a\\#b", "set x end\\", "a \\\\$ #"]
)
def test_a_command_that_is_written_is_read_again_as_it_was(command: str) -> None:
    ((_, line),) = commands_in(escaped(command) + "\n")
    assert (Macros().put_into(line), unescaped(line)) == (command, command)


def test_a_secret_with_special_characters_is_whole_in_the_rest() -> None:
    line = r"ikev2 profile set p auth shared-key-mic string pa\$word\#1"
    rest = adopted(f"ikev2 profile add p\n{line}\n").rest
    assert line in rest.first_text.splitlines()
    assert [command for _, command in _commands(rest.first_text)][1:] == [unescaped(line)]
