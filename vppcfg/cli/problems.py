"""Writes problems for people and for programs: FILE:LINE:COLUMN, what is wrong, the rule, and the key path."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import islice
from typing import Any, TextIO

from vppcfg.cli.output import Colour, Paint, is_terminal, write
from vppcfg.common.printable import printable
from vppcfg.model.problem import KeyPath, Problem, Severity

FORMAT_VERSION = 2
"""Of the JSON document; grows when a reader of the former one would misread it."""


_NO_YAML = "yaml-syntax"
_WIDTH = 160
"""Characters; a longer line would be wrapped, and the caret would stand anywhere."""
_COLOURS = {Severity.ERROR: Colour.BAD, Severity.WARNING: Colour.CHANGED, Severity.NOTICE: Colour.STRONG}


def report(problems: Sequence[Problem], file_name: str, stream: TextIO | None, paint: Paint, scope: str = "") -> None:
    """Write all problems in the order of the file, then how many there are, and what was judged.

    Without a `scope`, nothing is written when there are no problems.
    """
    if problems or scope:
        ordered = sorted(problems, key=lambda problem: problem.order)
        is_for_a_person = is_terminal(stream)
        lines = [
            line
            for problem in ordered
            for line in (
                *_lines_of(problem, file_name, paint),
                *(_excerpt(problem, problem.file or file_name) if is_for_a_person else ()),
            )
        ]
        write(
            "\n".join([*lines, f"{printable(file_name)}: {counts(problems)}{f' ({scope})' if scope else ''}"]) + "\n",
            stream,
        )


def counts(problems: Sequence[Problem]) -> str:
    """Return how many errors, warnings and notices there are, in words."""
    parts = [_count(_how_many(problems, severity), severity.value) for severity in Severity]
    return ", ".join(part for part in parts if part) or "no problems"


def document(problems: Sequence[Problem], file_name: str) -> dict[str, Any]:
    """Return the problems as data for JSON."""
    errors = _how_many(problems, Severity.ERROR)
    return {
        "format_version": FORMAT_VERSION,
        "file": file_name,
        "is_valid": errors == 0,
        "errors": errors,
        "warnings": _how_many(problems, Severity.WARNING),
        "notices": _how_many(problems, Severity.NOTICE),
        "problems": [_entry(problem) for problem in problems],
    }


def _entry(problem: Problem) -> dict[str, Any]:
    return {
        "rule": problem.rule,
        "severity": problem.severity.value,
        **({"file": problem.file} if problem.file else {}),
        "line": problem.line,
        "column": problem.column,
        "path": list(problem.path),
        "text": problem.text,
    }


def _lines_of(problem: Problem, file_name: str, paint: Paint) -> list[str]:
    file_name = problem.file or file_name
    place = f"{file_name}:{problem.line}:{problem.column}" if problem.line else file_name
    severity = paint(f"{problem.severity.value}:", _COLOURS[problem.severity])
    first = f"{paint(printable(place) + ':', Colour.STRONG)} {severity} {printable(problem.text)} [{problem.rule}]"
    return [first, f"    {_dotted(problem.path)}"] if problem.path else [first]


def _excerpt(problem: Problem, file_name: str) -> list[str]:
    """Return the line of a file that is no YAML, with a caret below the place; nothing where it cannot be read again.

    All other problems have the path of the key, which is more precise.
    """
    if problem.rule != _NO_YAML or not os.path.isfile(file_name):
        return []
    try:
        with open(file_name, encoding="utf-8") as file:
            line = next(islice(file, problem.line - 1, None), "").rstrip("\n")
    except (OSError, ValueError):
        return []
    if len(line) > _WIDTH:
        return []
    return [f"    {printable(line)}", f"    {' ' * (problem.column - 1)}^"]


def _dotted(path: KeyPath) -> str:
    return printable(".".join(str(key) for key in path))


def _how_many(problems: Sequence[Problem], severity: Severity) -> int:
    return sum(problem.severity is severity for problem in problems)


def _count(number: int, noun: str) -> str:
    return "" if number == 0 else f"{number} {noun}{'' if number == 1 else 's'}"
