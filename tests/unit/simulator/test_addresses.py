"""The index of addresses finds what a look at all of them finds."""

from __future__ import annotations

import ipaddress

from hypothesis import given
from hypothesis import strategies as st

from vppcfg.simulator.addresses import AddressBook, Assigned

ENTRIES = st.lists(
    st.tuples(st.integers(1, 3), st.integers(0, 255).map(lambda low: 0x0A000000 | low), st.integers(24, 32)),
    max_size=25,
)


def conflicts(held: list[Assigned], wanted: Assigned) -> bool:
    """Return what ip4_add_del_interface_address finds when it walks all addresses."""

    def covers(one: Assigned, address: int) -> bool:
        network = ipaddress.IPv4Network((one.address, one.length), strict=False)
        return ipaddress.IPv4Address(address) in network

    return any(
        (covers(one, wanted.address) or covers(wanted, one.address))
        and not (
            one.sw_if_index == wanted.sw_if_index and one.length == wanted.length and one.address != wanted.address
        )
        for one in held
    )


@given(entries=ENTRIES, removals=st.lists(st.integers(0, 24)))
def test_overlaps_are_found_as_by_comparing_all(entries: list[tuple[int, int, int]], removals: list[int]) -> None:
    book, held = AddressBook(32), list[Assigned]()
    for position, (index, address, length) in enumerate(entries):
        wanted = Assigned(sw_if_index=index, address=address, length=length)
        found = book.conflict(index, address, length)
        assert (found is not None) == conflicts(held, wanted)
        if found is None:
            book.add(wanted)
            held.append(wanted)
        if position in removals and held:
            book.remove(held.pop(0))
    assert [list(book.of(index)) for index in (1, 2, 3)] == [
        [one for one in held if one.sw_if_index == index] for index in (1, 2, 3)
    ]
