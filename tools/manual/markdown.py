"""Turns Markdown into lines of a manual page: headings, paragraphs, lists, blocks and tables, as docs/ uses them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from vppcfg.commandline import roff

if TYPE_CHECKING:
    from markdown_it.token import Token

_OF_OPTIONS = "option"
"""Head of the tables that repeat what the options of a command do."""


def to_roff(text: str) -> list[str]:
    """Return the document below its title: second headings are sections, third ones are parts of them.

    A row of a table becomes a tagged paragraph, its first cell being the tag: columns do not fit 80 characters.
    Tables of options are left out. Raise ValueError for what docs/ does not use.
    """
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(text)
    return list(_Blocks(tokens).lines())


def section_of(text: str, name: str) -> str:
    """Return the text below the second heading `name`, empty when there is none."""
    parts = f"\n{text}".split("\n## ")[1:]
    return next((part.partition("\n")[2].strip() for part in parts if part.partition("\n")[0] == name), "")


class _Blocks:
    """Walks the tokens of a document once."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = iter(tokens)

    def lines(self) -> Iterator[str]:
        for token in self._tokens:
            match token.type:
                case "heading_open":
                    yield from self._heading(token.tag)
                case "paragraph_open":
                    yield from roff.paragraph(self._inline())
                case "fence":
                    yield from roff.literal(token.content)
                case "bullet_list_open":
                    yield from self._items(r"\(bu")
                case "table_open":
                    yield from self._table()
                case "html_block" | "paragraph_close" | "heading_close":
                    pass
                case other:
                    raise ValueError(f"a manual page cannot show {other}, line {token.map}")

    def _heading(self, tag: str) -> Iterator[str]:
        text = "".join(child.content for child in next(self._tokens).children or ())
        if tag == "h2":
            yield roff.heading(text)
        elif tag == "h3":
            yield roff.subheading(text)

    def _inline(self) -> str:
        return _markup(next(self._tokens).children or ())

    def _items(self, mark: str) -> Iterator[str]:
        for token in self._tokens:
            if token.type == "bullet_list_close":
                return
            if token.type == "inline":
                yield from (f".IP {mark} 2", *roff.lines(_markup(token.children or ())))

    def _table(self) -> Iterator[str]:
        head, *rows = self._rows()
        if head[0] == _OF_OPTIONS:
            return
        for row in rows:
            others = [_named(name, cell) for name, cell in zip(head[2:], row[2:], strict=True)]
            yield from roff.tagged(row[0], row[1], *others)

    def _rows(self) -> Iterator[list[str]]:
        row: list[str] = []
        for token in self._tokens:
            if token.type == "table_close":
                return
            if token.type == "inline":
                row.append(_markup(token.children or ()))
            elif token.type == "tr_close":
                yield row
                row = []


def _named(name: str, cell: str) -> str:
    """Return a cell behind the head of its column, unless that is empty."""
    return cell if name == "meaning" else f"{name[:1].upper()}{name[1:]}: {cell}"


def _markup(children: Sequence[Token]) -> str:
    """Return the text of a paragraph, with what stands out."""
    return "".join(_piece(child) for child in children)


def _piece(token: Token) -> str:
    match token.type:
        case "text":
            return roff.escaped(token.content)
        case "code_inline":
            return roff.bold(token.content)
        case "softbreak" | "hardbreak":
            return "\n"
        case "strong_open" | "em_open":
            return r"\fI"
        case "strong_close" | "em_close":
            return r"\fR"
        case "link_open" | "link_close" | "html_inline":
            return ""
        case other:
            raise ValueError(f"a manual page cannot show {other}")
