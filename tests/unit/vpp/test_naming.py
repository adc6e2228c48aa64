"""What interfaces are called is asked of VPP at the least cost, and without its definitions where they are known."""

from pathlib import Path
from typing import Any

import pytest

from vppcfg.model.monitored import MonitoredDet44Map, MonitoredPolicer, MonitoredVirtualRouter
from vppcfg.model.ownership import tag_for
from vppcfg.simulator.kinds import policer
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.releases import RELEASES
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.vpp import naming
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.naming import InterfaceNaming


def router(release: str = "26.10") -> SimulatedVpp:
    return SimulatedVpp(release=release, ports=[PhysicalPort(name="eth0"), PhysicalPort(name="eth1")])


@pytest.mark.parametrize("release", [each.name for each in RELEASES])
def test_no_release_is_asked_for_definitions(release: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Connection, "_learn_definitions", lambda *_: pytest.fail("VPP was asked"))
    vpp = router(release)
    with SimulatorServer(vpp, tmp_path / "api.sock"), InterfaceNaming(str(tmp_path / "api.sock")) as found:
        assert [each.name for each in found.interfaces()] == ["eth0", "eth1"]
        assert found.version.startswith(release)
        (queue,) = found.queues({1: "eth0"})
        assert (queue.interface, queue.queue, queue.thread) == ("eth0", 0, 0)


def test_a_vpp_with_another_message_is_asked_for_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document: dict[str, Any] = {"messages": [["sw_interface_dump", {"crc": "0x1"}]]}
    monkeypatch.setattr(naming, "_DOCUMENT", document)
    with SimulatorServer(router(), tmp_path / "api.sock"), InterfaceNaming(str(tmp_path / "api.sock")) as found:
        assert [each.name for each in found.interfaces()] == ["eth0", "eth1"]


def test_an_interface_has_its_state_and_description(tmp_path: Path) -> None:
    vpp = router()
    vpp.run_line("set interface state eth0 up")
    vpp.run_line("create sub-interfaces eth0 100")
    row = vpp.tables.named("eth1")
    assert row is not None
    row.tag = tag_for("to Zurich").encode()
    with SimulatorServer(vpp, tmp_path / "api.sock"), InterfaceNaming(str(tmp_path / "api.sock")) as found:
        first, second, sub = found.interfaces()
    assert (first.is_up, first.kind, first.description) == (True, "physical", "")
    assert (second.is_up, second.description) == (False, "to Zurich")
    assert (sub.name, sub.is_sub) == ("eth0.100", True)


@pytest.mark.parametrize("is_served", [False, True])
def test_virtual_routers_have_their_state_and_maps_of_det44_their_sessions(
    is_served: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_served:
        monkeypatch.setattr(naming, "_DOCUMENT", {"messages": [["sw_interface_dump", {"crc": "0x1"}]]})
    vpp = router()
    for line in (
        "set interface state eth0 up",
        "set interface ip address eth0 192.0.2.1/24",
        "vrrp vr add eth0 vr_id 5 priority 200 192.0.2.254",
        "vrrp vr add eth1 vr_id 6 ipv6 fe80::1",
        "vrrp proto start eth0 vr_id 5",
        "det44 plugin enable",
        "det44 add in 100.64.0.0/24 out 203.0.113.4/30",
    ):
        assert vpp.run_line(line)[0] == 0, line
    with SimulatorServer(vpp, tmp_path / "api.sock"), InterfaceNaming(str(tmp_path / "api.sock")) as found:
        assert found.virtual_routers({1: "eth0", 2: "eth1"}) == [
            MonitoredVirtualRouter(interface="eth0", vr_id=5, is_ipv6=False, state="master", priority=200),
            MonitoredVirtualRouter(interface="eth1", vr_id=6, is_ipv6=True, state="stopped", priority=100),
        ]
        assert found.virtual_routers({2: "eth1"})[0].interface == "eth1"
        (of_map,) = found.det44_maps()
        assert of_map == MonitoredDet44Map(inside="100.64.0.0/24", outside="203.0.113.4/30", hosts=256, sessions=0)


def test_policers_have_their_rate_and_the_index_of_their_counters(tmp_path: Path) -> None:
    vpp = router()
    for name in (b"other", b"vppcfg:gold:eth0"):
        policer.add(vpp.tables, name, {"cir": 8000})
    vpp.tables.part(policer.PolicerMain).policers.remove(0)
    with SimulatorServer(vpp, tmp_path / "api.sock"), InterfaceNaming(str(tmp_path / "api.sock")) as found:
        assert found.policers() == [MonitoredPolicer(index=1, policer="gold", user="eth0", rate_kbps=8000)]


def test_a_vpp_without_the_plugins_has_neither(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Connection, "_learn_definitions", lambda *_: pytest.fail("VPP was asked"))
    vpp = SimulatedVpp(ports=[PhysicalPort(name="eth0")], plugins=("acl",))
    with SimulatorServer(vpp, tmp_path / "api.sock"), InterfaceNaming(str(tmp_path / "api.sock")) as found:
        assert (found.virtual_routers({1: "eth0"}), found.det44_maps()) == ([], [])
