"""Rules of static routes that the examples of their texts do not show."""

from __future__ import annotations

import pytest

from vppcfg.config.load import parse_text

BASE = """\
interfaces:
  eth0: { addresses: [ 192.0.2.1/24, 2001:db8::1/64 ] }
  eth1: { vrf: red, addresses: [ 198.51.100.1/24 ] }
vrfs:
  red:
    id: 10
"""


def rules_of(text: str) -> list[tuple[str, str]]:
    """Return the rules that a file breaks, with their texts."""
    loaded = parse_text(text.encode(), "file.yaml")
    return [(problem.rule, problem.text) for problem in loaded.problems]


@pytest.mark.parametrize(
    ("routes", "ring"),
    [
        (
            "routes: { 10.0.0.0/8: 172.16.0.1, 172.16.0.0/12: 10.0.0.1 }",
            ["10.0.0.0/8 needs 172.16.0.0/12 needs 10.0.0.0/8", "172.16.0.0/12 needs 10.0.0.0/8 needs 172.16.0.0/12"],
        ),
        (
            "    routes: { 0.0.0.0/0: { via: { vrf: default } } }\nroutes: { 0.0.0.0/0: { via: { vrf: red } } }",
            [
                "0.0.0.0/0 needs 0.0.0.0/0 of red needs 0.0.0.0/0",
                "0.0.0.0/0 of red needs 0.0.0.0/0 needs 0.0.0.0/0 of red",
            ],
        ),
        ("routes: { 2001:db8:1::/48: '2001:db8:1::1' }", ["2001:db8:1::/48 needs 2001:db8:1::/48"]),
        ("routes: { 10.0.0.0/8: 172.16.0.1, 172.16.0.0/12: 192.0.2.2 }", []),
        ("routes: { 10.0.0.0/8: { via: { gateway: 10.0.0.1, interface: eth0 } } }", []),
        ("    routes: { 0.0.0.0/0: { via: { vrf: default } } }\nroutes: { 0.0.0.0/0: 192.0.2.2 }", []),
        ("routes: { 10.0.0.0/8: 192.0.2.2, 10.1.0.0/16: 10.2.0.1 }", []),
    ],
)
def test_a_loop_is_found_however_long_it_is(routes: str, ring: list[str]) -> None:
    found = rules_of(f"{BASE}{routes}\n")
    assert {rule for rule, _ in found} <= {"route-loop", "vrf-unused"}
    assert sorted(text.partition("(")[2].rstrip(")") for rule, text in found if rule == "route-loop") == sorted(ring)


@pytest.mark.parametrize(
    ("interfaces", "name", "reason"),
    [
        ("  eth0: { state: down, sub-interfaces: { 10: { addresses: [ 192.0.2.1/24 ] } } }", "eth0.10", "eth0 is down"),
        (
            "  BondEthernet0: { addresses: [ 192.0.2.1/24 ] }\nbondethernets:\n  BondEthernet0: { interfaces: [] }",
            "BondEthernet0",
            "BondEthernet0 has no members",
        ),
    ],
)
def test_an_interface_that_can_have_no_link_is_named(interfaces: str, name: str, reason: str) -> None:
    text = (
        f"interfaces:\n{interfaces}\nroutes: {{ 10.0.0.0/8: {{ via: {{ gateway: 192.0.2.2, interface: {name} }} }} }}\n"
    )
    assert ("route-interface-down", f"{reason}, so the route forwards nothing through {name}") in rules_of(text)
