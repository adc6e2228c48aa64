"""Addresses, prefixes and hosts: every form that people write, canonical text, order and conflicts."""

from __future__ import annotations

import ipaddress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vppcfg.common.addresses import AddressIndex, address_key, canonical_address, is_unicast

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


@pytest.mark.parametrize("text", ["", "vppcfg", "10.0.0.1", "10.0.0.256/24", "::g/64", "10.0.0.1/x"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        address_key(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("192.0.2.1/24", "192.0.2.1/24"), ("192.0.2.1/024", "192.0.2.1/24"), ("192.0.2.1", "192.0.2.1/32")),
        *(("192.0.2.1/255.255.255.0", "192.0.2.1/24"), ("0.0.0.0/0", "0.0.0.0/0")),
        *(("2001:DB8:0:0::1/64", "2001:db8::1/64"), ("2001:db8::0001/64", "2001:db8::1/64")),
        *(("2001:db8:0:1:0:0:0:1/64", "2001:db8:0:1::1/64"), ("2001:db8:0:1:1:1:1:1/64", "2001:db8:0:1:1:1:1:1/64")),
        *(("::/0", "::/0"), ("::1", "::1/128"), ("2001:db8::192.0.2.1/96", "2001:db8::c000:201/96")),
        ("::192.0.2.1/96", "::c000:201/96"),
    ],
)
def test_an_address_becomes_canonical(text: str, expected: str) -> None:
    assert canonical_address(text) == expected
    assert canonical_address(expected) == expected


@pytest.mark.parametrize(
    "value",
    [
        "", "/", "/24", "192.0.2.1/", "192.0.2.1/33", "192.0.2.1/-1", "192.0.2.1/ 24", " 192.0.2.1/24", "192.0.2.1/24 ",
        "192.0.2/24", "192.0.2.256/24", "192.0.2.01/24", "192.0.2.1/24/24", "192.0.2.1/2a", "192.0.2.1/\u00b2",
        "192.0.2.1/1000", "0xc0000201/24", "3221225985", "2001:db8::1/129", "2001:db8:::1/64", "fe80::1%eth0/64",
        "fe80::1%eth0", "eth0", "192.0.2.1/255.0.255.0", "2001:db8::1/ffff::", "192.0.2.1\n/24", "192.0.2.1\0/24",
        5, 10.5, None, True, b"192.0.2.1/24", [], {},
    ],
)  # fmt: skip
def test_what_is_no_address_is_none(value: Any) -> None:
    assert canonical_address(value) is None


@given(value=st.integers(0, 2**32 - 1), length=st.integers(0, 32))
def test_any_ip4_address_is_read(value: int, length: int) -> None:
    text = f"{ipaddress.IPv4Address(value)}/{length}"
    assert canonical_address(text) == text


@given(value=st.integers(0, 2**128 - 1), length=st.integers(0, 128), is_long=st.booleans())
def test_any_ip6_address_is_read_in_any_spelling(value: int, length: int, is_long: bool) -> None:
    address = ipaddress.IPv6Address(value)
    text = f"{address.exploded.upper() if is_long else address.compressed}/{length}"
    canonical = canonical_address(text)
    assert canonical is not None
    assert ipaddress.IPv6Interface(canonical) == ipaddress.IPv6Interface(text)
    assert canonical_address(canonical) == canonical


@given(text=st.text(alphabet="0123456789abcdef.:/% ", max_size=20))
def test_nothing_is_an_address_that_the_standard_library_does_not_know(text: str) -> None:
    canonical = canonical_address(text)
    if canonical is not None:
        assert ipaddress.ip_interface(canonical) == ipaddress.ip_interface(text)


@pytest.mark.parametrize("address", ["224.0.0.1", "239.1.1.1", "0.0.0.0", "255.255.255.255", "::", "ff02::1"])
def test_what_is_nobody_s(address: str) -> None:
    assert not is_unicast(address)


@pytest.mark.parametrize("address", ["192.0.2.1", "127.0.0.1", "2001:db8::1", "fe80::1"])
def test_what_a_host_may_have(address: str) -> None:
    assert is_unicast(address)
