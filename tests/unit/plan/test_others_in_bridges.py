"""What others have in bridge domains and FIB tables that a plan deletes: named, carried over, and brought back."""

from collections.abc import Iterator

import pytest

from tests.laws.test_simulator_laws import apply_to
from tests.simulated_vpp import connected
from tests.unit.config.test_owned import resolved
from vppcfg.model.attachment import Attachment
from vppcfg.model.bridge_arp import BridgeArp
from vppcfg.model.vrf import FibTable
from vppcfg.plan.plan import Plan
from vppcfg.plan.unmanaged import unmanaged_changes
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.transaction.guard import about_routes
from vppcfg.transaction.planning import not_carried_over, not_restored, plan_on
from vppcfg.vpp.live import LiveDataplane

PORT = "interfaces: { eth0: {}, eth1: { addresses: [ 192.0.2.1/24 ] } }\n"
BRIDGED = PORT + "bridgedomains: { bd10: { interfaces: [ eth0 ], settings: { arp-termination: true } } }\n"
IN_VRF = PORT + "vrfs: { red: { id: 10 } }\n"
ARP: tuple[str, ...] = ("set bridge-domain arp entry 10 192.0.2.5 02:00:00:00:00:05",)
ARP += ("set bridge-domain arp entry 10 2001:db8::5 02:00:00:00:00:06",)
RELAY = ("set dhcp proxy server 203.0.113.1 src-address 192.0.2.1 rx-fib-id 10",)


@pytest.fixture
def vpp() -> Iterator[tuple[SimulatedVpp, LiveDataplane]]:
    simulated = SimulatedVpp(ports=[PhysicalPort(name="eth0"), PhysicalPort(name="eth1")])
    with connected(simulated) as plane:
        yield simulated, plane


def planned(text: str, plane: LiveDataplane) -> Plan:
    observed = plane.observe()
    return plan_on(plane, observed, resolved(text, observed).desired)


def set_up(vpp: tuple[SimulatedVpp, LiveDataplane], text: str, lines: tuple[str, ...]) -> None:
    simulated, plane = vpp
    apply_to(planned(text, plane), plane)
    for line in lines:
        assert simulated.run_line(line)[0] == 0


def assert_lost_and_brought_back(plan: Plan, plane: LiveDataplane) -> None:
    before = plan.observed
    apply_to(plan, plane)
    observed = plane.observe()
    assert not_carried_over(plan, plane, observed) == ()
    apply_to(plan_on(plane, observed, before), plane)
    after = plane.observe()
    assert after.objects == before.objects
    assert not_restored(before, plane, after) == ()


def test_entries_of_a_bridge_domain_that_goes_are_named_and_come_back_with_it(
    vpp: tuple[SimulatedVpp, LiveDataplane],
) -> None:
    set_up(vpp, BRIDGED, ARP)
    plan = planned(PORT, vpp[1])
    assert [str(each) for each in unmanaged_changes(plan)] == ["bd10: 2 ARP entries: lost"]
    assert_lost_and_brought_back(plan, vpp[1])


def test_entries_of_a_bridge_domain_with_another_number_are_lost(vpp: tuple[SimulatedVpp, LiveDataplane]) -> None:
    set_up(vpp, BRIDGED, ARP)
    plan = planned(BRIDGED.replace("bd10", "bd11"), vpp[1])
    assert [str(each) for each in unmanaged_changes(plan)] == ["bd10: 2 ARP entries: lost"]
    assert_lost_and_brought_back(plan, vpp[1])


def test_entries_stay_when_nothing_happens_to_their_bridge_domain(vpp: tuple[SimulatedVpp, LiveDataplane]) -> None:
    set_up(vpp, BRIDGED, ARP)
    plan = planned(BRIDGED.replace("interfaces: [ eth0 ]", "interfaces: []"), vpp[1])
    assert unmanaged_changes(plan) == []
    apply_to(plan, vpp[1])
    assert len(vpp[1].observe().of(BridgeArp)) == 2


def test_entries_stay_without_effect_in_a_bridge_domain_that_stops_answering(
    vpp: tuple[SimulatedVpp, LiveDataplane],
) -> None:
    set_up(vpp, BRIDGED, ARP)
    plan = planned(BRIDGED.replace("true", "false"), vpp[1])
    (change,) = unmanaged_changes(plan)
    assert str(change) == "bd10: 2 ARP entries: left behind without effect, because it no longer answers ARP by itself"
    assert_lost_and_brought_back(plan, vpp[1])


def test_entries_that_the_file_owns_are_none_of_others(vpp: tuple[SimulatedVpp, LiveDataplane]) -> None:
    set_up(vpp, BRIDGED.replace("true } }", "true }, arp-entries: { 192.0.2.5: '02:00:00:00:00:05' } }"), ())
    observed = vpp[1].observe()
    desired = resolved(PORT + "bridgedomains: { bd11: { arp-entries: {} } }\n", observed).desired
    assert len(observed.of(BridgeArp)) == 1
    plan = plan_on(vpp[1], observed, desired)
    assert [str(each) for each in unmanaged_changes(plan)] == ["bd10: ARP entry 192.0.2.5 in bd10: lost"]


def test_a_relay_of_a_vrf_that_goes_is_taken_off_first_and_comes_back_with_it(
    vpp: tuple[SimulatedVpp, LiveDataplane],
) -> None:
    set_up(vpp, IN_VRF, RELAY)
    plan = planned(PORT, vpp[1])
    assert [str(each) for each in unmanaged_changes(plan)] == [
        "ipv4-VRF:10: DHCP relay 203.0.113.1 from 192.0.2.1 for table 10: lost"
    ]
    assert_lost_and_brought_back(plan, vpp[1])


def test_what_is_stored_names_no_number_of_this_run(vpp: tuple[SimulatedVpp, LiveDataplane]) -> None:
    set_up(vpp, BRIDGED, ARP)
    found: tuple[Attachment, ...] = tuple(vpp[1].unmanaged({"bd10"}, vpp[1].observe()))
    assert [each.is_restorable for each in found] == [True, True]
    assert found[0].lines == (ARP[0],)


def test_neither_a_relay_of_the_file_nor_one_of_others_keeps_a_vrf(vpp: tuple[SimulatedVpp, LiveDataplane]) -> None:
    set_up(vpp, IN_VRF, RELAY)
    assert [each.source for each in vpp[1].foreign_routes([FibTable(table_id=10, name="red")])] == ["DHCP"]
    assert list(about_routes(planned(PORT, vpp[1]), vpp[1])) == []
    server = "{ address: 203.0.113.1, vrf: default }"
    with_key = IN_VRF.replace(
        "id: 10", f"id: 10, dhcp-relay: {{ ipv4: {{ servers: [ {server} ], source: 192.0.2.1 }} }}"
    )
    assert planned(with_key, vpp[1]).steps == ()
    assert list(about_routes(planned(PORT, vpp[1]), vpp[1])) == []


def test_a_dhcp_client_in_a_vrf_keeps_it_all_the_same(vpp: tuple[SimulatedVpp, LiveDataplane]) -> None:
    with_client = IN_VRF.replace("eth0: {}", "eth0: { vrf: red, dhcp-client: {} }")
    set_up(vpp, with_client, RELAY)
    (objection,) = about_routes(planned(PORT, vpp[1]), vpp[1])
    assert "those of DHCP" in objection.text
