"""What stands between a valid file and this dataplane: shows it and says which exit code it leads to."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from vppcfg.cli.output import paint_for
from vppcfg.cli.problems import report
from vppcfg.errors import ExitCode
from vppcfg.model.problem import Problem, Severity

_LACKING = frozenset({"lcp-plugin-missing", "plugin-missing"})
"""Rules that say what the dataplane lacks; the others forbid the plan."""


def show_obstacles(problems: Sequence[Problem], args: argparse.Namespace) -> ExitCode:
    """Write the problems to standard error and return DONE when none of them is an error."""
    report(problems, args.config, sys.stderr, paint_for(sys.stderr, args.color))
    return code_of(problems)


def code_of(problems: Sequence[Problem]) -> ExitCode:
    """Return the exit code that problems lead to, DONE when none of them is an error."""
    errors = {problem.rule for problem in problems if problem.severity is Severity.ERROR}
    if not errors:
        return ExitCode.DONE
    return ExitCode.DATAPLANE if errors & _LACKING else ExitCode.REFUSED
