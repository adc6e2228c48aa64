"""Writes the completion script for fish."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.commandline.command import Argument, Command, Names, Option, Words, words_for

_WALK = """
# Prints which command is typed so far.
function __vppcfg_command
    set -l command vppcfg
    set -l is_value 0
    for word in (commandline -opc)[2..-1]
        if test $is_value = 1
            set is_value 0
        else if contains -- "$command $word" $__vppcfg_commands
            set command "$command $word"
        else if contains -- "$command $word" $__vppcfg_valued
            set is_value 1
        end
    end
    echo $command
end

function __vppcfg_at
    test (__vppcfg_command) = "$argv"
end

complete -c vppcfg -f
"""


def fish_script(vppcfg: Command, names: Names) -> str:
    """Return the script."""
    commands = list(vppcfg.walk())
    lines = ["# Completion of vppcfg for fish; `vppcfg completion fish` prints it."]
    lines.append("set -g __vppcfg_commands " + " ".join(_quoted(_typed(command)) for command in commands))
    lines.append("set -g __vppcfg_valued " + " ".join(_valued(commands)))
    completed = [line for command in commands for line in _lines(command, names)]
    return "\n".join(lines) + "\n" + _WALK + "\n".join(completed) + "\n"


def _valued(commands: list[Command]) -> Iterator[str]:
    """Yield every option that takes a value, behind the command that takes it."""
    for command in commands:
        for option in command.options:
            if option.value:
                yield from (_quoted(f"{_typed(command)} {name}") for name in option.names)


def _lines(command: Command, names: Names) -> Iterator[str]:
    start = f"complete -c vppcfg -n '__vppcfg_at {_typed(command)}'"
    for child in command.commands:
        yield f"{start} -a {child.words[-1]} -d {_quoted(child.summary)}"
    for option in command.options:
        yield f"{start} {_option(option, words_for(option, command, names))} -d {_quoted(option.help)}"
    for argument in () if command.commands else command.arguments:
        yield from _argument(start, argument, words_for(argument, command, names))


def _option(option: Option, words: Words) -> str:
    flags = " ".join(_flag(name) for name in option.names)
    if not option.value:
        return flags
    if words.has_files:
        return f"{flags} -r -F"
    return f"{flags} -x" + (f" -a {_quoted(_offer(words))}" if _offer(words) else "")


def _flag(name: str) -> str:
    return f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"


def _argument(start: str, argument: Argument, words: Words) -> Iterator[str]:
    about = f" -d {_quoted(argument.help)}" if argument.help else ""
    if words.has_files:
        yield f"{start} -F"
    elif _offer(words):
        yield f"{start} -a {_quoted(_offer(words))}{about}"


def _offer(words: Words) -> str:
    return "(__fish_complete_directories)" if words.has_folders else " ".join(words.words)


def _typed(command: Command) -> str:
    return " ".join(command.words)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
