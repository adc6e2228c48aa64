"""A tree to the text of a startup.conf: one key per line, comments where they were."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.startup.conf.tree import Conf, Entry

_INDENT = "  "


def conf_text(conf: Conf) -> str:
    """Return the text of a tree, stanzas apart by an empty line."""
    blocks = ["\n".join(_lines(stanza, "")) for stanza in conf.stanzas]
    if conf.tail:
        blocks.append("\n".join(conf.tail))
    return "\n\n".join(blocks) + "\n"


def _lines(entry: Entry, indent: str) -> Iterator[str]:
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


def _is_switch(entry: Entry) -> bool:
    """Return whether an entry is a plugin that is enabled or disabled, which is clearer on one line."""
    if entry.name != "plugin" or entry.tail or entry.children is None or len(entry.children) != 1:
        return False
    child = entry.children[0]
    return child.children is None and not child.comments and not child.remark
