"""Several files laid over each other: what they say together, and where each value stands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.examples import examples
from vppcfg.config.load import load
from vppcfg.entries.yaml.document import Document
from vppcfg.entries.yaml.overlay import annotated_text, keys_with_origin, merged_text, overlaid, without_extensions
from vppcfg.entries.yaml.reader import read_document
from vppcfg.errors import ConfigError

KEYS = st.sampled_from(["a", "b", "c", 7])
SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "1:30", "no", "ü", "two\nlines"])
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3))
MAPS = st.dictionaries(KEYS, VALUES, max_size=4)


def document(text: str) -> Document:
    return without_extensions(read_document(text.encode()))


def together(*texts: str) -> Document:
    return overlaid([(f"{number}.yaml", document(text)) for number, text in enumerate(texts)])


def expected(lower: dict[Any, Any], upper: dict[Any, Any]) -> dict[Any, Any]:
    """Return what two maps say together, where they do not contradict each other in kind."""
    result = dict(lower)
    for key, value in upper.items():
        there = lower.get(key)
        if isinstance(there, dict) and isinstance(value, dict):
            result[key] = expected(there, value)
        elif value is None and key in lower:
            del result[key]
        elif there is None or isinstance(there, dict) is isinstance(value, dict):
            result[key] = value
    return result


@pytest.mark.parametrize(
    ("lower", "upper", "result"),
    [
        ("a: 1", "b: 2", {"a": 1, "b": 2}),
        ("a: { b: 1, c: 2 }", "a: { b: 3 }", {"a": {"b": 3, "c": 2}}),
        ("a: [ 1, 2 ]", "a: [ 3 ]", {"a": [3]}),
        ("a: 1", "a: [ 2 ]", {"a": [2]}),
        ("a: { b: 1, c: 2 }", "a: { b: }", {"a": {"c": 2}}),
        ("a: { b: { c: 1 } }", "a:", {}),
        ("a: { b: }", "a: { b: { c: 1 } }", {"a": {"b": {"c": 1}}}),
        ("a: 1", "eth0:", {"a": 1, "eth0": None}),
        ("", "a: 1", {"a": 1}),
        ("x-m: &m 9000\na: *m", "x-n: { a: 1 }", {"a": 9000}),
    ],
)
def test_the_later_file_says_more_or_otherwise_or_takes_away(lower: str, upper: str, result: object) -> None:
    merged = together(lower, upper)
    assert merged.problems == ()
    assert merged.data == result


@examples(40)
@given(MAPS, MAPS, MAPS)
def test_what_is_merged_is_what_each_says_in_turn(first: Any, second: Any, third: Any) -> None:
    texts = [merged_text(Document(data=each)) for each in (first, second, third)]
    merged = together(*texts)
    if not merged.problems:
        assert merged.data == expected(expected(expected({}, first), second), third)
    assert read_document(merged_text(merged).encode()).data == (merged.data or {})
    assert read_document(annotated_text(merged, "").encode()).data == (merged.data or {}), "notes are comments"
    for path, value, file, line in keys_with_origin(merged, ""):
        source = read_document(texts[int(file.partition(".")[0])].encode())
        assert source.locate(path)[0] == line
        there = source.data
        for key in path:
            there = there[key]
        assert there == value or (value == {} and isinstance(there, dict)), "a later file took all of it away"


@pytest.mark.parametrize(
    ("texts", "place", "text"),
    [
        (("a: 1", "a: { b: 2 }"), ("1.yaml", 1, 1), "a is a map here and a single value in 0.yaml"),
        (("a: { b: { c: 1 } }", "a: { d: 1 }", "a:\n  b: [ 1 ]"), ("2.yaml", 2, 3), "b is a list here and a map in 0"),
        (("a: 1", "[ 1 ]"), ("1.yaml", 1, 1), "this is a list, and a configuration is a map"),
    ],
)
def test_a_map_and_anything_else_cannot_be_merged(texts: tuple[str, ...], place: object, text: str) -> None:
    (problem,) = together(*texts).problems
    assert (problem.rule, (problem.file, problem.line, problem.column)) == ("merge-kind", place)
    assert text in problem.text


def test_a_folder_stands_for_its_files_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name, mtu in (("10-site.yaml", 9000), ("9-base.yaml", 1500), (".hidden.yaml", 1), ("notes.txt", 2)):
        (tmp_path / name).write_text(f"interfaces: {{ eth0: {{ mtu: {mtu} }} }}\n")
    configuration = load(str(tmp_path)).configuration
    assert configuration is not None
    assert configuration.interfaces["eth0"].mtu == 9000
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match=r"is a folder without a file \*.yaml"):
        load(str(tmp_path / "empty"))


def test_merged_text_keeps_the_order_of_the_files() -> None:
    assert merged_text(together("b: 1\nd: 2\n", "a: ü\nb: 3\n")) == "b: 3\nd: 2\na: ü\n"
