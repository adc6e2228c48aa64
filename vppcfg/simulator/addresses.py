"""IP addresses per interface and FIB table, in VPP's order of insertion, indexed for the search of overlaps."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Assigned:
    """An address that an interface has."""

    sw_if_index: int
    address: int
    length: int


class _Fib:
    """The addresses of one FIB table."""

    def __init__(self) -> None:
        self.owners: dict[int, Assigned] = {}
        self.ascending: list[int] = []
        self.lengths: dict[int, int] = {}
        """How many addresses have each prefix length."""
        self.by_network: dict[tuple[int, int], dict[int, Assigned]] = {}
        """Addresses by prefix length and network."""


class AddressBook:
    """The addresses of one family, which has `bits` bits."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self._fibs: dict[int, _Fib] = {}
        self._by_interface: dict[int, dict[int, Assigned]] = {}
        self._table_of: dict[int, int] = {}

    def table_of(self, sw_if_index: int) -> int:
        """Return the FIB table id of an interface."""
        return self._table_of.get(sw_if_index, 0)

    def bind(self, sw_if_index: int, table: int) -> None:
        """Put an interface without addresses into a FIB table."""
        self._table_of[sw_if_index] = table

    def unbind(self, sw_if_index: int) -> None:
        """Put an interface back into FIB table 0."""
        self._table_of.pop(sw_if_index, None)

    def of(self, sw_if_index: int) -> Iterator[Assigned]:
        """Return the addresses of an interface, the oldest first."""
        return iter(list(self._by_interface.get(sw_if_index, {}).values()))

    def find(self, table: int, address: int) -> Assigned | None:
        """Return who has `address` in a FIB table."""
        fib = self._fibs.get(table)
        return fib.owners.get(address) if fib is not None else None

    def conflict(self, sw_if_index: int, address: int, length: int) -> Assigned | None:
        """Return the first address that keeps this one from being added, by ip4_add_del_interface_address's rule.

        Prefixes may not contain each other, but one interface may have several addresses of one prefix. The first is
        the oldest one on the interface with the lowest index.
        """
        fib = self._fibs.get(self.table_of(sw_if_index))
        if fib is None:
            return None
        found = {
            candidate.address: candidate
            for candidate in self._overlapping(fib, address, length)
            if (candidate.sw_if_index, candidate.length) != (sw_if_index, length) or candidate.address == address
        }
        if not found:
            return None
        first = min(candidate.sw_if_index for candidate in found.values())
        return next(assigned for assigned in self._by_interface[first].values() if assigned.address in found)

    def _overlapping(self, fib: _Fib, address: int, length: int) -> Iterator[Assigned]:
        for known in fib.lengths:
            if known < length:
                yield from fib.by_network.get((known, address >> (self.bits - known)), {}).values()
        size = 1 << max(0, self.bits - length)
        first = address & ~(size - 1)
        position = bisect_left(fib.ascending, first)
        while position < len(fib.ascending) and fib.ascending[position] < first + size:
            yield fib.owners[fib.ascending[position]]
            position += 1

    def add(self, assigned: Assigned) -> None:
        """Keep an address that is in nobody's way."""
        fib = self._fibs.setdefault(self.table_of(assigned.sw_if_index), _Fib())
        fib.owners[assigned.address] = assigned
        insort(fib.ascending, assigned.address)
        fib.lengths[assigned.length] = fib.lengths.get(assigned.length, 0) + 1
        fib.by_network.setdefault(self._network(assigned), {})[assigned.address] = assigned
        self._by_interface.setdefault(assigned.sw_if_index, {})[assigned.address] = assigned

    def remove(self, assigned: Assigned) -> None:
        """Forget an address."""
        fib = self._fibs[self.table_of(assigned.sw_if_index)]
        del fib.owners[assigned.address]
        del fib.ascending[bisect_left(fib.ascending, assigned.address)]
        fib.lengths[assigned.length] -= 1
        if not fib.lengths[assigned.length]:
            del fib.lengths[assigned.length]
        network = self._network(assigned)
        del fib.by_network[network][assigned.address]
        if not fib.by_network[network]:
            del fib.by_network[network]
        del self._by_interface[assigned.sw_if_index][assigned.address]

    def _network(self, assigned: Assigned) -> tuple[int, int]:
        return assigned.length, assigned.address >> (self.bits - assigned.length)
