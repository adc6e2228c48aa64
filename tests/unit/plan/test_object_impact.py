"""What objects do to packets when they come: those that were forwarded go elsewhere, or nowhere."""

import pytest

from tests.unit.plan.test_route_impact import between
from vppcfg.plan.impact import Impact
from vppcfg.plan.plan import Plan
from vppcfg.render.impact_text import impact_lines
from vppcfg.transaction.guard import harm


def routers(eth0: str, others: str = "") -> str:
    return (
        f"interfaces: {{ eth0: {{ {eth0} }}, eth1: {{ addresses: [ 198.51.100.1/24, 2001:db8:1::1/64 ] }} }}\n{others}"
    )


def with_cross_connect(eth0: str, family: str) -> Plan:
    gateway = "2001:db8:1::2" if family == "ipv6" else "198.51.100.2"
    hop = f"{{ {family}: {{ interface: eth1, gateway: {gateway} }} }}"
    return between(routers(f"{eth0}, l3xc: {{}}"), routers(f"{eth0}, l3xc: {hop}"))


ADDRESSES = "addresses: [ 192.0.2.1/24, 2001:db8::1/64 ]"


@pytest.mark.parametrize("family", ["ipv4", "ipv6"])
def test_a_cross_connect_takes_all_packets_also_those_to_the_router(family: str) -> None:
    name = f"of IP{family[2:]} on eth0"
    plan = with_cross_connect(ADDRESSES, family)
    assert plan.impacts == {name: Impact.REMOVE}
    assert list(impact_lines(plan)) == [
        f"L3 cross-connect {name} takes all packets, those to the router too, because it is set"
    ]
    assert harm(plan, ["eth0"]).endswith("remove on eth0")
    assert harm(plan, ["eth1"]) == ""


@pytest.mark.parametrize(
    ("eth0", "family"),
    [(f"state: down, {ADDRESSES}", "ipv4"), ("mtu: 1500", "ipv4"), ("addresses: [ 192.0.2.1/24 ]", "ipv6")],
)
def test_it_takes_none_where_none_came(eth0: str, family: str) -> None:
    assert with_cross_connect(eth0, family).impacts == {}


def test_a_cross_connect_by_another_way_flaps_and_one_that_goes_is_removed() -> None:
    ways = [f"{ADDRESSES}, l3xc: {{ ipv4: {{ interface: eth1, gateway: 198.51.100.{last} }} }}" for last in (2, 3)]
    assert between(routers(ways[0]), routers(ways[1])).impacts == {"of IPv4 on eth0": Impact.FLAP}
    assert between(routers(ways[0]), routers(f"{ADDRESSES}, l3xc: {{}}")).impacts == {"of IPv4 on eth0": Impact.REMOVE}


NAT = """\
interfaces:
  wan0: { addresses: [ 203.0.113.2/24 ], nat44: outside }
  wan1: { vrf: red, addresses: [ 198.51.100.2/24 ], nat44: outside }
  lan0: { vrf: blue, addresses: [ 192.168.1.1/24 ], nat44: inside }
vrfs: { red: { id: 10 }, blue: { id: 20 } }
nat44:
  pools: [ 203.0.113.8 ]
"""


@pytest.mark.parametrize(
    ("before", "after", "impact"),
    [
        ("", "blue: [ red ]", Impact.REMOVE),
        ("", "blue: [ default, red ]", Impact.NONE),
        ("", "red: [ default ]", Impact.NONE),
        ("blue: [ default, red ]", "blue: [ red ]", Impact.REMOVE),
        ("blue: [ red ]", "blue: [ default, red ]", Impact.NONE),
        ("blue: [ red ]", "", Impact.REMOVE),
    ],
)
def test_hosts_lose_the_tables_that_leaks_lack(before: str, after: str, impact: Impact) -> None:
    plan = between(*(f"{NAT}  leaks: {{ {leaks} }}\n" for leaks in (before, after)))
    assert plan.steps
    assert plan.impact is impact
    assert bool(harm(plan, ["lan0"])) is (impact is Impact.REMOVE and bool(after))


def test_a_host_that_is_exempt_leaves_with_its_own_address_and_the_router_does_anyway() -> None:
    exempt = (
        f"{NAT}  exempt: {{ ssh: {{ protocol: tcp, local: 'wan0:22' }}, host: {{ local: 192.168.1.9, vrf: blue }} }}"
    )
    plan = between(NAT, exempt)
    assert plan.impact is Impact.POLICY
    assert [*impact_lines(plan)] == ["nat44:exempt 192.168.1.9 table 20 leaves with its own address, because it is set"]


def test_a_new_path_mtu_degrades() -> None:
    plan = between(routers(ADDRESSES, "path-mtu: {}"), routers(ADDRESSES, "path-mtu: { 192.0.2.9: 1400 }"))
    assert plan.impacts == {"to 192.0.2.9": Impact.DEGRADE}


def test_a_new_arp_entry_answers_in_place_of_its_host() -> None:
    entries = ("{}", "{ 192.0.2.5: '02:00:00:00:00:05' }")
    bridges = [
        "interfaces: { eth0: {}, eth1: {} }\nbridgedomains: { bd10: { interfaces: [ eth0, eth1 ],"
        f" settings: {{ arp-termination: true }}, arp-entries: {each} }} }}"
        for each in entries
    ]
    plan = between(*bridges)
    assert plan.impacts == {"192.0.2.5 in bd10": Impact.POLICY}
    assert harm(plan, ["eth1"]).endswith("policy on eth1")
