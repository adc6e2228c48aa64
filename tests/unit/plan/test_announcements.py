"""Which addresses a plan announces: those whose MAC address or place is another one than hosts know, and no others."""

from dataclasses import replace

import pytest

from tests.laws.test_simulator_laws import apply_to
from tests.unit.plan import test_others_in_bridges as bridges
from tests.unit.plan.test_others_in_bridges import planned, set_up
from vppcfg.model.state import State
from vppcfg.plan.announcements import announcements
from vppcfg.plan.plan import Plan
from vppcfg.simulator.kinds.ping import Hosts
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.transaction.perform import perform_plan
from vppcfg.vpp.live import LiveDataplane

vpp = bridges.vpp
Vpp = tuple[SimulatedVpp, LiveDataplane]
OWN = "addresses: [ 192.0.2.1/24, '2001:db8::1/64' ]"
PORT = f"interfaces: {{ eth0: {{ {OWN} }}, eth1: {{}} }}\n"
BARE = "interfaces: { eth0: {}, eth1: {} }\n"
BRIDGED = (
    f"{BARE}loopbacks: {{ loop1: {{ {OWN} }} }}\nbridgedomains: {{ bd1: {{ bvi: loop1, interfaces: [ MEMBERS ] }} }}\n"
)
SUBS = "interfaces: { eth0: { sub-interfaces: { 10: { OWN }, 20: { unnumbered: eth0.10 } } }, eth1: {} }\n"
SUBS = SUBS.replace("OWN", OWN)
BOND = (
    f"interfaces: {{ eth0: {{}}, eth1: {{}}, BondEthernet0: {{ {OWN} }} }}\n"
    "bondethernets: { BondEthernet0: { mode: xor, load-balance: l34, interfaces: [ MEMBERS ] } }\n"
)
POOL = (
    "interfaces: { eth0: { addresses: [ 192.0.2.1/24 ], nat44: OUTSIDE }, eth1: {} }\n"
    "nat44: { pools: [ { range: 192.0.2.9-192.0.2.10 }, { range: 203.0.113.9 } ] }\n"
)
MAC = "mac: '02:00:00:00:00:99', "
OUTER = "interfaces: { eth0: { addresses: [ 192.0.2.1/24 ] }, eth1: { OTHER }MORE }\n"
VRF = OUTER.replace("MORE", "") + "vrfs: { red: { id: 10 } }\n"
TUNNEL = "ipip_tunnels: { ipip0: { local: 192.0.2.1, remote: 192.0.2.2 } }\n"
INNER = "addresses: [ 10.0.0.1/30 ]"
MOVED: dict[str, tuple[str, str, dict[str, tuple[str, ...]]]] = {
    "to a BVI": (PORT, BRIDGED.replace("MEMBERS", "eth0, eth1"), {"loop1": ("eth0", "eth1")}),
    "from a BVI": (BRIDGED.replace("MEMBERS", "eth0, eth1"), PORT, {"eth0": ("eth0",)}),
    "to another port": (PORT, f"interfaces: {{ eth0: {{}}, eth1: {{ {OWN} }} }}\n", {"eth1": ("eth1",)}),
    "a new MAC address": (PORT, PORT.replace("eth0: {", f"eth0: {{ {MAC}"), {"eth0": ("eth0",)}),
    "a new MAC address below": (
        SUBS,
        SUBS.replace("eth0: {", f"eth0: {{ {MAC}"),
        {"eth0.10": ("eth0",), "eth0.20": ("eth0",)},
    ),
    "another VLAN": (
        SUBS,
        SUBS.replace("10: {", "10: { encapsulation: { dot1q: 99, exact-match: true },"),
        {"eth0.10": ("eth0",)},
    ),
    "a bond of another port": (
        BOND.replace("MEMBERS", "eth0"),
        BOND.replace("MEMBERS", "eth1"),
        {"BondEthernet0": ("BondEthernet0",)},
    ),
}
STAYING = {
    "nothing": (PORT, PORT),
    "another length, MTU and neighbour": (PORT, PORT.replace("/24", "/25").replace("eth0: {", "eth0: { mtu: 1400,")),
    "new": (BARE, PORT),
    "gone": (PORT, BARE),
    "down": (PORT, f"interfaces: {{ eth0: {{}}, eth1: {{ state: down, {OWN} }} }}\n"),
    "one more port of a bridge domain": (
        BRIDGED.replace("MEMBERS", "eth0"),
        BRIDGED.replace("MEMBERS", "eth0, eth1"),
    ),
    "one more member of a bond": (BOND.replace("MEMBERS", "eth0"), BOND.replace("MEMBERS", "eth0, eth1")),
    "to a loopback without bridge domain": (PORT, f"{BARE}loopbacks: {{ loop0: {{ {OWN} }} }}\n"),
    "without Ethernet": (
        OUTER.replace("OTHER", INNER).replace("MORE", ", ipip0: {}") + TUNNEL,
        OUTER.replace("OTHER", "").replace("MORE", f", ipip0: {{ {INNER} }}") + TUNNEL,
    ),
    "the same in a VRF": (VRF.replace("OTHER", ""), VRF.replace("OTHER", "vrf: red, addresses: [ 192.0.2.1/24 ]")),
}


def told(plan: Plan, formerly: State | None = None) -> set[tuple[str, str]]:
    return {(each.interface, each.address) for each in announcements(plan, formerly)}


@pytest.mark.parametrize("case", MOVED)
def test_a_moved_address_is_announced_where_it_is_then(vpp: Vpp, case: str) -> None:
    before, after, found = MOVED[case]
    set_up(vpp, before, ())
    plan = planned(after, vpp[1])
    assert told(plan) == {(name, address) for name in found for address in ("192.0.2.1", "2001:db8::1")}
    assert {each.interface: each.ports for each in announcements(plan)} == found
    apply_to(plan, vpp[1])
    assert vpp[1].announce(announcements(plan)) == {}
    said = vpp[0].tables.part(Hosts).announced
    macs = {each.name: each.mac for each in vpp[1].observe().interfaces.values()}
    assert {mac.hex(":") for _, _, mac in said} == {macs[name.partition(".")[0]] for name in found}


@pytest.mark.parametrize("case", STAYING)
def test_nothing_is_announced_that_hosts_know_or_cannot_hear(vpp: Vpp, case: str) -> None:
    before, after = STAYING[case]
    set_up(vpp, before, ())
    assert announcements(planned(after, vpp[1])) == ()


def test_a_router_is_advertised_again_only_where_it_goes_on_with_another_mac_address(vpp: Vpp) -> None:
    text = PORT.replace("{ addresses", "{ ra: {}, addresses")
    set_up(vpp, text, ())
    plan = planned(text.replace("eth0: {", f"eth0: {{ {MAC}"), vpp[1])
    assert told(plan) == {("eth0", each) for each in ("", "192.0.2.1", "2001:db8::1")}
    state = vpp[1].observe()
    assert vpp[1].announce(announcements(plan)) == {}
    assert vpp[1].observe() == state
    elsewhere = planned(f"interfaces: {{ eth0: {{}}, eth1: {{ ra: {{}}, {OWN} }} }}\n", vpp[1])
    assert told(elsewhere) == {("eth1", each) for each in ("192.0.2.1", "2001:db8::1")}


@pytest.mark.parametrize("side", ["outside", "output"])
def test_addresses_of_nat44_are_announced_with_the_outside_interface_that_has_their_network(
    vpp: Vpp, side: str
) -> None:
    text = POOL.replace("OUTSIDE", side)
    set_up(vpp, text, ())
    moved = planned(text.replace("eth0: {", f"eth0: {{ {MAC}"), vpp[1])
    assert told(moved) == {("eth0", f"192.0.2.{host}") for host in (1, 9, 10)}


@pytest.mark.parametrize(
    "virtual", ["addresses: [ 192.0.2.254 ], accept: true", "addresses: [ 192.0.2.1 ], priority: 255"]
)
def test_addresses_of_virtual_routers_are_left_to_vrrp(vpp: Vpp, virtual: str) -> None:
    text = PORT.replace("{ addresses", f"{{ vrrp: {{ 5: {{ {virtual} }} }}, addresses")
    perform_plan(planned(text, vpp[1]), vpp[1], lambda done: None)
    own = {"192.0.2.1", "2001:db8::1"} - {"192.0.2.1" if "255" in virtual else ""}
    assert told(planned(text.replace("eth0: {", f"eth0: {{ {MAC}"), vpp[1])) == {("eth0", each) for each in own}


def test_a_way_back_announces_what_the_change_has_taken_away(vpp: Vpp) -> None:
    set_up(vpp, PORT, ())
    before = vpp[1].observe()
    apply_to(planned(BARE, vpp[1]), vpp[1])
    back = planned(PORT, vpp[1])
    assert told(back) == set()
    assert told(back, before) == {("eth0", "192.0.2.1"), ("eth0", "2001:db8::1")}
    assert told(back, replace(before, interfaces={})) == set()
