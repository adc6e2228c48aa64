"""Writes the completion script for zsh: one function per command, each a call of zsh's own _arguments."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.commandline.command import Argument, Command, Names, Option, Words, words_for

_HEAD = """\
#compdef vppcfg
# Completion of vppcfg for zsh; `vppcfg completion zsh` prints it.
"""
_FOOT = """
if [[ $funcstack[1] == _vppcfg ]]; then
    _vppcfg "$@"
elif (( $+functions[compdef] )); then
    compdef _vppcfg vppcfg
fi
"""


def zsh_script(vppcfg: Command, names: Names) -> str:
    """Return the script."""
    functions = ["\n".join(_function(command, names)) for command in vppcfg.walk()]
    return _HEAD + "".join(f"\n{function}\n" for function in functions) + _FOOT


def _function(command: Command, names: Names) -> Iterator[str]:
    specs = [*_options(command, names), *_arguments(command, names)]
    yield f"{_name(command)}() {{"
    if command.commands:
        yield '    local context state state_descr line curcontext="$curcontext"'
        yield "    typeset -A opt_args"
    yield "    _arguments -s -S" + (" -C" if command.commands else "") + " \\"
    yield " \\\n".join(f"        {spec}" for spec in specs)
    if command.commands:
        yield from _dispatch(command)
    yield "}"


def _dispatch(command: Command) -> Iterator[str]:
    """Yield what comes after the options of a command with others below it."""
    yield "    case $state in"
    yield "    command)"
    yield "        local -a commands=("
    yield from (f"            {_quoted(f'{child.words[-1]}:{child.summary}')}" for child in command.commands)
    yield "        )"
    yield "        _describe -t commands command commands ;;"
    yield "    arguments)"
    yield "        case $line[1] in"
    yield from (f"        {child.words[-1]}) {_name(child)} ;;" for child in command.commands)
    yield "        esac ;;"
    yield "    esac"


def _options(command: Command, names: Names) -> Iterator[str]:
    for option in command.options:
        excluded = () if option.is_repeatable else option.names
        without = " ".join([*excluded, *sorted(option.excludes)])
        for name in option.names:
            yield _option(option, name, without, _action(words_for(option, command, names)))


def _option(option: Option, name: str, without: str, action: str) -> str:
    mark = ("=" if name.startswith("--") else "+") if option.value else ""
    value = f":{_escaped(option.value)}:{action}" if option.value else ""
    again = "*" if option.is_repeatable else ""
    return _quoted(f"{f'({without})' if without else ''}{again}{name}{mark}[{_escaped(option.help)}]{value}")


def _arguments(command: Command, names: Names) -> Iterator[str]:
    if command.commands:
        yield "'1: :->command'"
        yield "'*:: :->arguments'"
        return
    for argument in command.arguments:
        yield _argument(argument, _action(words_for(argument, command, names)))


def _argument(argument: Argument, action: str) -> str:
    place = "*" if argument.is_repeatable else "" if argument.is_required else ":"
    return _quoted(f"{place}:{_escaped(argument.value)}:{action}")


def _action(words: Words) -> str:
    if words.words:
        return f"({' '.join(words.words)})"
    return "_files" if words.has_files else "_files -/" if words.has_folders else " "


def _name(command: Command) -> str:
    return "_" + "_".join(command.words).replace("-", "_")


def _escaped(text: str) -> str:
    """Return text for a place where brackets and colons end something."""
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
