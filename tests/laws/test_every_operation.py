"""The networks that the laws draw need every operation there is: none is left to be tried on a router first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from tests.kinds.samples import samples_of
from tests.kinds.there_and_back import configuration_of
from tests.laws.networks import numbered_plan_ends
from tests.operations import every_operation
from vppcfg.config.placeholders import assumed_state
from vppcfg.config.resolve import resolve
from vppcfg.kinds.owned_list import OWNED_KEYS
from vppcfg.model.state import State
from vppcfg.plan.bootstrap_state import restorable
from vppcfg.plan.diff import diff
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.plan.proof import replay
from vppcfg.plan.rollback import reverse_plan

NUMBERS = (*range(20), 46, 119, 511, 873)
"""With these few, every operation is in a plan; in 46 a member of a bond gets a weight, in 119 a policy gets other
paths, in 511 a WireGuard loses a peer, and in the last one a TAP that stays was taken out of its Linux bridge."""


def sampled_plans() -> Iterator[Plan]:
    """Yield plans from each sample of the kinds that mark nothing to the next one: tests/kinds carries them out."""
    for key in sorted(OWNED_KEYS | {"sflow", "nat44", "multipoint"}):
        samples = samples_of(key)
        states = [desired_state(each) for each in (samples.context, *samples.configurations, samples.context)]
        yield from (make_plan(before, after) for before, after in pairwise(states))


def desired_state(data: dict[str, Any]) -> State:
    configuration = configuration_of(data)
    return resolve(configuration, assumed_state(configuration)).desired


def test_the_laws_run_every_operation() -> None:
    found = set()
    for number in NUMBERS:
        observed, configuration = numbered_plan_ends(number)
        plan = make_plan(observed, resolve(configuration, observed).desired)
        back = reverse_plan(plan)
        assert list(diff(replay(back.observed, back.steps), restorable(observed))) == []
        found |= {type(operation) for operation in plan.operations}
    found |= {type(operation) for plan in sampled_plans() for operation in plan.operations}
    # test_unmanaged_laws.py and tests/unit/plan/test_path_mtu_removal.py have them
    of_others = {"AnchorHost", "PutBack", "RestoreInLinux", "TakeOff"}
    assert {kind.__name__ for kind in every_operation()} - of_others - {kind.__name__ for kind in found} == set()
