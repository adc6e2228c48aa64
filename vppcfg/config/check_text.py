"""Parses a check on a command line, written in the words of the section `checks`."""

from __future__ import annotations

from vppcfg.config.schema.check import check_shape
from vppcfg.config.sections.checks import KEY, parse_check
from vppcfg.entries.yaml.reader import read_document
from vppcfg.errors import UsageError
from vppcfg.model.checks import Check

_LIKE = "write it as in the file, such as `ping: 192.0.2.1, within: 5s`"


def check_in(text: str) -> Check:
    """Return the check in a text, with or without braces around it. Raise UsageError when it is none."""
    inner = text.strip()
    entry = inner if inner.startswith("{") else f"{{ {inner} }}"
    document = read_document(f"{KEY}:\n  - {entry}\n".encode())
    problems = [*document.problems, *(() if document.problems else check_shape(document.data))]
    if problems:
        raise UsageError(f"--add-check {text!r}: {problems[0].text}", _LIKE)
    check = parse_check(document.data[KEY][0], (KEY, 0))
    if isinstance(check, list):
        raise UsageError(f"--add-check {text!r}: {check[0].text}", _LIKE)
    return check
