"""Writes lines of a manual page in the macros of man(7), which groff and mandoc both know."""

from __future__ import annotations

from collections.abc import Iterable

NOTHING = r"\&"
"""Markup that shows nothing."""


def title(name: str, section: int, date: str, source: str, manual: str) -> list[str]:
    """Return the first lines of a page, whose words are neither broken nor spread over the line."""
    head = f'.TH "{escaped(name.upper())}" {section} "{date}" "{escaped(source)}" "{escaped(manual)}"'
    # groff from 1.23 on uses the string AD, others by .ad.
    return [head, ".nh", ".ds AD l", ".ad l"]


def heading(text: str) -> str:
    """Return the line that begins a section."""
    return f'.SH "{escaped(text.upper())}"'


def subheading(text: str) -> str:
    """Return the line that begins a part of a section."""
    return f'.SS "{escaped(text)}"'


def paragraph(text: str) -> list[str]:
    """Return a paragraph of marked-up text."""
    return [".PP", *lines(text)]


def tagged(tag: str, *texts: str) -> list[str]:
    """Return an indented paragraph of marked-up texts behind a tag, each text beginning a line."""
    first, *others = [lines(text) or [NOTHING] for text in texts]
    return [".TP", *lines(tag), *first, *(line for text in others for line in (".br", *text))]


def literal(text: str) -> list[str]:
    """Return text that stays as it is."""
    kept = [(lines(escaped(line)) or [""])[0] for line in text.splitlines()]
    return [".PP", ".RS 4", ".nf", *kept, ".fi", ".RE"]


def lines(markup: str) -> list[str]:
    """Return lines none of which can be taken for a request: a dot or an apostrophe in front is hidden."""
    return [f"{NOTHING}{line}" if line.startswith((".", "'")) else line for line in markup.split("\n") if line]


def escaped(text: str) -> str:
    """Return plain text as markup: backslashes are doubled, and hyphens can be copied as what they are.

    A line may be broken between the parts of `NAME[,A][,B]`, which is wider than a page.
    """
    return text.replace("\\", r"\e").replace("-", r"\-").replace('"', r"\(dq").replace("[,", r"\:[,")


def formatted(text: str) -> str:
    """Return the text of a help message as markup: what stands between backticks is bold."""
    parts = text.split("`")
    return "".join(bold(part) if place % 2 else escaped(part) for place, part in enumerate(parts))


def bold(text: str) -> str:
    """Return plain text as bold markup."""
    return rf"\fB{escaped(text)}\fR"


def italic(text: str) -> str:
    """Return plain text as markup in italics, or underlined."""
    return rf"\fI{escaped(text)}\fR"


def page(parts: Iterable[str]) -> str:
    """Return a page of lines. A section's first paragraph needs no mark."""
    kept: list[str] = []
    for part in parts:
        if part != ".PP" or not kept[-1].startswith((".SH", ".SS")):
            kept.append(part)
    return "".join(f"{part}\n" for part in kept)
