"""Replaces values that break the schema by placeholders, so that rules can check the rest of the file.

Two copies of the file get different placeholders. A problem that both have does not depend on the wrong value, and is
reported. In one copy the placeholder of an optional key may be absent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from vppcfg.config.section_list import SECTIONS
from vppcfg.config.sections import dataplane
from vppcfg.engine.feature_kind import SwitchKind
from vppcfg.kinds import acl_match, policy_route_section
from vppcfg.kinds.feature_list import FEATURE_KINDS
from vppcfg.kinds.owned_list import OWNED_KEYS
from vppcfg.model.problem import KeyPath

_ABSENT = object()
_NESTED = frozenset({("interfaces", "sub-interfaces"), ("acls", "terms")})
"""Maps and lists of entries within an entry."""
_WHOLE = frozenset({"sub-interfaces", "terms"})
_JUDGED_WHOLE = OWNED_KEYS | {policy_route_section.KEY}
"""Keys of an entry with parts that must be there, and for which nothing is assumed; the rest is judged without them."""
_ASSUMED: Mapping[str, tuple[Any, Any]] = {
    "mtu": (1357, 2468),
    "state": ("up", "down"),
    "lcp": (_ABSENT, "assumed-b"),
    "addresses": (_ABSENT, ["203.0.113.253/32"]),
    **{kind.key: (_ABSENT, True) for kind in FEATURE_KINDS if isinstance(kind, SwitchKind)},
    **{key: values for kind in FEATURE_KINDS for key, values in kind.assumed.items()},
    "encapsulation": ({"dot1q": 4093, "exact-match": True}, {"dot1q": 4092, "exact-match": True}),
    "dot1q": (4093, 4092),
    "dot1ad": (4093, 4092),
    "inner-dot1q": (4093, 4092),
    "exact-match": (True, False),
    "name": ("assumed-a", "assumed-b"),
    "netns": ("assumed-a", "assumed-b"),
    "action": ("permit", "deny"),
    "protocol": ("tcp", "icmp"),
    "source": ("192.0.2.0/24", "2001:db8::/32"),
    "destination": ("192.0.2.0/24", "2001:db8::/32"),
}
"""Two values of each key that is worth it; of the others nothing is assumed."""
_ASSUMED_OF_SECTION: Mapping[str, Mapping[str, tuple[Any, Any]]] = {
    **{section.key: section.assumed for section in SECTIONS if section.assumed is not None},
    dataplane.SECTION.key: {"data-size": (_ABSENT, 65535), "rx-queues": (1, 2)},
}
_DEVICES: tuple[KeyPath, ...] = ((dataplane.SECTION.key, "dpdk", "devices"), (dataplane.SECTION.key, "devices"))
_OF_A_DEVICE_ALONE = frozenset({"rx-queues", "tx-queues", "rx-descriptors", "tx-descriptors", "workers"})
"""Keys of a device on which it does not depend which interface it becomes."""


class Recovered(NamedTuple):
    """A file without the mistakes that could be mended."""

    contents: tuple[Any, Any]
    left: frozenset[KeyPath]
    """Where the mistakes are that could not."""
    positions: Mapping[KeyPath, tuple[int, ...]]
    """By path of a list that lacks items: where in the file each of the others is."""

    def original(self, path: KeyPath) -> KeyPath:
        """Return where in the file something is that was found in the contents."""
        for length in range(len(path)):
            kept, position = self.positions.get(path[:length]), path[length]
            if kept is not None and isinstance(position, int) and position < len(kept):
                return (*path[:length], kept[position], *path[length + 1 :])
        return path


def recovered(content: Any, bad_paths: Iterable[KeyPath], unknown: Iterable[KeyPath]) -> Recovered:
    """Return a file with other values at the bad paths; `unknown` are those of them at which keys are misspelt."""
    bad: list[KeyPath] = sorted(set(bad_paths), key=lambda path: [str(key) for key in path])
    misspelt = set(unknown)
    first, second = _Copy(content), _Copy(content)
    left: set[KeyPath] = set()
    dropped: dict[KeyPath, set[int]] = {}
    for path in bad:
        if path[:1] == (dataplane.SECTION.key,) and len(path) > 1:
            _recover_dataplane(path, (first, second), is_misspelt=path in misspelt)
        elif not _is_in_entry(path):
            left.add(path)
        elif path[0] == acl_match.KEY and isinstance(path[-1], int):
            for copy, members in zip((first, second), _values((acl_match.KEY, "members")), strict=True):
                copy.put(path, members[0])
        elif isinstance(path[-1], int) and isinstance(first.at(path[:-1]), list):
            dropped.setdefault(path[:-1], set()).add(int(path[-1]))
        else:
            for copy, value in zip((first, second), _values(path), strict=True):
                copy.put(path, value)
            if path in misspelt:
                _put_intended(path, (first, second))
    positions = {path: _without_items(path, lost, (first, second)) for path, lost in dropped.items()}
    return Recovered(contents=(first.content, second.content), left=frozenset(left), positions=positions)


def _recover_dataplane(path: KeyPath, copies: tuple[_Copy, _Copy], *, is_misspelt: bool) -> None:
    """Assume other values at a path of the section; where it may be about which interface a device is, no devices."""
    if isinstance(copies[0].at(path[:-1]), list):  # what the list lacks without the item would be found missing
        path = path[:-1]
    for copy, value in zip(copies, _values(path), strict=True):
        copy.put(path, value)
    if is_misspelt:
        _put_intended(path, copies)
    for above in _DEVICES:
        key = path[len(above) + 1 : len(above) + 2]
        if path[: len(above)] == above and not _OF_A_DEVICE_ALONE.intersection(key):
            copies[1].put(above, _ABSENT)


def _is_in_entry(path: KeyPath) -> bool:
    """Return whether a mistake is at a key of an entry, or below it, so that the rest of the entry can be judged."""
    if len(path) > 3 and (path[0], path[2]) in _NESTED:
        return len(path) > 4 and path[4] not in _JUDGED_WHOLE
    return len(path) > 2 and path[0] in _ASSUMED_OF_SECTION and path[2] not in _WHOLE | _JUDGED_WHOLE


def _values(path: KeyPath) -> tuple[Any, Any]:
    key = str(path[-1])
    return _ASSUMED_OF_SECTION.get(str(path[0]), {}).get(key) or _ASSUMED.get(key, (_ABSENT, _ABSENT))


def _put_intended(path: KeyPath, copies: tuple[_Copy, _Copy]) -> None:
    """Assume values, too, for the key that a misspelt one resembles most."""
    for copy in copies:
        copy.put(path, _ABSENT)
    known = (*_ASSUMED, *_ASSUMED_OF_SECTION.get(str(path[0]), ()))
    from difflib import get_close_matches  # slow to import, and of use only where something is wrong

    meant = get_close_matches(str(path[-1]), known, n=1)
    if meant and meant[0] not in (copies[0].at(path[:-1]) or {}):
        for copy, value in zip(copies, _values((*path[:-1], meant[0])), strict=True):
            copy.put((*path[:-1], meant[0]), value)


def _without_items(path: KeyPath, lost: set[int], copies: tuple[_Copy, _Copy]) -> tuple[int, ...]:
    """Take items out of a list; where none is left, assume what is assumed for the whole."""
    items = copies[0].at(path)
    kept = tuple(position for position in range(len(items)) if position not in lost)
    for copy, value in zip(copies, _values(path), strict=True):
        copy.put(path, [items[position] for position in kept] if kept else value)
    return kept


class _Copy:
    """A copy of plain data of which only those maps and lists are new in which something is put."""

    def __init__(self, content: Any) -> None:
        self.content = dict(content) if isinstance(content, dict) else content
        self._own: set[KeyPath] = {()}

    def at(self, path: KeyPath) -> Any:
        """Return what is at a path, None for nothing."""
        node = self.content
        for key in path:
            try:
                node = node[key]
            except (KeyError, IndexError, TypeError):
                return None
        return node

    def put(self, path: KeyPath, value: Any) -> None:
        """Put a value at a path, or take out what is there; what has no container stays away."""
        node = self.content
        for length in range(1, len(path)):
            key = path[length - 1]
            try:
                below = node[key]
            except (KeyError, IndexError, TypeError):
                return
            if path[:length] not in self._own and isinstance(below, (dict, list)):
                below = node[key] = below.copy()
                self._own.add(path[:length])
            node = below
        if isinstance(node, dict):
            if value is _ABSENT:
                node.pop(path[-1], None)
            else:
                node[path[-1]] = value
        elif isinstance(node, list) and isinstance(path[-1], int) and path[-1] < len(node):
            node[path[-1]] = value
