"""Explains in plain words why YAML's parser gave up on a text, and where the mistake is.

The parser names the rule of its grammar that it could not go on with, at the place where it noticed: that is often the
line after the mistake. What people do wrong is known, and looked for in the text.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import NamedTuple

import yaml

from vppcfg.entries.yaml.document import Mark

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
