"""One random configuration after another on one real VPP: nothing is refused, and each ends where it should."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.laws.networks import PORTS, configurations, without_what_is_left_open
from tests.real_vpp import running, skip_reason
from tests.wireguard_keys import KEYS
from vppcfg.config.configuration import Configuration, InterfaceConfig, LcpConfig
from vppcfg.config.resolve import resolve
from vppcfg.model.state import State
from vppcfg.plan.diff import diff
from vppcfg.plan.plan import make_plan
from vppcfg.transaction.perform import perform_plan
from vppcfg.vpp.live import LiveDataplane, connect

REASON = skip_reason()
pytestmark = [pytest.mark.live, pytest.mark.skipif(REASON is not None, reason=REASON or "")]

TRANSITIONS = int(os.environ.get("TRANSITIONS", "500"))


@pytest.fixture(scope="module")
def router() -> Iterator[tuple[LiveDataplane, State]]:
    """Return a VPP that keeps what one configuration leaves for the next, and its state while it was empty."""
    with running(PORTS, makes_vlan_devices=True) as process:
        process.add_netns("dataplane")
        with connect(str(process.socket_path)) as dataplane:
            dataplane.use_keys(KEYS)
            yield dataplane, dataplane.observe()


@seed(20260101)
@settings(
    max_examples=TRANSITIONS,
    deadline=None,
    database=None,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
)
@given(drawn=configurations())
def test_every_random_configuration_is_reached(router: tuple[LiveDataplane, State], drawn: Configuration) -> None:
    dataplane, empty = router
    configuration = with_names_for_vlans(drawn)
    plan = make_plan(dataplane.observe(), resolve(configuration, dataplane.observe()).desired)
    performance = perform_plan(plan, dataplane, lambda done: None)
    assert [(refusal.operation, refusal.text) for refusal in performance.refusals] == []
    reached = dataplane.observe()
    assert list(diff(reached, plan.desired)) == []
    assert make_plan(reached, resolve(configuration, reached).desired).steps == ()
    from_empty = without_what_is_left_open(resolve(configuration, empty).desired)
    assert list(diff(without_what_is_left_open(reached), from_empty)) == []


def with_names_for_vlans(configuration: Configuration) -> Configuration:
    """Give pairs of sub-interfaces names with a dot, and no others: what stands in for 802.1Q goes by that."""
    interfaces = {name: _renamed(interface) for name, interface in configuration.interfaces.items()}
    return replace(configuration, interfaces=interfaces)


def _renamed(interface: InterfaceConfig) -> InterfaceConfig:
    if interface.lcp is None:
        return interface
    plain = interface.lcp.host_name.replace(".", "-")
    host_name = f"{plain}.v" if interface.parent is not None else plain
    return replace(interface, lcp=LcpConfig(host_name=host_name, netns=interface.lcp.netns))
