"""A whole file: all problems of all stages at once, in the order of the file."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.examples import examples
from vppcfg.config.load import Loaded, parse_text
from vppcfg.entries.configuration import Configuration
from vppcfg.model.problem import Severity

FLAWED = """\
interfaces:
  eth0:
    mtu: 64
    lcp: E0
    mtu: 1500
  eth1:
    l2xc: eth0
    sub-interfaces:
      100: {}
      0200: { mtu: 9000 }
      5000: { state: up }
  eth2:
    l2xc: eth9
    addresses: [ 192.0.2.0/24, 192.0.2.1/24, 192.0.2.1/24, nonsense ]
  on: {}
unmanaged: [ eth1, eth2* ]
loopback: {}
"""


def places(loaded: Loaded) -> list[tuple[int, int, str]]:
    return [(problem.line, problem.column, problem.rule) for problem in loaded.problems]


@pytest.mark.parametrize("key", ["''", "': '", "' : x'"])
def test_a_key_that_is_empty_or_a_separator_is_unknown(key: str) -> None:
    (problem,) = parse_text(f"{key}:\n", "file").problems
    assert (problem.rule, problem.line) == ("schema-unknown-key", 1)
    assert problem.path == (key.strip("'"),)


@pytest.mark.parametrize("text", ["", "{}", "interfaces: {}", "interfaces:\nunmanaged:\n", "# nothing", b"---\n..."])
def test_an_empty_file_is_valid(text: str | bytes) -> None:
    assert parse_text(text, "empty") == Loaded(name="empty", configuration=Configuration(), problems=())


def test_a_file_of_the_public_tool_is_accepted() -> None:
    text = """
interfaces:
  GigabitEthernet1/0/0:
    mtu: 9000
    lcp: e0
    addresses: [ 100.64.10.1/30, 2001:db8::1/112 ]
    sub-interfaces:
      100:
        lcp: e0.100
        mtu: 1500
        addresses: [ 192.0.2.1/24 ]
      101:
        lcp: e0.101
        encapsulation:
          dot1ad: 101
          exact-match: true
      1011:
        lcp: e0.101.1
        encapsulation:
          dot1ad: 101
          inner-dot1q: 1
          exact-match: True
"""
    loaded = parse_text(text, "public")
    assert loaded.problems == ()
    assert loaded.configuration is not None
    assert list(loaded.configuration.interfaces)[1:] == [
        f"GigabitEthernet1/0/0.{sub_id}" for sub_id in (100, 101, 1011)
    ]


def test_a_value_that_yaml_cannot_read_is_told_once() -> None:
    loaded = parse_text("interfaces: {eth0: {description: 2026-13-01, mtu: " + "9" * 5000 + "}}", "unread")
    assert [problem.rule for problem in loaded.problems] == ["yaml-value", "yaml-value"]


def test_a_problem_of_a_merged_entry_is_placed_where_it_is_written() -> None:
    loaded = parse_text("interfaces:\n  a: &x {mtu: 1}\n  b:\n    <<: *x\n", "merged")
    assert places(loaded) == [(2, 15, "schema-value"), (2, 15, "schema-value")]
    assert [problem.path for problem in loaded.problems] == [("interfaces", "a", "mtu"), ("interfaces", "b", "mtu")]


def test_a_problem_of_a_default_is_placed_at_its_entry() -> None:
    loaded = parse_text("interfaces:\n  a:\n    state: down\n    sub-interfaces:\n      1: {mtu: 1500}\n", "default")
    assert places(loaded) == [(5, 7, "sub-up-parent-down")]


def test_an_empty_entry_behind_one_that_is_given_twice_has_its_own_place() -> None:
    """The second one of both is gone, and the empty one may get its id()."""
    twice = "  gre1: { local: 192.0.2.1, remote: 192.0.2.2 }\n" * 2
    problems = parse_text(f"gre_tunnels:\n{twice}  gre2: {{}}\n", "file").problems
    missing = {problem.path: problem.line for problem in problems if problem.rule == "schema-missing-key"}
    assert missing == {("gre_tunnels", "gre2", "local"): 4}


def test_loading_needs_no_vpp_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vpp_papi", None)
    assert parse_text("interfaces: {}", "test").configuration is not None


@examples(120)
@given(text=st.text())
def test_any_text_gives_a_configuration_or_problems(text: str) -> None:
    loaded = parse_text(text, "any")
    has_errors = any(problem.severity is Severity.ERROR for problem in loaded.problems)
    assert (loaded.configuration is None) == has_errors
    assert all(problem.line > 0 and problem.column > 0 for problem in loaded.problems)


LINES = st.lists(st.sampled_from(FLAWED.splitlines()), max_size=25)


@examples(120)
@given(lines=LINES, cut=st.integers(0, 400))
def test_any_mixture_of_lines_gives_a_configuration_or_problems(lines: list[str], cut: int) -> None:
    loaded = parse_text("\n".join(lines)[:cut], "mixed")
    assert loaded.problems or loaded.configuration is not None


@pytest.mark.parametrize(
    "text",
    [
        "acls: {5: {terms: [5]}}",
        "acls: {true: {terms: [=]}}",
        "acls: {a: &x {terms: [=]}, b: {<<: *x}}",
        "acls: 5",
        "acls: {a: {terms: {0: 5}}}",
        "acls: {a: {terms: [{action: deny, source: x}, =]}}",
        "prefixlists: 5\nacls: {a: {terms: [{action: deny, source: x}]}}",
        "taps: {tap0: {host: =}}",
        "bridgedomains: {bd1: {settings: [=]}}",
    ],
)
def test_odd_shapes_are_problems_and_no_crash(text: str) -> None:
    loaded = parse_text(text, "odd.yaml")
    assert loaded.configuration is None
    assert all(problem.line == text.count("\n") + 1 or "prefixlists" in text for problem in loaded.problems)
