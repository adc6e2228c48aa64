"""Namespaces and bridges of Linux that others make: they come and go, and no plan follows them."""

from dataclasses import replace

import pytest

from tests.unit.config.test_owned import resolved
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import parse_text
from vppcfg.kinds.linux_device import CreateLinuxBridge, CreateNamespace
from vppcfg.model.state import State
from vppcfg.plan.diff import diff
from vppcfg.plan.plan import make_plan
from vppcfg.plan.rollback import closest_to

TAPS = """
taps:
  tap0: { host: { name: vm0, namespace: vms, namespace-create: true, bridge: br0, bridge-create: true } }
  tap1: { host: { name: vm1, namespace: blue } }
interfaces: { tap0: {}, tap1: {} }
"""
PAIR = "interfaces: { eth0: { lcp: { name: e0, netns: red } } }\n"
OTHERS = frozenset({"red", "blue", "container"})
"""Namespaces that are there before."""
DOCKER = frozenset({("", "docker0"), ("blue", "virbr0")})


def before(text: str) -> State:
    """Return a VPP with the ports of a file alone, in a Linux with namespaces and bridges of others."""
    configuration = parse_text(text, "file").configuration
    assert configuration is not None
    state = assumed_state(configuration)
    return replace(state, namespaces=OTHERS, linux_bridges=DOCKER, facts=replace(state.facts, has_linux=True))


def without_others(state: State) -> State:
    """Return the state when the container has ended."""
    return replace(state, namespaces=state.namespaces - {"container"}, linux_bridges=state.linux_bridges - DOCKER)


@pytest.mark.parametrize("text", [TAPS, PAIR])
def test_what_others_take_away_is_neither_missed_nor_made_anew(text: str) -> None:
    observed = before(text)
    plan = make_plan(observed, resolved(text, observed).desired)
    now = without_others(plan.reached)
    assert list(diff(now, plan.desired)) == [], "no reason to undo the change"
    back = make_plan(now, closest_to(observed, now, lambda name: False, (), plan.desired).state)
    assert not [each for each in back.operations if isinstance(each, CreateNamespace | CreateLinuxBridge)]


def test_what_the_file_makes_is_made_and_made_anew() -> None:
    observed = before(TAPS)
    plan = make_plan(observed, resolved(TAPS, observed).desired)
    assert [each.netns for each in plan.of(CreateNamespace)] == ["vms"]
    assert [(each.netns, each.bridge) for each in plan.of(CreateLinuxBridge)] == [("vms", "br0")]
    lost = replace(plan.reached, namespaces=OTHERS, linux_bridges=DOCKER)
    assert [change.name for change in diff(lost, plan.desired)] == ["namespace vms", "bridge br0"]
