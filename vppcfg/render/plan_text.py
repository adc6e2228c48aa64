"""A plan as the lines that an operator would type at VPP's prompt, under the three headings.

`vppctl exec FILE` runs the text. What has no CLI form is a comment, and so is a dangerous command:
a name in a file is checked when the file is, but what VPP itself has was named by whoever could reach its API, and a
saved state by whoever wrote it. Names with spaces, line ends or braces would become commands of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from vppcfg.common.names import is_typable
from vppcfg.common.printable import is_harmless
from vppcfg.common.release import is_older
from vppcfg.operations.attachment import AttachmentOperation, RestoreInLinux
from vppcfg.operations.operation import Operation
from vppcfg.plan.announcements import announcements, can_announce
from vppcfg.plan.plan import Plan
from vppcfg.render.notes import announcement_lines, left_out_lines, shadow_lines

_TAG = "tag"
"""The field that may have spaces: VPP reads it in braces (unformat_vlib_cli_line, vlib/cli.c)."""
_WORD = re.compile(r"[A-Za-z0-9/._:@+=~%^*-]*")
_is_word = _WORD.fullmatch
_TAG_TEXT = re.compile(r"[^{}$#\\\"']*")
_NUMBERS = frozenset({"int", "float", "bool", "None"})
"""Annotations, which are texts in the modules of the model."""
_OTHER = re.compile(r"[^A-Za-z0-9/._:@+=~%^* -]")


class PlanText(NamedTuple):
    """A plan as text."""

    lines: list[str]
    """No line for an empty plan."""
    without_form: int
    """How many of its steps the text cannot express."""


def plan_text(plan: Plan) -> PlanText:
    """Return a plan as lines."""
    text: list[str] = []
    version = plan.observed.facts.version
    without_form = 0
    for phase, steps in groupby(plan.steps, key=lambda step: step.stage.phase):
        lines = [(cli_line(step.operation, version), step.operation) for step in steps]
        without_form += sum(line is None for line, _ in lines)
        count = sum(line is not None and not line.startswith("comment") for line, _ in lines)
        text.append(f"comment {{ vppcfg {phase.value}: {count} CLI statement(s) follow }}")
        for line, operation in lines:
            text.append(line if line is not None else f"comment {{ vppcfg: no CLI form: {describe(operation)} }}")
    sayable = [each for each in announcements(plan) if _is_word(each.interface) and is_typable(each.interface)]
    moved = [line for line in (each.cli() for each in sayable) if line is not None]
    if moved and can_announce(plan.observed):
        text += (f"comment {{ vppcfg announce: {len(moved)} CLI statement(s) follow }}", *moved)
    elif moved:
        text += map(comment_line, announcement_lines(plan))
    said = (*shadow_lines(plan), *left_out_lines(plan.observed.facts.left_out))
    text += (comment_line(f"vppcfg: {line}") for line in said)
    if without_form:
        text.append(f"comment {{ vppcfg: {without_form} step(s) have no CLI form, use apply }}")
    return PlanText(text, without_form)


def comment_line(text: str) -> str:
    """Return a line of text as one that VPP passes over."""
    return f"comment {{ {_OTHER.sub('?', text)} }}"


def describe(operation: Operation) -> str:
    """Return a short text of an operation that has no CLI form, with everything replaced that could end a comment."""
    verb = re.sub(r"(?<!^)(?=[A-Z])", " ", type(operation).__name__).lower()
    what = f" {operation.attachment.label}" if isinstance(operation, AttachmentOperation) else ""
    return f"{verb} {_OTHER.sub('?', operation.subject + what)}"


def cli_line(operation: Operation, version: str = "") -> str | None:
    """Return the CLI line of an operation, or None when VPP's CLI cannot express it, or would take a name for commands.

    `version` is VPP's own version text; without one, or with one that names no release, it is today's CLI.
    """
    since = operation.cli_since
    if since is not None and is_older(version, since):
        return None
    if isinstance(operation, RestoreInLinux):
        return operation.cli()
    if isinstance(operation, AttachmentOperation):
        line = operation.cli()
        return None if line is None or _OTHER.search(line) or not is_typable(line) else line
    line = operation.cli()
    if line is None or not is_typable(f"{operation.subject} {line}") or not _is_sayable(operation):
        return None
    return line


def _is_sayable(operation: Operation) -> bool:
    """Return whether every text of an operation is one word, and its tag one that braces hold."""
    kind: type = type(operation)
    words, others = _texts_of(kind)
    if not _is_word("".join(words(operation))):
        return False
    return not others or all(
        _is_sayable_as(*text) for name in others for text in _texts(getattr(operation, name), name)
    )


def _is_sayable_as(name: str, text: str) -> bool:
    if name == _TAG:
        return _TAG_TEXT.fullmatch(text) is not None and is_harmless(text)
    return _WORD.fullmatch(text) is not None


def _texts(value: object, name: str) -> Iterator[tuple[str, str]]:
    """Yield every text in a value of the model, with the name of its field."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, tuple | frozenset):
        for item in value:
            yield from _texts(item, name)
    else:
        kind: type = value.__class__
        for field in _names(kind):
            yield from _texts(getattr(value, field), field)


@cache
def _texts_of(kind: type) -> tuple[Callable[[Operation], Iterable[str]], tuple[str, ...]]:
    """Return what gets the texts of an operation of a kind that are one word each, and its other fields with texts."""
    words = tuple(field.name for field in fields(kind) if field.type == "str" and field.name != _TAG)
    return attrgetter(*words) if words else lambda operation: (), tuple(x for x in _names(kind) if x not in words)


@cache
def _names(kind: type) -> tuple[str, ...]:
    """Return the fields of a kind of value that may have texts: all but numbers; none of what is no data class."""
    if not is_dataclass(kind) or issubclass(kind, Enum):
        return ()
    return tuple(field.name for field in fields(kind) if not _NUMBERS.issuperset(str(field.type).split(" | ")))
