"""Rows by index, in the order in which VPP gives indexes out again (vppinfra/pool.h)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Pool(Generic[T]):
    """Rows by index, as vppinfra/pool.h keeps them: the index freed last is given out first."""

    def __init__(self) -> None:
        self._rows: list[T] = []
        self._used: list[bool] = []
        self._free: list[int] = []

    def add(self, make: Callable[[int], T]) -> T:
        """Make a row for the next index and keep it."""
        if self._free:
            index = self._free.pop()
            row = self._rows[index] = make(index)
            self._used[index] = True
            return row
        row = make(len(self._rows))
        self._rows.append(row)
        self._used.append(True)
        return row

    def remove(self, index: int) -> None:
        """Free an index; what stood there can still be read with `stale`."""
        self._used[index] = False
        self._free.append(index)

    def get(self, index: int) -> T | None:
        """Return the row at `index`, None when it is free."""
        return self._rows[index] if self.has(index) else None

    def __getitem__(self, index: int) -> T:
        if not self.has(index):
            raise KeyError(index)
        return self._rows[index]

    def has(self, index: int) -> bool:
        """Return whether `index` is in use."""
        return index < len(self._used) and self._used[index]

    def stale(self, index: int) -> T | None:
        """Return what stands or last stood at `index`, as VPP reads it where it does not check."""
        return self._rows[index] if index < len(self._rows) else None

    def __iter__(self) -> Iterator[T]:
        return (row for row, used in zip(self._rows, self._used, strict=True) if used)

    def __len__(self) -> int:
        return len(self._rows) - len(self._free)

    @property
    def end(self) -> int:
        """Return one more than the highest index ever used."""
        return len(self._rows)
