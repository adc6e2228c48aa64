"""Proof of a plan: replayed on the observed state it gives the desired one, and VPP would refuse none of its steps."""

from __future__ import annotations

from vppcfg.errors import PlanProofError
from vppcfg.model.state import State
from vppcfg.operations.stages import Step
from vppcfg.operations.working_state import WorkingState
from vppcfg.plan.diff import diff

_HINT = "This is a bug in vppcfg. Nothing was changed. Please report it with the configuration and `vppcfg dump`."


class WrongEndError(PlanProofError):
    """VPP would refuse no step, but the steps lead elsewhere."""

    def __init__(self, message: str, reached: State) -> None:
        super().__init__(message, _HINT)
        self.reached = reached
        """Where they lead."""


def replay(observed: State, steps: tuple[Step, ...]) -> State:
    """Return what the steps make of the observed state. Raise PlanProofError at a step that VPP would refuse."""
    if not steps:
        return observed
    working = WorkingState(observed)
    for number, step in enumerate(steps, start=1):
        reason = step.operation.precondition_error(working)
        if reason is not None:
            command = step.operation.cli()
            raise PlanProofError(
                f"step {number} of the plan, {step.operation}, would be refused: {reason}",
                _HINT,
                () if command is None else (command,),
            )
        step.operation.apply_to(working)
    return working.state()


def prove(observed: State, desired: State, steps: tuple[Step, ...]) -> State:
    """Return where the steps lead from `observed`: to exactly `desired`, what that leaves open filled in.

    Raise WrongEndError when they lead elsewhere.
    """
    reached = replay(observed, steps)
    remaining = dict.fromkeys(change.name for change in diff(reached, desired))
    if remaining:
        names = ", ".join(remaining)
        raise WrongEndError(f"the plan does not lead to the desired state of {names}", reached)
    return reached
