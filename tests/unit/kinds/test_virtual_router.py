"""Virtual routers: which steps a change takes and in which order, the way back, and what is left alone."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.kinds.there_and_back import configuration_of
from tests.laws.test_simulator_laws import apply_to
from tests.simulated_vpp import connected
from tests.unit.config.test_owned import resolved
from vppcfg.cli.main import main
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.resolve import resolve
from vppcfg.model.state import State
from vppcfg.model.virtual_router import VirtualRouter, VrrpState
from vppcfg.operations.change import Impact
from vppcfg.plan.diff import diff
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.plan.rollback import reverse_plan
from vppcfg.render.impact_text import consequences
from vppcfg.render.notes import notes
from vppcfg.simulator import vpp
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.transaction.guard import harm
from vppcfg.transaction.planning import plan_on

CREATED = ["CreateVirtualRouter", "StartVirtualRouter"]
REMOVED = ["StopVirtualRouter", "RemoveVirtualRouter"]
STEPS = {*CREATED, *REMOVED, "SetVrrpPeers", "TrackInterface"}
ONE = {"addresses": ["192.0.2.254"]}


def planned(observed: State | None, vrrp: object, *, loop: bool = True) -> Plan:
    """Return the plan to an eth0 with virtual routers, with a loopback beside it; None is without the key."""
    eth0 = {"addresses": ["192.0.2.1/24", "2001:db8::1/64"], **({} if vrrp is None else {"vrrp": vrrp})}
    loops = {"loopbacks": {"loop1": {"addresses": ["198.51.100.1/24"]}}} if loop else {}
    configuration = configuration_of({"interfaces": {"eth0": eth0}, **loops})
    state = assumed_state(configuration) if observed is None else observed
    return make_plan(state, resolve(configuration, state).desired)


def names(plan: Plan) -> list[str]:
    return [name for each in plan.operations if (name := type(each).__name__) in STEPS]


def test_each_family_is_a_router_and_peers_come_before_it_starts() -> None:
    entry = {"addresses": ["192.0.2.254", "2001:db8::fe"], "unicast-peers": ["192.0.2.2", "2001:db8::2"]}
    plan = planned(None, {5: entry})
    assert sorted(plan.desired.of(VirtualRouter)) == ["eth0 5", "eth0 5 ipv6"]
    assert names(plan) == ["CreateVirtualRouter"] * 2 + ["SetVrrpPeers"] * 2 + ["StartVirtualRouter"] * 2


@pytest.mark.parametrize(
    ("after", "impact", "text"),
    [
        ({5: {**ONE, "state": "down"}}, Impact.REMOVE, "virtual router eth0 5 answers for its addresses no more"),
        ({}, Impact.REMOVE, "virtual router eth0 5 answers for its addresses no more"),
        ({5: {"addresses": ["192.0.2.253"]}}, Impact.REMOVE, "virtual router eth0 5 gives addresses up"),
        ({5: {**ONE, "priority": 90}}, Impact.FLAP, "virtual router eth0 5 flaps"),
        ({5: {**ONE, "track": {"loop1": 50}}}, Impact.NONE, ""),
    ],
    ids=str,
)
def test_a_router_that_stops_is_a_loss_that_protection_forbids(after: object, impact: Impact, text: str) -> None:
    plan = planned(planned(None, {5: ONE}).desired, after)
    assert plan.impact is impact
    assert [each.text.partition(",")[0] for each in consequences(plan)] == ([text] if text else [])
    assert harm(plan, ["eth0"]).endswith(f"{impact.label} on eth0" if text else "")


def test_the_router_in_waiting_is_less_of_a_loss() -> None:
    before = planned(None, {5: ONE}).desired
    routers = {name: replace(each, state=VrrpState.BACKUP) for name, each in before.of(VirtualRouter).items()}
    plan = planned(replace(before, objects={**before.objects, VirtualRouter: routers}), {5: {**ONE, "state": "down"}})
    assert plan.impact is Impact.DEGRADE


@pytest.mark.parametrize(
    ("after", "steps"),
    [
        ({5: {**ONE, "priority": 90}}, [*REMOVED, *CREATED]),
        ({5: {**ONE, "interval": 20}}, [*REMOVED, *CREATED]),
        ({5: {**ONE, "state": "down"}}, ["StopVirtualRouter"]),
        ({5: {**ONE, "track": {"loop1": 50}}}, ["TrackInterface"]),
        ({}, REMOVED),
        (None, []),
    ],
    ids=str,
)
def test_a_change_stops_a_router_where_vpp_needs_it_and_goes_back(after: object, steps: list[str]) -> None:
    before = planned(None, {5: ONE}).desired
    plan = planned(before, after)
    assert names(plan) == steps
    back = reverse_plan(plan)
    assert back.reached.of(VirtualRouter) == before.of(VirtualRouter)


@pytest.mark.parametrize(
    ("vrrp", "end"), [({}, "goes with it"), ({5: {**ONE, "accept": True, "interval": 20}}, "left alone")]
)
def test_the_address_of_a_master_goes_when_it_stops_for_good(vrrp: object, end: str) -> None:
    before = {"interfaces": {"eth0": {"addresses": ["192.0.2.1/24"], "vrrp": {5: {**ONE, "accept": True}}}}}
    after = {"interfaces": {"eth0": {**before["interfaces"]["eth0"], "vrrp": vrrp}}}
    with connected(SimulatedVpp(ports=[PhysicalPort(name="eth0")])) as plane:
        for data in (before, after):
            observed = plane.observe()
            plan = plan_on(plane, observed, resolve(configuration_of(data), observed).desired)
            plane.perform(plan.operations)
    assert f"192.0.2.254/24 on eth0 is VRRP's: {end}" in list(notes(plan))


@pytest.mark.parametrize("vrrp", [{5: {**ONE, "priority": 255, "accept": True}}, {}], ids=["owner", "none"])
def test_a_master_that_stops_leaves_the_address_that_its_interface_is_to_have(vrrp: object) -> None:
    """VPP takes it off with the master (vrrp_vr_transition_addrs), and an owner has to have it."""
    before = {"interfaces": {"eth0": {"addresses": ["192.0.2.1/24"], "vrrp": {5: {**ONE, "accept": True}}}}}
    after = {"interfaces": {"eth0": {"addresses": ["192.0.2.1/24", "192.0.2.254/24"], "vrrp": vrrp}}}
    with connected(SimulatedVpp(ports=[PhysicalPort(name="eth0")])) as plane:
        for data in (before, after, before):
            observed = plane.observe()
            plan = plan_on(plane, observed, resolve(configuration_of(data), observed).desired)
            assert plane.perform(plan.operations).refusals == ()
            now = plane.observe()
            assert list(diff(now, resolve(configuration_of(data), now).desired)) == []


def test_another_number_for_a_tracked_interface_is_taken_back_and_set_again() -> None:
    before = planned(None, {5: {**ONE, "track": {"loop1": 50}}}).desired
    assert names(planned(before, {5: {**ONE, "track": {"loop1": 60}}})) == ["TrackInterface", "TrackInterface"]


def test_a_tracked_interface_is_let_go_before_it_is_deleted() -> None:
    before = planned(None, {5: {**ONE, "track": {"loop1": 50}}}).desired
    operations = [type(each).__name__ for each in planned(before, {5: ONE}, loop=False).operations]
    assert operations.index("TrackInterface") < operations.index("DeleteLoopback")


def test_who_is_master_is_no_difference() -> None:
    assert VirtualRouter(interface="eth0", vr_id=5, addresses=(), state=VrrpState.MASTER) == VirtualRouter(
        interface="eth0", vr_id=5, addresses=(), state=VrrpState.BACKUP
    )


def test_a_script_becomes_the_key(tmp_path: Path) -> None:
    script = tmp_path / "routers.vpp"
    script.write_text(
        "create loopback interface instance 1\ncreate loopback interface instance 2\n"
        "set interface state loop1 up\nset interface state loop2 up\nset interface ip address loop1 192.0.2.1/24\n"
        "vrrp vr add loop1 vr_id 5 priority 200 interval 20 accept_mode unicast 192.0.2.254\n"
        "vrrp peers loop1 vr_id 5 192.0.2.2\nvrrp vr track-if add loop1 vr_id 5 track-index 2 priority 50\n"
        "vrrp proto start loop1 vr_id 5\n"
    )
    main(
        ["-q", "adopt", "--from", str(script), "-o", str(tmp_path / "made.yaml"), "--rest", str(tmp_path / "rest.vpp")]
    )
    text = (tmp_path / "made.yaml").read_text()
    assert "addresses: [ 192.0.2.254 ]" in text
    assert "track: { loop2: 50 }" in text
    assert "unicast-peers: [ 192.0.2.2 ]" in text


@pytest.mark.parametrize("answers", [True, False])
def test_peers_are_read_at_the_prompt_where_vpp_finds_no_router_to_list_them_of(
    answers: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not answers:
        monkeypatch.setitem(vpp._ANSWERS, "vrrp_vr_peer_dump", lambda *_: iter(()))
    simulated = SimulatedVpp(ports=[PhysicalPort(name="eth0"), PhysicalPort(name="eth1")])
    for line in (
        "set interface state eth0 up",
        "set interface ip address eth0 192.0.2.1/24",
        "set interface ip address eth0 2001:db8::1/64",
        "vrrp vr add eth0 vr_id 5 unicast 192.0.2.254",
        "vrrp vr add eth0 vr_id 5 ipv6 unicast 2001:db8::fe",
        "vrrp vr add eth0 vr_id 6 unicast 192.0.2.253",
        "vrrp peers eth0 vr_id 5 192.0.2.3 192.0.2.2",
        "vrrp peers eth0 vr_id 5 ipv6 2001:db8::2",
    ):
        assert simulated.run_line(line)[0] == 0, line
    with connected(simulated) as plane:
        found = plane.observe().of(VirtualRouter).values()
    assert {(each.vr_id, each.is_ipv6): each.peers for each in found} == {
        (5, False): ("192.0.2.2", "192.0.2.3"),
        (5, True): ("2001:db8::2",),
        (6, False): (),
    }


def test_a_router_that_tracks_a_deleted_interface_is_made_anew() -> None:
    """VPP goes on lowering its priority, and takes nothing off that is gone (vrrp_vr_tracking_if_add_del)."""
    simulated = SimulatedVpp(ports=[PhysicalPort(name="eth0")])
    eth0 = "interfaces: { eth0: { addresses: [ 192.0.2.1/24 ], vrrp: { 5: { addresses: [ 192.0.2.254 ]%s } } } }\n"
    tracking = eth0 % ", track: { loop1: 50 }" + "loopbacks: { loop1: {} }\n"
    with connected(simulated) as plane:
        for text in (tracking, eth0 % ""):
            observed = plane.observe()
            plan = make_plan(observed, resolved(text, observed).desired)
            reverse_plan(plan)
            apply_to(plan, plane)
            simulated.run_line("delete loopback interface intfc loop1")
        assert names(plan) == [*REMOVED, *CREATED]
        observed = plane.observe()
        assert make_plan(observed, resolved(text, observed).desired).steps == ()
