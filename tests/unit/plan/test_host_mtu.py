"""The MTU of VPP's side of LCP pairs, which linux-cp sets when it makes a pair, and not again."""

from collections.abc import Iterator

import pytest

from tests.laws.test_simulator_laws import apply_to
from tests.simulated_vpp import connected
from tests.unit.plan.test_others_in_bridges import planned
from vppcfg.model.lcp import LcpSettings
from vppcfg.model.state import Facts, State
from vppcfg.plan.diff import diff
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.plan.rollback import closest_to, reverse_plan
from vppcfg.render.implicit_changes import implicit_changes
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.vpp.live import LiveDataplane

Vpp = tuple[SimulatedVpp, LiveDataplane]


def file_of(mtu: int, *, port: int = 3000, name: str = "e0") -> str:
    return (
        f"interfaces:\n  eth0: {{ mtu: {port}, lcp: {name}, addresses: [ 192.0.2.1/24 ],"
        f" sub-interfaces: {{ 100: {{ mtu: 1500, lcp: {name}.100 }} }} }}\n"
        f"  ipip0: {{ mtu: {mtu}, lcp: tun-a, addresses: [ 10.0.0.1/30 ] }}\n"
        "ipip_tunnels: { ipip0: { local: 192.0.2.1, remote: 192.0.2.2 } }\n"
    )


@pytest.fixture
def vpp() -> Iterator[Vpp]:
    simulated = SimulatedVpp(ports=[PhysicalPort(name="eth0")])
    with connected(simulated) as plane:
        yield simulated, plane


def host_mtus(simulated: SimulatedVpp) -> dict[str, int]:
    """Return the MTU of VPP's side of each pair."""
    tables = simulated.tables
    return {tables.name_of(tables.sw[pair.phy]): tables.sw[pair.host].mtus[0] for pair in tables.lcp.pairs}


def set_host_mtus(simulated: SimulatedVpp, **mtus: int) -> None:
    for pair in simulated.tables.lcp.pairs:
        if pair.host_name in mtus:
            simulated.tables.sw[pair.host].mtus[0] = mtus[pair.host_name]


def go(vpp: Vpp, text: str) -> Plan:
    """Carry a plan out, look that nothing is left to do, and return it."""
    plan = planned(text, vpp[1])
    apply_to(plan, vpp[1])
    assert planned(text, vpp[1]).steps == ()
    return plan


def come_back(vpp: Vpp, former: State) -> None:
    now = vpp[1].observe()
    plan = make_plan(now, closest_to(former, now, lambda name: False).state)
    apply_to(plan, vpp[1])


def test_the_host_side_of_a_tun_takes_what_its_interface_takes(vpp: Vpp) -> None:
    go(vpp, file_of(1400))
    set_host_mtus(vpp[0], **{"tun-a": 1400, "e0": 1400})
    plan = go(vpp, file_of(2800))
    assert host_mtus(vpp[0]) == {"eth0": 1400, "eth0.100": 0, "ipip0": 2800}  # a TAP takes packets of any size
    (change,) = diff(plan.observed, plan.desired).lcps.values()
    lines = list(implicit_changes(change, plan.observed, plan.desired, ()))
    assert lines == ["its LCP pair: MTU to Linux: 1400 -> 2800"]


def test_a_larger_mtu_of_a_host_side_is_left(vpp: Vpp) -> None:
    go(vpp, file_of(1400))
    assert host_mtus(vpp[0])["ipip0"] == 9000
    go(vpp, file_of(1300))
    assert host_mtus(vpp[0])["ipip0"] == 9000


def test_a_way_back_brings_the_mtus_of_host_sides_back(vpp: Vpp) -> None:
    go(vpp, file_of(1400))
    set_host_mtus(vpp[0], **{"tun-a": 1400, "e0": 2000, "e0.100": 1600})
    former, before = vpp[1].observe(), host_mtus(vpp[0])
    for text in (file_of(1500, name="e1"), "interfaces: { eth0: { mtu: 1500 } }\n"):
        plan = planned(text, vpp[1])
        reverse_plan(plan)
        apply_to(plan, vpp[1])
        assert host_mtus(vpp[0]) != before
        come_back(vpp, former)
        assert host_mtus(vpp[0]) == before


def test_with_lcp_sync_linux_cp_sets_them() -> None:
    facts = Facts(plugins=frozenset({"linux_cp"}), lcp=LcpSettings(is_sync=True))
    simulated = SimulatedVpp(ports=[PhysicalPort(name="eth0")], state=State(facts=facts))
    with connected(simulated) as plane:
        vpp = simulated, plane
        go(vpp, file_of(1400))
        go(vpp, file_of(2800))
        assert host_mtus(simulated)["ipip0"] == 2800
