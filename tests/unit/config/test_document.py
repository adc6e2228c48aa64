"""Places of keys in documents."""

from __future__ import annotations

from vppcfg.config.document import Document
from vppcfg.config.reader import read_document


def test_a_document_without_marks_has_one_place() -> None:
    assert Document(data={"a": 1}).locate(("a",)) == (1, 1)
    assert Document().locate(()) == (1, 1)


def test_a_path_that_goes_on_below_a_value_ends_at_the_value() -> None:
    document = read_document(b"a:\n  - b\n  - c: 5\n")
    assert document.locate(("a", 1, "c", "d", 0)) == (3, 5)
    assert document.locate(("a", 0, 0)) == (2, 5)
    assert document.locate(("a", "b")) == (1, 1)


def test_marks_are_of_maps_and_lists_alone_even_when_a_number_has_the_name_of_one() -> None:
    value = "text"
    data = {"a": value}
    marks = read_document(b"a: {0: x}").marks
    (inner, outer) = marks.values()
    document = Document(data=data, marks={id(value): inner, id(data): outer})
    assert document.locate(("a", 0)) == (1, 1)


def test_a_value_used_twice_is_where_it_is_used_and_its_keys_where_they_are_written() -> None:
    document = read_document(b"a: &x {k: 1}\nb: *x\nc: [*x, *x]\n")
    assert document.locate(("b",)) == (2, 1)
    assert document.locate(("b", "k")) == (1, 8)
    assert document.locate(("c", 1)) == (3, 9)
    assert document.locate(("c", 1, "k")) == (1, 8)
