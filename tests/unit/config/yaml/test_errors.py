"""What the reader says of texts that are no YAML."""

import codecs

import pytest

from vppcfg.entries.yaml.reader import read_document
from vppcfg.model.problem import Problem


def only(data: bytes) -> Problem:
    document = read_document(data)
    assert not document.is_readable
    (problem,) = document.problems
    return problem


@pytest.mark.parametrize(
    ("rule", "data", "line", "column", "words"),
    [
        ("yaml-syntax", b"a:\n\tb: c\n", 2, 1, "a tab cannot indent"),
        ("yaml-syntax", b"a:\n  b: c\n \t d: e\n", 3, 2, "a tab cannot indent"),
        ("yaml-syntax", b"a: b: c\n", 1, 5, "a text with a colon and a space in it needs quotes"),
        ("yaml-syntax", b"a: [1, 2\nb: 3\n", 2, 2, "the `]` that closes the `[` of line 1 is missing"),
        ("yaml-syntax", b"a:\n  b: {\n", 3, 1, "the `}` that closes the `{` of line 2 is missing"),
        ("yaml-syntax", b"a: [1, [2], 3,\n", 2, 1, "the `]` that closes the `[` of line 1 is missing"),
        ("yaml-syntax", b"a: [1,, 2]\n", 1, 7, "this `,` has no value before it"),
        ("yaml-syntax", b"a: [ 192.0.2.1, ::1/64 ]\n", 1, 17, "`::1/64` begins with a colon, which YAML takes"),
        ("yaml-syntax", b"a: { source: ::/0, b: 1 }\n", 1, 14, "`::/0` begins with a colon"),
        ("yaml-syntax", b"a: 'x\n", 1, 4, "the quote that opens here is never closed"),
        ("yaml-syntax", b"a: @b\n", 1, 4, "`@` has a special meaning in YAML"),
        ("yaml-syntax", b'# \xc3\xa9\xc3\xa9\na: "\xc3\xa9" b\n', 2, 8, "more text follows the closing quote"),
        ("yaml-syntax", b"a: [x] y\n", 1, 8, "more text follows the closing bracket"),
        ("yaml-syntax", b"a:\n  b:9000\n  c: up\n", 2, 4, "a space is missing after this colon"),
        ("yaml-syntax", b"a:\n  b: 1\n c: 2\n", 3, 2, "indented like no line above"),
        ("yaml-syntax", b"a:\n  b\n  c: 2\nd: 1\n", 2, 3, "no colon"),
        ("yaml-syntax", b"a:\n<<<<<<< HEAD\n  b: 1\n=======\n  b: 2\n>>>>>>> x\n", 2, 1, "merge conflict"),
        ("yaml-syntax", b"a:\n - *\n", 2, 4, "`*` has a special meaning"),
        ("yaml-encoding", b"a: b\nc: \xff\n", 2, 4, "byte 0xff"),
        ("yaml-encoding", b"a: \xe9", 1, 4, "byte 0xe9"),
        ("yaml-encoding", "a: é\nb: ü".encode("latin-1"), 1, 4, "byte 0xe9"),
        ("yaml-encoding", b"\xc3\xa9: \xed\xa0\x80", 1, 4, "byte 0xed"),
        ("yaml-encoding", "a: b".encode("utf-16"), 1, 1, "UTF-16"),
        ("yaml-encoding", "a: b".encode("utf-32"), 1, 1, "UTF-32"),
        ("yaml-encoding", codecs.BOM_UTF16_BE + "a: b".encode("utf-16-be"), 1, 1, "UTF-16"),
    ],
)
def test_the_mistake_is_named_and_its_place(rule: str, data: bytes, line: int, column: int, words: str) -> None:
    problem = only(data)
    assert (problem.rule, problem.line, problem.column) == (rule, line, column)
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
