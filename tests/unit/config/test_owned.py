"""Keys that own: what is there without a mark is the file's as soon as the key is, and somebody else's before."""

import json
from collections.abc import Iterator

import pytest

from tests.laws.test_simulator_laws import apply_to
from tests.simulated_vpp import connected
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import Resolution, resolve
from vppcfg.model.attachment import Attachment
from vppcfg.model.dhcp_relay import DhcpRelay
from vppcfg.model.nat44 import NatMapping
from vppcfg.model.problem import Severity
from vppcfg.model.punt_redirect import PuntRedirect
from vppcfg.model.qos import QosMap, QosMark, QosRecord
from vppcfg.model.state import State
from vppcfg.model.vpp_object import Reference, Referent
from vppcfg.plan.diff import diff
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.plan.rollback import reverse_plan
from vppcfg.plan.state_document import document_of, state_of
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.transaction.planning import plan_on
from vppcfg.vpp.live import LiveDataplane

PORTS = "interfaces: { eth0: { addresses: [ 192.0.2.1/24 ] }, eth1: { addresses: [ 198.51.100.1/24 ] } }\n"
BY_HAND = (
    "set dhcp proxy server 203.0.113.1 src-address 192.0.2.1",
    "qos record ip eth0",
    "qos egress map id 7 [ip][184]=46",
    "qos mark ip eth1 id 7",
)


@pytest.fixture
def vpp() -> Iterator[tuple[SimulatedVpp, LiveDataplane]]:
    """Return a VPP with two ports on which somebody has configured services."""
    simulated = SimulatedVpp(ports=[PhysicalPort(name="eth0"), PhysicalPort(name="eth1")])
    with connected(simulated) as plane:
        apply_to(make_plan(plane.observe(), resolved(PORTS, plane.observe()).desired), plane)
        for line in BY_HAND:
            assert simulated.run_line(line)[0] == 0
        yield simulated, plane


def resolved(text: str, observed: State) -> Resolution:
    loaded = parse_text(text, "file")
    assert loaded.configuration is not None, loaded.problems
    return resolve(loaded.configuration, observed)


def planned(text: str, plane: LiveDataplane) -> Plan:
    observed = plane.observe()
    return make_plan(observed, resolved(text, observed).desired)


def test_without_the_key_everything_is_left_alone_and_mentioned(vpp: tuple[SimulatedVpp, LiveDataplane]) -> None:
    _, plane = vpp
    observed = plane.observe()
    found = resolved(PORTS, observed)
    assert make_plan(observed, found.desired).steps == ()
    assert [(each.severity, each.rule) for each in found.problems] == [(Severity.NOTICE, "left-alone")] * 3
    assert list(diff(observed, found.desired)) == []


def test_an_empty_key_takes_all_of_its_scope_and_the_way_back_brings_it_back(
    vpp: tuple[SimulatedVpp, LiveDataplane],
) -> None:
    _, plane = vpp
    plan = planned(PORTS.replace("192.0.2.1/24 ]", "192.0.2.1/24 ], qos: {}") + "dhcp-relay: {}\n", plane)
    apply_to(plan, plane)
    after = plane.observe()
    assert (after.of(DhcpRelay), after.of(QosRecord)) == ({}, {})
    assert list(after.of(QosMark)) == ["ip on eth1"]
    apply_to(reverse_plan(plan), plane)
    assert plane.observe().objects == plan.observed.objects


@pytest.mark.parametrize(("qos", "left"), [(", qos: {}", []), (", mtu: 1400", ["ip on eth1"])])
def test_the_way_back_sets_no_mark_by_a_map_that_is_deleted(
    vpp: tuple[SimulatedVpp, LiveDataplane], qos: str, left: list[str]
) -> None:
    """VPP refuses it (qos_mark_enable in vnet/qos/qos_mark.c)."""
    simulated, plane = vpp
    assert simulated.run_line("qos egress map delete id 7")[0] == 0
    plan = planned(PORTS.replace("198.51.100.1/24 ]", f"198.51.100.1/24 ]{qos}"), plane)
    apply_to(plan, plane)
    apply_to(reverse_plan(plan), plane)
    assert list(plane.observe().of(QosMark)) == left


def test_a_map_that_others_mark_by_stays_and_forbids_the_plan(vpp: tuple[SimulatedVpp, LiveDataplane]) -> None:
    _, plane = vpp
    found = resolved(PORTS + "qos_maps: {}\n", plane.observe())
    (problem,) = [each for each in found.problems if each.severity is Severity.ERROR]
    assert problem.rule == "object-in-use" and "QoS map 7" in problem.text
    assert list(found.desired.of(QosMap)) == ["7"]


def test_ownership_outlives_the_journal(vpp: tuple[SimulatedVpp, LiveDataplane]) -> None:
    _, plane = vpp
    plan = planned(PORTS + "dhcp-relay: {}\n", plane)
    kept = state_of(document_of(plan.observed))
    assert kept.owned == plan.observed.owned == {("dhcp_relays", "0")}
    assert kept.objects == plan.observed.objects


def test_what_is_owned_is_no_attachment_of_others(vpp: tuple[SimulatedVpp, LiveDataplane]) -> None:
    _, plane = vpp
    observed = plane.observe()

    def kinds(text: str) -> set[str]:
        plan = plan_on(plane, observed, resolved(text, observed).desired)
        seen: tuple[Attachment, ...] = plan.observed.unmanaged
        return {each.kind for each in seen}

    bridged = "interfaces: { eth0: { l2xc: eth1 }, eth1: { l2xc: eth0 } }\n"
    assert {"QoS record", "QoS mark"} <= kinds(bridged)
    assert "QoS record" not in kinds(bridged.replace("eth0: { l2xc: eth1", "eth0: { l2xc: eth1, qos: {}"))


def test_linux_cp_gets_its_redirect_back_when_that_of_somebody_goes() -> None:
    simulated = SimulatedVpp(ports=[PhysicalPort(name="eth0"), PhysicalPort(name="eth1")])
    paired = (
        "interfaces: { eth0: { lcp: e0, addresses: [ 192.0.2.1/24 ] }, eth1: { addresses: [ 198.51.100.1/24 ] } }\n"
    )
    with connected(simulated) as plane:
        apply_to(planned(paired, plane), plane)
        assert plane.observe().of(PuntRedirect) == {}
        own = simulated.run_line("show lcp")[1]
        assert simulated.run_line("ip punt redirect add rx eth0 via 198.51.100.2 eth1")[0] == 0
        assert list(plane.observe().of(PuntRedirect)) == ["of IPv4 from eth0"]
        plan = planned(paired.replace("lcp: e0,", "lcp: e0, punt-redirect: {},"), plane)
        names = [type(step.operation).__name__ for step in plan.steps]
        assert {"RemovePuntRedirect", "DeleteLcpPair", "CreateLcpPair"} <= set(names)
        apply_to(plan, plane)
        assert plane.observe().of(PuntRedirect) == {}
        assert "e0" in own


def test_a_mapping_of_the_prompt_without_a_table_is_kept_in_the_journal() -> None:
    simulated = SimulatedVpp(ports=[PhysicalPort(name="eth0"), PhysicalPort(name="eth1")])
    with connected(simulated) as plane:
        apply_to(planned(PORTS, plane), plane)
        lines = ("nat44 plugin enable", "nat44 add static mapping tcp local 192.0.2.9 80 external eth1 8080")
        assert [simulated.run_line(line)[0] for line in lines] == [0, 0]
        observed = plane.observe()
        (mapping,) = observed.of(NatMapping).values()
        assert list(mapping.references()) == [Reference(Referent.INTERFACE, "eth1")]
        assert state_of(json.loads(json.dumps(document_of(observed)))) == observed
