"""Splits a script for VPP's `exec` into commands: lines, comments, macros (vlib/cli.c, vppinfra/macros.c)."""

from __future__ import annotations

import re
from collections.abc import Iterator

_MACRO = re.compile(r"\\(.?)|\$(\(([^)]*)\)?|\w*)", re.DOTALL)
_COMMENT = re.compile(r"(?<!\\)(?:\\\\)*#")
_SPECIAL = re.compile(r"[\\$#]")
_ESCAPED = re.compile(r"\\(.)")
_UNCOMMENT = re.compile(r"uncomment\s*\{(.*?)\}?\s*", re.DOTALL)
"""The end of the line closes the braces, too (unformat_vlib_cli_sub_input)."""
_DEEPEST_MACRO = 8
_MANY_MACROS = 1000
"""Of one line, those in the values of macros included."""
_MANY_CHARACTERS = 1 << 16
"""Of one line with its macros in their places; a macro of macros can grow without an end."""


def commands_in(text: str) -> Iterator[tuple[int, str]]:
    """Yield each command with the number of its first line, as VPP reads them (unformat_vlib_cli_line).

    A backslash at the end of a line joins it to the next one, and a # ends the command wherever it stands.
    """
    lines = text.split("\n")
    index = 0
    while index < len(lines):
        start, parts = index, [lines[index]]
        while _is_joined(parts[-1]) and index + 1 < len(lines):
            index += 1
            parts.append(lines[index])
        index += 1
        joined = [_without_comment(part[:-1]) for part in parts[:-1]]
        command = "\n".join([*joined, _without_comment(parts[-1])]).strip()
        if command:
            yield start + 1, command


def _is_joined(line: str) -> bool:
    """Return whether a line ends in a backslash that is not itself behind one."""
    return line.endswith("\\") and (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _without_comment(line: str) -> str:
    """Return a line up to a # that has no backslash before it."""
    mark = _COMMENT.search(line)
    return line[: mark.end() - 1] if mark else line


def escaped(command: str) -> str:
    """Return a command as a line of a script, in which a comment or a macro begins nowhere."""
    return _SPECIAL.sub(r"\\\g<0>", command)


def unescaped(line: str) -> str:
    """Return what a line without macros means to VPP."""
    return _ESCAPED.sub(r"\1", line)


def without_uncomment(text: str) -> str:
    """Return the command that stands in the braces of `uncomment`, else all of the text."""
    found = _UNCOMMENT.fullmatch(text)
    return found[1].strip() if found is not None else text


class MacroError(ValueError):
    """A macro has no value that can be known here."""


class Macros:
    """What `define` has given names to."""

    def __init__(self) -> None:
        self._values: dict[str, str] = {}
        self._count = 0

    def define(self, name: str, value: str) -> None:
        """Give a value a name."""
        self._values[name] = value

    def undefine(self, name: str) -> None:
        """Forget a name; one that is unknown is passed over, as by VPP."""
        self._values.pop(name, None)

    def put_into(self, text: str, level: int = 0) -> str:
        """Return `text` with the values in the places of $NAME and $(NAME). Raise MacroError for one without a value.

        VPP asks its environment too, and knows the host's name; neither is known here.
        """
        if "$" not in text and "\\" not in text:
            return text
        if level >= _DEEPEST_MACRO:
            raise MacroError(f"macros refer to each other more than {_DEEPEST_MACRO} deep")
        if not level:
            self._count = 0
        parts, end, left = [], 0, _MANY_CHARACTERS
        for match in _MACRO.finditer(text):
            parts += [text[end : match.start()], self._value(match, level)]
            end, left = match.end(), left - len(parts[-1])
            if left < 0:
                raise MacroError(f"the line grows by more than {_MANY_CHARACTERS} characters with its macros")
        return "".join((*parts, text[end:]))

    def _value(self, match: re.Match[str], level: int) -> str:
        if match[0].startswith("\\"):
            return match[1]
        self._count += 1
        if self._count > _MANY_MACROS:
            raise MacroError(f"the line has more than {_MANY_MACROS} macros, with those in their values")
        name = match[3] if match[2].startswith("(") else match[2]
        if name not in self._values:
            raise MacroError(f"the macro ${name} has no value here; VPP puts UNSET in its place")
        return self.put_into(self._values[name], level + 1)
