"""The states that the plans lead from and to, with what somebody has changed by hand."""

from dataclasses import replace
from functools import cache

from tests.chaos.configurations import BARE, LARGE_PLANS, PLANS
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.entries.configuration import Configuration
from vppcfg.model.bond import Bond
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.placement import Placements, QueuePlacement, moved_to
from vppcfg.model.policy_route import OWN_IDS
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
    ports = {name: replace(port, rx_placement=_RX, tx_placement=_TX) for name, port in bare.interfaces.items()}
    bare = replace(bare, interfaces=ports, facts=replace(bare.facts, has_linux=True, workers=2))
    return _touched(resolve(configuration(text), bare).desired)


_RX: Placements = tuple(QueuePlacement(queue=queue, threads=(queue + 1,)) for queue in (0, 1))
_TX: Placements = (QueuePlacement(queue=0, threads=(0, 2)), QueuePlacement(queue=1, threads=(1,)))
"""Where a VPP with two workers puts the queues of ports that have two each way."""


def _with_all_queues(port: Interface) -> Interface:
    """Return a port with the queues of which its file says nothing where VPP has put them."""
    rx, tx = _RX, _TX
    for placed in port.rx_placement:
        rx = moved_to(rx, placed)
    for placed in port.tx_placement:
        tx = moved_to(tx, placed)
    return replace(port, rx_placement=rx, tx_placement=tx)


def _with_policy_ids(interfaces: dict[str, Interface]) -> dict[str, Interface]:
    """Return interfaces whose policy routes have numbers, as those that VPP has."""
    numbers = iter(OWN_IDS)
    return {
        name: replace(
            each, policy_routes=tuple(replace(route, policy_id=next(numbers)) for route in each.policy_routes)
        )
        for name, each in interfaces.items()
    }


def _touched(state: State) -> State:
    """Return the state with weights on bond members, and a TAP that was taken out of its Linux bridge."""
    bonds = {
        name: replace(
            bond, members={member: replace(membership, weight=7) for member, membership in bond.members.items()}
        )
        for name, bond in state.virtual_as(Bond).items()
    }
    ports = {
        name: _with_all_queues(port) if port.kind is InterfaceKind.PHYSICAL and port.parent is None else port
        for name, port in state.interfaces.items()
    }
    ports = _with_policy_ids(ports)
    linux = {name: replace(device, bridge="") for name, device in state.linux.items()}
    bridges = frozenset((tap.host_netns, tap.host_bridge) for tap in state.virtual_as(Tap).values() if tap.host_bridge)
    namespaces = frozenset(tap.host_netns for tap in state.virtual_as(Tap).values())
    return replace(
        state,
        interfaces=ports,
        virtual={**state.virtual, **bonds},
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
