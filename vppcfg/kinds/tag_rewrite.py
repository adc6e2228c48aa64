"""The key `tag-rewrite` of an interface: how VLAN tags change between it and a bridge, where not as by default."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from vppcfg.entries.configuration import InterfaceConfig, TagRewriteConfig
from vppcfg.entries.entry_key import EntryKey
from vppcfg.entries.index import Index
from vppcfg.entries.yaml.text import KeyValue, Value
from vppcfg.model.interface import Encapsulation, Interface, OtherMatch, TagRewrite
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.state import State

KEY = "tag-rewrite"
NONE = "none"
_POP = {1: TagRewrite(operation=3), 2: TagRewrite(operation=4)}
_OPERATIONS = {(0, 1): 1, (0, 2): 2, (1, 0): 3, (2, 0): 4, (1, 1): 5, (1, 2): 6, (2, 1): 7, (2, 2): 8}
"""VPP's vtr_op by how many tags it takes off and puts on (vnet/l2/l2_vtr.h)."""
_COUNTS = {operation: counts for counts, operation in _OPERATIONS.items()}
_UNKNOWN = (0, 0)
_LAST_VLAN = 4095
_WAYS = ("pop", "push", "translate")


def _parse(raw: str | Mapping[str, Any]) -> TagRewriteConfig:
    """Return what a value of the right shape asks for, with what is wrong about it for a rule to report."""
    if isinstance(raw, str):
        return TagRewriteConfig(rewrite=None)
    given = [way for way in _WAYS if raw.get(way) is not None]
    if len(given) != 1:
        return TagRewriteConfig(rewrite=None, fault=f"give one of {', '.join(f'`{way}`' for way in _WAYS)}")
    (way,) = given
    if way == "pop":
        return TagRewriteConfig(rewrite=_POP[raw[way]], popped=raw[way])
    tags = raw[way]
    popped = (tags.get("pop") or 1) if way == "translate" else 0
    dot1q, dot1ad, inner = tags.get("dot1q"), tags.get("dot1ad"), tags.get("inner-dot1q")
    if (dot1q is None) == (dot1ad is None):
        return TagRewriteConfig(rewrite=None, fault=f"the outer tag of `{way}` is either `dot1q` or `dot1ad`")
    rewrite = TagRewrite(
        operation=_OPERATIONS[popped, 1 if inner is None else 2],
        push_dot1q=int(dot1q is not None),
        tag1=dot1ad if dot1q is None else dot1q,
        tag2=inner or 0,
    )
    return TagRewriteConfig(rewrite=rewrite, popped=popped)


def usual_rewrite(match: Encapsulation | OtherMatch | None, bridge: int | None) -> TagRewrite | None:
    """Return what happens to the tags of an interface without the key: members of a bridge domain lose their own."""
    return _POP[match.tag_count] if bridge is not None and isinstance(match, Encapsulation) else None


def _from_state(interface: Interface) -> TagRewriteConfig | None:
    """Return the tag rewrite of an observed interface as in a file, None for the default."""
    rewrite = interface.tag_rewrite
    if rewrite == usual_rewrite(interface.encapsulation, interface.bridge):
        return None
    popped, pushed = _counts(rewrite)
    if rewrite is not None:
        rewrite = TagRewrite(
            operation=rewrite.operation,
            push_dot1q=rewrite.push_dot1q if pushed else 0,
            tag1=rewrite.tag1 if pushed else 0,
            tag2=rewrite.tag2 if pushed > 1 else 0,
        )
    return TagRewriteConfig(rewrite=rewrite, popped=popped)


def _unsupported_reason(interface: Interface) -> str | None:
    """Return why no file can express the tag rewrite of an observed interface, None when one can."""
    rewrite = interface.tag_rewrite
    if rewrite is None or rewrite == usual_rewrite(interface.encapsulation, interface.bridge):
        return None
    pushed = _counts(rewrite)[1]
    if not interface.is_l2 or interface.is_bvi or rewrite.operation not in _COUNTS:
        return "it rewrites VLAN tags"
    odd = [tag for tag in (rewrite.tag1, rewrite.tag2)[:pushed] if not 1 <= tag <= _LAST_VLAN]
    return f"it gives frames the VLAN tag {odd[0]}" if odd else None


def _as_yaml(rewrite: TagRewrite | None) -> Value:
    if rewrite is None:
        return NONE
    popped, pushed = _counts(rewrite)
    if not pushed:
        return (KeyValue("pop", popped),)
    tags = [KeyValue("dot1q" if rewrite.push_dot1q else "dot1ad", rewrite.tag1)]
    tags += [KeyValue("inner-dot1q", rewrite.tag2)] if pushed == 2 else []
    if not popped:
        return (KeyValue("push", tuple(tags)),)
    return (KeyValue("translate", (KeyValue("pop", popped, is_default=popped == 1), *tags)),)


def _counts(rewrite: TagRewrite | None) -> tuple[int, int]:
    """Return how many tags a rewrite takes off and puts on."""
    return _UNKNOWN if rewrite is None else _COUNTS.get(rewrite.operation, _UNKNOWN)


class TagRewriteKey(EntryKey):
    """The key; what an interface has in VPP depends on its bridge domain too (`bridge_section.Switching`)."""

    key = KEY
    attribute = "tag_rewrite"

    has_meaning_when_absent = True

    def parse(self, raw: str | Mapping[str, Any], path: KeyPath) -> TagRewriteConfig:
        """Return what a value of the right shape asks for, with what is wrong about it for a rule to report."""
        return _parse(raw)

    def from_state(self, interface: Interface, state: State, path: KeyPath) -> TagRewriteConfig | None:
        """Return the tag rewrite of an observed interface as in a file, None for the default."""
        return _from_state(interface)

    def yaml_keys(self, config: InterfaceConfig) -> Iterable[KeyValue]:
        """Return the key, where it is needed."""
        return () if config.tag_rewrite is None else (KeyValue(KEY, _as_yaml(config.tag_rewrite.rewrite)),)

    def unsupported_key(self, interface: Interface, state: State) -> str | None:
        """Return why no file can express the tag rewrite of an observed interface, None when one can."""
        return _unsupported_reason(interface) if interface.tag_rewrite is not None else None


TAG_REWRITE = TagRewriteKey()


Tags = tuple[tuple[int, bool], ...]
"""VLAN tags, the outer one first, each with whether it is 802.1ad."""


def tags_of(interface: InterfaceConfig) -> Tags:
    """Return the tags that a sub-interface matches, none of a port."""
    match = interface.encapsulation
    if match is None:
        return ()
    return ((match.outer, match.is_dot1ad), *(() if match.inner is None else ((match.inner, False),)))


def carried_tags(source: InterfaceConfig, target: InterfaceConfig) -> Tags:
    """Return the tags with which a frame of `source` leaves `target`, which undoes there what it does to its own."""
    kept, added = _rewriting(source)
    own, (put_back, taken) = tags_of(target), _rewriting(target)
    return (*own[:put_back], *(*added, *tags_of(source)[kept:])[len(taken) :])


def _rewriting(interface: InterfaceConfig) -> tuple[int, Tags]:
    """Return how many tags an interface takes off frames that it receives, and which it puts on."""
    rewrite = interface.tag_rewrite.rewrite if interface.tag_rewrite is not None else None
    popped, pushed = _counts(rewrite)
    tags = ((rewrite.tag1, not rewrite.push_dot1q), (rewrite.tag2, False)) if rewrite is not None else ()
    return popped, tags[:pushed]


def tag_rewrites(index: Index) -> Iterator[Problem]:
    """Find tag rewrites that ask for nothing or too much, or on what hands no frames on."""
    for interface in index.interfaces:
        rewrite = interface.tag_rewrite
        if rewrite is None:
            continue
        path, tags = (*interface.path, KEY), interface.encapsulation
        count = tags.tag_count if tags is not None else 0
        if rewrite.fault:
            yield Problem(rule="tag-rewrite-keys", path=path, text=rewrite.fault)
        elif rewrite.popped > count:
            known = {0: "no VLAN tag", 1: "one VLAN tag", 2: "two VLAN tags"}[count]
            text = f"{interface.name} matches {known}, so {rewrite.popped} cannot be taken off"
            yield Problem(rule="tag-rewrite-count", path=path, text=text)
        if interface.l2xc is None and interface.name not in index.bridges:
            text = f"{interface.name} routes; tags are rewritten on members of bridge domains and with `l2xc`"
            yield Problem(rule="tag-rewrite-l3", path=path, text=text)
