"""A State is loaded as it stands, and VPP's dumps show it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from tests.unit.simulator.wire import Wire
from vppcfg.errors import UsageError
from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind, OtherMatch, TagRewrite
from vppcfg.model.lcp import LcpPair, LcpSettings
from vppcfg.model.state import Facts, State
from vppcfg.model.vrf import FibTable
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp

ALL = 0xFFFFFFFF
STATE = State(
    interfaces={
        "eth0": Interface(
            name="eth0",
            kind=InterfaceKind.PHYSICAL,
            device_class="rdma",
            mac="02:00:00:00:00:09",
            link_mtu=9100,
            packet_mtu=9000,
            is_up=True,
            tag="vppcfg uplink",
            addresses=frozenset({"10.0.0.1/24", "2001:db8::1/64"}),
        ),
        "eth0.100": Interface(
            name="eth0.100",
            kind=InterfaceKind.SUB_INTERFACE,
            parent="eth0",
            sub_id=100,
            encapsulation=Encapsulation(outer=100, is_exact=True),
            packet_mtu=1500,
            is_up=True,
        ),
        "eth0.101": Interface(
            name="eth0.101",
            kind=InterfaceKind.SUB_INTERFACE,
            parent="eth0",
            sub_id=101,
            encapsulation=Encapsulation(outer=100, inner=7, is_dot1ad=True, is_exact=True),
        ),
        "eth0.102": Interface(
            name="eth0.102",
            kind=InterfaceKind.SUB_INTERFACE,
            parent="eth0",
            sub_id=102,
            encapsulation=OtherMatch(flags=0x20),
            l2xc="eth1",
            tag_rewrite=TagRewrite(operation=1, push_dot1q=1, tag1=5),
        ),
        "eth1": Interface(name="eth1", kind=InterfaceKind.PHYSICAL, device_class="dpdk", tables=(10, 0)),
        "loop0": Interface(name="loop0", kind=InterfaceKind.LOOPBACK, device_class="Loopback", packet_mtu=9000),
    },
    lcps={
        "eth0": LcpPair(host_name="e0"),
        "eth0.100": LcpPair(host_name="e0.100"),
        "eth1": LcpPair(host_name="e1", netns="dataplane"),
        "eth0.101": LcpPair(host_name="orphan", has_host=False),
    },
    vrfs={"ipv4-VRF:10": FibTable(table_id=10, name="red")},
    facts=Facts(lcp=LcpSettings(default_netns="dataplane", is_sync=True, is_auto_subint=True)),
)
SUB = STATE.interfaces["eth0.100"]


@contextmanager
def served(vpp: SimulatedVpp) -> Iterator[Wire]:
    with SimulatorServer(vpp) as server:
        wire = Wire.to(vpp, server)
        yield wire
        wire.close()


def test_ports_stand_before_the_state_and_are_not_doubled() -> None:
    vpp = SimulatedVpp(state=STATE, ports=[PhysicalPort(name="eth9"), PhysicalPort(name="eth1")])
    assert [vpp.tables.name_of(row) for row in vpp.tables.sw][:4] == ["local0", "eth9", "eth1", "eth0"]


def test_encapsulations_of_a_state_are_taken() -> None:
    vpp = SimulatedVpp(state=STATE)
    row = vpp.tables.named("eth0")
    assert row is not None
    with served(vpp) as wire:
        assert wire.call("create_subif", row.index, 200, 0x12, 100, 0)[0] == -1
        assert wire.call("create_subif", row.index, 201, 0x12, 201, 0)[0] == 0


def test_an_empty_state_is_a_vpp_with_local0() -> None:
    with served(SimulatedVpp(state=State())) as wire:
        assert len(wire.dump("sw_interface_dump", ALL, False, b"")) == 1


def test_two_sub_interfaces_may_have_one_encapsulation() -> None:
    """VPP can be brought to that, and a state that was observed must be loaded."""
    twin = replace(SUB, name="eth0.200", sub_id=200)
    vpp = SimulatedVpp(state=State(interfaces={**STATE.interfaces, "eth0.200": twin}, vrfs=STATE.vrfs))
    assert vpp.tables.named("eth0.200") is not None


@pytest.mark.parametrize(
    ("interfaces", "lcps", "words"),
    [
        ({"eth9.1": replace(SUB, name="eth9.1", parent="eth9")}, {}, "not its parent eth9"),
        (
            {"eth0.7": replace(SUB, name="eth0.7", sub_id=7, encapsulation=OtherMatch(flags=66))},
            {},
            "VPP cannot have eth0.7: not implemented yet",
        ),
        ({"eth2": replace(STATE.interfaces["eth0"], name="eth2")}, {}, r"the address 10\.0\.0\.1 twice"),
        ({"eth0": replace(STATE.interfaces["eth0"], tables=(0, 7))}, {}, "eth0 in FIB table 7, and no such table"),
        ({}, {"nobody": LcpPair(host_name="x")}, "LCP pair on nobody but no such interface"),
        ({}, {"eth1": LcpPair(host_name="e0")}, r"LCP pair e0 on eth1 \(-13\)"),
        ({}, {"eth0.101": LcpPair(host_name="a b")}, r"LCP pair a b on eth0\.101 \(-73\)"),
    ],
)
def test_a_state_that_no_vpp_can_be_in_is_an_error(
    interfaces: dict[str, Interface], lcps: dict[str, LcpPair], words: str
) -> None:
    pairs = {"eth0": LcpPair(host_name="e0"), **lcps}
    state = State(interfaces={**STATE.interfaces, **interfaces}, lcps=pairs, vrfs=STATE.vrfs)
    with pytest.raises(UsageError, match=words):
        SimulatedVpp(state=state)
