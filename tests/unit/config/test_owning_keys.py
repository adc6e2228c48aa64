"""Mistakes within keys that own: one does not hide the others."""

import pytest

from vppcfg.config.load import parse_text

PORTS = "interfaces: { eth0: { addresses: [ 192.0.2.1/24 ]%s }, eth1: { addresses: [ 198.51.100.1/24 ] } }\n"
FILES = {
    "a shape and two addresses of bridge entries": (
        PORTS % ""
        + "bridgedomains: { bd10: { arp-entries: "
        + "{ 192.0.2.9: nonsense, 192.0.2.0/24: '02:00:00:00:00:01', 192.0.2.300: '02:00:00:00:00:01' } } }\n",
        ["arp-entries-address", "arp-entries-address", "schema"],
    ),
    "a number, a shape and a rule of virtual routers": (
        PORTS % ", vrrp: { 500: { addresses: [ 192.0.2.9 ] }, 5: { addresses: 7 }, 6: { addresses: [ 2001:db8::9 ] } }",
        ["schema", "vrrp-family", "vrrp-number"],
    ),
    "a shape and a rule of a path MTU": (
        PORTS % "" + "path-mtu: { 192.0.2.9: no, nothing: 1400 }\n",
        ["path-mtu-address", "schema"],
    ),
    "a shape and an end of NAT44": (
        PORTS % "" + "nat44: { mss: many, static: { a: { local: 192.0.2.9, external: 7 }, b: { local: '1:2:3', "
        "external: 203.0.113.7 } }, pools: [ { interface: eth9 } ] }\n",
        ["nat44-end", "nat44-interface", "schema", "schema"],
    ),
    "a shape and a prefix of DET44": (
        PORTS % "" + "det44: { timeouts: { udp: never }, maps: { 10.0.0.1/24: 203.0.113.0/28 } }\n",
        ["det44-prefix", "schema"],
    ),
    "both families of a relay": (
        PORTS % "" + "dhcp-relay: { ipv4: { servers: [ '2001:db8::1' ], source: 192.0.2.1 }, ipv6: { servers: 7 } }\n",
        ["dhcp-relay-family", "schema", "schema"],
    ),
}


@pytest.mark.parametrize("case", FILES)
def test_all_mistakes_are_reported_at_once(case: str) -> None:
    text, expected = FILES[case]
    problems = parse_text(text, "file").problems
    found = [each.rule.partition("-")[0] if each.rule.startswith("schema") else each.rule for each in problems]
    assert sorted(found) == expected
