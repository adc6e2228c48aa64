"""Contract: DHCP relays: a source per table and family, servers as they come, and the tables that they hold."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.subject import Subject

Shown = tuple[int, str, list[tuple[int, str]]]


def relay(vpp: Subject, server: str, source: str, rx: int = 0, of: int = 0, *, is_add: bool = True) -> int:
    values: dict[str, Any] = {"rx_vrf_id": rx, "server_vrf_id": of, "dhcp_server": server, "dhcp_src_address": source}
    return int(vpp.api.dhcp_proxy_config(is_add=is_add, **values).retval)


def shown(vpp: Subject, *, is_ipv6: bool) -> list[Shown]:
    rows = vpp.api.dhcp_proxy_dump(is_ip6=is_ipv6)
    return [
        (
            row.rx_vrf_id,
            str(row.dhcp_src_address),
            [(each.server_vrf_id, str(each.dhcp_server)) for each in row.servers],
        )
        for row in rows
    ]


def tables(vpp: Subject) -> set[tuple[bool, int]]:
    return {(bool(row.table.is_ip6), row.table.table_id) for row in vpp.api.ip_table_dump()}


@pytest.fixture
def clean(vpp: Subject) -> Iterator[Subject]:
    """Return the VPP, and take out in the end what the tests put in."""
    yield vpp
    for rx in (0, 77):
        for of in (0, 77):
            for server in ("203.0.113.1", "203.0.113.2"):
                relay(vpp, server, "192.0.2.1", rx, of, is_add=False)
            relay(vpp, "2001:db8::5", "2001:db8::1", rx, of, is_add=False)


def test_the_source_is_that_of_the_first_server_until_the_last_one_goes(clean: Subject) -> None:
    assert relay(clean, "203.0.113.1", "192.0.2.1") == relay(clean, "203.0.113.2", "192.0.2.9") == 0
    assert relay(clean, "203.0.113.1", "192.0.2.1") == 0
    assert shown(clean, is_ipv6=False) == [(0, "192.0.2.1", [(0, "203.0.113.1"), (0, "203.0.113.2")])]
    assert relay(clean, "203.0.113.1", "192.0.2.7", is_add=False) == 0
    assert shown(clean, is_ipv6=False) == [(0, "192.0.2.1", [(0, "203.0.113.2")])]
    assert relay(clean, "203.0.113.9", "192.0.2.7", is_add=False) == 0
    assert relay(clean, "203.0.113.2", "192.0.2.7", is_add=False) == 0
    assert shown(clean, is_ipv6=False) == []
    assert relay(clean, "203.0.113.2", "192.0.2.9") == 0
    assert shown(clean, is_ipv6=False) == [(0, "192.0.2.9", [(0, "203.0.113.2")])]


def test_zeros_and_two_families_are_refused(clean: Subject) -> None:
    assert relay(clean, "0.0.0.0", "192.0.2.1") == -58
    assert relay(clean, "203.0.113.1", "0.0.0.0") == -57
    assert relay(clean, "203.0.113.1", "2001:db8::1") == -73
    assert shown(clean, is_ipv6=False) == shown(clean, is_ipv6=True) == []


def test_addresses_of_ipv6_are_shown_without_their_family(clean: Subject) -> None:
    """vpp_papi takes the first four bytes for an IPv4 address: 32.1.13.184 is 2001:0db8."""
    assert relay(clean, "2001:db8::5", "2001:db8::1") == 0
    assert shown(clean, is_ipv6=True) == [(0, "32.1.13.184", [(0, "32.1.13.184")])]
    assert shown(clean, is_ipv6=False) == []


def test_tables_are_made_and_held(clean: Subject) -> None:
    """Those of servers, and of IPv4 that of the clients; for clients of IPv6 a multicast table is held."""
    assert relay(clean, "203.0.113.1", "192.0.2.1", 77) == 0
    assert (False, 77) in tables(clean)
    assert relay(clean, "203.0.113.1", "192.0.2.1", 77, is_add=False) == 0
    assert (False, 77) not in tables(clean)
    assert relay(clean, "2001:db8::5", "2001:db8::1", 0, 77) == 0
    assert (True, 77) in tables(clean)
    assert relay(clean, "2001:db8::5", "2001:db8::1", 0, 77, is_add=False) == 0
    assert (True, 77) not in tables(clean)
