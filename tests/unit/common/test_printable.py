"""Text from outside as it is shown, by every character of Unicode."""

import json
import unicodedata

import pytest
import yaml

from vppcfg.common.printable import in_page, is_harmless, json_text, masked, printable, printable_lines, quoted

HARMFUL = {"Cc", "Cf", "Zl", "Zp", "Cs"}
"""The categories of characters that drive a terminal or end a line."""
ORDINARY = "plain é 接口 ß 🙂 \xa0 \\ \" ' <&>"


def is_shown(text: str) -> bool:
    """Return whether nothing in a text drives a terminal; ends of lines are the business of whoever asks."""
    return not any(unicodedata.category(char) in HARMFUL for char in text)


def harmful(below: int) -> str:
    """Return the characters below a number that are not to be shown."""
    return "".join(char for char in map(chr, range(below)) if unicodedata.category(char) in HARMFUL)


def test_no_control_format_or_separator_character_is_shown() -> None:
    whole = harmful(0x110000)
    assert is_shown(printable(whole))
    assert is_shown(json_text(whole))
    assert is_shown(quoted(whole))
    assert is_shown(masked(whole))
    assert is_shown(printable_lines(whole).replace("\n", "").replace("\t", ""))
    assert is_shown(in_page(whole).replace("\n", ""))
    assert not any(is_harmless(char) for char in whole)


def test_what_shows_stays() -> None:
    assert printable(ORDINARY.replace("\xa0", "")) == ORDINARY.replace("\xa0", "")
    assert json_text(ORDINARY) == json.dumps(ORDINARY, ensure_ascii=False)
    assert masked(ORDINARY) == in_page(ORDINARY) == ORDINARY
    assert is_harmless(ORDINARY)


@pytest.mark.parametrize("text", [harmful(0x10000)[:200], "a\x9b\u202e\udc9b\U000e0041\x7f\né", ORDINARY])
def test_json_means_what_it_meant(text: str) -> None:
    for indent in (None, 2):
        document = {text: [text, {"a": 1.5, "b": None}]}
        assert json.loads(json_text(document, indent=indent)) == document
    json_text(text).encode()


@pytest.mark.parametrize("text", ["a\x9b\u202e\U000e0041\x7f\n\té", "\u2028\ufeff\xad", ORDINARY])
def test_yaml_means_what_it_meant(text: str) -> None:
    assert yaml.safe_load(quoted(text)) == text


def test_lines_stay_lines_only_where_they_are_ours() -> None:
    assert printable("a\nb\x1b") == "a\\nb\\x1b"
    assert printable_lines("a\r\nb\t\x1b\r") == "a\nb\t\\x1b\\r"


def test_what_is_no_text_goes_into_a_page_as_it_is() -> None:
    assert in_page(5) == 5
