"""A plan as the lines that an operator would type at VPP's prompt, under the three headings.

`vppctl exec FILE` runs the text. What has no CLI form says so in a comment; nothing else knows VPP's grammar.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from vppcfg.plan.operations import Operation, SetCrossConnect, SetUnnumbered
from vppcfg.plan.plan import Plan
from vppcfg.render.cli_lines import line_of
from vppcfg.render.cli_words import harmless, is_sayable

LARGEST_SUB_ID = 2**31 - 1
"""VPP's CLI reads sub-interface ids as signed 32-bit numbers (vnet/interface_cli.c); the API takes twice as many."""


class PlanText(NamedTuple):
    """A plan as text."""

    lines: list[str]
    """No line for an empty plan."""
    without_form: int
    """How many of its steps the text cannot say."""


def plan_text(plan: Plan) -> PlanText:
    """Return a plan as lines."""
    text: list[str] = []
    without_form = 0
    for phase, steps in groupby(plan.steps, key=lambda step: step.stage.phase):
        lines = [(cli_line(step.operation), step.operation) for step in steps]
        without_form += sum(line is None for line, _ in lines)
        count = sum(line is not None and not line.startswith("comment") for line, _ in lines)
        text.append(f"comment {{ vppcfg {phase.value}: {count} CLI statement(s) follow }}")
        for line, operation in lines:
            text.append(line if line is not None else f"comment {{ vppcfg: no CLI form: {describe(operation)} }}")
    if without_form:
        text.append(f"comment {{ vppcfg: {without_form} step(s) have no CLI form, use apply }}")
    return PlanText(text, without_form)


def describe(operation: Operation) -> str:
    """Return a short text of an operation that has no CLI form."""
    verb = re.sub(r"(?<!^)(?=[A-Z])", " ", type(operation).__name__).lower()
    return f"{verb} {harmless(operation.subject)}"


def cli_line(operation: Operation) -> str | None:
    """Return the CLI line of an operation, or None when VPP's CLI cannot say it, or would take a name for commands."""
    other = _other_named_in(operation)
    if _is_unnamable(operation.subject) or (other is not None and _is_unnamable(other)) or not is_sayable(operation):
        return None
    return line_of.registry.get(type(operation), line_of)(operation)


def _other_named_in(operation: Operation) -> str | None:
    if isinstance(operation, SetCrossConnect):
        return operation.target
    return operation.donor if isinstance(operation, SetUnnumbered) else None


@lru_cache(maxsize=1 << 17)
def _is_unnamable(name: str) -> bool:
    """Return whether VPP's CLI cannot name the interface because its sub-interface id is too large."""
    sub_id = name.rpartition(".")[2]
    return len(sub_id) >= len(str(LARGEST_SUB_ID)) and sub_id.isdigit() and int(sub_id) > LARGEST_SUB_ID
