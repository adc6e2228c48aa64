"""Proves that an adopted configuration means what its source does: its plan for a VPP in that state is empty."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from vppcfg.adopt.excluded_lines import Key
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.errors import AdoptionError
from vppcfg.model.problem import Problem, Severity
from vppcfg.model.state import State
from vppcfg.plan.plan import make_plan

GAP = "this is a gap in vppcfg, never your fault: please report it with the source"


class DifferentPlanError(AdoptionError):
    """The plan of an adopted configuration is not empty."""

    def __init__(self, message: str, commands: Sequence[str], subjects: Collection[str]) -> None:
        """Keep the `commands` that the plan would have VPP run, and its `subjects`, whose `lines` are found later."""
        super().__init__(message, GAP)
        self.commands, self.subjects = commands, subjects
        self.lines: dict[Key, str] = {}


class InvalidFileError(AdoptionError):
    """No file can express all that a source sets."""

    def __init__(self, message: str, problems: Sequence[Problem], data: Any) -> None:
        """Keep the errors, and the file as plain `data`; the `lines` behind them are found later."""
        super().__init__(message, GAP)
        self.problems, self.data = problems, data
        self.lines: dict[Key, str] = {}


def prove(text: str, state: State) -> Any:
    """Return the data of the YAML `text`.

    Raise AdoptionError unless it is a valid configuration with which a VPP in this state has nothing to do.
    """
    loaded = parse_text(text, "the adopted configuration")
    data = loaded.document.data if loaded.document is not None else None
    errors = [each for each in loaded.problems if each.severity is Severity.ERROR]
    if loaded.configuration is None:
        where = f"line {errors[0].line}: {errors[0].text} [{errors[0].rule}]" if errors else "it is not valid"
        raise InvalidFileError(f"the equivalent configuration is not valid: {where}", errors, data)
    resolution = resolve(loaded.configuration, state)
    errors = [each for each in resolution.problems if each.severity is Severity.ERROR]
    if errors:
        text = f"{errors[0].text} [{errors[0].rule}]"
        raise InvalidFileError(f"the configuration does not go with its source: {text}", errors, data)
    steps = make_plan(resolution.observed, resolution.desired).steps
    if steps:
        raise DifferentPlanError(
            f"the configuration is not equivalent to its source: its plan has {len(steps)} steps, "
            f"the first changes {steps[0].operation.subject} ({type(steps[0].operation).__name__})",
            [line for step in steps if (line := step.operation.cli()) is not None],
            {str(step.operation.subject) for step in steps},
        )
    return data
