"""Builds the bytes of a simulated VPP's stats segment from counters (vlib/stats/shared.h, vppinfra/vec_bootstrap.h).

Vectors are given by thread: `[[0, 7], [0, 9]]` are two places of a simple counter on two threads, pairs in their stead
those of a combined one. A symlink is a `Link`, which names a counter and a place in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import Struct, pack
from typing import NamedTuple

VERSION = 2
_BASE = 0x1000_0000_0000
"""Where VPP would have the segment in its own memory: pointers in it count from there."""
_HEADER = Struct("<5Q")
_ENTRY = Struct("<I4xQ128s")
_LENGTH = Struct("<QQ")
"""What stands before a vector; the length is in the lower half of its last eight bytes."""
_ALIGNED = 16
_SPARE_BYTES = 64
_SCALAR, _SIMPLE, _COMBINED, _NAMES, _SYMLINK = 1, 2, 3, 4, 6


class Link(NamedTuple):
    """A name for one place of a simple counter."""

    target: str
    place: int


class Zeros(NamedTuple):
    """So many places of a combined counter on each of so many threads, where nothing was counted."""

    places: int
    threads: int = 1


SimpleRows = Sequence[Sequence[int]]
CombinedRows = Sequence[Sequence[tuple[int, int]]]
Value = int | Link | Zeros | Sequence[str] | SimpleRows | CombinedRows


def segment_of(counters: Mapping[str, Value], *, epoch: int = 1, is_changing: bool = False) -> bytes:
    """Return the segment that holds `counters`; while it `is_changing`, no client takes what it reads."""
    image = _Image()
    places = {name: place for place, name in enumerate(counters)}
    entries = [_ENTRY.pack(*image.entry(value, places), name.encode()) for name, value in counters.items()]
    return image.finished(image.vector(len(entries), b"".join(entries)), epoch, is_changing=is_changing)


class _Image:
    """The bytes of a segment while it is made."""

    def __init__(self) -> None:
        self._data = bytearray(_HEADER.size)

    def vector(self, length: int, content: bytes) -> int:
        """Add a vector of `length` elements and return its address."""
        self._data += bytes(-len(self._data) % _ALIGNED) + _LENGTH.pack(0, length)
        address = _BASE + len(self._data)
        self._data += content
        return address

    def entry(self, value: Value, places: Mapping[str, int]) -> tuple[int, int]:
        """Add what a directory's entry leads to, and return its type and value."""
        if isinstance(value, int):
            return _SCALAR, value
        if isinstance(value, Link):
            return _SYMLINK, value.place << 32 | places[value.target]
        if isinstance(value, Zeros):
            return _COMBINED, self._pointers([self.vector(value.places, bytes(16 * value.places))] * value.threads)
        if value and all(isinstance(each, str) for each in value):
            return _NAMES, self._names([str(each) for each in value])
        return self._rows(value)

    def _names(self, names: Sequence[str]) -> int:
        texts = [name.encode(errors="surrogateescape") + b"\0" for name in names]
        return self._pointers([self.vector(len(text), text) for text in texts])

    def _pointers(self, pointers: Sequence[int]) -> int:
        return self.vector(len(pointers), pack(f"<{len(pointers)}Q", *pointers))

    def _rows(self, rows: Sequence[object]) -> tuple[int, int]:
        """Add the counters of each thread."""
        pointers, kind = [], _SIMPLE
        for row in rows:
            assert isinstance(row, Sequence)
            numbers = [number for each in row for number in (each if isinstance(each, tuple) else (each,))]
            kind = _COMBINED if len(numbers) > len(row) else kind
            pointers.append(self.vector(len(row), pack(f"<{len(numbers)}Q", *numbers)))
        return kind, self._pointers(pointers)

    def finished(self, directory: int, epoch: int, *, is_changing: bool) -> bytes:
        """Return the segment whose directory is at the address `directory`."""
        _HEADER.pack_into(self._data, 0, VERSION, _BASE, epoch, int(is_changing), directory)
        return bytes(self._data) + bytes(_SPARE_BYTES)
