"""Reads a configuration of BIRD: what it includes, and its statements, as far as comparing and checking need it."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator

from vppcfg.common.bounds import ROUTING_CHARACTERS, ROUTING_STATEMENTS
from vppcfg.record import record
from vppcfg.routing_daemons.text_file import read_text

_INCLUDE = re.compile(
    r'/\*.*?(?:\*/|\Z)|#[^\n]*|^[ \t]*include[ \t]*"(?P<name>[^"\0\n]*)"[ \t]*;|"[^"\n]*"', re.DOTALL | re.MULTILINE
)
"""An include, or what may look as if it had one: a comment or a text."""
_DEPTH = 8
"""How deep BIRD follows includes (MAX_INCLUDE_DEPTH, conf/cf-lex.l)."""
_MOST_FILES = 1000
_TOKEN = re.compile(r'#[^\n]*|/\*.*?(?:\*/|\Z)|"[^"\n]*"|\'[^\'\n]*\'|[{};]|[^\s{};"\'#/]+|/|\s+', re.DOTALL)

REST = "rest"
"""The kind of what follows more statements than are told apart; it is no word of BIRD."""


class IncludeError(ValueError):
    """An include of BIRD cannot be followed; the text names it and the reason."""


def with_includes(path: str) -> str:
    """Return the text of a file with everything that it includes in its place. Raise IncludeError, OSError."""
    return _Includes().text(path, 0, None)


class _Includes:
    """The files that one configuration consists of."""

    def __init__(self) -> None:
        self._read = 0
        self._characters = 0

    def text(self, path: str, depth: int, named_by: os.stat_result | None) -> str:
        """Return the text of a file that another one includes, with all that it includes."""
        self._read += 1
        if self._read > _MOST_FILES:
            raise IncludeError(f"{path} is one of more than {_MOST_FILES} files that include each other")
        text, status = read_text(path, named_by)
        self._characters += len(text)
        if self._characters > ROUTING_CHARACTERS:
            raise IncludeError(
                f"with {path}, the files that include each other have more than {ROUTING_CHARACTERS >> 20} MB"
            )

        def put(found: re.Match[str]) -> str:
            if found["name"] is None:
                return found[0]
            if depth >= _DEPTH:
                raise IncludeError(f"{path} is the end of {_DEPTH} includes in each other, and BIRD follows no more")
            return self._included(path, found["name"], depth, status)

        return _INCLUDE.sub(put, text)

    def _included(self, path: str, name: str, depth: int, status: os.stat_result) -> str:
        """Return the text of what an include names: a file, or all that fit a pattern, by name as BIRD takes them."""
        pattern = os.path.join(os.path.dirname(path), name)
        names = sorted(glob.glob(pattern)) if glob.has_magic(pattern) else [pattern]
        try:
            return "".join(self.text(each, depth + 1, status) for each in names)
        except OSError as error:
            raise IncludeError(f"{path} includes {name}, which cannot be read: {error.strerror}") from error


@record
class Statement:
    """One statement at the top level of a configuration."""

    words: tuple[str, ...]
    """All of its tokens, without comments."""

    @property
    def kind(self) -> str:
        """Return its first word."""
        return self.words[0]

    @property
    def head(self) -> tuple[str, ...]:
        """Return the words before its block."""
        return self.words[: self.words.index("{")] if "{" in self.words else self.words

    @property
    def name(self) -> str:
        """Return the name of a protocol, template, filter, function or constant; '' of others, and without one."""
        head = self.head
        if self.kind in {"protocol", "template"}:
            place = 3 if head[1:3] in {("ospf", "v2"), ("ospf", "v3"), ("kernel", "ipv4")} else 2
            return head[place] if len(head) > place and head[place] != "from" else ""
        return head[1].partition("(")[0] if self.kind in {"filter", "function", "define"} and len(head) > 1 else ""

    @property
    def base(self) -> str:
        """Return the template that it is made from, '' for none."""
        head = self.head
        return head[head.index("from") + 1] if "from" in head[:-1] else ""


def statements(text: str) -> Iterator[Statement]:
    """Yield the statements of a configuration, in their order; what follows many of them is one, of the kind `rest`."""
    words: list[str] = []
    depth = count = 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token.isspace() or token.startswith(("#", "/*")):
            continue
        if not words and token == ";":
            continue
        words.append(token)
        depth += (token == "{") - (token == "}")
        if depth <= 0 and token in {";", "}"} and count < ROUTING_STATEMENTS:
            yield Statement(words=tuple(words))
            count += 1
            words, depth = [] if count < ROUTING_STATEMENTS else [REST], 0
    if words not in ([], [REST]):
        yield Statement(words=tuple(words))


def kernel_tables(text: str) -> dict[str, int | None]:
    """Return the table of Linux that each protocol of kind kernel writes to, by its name; 0 is the main one.

    BIRD calls protocols without a name kernel1, kernel2 and so on. None stands for what is no plain number.
    """
    templates, found = dict[str, int | None](), dict[str, int | None]()
    nameless = 0
    for each in statements(text):
        if each.kind not in {"protocol", "template"} or each.words[1:2] != ("kernel",):
            continue
        nameless += not each.name
        table = _kernel_table(each.words, templates.get(each.base, 0))
        (templates if each.kind == "template" else found)[each.name or f"kernel{nameless}"] = table
    return found


def _kernel_table(words: tuple[str, ...], default: int | None) -> int | None:
    for place in range(3, len(words)):
        if words[place - 2 : place] == ("kernel", "table"):
            return int(words[place]) if words[place].isdecimal() else None
    return default
