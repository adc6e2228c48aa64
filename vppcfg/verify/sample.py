"""Chooses which of Linux's routes and neighbours are looked up in VPP, where not all are: each look-up stops workers.

First what was wrong at the look before, then what has changed in Linux since, then the next part of all others: in
the order of a checksum, so that each has its turn whatever comes and goes, and every table a part of each look.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain, islice
from zlib import crc32

from vppcfg.model.forwarding import RoutePlace, Routes, TableId

DAY_S = 86400.0
MOST_PER_S = 50
"""Look-ups for each second between two looks, some 5 us each."""
USUAL = 5000
"""So many routes are looked up at a look where that is no more, though fewer would cover all within a day."""
LEAST = 20
MOST_NEIGHBORS = 500
_MOST_WAITING = 100_000
"""Of what has changed; what is beyond it has its turn with all others."""
_CIRCLE = 1 << 32
"""Of checksums: the next part begins where the last one ended."""
_PREFIX_BYTES = 18


def room_for(total: int, interval_s: float) -> int:
    """Return how many routes of `total` to look up at a look, so that all had their turn within a day."""
    fair = max(USUAL, -int(-total * interval_s // DAY_S))
    return max(LEAST, min(fair, int(MOST_PER_S * interval_s)))


class _Reading:
    """The routes of one table as Linux had them, in 22 bytes each."""

    def __init__(self, routes: Routes) -> None:
        marks = _marks(routes)
        self._prefixes = b"".join(routes.by_prefix)
        self._marks = array("I", [marks[place] for place in routes.by_prefix.values()])

    def changes(self, now: Routes) -> Iterator[bytes]:
        """Yield the prefixes that are gone now, or lead elsewhere, and behind them those that are new."""
        marks, new = _marks(now), set(now.by_prefix)
        for position, mark in enumerate(self._marks):
            prefix = self._prefixes[position * _PREFIX_BYTES : (position + 1) * _PREFIX_BYTES]
            new.discard(prefix)
            place = now.by_prefix.get(prefix)
            if place is None or marks[place] != mark:
                yield prefix
        yield from sorted(new)


def _marks(routes: Routes) -> list[int]:
    """Return a number for where each entry leads; two that differ have the same one once in four billions."""
    return [hash(way) % _CIRCLE for way in routes.entries]


class VerifySample:
    """What is looked up, look after look."""

    def __init__(self, interval_s: float, start: float = 0.0) -> None:
        """`interval_s` lies between two looks; `start`, from 0 to 1, is where to begin among the routes."""
        self.interval_s = interval_s
        self._at = int(start * _CIRCLE) % _CIRCLE
        self._neighbors_at = self._at
        self._readings: dict[TableId, _Reading] = {}
        self._waiting: dict[RoutePlace, None] = {}
        """What was wrong, and what has changed and was not looked up yet, in the order in which it is."""
        self._turn: list[RoutePlace] = []
        """What was chosen of all others, in order."""
        self._next_at = self._at

    def routes(self, tables: Mapping[TableId, Routes], own: Collection[RoutePlace] = ()) -> list[RoutePlace]:
        """Return the prefixes to look up, in this order; `tables` has what Linux has now, and may lack some of them.

        Those of files, `own`, are looked up each time.
        """
        total = sum(len(routes.by_prefix) for routes in tables.values())
        room = room_for(total, self.interval_s)
        self._note_changes(tables)
        chosen = dict.fromkeys(islice(chain(self._waiting, own), max(1, room // 2)))
        size = min(_CIRCLE, _CIRCLE * max(0, room - len(chosen)) // max(1, total))
        turn = sorted(
            (distance, (table, prefix))
            for table, routes in tables.items()
            for prefix in routes.by_prefix
            if (distance := (crc32(prefix, table.number) - self._at) % _CIRCLE) < size
        )
        self._turn, self._next_at = [place for _, place in turn], self._at + size
        return list(chosen | dict.fromkeys(self._turn))

    def note(self, looked_up: Collection[RoutePlace], wrong: Iterable[RoutePlace]) -> None:
        """Go on behind what was `looked_up`, which may be less than was chosen, and begin with what was `wrong`."""
        left = next((place for place in self._turn if place not in looked_up), None)
        for place in looked_up:
            self._waiting.pop(place, None)
        self._waiting = dict.fromkeys(wrong) | self._waiting
        self._at = (self._next_at if left is None else crc32(left[1], left[0].number)) % _CIRCLE

    def neighbors(self, known: Collection[tuple[str, str]]) -> list[tuple[str, str]]:
        """Return those of Linux's neighbours, by interface and address, that have their turn."""
        size = min(_CIRCLE, _CIRCLE * MOST_NEIGHBORS // max(1, len(known)))
        at, self._neighbors_at = self._neighbors_at, (self._neighbors_at + size) % _CIRCLE
        return sorted(each for each in known if (crc32("\0".join(each).encode()) - at) % _CIRCLE < size)

    def _note_changes(self, tables: Mapping[TableId, Routes]) -> None:
        nothing = Routes(entries=[], by_prefix={})
        for table, before in self._readings.items():
            changed = islice(before.changes(tables.get(table, nothing)), max(0, _MOST_WAITING - len(self._waiting)))
            self._waiting.update(dict.fromkeys((table, prefix) for prefix in changed))
        self._readings = {table: _Reading(routes) for table, routes in tables.items()}


def by_table(places: Iterable[RoutePlace]) -> dict[TableId, list[bytes]]:
    """Return prefixes by their table."""
    found: dict[TableId, list[bytes]] = {}
    for table, prefix in places:
        found.setdefault(table, []).append(prefix)
    return found


def picked(routes: Routes, prefixes: Iterable[bytes]) -> Routes:
    """Return those of a table's routes whose prefixes are named, as far as there are any."""
    known = routes.by_prefix
    return Routes(entries=routes.entries, by_prefix={prefix: known[prefix] for prefix in prefixes if prefix in known})


def lengths_of(routes: Routes) -> dict[int, int]:
    """Return how many routes of each length linux-nl is to copy."""
    counts: dict[int, int] = {}
    for prefix, place in routes.by_prefix.items():
        if not routes.entries[place].uncopied_reason:
            counts[prefix[-1]] = counts.get(prefix[-1], 0) + 1
    return counts
