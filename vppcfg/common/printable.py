"""Makes text from outside safe to show: no character of it drives a terminal, ends a line, or turns text around.

Whoever reaches VPP's API names interfaces, and whoever may write a directory names files. What is shown of that, by
whatever way, comes through here: lines for people and logs by `printable`, JSON by `json_text`.
"""

from __future__ import annotations

import re
from typing import Any

_HARMFUL = re.compile(
    "["
    "\x00-\x09\x0b-\x1f\x7f-\x9f"  # control characters (Cc) but for ends of lines
    "\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e"  # format characters (Cf), which show nothing
    "\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"  # or turn the direction around
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f"
    "\u2028\u2029"  # ends of lines and paragraphs (Zl, Zp)
    "\ud800-\udfff"  # surrogates (Cs), which stand for bytes that are no UTF-8
    "]"
)
_IN_LINES = re.compile(r"[^\n\t]+")


def printable(text: str) -> str:
    """Return `text` on one line, with everything written out that does not show, such as control characters."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode()


def printable_lines(text: str) -> str:
    r"""Return `text` as `printable` does, but for tabs and the ends of its lines, which stay; \r\n becomes \n."""
    return _IN_LINES.sub(lambda found: printable(found.group()), text.replace("\r\n", "\n"))


def is_harmless(text: str) -> bool:
    """Return whether nothing in a text would have to be written out."""
    return "\n" not in text and _HARMFUL.search(text) is None


def masked(text: str) -> str:
    """Return a text with `_` for each character that would have to be written out."""
    return text if text.isprintable() else _HARMFUL.sub("_", text.replace("\n", "_"))


def in_page(value: Any) -> Any:
    """Return a text for an HTML page, escaped or not, with what does not show written out; anything else as it is.

    Environments of jinja2 take it as `finalize`.
    """
    if not isinstance(value, str) or _HARMFUL.search(value) is None:
        return value
    return type(value)(written_out(value))


def written_out(text: str) -> str:
    r"""Return a text with \x, \u or \U escapes for what does not show, as the double quotes of YAML read it."""
    return _HARMFUL.sub(lambda found: _escaped(found.group()), text)


def quoted(text: str) -> str:
    r"""Return a text in double quotes as YAML reads it, what does not show as \x, \u or \U escapes."""
    import json

    return written_out(json.dumps(text, ensure_ascii=False))


def json_text(
    document: Any, *, indent: int | None = None, separators: tuple[str, str] | None = None, allow_nan: bool = True
) -> str:
    r"""Return a document as JSON that any terminal may show: what does not show, or is no UTF-8, as \u escapes."""
    import json

    text = json.dumps(document, indent=indent, separators=separators, allow_nan=allow_nan, ensure_ascii=False)
    return _HARMFUL.sub(lambda found: _in_json(found.group()), text)


def _in_json(char: str) -> str:
    """Return a character of a JSON string as an escape, those beyond 16 bits as two."""
    units = char.encode("utf-16-be", errors="surrogatepass")
    return "".join(f"\\u{units[place : place + 2].hex()}" for place in range(0, len(units), 2))
