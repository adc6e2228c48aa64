"""Tests what a plan says of deterministic NAT that the file leaves alone."""

from dataclasses import replace

import pytest

from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.model.det44 import Det44Map
from vppcfg.model.state import State
from vppcfg.plan.plan import make_plan

PORT = "interfaces:\n  eth0: { mtu: 9000, state: down }\n"
MAP = Det44Map(inside="100.64.0.0/24", outside="203.0.113.64/28")


@pytest.mark.parametrize(
    ("section", "notices", "steps"),
    [("", ["VPP has 1 DET44 map that the file leaves alone, since it has no `det44`"], 0), ("det44: {}\n", [], 1)],
)
def test_what_others_have_is_left_alone_in_so_many_words(section: str, notices: list[str], steps: int) -> None:
    configuration = parse_text(PORT + section, "test").configuration
    assert configuration is not None
    bare = assumed_state(configuration)
    observed: State = replace(bare, objects={Det44Map: {MAP.name: MAP}})
    resolution = resolve(configuration, observed)
    assert [each.text for each in resolution.problems if each.rule == "left-alone"] == notices
    assert len(make_plan(resolution.observed, resolution.desired).steps) == steps
