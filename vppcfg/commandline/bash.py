"""Writes the completion script for bash. It needs bash alone, not the package bash-completion."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.commandline.command import Argument, Command, Names, Option, Words, words_for

_WALK = r"""
# Fills COMPREPLY. bash splits `--option=value` at the `=`, which is then a word of its own.
_vppcfg() {
    local command=vppcfg option= offer= options= repeatable= given=' ' cur=${COMP_WORDS[COMP_CWORD]} word
    local -i at arguments=0
    COMPREPLY=()
    for ((at = 1; at < COMP_CWORD; at++)); do
        word=${COMP_WORDS[at]}
        if [[ $word == '=' ]]; then
            continue
        elif [[ -n $option ]]; then
            option=
        elif [[ $word == -?* ]]; then
            given+="$word "
            _vppcfg_value "$command $word" && option=$word
        elif _vppcfg_command "$command $word"; then
            command+=" $word"
            arguments=0
        else
            arguments+=1
        fi
    done
    [[ $cur != '=' ]] || cur=
    if [[ -n $option ]]; then
        _vppcfg_value "$command $option"
    elif [[ $cur == -* ]]; then
        _vppcfg_options "$command"
        for word in $options; do
            [[ $given == *" $word "* && " $repeatable " != *" $word "* ]] || offer+=" $word"
        done
        offer="words $offer"
    else
        _vppcfg_argument "$command" "$arguments"
    fi
    _vppcfg_reply "$offer" "$cur"
}

# Takes `words A B ...`, `files` or `folders`, and what is typed so far.
_vppcfg_reply() {
    case $1 in
    words*) mapfile -t COMPREPLY < <(compgen -W "${1#words}" -- "$2") ;;
    files)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$2")
        ;;
    folders)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "$2")
        ;;
    esac
}

complete -F _vppcfg vppcfg
"""


def bash_script(vppcfg: Command, names: Names) -> str:
    """Return the script."""
    commands = list(vppcfg.walk())
    lines = ["# Completion of vppcfg for bash; `vppcfg completion bash` prints it."]
    lines += _function("_vppcfg_command", "Test whether words name a command.", _known_commands(commands))
    lines += _function("_vppcfg_options", "Sets the options of a command.", map(_options, commands))
    about_values = "Sets what to offer for an option's value, and fails for one that takes none."
    lines += _function("_vppcfg_value", about_values, _values(commands, names))
    about_arguments = "Sets what to offer for the next argument of a command, after so many."
    lines += _function("_vppcfg_argument", about_arguments, _arguments(commands, names), subject="$1 $2")
    return "\n".join(lines) + "\n" + _WALK


def _function(name: str, comment: str, cases: Iterator[str], subject: str = "$1") -> list[str]:
    head = ["", f"# {comment}", f"{name}() {{", f'    case "{subject}" in']
    return [*head, *cases, "    *) return 1 ;;", "    esac", "}"]


def _known_commands(commands: list[Command]) -> Iterator[str]:
    yield f"    {_patterns(_typed(command) for command in commands[1:])}) ;;"


def _options(command: Command) -> str:
    options = " ".join(name for option in command.options for name in _offered(option))
    again = " ".join(name for option in command.options if option.is_repeatable for name in option.names)
    return f"    '{_typed(command)}') options='{options}' repeatable='{again}' ;;"


def _offered(option: Option) -> tuple[str, ...]:
    """Return the long names; a short one is offered when it has no other."""
    return tuple(name for name in option.names if name.startswith("--")) or option.names


def _values(commands: list[Command], names: Names) -> Iterator[str]:
    for command in commands:
        for option in command.options:
            if option.value:
                patterns = _patterns(f"{_typed(command)} {name}" for name in option.names)
                yield f"    {patterns}) offer='{_offer(words_for(option, command, names))}' ;;"


def _arguments(commands: list[Command], names: Names) -> Iterator[str]:
    for command in commands:
        below = " ".join(child.words[-1] for child in command.commands)
        if below:
            yield f"    '{_typed(command)} 0') offer='words {below}' ;;"
            continue
        for place, argument in enumerate(command.arguments):
            yield _argument(command, place, argument, names)


def _argument(command: Command, place: int, argument: Argument, names: Names) -> str:
    number = "*" if argument.is_repeatable else f"'{place}'"
    return f"    '{_typed(command)} '{number}) offer='{_offer(words_for(argument, command, names))}' ;;"


def _offer(words: Words) -> str:
    if words.words:
        return "words " + " ".join(words.words)
    return "files" if words.has_files else "folders" if words.has_folders else "nothing"


def _typed(command: Command) -> str:
    return " ".join(command.words)


def _patterns(texts: Iterator[str]) -> str:
    return " | ".join(f"'{text}'" for text in texts)
