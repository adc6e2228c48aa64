"""What the reader says of texts that are no YAML."""

from __future__ import annotations

import codecs

import pytest

from vppcfg.config.yaml.reader import read_document
from vppcfg.model.problem import Problem


def only(data: bytes) -> Problem:
    document = read_document(data)
    assert not document.is_readable
    (problem,) = document.problems
    return problem


@pytest.mark.parametrize(
    ("data", "line", "column", "words"),
    [
        (b"a:\n\tb: c\n", 2, 1, "a tab cannot indent"),
        (b"a:\n  b: c\n \t d: e\n", 3, 2, "a tab cannot indent"),
        (b"a: b: c\n", 1, 5, "mapping values are not allowed"),
        (b"a: [1, 2\nb: 3\n", 2, 2, "begun in line 1"),
        (b"a: 'x\n", 2, 1, "found unexpected end of stream"),
        (b"a: @b\n", 1, 4, "cannot start any token"),
        (b'# \xc3\xa9\xc3\xa9\na: "\xc3\xa9" b\n', 2, 8, "while parsing a block mapping"),
    ],
)
def test_the_place_and_the_parser_s_words_are_given(data: bytes, line: int, column: int, words: str) -> None:
    problem = only(data)
    assert (problem.rule, problem.line, problem.column) == ("yaml-syntax", line, column)
    assert words in problem.text


@pytest.mark.parametrize(
    ("data", "line", "column", "words"),
    [
        (b"a: b\nc: \xff\n", 2, 4, "byte 0xff"),
        (b"a: \xe9", 1, 4, "byte 0xe9"),
        ("a: é\nb: ü".encode("latin-1"), 1, 4, "byte 0xe9"),
        (b"\xc3\xa9: \xed\xa0\x80", 1, 4, "byte 0xed"),
        ("a: b".encode("utf-16"), 1, 1, "UTF-16"),
        ("a: b".encode("utf-32"), 1, 1, "UTF-32"),
        (codecs.BOM_UTF16_BE + "a: b".encode("utf-16-be"), 1, 1, "UTF-16"),
    ],
)
def test_bytes_that_are_not_utf8_have_a_place(data: bytes, line: int, column: int, words: str) -> None:
    problem = only(data)
    assert (problem.rule, problem.line, problem.column) == ("yaml-encoding", line, column)
    assert words in problem.text


@pytest.mark.parametrize("character", ["\0", "\x07", "\x1b", "\x7f", "\x80", "\ufffe"])
def test_control_characters_have_a_place(character: str) -> None:
    problem = only(f"é: b\nc: d{character}".encode())
    assert (problem.rule, problem.line, problem.column) == ("yaml-character", 2, 5)
    assert f"U+{ord(character):04X}" in problem.text


@pytest.mark.parametrize("data", [b"\xef\xbb\xbfa: b\n", b"a: b\r\n", b"a: b\rc: d", "a: é😀".encode(), b"a:\tb"])
def test_byte_order_mark_and_line_ends_do_no_harm(data: bytes) -> None:
    document = read_document(data)
    assert document.problems == ()
    assert document.data["a"]
