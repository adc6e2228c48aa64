"""The reader against PyYAML's own loader, and what it does that the loader does not."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.examples import examples
from vppcfg.common.bounds import CONFIG_DEPTH
from vppcfg.entries.yaml.document import Document
from vppcfg.entries.yaml.reader import read_document
from vppcfg.model.problem import Problem, Severity

TRAPS = [
    "100", "0100", "0x1F", "0b11", "1_000", "1:30", "1:30:00", "12:30:45.5", "-5", "+5", "0", "1e3", "1.0e+3", "1.5",
    ".inf", "-.INF", ".nan", "on", "Off", "yes", "N", "y", "true", "~", "null", "Null", "", "2026-01-31",
    "2026-01-31 10:00:00", "2026-01-31T10:00:00Z", "0o17", "08", "e0", "e0.100", "1.2.3.4/24", "::1/128",
    "2001:db8::1/64", "'100'", '"on"', "'it''s'", '"\\u00e9\\n"', "a b", "a#b", "a #b", "!!str 5", "! 5", "!!int '5'",
    "!!float 5", "!!null ''", "[]", "{}", "[a, [b], {c: d}]", "{a: {b: [c]}}", "|\n  text\n  more",
    ">\n  text\n  more", "|-\n  text", "11:22:33:44:55:06", "=x", "<<x",
]  # fmt: skip

MERGES = [
    "a: &x {m: 1, n: 2}\nb: {<<: *x, n: 3, o: 4}",
    "a: &x {m: 1}\nb: &y {m: 2, n: 2}\nc:\n  <<: [*x, *y]\n  k: 1",
    "a: &x {m: 1}\nb: &y {<<: *x, n: 2}\nc: {n: 5, <<: *y}",
    "a: &x {m: 1}\nb: {<<: [], m: 3}\nc: {<<: {m: 4}}",
    "a: &x [1, 2]\nb: *x\nc: [*x, *x]",
    "&k a: 1\nb: *k",
]

FLAWED = [
    "a: b: c", "a: [", "a: }", "a: 'x", "a: *b", "a: =", "a: <<", "a: {<<: 5}", "a: !!python/none x",
    "a: !mine x", "a: !!int x", "a: !!bool x", "a: 2026-13-01", "? [a]\n: b", "? {a: b}\n: c", "a: b\n---\nc: d",
    "a: \x07", "%YAML 3.0\n---\na: b", "- a\nb: c", "\ta: b", "a:\n\tb: c", "a: !!timestamp x", "a: @b", "a: `b",
]  # fmt: skip


def read(text: str) -> Document:
    return read_document(text.encode())


def rules(document: Document) -> list[str]:
    return [problem.rule for problem in document.problems]


def errors(document: Document) -> list[Problem]:
    return [problem for problem in document.problems if problem.severity is Severity.ERROR]


def theirs(text: str) -> Any:
    return yaml.load(text.encode(), Loader=yaml.CSafeLoader)


@pytest.fixture(params=["C", "Python"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "Python":
        monkeypatch.delattr(yaml, "CSafeLoader")


def test_a_value_is_what_pyyaml_makes_of_it() -> None:
    for text in TRAPS:
        document = read(f"key: {text}\n")
        assert errors(document) == []
        assert repr(document.data) == repr(theirs(f"key: {text}\n"))


@pytest.mark.parametrize("text", MERGES)
def test_aliases_and_merges_are_what_pyyaml_makes_of_them(text: str) -> None:
    document = read(text)
    assert document.problems == ()
    assert document.data == theirs(text)


def test_the_parser_in_python_reads_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = {text: read(text) for text in (*(f"key: {trap}\n" for trap in TRAPS), *MERGES)}
    monkeypatch.delattr(yaml, "CSafeLoader")
    for text, document in documents.items():
        again = read(text)
        assert repr(again.data) == repr(document.data)
        assert again.problems == document.problems


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("text", FLAWED)
def test_what_pyyaml_refuses_is_a_problem_with_a_place(text: str) -> None:
    with pytest.raises(Exception):  # noqa: B017 - PyYAML lets ValueError, TypeError and others through
        theirs(text)
    found = errors(read(text))
    assert found
    assert all(problem.line > 0 and problem.column > 0 and problem.text for problem in found)


KEYS = st.one_of(st.text(max_size=8), st.integers(-5, 5000))
SCALARS = st.one_of(
    st.text(max_size=12),
    st.integers(-(2**63), 2**63),
    st.booleans(),
    st.none(),
    st.floats(),
    st.dates(),
    st.datetimes(),
    st.sampled_from(
        ["on", "0100", "1:30", "~", "=", "<<", "2026-01-01", "1e3", "::1", "- a", "a: b", "\x07", "\u2028"]
    ),
)
DATA = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=15,
)


@examples(150)
@given(data=DATA, is_flow=st.sampled_from([True, False, None]), is_unicode=st.booleans())
def test_any_data_comes_back_as_pyyaml_reads_it(data: Any, is_flow: bool | None, is_unicode: bool) -> None:
    text = yaml.safe_dump(data, default_flow_style=is_flow, allow_unicode=is_unicode)
    document = read(text)
    assert errors(document) == []
    assert repr(document.data) == repr(theirs(text))


@examples(250)
@given(text=st.text(alphabet="ab01:.-[]{},'\"#&*!|>%@`?= \n\t<~\\é\x85", max_size=25))
def test_any_text_is_read_like_pyyaml_does_or_is_a_problem(text: str) -> None:
    document = read(text)
    try:
        expected = theirs(text)
    except (yaml.YAMLError, ValueError, TypeError, AttributeError, LookupError):
        assert errors(document)
    else:
        assert errors(document) or repr(document.data) == repr(expected)


@examples(150)
@given(data=st.binary(max_size=30))
def test_any_bytes_are_read_or_a_problem(data: bytes) -> None:
    document = read_document(data)
    assert document.is_readable or document.problems


@pytest.mark.parametrize("text", ["100: a\n100: b", "100: a\n0144: b", '"a": 1\na: 2', "{a: 1, a: 1}"])
def test_equal_keys_in_different_spellings_are_duplicates(text: str) -> None:
    assert "yaml-duplicate-key" in rules(read(text))


@pytest.mark.parametrize("text", ['100: a\n"100": b', "a: 1\nA: 2", "a: &x {b: 1}\nc: {<<: *x, b: 2}"])
def test_different_keys_and_merged_ones_are_no_duplicates(text: str) -> None:
    assert rules(read(text)) == []


def test_a_second_merge_in_a_map_is_a_duplicate() -> None:
    assert rules(read("a: &x {b: 1}\nc: {<<: *x, <<: *x}")) == ["yaml-duplicate-key"]


@pytest.mark.parametrize("key", ["on", "no", "true", "~", "null", "1.5", ".nan", "2026-01-01", "[a]", "{a: b}", "*x"])
def test_a_key_that_is_neither_text_nor_an_integer_is_a_problem(key: str) -> None:
    document = read(f"x: &x [1]\n? {key}\n: b\nc: d\n")
    assert rules(document) == ["yaml-key"]
    assert document.data == {"x": [1], "c": "d"}


@pytest.mark.parametrize("text", ["0x" + "f" * 17, "9" * 5000, "1" + ":59" * 400])
def test_integers_that_are_too_large_are_a_problem_and_stay_text(text: str) -> None:
    document = read(f"a: {text}\n")
    assert "yaml-value" in rules(document)


def test_nesting_is_followed_to_a_limit() -> None:
    assert rules(read("[" * CONFIG_DEPTH + "]" * CONFIG_DEPTH)) == []
    assert rules(read("[" * (CONFIG_DEPTH + 1) + "]" * (CONFIG_DEPTH + 1))) == ["yaml-depth"]
    assert rules(read("{a: " * 100_000)) == ["yaml-depth"]
    assert rules(read("- " * 100_000)) == ["yaml-depth"]


@pytest.mark.parametrize("text", ["a: &a [*a]", "a: &a {b: *a}", "a: &a {b: [{c: *a}]}", "a: &a {<<: *a}"])
def test_an_alias_inside_of_what_it_names_is_a_problem(text: str) -> None:
    assert rules(read(text)) == ["yaml-alias"]


def test_aliases_of_aliases_do_not_fill_the_memory() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
    document = read("\n".join(lines))
    assert rules(document) == ["yaml-alias"]
    assert not document.is_readable


def test_merges_of_merges_do_not_fill_the_memory() -> None:
    lines = ["a0: &a0 {k0: x}"]
    lines += [f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}], k{n}: x}}" for n in range(1, 100)]
    assert rules(read("\n".join(lines))) == ["yaml-alias"]


def test_a_template_may_be_used_many_times() -> None:
    uses = "\n".join(f"k{n}: {{<<: *t, n: {n}}}" for n in range(5000))
    document = read(f"t: &t {{mtu: 1500, lcp: a, addresses: [b, c]}}\n{uses}\n")
    assert document.problems == ()
    assert document.data["k7"] == {"mtu": 1500, "lcp": "a", "addresses": ["b", "c"], "n": 7}


def test_what_was_found_before_the_text_broke_off_is_kept() -> None:
    document = read("a: 1\na: 2\nb: [\n")
    assert rules(document) == ["yaml-duplicate-key", "yaml-syntax"]
    assert document.data is None


@pytest.mark.parametrize("text", ["", "---\n", "# nothing\n", "~\n", "---\n...\n"])
def test_a_file_without_content_holds_nothing(text: str) -> None:
    assert (read(text).data, read(text).problems) == (None, ())
