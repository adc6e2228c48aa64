"""Rules of static routes that the examples of their texts do not show."""

from dataclasses import replace

import pytest

from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.model.problem import Severity
from vppcfg.model.route import Route
from vppcfg.plan.plan import make_plan

BASE = """\
interfaces:
  eth0: { addresses: [ 192.0.2.1/24, 2001:db8::1/64 ] }
  eth1: { vrf: red, addresses: [ 198.51.100.1/24 ] }
vrfs:
  red:
    id: 10
"""


def rules_of(text: str) -> list[tuple[str, str]]:
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


def test_a_gateway_that_only_its_own_route_covers_is_reached_by_no_interface() -> None:
    found = rules_of(f"{BASE}routes: {{ 2001:db8:1::/48: '2001:db8:1::1' }}\n")
    text = "no interface reaches 2001:db8:1::1, so that 2001:db8:1::/48 leads to itself and drops"
    assert ("route-loop", text) in found


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


LEFT_ALONE = """\
interfaces:
  eth0: { addresses: [ 192.0.2.1/24 ], policy-routes: [ { acl: voice, via: { interface: %s } } ] }
acls:
  voice: { terms: [ { action: permit, family: ipv4 } ] }
routes:
  10.0.0.0/8: { via: { gateway: 198.51.100.2, interface: %s } }
unmanaged: [ "memif*/0", eth0.9 ]
"""


@pytest.mark.parametrize("name", ["memif1/0", "memif1/0.200", "eth0.9"])
def test_a_next_hop_may_name_what_the_file_leaves_alone_and_vpp_has(name: str) -> None:
    text = LEFT_ALONE % (name, name)
    assert [each for each in rules_of(text) if each[0] == "route-interface"] == []
    configuration = parse_text(text, "test").configuration
    assert configuration is not None
    state = assumed_state(configuration)
    resolution = resolve(configuration, state)
    assert resolution.problems == ()
    assert {each.subject for each in make_plan(state, resolution.desired).operations} >= {"eth0", "10.0.0.0/8"}
    assert [hop.interface for route in resolution.desired.of(Route).values() for hop in route.hops] == [name]
    assert [hop.interface for each in resolution.desired.interfaces["eth0"].policy_routes for hop in each.hops] == [
        name
    ]


def test_a_next_hop_must_not_name_what_vpp_lacks() -> None:
    configuration = parse_text(LEFT_ALONE % ("memif1/0", "memif1/0"), "test").configuration
    assert configuration is not None
    state = assumed_state(configuration)
    without = {name: each for name, each in state.interfaces.items() if name != "memif1/0"}
    resolution = resolve(configuration, replace(state, interfaces=without))
    text = "VPP has no interface memif1/0, and the file leaves it to others; have it made there first"
    assert {(each.rule, each.path, each.text, each.severity) for each in resolution.problems} == {
        ("route-interface", path, f"{text}, or name another one", Severity.ERROR)
        for path in (
            ("interfaces", "eth0", "policy-routes", 0, "via", "interface"),
            ("routes", "10.0.0.0/8", "via", "interface"),
        )
    }


@pytest.mark.parametrize("name", ["memif1/1", "memif1/1.200", "eth0.8"])
def test_a_next_hop_must_not_name_what_no_glob_covers(name: str) -> None:
    text = f"there is no interface {name} in this file"
    assert {each[1][: len(text)] for each in rules_of(LEFT_ALONE % (name, name)) if each[0] == "route-interface"} == {
        text
    }
