"""The key `lcp`: what Linux has already of the name that a pair is to get."""

from dataclasses import replace

import pytest

from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve

FILE = """
interfaces:
  eth0: { lcp: e0, sub-interfaces: { 100: { lcp: e0.100 } } }
  eth1: { lcp: { name: e1, netns: blue } }
"""


@pytest.mark.parametrize(
    ("others", "found"),
    [
        ({("", "lo"), ("blue", "e0"), ("", "e1"), ("", "e0.100")}, []),
        ({("", "e0")}, [("interfaces", "eth0", "lcp")]),
        ({("blue", "e1")}, [("interfaces", "eth1", "lcp")]),
    ],
)
def test_a_device_that_is_not_vpps_has_the_name_of_a_pair(others: set[tuple[str, str]], found: list[object]) -> None:
    configuration = parse_text(FILE, "file").configuration
    assert configuration is not None
    state = assumed_state(configuration)
    there = replace(state, facts=replace(state.facts, linux_others=frozenset(others)))
    problems = resolve(configuration, there).problems
    assert [each.path for each in problems if each.rule == "lcp-device-exists"] == found
