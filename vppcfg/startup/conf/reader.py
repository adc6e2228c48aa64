"""Reads a startup.conf into a tree with line numbers. It accepts what VPP accepts, and names what VPP would refuse."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from vppcfg.common.bounds import CONF_CHARACTERS, WORD_CHARACTERS
from vppcfg.common.numbers import list_of_words
from vppcfg.common.release import Release
from vppcfg.model.problem import Problem
from vppcfg.startup.conf.grammar import FORGIVING, STANZAS, keys_of
from vppcfg.startup.conf.key import ANY, OPAQUE, ArgumentForm, Key
from vppcfg.startup.conf.tree import Conf, ConfEntry

LIMIT_BYTES = 256 * 1024
"""Of what is left when comments are gone and white space is a single blank (vpp/vnet/main.c)."""
HASH_ANYWHERE = Release(26, 2)
"""First release in which # begins a comment inside a word too, and right behind a brace."""

UNCLOSED = "conf-unclosed"
"""The rule of a file that ends inside of braces, which VPP reads as if they were closed there."""

_DEEPEST = 16
_WORDS_AND_HASHES = re.compile(r"(?P<comment>#[^\n]*)|(?P<brace>[{}])|(?P<word>[^ \t\n{}#]+)|(?P<newline>\n)")
_WORDS_WITH_HASHES = re.compile(
    r"(?P<comment>(?<![^ \t\n])#[^\n]*)|(?P<brace>[{}])|(?P<word>[^ \t\n{}]+)|(?P<newline>\n)"
)
"""White space is what VPP takes for it: in a page of the web, a blank may be another character."""


@dataclass(slots=True)
class _Token:
    text: str
    line: int
    column: int
    start: int
    end: int
    comments: tuple[str, ...] = ()
    """On the lines above."""
    remark: str = ""
    """Behind it on its line."""


class _SyntaxError(Exception):
    def __init__(self, token: _Token, text: str, rule: str = "conf-syntax") -> None:
        super().__init__(text)
        self.line = token.line
        self.column = token.column
        self.text = text
        self.rule = rule


def read_conf(text: str, release: Release) -> tuple[Conf, tuple[Problem, ...]]:
    """Return the tree of a file as VPP of a release reads it, and the problems that would stop that VPP."""
    if is_too_large(text):
        return Conf(), (_problem("conf-too-large", 1, f"more than {CONF_CHARACTERS:,} characters, comments included"),)
    return _read(text, has_hash_anywhere=release >= HASH_ANYWHERE)


def is_too_large(text: str) -> bool:
    """Return whether a file is not looked into."""
    return len(text) > CONF_CHARACTERS


def closed(text: str, release: Release) -> str:
    """Return a file with the closing braces at its end that are missing there; VPP reads it as if they were there."""
    if is_too_large(text):
        return text
    depth = 0
    for token in _tokens(text, has_hash_anywhere=release >= HASH_ANYWHERE)[0]:
        depth += {"{": 1, "}": -1}.get(token.text, 0)
    return f"{text}\n{'}' * depth}" if depth > 0 else text


@lru_cache(maxsize=4)
def _read(text: str, *, has_hash_anywhere: bool) -> tuple[Conf, tuple[Problem, ...]]:
    """Return what releases have in common that read comments in the same way."""
    tokens, tail = _tokens(text, has_hash_anywhere=has_hash_anywhere)
    size = sum(len(token.text.encode(errors="replace")) + 1 for token in tokens)
    if size > LIMIT_BYTES:
        return Conf(), (_problem("conf-too-large", 1, f"{size} bytes without comments; VPP reads {LIMIT_BYTES}"),)
    if (word := next((each for each in tokens if len(each.text) > WORD_CHARACTERS), None)) is not None:
        told = f"a word of {len(word.text):,} characters; {WORD_CHARACTERS:,} are read"
        return Conf(), (_problem("conf-too-large", word.line, told, word.column),)
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        return Conf(), (_problem("conf-syntax", line, "a NUL byte; this is no text file"),)
    try:
        return Conf(stanzas=_ConfParser(tokens, text).stanzas(), tail=tail), ()
    except _SyntaxError as error:
        return Conf(), (_problem(error.rule, error.line, error.text, error.column),)


def _problem(rule: str, line: int, text: str, column: int = 1) -> Problem:
    return Problem(rule=rule, path=(), text=text, line=line, column=column)


def _tokens(text: str, *, has_hash_anywhere: bool) -> tuple[list[_Token], tuple[str, ...]]:
    """Return words and braces, each with its comments, and the comments behind the last one."""
    pattern = _WORDS_AND_HASHES if has_hash_anywhere else _WORDS_WITH_HASHES
    tokens: list[_Token] = []
    pending: list[str] = []
    line, line_start, is_fresh = 1, 0, True
    for match in pattern.finditer(text.replace("\r\n", "\n").replace("\r", "\n")):
        found = match.group()
        if match.lastgroup == "newline":
            line, line_start, is_fresh = line + 1, match.end(), True
        elif match.lastgroup != "comment":
            tokens.append(
                _Token(found, line, match.start() - line_start + 1, match.start(), match.end(), tuple(pending))
            )
            pending, is_fresh = [], False
        elif is_fresh or not tokens:
            pending.append(found.rstrip())
        else:
            tokens[-1].remark = found.rstrip()
    return tokens, tuple(pending)


class _ConfParser:
    def __init__(self, tokens: list[_Token], text: str) -> None:
        self._tokens = tokens
        self._text = text.replace("\r\n", "\n").replace("\r", "\n")
        self._place = 0

    def stanzas(self) -> tuple[ConfEntry, ...]:
        entries = []
        while (token := self._peek()) is not None:
            if token.text == "}":
                raise _SyntaxError(token, "a closing brace without an opening one")
            if token.text == "{":
                raise _SyntaxError(token, "an opening brace without the name of a stanza before it")
            entries.append(self._stanza())
        return tuple(entries)

    def _stanza(self) -> ConfEntry:
        start = self._place
        name = self._next()
        key = STANZAS.get(name.text)
        following = self._peek()
        if following is None or following.text == "}":
            raise _SyntaxError(name, f"the stanza {name.text} has neither a value nor braces")
        if following.text != "{":
            return self._leaf(start, key, (self._next().text,))
        if key is None or key.block in (None, OPAQUE):
            return self._verbatim(start, key, ())
        return self._block(start, key, (), depth=1)

    def _child(self, block: str, depth: int) -> ConfEntry:
        start = self._place
        name = self._next()
        if name.text == "{":
            raise _SyntaxError(name, "an opening brace without a key before it")
        key = self._match(block, name)
        arguments = self._arguments(key, block) if key is not None else ()
        following = self._peek()
        has_braces = following is not None and following.text == "{"
        if has_braces and (key is None or key.block == OPAQUE):
            return self._verbatim(start, key, arguments)
        if has_braces and key is not None and key.block is not None:
            return self._block(start, key, arguments, depth + 1)
        return self._leaf(start, key, arguments)

    def _match(self, block: str, name: _Token) -> Key | None:
        """Return the key of a block that begins with `name`, and go past its other words."""
        for key in keys_of(block, name.text):
            words = key.name.split()
            ahead = [token.text for token in self._tokens[self._place : self._place + len(words) - 1]]
            if words == [ANY] or [name.text, *ahead] == words:
                self._place += len(words) - 1
                return key
        return None

    def _arguments(self, key: Key, block: str) -> tuple[str, ...]:
        found: list[str] = []
        for form in key.arguments:
            value = self._peek()
            if (value is None or value.text in "{}") and block in FORGIVING:
                return tuple(found)
            if value is None or value.text in "{}":
                raise _SyntaxError(self._tokens[self._place - 1], f"a value is missing after {key.name}")
            found.append(self._argument(form))
        return tuple(found)

    def _argument(self, form: ArgumentForm) -> str:
        if form is ArgumentForm.QUOTED:
            return self._quoted()
        if form is not ArgumentForm.CPUS:
            return self._next().text
        ahead = (self._tokens[place].text for place in range(self._place, len(self._tokens)))
        text, count = list_of_words(takewhile(lambda word: word not in "{}", ahead))
        self._place += count
        return text

    def _quoted(self) -> str:
        """Return the words up to the one that ends with a single quote, where the first one begins with one."""
        words = [self._next().text]
        is_open = words[0].startswith("'") and (words[0] == "'" or not words[0].endswith("'"))
        while is_open and (token := self._peek()) is not None and token.text not in "{}":
            words.append(self._next().text)
            is_open = not words[-1].endswith("'")
        return " ".join(words)

    # Entries, from the token at `start` to the one before the present place

    def _leaf(self, start: int, key: Key | None, arguments: tuple[str, ...]) -> ConfEntry:
        *head, last = self._tokens[start : self._place]
        comments = (*_comments(head), *last.comments)
        return self._entry(start, key, arguments, comments=comments, remark=last.remark)

    def _verbatim(self, start: int, key: Key | None, arguments: tuple[str, ...]) -> ConfEntry:
        before, opening = self._tokens[self._place - 1 : self._place + 1]
        comments = (*_comments(self._tokens[start : self._place]), *opening.comments)
        text = self._skip_block()
        closing = self._tokens[self._place - 1]
        return self._entry(
            start,
            key,
            arguments,
            comments=comments,
            remark=closing.remark,
            verbatim=text,
            is_blank=self._is_blank(opening, closing),
            is_joined=before.end == opening.start,
        )

    def _block(self, start: int, key: Key, arguments: tuple[str, ...], depth: int) -> ConfEntry:
        before, opening = self._tokens[self._place - 1], self._next()
        comments = _comments(self._tokens[start : self._place])
        if depth > _DEEPEST:
            raise _SyntaxError(opening, f"braces stand more than {_DEEPEST} deep")
        children: list[ConfEntry] = []
        while (token := self._peek()) is not None and token.text != "}":
            children.append(self._child(key.block or "", depth))
        if token is None:
            raise _SyntaxError(opening, f"the braces of {key.name} that open here are never closed", UNCLOSED)
        closing = self._next()
        return self._entry(
            start,
            key,
            arguments,
            comments=comments,
            children=tuple(children),
            tail=closing.comments,
            remark=closing.remark,
            is_blank=self._is_blank(opening, closing),
            is_joined=before.end == opening.start,
        )

    def _is_blank(self, opening: _Token, closing: _Token) -> bool:
        """Return whether white space or comments alone stand between two braces, the second of which was read last."""
        return self._tokens[self._place - 2] is opening and closing.start > opening.end

    def _skip_block(self) -> str:
        """Go past a block and return its text."""
        opening = self._tokens[self._place]
        depth = 0
        while (token := self._peek()) is not None:
            self._place += 1
            depth += {"{": 1, "}": -1}.get(token.text, 0)
            if depth == 0:
                return self._text[opening.start : token.end]
        raise _SyntaxError(opening, "the braces that open here are never closed", UNCLOSED)

    def _entry(
        self,
        start: int,
        key: Key | None,
        arguments: tuple[str, ...],
        *,
        comments: tuple[str, ...],
        remark: str,
        children: tuple[ConfEntry, ...] | None = None,
        tail: tuple[str, ...] = (),
        verbatim: str | None = None,
        is_blank: bool = False,
        is_joined: bool = False,
    ) -> ConfEntry:
        name = self._tokens[start]
        return ConfEntry(
            name=key.name if key and key.name != ANY else name.text,
            arguments=arguments,
            children=children,
            key=key,
            line=name.line,
            column=name.column,
            comments=comments,
            remark=remark,
            tail=tail,
            verbatim=verbatim,
            is_blank=is_blank,
            is_joined=is_joined,
        )

    def _peek(self) -> _Token | None:
        return self._tokens[self._place] if self._place < len(self._tokens) else None

    def _next(self) -> _Token:
        token = self._tokens[self._place]
        self._place += 1
        return token


def _comments(tokens: Iterable[_Token]) -> tuple[str, ...]:
    """Return the comments above and behind tokens."""
    return tuple(text for token in tokens for text in (*token.comments, token.remark) if text)
