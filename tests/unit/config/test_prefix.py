"""Hosts and prefixes."""

from __future__ import annotations

from typing import Any

import pytest

from vppcfg.config.prefix import canonical_host, canonical_prefix, is_unicast


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("192.0.2.1", "192.0.2.1/32"),
        ("192.0.2.77/24", "192.0.2.0/24"),
        ("0.0.0.0/0", "0.0.0.0/0"),
        ("2001:DB8:0::1", "2001:db8::1/128"),
        ("2001:db8:ffff::1/32", "2001:db8::/32"),
        ("192.0.2.1/33", None),
        ("192.0.2", None),
        ("any", None),
        (5, None),
        (None, None),
    ],
)
def test_a_prefix_has_no_host_bits(text: Any, expected: str | None) -> None:
    assert canonical_prefix(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("192.0.2.1", "192.0.2.1"), ("2001:DB8:0::1", "2001:db8::1"), ("192.0.2.1/32", None), ("x", None), (5, None)],
)
def test_a_host_has_no_length(text: Any, expected: str | None) -> None:
    assert canonical_host(text) == expected


@pytest.mark.parametrize("address", ["224.0.0.1", "239.1.1.1", "0.0.0.0", "255.255.255.255", "::", "ff02::1"])
def test_what_is_nobody_s(address: str) -> None:
    assert not is_unicast(address)


@pytest.mark.parametrize("address", ["192.0.2.1", "127.0.0.1", "2001:db8::1", "fe80::1"])
def test_what_a_host_may_have(address: str) -> None:
    assert is_unicast(address)
