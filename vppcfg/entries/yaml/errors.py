"""Problems of a file that cannot be read as YAML: encoding, characters, syntax; each with its place and a remedy."""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from typing import Any, NamedTuple

import yaml
from yaml.reader import Reader

from vppcfg.common.bounds import PROBLEMS
from vppcfg.entries.yaml.document import Mark
from vppcfg.model.problem import KeyPath, Problem, Severity

_MARKER = re.compile(r"(<<<<<<<|=======|>>>>>>>|\|\|\|\|\|\|\|)(\s|$)")
"""What git writes around the two sides of a conflict."""
_NO_SPACE = re.compile(r"\s*(- )?[\w.-]+:(?=[^\s:])")
_VALUE = r"\s*(?:- )?[^\s#][^#]*?:\s+"
_BEHIND_QUOTES = re.compile(_VALUE + r"(\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*')\s*(?=[^\s,#}\]])")
_BEHIND_BRACKETS = re.compile(_VALUE + r"(\[[^\]]*\]|\{[^}]*\})\s*(?=[^\s,#}\]])")
_COLONS = re.compile(r"(?<![^\s\[{,])(::[0-9A-Fa-f:.]*(?:/\d+)?)(?=[\s,\]}]|$)")
"""Addresses such as ::1 outside of quotes."""
_LONGEST_LINE = 1000
"""Characters that are looked at; a longer line was not written by hand."""
_NO_COLON = "this line has no colon with a space after it, and is no `key: value`"
_CLOSING = {"sequence": ("[", "]"), "mapping": ("{", "}")}


class Mistake(NamedTuple):
    """What is wrong, and its line and column, from 0."""

    text: str
    line: int
    column: int


def mistake_in(lines: list[str], error: yaml.MarkedYAMLError, mark: Mark) -> Mistake | None:
    """Return what is wrong in the lines of a text; None when only the parser's own words describe it."""
    marker = next((number for number, line in enumerate(lines) if _MARKER.match(line)), None)
    if marker is not None:
        return Mistake("git left this mark of a merge conflict; choose one side, and remove all such marks", marker, 0)
    problem, context = error.problem or "", error.context or ""
    began = error.context_mark or mark
    if "parsing a flow" in context and (found := _COLONS.search(_line(lines, mark.line)[:_LONGEST_LINE])):
        text = f"`{found[1]}` begins with a colon, which YAML takes for that of a key; put it in quotes"
        return Mistake(text, mark.line, found.start())
    if "mapping values are not allowed" in problem:
        return _colon(lines, mark)
    if "quoted scalar" in context:
        return Mistake("the quote that opens here is never closed", began.line, began.column)
    if "cannot start any token" in problem or "scanning an alias" in context or "scanning an anchor" in context:
        return _first_character(lines, mark if "cannot start" in problem else began)
    if "parsing a flow node" in context:
        return _no_value(lines, mark)
    if "parsing a flow" in context:
        opened, closed = _CLOSING["sequence" if "sequence" in context else "mapping"]
        text = f"a `,` or the `{closed}` that closes the `{opened}` of line {began.line + 1} is missing before this"
        return Mistake(text, mark.line, mark.column)
    if "simple key" in context:
        return Mistake(_NO_COLON, began.line, began.column)
    if "did not find expected key" in problem or "did not find expected '-' indicator" in problem:
        return _no_key(lines, mark)
    return None


def _no_value(lines: list[str], mark: Mark) -> Mistake | None:
    """Return what is wrong where a value must stand between brackets, and none does."""
    if _line(lines, mark.line)[mark.column : mark.column + 1] == ",":
        return Mistake("this `,` has no value before it; remove it, or add the value", mark.line, mark.column)
    open_ones: list[yaml.Token] = []
    with suppress(yaml.YAMLError):  # of what follows the mark
        for token in yaml.scan("\n".join(lines)):
            if (token.start_mark.line, token.start_mark.column) >= (mark.line, mark.column):
                break
            if isinstance(token, yaml.FlowSequenceStartToken | yaml.FlowMappingStartToken):
                open_ones.append(token)
            elif open_ones and isinstance(token, yaml.FlowSequenceEndToken | yaml.FlowMappingEndToken):
                open_ones.pop()
    if not open_ones:
        return None
    opened, closed = _CLOSING["sequence" if isinstance(open_ones[-1], yaml.FlowSequenceStartToken) else "mapping"]
    line = open_ones[-1].start_mark.line + 1
    return Mistake(f"the `{closed}` that closes the `{opened}` of line {line} is missing", mark.line, mark.column)


def _line(lines: list[str], number: int) -> str:
    """Return a line; '' for one that the parser counts and we do not, such as behind a carriage return."""
    return lines[number] if number < len(lines) else ""


def _colon(lines: list[str], mark: Mark) -> Mistake | None:
    before = _line(lines, mark.line)[: mark.column]
    if ": " in before or ":\t" in before:
        return Mistake("a text with a colon and a space in it needs quotes around it", mark.line, mark.column)
    above = next((number for number in range(min(mark.line, len(lines)) - 1, -1, -1) if lines[number].strip()), None)
    if above is None:
        return None
    line = lines[above][:_LONGEST_LINE]
    if found := _NO_SPACE.match(line):
        return Mistake("a space is missing after this colon", above, found.end() - 1)
    return None if ":" in line else Mistake(_NO_COLON, above, len(line) - len(line.lstrip()))


def _first_character(lines: list[str], mark: Mark) -> Mistake | None:
    character = _line(lines, mark.line)[mark.column : mark.column + 1]
    text = f"`{character}` has a special meaning in YAML at the start of a text; quote the text"
    return Mistake(text, mark.line, mark.column) if character.strip() else None


def _no_key(lines: list[str], mark: Mark) -> Mistake | None:
    line = _line(lines, mark.line)[:_LONGEST_LINE]
    for pattern, what in ((_BEHIND_QUOTES, "the closing quote"), (_BEHIND_BRACKETS, "the closing bracket")):
        if found := pattern.match(line):
            text = f"more text follows {what}; put all of the value in quotes, with none of that kind inside"
            return Mistake(text, mark.line, found.end())
    if line.strip() and not line[: mark.column].strip():
        return Mistake("this line is indented like no line above that it could belong to", mark.line, mark.column)
    return None


_WIDE_MARKS = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LATE_BYTE_ORDER_MARK = re.compile(r"(?<!^)\ufeff")


class UnreadableError(Exception):
    """A problem after which there is no use in reading on."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.text)
        self.problem = problem


def problem_at(mark: Mark, rule: str, text: str, path: KeyPath = (), severity: Severity = Severity.ERROR) -> Problem:
    """Return a problem with the place of a mark of PyYAML."""
    line, column = mark.line + 1, mark.column + 1
    return Problem(rule=rule, path=path, text=text, line=line, column=column, severity=severity)


def bad_encoding(data: bytes) -> Problem | None:
    """Return the problem of a text that is not UTF-8."""
    if data.startswith(_WIDE_MARKS):
        text = "this is UTF-16 or UTF-32; save it as UTF-8"
        return Problem(rule="yaml-encoding", path=(), text=text, line=1, column=1)
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line, column = _place(data[: error.start].decode())
        text = f"byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8"
        return Problem(rule="yaml-encoding", path=(), text=text, line=line, column=column)
    return None


def bad_character(data: bytes) -> Problem:
    """Return the problem of a text with a character that YAML forbids, a control character most likely."""
    text = data.decode()
    found = Reader.NON_PRINTABLE.search(text) or _LATE_BYTE_ORDER_MARK.search(text)
    line, column = _place(text[: found.start()]) if found else (1, 1)
    what = f"character U+{ord(found.group()):04X}" if found else "a character"
    words = f"{what} is not allowed in YAML; remove it, or write it as an escape in double quotes"
    return Problem(rule="yaml-character", path=(), text=words, line=line, column=column)


def bad_syntax(data: bytes, error: yaml.MarkedYAMLError) -> Problem:
    """Return the problem of a text that the parser gave up on."""
    mark = error.problem_mark or error.context_mark
    if mark is None:
        return Problem(rule="yaml-syntax", path=(), text=str(error), line=1, column=1)
    if _has_tab(data, mark):
        return problem_at(mark, "yaml-syntax", "a tab cannot indent in YAML; use spaces")
    found = mistake_in(data.decode().split("\n"), error, mark)
    if found is not None:
        line, column = found.line + 1, found.column + 1
        return Problem(rule="yaml-syntax", path=(), text=found.text, line=line, column=column)
    words = ", ".join(part for part in (error.context, error.problem) if part)
    if error.context and error.context_mark and error.context_mark.line != mark.line:
        words += f" (begun in line {error.context_mark.line + 1})"
    return problem_at(mark, "yaml-syntax", words)


def _place(before: str) -> tuple[int, int]:
    """Return line and column, from 1, of what follows the text `before`."""
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def _has_tab(data: bytes, mark: Mark) -> bool:
    """Return whether a tab stands where the parser stopped, or in the indentation of that line."""
    lines = data.decode().split("\n")
    line = lines[mark.line] if mark.line < len(lines) else ""
    indentation = line[: len(line) - len(line.lstrip())]
    return "\t" in indentation or line[mark.column : mark.column + 1] == "\t"


def too_many(last: Problem | None) -> Problem:
    """Return the problem that stands for all those that are not shown, behind the last one that is."""
    text = f"there are more errors than the {PROBLEMS:,} above; mend these and look again"
    line, column = (1, 1) if last is None else (last.line, last.column)
    return Problem(rule="too-many-problems", path=(), text=text, line=line, column=column)


def shown(value: Any) -> str:
    """Return a value as a message shows it: in backquotes, and cut to a length that fits into one."""
    if value is None or value == "":
        return "an empty value"
    if isinstance(value, bool):
        return f"the truth value {str(value).lower()}"
    if isinstance(value, (dict, list)):
        return f"{'an empty' if not value else 'a'} {'map' if isinstance(value, dict) else 'list'}"
    text = str(value)
    return f"`{text}`" if len(text) <= 60 else f"`{text[:57]}...`"
