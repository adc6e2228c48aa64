"""Plans a configuration for a VPP in its present state: the problems that this state makes, and the plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vppcfg.app.console import Console
from vppcfg.config.load import Loaded
from vppcfg.config.resolve import Resolution, resolve
from vppcfg.dataplane import Dataplane
from vppcfg.entries.configuration import Configuration
from vppcfg.errors import ExitCode
from vppcfg.model.problem import Problem, Severity
from vppcfg.model.state import State
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.record import record
from vppcfg.transaction.planning import plan_on

_LACKING = frozenset({"lcp-plugin-missing", "plugin-missing"})
"""Rules for what the dataplane lacks; the others forbid the plan."""


@record
class Proposal:
    """A configuration beside the state that it is to be applied to."""

    resolution: Resolution
    problems: tuple[Problem, ...]
    """That only this state makes, each with its place in the file."""

    @property
    def code(self) -> ExitCode:
        """Return DONE, or the exit code that the problems lead to."""
        return exit_code_of(self.problems)

    def plan(self) -> Plan:
        """Return the plan, also one that must not be carried out; there is none unless `resolution.is_possible`."""
        return make_plan(self.resolution.observed, self.resolution.desired)

    def plan_on(self, dataplane: Dataplane) -> Plan:
        """Return the plan likewise, with what others have on what it touches. Raise DataplaneError."""
        return plan_on(dataplane, self.resolution.observed, self.resolution.desired)


def propose(
    configuration: Configuration,
    loaded: Loaded,
    observed: State,
    *,
    adopt: bool,
    applied: Callable[[], State | None] = lambda: None,
) -> Proposal:
    """Return the proposal for a file and an observed state; `applied` returns the state that the file in force sets."""
    resolution = resolve(configuration, observed, adopt=adopt, applied=applied)
    return Proposal(resolution=resolution, problems=tuple(loaded.placed(resolution.problems)))


def show_obstacles(proposal: Proposal, file_name: str, console: Console) -> ExitCode:
    """Show the problems of a proposal, and return DONE when none of them is an error."""
    console.show_problems(proposal.problems, file_name)
    return proposal.code


def exit_code_of(problems: Sequence[Problem]) -> ExitCode:
    """Return the exit code that problems lead to, DONE when none of them is an error."""
    errors = {problem.rule for problem in problems if problem.severity is Severity.ERROR}
    if not errors:
        return ExitCode.DONE
    return ExitCode.DATAPLANE if errors & _LACKING else ExitCode.REFUSED
