"""Whatever stands in the place of whatever a file can have: it is a problem, and no error of vppcfg."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from vppcfg.config.load import parse_text
from vppcfg.model.problem import Severity

ROOT = Path(__file__).resolve().parents[3]
WRONG: tuple[Any, ...] = (5, "x", [], {}, None, True, ["x"], {"x": 1}, -1, [[]], "10.0.0.0/24")
SHARES = 12
ABSENT = object()


def documents() -> Iterator[Any]:
    """Yield what the rules' examples and the golden folders say, which is every key."""
    for rule in yaml.safe_load((ROOT / "schema" / "rules.yaml").read_text()).values():
        for text in (rule.get("breaks"), rule.get("mends")):
            if isinstance(text, str):
                yield from _read(text)
    for path in sorted((ROOT / "tests" / "golden").glob("*/config.yaml")):
        yield from _read(path.read_text())


def _read(text: str) -> Iterator[Any]:
    try:
        content = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        return
    if isinstance(content, dict):
        yield content


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield where something stands in a document."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in items:
        yield from paths(each, (*path, key))


def put(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    """Return a document with something else at a path, or nothing."""
    if not path:
        return other
    changed = dict(value.items() if isinstance(value, dict) else enumerate(value))
    changed[path[0]] = put(changed[path[0]], path[1:], other)
    if changed[path[0]] is ABSENT:
        del changed[path[0]]
    return changed if isinstance(value, dict) else list(changed.values())


def renamed(value: Any, path: tuple[Any, ...], key: object) -> Any:
    """Return a document with another key at a path."""
    if len(path) > 1:
        return put(value, path[:1], renamed(value[path[0]], path[1:], key))
    return {key if each == path[0] else each: below for each, below in value.items()}


def cases() -> list[tuple[Any, tuple[Any, ...]]]:
    """Return each place of all documents once; interfaces of other numbers are the same place."""
    found: dict[tuple[str, ...], tuple[Any, tuple[Any, ...]]] = {}
    for content in documents():
        for path in paths(content):
            found.setdefault(tuple(re.sub(r"\d+", "0", str(key)) for key in path), (content, path))
    return list(found.values())


@pytest.mark.parametrize("share", [0, *(pytest.param(share, marks=pytest.mark.long) for share in range(1, SHARES))])
def test_anything_may_stand_anywhere(share: int) -> None:
    places = cases()
    assert len(places) > 500
    for content, path in places[share::SHARES]:
        for other in (*WRONG, ABSENT):
            parse_text(yaml.safe_dump(put(content, path, other)), "file")


@pytest.mark.parametrize("share", [0, *(pytest.param(share, marks=pytest.mark.long) for share in range(1, SHARES))])
def test_a_number_may_be_any_key(share: int) -> None:
    keys = [(content, path) for content, path in cases() if isinstance(path[-1], str)]
    for content, path in keys[share::SHARES]:
        parse_text(yaml.safe_dump(renamed(content, path, 7)), "file")


@pytest.mark.parametrize(
    "text",
    [
        "vrfs: { '7': { id: 7 } }\nnat44: { leaks: { 7: [] } }",
        "interfaces: { e0: {} }\nbondethernets: { BondEthernet0: { interfaces: [ e0 ], weights: { 7: 1 } } }",
    ],
)
def test_a_number_as_a_name_is_a_problem(text: str) -> None:
    assert any(problem.severity is Severity.ERROR for problem in parse_text(text, "file").problems)


@pytest.mark.parametrize(
    "text",
    [
        "wireguards: { wg0: { local: 192.0.2.1, port: 1, private-key-file: /k, public-key: k, "
        "peers: { bern: { public-key: k, allowed-ips: 10.0.0.0/24 } } } }",
        "interfaces: { eth0: { ipfix: { variant: 5 } } }",
        "interfaces: { eth0: { mss-clamp: { ipv4: { mss: x } } } }",
    ],
)
def test_a_wrong_value_of_what_must_be_there_is_a_problem(text: str) -> None:
    assert parse_text(text, "file").problems
