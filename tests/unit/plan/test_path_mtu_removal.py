"""A VRF that is deleted with its path MTUs: VPP ends when one of them has left an entry in the table."""

from tests.laws.test_simulator_laws import apply_to
from tests.simulated_vpp import connected
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.plan.plan import Plan
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.transaction.guard import about_routes
from vppcfg.transaction.planning import plan_on
from vppcfg.vpp.live import LiveDataplane

MTUS = '{ 203.0.113.7: 1400, "2001:db8:7::7": 1400 }'
WITH = f"vrfs: {{ red: {{ id: 10, path-mtu: {MTUS} }} }}\npath-mtu: {MTUS}\n"
WITHOUT = "vrfs: { red: { id: 10, path-mtu: {} } }\npath-mtu: {}\n"
GONE = "path-mtu: {}\n"


def planned(text: str, vpp: LiveDataplane) -> Plan:
    configuration = parse_text(text, "file").configuration
    assert configuration is not None
    observed = vpp.observe()
    return plan_on(vpp, observed, resolve(configuration, observed).desired)


def test_a_vrf_with_what_a_path_mtu_has_left_is_not_deleted_until_it_is_set_again() -> None:
    with connected(SimulatedVpp(ports=[PhysicalPort(name="eth0")])) as vpp:
        apply_to(planned(WITH, vpp), vpp)
        apply_to(planned(WITHOUT, vpp), vpp)
        (first, _) = about_routes(planned(GONE, vpp), vpp)
        assert "203.0.113.7/32 of path-mtu" in first.text
        assert "path-mtu: { 203.0.113.7: 1280 }" in first.hint
        apply_to(planned(WITH, vpp), vpp)
        plan = planned(GONE, vpp)
        assert list(about_routes(plan, vpp)) == []
        apply_to(plan, vpp)
        assert not vpp.observe().vrfs
