"""The states that the plans lead from and to, with what somebody has changed by hand."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from tests.chaos.configurations import BARE, LARGE_PLANS, PLANS
from vppcfg.config import parse_text
from vppcfg.config.assumed import assumed_state
from vppcfg.config.configuration import Configuration
from vppcfg.config.resolve import resolve
from vppcfg.model.bond import Bond
from vppcfg.model.state import State
from vppcfg.model.tap import Tap
from vppcfg.plan.plan import Plan, make_plan


def ends_of(name: str) -> tuple[str, str]:
    """Return the configurations that a plan leads from and to."""
    return (PLANS | LARGE_PLANS)[name]


@cache
def configuration(text: str) -> Configuration:
    """Return a configuration that is valid."""
    loaded = parse_text(text, "test")
    assert loaded.configuration is not None, loaded.problems
    return loaded.configuration


@cache
def state_after(text: str) -> State:
    """Return what a router with Linux around it becomes by a configuration, and a little that was done by hand."""
    bare = assumed_state(configuration(BARE))
    bare = replace(bare, facts=replace(bare.facts, has_linux=True))
    return _touched(resolve(configuration(text), bare).desired)


def _touched(state: State) -> State:
    """Return the state with weights on bond members, and a TAP that was taken out of its Linux bridge."""
    bonds = {
        name: replace(
            bond, members={member: replace(membership, weight=7) for member, membership in bond.members.items()}
        )
        for name, bond in state.made_as(Bond).items()
    }
    linux = {name: replace(device, bridge="") for name, device in state.linux.items()}
    bridges = frozenset((tap.host_netns, tap.host_bridge) for tap in state.made_as(Tap).values() if tap.host_bridge)
    namespaces = frozenset(tap.host_netns for tap in state.made_as(Tap).values())
    return replace(
        state,
        made={**state.made, **bonds},
        linux=linux,
        namespaces=state.namespaces | namespaces,
        linux_bridges=state.linux_bridges | bridges,
    )


@cache
def plan_named(name: str) -> Plan:
    """Return the plan of one case."""
    start, end = ends_of(name)
    observed = state_after(start)
    return make_plan(observed, resolve(configuration(end), observed).desired)
