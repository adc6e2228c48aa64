"""What may be a name, and patterns made of names."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vppcfg.entries.names import (
    glob_of,
    is_dhcp_hostname,
    is_glob,
    is_interface_name,
    is_lcp_name,
    is_netns_name,
    is_sub_id,
)
from vppcfg.model.ownership import NameGlobs

NOT_TEXT: list[Any] = [None, 5, 1.5, True, [], {}, b"eth0"]


@pytest.mark.parametrize(
    "name", ["eth0", "TenGigabitEthernet1/0/0", "HundredGigabitEthernet0/a/0/0", "memif0/0", "host-eth0.100", "x" * 63]
)
def test_what_vpp_calls_interfaces_is_a_name(name: str) -> None:
    assert is_interface_name(name)


@pytest.mark.parametrize(
    "name", ["", " ", "a b", "a\n", "eth0 ", "-x", "/x", "a{b", "a$", "a#b", "ünï", "x" * 64, *NOT_TEXT]
)
def test_other_things_are_no_interface_name(name: Any) -> None:
    assert not is_interface_name(name)


@pytest.mark.parametrize("name", ["r", "9", "ams-1.example.net", "x" * 63])
def test_what_a_dhcp_client_may_be_called(name: str) -> None:
    assert is_dhcp_hostname(name)


@pytest.mark.parametrize("name", ["", "-r", ".r", "r_1", "r 1", "r\n", "ü", "x" * 64, *NOT_TEXT])
def test_what_a_dhcp_client_may_not_be_called(name: Any) -> None:
    assert not is_dhcp_hostname(name)


@pytest.mark.parametrize("name", ["e", "e0", "be0.100", "loop-0", "Ethernet0", "PortChannel1", "x" * 15])
def test_linux_names_of_lcps(name: str) -> None:
    assert is_lcp_name(name)


@pytest.mark.parametrize("name", ["", "0e", ".e", "e 0", "e/0", "e0\n", "x" * 16, *NOT_TEXT])
def test_other_things_are_no_lcp_name(name: Any) -> None:
    assert not is_lcp_name(name)


@pytest.mark.parametrize("name", ["dataplane", "ns_1", "1", "x" * 31])
def test_network_namespaces(name: str) -> None:
    assert is_netns_name(name)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a b", "-n", "x" * 32, *NOT_TEXT])
def test_other_things_are_no_namespace(name: Any) -> None:
    assert not is_netns_name(name)


@pytest.mark.parametrize(("value", "expected"), [(1, True), (4294967295, True), (0, False), (-1, False)])
def test_sub_interface_ids_have_32_bits(value: int, expected: bool) -> None:
    assert is_sub_id(value) is expected


@pytest.mark.parametrize("value", [4294967296, True, "100", 1.0, None])
def test_other_things_are_no_sub_interface_id(value: Any) -> None:
    assert not is_sub_id(value)


@given(name=st.text(min_size=1, max_size=20))
def test_the_glob_of_a_name_can_stand_in_a_file_and_matches_it(name: str) -> None:
    assert is_glob(glob_of(name))
    assert NameGlobs([glob_of(name)]).matches(name)


@given(name=st.text(alphabet="ab*?[]!-/.", min_size=1, max_size=6), other=st.text(alphabet="ab*?[]!-/.", max_size=6))
def test_the_glob_of_a_printable_name_matches_nothing_else(name: str, other: str) -> None:
    assert NameGlobs([glob_of(name)]).matches(other) == (name == other)
