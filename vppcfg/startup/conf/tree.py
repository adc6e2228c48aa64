"""startup.conf as a tree of entries that know their lines and comments: its text, and how it is brought up to date."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from vppcfg.common.numbers import canonical_pci
from vppcfg.model.native_driver import NATIVE_DRIVERS, PORT
from vppcfg.record import record
from vppcfg.startup.conf.key import Key

_INDENT = "  "
_MANAGED: Mapping[str, frozenset[str]] = {
    "unix": frozenset({"gid", "exec", "startup-config", "poll-sleep-usec"}),
    "api-segment": frozenset({"gid"}),
    "memory": frozenset({"main-heap-size", "main-heap-page-size"}),
    "cpu": frozenset({"main-core", "corelist-workers", "coremask-workers", "workers", "skip-cores", "relative"}),
    "buffers": frozenset({"buffers-per-numa", "default data-size", "numa"}),
    "statseg": frozenset({"size", "page-size", "per-node-counters"}),
    "plugins": frozenset({"plugin"}),
    "dpdk": frozenset({"dev", "dev default", "no-multi-seg", "no-tx-checksum-offload"}),
    "device": frozenset({"name", "workers", "num-rx-queues", "num-tx-queues", "num-rx-desc", "num-tx-desc"}),
    "device default": frozenset({"num-rx-queues", "num-tx-queues", "num-rx-desc", "num-tx-desc"}),
    "devices dev": frozenset({"driver", "port"}),
    "devices port": frozenset({"name", "num-rx-queues", "num-tx-queues", "rx-queue-size", "tx-queue-size"}),
    "buffers numa": frozenset({"buffers"}),
    "linux-cp": frozenset({"default netns", "lcp-sync", "lcp-auto-subint"}),
    "linux-nl": frozenset({"nl-rx-buffer-size"}),
}
"""Keys that come and go with the section, by block; the other keys of an existing file stay."""
_ONLY_WITH_PLUGIN = frozenset({"dpdk", "linux-cp", "linux-nl"})
_SUPERSEDED = frozenset({"heapsize"})
_CHOICES = ({"default", "socket-name"}, {"on", "enable"}, {"nodaemon", "interactive"})
"""Keys of which an existing file has one or the other."""


@record
class ConfEntry:
    """A key with its arguments, and what stands in its braces."""

    name: str
    """The key's words, or the unknown word."""
    arguments: tuple[str, ...] = ()
    children: tuple[ConfEntry, ...] | None = None
    """None without braces."""
    key: Key | None = None
    """None for a word that no release knows."""
    line: int = 0
    column: int = 0
    comments: tuple[str, ...] = ()
    """The comments on the lines above, with their marks."""
    remark: str = ""
    """The comment behind it."""
    tail: tuple[str, ...] = ()
    """Comments before the closing brace."""
    verbatim: str | None = None
    """The text of an unparsed block, braces included."""
    is_blank: bool = False
    """Whether white space or comments stand in its braces, and nothing else; `{}` is empty, and not blank."""
    is_joined: bool = False
    """Whether no white space stands before its opening brace."""

    @property
    def identity(self) -> tuple[str, ...]:
        """Return what distinguishes the entry from its neighbours."""
        is_many = self.key is not None and self.key.is_many
        return (self.name, self.arguments[0].lower()) if is_many and self.arguments else (self.name,)

    def find(self, name: str) -> ConfEntry | None:
        """Return the last child called `name`, which is the one that counts."""
        return next((child for child in reversed(self.children or ()) if child.name == name), None)


@dataclass(frozen=True, kw_only=True)
class Conf:
    """A whole file."""

    stanzas: tuple[ConfEntry, ...] = ()
    tail: tuple[str, ...] = ()
    """Comments behind the last stanza."""

    def stanza(self, name: str) -> ConfEntry | None:
        """Return the stanza called `name` with what all stanzas of that name hold: VPP strings them together."""
        return self._joined_by_name.get(name)

    @cached_property
    def by_name(self) -> Mapping[str, tuple[ConfEntry, ...]]:
        """Return the stanzas by their names, in the order of the file."""
        found: dict[str, list[ConfEntry]] = {}
        for stanza in self.stanzas:
            found.setdefault(stanza.name, []).append(stanza)
        return {name: tuple(same) for name, same in found.items()}

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the stanzas, each once, in the order of the file."""
        return tuple(self.by_name)

    @cached_property
    def _joined_by_name(self) -> Mapping[str, ConfEntry]:
        return {name: _strung_together(same) for name, same in self.by_name.items()}


def _strung_together(same: Sequence[ConfEntry]) -> ConfEntry:
    """Return stanzas of one name as one."""
    if len(same) == 1:
        return same[0]
    return ConfEntry(
        name=same[0].name,
        arguments=same[-1].arguments,
        children=_all_children(same),
        key=same[0].key,
        line=same[0].line,
        comments=tuple(comment for stanza in same for comment in stanza.comments),
        tail=tuple(comment for stanza in same for comment in stanza.tail),
        verbatim=_joined([stanza.verbatim for stanza in same if stanza.verbatim is not None]),
        is_blank=any(stanza.is_blank for stanza in same),
    )


def _all_children(stanzas: Sequence[ConfEntry]) -> tuple[ConfEntry, ...] | None:
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
    is_empty = entry.children == () and not entry.is_blank
    if is_empty:  # comments within would make it blank, which stops VPP in most stanzas
        yield from (f"{indent}{comment}" for comment in entry.tail)
    head = " ".join((entry.name, *entry.arguments))
    remark = f"  {entry.remark}" if entry.remark else ""
    if entry.verbatim is not None:
        yield f"{indent}{head} {entry.verbatim}{remark}"
    elif entry.children is None:
        yield f"{indent}{head}{remark}"
    elif is_empty:
        yield f"{indent}{head} {{}}{remark}"
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


def kept_stanzas(existing: Conf, generated: Conf) -> tuple[str, ...]:
    """Return the names of the stanzas that stay just because the existing file has them."""
    gone = {*generated.names, *_ONLY_WITH_PLUGIN, *_SUPERSEDED}
    return tuple(name for name in existing.names if name not in gone)


def update(existing: Conf, generated: Conf) -> Conf:
    """Return `generated` with the comments of `existing` and with all that vppcfg does not manage there."""
    known = {comment for stanza in generated.stanzas for comment in stanza.comments}
    stanzas = [_merged(stanza, existing.stanza(stanza.name), known) for stanza in generated.stanzas]
    kept = [existing.stanza(name) for name in kept_stanzas(existing, generated)]
    stanzas += [stanza for stanza in kept if stanza is not None]
    first = existing.stanzas[0] if existing.stanzas else None
    if first is not None and first.name != generated.stanzas[0].name and first.name in generated.names:
        stanzas = _with_header_first(stanzas, first)
    return Conf(stanzas=tuple(stanzas), tail=existing.tail)


def _with_header_first(stanzas: list[ConfEntry], first: ConfEntry) -> list[ConfEntry]:
    """Move the comments of the file's first stanza, which head the file, to what is first now."""
    moved = [
        replace(stanza, comments=tuple(c for c in stanza.comments if c not in first.comments))
        if stanza.name == first.name
        else stanza
        for stanza in stanzas
    ]
    return [replace(moved[0], comments=(*moved[0].comments, *first.comments)), *moved[1:]]


def _merged(new: ConfEntry, old: ConfEntry | None, known: set[str]) -> ConfEntry:
    """Return a generated entry with what an existing one has besides."""
    if old is None:
        return new
    comments = (*new.comments, *(comment for comment in old.comments if comment not in known))
    merged = replace(new, comments=comments, remark=old.remark)
    if new.children is None and old.children is None:
        return merged
    block = new.key.block if new.key is not None and new.key.block is not None else ""
    return _merged_block(merged, new.children or (), old, block, known)


def _merged_block(
    merged: ConfEntry, wanted: tuple[ConfEntry, ...], old: ConfEntry, block: str, known: set[str]
) -> ConfEntry:
    if block == "plugin":
        return replace(merged, tail=old.tail)
    all_former = {child.identity: child for child in old.children or ()}
    former = dict(all_former)
    children: list[ConfEntry] = []
    for child in wanted:
        twin = former.pop(child.identity, None)
        if twin is not None and not is_managed(child, block):
            children.append(twin)
        elif twin is not None or not _is_chosen_otherwise(child, former):
            children.append(_merged(child, twin, known))
    stay = [child for child in former.values() if not is_managed(child, block)]
    lost = [child for child in old.children or () if child is not all_former[child.identity]]
    lost += [child for child in former.values() if is_managed(child, block)]
    orphans = [comment for child in lost for comment in _comments_of(child)]
    tail = (*(comment for comment in orphans if comment not in known), *old.tail)
    has_braces = merged.children is not None or stay or tail
    return replace(merged, children=(*children, *stay) if has_braces else None, tail=tail)


def is_managed(child: ConfEntry, block: str) -> bool:
    """Return whether an entry of a block comes and goes with the section, so that no existing one stays."""
    if block == "devices":
        return is_native_device(child)
    return child.name in _MANAGED.get(block, frozenset())


def is_native_device(entry: ConfEntry) -> bool:
    """Return whether the section can express an entry of the stanza `devices`: a driver that it knows, and its port."""
    bus, _, place = _value(entry).partition("/")
    is_on_pci = entry.name == "dev" and bus == "pci" and canonical_pci(place) is not None
    return is_on_pci and _value(entry.find("driver")) in NATIVE_DRIVERS and _value(entry.find("port")) == str(PORT)


def _value(entry: ConfEntry | None) -> str:
    return entry.arguments[0] if entry is not None and entry.arguments else ""


def _is_chosen_otherwise(child: ConfEntry, former: Mapping[tuple[str, ...], ConfEntry]) -> bool:
    """Return whether the existing file has made another choice where there is one."""
    return any(child.name in choice and any((name,) in former for name in choice - {child.name}) for choice in _CHOICES)


def _comments_of(entry: ConfEntry) -> list[str]:
    inner = [comment for child in entry.children or () for comment in _comments_of(child)]
    return [*entry.comments, *([entry.remark] if entry.remark else []), *inner, *entry.tail]
