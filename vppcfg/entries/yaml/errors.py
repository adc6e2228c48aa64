"""Problems of a file that cannot be read as YAML: encoding, characters, syntax; each with its place and a remedy."""

from __future__ import annotations

import codecs
import re
from typing import Any

import yaml
from yaml.reader import Reader

from vppcfg.common.bounds import PROBLEMS
from vppcfg.entries.yaml.document import Mark
from vppcfg.entries.yaml.plain_words import mistake_in
from vppcfg.model.problem import KeyPath, Problem, Severity

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
