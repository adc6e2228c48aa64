"""The address index against VPP's own rule, written out the slow way."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vppcfg.model.address import AddressIndex, address_key

HOSTS4 = st.builds(
    lambda value, length: f"{ipaddress.IPv4Address(value)}/{length}", st.integers(0, 31), st.integers(27, 32)
)
HOSTS6 = st.builds(
    lambda value, length: f"{ipaddress.IPv6Address(value)}/{length}", st.integers(0, 31), st.integers(123, 128)
)
ENTRIES = st.lists(st.tuples(st.sampled_from(["a", "b"]), st.one_of(HOSTS4, HOSTS6), st.booleans()), max_size=25)


def conflicts(owner: str, address: str, other_owner: str, other: str) -> bool:
    """Tell whether VPP refuses `address` while the other one is there (vnet/ip/ip4_forward.c)."""
    mine, theirs = ipaddress.ip_interface(address), ipaddress.ip_interface(other)
    if mine.version != theirs.version or not mine.network.overlaps(theirs.network):
        return False
    is_neighbour = owner == other_owner and mine.network == theirs.network and mine.ip != theirs.ip
    return not is_neighbour


@given(entries=ENTRIES)
def test_the_index_finds_the_conflicts_that_vpp_finds(entries: list[tuple[str, str, bool]]) -> None:
    index = AddressIndex()
    present: list[tuple[str, str]] = []
    for owner, address, is_removal in entries:
        if is_removal and present:
            index.remove(present.pop(0)[1])
        is_conflict = any(conflicts(owner, address, *other) for other in present)
        assert (index.conflict(owner, address) is not None) == is_conflict
        if not is_conflict:
            index.add(owner, address)
            present.append((owner, address))


def test_addresses_sort_by_family_then_value() -> None:
    shuffled = ["2001:db8::1/64", "10.0.10.1/24", "::1/128", "10.0.2.1/24", "9.0.0.1/8"]
    assert sorted(shuffled, key=address_key) == [
        "9.0.0.1/8",
        "10.0.2.1/24",
        "10.0.10.1/24",
        "::1/128",
        "2001:db8::1/64",
    ]


@pytest.mark.parametrize("text", ["", "vppcfg", "10.0.0.1", "10.0.0.256/24", "::g/64", "10.0.0.1/x"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        address_key(text)
