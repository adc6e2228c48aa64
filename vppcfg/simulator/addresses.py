"""IP addresses of a simulated VPP by interface and FIB table, linked as VPP links them, with a search for overlaps.

VPP keeps a chain of addresses per interface and the head of each chain (vnet/ip/ip_interface.c). An interface that
borrows addresses has the head of its donor's chain: what is added to it then lands there, and what it had before is
in no chain but still taken.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from dataclasses import dataclass

from vppcfg.record import record
from vppcfg.simulator.pool import Pool
from vppcfg.simulator.wire import NONE


@record
class Assigned:
    """An address that an interface has."""

    sw_if_index: int
    address: int
    length: int


@dataclass(slots=True, kw_only=True)
class _Link:
    """An address in its chain (ip_interface_address_t)."""

    index: int
    assigned: Assigned
    table: int
    previous: int = NONE
    next: int = NONE


class _Fib:
    """The addresses of one FIB table."""

    def __init__(self) -> None:
        self.owners: dict[int, _Link] = {}
        self.ascending: list[int] = []
        self.lengths: dict[int, int] = {}
        """How many addresses have each prefix length."""
        self.by_network: dict[tuple[int, int], dict[int, _Link]] = {}
        """Addresses by prefix length and network."""


class AddressBook:
    """The addresses of one family, which has `bits` bits."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self._fibs: dict[int, _Fib] = {}
        self._links: Pool[_Link] = Pool()
        self._heads: dict[int, int] = {}
        self._holders: dict[int, set[int]] = {}
        """Interfaces by the head of their chain."""
        self._tails: dict[int, int] = {}
        """End of each chain by its head, as long as nothing was ever borrowed."""
        self._borrowers: set[int] = set()
        self._has_ever_lent = False
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

    def bound_to(self, table: int) -> int:
        """Return how many interfaces are in a FIB table other than 0."""
        return sum(each == table for each in self._table_of.values())

    def borrow(self, borrower: int, donor: int) -> None:
        """Give an interface the chain of another (vnet_sw_interface_update_unnumbered)."""
        self._has_ever_lent = True
        self._borrowers.add(borrower)
        self._set_head(borrower, self._heads.get(donor, NONE))

    def stop_borrowing(self, borrower: int) -> None:
        """Leave an interface without any chain."""
        self._borrowers.discard(borrower)
        self._set_head(borrower, NONE)

    def of(self, sw_if_index: int) -> Iterator[Assigned]:
        """Return the addresses in an interface's chain, the oldest first; none while it borrows."""
        return iter([link.assigned for link in self._chain(sw_if_index)])

    def shows(self, sw_if_index: int) -> bool:
        """Return whether an interface has a chain of addresses, its own or what it borrowed once."""
        return self._heads.get(sw_if_index, NONE) != NONE

    def find(self, table: int, address: int) -> Assigned | None:
        """Return who has `address` in a FIB table."""
        fib = self._fibs.get(table)
        link = fib.owners.get(address) if fib is not None else None
        return link.assigned if link is not None else None

    def conflict(self, sw_if_index: int, address: int, length: int) -> Assigned | None:
        """Return the first address that keeps this one from being added, by ip4_add_del_interface_address's rule.

        Prefixes may not contain each other, but one interface may have several addresses of one prefix. The first is
        the oldest one on the interface with the lowest index, which is named even when another one added the address.
        """
        fib = self._fibs.get(self.table_of(sw_if_index))
        if fib is None:
            return None
        found: dict[int, set[int]] = {}
        for link in self._overlapping(fib, address, length):
            for holder in self._who_shows(link):
                if (holder, link.assigned.length) != (sw_if_index, length) or link.assigned.address == address:
                    found.setdefault(holder, set()).add(link.index)
        if not found:
            return None
        first = min(found)
        link = next(link for link in self._chain(first) if link.index in found[first])
        return Assigned(sw_if_index=first, address=link.assigned.address, length=link.assigned.length)

    def add(self, assigned: Assigned) -> None:
        """Put an address at the end of its interface's chain; `conflict` has looked whether that may be."""
        owner, table = assigned.sw_if_index, self.table_of(assigned.sw_if_index)
        head = self._heads.get(owner, NONE)
        tail = self._tail(head)
        link = self._links.add(lambda index: _Link(index=index, assigned=assigned, table=table, previous=tail))
        end = self._links.stale(tail) if tail != NONE else None
        if end is not None:
            end.next = link.index
        if head == NONE:
            self._set_head(owner, link.index)
        self._tails[link.index if head == NONE else head] = link.index
        self._index(link)

    def remove(self, assigned: Assigned) -> None:
        """Forget an address.

        Only the chain of the interface that owns it follows, as in ip_interface_address_del.
        """
        fib = self._fibs[self.table_of(assigned.sw_if_index)]
        link = fib.owners[assigned.address]
        before, after = self._links.stale(link.previous), self._links.stale(link.next)
        head, tail = self._heads.get(assigned.sw_if_index, NONE), self._tails.pop(link.index, NONE)
        if before is not None:
            before.next = link.next
        if after is not None:
            after.previous = link.previous
        if link.previous == NONE:
            self._set_head(assigned.sw_if_index, link.next)
            if link.next != NONE:
                self._tails[link.next] = tail
        elif self._tails.get(head) == link.index:
            self._tails[head] = link.previous
        self._unindex(fib, link)
        self._links.remove(link.index)

    def _chain(self, sw_if_index: int) -> Iterator[_Link]:
        position = NONE if sw_if_index in self._borrowers else self._heads.get(sw_if_index, NONE)
        while position != NONE:
            link = self._links.stale(position)
            if link is None:
                return
            yield link
            position = link.next

    def _tail(self, head: int) -> int:
        if head == NONE or not self._has_ever_lent:
            return self._tails.get(head, NONE)
        link = self._links.stale(head)
        while link is not None and link.next != NONE:
            link = self._links.stale(link.next)
        return link.index if link is not None else NONE

    def _set_head(self, sw_if_index: int, head: int) -> None:
        old = self._heads.pop(sw_if_index, NONE)
        if old != NONE:
            self._holders[old].discard(sw_if_index)
            if not self._holders[old]:
                del self._holders[old]
        if head != NONE:
            self._heads[sw_if_index] = head
            self._holders.setdefault(head, set()).add(sw_if_index)

    def _who_shows(self, link: _Link) -> set[int]:
        """Return the interfaces whose chain contains an address."""
        if not self._has_ever_lent:
            return {link.assigned.sw_if_index}
        holders = set()
        position: _Link | None = link
        while position is not None:
            holders |= self._holders.get(position.index, set())
            position = self._links.stale(position.previous) if position.previous != NONE else None
        return holders - self._borrowers

    def _overlapping(self, fib: _Fib, address: int, length: int) -> Iterator[_Link]:
        for known in fib.lengths:
            if known < length:
                yield from fib.by_network.get((known, address >> (self.bits - known)), {}).values()
        size = 1 << max(0, self.bits - length)
        first = address & ~(size - 1)
        position = bisect_left(fib.ascending, first)
        while position < len(fib.ascending) and fib.ascending[position] < first + size:
            yield fib.owners[fib.ascending[position]]
            position += 1

    def _index(self, link: _Link) -> None:
        fib = self._fibs.setdefault(link.table, _Fib())
        assigned = link.assigned
        fib.owners[assigned.address] = link
        insort(fib.ascending, assigned.address)
        fib.lengths[assigned.length] = fib.lengths.get(assigned.length, 0) + 1
        fib.by_network.setdefault(self._network(assigned), {})[assigned.address] = link

    def _unindex(self, fib: _Fib, link: _Link) -> None:
        assigned = link.assigned
        del fib.owners[assigned.address]
        del fib.ascending[bisect_left(fib.ascending, assigned.address)]
        fib.lengths[assigned.length] -= 1
        if not fib.lengths[assigned.length]:
            del fib.lengths[assigned.length]
        network = self._network(assigned)
        del fib.by_network[network][assigned.address]
        if not fib.by_network[network]:
            del fib.by_network[network]

    def _network(self, assigned: Assigned) -> tuple[int, int]:
        return assigned.length, assigned.address >> (self.bits - assigned.length)
