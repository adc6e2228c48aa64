"""One entry of a file, as it was and as it will be, as lines for people: key by key, list item by list item."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from vppcfg.entries.yaml.text import KeyValue, Value, inline, key_lines


class EntryLine(NamedTuple):
    """One line below the name of an entry."""

    text: str
    sign: str = ""
    """`+` or `-` for what is in one of both alone; empty for what is in both, or in an entry that is new or goes."""


def whole_entry(keys: Iterable[KeyValue]) -> list[EntryLine]:
    """Return an entry that is new or goes, as a file has it, with all that an object is made with."""
    shown = [key._replace(is_default=key.value == []) if key.is_set_at_creation else key for key in keys]
    return [EntryLine(text) for text in key_lines(shown)]


def entry_difference(before: Sequence[KeyValue], after: Sequence[KeyValue]) -> list[EntryLine]:
    """Return what differs between both; nothing when they are equal."""
    return list(_differences(before, after, ""))


def _differences(before: Sequence[KeyValue], after: Sequence[KeyValue], prefix: str) -> Iterator[EntryLine]:
    old, new = {item.key: item for item in before}, {item.key: item for item in after}
    for key in _in_order(list(old), list(new)):
        was, will = old.get(key), new.get(key)
        if was is None or will is None:
            yield from _one_sided(was, will, prefix)
        elif was.value != will.value:
            yield from _changed(was, will, f"{prefix}{key}")


def _in_order(old: list[str | int], new: list[str | int]) -> list[str | int]:
    """Return the keys of both in the order of the file: one that only the new entry has behind its neighbour there."""
    keys = list(old)
    for position, key in enumerate(new):
        if key not in old:
            keys.insert(keys.index(new[position - 1]) + 1 if position else 0, key)
    return keys


def _one_sided(was: KeyValue | None, will: KeyValue | None, prefix: str) -> Iterator[EntryLine]:
    """Yield a key that only one of both has, unless its absence means the same."""
    item, sign = (was, "-") if was is not None else (will, "+")
    if item is None or item.is_default:
        return
    if isinstance(item.value, list):
        yield from (EntryLine(f"{prefix}{item.key}: {inline(each)}", sign) for each in item.value)
    else:
        yield EntryLine(f"{prefix}{item.key}: {inline(item.value)}", sign)


def _changed(was: KeyValue, will: KeyValue, path: str) -> Iterator[EntryLine]:
    if isinstance(was.value, list) and isinstance(will.value, list):
        yield from _list_difference(was.value, will.value, path, has_places=was.is_block)
    elif isinstance(was.value, tuple) and isinstance(will.value, tuple):
        yield from _differences(was.value, will.value, f"{path}.")
    else:
        yield EntryLine(f"{path}: {inline(was.value)} -> {inline(will.value)}")


def _list_difference(before: list[Value], after: list[Value], path: str, *, has_places: bool) -> Iterator[EntryLine]:
    """Yield the items that go and those that come; with `has_places`, where in its list each stands, from 1."""
    for sign, place, item in _edits(before, after):
        where = f"  # {path.rpartition('.')[2].removesuffix('s')} {place + 1}" if has_places else ""
        yield EntryLine(f"{path}: {inline(item)}{where}", sign)


def _edits(before: list[Any], after: list[Any]) -> Iterator[tuple[str, int, Any]]:
    """Yield what is taken out of a list and put into it, in the order of the list, with its place there."""
    known, wanted = [_hashable(item) for item in before], [_hashable(item) for item in after]
    old, new = set(known), set(wanted)
    is_plain = len(old) == len(before) and len(new) == len(after)
    if is_plain and [item for item in known if item in new] == [item for item in wanted if item in old]:
        yield from (("-", place, before[place]) for place, item in enumerate(known) if item not in new)
        yield from (("+", place, after[place]) for place, item in enumerate(wanted) if item not in old)
        return
    for kind, first, end, first_new, end_new in SequenceMatcher(None, known, wanted, autojunk=False).get_opcodes():
        if kind != "equal":
            yield from (("-", place, before[place]) for place in range(first, end))
            yield from (("+", place, after[place]) for place in range(first_new, end_new))


def _hashable(item: Any) -> Any:
    """Return what stands for an item of a list in sets: its text, where it is a map with lists in it."""
    has_list = isinstance(item, tuple) and any(isinstance(each.value, list) for each in item)
    return inline(item) if has_list else item
