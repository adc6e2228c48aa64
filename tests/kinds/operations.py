"""The table of operations that all tests share: what leads from each sample of a kind to the next one, and back."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from tests.kinds.samples import Samples, all_samples
from tests.kinds.there_and_back import configuration_of, plan_to
from vppcfg.config.assumed_state import assumed_state
from vppcfg.model.state import State
from vppcfg.operations.operation import Operation
from vppcfg.plan.plan import Plan
from vppcfg.plan.rollback import reverse_plan


def bare_vpp(samples: Samples) -> State:
    """Return a VPP that has the ports of all samples and nothing else."""
    ports: dict[str, Any] = {}
    for data in (samples.context, *samples.configurations):
        ports.update(assumed_state(configuration_of(data)).interfaces)
    state = assumed_state(configuration_of(samples.context))
    with_macs = {name: replace(ports[name], mac=f"02:00:00:00:00:{at:02x}") for at, name in enumerate(sorted(ports), 1)}
    return replace(state, interfaces=with_macs)


def sampled_plans() -> Iterator[Plan]:
    """Yield the plans from each sample to the next one, from the first to nothing of the kind, and back."""
    for samples in all_samples():
        state = bare_vpp(samples)
        for data in (samples.context, *samples.configurations, samples.context):
            plan = plan_to(data, state)
            yield from (plan, reverse_plan(plan))
            state = plan.reached


@cache
def sampled_operations() -> tuple[Operation, ...]:
    """Return every different operation of these plans."""
    return tuple({repr(operation): operation for plan in sampled_plans() for operation in plan.operations}.values())
