"""Reads a VPP's stats segment: directory, scalars, counters and names (vlib/stats/shared.h, layout 2).

The segment is read with pread(2) and never mapped: memory that its owner shortens would end a process that has mapped
it with SIGBUS. Lengths and addresses come from VPP and are held against the size of the segment before they are used.
"""

from __future__ import annotations

import os
import select
import socket
import struct
import time
from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import NamedTuple, Self, TypeVar

from vppcfg.common.bounds import (
    SEGMENT_BYTES,
    SEGMENT_COUNTERS,
    SEGMENT_ENTRIES,
    SEGMENT_NAME_BYTES,
    SEGMENT_NAMES,
    SEGMENT_VECTOR_BYTES,
)
from vppcfg.errors import DataplaneError
from vppcfg.vpp.unixsocket import pid_of_peer

T = TypeVar("T")
SIMPLE, COMBINED, NAMES, SYMLINK = 2, 3, 4, 6
SCALARS = frozenset({1, 9})
"""stat_directory_type_t: a number in the directory itself, a gauge since 25.10."""
VECTORS = frozenset({SIMPLE, COMBINED, NAMES})
HINT = "is VPP running? statseg { socket-name FILE } in startup.conf names the socket, --stats-socket another path"
_HEADER = struct.Struct("<5Q")
_ENTRY = struct.Struct("<I4xQ128s")
"""vlib_stats_entry_t: type, value or address or the two halves of a symlink, name."""
_ENTRY_HEAD = struct.Struct("<I4xQ")
_NAME_AT, _HEAD_BYTES = _ENTRY_HEAD.size, 8
_POINTER = struct.Struct("<Q")
_LENGTH = struct.Struct("<I")
_BEFORE = 8
"""Bytes before a vector at which its length stands (vppinfra/vec_bootstrap.h)."""
_SUPPORTED = 2
_CHUNK = 4096
"""Entries of the directory that are read at a time."""
_SEARCHED = 1 << 15
"""Entries among which single names are looked for: what VPP makes as it starts, and not with an interface or node."""
_SHORT_NAME = 56
_PATIENCE_S = 1.0
_PAUSE_S = 0.0005
_TRIES = 20
_LEAST_TRIES = 3
"""Though patience is at its end: a machine may be slow."""
_CONNECT_S = 5.0


class SegmentError(ValueError):
    """What is read is no stats segment, or VPP changes it at this moment."""


class TooLargeError(DataplaneError):
    """There is more in a segment than is read; trying again would not change that."""

    def __init__(self, path: str, what: str) -> None:
        super().__init__(f"VPP's stats segment at {path} is not read: {what}", "is it VPP's? report it if it is")


class DirectoryEntry(NamedTuple):
    """What the directory holds of one name."""

    place: int
    type: int
    value: int
    """A symlink's target (low half) and place there (high half); of others it is read again when it is asked for."""


class Segment:
    """One VPP's stats segment; a context manager that lets go of it."""

    def __init__(self, path: str, wanted: Sequence[str] = ("",), *, only: Collection[str] = ()) -> None:
        """Take the segment behind the socket `path`; only names that begin with one of `wanted` are looked at.

        With `only`, it is those names, of what VPP has had since it started: that is quick in a large directory. Raise
        DataplaneError.
        """
        self.path = path
        self._wanted = tuple(wanted)
        self._only = frozenset(name.encode() for name in only)
        self._directory: dict[str, DirectoryEntry] = {}
        self._slots: dict[int, str] = {}
        self._names: dict[str, list[str]] = {}
        self._known_epoch = -1
        self._left = 0
        """Bytes that may still be read in this reading."""
        try:
            self._fd, self._process = _received(path)
        except OSError as error:
            raise unreachable(path, error) from error
        try:
            self._size = os.fstat(self._fd).st_size
            self._socket = _identity(path)
            self.read(lambda: None)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the memory; safe to call twice."""
        for name in ("_fd", "_process"):
            if (descriptor := getattr(self, name, None)) is not None:
                os.close(descriptor)
                setattr(self, name, None)

    def is_current(self) -> bool:
        """Return whether the VPP that owns this memory still runs, as far as its process or socket shows."""
        if self._process is not None and select.select([self._process], [], [], 0)[0]:
            return False
        return self._socket == _identity(self.path)

    def read(self, function: Callable[[], T]) -> T:
        """Return what `function` reads while VPP leaves the directory alone. Raise DataplaneError.

        VPP counts an epoch whenever it changes the directory, and marks that it does (vlib_stats_segment_lock).
        """
        problem: Exception = SegmentError("VPP changes it all the time")
        deadline = time.monotonic() + _PATIENCE_S
        for tried in range(_TRIES):
            if tried >= _LEAST_TRIES and time.monotonic() > deadline:
                break
            self._left = SEGMENT_BYTES
            try:
                epoch = self._epoch(deadline)
                self._learn(epoch)
                found = function()
                if self._epoch(deadline) == epoch:
                    return found
            except TooLargeError:
                raise
            except (SegmentError, struct.error, OSError, MemoryError, OverflowError) as error:
                problem = error
            self._known_epoch = -1
            time.sleep(_PAUSE_S)
        text = f"what {self.path} gives is not VPP's stats segment ({problem})"
        raise DataplaneError(text, HINT) from problem

    @property
    def names(self) -> Mapping[str, DirectoryEntry]:
        """Return the directory, as far as it is wanted; symlinks too."""
        return self._directory

    def scalar(self, name: str) -> int:
        """Return a number, summed over threads where it is a place in a counter; 0 for what this VPP lacks."""
        entry = self._directory.get(name)
        if entry is None:
            return 0
        if entry.type in SCALARS:
            return self._value(name, SCALARS)
        if entry.type == SYMLINK:
            target, place = entry.value & 0xFFFFFFFF, entry.value >> 32
            return sum(row[place] for row in self.simple(self._slots.get(target, "")) if place < len(row))
        return sum(sum(row) for row in self.simple(name))

    def simple(self, name: str) -> Iterator[array[int]]:
        """Yield the counters of each thread as they are read; none where this VPP lacks them."""
        return self._rows(name, SIMPLE, 1)

    def combined(self, name: str) -> Iterator[array[int]]:
        """Yield packets and bytes in turn, of each thread as they are read; none where this VPP lacks them."""
        return self._rows(name, COMBINED, 2)

    def length(self, name: str) -> int:
        """Return how many places a counter or a vector of names has, 0 where this VPP lacks it; none is read."""
        entry = self._directory.get(name)
        if entry is None or not (address := self._value(name, VECTORS)):
            return 0
        if entry.type != NAMES:
            (address,) = _POINTER.unpack(self._bytes(address - self._base, _POINTER.size))
        return self._length(address) if address else 0

    def strings(self, name: str) -> list[str]:
        """Return a vector of names, '' for places that are empty; none where this VPP lacks it."""
        known = self._names.get(name)
        if known is None:
            known = self._names[name] = self._read_strings(name)
        return known

    def _epoch(self, deadline: float) -> int:
        """Return the present epoch when VPP changes nothing, and wait for that."""
        while True:
            version, self._base, epoch, in_progress, self._directory_at = _HEADER.unpack(self._bytes(0, _HEADER.size))
            if version != _SUPPORTED:
                raise SegmentError(f"its layout has version {version}, and {_SUPPORTED} is known")
            if not in_progress:
                return int(epoch)
            if time.monotonic() > deadline:
                raise SegmentError("VPP has locked it for a second")
            time.sleep(_PAUSE_S)

    def _learn(self, epoch: int) -> None:
        """Read the directory again when it has changed."""
        if epoch == self._known_epoch:
            return
        directory: dict[str, DirectoryEntry] = {}
        slots: dict[int, str] = {}
        for place, kind, value, raw in self._sought() if self._only else self._entries():
            name = raw.partition(b"\0")[0].decode(errors="surrogateescape")
            if name.startswith(self._wanted) and name:
                if len(directory) == SEGMENT_COUNTERS:
                    raise TooLargeError(self.path, f"its directory has more than {SEGMENT_COUNTERS:,} counters")
                directory[name] = DirectoryEntry(place, kind, value)
                slots[place] = name
        self._directory, self._slots, self._names = directory, slots, {}
        self._known_epoch = epoch

    def _entries(self) -> Iterator[tuple[int, int, int, bytes]]:
        """Yield the place, type, value and name of what is in the directory."""
        for first, data in self._chunks():
            for place, entry in enumerate(_ENTRY.iter_unpack(data), first):
                yield place, *entry

    def _sought(self) -> Iterator[tuple[int, int, int, bytes]]:
        """Yield the entries of the names alone that are sought, until the last one is found."""
        left = set(self._only)
        for first, data in self._chunks():
            heads = array("Q", data)[_NAME_AT // _HEAD_BYTES :: _ENTRY.size // _HEAD_BYTES].tobytes()
            for name in sorted(left):
                if (place := _place_of(name, data, heads)) is not None:
                    left.remove(name)
                    yield first + place, *_ENTRY.unpack_from(data, place * _ENTRY.size)
            if not left or first >= _SEARCHED:
                return

    def _chunks(self) -> Iterator[tuple[int, bytes]]:
        """Yield the directory in parts, each with the place of its first entry."""
        count = self._length(self._directory_at)
        if count > SEGMENT_ENTRIES:
            raise TooLargeError(
                self.path, f"its directory has {count:,} entries, and {SEGMENT_ENTRIES:,} are looked at"
            )
        start = self._directory_at - self._base
        for first in range(0, count, _CHUNK):
            number = min(_CHUNK, count - first)
            self._left += number * _ENTRY.size  # what is not wanted is not kept
            yield first, self._bytes(start + first * _ENTRY.size, number * _ENTRY.size)

    def _value(self, name: str, kinds: frozenset[int]) -> int:
        """Return the present value or address of an entry, 0 when it is missing or of another kind.

        Gauges, and vectors that grow, change without a new epoch.
        """
        entry = self._directory.get(name)
        if entry is None or entry.type not in kinds:
            return 0
        start = self._directory_at - self._base + entry.place * _ENTRY.size
        return int(_ENTRY_HEAD.unpack(self._bytes(start, _ENTRY_HEAD.size))[1])

    def _rows(self, name: str, kind: int, width: int) -> Iterator[array[int]]:
        address = self._value(name, frozenset({kind}))
        for pointer in self._vector(address, 1) if address else ():
            yield self._vector(pointer, width) if pointer else array("Q")

    def _vector(self, address: int, width: int) -> array[int]:
        """Return a vector of elements of `width` numbers of 64 bits."""
        numbers = array("Q")
        size = self._length(address) * width * numbers.itemsize
        if size > SEGMENT_VECTOR_BYTES:
            raise TooLargeError(self.path, f"a counter of one thread has {size >> 20} MB")
        numbers.frombytes(self._bytes(address - self._base, size))
        return numbers

    def _length(self, address: int) -> int:
        return int(_LENGTH.unpack(self._bytes(address - self._base - _BEFORE, _LENGTH.size))[0])

    def _read_strings(self, name: str) -> list[str]:
        if (count := self.length(name)) > SEGMENT_NAMES:
            raise TooLargeError(self.path, f"{name} has {count:,} names, and {SEGMENT_NAMES:,} are read")
        address = self._value(name, frozenset({NAMES}))
        return [self._string(pointer) if pointer else "" for pointer in self._vector(address, 1)] if address else []

    def _string(self, address: int) -> str:
        start = address - self._base - _BEFORE
        data = self._bytes(start, min(_BEFORE + _SHORT_NAME, self._size - start))
        length = _LENGTH.unpack_from(data)[0]
        if length > SEGMENT_NAME_BYTES:
            raise SegmentError(f"a name in it has {length} bytes")
        if _BEFORE + length > len(data):
            data = self._bytes(start, _BEFORE + length)
        return data[_BEFORE : _BEFORE + length].partition(b"\0")[0].decode(errors="surrogateescape")

    def _bytes(self, start: int, size: int) -> bytes:
        if not 0 <= start <= self._size - size:
            raise SegmentError("an address in it leads outside")
        self._left -= size
        if self._left < 0:
            raise TooLargeError(self.path, f"its counters have more than {SEGMENT_BYTES >> 20} MB")
        data = os.pread(self._fd, size, start)
        if len(data) != size:
            raise SegmentError("it is shorter than it was")
        return data


def _place_of(name: bytes, entries: bytes, heads: bytes) -> int | None:
    """Return the place of the entry of a name among entries, None when it is not among them.

    `heads` has the first eight bytes of all names: few bytes, in which the others are soon told apart.
    """
    sought, head, at = name + b"\0", name[:_HEAD_BYTES].ljust(_HEAD_BYTES, b"\0"), -1
    while (at := heads.find(head, at + 1)) >= 0:
        place, rest = divmod(at, _HEAD_BYTES)
        if not rest and entries.startswith(sought, place * _ENTRY.size + _NAME_AT):
            return place
    return None


def unreachable(path: str, error: OSError) -> DataplaneError:
    """Return the error for a socket that gives no segment."""
    return DataplaneError(f"cannot read VPP's statistics at {path}: {error.strerror or error}", HINT)


def _received(path: str) -> tuple[int, int | None]:
    """Return the descriptor of the segment, and one of VPP's process where that is visible here."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
        sock.settimeout(_CONNECT_S)
        sock.connect(path)
        received = socket.recv_fds(sock, 1, 1)[1]
        if not received:
            raise ConnectionError("it hands out no memory")
        try:
            return received[0], _process(sock)
        except BaseException:
            os.close(received[0])
            raise


def _process(sock: socket.socket) -> int | None:
    pid = pid_of_peer(sock)
    with suppress(OSError):
        return os.pidfd_open(pid) if pid else None
    return None


def _identity(path: str) -> tuple[int, int, int] | None:
    """Return what distinguishes a socket from one that another VPP has put in its place."""
    with suppress(OSError):
        status = os.stat(path)
        return status.st_dev, status.st_ino, status.st_ctime_ns
    return None
