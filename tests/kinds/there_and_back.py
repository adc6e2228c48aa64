"""The law that a simulated and a real VPP are asked alike: what is sent is read back, and undone without a trace."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import yaml

from tests.kinds.samples import Samples
from tests.laws.test_simulator_laws import apply_to
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.entries.configuration import Configuration
from vppcfg.model.problem import Severity
from vppcfg.model.state import State
from vppcfg.model.vpp_object import permanent_in
from vppcfg.plan.diff import diff
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.plan.rollback import reverse_plan
from vppcfg.plan.unmanaged import is_of_file
from vppcfg.vpp.live import LiveDataplane

_READ: dict[str, Configuration] = {}


def configuration_of(data: dict[str, Any]) -> Configuration:
    """Return the configuration of a sample, which has no errors; it is read once, however often it is asked for."""
    if (known := _READ.get(key := repr(data))) is not None:
        return known
    loaded = parse_text(yaml.safe_dump(data), "sample")
    assert [problem for problem in loaded.problems if problem.severity is Severity.ERROR] == []
    assert loaded.configuration is not None
    return _READ.setdefault(key, loaded.configuration)


def plan_to(data: dict[str, Any], observed: State) -> Plan:
    return make_plan(observed, resolve(configuration_of(data), observed).desired)


def others_on(vpp: LiveDataplane, state: State, plan: Plan) -> list[str]:
    """Return what seems to be others' on a VPP that has what a plan leads to, and nothing else."""
    state = replace(state, owned=plan.desired.owned)
    found = vpp.unmanaged({*state.interfaces, *state.vrfs, *state.bridges}, state)
    return [f"{each.holder}: {each.label}" for each in found if not is_of_file(each, state.owned)]


def assert_there_and_back(samples: Samples, vpp: LiveDataplane, check: Callable[[State], None] | None = None) -> None:
    """Go from each sample to the next one, back, and there again; in the end nothing of the kind is left.

    `check` is called with the state of each sample that was reached.
    """
    state = without = apply_to(plan_to(samples.context, vpp.observe()), vpp)
    for data in samples.configurations:
        plan = plan_to(data, state)
        reached = apply_to(plan, vpp)
        assert plan_to(data, reached).steps == ()
        if check is not None:
            check(reached)
        assert others_on(vpp, reached, plan) == [], "a kind names the nodes that it turns on: Kind.nodes"
        back = apply_to(reverse_plan(plan), vpp)
        assert list(diff(back, plan.observed)) == []
        state = apply_to(plan_to(data, back), vpp)
    left = apply_to(plan_to(samples.context, state), vpp)
    assert list(diff(left, without)) == []
    assert {**left.objects, **permanent_in(without.objects)} == {**without.objects, **permanent_in(left.objects)}
