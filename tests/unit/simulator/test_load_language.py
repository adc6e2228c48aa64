"""A State of the whole language is loaded as it stands."""

from dataclasses import replace
from typing import Any

import pytest

from vppcfg.errors import UsageError
from vppcfg.model.acl import Acl, AclAction, AclBinding, AclRule
from vppcfg.model.bond import Bond, BondMode, LoadBalance, Membership
from vppcfg.model.bridge import Bridge, BridgeSettings
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.state import SflowSettings, State
from vppcfg.model.tap import Tap
from vppcfg.model.tunnel import Gre, Vxlan
from vppcfg.simulator.kinds import mpls
from vppcfg.simulator.kinds.sflow import SflowMain
from vppcfg.simulator.tables import SwInterface, Tables
from vppcfg.simulator.vpp import SimulatedVpp

RULE = AclRule(action=AclAction.PERMIT, source="10.0.0.0/8", destination="0.0.0.0/0", protocol=6)


def interface(name: str, kind: InterfaceKind = InterfaceKind.PHYSICAL, mac: str = "", **more: Any) -> Interface:
    return replace(Interface(name=name, kind=kind, mac=mac, link_mtu=9000, packet_mtu=9000), **more)


INTERFACES = (
    interface("eth0", mac="02:00:00:00:00:01", has_sflow=True),
    interface("eth1", mac="02:00:00:00:00:01"),
    interface("eth2", bridge=10, split_horizon_group=2),
    interface("loop7", InterfaceKind.LOOPBACK, "de:ad:00:00:00:07", bridge=10, is_bvi=True),
    interface("loop8", InterfaceKind.LOOPBACK, addresses=frozenset({"10.0.0.1/24"}), has_mpls=True),
    interface("BondEthernet3", InterfaceKind.BOND, "02:00:00:00:00:01", unnumbered="loop8"),
    interface("vxlan_tunnel5", InterfaceKind.VXLAN, acls=AclBinding(input=("mine", "acl:@4"))),
    replace(interface("gre1", InterfaceKind.GRE), link_mtu=None, has_gso=True),
    interface("tap2", InterfaceKind.TAP, is_up=True),
)
STATE = State(
    interfaces={one.name: one for one in INTERFACES},
    virtual={
        "BondEthernet3": Bond(
            mode=BondMode.XOR,
            load_balance=LoadBalance.L23,
            members={"eth0": Membership(), "eth1": Membership(is_long_timeout=True)},
        ),
        "vxlan_tunnel5": Vxlan(local="192.0.2.1", remote="192.0.2.2", vni=100),
        "gre1": Gre(local="192.0.2.1", remote="192.0.2.2", key=9),
        "tap2": Tap(host_name="vt2", host_mtu=1500, rx_ring_size=512),
    },
    bridges={"bd10": Bridge(bd_id=10, settings=BridgeSettings(learn=False, mac_age_minutes=3), tag="vppcfg")},
    acls={"mine": Acl(rules=(RULE,), tag="vppcfg mine", index=2), "acl:@4": Acl(rules=(), index=4)},
    sflow=SflowSettings(sampling_rate=5),
    has_mpls_table=True,
)


@pytest.fixture
def tables() -> Tables:
    return SimulatedVpp(state=STATE).tables


def row(tables: Tables, name: str) -> SwInterface:
    found = tables.named(name)
    assert found is not None
    return found


def test_switches_and_borrowed_addresses_are_set(tables: Tables) -> None:
    assert mpls.is_enabled(tables, row(tables, "loop8").index)
    assert tables.part(SflowMain).ports == [row(tables, "eth0").hw_index]
    assert tables.part(SflowMain).sampling_rate == 5
    assert row(tables, "BondEthernet3").unnumbered == row(tables, "loop8").index


def test_ports_without_a_mac_have_one_made_up(tables: Tables) -> None:
    macs = [tables.hw_of(row(tables, name)).mac for name in ("eth2", "loop8", "tap2")]
    assert all(any(mac) for mac in macs)
    assert len(set(macs)) == 3


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"interfaces": {"eth0": interface("eth0", acls=AclBinding(input=("gone",)))}}, "the access list gone on eth0"),
        (
            {"virtual": {**STATE.virtual, "vxlan_tunnel6": STATE.virtual["vxlan_tunnel5"]}},
            r"VPP cannot have vxlan_tunnel6 \(-75\)",
        ),
        ({"virtual": {"tap2": Tap(host_name="a/b")}}, r"VPP cannot have tap2 \(-13\)"),
        ({"virtual": {"BondEthernet3": Bond(members={"eth9": Membership()})}}, "eth9 as a member of BondEthernet3"),
    ],
)
def test_a_state_that_no_vpp_can_be_in_is_an_error(change: dict[str, Any], words: str) -> None:
    twin = interface("vxlan_tunnel6", InterfaceKind.VXLAN)
    state = replace(STATE, interfaces={**STATE.interfaces, "vxlan_tunnel6": twin})
    extra = change.get("interfaces")
    merged = {**change, "interfaces": {**state.interfaces, **extra}} if isinstance(extra, dict) else change
    with pytest.raises(UsageError, match=words):
        SimulatedVpp(state=replace(state, **merged))
