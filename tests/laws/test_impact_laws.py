"""What must hold for the impact of the plan between any two states, told by a slow account of services."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress

import pytest
from hypothesis import given

from tests.kinds.operations import sampled_plans
from tests.laws.examples import examples
from tests.laws.networks import configurations, numbered_edit, numbered_plan_ends, states
from tests.services import Found, found_on_the_way
from vppcfg.config.resolve import resolve
from vppcfg.entries.configuration import Configuration
from vppcfg.model.state import State
from vppcfg.operations.object_operation import SetObject
from vppcfg.operations.operation import InterfaceOperation
from vppcfg.operations.working_state import WorkingState
from vppcfg.plan.impact import Impact, Links, part_name
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.plan.services import ServicePart
from vppcfg.probe.forwarding import predict
from vppcfg.probe.network import Network
from vppcfg.probe.outcome import Fate, FrameProbe, UndecidedError
from vppcfg.probe.test_cases import probes_for


def states_on_the_way(plan: Plan) -> list[State]:
    """Return the state before the plan and those after each of its steps."""
    working = WorkingState(plan.observed)
    on_the_way = [plan.observed]
    for operation in plan.operations:
        operation.apply_to(working)
        on_the_way.append(working.state())
    return on_the_way


def found_by_the_plan(plan: Plan) -> Found:
    """Return what interfaces lose; `tests/unit/plan/test_route_impact.py` has routes."""
    return {
        (name, part_name(loss.part), loss.what): (loss.impact.label, loss.step)
        for name, effect in plan.effects.items()
        for loss in effect.losses
        if isinstance(loss.part, ServicePart)
    }


def check_one(observed: State, configuration: Configuration) -> None:
    plan = make_plan(observed, resolve(configuration, observed).desired)
    found = found_on_the_way(states_on_the_way(plan))
    assert found_by_the_plan(plan) == found
    parts = {loss.part for effect in plan.effects.values() for loss in effect.losses}
    has_routes = any(not isinstance(part, ServicePart) for part in parts)
    assert (plan.impact.label == "none") == (found == {} and not has_routes)


@examples(11)
@given(observed=states(with_linux=True), configuration=configurations(with_linux=True))
def test_the_impact_is_what_a_slow_account_of_services_finds_at_every_step(
    observed: State, configuration: Configuration
) -> None:
    check_one(observed, configuration)


def test_so_it_is_for_everyday_edits() -> None:
    for number in range(40):
        check_one(*numbered_edit(number))


def delivered(network: Network, probe: FrameProbe, linked: Collection[str]) -> set[tuple[Fate, str]]:
    """Return where the frame of a probe is taken or sent, by interfaces with link."""
    ends = (end for choice in predict(network, probe.port, probe.frame).choices for end, _ in choice.ends)
    found = {(end.fate, end.interface) for end in ends if end.fate in {Fate.SENT, Fate.KEPT, Fate.ASKED}}
    return {(fate, name) for fate, name in found if not name or name in linked}


def lost_frames(plan: Plan) -> list[str]:
    """Return which frames that prove the observed state do not arrive any more where they did."""
    before, after = Network(plan.observed), Network(plan.reached)
    linked = Links(WorkingState(plan.observed)).linked
    found = []
    for probe in probes_for(before).probes:
        with suppress(UndecidedError):
            if not delivered(before, probe, linked) <= delivered(after, probe, linked):
                found.append(f"{probe.about.text}: {probe.purpose}")
    return found


def test_a_frame_that_arrives_no_more_is_an_impact() -> None:
    some = 0
    for number in range(30):
        observed, configuration = numbered_edit(number)
        plan = make_plan(observed, resolve(configuration, observed).desired)
        lost = lost_frames(plan)
        assert plan.impact >= Impact.POLICY or not lost, (number, lost)
        some += bool(lost)
    assert some


@pytest.mark.long
def test_the_impact_is_what_a_slow_account_finds_at_length() -> None:
    for number in range(2000):
        check_one(*numbered_plan_ends(number))
        check_one(*numbered_edit(number))


HARMLESS = {
    "nothing uses it yet": "AddLimitTable CreateAcl CreateBridge CreateMacip CreateMemifSocket CreateMplsTable"
    " CreatePolicy CreateVrf EnableDet44 EnableNat44 SetQosMap",
    "nothing uses it any more": "DeleteAcl DeleteBridge DeleteMacip DeleteMemifSocket DeleteVrf MarkVrfRoutes"
    " ReleaseTypedPolicy ReleaseTypedVrf RemoveLimitTable RemovePolicer RemovePolicy RemoveQosMap SweepVrfRoutes",
    "what it forwards or answers was dropped, or asked in vain": "AddDet44Map AddNatMapping"
    " EnableOsiProtocol SetDhcpRelay SetNdProxy SetPuntRedirect SetTunnelNeighbor SetVpnLabel",
    "translated hosts keep their addresses while sessions last": "AddNatAddress AddNatPool",
    "packets are only looked at": "SetFlowParams SetIpfixExporter SetLldpSettings SetSflowDirection SetSflowDrops"
    " SetSflowHeaderBytes SetSflowPollingInterval SetSflowSamplingRate",
    "all packets pass, with other marks or segments": "RemoveQosMark RemoveQosRecord RemoveQosStore SetNatMss"
    " SetQosMark SetQosRecord SetQosStore",
    "larger packets or more of them pass": "FreeInterface RemovePathMtu RemoveRateLimit",
    "a step beside it is blamed": "AddNatLeaks LimitInterface LinkLimitTable RenewPathMtu SetRateLimit"
    " StopVirtualRouter TrackInterface",
    "who is silent is forgotten at another time": "ResetDet44Timeouts SetBridgeMacAge SetDet44Timeouts",
    "other routers of the network decide what it takes over": "CreateVirtualRouter",
}
"""Operations that no sampled plan is blamed for, by the reason; one that sets an object counts when that is new."""


def test_whatever_works_on_more_than_one_interface_has_an_impact_or_is_harmless_for_a_reason() -> None:
    blamed: dict[str, bool] = {}
    for plan in sampled_plans():
        for position, operation in enumerate(plan.operations):
            if isinstance(operation, InterfaceOperation):
                continue  # of these the slow account above knows all
            if isinstance(operation, SetObject) and operation.subject in plan.observed.of(type(operation.item)):
                continue
            name = type(operation).__name__
            blamed[name] = blamed.get(name, False) or position in plan.step_impacts
    harmless = {name for names in HARMLESS.values() for name in names.split()}
    assert {name for name, is_blamed in blamed.items() if not is_blamed} == harmless
