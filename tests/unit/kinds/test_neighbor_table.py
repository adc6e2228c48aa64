"""Limits of neighbour tables: before neighbours are entered, and what a change may cost hosts."""

from typing import Any

import pytest

from tests.kinds.there_and_back import configuration_of, plan_to
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.resolve import resolve
from vppcfg.kinds.neighbor_table import SetNeighborTable
from vppcfg.model.neighbor_table import NeighborTable
from vppcfg.model.state import State
from vppcfg.operations.change import Impact
from vppcfg.render.impact_text import consequences


def router(table: dict[str, Any] | None, neighbors: dict[str, str]) -> dict[str, Any]:
    eth0 = {"addresses": ["192.0.2.1/24"], "neighbors": neighbors}
    return {"interfaces": {"eth0": eth0}, **({} if table is None else {"neighbor-table": {"ipv4": table}})}


def reached(table: dict[str, Any] | None, neighbors: dict[str, str]) -> State:
    configuration = configuration_of(router(table, neighbors))
    return resolve(configuration, assumed_state(configuration)).desired


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ({}, {"limit": 100}, "holds fewer neighbours"),
        ({"limit": 0}, {"limit": 60_000}, "holds fewer neighbours"),
        ({"limit": 100}, {}, ""),
        ({"limit": 100}, {"limit": 0}, ""),
        ({}, {"max-age": 60}, "forgets silent neighbours sooner"),
        ({"max-age": 60}, {"max-age": 30}, "forgets silent neighbours sooner"),
        ({"max-age": 60}, {}, ""),
        ({}, {"recycle": True}, "replaces its oldest neighbours when it is full"),
        ({"recycle": True}, {}, "refuses new neighbours when it is full"),
        ({"limit": 0}, {"limit": 0, "recycle": True}, ""),
    ],
    ids=str,
)
def test_only_what_may_cost_a_host_its_entry_has_an_impact(
    before: dict[str, Any], after: dict[str, Any], words: str
) -> None:
    plan = plan_to(router(after, {}), reached(before, {}))
    found = consequences(plan)
    assert [each.impact for each in found] == ([Impact.DEGRADE] if words else [])
    assert [each.text for each in found] == ([f"IPv4 neighbour table {words}"] if words else [])


def test_an_absent_key_leaves_the_limits_alone_and_an_empty_one_resets_them() -> None:
    observed = reached({"limit": 7}, {})
    assert plan_to(router(None, {}), observed).of(SetNeighborTable) == []
    assert plan_to(router({}, {}), observed).desired.of(NeighborTable) == {}
