"""From data of the right shape to a Configuration."""

from typing import Any

import pytest

from vppcfg.config.load import parse
from vppcfg.entries.configuration import Configuration, InterfaceConfig


def interfaces(section: dict[Any, Any]) -> dict[str, InterfaceConfig]:
    parsed = parse({"interfaces": section}, [])
    assert parsed.problems == ()
    assert parsed.broken == frozenset()
    return dict(parsed.configuration.interfaces)


@pytest.mark.parametrize("data", [None, {}, {"interfaces": None}, {"interfaces": {}, "unmanaged": None}])
def test_nothing_is_an_empty_configuration(data: Any) -> None:
    assert parse(data, []).configuration == Configuration()


@pytest.mark.parametrize("entry", [None, {}, {"mtu": None, "state": None, "addresses": None, "lcp": None}])
def test_an_empty_entry_has_the_defaults(entry: Any) -> None:
    assert interfaces({"eth0": entry}) == {"eth0": InterfaceConfig(name="eth0", path=("interfaces", "eth0"))}
    assert interfaces({"eth0": entry})["eth0"].mtu == 1500
    assert interfaces({"eth0": entry})["eth0"].is_up


def test_an_empty_description_is_none() -> None:
    assert interfaces({"eth0": {"description": ""}})["eth0"].description is None


def flaws(section: dict[Any, Any]) -> list[tuple[str, tuple[str | int, ...]]]:
    return [(problem.rule, problem.path[1:]) for problem in parse({"interfaces": section}, []).problems]


@pytest.mark.parametrize("name", [5, "", "a b", "x" * 64])
def test_an_interface_that_cannot_be(name: Any) -> None:
    assert flaws({name: {}}) == [("interface-name", (name,))]


def test_an_interface_stands_once() -> None:
    assert flaws({"a": {"sub-interfaces": {1: {"mtu": 1500}}}, "a.1": {}}) == [("interface-duplicate", ("a.1",))]
    assert flaws({"a.1": {}, "a": {"sub-interfaces": {1: {"mtu": 1500}}}}) == [
        ("interface-duplicate", ("a", "sub-interfaces", 1))
    ]
