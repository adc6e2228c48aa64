"""Brings an existing startup.conf up to date: what vppcfg manages is new, everything else and comments stay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from vppcfg.startup.conf.tree import Conf, ConfEntry

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
    "buffers numa": frozenset({"buffers"}),
    "linux-cp": frozenset({"default netns", "lcp-sync", "lcp-auto-subint"}),
    "linux-nl": frozenset({"nl-rx-buffer-size"}),
}
"""Keys that come and go with the section, by block; the other keys of an existing file stay."""
_ONLY_WITH_PLUGIN = frozenset({"dpdk", "linux-cp", "linux-nl"})
_SUPERSEDED = frozenset({"heapsize"})
_CHOICES = ({"default", "socket-name"}, {"on", "enable"}, {"nodaemon", "interactive"})
"""Keys of which an existing file has one or the other."""


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
        if twin is not None and not _is_managed(child, block):
            children.append(twin)
        elif twin is not None or not _is_chosen_otherwise(child, former):
            children.append(_merged(child, twin, known))
    stay = [child for child in former.values() if not _is_managed(child, block)]
    lost = [child for child in old.children or () if child is not all_former[child.identity]]
    lost += [child for child in former.values() if _is_managed(child, block)]
    orphans = [comment for child in lost for comment in _comments_of(child)]
    tail = (*(comment for comment in orphans if comment not in known), *old.tail)
    has_braces = merged.children is not None or stay or tail
    return replace(merged, children=(*children, *stay) if has_braces else None, tail=tail)


def _is_managed(child: ConfEntry, block: str) -> bool:
    return child.name in _MANAGED.get(block, frozenset())


def _is_chosen_otherwise(child: ConfEntry, former: Mapping[tuple[str, ...], ConfEntry]) -> bool:
    """Return whether the existing file has made another choice where there is one."""
    return any(child.name in choice and any((name,) in former for name in choice - {child.name}) for choice in _CHOICES)


def _comments_of(entry: ConfEntry) -> list[str]:
    inner = [comment for child in entry.children or () for comment in _comments_of(child)]
    return [*entry.comments, *([entry.remark] if entry.remark else []), *inner, *entry.tail]
