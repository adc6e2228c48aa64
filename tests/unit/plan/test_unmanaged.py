"""What others have that leads to what a plan deletes, and whose what VPP has beside the objects of a file is."""

import pytest

from tests.laws.test_simulator_laws import apply_to
from tests.unit.plan import test_others_in_bridges as bridges
from tests.unit.plan.test_others_in_bridges import assert_lost_and_brought_back, planned, set_up
from vppcfg.model.attachment import Attachment
from vppcfg.model.vpp_object import Ownership
from vppcfg.operations.stages import turn_starts
from vppcfg.plan.unmanaged import Survival, is_of_file, unmanaged_changes
from vppcfg.simulator.kinds.mpls import Label, MplsRouteMain
from vppcfg.simulator.kinds.route import API, CLI
from vppcfg.simulator.retval import DiedError
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.transaction.guard import about_leftovers
from vppcfg.transaction.planning import not_carried_over
from vppcfg.vpp.live import LiveDataplane

vpp = bridges.vpp
SUB = "{ encapsulation: { dot1q: 100, exact-match: true }, addresses: [ 198.51.100.1/24 ] }"
WITH_SUB = f"interfaces: {{ eth0: {{ sub-interfaces: {{ 100: {SUB} }} }}, eth1: {{ addresses: [ 192.0.2.1/24 ] }} }}\n"
FILE = "interfaces: { eth0: {}, eth1: { addresses: [ 192.0.2.1/24 ] } }\nvrfs: { red: { id: 10 } }\n"
TO_SUB = {
    "l3xc add eth1 via 198.51.100.9 eth0.100": "eth1: L3 cross-connect IPv4 via 198.51.100.9 eth0.100",
    "ip punt redirect add rx eth1 via 198.51.100.9 eth0.100": "eth1: punt redirect of IPv4 via 198.51.100.9 eth0.100",
    "ip punt redirect add rx all via 198.51.100.9 eth0.100": "eth0.100: punt redirect of all of IPv4 "
    "via 198.51.100.9 eth0.100",
}
TO_TABLE = {
    "l3xc add eth1 via ip4-lookup-in-table 10": "eth1: L3 cross-connect IPv4 via ip4-lookup-in-table 10",
    "ip punt redirect add rx all via ip4-lookup-in-table 10": "ipv4-VRF:10: punt redirect of all of IPv4 "
    "via ip4-lookup-in-table 10",
    "ip mroute add 232.1.1.1/32 table 10 via eth1 Forward": "ipv4-VRF:10: multicast route of the prompt 232.1.1.1/32 "
    "table 10 Forward",
    "ip route add 10.1.0.0/16 via ip4-lookup-in-table 10": "ipv4-VRF:10: route of the prompt 10.1.0.0/16 "
    "via ip4-lookup-in-table 10",
}
REDIRECTS = "punt_redirects"


@pytest.mark.parametrize(("line", "label"), TO_SUB.items())
def test_what_leads_to_an_interface_is_lost_or_carried_over_with_it(
    line: str, label: str, vpp: tuple[SimulatedVpp, LiveDataplane]
) -> None:
    set_up(vpp, WITH_SUB, (line,))
    plane = vpp[1]
    plan = planned(WITH_SUB.replace("{ 100:", "{ 200:"), plane)
    assert [str(each) for each in unmanaged_changes(plan)] == [f"{label}: lost"]
    assert_lost_and_brought_back(plan, plane)
    plan = planned(WITH_SUB.replace("dot1q: 100", "dot1q: 200"), plane)
    assert [str(each) for each in unmanaged_changes(plan)] == [f"{label}: carried over"]
    apply_to(plan, plane)
    assert not_carried_over(plan, plane, plane.observe()) == ()


def test_a_virtual_router_goes_once_it_is_stopped(vpp: tuple[SimulatedVpp, LiveDataplane]) -> None:
    """Sent behind a stop that is refused, its removal would leave its feature on the interface: pair 719."""
    set_up(vpp, WITH_SUB, ("vrrp vr add eth0.100 vr_id 7 198.51.100.9", "vrrp proto start eth0.100 vr_id 7"))
    plan = planned(WITH_SUB.replace("dot1q: 100", "dot1q: 200"), vpp[1])
    lines = [each.cli() for each in plan.operations]
    gone, back = (lines.index(f"vrrp {words}") for words in ("vr del eth0.100 vr_id 7", "proto start eth0.100 vr_id 7"))
    assert {gone, back} <= turn_starts(plan.steps)


def test_a_map_of_det44_is_refused_while_it_has_kept_a_deleted_interface(
    vpp: tuple[SimulatedVpp, LiveDataplane],
) -> None:
    """Tried on VPP 26.10, with the hint: the map ends VPP."""
    det44 = ("det44 plugin enable", "create loopback interface", "set interface det44 outside loop0")
    set_up(vpp, FILE, (*det44, "delete loopback interface intfc loop0"))
    plan = planned(f"{FILE}det44: {{ maps: {{ 10.0.0.0/24: 203.0.113.0/28 }} }}\n", vpp[1])
    (objection,) = about_leftovers(plan)
    assert "kept a deleted interface, index 3" in objection.text
    with pytest.raises(DiedError):
        vpp[0].run_line("det44 add in 10.0.0.0/24 out 203.0.113.0/28")


def test_a_route_with_a_path_over_a_deleted_interface_goes_as_a_whole(vpp: tuple[SimulatedVpp, LiveDataplane]) -> None:
    """VPP 23.06 and 26.10 end when one path of it goes."""
    ways = [f"ip route add 203.0.113.0/24 via {way}" for way in ("10.0.0.9 loop0", "192.0.2.9 eth1", "192.0.2.8 eth1")]
    ways.append("ip route add 203.0.113.0/24 via 198.51.100.9 eth0.100")
    set_up(vpp, WITH_SUB, ("create loopback interface", *ways, "delete loopback interface intfc loop0"))
    plan = planned(FILE, vpp[1])
    (lost,) = unmanaged_changes(plan)
    assert str(lost).endswith("via 192.0.2.9 eth1 via 198.51.100.9 eth0.100: lost; not brought back by rollback")
    assert "ip route del 203.0.113.0/24" in [each.cli() for each in plan.operations]
    apply_to(plan, vpp[1])
    assert vpp[0].run_line("show version")[0] == 0


@pytest.mark.parametrize("way", ["ip route add 203.0.113.0/24", "mpls local-label add eos 100"])
def test_a_route_over_a_deleted_interface_is_named_whichever_of_its_interfaces_goes(
    vpp: tuple[SimulatedVpp, LiveDataplane], way: str
) -> None:
    """One that stays and is read too, because it is switched from then on, does not hide the one that goes."""
    hops = ("10.0.0.9 loop0", "192.0.2.9 eth1", "198.51.100.9 eth0.100")
    lines = ("create loopback interface", "mpls table add 0", *(f"{way} via {hop}" for hop in hops))
    set_up(vpp, WITH_SUB, (*lines, "delete loopback interface intfc loop0"))
    switched = "interfaces: { eth0: {}, eth1: {} }\nbridgedomains: { bd7: { interfaces: [ eth1 ] } }\n"
    plan = planned(switched, vpp[1])
    assert [each.holder for each in unmanaged_changes(plan) if each.survival is Survival.LOST] == ["eth0.100"]
    apply_to(plan, vpp[1])
    assert vpp[0].run_line("show version")[0] == 0


@pytest.mark.parametrize("is_of_api", [True, False])
def test_a_label_with_a_path_over_a_deleted_interface_is_not_changed_path_by_path(
    vpp: tuple[SimulatedVpp, LiveDataplane], is_of_api: bool
) -> None:
    """VPP 26.10 ends when one path goes; a route of the API goes as a whole, one of the prompt stays and drops."""
    ways = ("10.0.0.9 loop0", "198.51.100.9 eth0.100 out-labels 200")
    labels = (f"mpls local-label add eos 100 via {way}" for way in ways)
    lines = ("create loopback interface", "mpls table add 0", *labels)
    set_up(vpp, WITH_SUB, lines)
    key = Label(0, 100, True)
    routes = vpp[0].tables.part(MplsRouteMain).routes
    if is_of_api:
        routes[key] = {API: routes[key][CLI]}
    assert vpp[0].run_line("delete loopback interface intfc loop0")[0] == 0
    plan = planned(FILE, vpp[1])
    (lost,) = unmanaged_changes(plan)
    assert "eos 100 via 198.51.100.9 eth0.100 out-labels 200: lost" in str(lost)
    apply_to(plan, vpp[1])
    assert (key in routes) is not is_of_api


def test_a_policy_is_refused_while_a_next_hop_is_on_a_deleted_interface(
    vpp: tuple[SimulatedVpp, LiveDataplane],
) -> None:
    """Tried on VPP 23.06 and 26.10, with the hint: a further next hop ends VPP."""
    list_ = "acls:\n  web: { terms: [ { action: permit, source: 10.0.0.0/8 } ] }\n"
    loop = "loopbacks:\n  loop5: { addresses: [ 192.0.2.1/24 ] }\n"
    route = "policy-routes: [ { acl: web, via: { gateway: 192.0.2.9, interface: loop5 } } ]"
    before = f"interfaces:\n  eth0: {{ addresses: [ 198.51.100.1/24 ], {route} }}\n{list_}"
    set_up(vpp, before + loop, ("delete loopback interface intfc loop5",))
    after = before.replace("192.0.2.9, interface: loop5", "198.51.100.9, interface: eth0")
    plan = planned(after, vpp[1])
    (objection,) = about_leftovers(plan)
    assert "has a next hop on a deleted interface, index 3" in objection.text
    assert vpp[0].run_line("create loopback interface")[0] == 0
    apply_to(planned(after, vpp[1]), vpp[1])
    assert planned(after, vpp[1]).steps == ()


def test_a_proxy_is_refused_while_a_deleted_interface_has_it(vpp: tuple[SimulatedVpp, LiveDataplane]) -> None:
    """Tried on VPP 26.10, with the hint: VPP ends when another interface gets it."""
    proxy = '{ addresses: [ "2001:db8::1/64" ], nd-proxy: [ "2001:db8::5" ] }'
    set_up(vpp, f"{FILE}loopbacks: {{ loop5: {proxy} }}\n", ("delete loopback interface intfc loop5",))
    file = FILE.replace("eth0: {}", f"eth0: {proxy}")
    (objection,) = about_leftovers(planned(file, vpp[1]))
    assert "VPP would end when eth0 answers for 2001:db8::5" in objection.text
    assert [vpp[0].run_line(f"create loopback interface{words}")[0] for words in ("", " instance 9")] == [0, 0]
    assert vpp[0].run_line("set ip6 nd proxy loop0 del 2001:db8::5")[0] == 0
    apply_to(planned(file, vpp[1]), vpp[1])
    assert planned(file, vpp[1]).steps == ()


@pytest.mark.parametrize(("line", "label"), TO_TABLE.items())
def test_what_leads_into_a_table_goes_before_it(line: str, label: str, vpp: tuple[SimulatedVpp, LiveDataplane]) -> None:
    set_up(vpp, FILE, (line,))
    plan = planned(FILE.replace("10 } }", "20 } }"), vpp[1])
    assert [str(each) for each in unmanaged_changes(plan)] == [f"{label}: lost"]
    assert_lost_and_brought_back(plan, vpp[1])


@pytest.mark.parametrize(
    ("kind", "owned", "is_ours"),
    [
        ("punt redirect", {(REDIRECTS, "")}, False),
        ("punt redirect", {(REDIRECTS, "eth0")}, True),
        ("punt redirect of all", {(REDIRECTS, "")}, True),
        ("punt redirect of all", {(REDIRECTS, "eth0")}, False),
        ("QoS map", {("qos_maps", "")}, True),
        ("multicast route of the API", {(REDIRECTS, "eth0")}, False),
    ],
)
def test_a_key_at_the_top_owns_nothing_of_interfaces(kind: str, owned: Ownership, *, is_ours: bool) -> None:
    assert is_of_file(Attachment(holder="eth0", kind=kind), frozenset(owned)) is is_ours
