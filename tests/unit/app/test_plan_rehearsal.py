"""What a rehearsal of a plan can have of a router, and how it compares what it finds."""

from dataclasses import replace
from pathlib import Path

import pytest

from vppcfg.app.plan_rehearsal import default_way, labels_of, unlike_text
from vppcfg.app.rehearsal_scope import RehearsalScope, heap_bytes
from vppcfg.errors import LinuxError
from vppcfg.kinds.lcp.operations import CreateLcpPair
from vppcfg.kinds.linux_device import CreateNamespace
from vppcfg.kinds.path_mtu import SetPathMtu
from vppcfg.linux.private_vpp import PrivateVpp, VppEnvironment, private_vpp
from vppcfg.model.det44 import Det44Map
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.lcp import LcpPair
from vppcfg.model.nat44 import Nat44, memory_bytes
from vppcfg.model.path_mtu import PathMtu
from vppcfg.model.route import NextHop, Route
from vppcfg.model.state import State
from vppcfg.plan.diff import diff
from vppcfg.plan.plan import make_plan
from vppcfg.probe.network import Network
from vppcfg.record import evolve

PORT = Interface(name="eth0", kind=InterfaceKind.PHYSICAL, mac="02:00:00:00:00:01", packet_mtu=1500)


def test_a_difference_of_the_same_object_is_not_hidden_by_one_that_is_known() -> None:
    before, known, now = (
        State(interfaces={"eth0": each})
        for each in (PORT, evolve(PORT, is_up=True), evolve(PORT, is_up=True, packet_mtu=9000))
    )
    assert unlike_text(diff(known, before), diff(known, before)) == ""
    assert unlike_text(diff(now, before), diff(known, before)) == "eth0 packet_mtu"


def test_the_definitions_of_another_release_are_those_of_its_folder(tmp_path: Path) -> None:
    vpp = PrivateVpp(pid=1, prefix=tmp_path)
    assert vpp.json_dir is None
    (tmp_path / "share/vpp/api").mkdir(parents=True)
    assert vpp.json_dir == str(tmp_path / "share/vpp/api")


def test_the_heap_has_room_for_what_nat_and_routes_need() -> None:
    big = Det44Map(inside="100.64.0.0/16", outside="203.0.113.0/24")
    observed = State(objects={Det44Map: {big.name: big}, Nat44: {Nat44().name: Nat44(sessions=1_000_000)}})
    plan = make_plan(observed, observed)
    bare = heap_bytes(make_plan(State(), State()), routes=0, threads=2)
    assert heap_bytes(plan, routes=0, threads=2) == bare + big.memory_bytes + memory_bytes(1_000_000, 2)
    assert heap_bytes(plan, routes=1_000_000, threads=2) > heap_bytes(plan, routes=0, threads=2) + 463 * 1_000_000


def test_routes_lead_by_the_default_gateway_on_its_link() -> None:
    port = evolve(PORT, is_up=True, addresses=frozenset({"192.0.2.1/24"}))
    state = State(interfaces={"eth0": port})
    ways = []
    for gateway in ("192.0.2.9", "203.0.113.9"):
        route = Route(prefix="0.0.0.0/0", table_id=0, hops=(NextHop(gateway=gateway),))
        ways.append(default_way(Network(replace(state, objects={Route: {route.name: route}}))))
    assert [*ways, default_way(Network(state))] == ["192.0.2.9 eth0", "drop", "drop"]


def test_a_vpp_that_linux_has_no_memory_for_is_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vppcfg.linux.private_vpp.require_startable", lambda prefix: None)
    with (
        pytest.raises(LinuxError, match=r"may need .* GB of memory, and Linux has "),
        private_vpp(Path("/usr"), VppEnvironment(heap_bytes=1 << 60)),
    ):
        pass


def test_an_operation_is_about_its_object_and_no_other_of_that_name() -> None:
    assert labels_of(SetPathMtu(item=PathMtu(address="192.0.2.1", mtu=1400))) == ("path MTU to 192.0.2.1",)
    pair = CreateLcpPair(interface="eth0.100", host_name="e0", netns="", is_default_netns=True)
    assert labels_of(pair) == ("interface eth0.100", "interface eth0")


def test_pairs_are_rehearsed_where_linux_can_have_their_devices() -> None:
    port, sub = (
        CreateLcpPair(interface=name, host_name=name, netns="", is_default_netns=True) for name in ("eth0", "eth0.100")
    )
    subs = frozenset({"eth0.100"})
    scopes = [
        RehearsalScope(sub_interfaces=subs),
        RehearsalScope(sub_interfaces=subs, without_vlan_pairs="no VLANs"),
        RehearsalScope(sub_interfaces=subs, without_pairs="no TAPs"),
    ]
    state = State(lcps={name: LcpPair(host_name=name) for name in ("eth0", "eth0.100")})
    found = [(each.why_left_out(port), each.why_left_out(sub), list(each.stand_in(state).lcps)) for each in scopes]
    assert found == [
        ("", "", ["eth0", "eth0.100"]),
        ("", "no VLANs", ["eth0"]),
        ("no TAPs", "no TAPs", []),
    ]
    assert scopes[0].why_left_out(CreateNamespace(netns="dataplane")) == "a rehearsal changes nothing in Linux"
