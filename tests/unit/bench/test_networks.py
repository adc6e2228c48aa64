"""The generated networks are what the benchmarks say they are."""

import pytest

from bench.networks import KINDS, Network
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.model.state import State
from vppcfg.plan.plan import make_plan

every_kind = pytest.mark.parametrize("kind", KINDS)


def desired(text: str) -> State:
    configuration = parse_text(text, "network").configuration
    assert configuration is not None
    return resolve(configuration, assumed_state(configuration)).desired


@every_kind
@pytest.mark.parametrize("size", [1, 20, 415])
def test_a_network_has_no_problem(kind: str, size: int) -> None:
    network = KINDS[kind](size)
    assert parse_text(network.text, kind).problems == ()
    assert parse_text(network.edited, kind).problems == ()


@every_kind
def test_a_change_of_one_line_is_a_small_change(kind: str) -> None:
    network = KINDS[kind](200)
    plan = make_plan(desired(network.text), desired(network.edited))
    assert 1 <= len(plan.steps) <= 2


def interfaces(network: Network) -> int:
    """Return how many interfaces there are but for the ports and the bonds and pairs that all sizes have."""
    return sum(not name.startswith("BondEthernet") for name in desired(network.text).interfaces) - len(network.ports)
