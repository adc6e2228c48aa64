"""VPP looks at the size of packets to neighbours alone: a path MTU of any other host is warned of."""

import pytest

from vppcfg.config.load import parse_text

ROUTER = """
vrfs: { red: { id: 10, path-mtu: { %s: 1400 } } }
interfaces:
  eth0: { addresses: [ 192.0.2.1/24, "2001:db8::1/64" ] }
  eth1: { vrf: red, addresses: [ 198.51.100.1/24 ]%s }
path-mtu: { %s: 1400 }
"""
ROWS = {
    "neighbours": (("198.51.100.9", "", "192.0.2.9"), []),
    "hosts behind a router": (("203.0.113.9", "", "203.0.113.9"), ["path-mtu-remote"] * 2),
    "a neighbour of another VRF": (("192.0.2.9", "", "192.0.2.9"), ["path-mtu-remote"]),
    "what a lease may bring": (("203.0.113.9", ", dhcp-client: true", "192.0.2.9"), []),
    "IPv6": (("198.51.100.9", "", '"2001:db8:1::9"'), ["path-mtu-remote"]),
    "IPv6 of a neighbour": (("198.51.100.9", "", '"2001:db8::9"'), []),
}


@pytest.mark.parametrize("row", ROWS)
def test_a_host_that_is_no_neighbour_is_warned_of(row: str) -> None:
    values, expected = ROWS[row]
    problems = parse_text(ROUTER % values, "file").problems
    assert [each.rule for each in problems if each.rule.startswith("path-mtu")] == expected
