"""startup.conf as a tree of entries that remember where they stood and which comments belong to them, and its text."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.record import record
from vppcfg.startup.conf.grammar import Key

_INDENT = "  "


@record
class ConfEntry:
    """A key with its arguments, and what stands in its braces."""

    name: str
    """The key's words, or the word that nobody knows."""
    arguments: tuple[str, ...] = ()
    children: tuple[ConfEntry, ...] | None = None
    """None without braces."""
    key: Key | None = None
    """None for a word that no release knows."""
    line: int = 0
    comments: tuple[str, ...] = ()
    """The comments on the lines above, with their marks."""
    remark: str = ""
    """The comment behind it."""
    tail: tuple[str, ...] = ()
    """Comments before the closing brace."""
    verbatim: str | None = None
    """The text of a block that nobody looks into, braces included."""

    @property
    def identity(self) -> tuple[str, ...]:
        """Return what tells the entry from its neighbours."""
        is_many = self.key is not None and self.key.is_many
        return (self.name, self.arguments[0].lower()) if is_many and self.arguments else (self.name,)

    def find(self, name: str) -> ConfEntry | None:
        """Return the last child called `name`, which is the one that counts."""
        return next((child for child in reversed(self.children or ()) if child.name == name), None)


@record
class Conf:
    """A whole file."""

    stanzas: tuple[ConfEntry, ...] = ()
    tail: tuple[str, ...] = ()
    """Comments behind the last stanza."""

    def stanza(self, name: str) -> ConfEntry | None:
        """Return the stanza called `name` with what all stanzas of that name hold: VPP strings them together."""
        found = [stanza for stanza in self.stanzas if stanza.name == name]
        if len(found) < 2:
            return found[0] if found else None
        return ConfEntry(
            name=name,
            arguments=found[-1].arguments,
            children=_all_children(found),
            key=found[0].key,
            line=found[0].line,
            comments=tuple(comment for stanza in found for comment in stanza.comments),
            tail=tuple(comment for stanza in found for comment in stanza.tail),
            verbatim=_joined([stanza.verbatim for stanza in found if stanza.verbatim is not None]),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the stanzas, each once, in the order of the file."""
        return tuple(dict.fromkeys(stanza.name for stanza in self.stanzas))


def _all_children(stanzas: list[ConfEntry]) -> tuple[ConfEntry, ...] | None:
    if all(stanza.children is None for stanza in stanzas):
        return None
    return tuple(child for stanza in stanzas for child in stanza.children or ())


def _joined(blocks: list[str]) -> str | None:
    """Return the texts of blocks as one block."""
    inside = "\n".join(block[1:-1].strip() for block in blocks)
    return f"{{\n{inside}\n}}" if blocks else None


def walk(
    entries: tuple[ConfEntry, ...], above: tuple[ConfEntry, ...] = ()
) -> Iterator[tuple[tuple[ConfEntry, ...], ConfEntry]]:
    """Yield every entry with those around it."""
    for entry in entries:
        yield above, entry
        yield from walk(entry.children or (), (*above, entry))


def conf_text(conf: Conf) -> str:
    """Return the text of a tree, stanzas apart by an empty line."""
    blocks = ["\n".join(_lines(stanza, "")) for stanza in conf.stanzas]
    if conf.tail:
        blocks.append("\n".join(conf.tail))
    return "\n\n".join(blocks) + "\n"


def _lines(entry: ConfEntry, indent: str) -> Iterator[str]:
    yield from (f"{indent}{comment}" for comment in entry.comments)
    head = " ".join((entry.name, *entry.arguments))
    remark = f"  {entry.remark}" if entry.remark else ""
    if entry.verbatim is not None:
        yield f"{indent}{head} {entry.verbatim}{remark}"
    elif entry.children is None:
        yield f"{indent}{head}{remark}"
    elif not entry.children and not entry.tail:
        yield f"{indent}{head} {{ }}{remark}"
    elif _is_switch(entry):
        yield f"{indent}{head} {{ {entry.children[0].name} }}{remark}"
    else:
        yield f"{indent}{head} {{"
        for child in entry.children:
            yield from _lines(child, indent + _INDENT)
        yield from (f"{indent}{_INDENT}{comment}" for comment in entry.tail)
        yield f"{indent}}}{remark}"


def _is_switch(entry: ConfEntry) -> bool:
    """Return whether an entry is a plugin that is enabled or disabled, which is clearer on one line."""
    if entry.name != "plugin" or entry.tail or entry.children is None or len(entry.children) != 1:
        return False
    child = entry.children[0]
    return child.children is None and not child.comments and not child.remark
