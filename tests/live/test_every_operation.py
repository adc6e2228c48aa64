"""Every operation on a real VPP: what it does is what is observed, and doing the opposite leaves nothing behind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.real_vpp import RealVpp, release, running, since, skip_reason
from vppcfg.common.addresses import link_local_of
from vppcfg.dataplane import ForeignRoutes, Performance
from vppcfg.kinds.address import AddAddress
from vppcfg.kinds.bond.operations import CreateBond, DeleteBond
from vppcfg.kinds.gre import CreateGre, DeleteGre
from vppcfg.kinds.gso import SetGso
from vppcfg.kinds.host_interface import CreateHostInterface, DeleteHostInterface
from vppcfg.kinds.ipfix import SetFlowRecords
from vppcfg.kinds.ipfix_settings import SetFlowParams, SetIpfixExporter
from vppcfg.kinds.ipip import CreateIpip, DeleteIpip
from vppcfg.kinds.lldp import SetLldp, SetLldpSettings
from vppcfg.kinds.loopback import CreateLoopback, DeleteLoopback
from vppcfg.kinds.memif import CreateMemif, DeleteMemif
from vppcfg.kinds.memif_socket import CreateMemifSocket, DeleteMemifSocket
from vppcfg.kinds.mirror import SetMirror
from vppcfg.kinds.mpls import CreateMplsTable, SetMpls
from vppcfg.kinds.mss_clamp import SetMssClamp
from vppcfg.kinds.proxy_arp import SetProxyArp
from vppcfg.kinds.proxy_arp_ranges import AddProxyArp, RemoveProxyArp
from vppcfg.kinds.ra_operations import ResetRa, SetRa, SetRaPrefix, SilenceRa
from vppcfg.kinds.sflow import SetSflow, SetSflowHeaderBytes, SetSflowPollingInterval, SetSflowSamplingRate
from vppcfg.kinds.sub_interface import DeleteSubInterface
from vppcfg.kinds.tap.operations import CreateTap, DeleteTap
from vppcfg.kinds.unnumbered import SetUnnumbered, UnsetUnnumbered
from vppcfg.kinds.urpf import SetUrpf
from vppcfg.kinds.vhost_user import CreateVhostUser, DeleteVhostUser
from vppcfg.kinds.vrf_operations import CreateVrf, DeleteVrf, MarkVrfRoutes, ReleaseTypedVrf, SetTable, SweepVrfRoutes
from vppcfg.kinds.vxlan import CreateVxlan, DeleteVxlan
from vppcfg.model.acl import Acl, AclAction, AclBinding, AclRule, MacipAction, MacipRule
from vppcfg.model.bond import Bond, BondMode, LoadBalance, Membership
from vppcfg.model.bridge import Bridge, BridgeSettings, StaticMac
from vppcfg.model.features import (
    DhcpClient,
    Lldp,
    Mirror,
    MssLimit,
    ProxyArp,
    RaPrefix,
    RouterAdvertisements,
    TrafficDirection,
    UrpfCheck,
    UrpfMode,
)
from vppcfg.model.host_interface import HostInterface
from vppcfg.model.interface import Interface, InterfaceKind, RxMode
from vppcfg.model.ipfix import FlowLayer, FlowParams, FlowRecords, FlowVariant, IpfixExporter, IpfixSettings
from vppcfg.model.lcp import LcpPair
from vppcfg.model.memif import Memif, MemifMode, MemifRole
from vppcfg.model.neighbor import Neighbor
from vppcfg.model.ownership import CREATED_MARK
from vppcfg.model.state import LldpSettings, SflowSettings, State
from vppcfg.model.tap import Tap
from vppcfg.model.tunnel import Gre, GreMode, Ipip, Vxlan
from vppcfg.model.vhost_user import VhostUser, VhostUserRole
from vppcfg.model.vrf import FibTable
from vppcfg.plan import operations as op
from vppcfg.vpp.live import LiveDataplane, connect

REASON = skip_reason()
pytestmark = [pytest.mark.live, pytest.mark.skipif(REASON is not None, reason=REASON or "")]

PORTS = ("port0", "port1", "port2", "port3")
MACS = tuple(f"02:00:00:00:00:0{number}" for number in (1, 2, 3, 4))


@pytest.fixture(scope="module")
def vpp() -> Iterator[RealVpp]:
    """Return a VPP that every test leaves as it found it."""
    with running(PORTS) as process:
        process.add_netns("blue")
        process.ip("link", "add", "br0", "type", "bridge")
        yield process


@pytest.fixture
def plane(vpp: RealVpp) -> Iterator[LiveDataplane]:
    """Return a connection, and see that the test undid what it did."""
    with connect(str(vpp.socket_path)) as connection:
        before = connection.observe()
        yield connection
        after = connection.observe()
        assert replace(after, has_mpls_table=before.has_mpls_table) == before


def do(plane: LiveDataplane, *operations: op.Operation) -> State:
    """Carry out `operations`, all of them, and return the state."""
    assert plane.perform(operations) == Performance(done=tuple(range(len(operations))))
    return plane.observe()


def refused(plane: LiveDataplane, operation: op.Operation) -> int:
    """Return VPP's code for refusing `operation`."""
    (refusal,) = plane.perform([operation]).refusals
    return refusal.retval


def loopback(number: int, mac: str = "") -> CreateLoopback:
    return CreateLoopback(interface=f"loop{number}", instance=number, mac=mac)


def test_a_loopback_is_made_as_told_and_goes_with_its_sub_interfaces(plane: LiveDataplane) -> None:
    state = do(plane, loopback(5, "02:00:00:00:05:05"), loopback(6))
    assert state.interfaces["loop5"] == Interface(
        name="loop5",
        kind=InterfaceKind.LOOPBACK,
        device_class="Loopback",
        mac="02:00:00:00:05:05",
        packet_mtu=9000,
    )
    assert state.interfaces["loop6"].mac == "de:ad:00:00:00:06"
    assert do(plane, op.SetMac(interface="loop6", mac="02:00:00:00:06:06")).interfaces["loop6"].mac.endswith("06:06")
    assert refused(plane, loopback(5)) == -31
    do(plane, DeleteLoopback(interface="loop5"), DeleteLoopback(interface="loop6"))


@pytest.mark.parametrize(
    ("mode", "load_balance", "shown"),
    [
        (BondMode.ROUND_ROBIN, None, "round-robin"),
        (BondMode.ACTIVE_BACKUP, None, "active-backup"),
        (BondMode.XOR, LoadBalance.L2, "l2"),
        (BondMode.BROADCAST, None, "broadcast"),
        (BondMode.LACP, LoadBalance.L23, "l23"),
        (BondMode.LACP, LoadBalance.L34, "l34"),
    ],
)
def test_a_bond_is_made_as_told(
    plane: LiveDataplane, vpp: RealVpp, mode: BondMode, load_balance: LoadBalance | None, shown: str
) -> None:
    bond = CreateBond(interface="BondEthernet3", instance=3, mode=mode, load_balance=load_balance, mac="")
    assert do(plane, bond).virtual == {"BondEthernet3": Bond(mode=mode, load_balance=load_balance)}
    text = vpp.cli("show bond details")[1]
    assert (f"mode: {mode.value}" in text, f"load balance: {shown}" in text) == (True, True)
    do(plane, DeleteBond(interface="BondEthernet3"))


def test_members_take_the_mac_of_their_bond_and_get_their_own_back(plane: LiveDataplane) -> None:
    mac = "02:00:00:00:03:03"
    state = do(
        plane,
        CreateBond(
            interface="BondEthernet3",
            instance=3,
            mode=BondMode.LACP,
            load_balance=LoadBalance.L34,
            mac=mac,
            is_numa_only=True,
        ),
        op.AddBondMember(interface="port0", bond="BondEthernet3", is_passive=True, is_long_timeout=True),
        op.AddBondMember(interface="port1", bond="BondEthernet3"),
    )
    members = {"port0": Membership(is_passive=True, is_long_timeout=True), "port1": Membership()}
    assert state.virtual == {"BondEthernet3": Bond(members=members, is_numa_only=True)}
    assert {state.interfaces[name].mac for name in ("BondEthernet3", "port0", "port1")} == {mac}
    state = do(plane, op.RemoveBondMember(interface="port0", bond="BondEthernet3"))
    assert (list(state.virtual_as(Bond)["BondEthernet3"].members), state.interfaces["port0"].mac) == (
        ["port1"],
        MACS[0],
    )
    assert do(plane, DeleteBond(interface="BondEthernet3")).interfaces["port1"].mac == MACS[1]


def test_a_bond_made_without_a_mac_takes_that_of_the_first_member_again_and_again(plane: LiveDataplane) -> None:
    bond = "BondEthernet0"
    create = CreateBond(
        interface=bond, instance=0, mode=BondMode.ACTIVE_BACKUP, load_balance=None, mac="", has_gso=True
    )
    state = do(
        plane,
        create,
        op.AddBondMember(interface="port2", bond=bond),
        op.SetBondWeight(interface="port2", weight=7),
    )
    assert state.virtual[bond] == Bond(
        mode=BondMode.ACTIVE_BACKUP, load_balance=None, members={"port2": Membership(weight=7)}, has_gso=True
    )
    assert state.interfaces[bond].mac == MACS[2]
    state = do(
        plane,
        op.SetMac(interface=bond, mac="02:00:00:00:00:99"),
        op.RemoveBondMember(interface="port2", bond=bond),
    )
    assert state.interfaces[bond].mac == "02:00:00:00:00:99"
    assert do(plane, op.AddBondMember(interface="port3", bond=bond)).interfaces[bond].mac == MACS[3]
    do(plane, DeleteBond(interface=bond))


def test_a_bridge_has_its_settings_and_members(plane: LiveDataplane) -> None:
    settings = BridgeSettings(learn=False, unicast_flood=False, arp_termination=True, mac_age_minutes=5)
    state = do(
        plane,
        loopback(1),
        op.CreateBridge(bd_id=9, settings=settings, tag="vppcfg lab"),
        op.JoinBridge(interface="loop1", bd_id=9, is_bvi=True),
        op.JoinBridge(interface="port0", bd_id=9, split_horizon_group=3),
    )
    assert state.bridges == {"bd9": Bridge(bd_id=9, settings=settings, tag="vppcfg lab")}
    members = {name: (one.is_bvi, one.split_horizon_group) for name, one in state.interfaces.items() if one.bridge == 9}
    assert members == {"loop1": (True, 0), "port0": (False, 3)}
    assert refused(plane, op.DeleteBridge(bd_id=9)) == -120
    assert refused(plane, op.CreateBridge(bd_id=9, settings=settings, tag="")) == -119
    do(plane, op.LeaveL2(interface="port0"), DeleteLoopback(interface="loop1"), op.DeleteBridge(bd_id=9))


@pytest.mark.parametrize("flag", op.BridgeFlag, ids=lambda flag: flag.name)
def test_every_switch_of_a_bridge_can_be_turned(plane: LiveDataplane, flag: op.BridgeFlag) -> None:
    state = do(plane, op.CreateBridge(bd_id=9, settings=BridgeSettings(), tag=""))
    was_on: bool = getattr(state.bridges["bd9"].settings, flag.value)
    turned = do(plane, op.SetBridgeFlag(bd_id=9, flag=flag, is_on=not was_on)).bridges["bd9"].settings
    assert turned == replace(BridgeSettings(), **{flag.value: not was_on})
    assert do(plane, op.SetBridgeFlag(bd_id=9, flag=flag, is_on=was_on)).bridges["bd9"] == Bridge(bd_id=9)
    do(plane, op.DeleteBridge(bd_id=9))


def test_addresses_of_a_bridge_can_age(plane: LiveDataplane) -> None:
    state = do(
        plane,
        op.CreateBridge(bd_id=16777215, settings=BridgeSettings(), tag=""),
        op.SetBridgeMacAge(bd_id=16777215, minutes=255),
    )
    assert state.bridges["bd16777215"].settings.mac_age_minutes == 255
    do(plane, op.DeleteBridge(bd_id=16777215))


def test_a_bridge_is_told_mac_addresses_and_forgets_them(plane: LiveDataplane) -> None:
    made = op.CreateBridge(bd_id=9, settings=BridgeSettings(), tag="")
    join = op.JoinBridge(interface="port1", bd_id=9)
    static = op.SetStaticMac(interface="port1", bd_id=9, mac="02:00:00:00:00:07", is_on=True)
    filtered = op.FilterMac(bd_id=9, mac="02:00:00:00:00:08")
    state = do(plane, made, join, static, filtered)
    assert state.interfaces["port1"].static_macs == (StaticMac(bd_id=9, mac="02:00:00:00:00:07"),)
    assert state.bridges["bd9"].filtered_macs == ("02:00:00:00:00:08",)
    leave = op.LeaveL2(interface="port1")
    assert do(plane, leave).interfaces["port1"].static_macs == state.interfaces["port1"].static_macs
    do(plane, static.inverse, op.ForgetMac(bd_id=9, mac=filtered.mac), op.DeleteBridge(bd_id=9))


def test_a_mac_address_of_an_interface_that_is_gone_is_seen_and_forgotten(plane: LiveDataplane) -> None:
    do(plane, op.CreateBridge(bd_id=9, settings=BridgeSettings(), tag=""))
    loopback = CreateLoopback(interface="loop9", instance=9, mac="")
    static = op.SetStaticMac(interface="loop9", bd_id=9, mac="02:00:00:00:00:07", is_on=True)
    do(plane, loopback, op.JoinBridge(interface="loop9", bd_id=9), static, op.LeaveL2(interface="loop9"))
    state = do(plane, DeleteLoopback(interface="loop9"))
    assert state.bridges["bd9"].stray_macs == ("02:00:00:00:00:07",)
    do(plane, op.ForgetMac(bd_id=9, mac="02:00:00:00:00:07"), op.DeleteBridge(bd_id=9))


@pytest.mark.parametrize(
    "vxlan",
    [
        Vxlan(local="192.0.2.1", remote="192.0.2.2", vni=16777215),
        Vxlan(local="2001:db8::1", remote="2001:db8::2", vni=1),
        Vxlan(local="192.0.2.1", remote="192.0.2.2", vni=1, source_port=4790, destination_port=65535),
    ],
    ids=["ipv4", "ipv6", "other ports"],
)
def test_a_tunnel_is_made_as_told_and_born_up(plane: LiveDataplane, vpp: RealVpp, vxlan: Vxlan) -> None:
    create = CreateVxlan(interface="vxlan_tunnel7", instance=7, tunnel=vxlan)
    state = do(plane, create)
    assert state.virtual == {"vxlan_tunnel7": vxlan}
    tunnel = state.interfaces["vxlan_tunnel7"]
    assert (tunnel.kind, tunnel.is_up, tunnel.packet_mtu) == (InterfaceKind.VXLAN, True, 9000)
    shown = vpp.cli("show vxlan tunnel")[1]
    assert f"src {vxlan.local} dst {vxlan.remote} src_port {vxlan.source_port} " in shown
    assert f"dst_port {vxlan.destination_port} vni {vxlan.vni} " in shown
    assert refused(plane, create) == -75
    do(plane, DeleteVxlan(interface="vxlan_tunnel7", instance=7, tunnel=vxlan))


def test_a_tunnel_for_l3_packets_is_not_plain(plane: LiveDataplane, vpp: RealVpp) -> None:
    line = "create vxlan tunnel src 192.0.2.1 dst 192.0.2.2 vni 5 instance 7 l3"
    assert vpp.cli(line)[0] == 0
    assert not plane.observe().virtual_as(Vxlan)["vxlan_tunnel7"].is_plain
    assert vpp.cli(f"{line} del")[0] == 0


@pytest.mark.parametrize(
    ("gre", "shown"),
    [
        (Gre(local="192.0.2.1", remote="192.0.2.2"), "payload L3 point-to-point"),
        pytest.param(
            Gre(local="2001:db8::1", remote="2001:db8::2", key=4294967295),
            "payload L3 point-to-point key 4294967295",
            marks=since("25.10"),
        ),
        pytest.param(
            Gre(local="192.0.2.1", remote="192.0.2.2", mode=GreMode.TEB, key=7),
            "payload TEB point-to-point key 7",
            marks=since("25.10"),
        ),
        (
            Gre(local="2001:db8::1", remote="2001:db8::2", mode=GreMode.ERSPAN, session=1023),
            "payload ERSPAN point-to-point session 1023",
        ),
    ],
    ids=["l3", "key", "teb", "erspan"],
)
def test_a_gre_tunnel_is_made_as_told_and_born_down(plane: LiveDataplane, vpp: RealVpp, gre: Gre, shown: str) -> None:
    create = CreateGre(interface="gre7", instance=7, tunnel=gre)
    state = do(plane, create)
    assert state.virtual == {"gre7": gre}
    tunnel = state.interfaces["gre7"]
    assert (tunnel.kind, tunnel.is_up, tunnel.packet_mtu) == (InterfaceKind.GRE, False, 9000)
    assert (tunnel.link_mtu, tunnel.mac != "") == (None, gre.has_ethernet)
    line = vpp.cli("show gre tunnel")[1]
    assert f"instance 7 src {gre.local} dst {gre.remote}" in line
    assert shown in line
    assert refused(plane, create) == -79
    do(plane, DeleteGre(interface="gre7", tunnel=gre))


@pytest.mark.parametrize(
    ("ipip", "shown"),
    [
        (Ipip(local="192.0.2.1", remote="192.0.2.2"), "flags [none] dscp CS0"),
        (Ipip(local="192.0.2.1", remote="192.0.2.2", dscp=46, flags=2), "flags [encap-set-df ] dscp EF"),
        (Ipip(local="2001:db8::1", remote="2001:db8::2", flags=255), "flags [encap-copy-df encap-set-df "),
    ],
)
def test_an_ipip_tunnel_is_made_as_told_and_born_down(
    plane: LiveDataplane, vpp: RealVpp, ipip: Ipip, shown: str
) -> None:
    create = CreateIpip(interface="ipip7", instance=7, tunnel=ipip)
    state = do(plane, create)
    assert state.virtual == {"ipip7": ipip}
    tunnel = state.interfaces["ipip7"]
    assert (tunnel.kind, tunnel.is_up, tunnel.packet_mtu) == (InterfaceKind.IPIP, False, 9000)
    assert (tunnel.link_mtu, tunnel.mac) == (None, "")
    line = vpp.cli("show ipip tunnel")[1]
    assert f"instance 7 src {ipip.local} dst {ipip.remote}" in line
    assert shown in line
    assert refused(plane, create) == -79
    pair = op.CreateLcpPair(interface="ipip7", host_name="i7", netns="", is_default_netns=True, is_tun=True)
    assert do(plane, pair).lcps == {"ipip7": LcpPair(host_name="i7", is_tun=True)}
    do(plane, op.DeleteLcpPair(interface="ipip7"), DeleteIpip(interface="ipip7", tunnel=ipip))


def test_a_gre_tunnel_without_ethernet_is_mirrored_by_a_tun(plane: LiveDataplane, vpp: RealVpp) -> None:
    gre = Gre(local="192.0.2.1", remote="192.0.2.2")
    pair = op.CreateLcpPair(interface="gre7", host_name="g7", netns="", is_default_netns=True, is_tun=True)
    state = do(plane, CreateGre(interface="gre7", instance=7, tunnel=gre), pair)
    assert state.lcps == {"gre7": LcpPair(host_name="g7", is_tun=True)}
    do(plane, op.DeleteLcpPair(interface="gre7"), DeleteGre(interface="gre7", tunnel=gre))


def test_a_gre_tunnel_with_flags_is_not_plain(plane: LiveDataplane, vpp: RealVpp) -> None:
    line = "create gre tunnel src 192.0.2.1 dst 192.0.2.2 flags encap-copy-df instance 7"
    assert vpp.cli(line)[0] == 0
    assert not plane.observe().virtual_as(Gre)["gre7"].is_plain
    assert vpp.cli(f"{line} del")[0] == 0


def test_a_tap_is_made_as_told(plane: LiveDataplane, vpp: RealVpp) -> None:
    tap = Tap(
        host_name="lab7",
        host_mac="02:00:00:00:77:01",
        host_mtu=1400,
        host_netns="blue",
        rx_ring_size=512,
        tx_ring_size=1024,
    )
    state = do(plane, CreateTap(interface="tap7", instance=7, tap=tap))
    assert state.virtual == {"tap7": tap}
    assert (state.interfaces["tap7"].kind, state.interfaces["tap7"].is_up) == (InterfaceKind.TAP, False)
    link = vpp.ip("netns", "exec", "blue", "ip", "link", "show", "lab7")
    assert ("mtu 1400" in link, "02:00:00:00:77:01" in link) == (True, True)
    do(plane, DeleteTap(interface="tap7"))


def test_a_tap_is_a_port_of_a_linux_bridge_and_no_host_of_a_pair(plane: LiveDataplane, vpp: RealVpp) -> None:
    state = do(
        plane,
        CreateTap(interface="tap8", instance=8, tap=Tap(host_name="lab8", host_bridge="br0")),
        op.CreateLcpPair(interface="port0", host_name="e0", netns="", is_default_netns=True),
    )
    assert {name: (tap.host_name, tap.host_bridge) for name, tap in state.virtual_as(Tap).items()} == {
        "tap8": ("lab8", "br0")
    }
    assert "master br0" in vpp.ip("link", "show", "lab8")
    do(plane, op.DeleteLcpPair(interface="port0"), DeleteTap(interface="tap8"))


RULES = (
    AclRule(
        action=AclAction.PERMIT_REFLECT,
        source="192.0.2.0/24",
        destination="0.0.0.0/0",
        protocol=6,
        source_ports=(1024, 65535),
        destination_ports=(80, 443),
        tcp_flags=(18, 2),
    ),
    AclRule(
        action=AclAction.PERMIT,
        source="2001:db8::/32",
        destination="::/0",
        protocol=58,
        source_ports=(128, 129),
        destination_ports=(0, 255),
    ),
    AclRule(action=AclAction.DENY, source="0.0.0.0/0", destination="0.0.0.0/0"),
)


def test_an_access_list_is_made_applied_and_changed_in_place(plane: LiveDataplane, vpp: RealVpp) -> None:
    state = do(
        plane,
        op.CreateAcl(acl="web", rules=RULES, tag="vppcfg web"),
        op.CreateAcl(acl="ssh", rules=(), tag="vppcfg ssh"),
        op.BindAcls(interface="port0", binding=AclBinding(input=("ssh", "web"), output=("web",))),
        op.BindAcls(interface="port1", binding=AclBinding(output=("web",))),
    )
    assert state.acls == {"web": Acl(rules=RULES, tag="vppcfg web"), "ssh": Acl(rules=(), tag="vppcfg ssh")}
    assert state.interfaces["port0"].acls == AclBinding(input=("ssh", "web"), output=("web",))
    assert state.interfaces["port1"].acls == AclBinding(output=("web",))
    shown = vpp.cli(f"show acl-plugin acl index {state.acls['web'].index}")[1]
    assert "ipv4 permit+reflect src 192.0.2.0/24 dst 0.0.0.0/0 proto 6 sport 1024-65535 dport 80-443" in shown
    assert (refused(plane, op.DeleteAcl(acl="web")), refused(plane, op.DeleteAcl(acl="ssh"))) == (-142, -142)
    state = do(plane, op.ReplaceAcl(acl="web", rules=RULES[2:], tag="vppcfg web"))
    assert (state.acls["web"].rules, state.interfaces["port1"].acls.output) == (RULES[2:], ("web",))
    do(
        plane,
        op.BindAcls(interface="port0", binding=AclBinding()),
        op.BindAcls(interface="port1", binding=AclBinding()),
        op.DeleteAcl(acl="web"),
        op.DeleteAcl(acl="ssh"),
    )


def test_access_lists_of_others_have_names_too(plane: LiveDataplane, vpp: RealVpp) -> None:
    for line in ("permit tag theirs", "deny tag twice", "deny tag twice"):
        assert vpp.cli(f"set acl-plugin acl {line}")[0] == 0
    acls = plane.observe().acls
    twice = [f"acl:twice@{acl.index}" for acl in acls.values() if acl.tag == "twice"]
    assert sorted(acls) == sorted(["acl:theirs", *twice])
    assert len(twice) == 2
    do(plane, *[op.DeleteAcl(acl=name) for name in acls])


def test_a_list_of_hosts_is_applied_and_changed_in_place(plane: LiveDataplane) -> None:
    host = MacipRule(
        action=MacipAction.PERMIT, source="192.0.2.1/32", mac="02:00:00:00:00:01", mac_mask="ff:ff:ff:ff:ff:ff"
    )
    rest = MacipRule(action=MacipAction.DENY, source="::/0")
    state = do(
        plane,
        op.CreateMacip(macip="one", rules=(host, rest), tag="vppcfg one"),
        op.CreateMacip(macip="two", rules=(rest,), tag="vppcfg two"),
        op.SetMacip(interface="port0", macip="two"),
        op.SetMacip(interface="port0", macip="one"),
    )
    assert {name: macip.rules for name, macip in state.macips.items()} == {"one": (host, rest), "two": (rest,)}
    assert {name: one.macip for name, one in state.interfaces.items() if one.macip} == {"port0": "one"}
    state = do(plane, op.ReplaceMacip(macip="one", rules=(rest,), tag="vppcfg one"), op.DeleteMacip(macip="two"))
    assert ({name: one.rules for name, one in state.macips.items()}, state.interfaces["port0"].macip) == (
        {"one": (rest,)},
        "one",
    )
    state = do(plane, op.SetMacip(interface="port0", macip=None), op.DeleteMacip(macip="one"))
    assert (state.macips, state.interfaces["port0"].macip) == ({}, None)


def test_flows_are_recorded_and_seen(plane: LiveDataplane) -> None:
    records = SetFlowRecords(
        interface="port1", records=FlowRecords(variant=FlowVariant.IP6, direction=TrafficDirection.OUTPUT)
    )
    exporter = IpfixExporter(collector="192.0.2.9", source="192.0.2.1", table_id=7, path_mtu=1000)
    params = FlowParams(layers=(FlowLayer.L3, FlowLayer.L4), active_s=7, passive_s=30)
    vrf = CreateVrf(table_id=7, is_ipv6=False, name="seven")
    set_params = SetFlowParams(params=params)
    state = do(plane, vrf, SetIpfixExporter(exporter=exporter), set_params, records)
    assert state.ipfix == IpfixSettings(exporter=exporter, params=params)
    assert {name: one.flow_records for name, one in state.interfaces.items() if one.flow_records} == {
        "port1": records.records
    }
    assert refused(plane, set_params) == -126
    off = (records.inverse, SetFlowParams(params=FlowParams()), SetIpfixExporter(exporter=IpfixExporter()))
    state = do(plane, *off, DeleteVrf(table_id=7, is_ipv6=False))
    assert (state.ipfix, state.interfaces["port1"].flow_records) == (IpfixSettings(), None)


def test_mpls_needs_its_table_and_is_seen(plane: LiveDataplane) -> None:
    state = do(plane, CreateMplsTable(), SetMpls(interface="port0", is_on=True))
    assert state.has_mpls_table
    assert [name for name, one in state.interfaces.items() if one.has_mpls] == ["port0"]
    assert not do(plane, SetMpls(interface="port0", is_on=False)).interfaces["port0"].has_mpls


@since("24.10")
def test_reverse_path_checks_are_set_and_seen(plane: LiveDataplane) -> None:
    strict, loose = (
        SetUrpf(interface="port1", is_ipv6=False, is_output=False, mode=UrpfMode.STRICT),
        SetUrpf(interface="port1", is_ipv6=True, is_output=True, mode=UrpfMode.LOOSE, table_id=0),
    )
    state = do(plane, loose, strict)
    assert state.interfaces["port1"].urpf == (
        UrpfCheck(mode=UrpfMode.STRICT),
        UrpfCheck(mode=UrpfMode.LOOSE, is_ipv6=True, is_output=True),
    )
    assert do(plane, strict.inverse, loose.inverse).interfaces["port1"].urpf == ()


def test_the_mss_of_tcp_is_clamped_and_seen(plane: LiveDataplane) -> None:
    limits = (MssLimit(mss=1360, direction=TrafficDirection.OUTPUT), MssLimit(mss=1220, is_ipv6=True))
    operation = SetMssClamp(interface="port1", limits=limits)
    assert do(plane, operation).interfaces["port1"].mss_clamp == limits
    assert do(plane, operation.inverse).interfaces["port1"].mss_clamp == ()


def test_frames_are_mirrored_and_seen(plane: LiveDataplane) -> None:
    both, sent = (
        SetMirror(interface="port1", target="port3", direction=TrafficDirection.BOTH),
        SetMirror(interface="port1", target="port2", direction=TrafficDirection.OUTPUT, is_l2=True),
    )
    assert do(plane, both, sent).interfaces["port1"].mirrors == (
        Mirror(target="port3"),
        Mirror(target="port2", direction=TrafficDirection.OUTPUT, is_l2=True),
    )
    assert do(plane, both.inverse, sent.inverse).interfaces["port1"].mirrors == ()


def test_arp_is_answered_for_others_and_seen(plane: LiveDataplane) -> None:
    some = ProxyArp(first="192.0.2.10", last="192.0.2.20", table_id=7 if release() >= "25.10" else 0)
    one = ProxyArp(first="192.0.2.30", last="192.0.2.30")
    enable = SetProxyArp(interface="port1", is_on=True)
    add = [AddProxyArp(first=each.first, last=each.last, table_id=each.table_id) for each in (some, one)]
    state = do(plane, CreateVrf(table_id=7, is_ipv6=False, name="seven"), enable, *add)
    assert state.interfaces["port1"].has_proxy_arp
    assert state.proxy_arps == {some, one}
    remove = [RemoveProxyArp(first=each.first, last=each.last, table_id=each.table_id) for each in (some, one)]
    state = do(plane, enable.inverse, *remove, DeleteVrf(table_id=7, is_ipv6=False))
    assert not state.interfaces["port1"].has_proxy_arp
    assert state.proxy_arps == frozenset()


def test_an_address_is_asked_for_and_the_client_seen(plane: LiveDataplane) -> None:
    for client in (DhcpClient(), DhcpClient(hostname="r1", is_broadcast=False, dscp=46)):
        ask = op.SetDhcpClient(interface="port1", client=client)
        assert do(plane, ask).interfaces["port1"].dhcp_client == client
        assert do(plane, ask.inverse).interfaces["port1"].dhcp_client is None


@pytest.mark.skipif(REASON is None and release() < "26.10", reason="VPP tells what its ports tell from 26.10 on")
def test_lldp_is_spoken_and_seen(plane: LiveDataplane) -> None:
    told = Lldp(description="to Bern", ipv4="192.0.2.1", ipv6="2001:db8::1")
    settings = SetLldpSettings(system_name="r1", hold=5, interval_s=60)
    speak = SetLldp(interface="port1", lldp=told)
    state = do(plane, settings, speak)
    assert state.interfaces["port1"].lldp == told
    assert state.lldp == LldpSettings(system_name="r1", hold=5, interval_s=60)
    state = do(plane, SetLldpSettings(interval_s=30))
    assert state.lldp == LldpSettings(system_name="r1", hold=5, interval_s=30)
    assert do(plane, speak.inverse).interfaces["port1"].lldp is None


def test_routers_are_advertised_and_seen(plane: LiveDataplane) -> None:
    settings = RouterAdvertisements(
        is_managed=True,
        is_unicast=True,
        lifetime_s=0,
        max_interval_s=61,
        min_interval_s=20,
        has_link_layer_address=False,
        initial_count=2,
        initial_interval_s=5,
    )
    address = AddAddress(interface="port1", address="2001:db8:a::1/64")
    prefixes = (
        SetRaPrefix(interface="port1", prefix="2001:db8:b::/64"),
        SetRaPrefix(interface="port1", prefix="2001:db8:a::/56", is_on_link=False, is_autonomous=False, is_named=False),
    )
    state = do(plane, address, *prefixes, SetRa(interface="port1", settings=settings))
    expected = (
        RaPrefix(prefix="2001:db8:a::/56", is_on_link=False, is_autonomous=False, is_named=False),
        RaPrefix(prefix="2001:db8:b::/64"),
    )
    assert state.interfaces["port1"].ra == replace(settings, prefixes=expected)
    state = do(plane, ResetRa(interface="port1"), *prefixes[0].undoing)
    assert state.interfaces["port1"].ra == RouterAdvertisements(prefixes=expected[:1])
    state = do(plane, SilenceRa(interface="port1"))
    assert state.interfaces["port1"].ra == RouterAdvertisements(is_sent=False, prefixes=expected[:1])
    assert do(plane, *prefixes[1].undoing).interfaces["port1"].ra is None
    do(plane, op.RemoveAddress(interface="port1", address="2001:db8:a::1/64"))


def test_a_link_local_address_is_chosen_and_seen_until_ipv6_is_gone(plane: LiveDataplane, vpp: RealVpp) -> None:
    address = AddAddress(interface="port1", address="2001:db8:a::1/64")
    chosen = op.SetLinkLocal(interface="port1", address="fe80::1")
    state = do(plane, address, chosen)
    assert {name for name, one in state.interfaces.items() if one.link_local} == {"port1"}
    assert state.interfaces["port1"].link_local == "fe80::1"
    automatic = link_local_of(state.interfaces["port1"].mac)
    state = do(plane, op.SetLinkLocal(interface="port1", address=automatic, is_chosen=False))
    assert state.interfaces["port1"].link_local is None
    do(plane, chosen, op.RemoveAddress(interface="port1", address="2001:db8:a::1/64"))
    assert do(plane, address).interfaces["port1"].link_local is None
    assert automatic in vpp.cli("show ip6 interface port1")[1]
    do(plane, op.RemoveAddress(interface="port1", address="2001:db8:a::1/64"))


def test_ipv6_is_renewed_however_often_it_is_on(plane: LiveDataplane, vpp: RealVpp) -> None:
    addresses = [AddAddress(interface="port1", address=f"2001:db8:{number}::1/64") for number in "abc"]
    do(plane, *addresses)
    settings = SetRa(interface="port1", settings=RouterAdvertisements(is_managed=True))
    advertised = do(plane, op.SetPacketMtu(interface="port1", mtu=1400), settings).interfaces["port1"]
    assert (advertised.packet_mtu, advertised.ra_mtu) == (1400, 9000)
    vpp.cli("enable ip6 interface port1")
    state = do(plane, op.RenewIpv6(interface="port1"))
    assert (state.interfaces["port1"].ra, state.interfaces["port1"].ra_mtu) == (None, 0)
    assert state.interfaces["port1"].addresses == advertised.addresses
    do(plane, *(op.RemoveAddress(interface="port1", address=each.address) for each in addresses))
    assert "IP6 disabled" not in vpp.cli("show ip6 interface port1")[1]
    vpp.cli("disable ip6 interface port1")
    assert "IP6 disabled" in vpp.cli("show ip6 interface port1")[1]
    do(plane, op.SetPacketMtu(interface="port1", mtu=9000))


def test_a_port_is_polled_and_seen(plane: LiveDataplane) -> None:
    assert plane.observe().interfaces["port1"].rx_mode is None
    state = do(plane, op.SetRxMode(interface="port1", mode=RxMode.POLLING))
    assert state.interfaces["port1"].rx_mode is RxMode.POLLING
    do(plane, op.SetRxMode(interface="port1", mode=RxMode.INTERRUPT))


@since("25.06")
def test_gso_is_turned_on_and_off_and_seen(plane: LiveDataplane) -> None:
    assert {one.has_gso for one in plane.observe().interfaces.values()} == {False}
    state = do(plane, SetGso(interface="port1", is_on=True), SetGso(interface="port3", is_on=True))
    assert {name for name, one in state.interfaces.items() if one.has_gso} == {"port1", "port3"}
    state = do(plane, SetGso(interface="port3", is_on=False))
    assert {name for name, one in state.interfaces.items() if one.has_gso} == {"port1"}
    do(plane, SetGso(interface="port1", is_on=False))


def test_neighbours_are_entered_changed_and_taken_out(plane: LiveDataplane, vpp: RealVpp) -> None:
    one, other = "02:00:00:00:00:0a", "02:00:00:00:00:0b"
    entered = [op.SetNeighbor(interface="port1", address=each, mac=one) for each in ("2001:db8::5", "192.0.2.5")]
    assert do(plane, *entered).interfaces["port1"].neighbors == (
        Neighbor(address="192.0.2.5", mac=one),
        Neighbor(address="2001:db8::5", mac=one),
    )
    state = do(
        plane,
        op.SetNeighbor(interface="port1", address="192.0.2.5", mac=other),
        op.RemoveNeighbor(interface="port1", address="2001:db8::5", mac=one),
    )
    assert state.interfaces["port1"].neighbors == (Neighbor(address="192.0.2.5", mac=other),)
    assert vpp.cli(f"set ip neighbor port2 192.0.2.6 {one} static no-fib-entry") == (0, "")
    (odd,) = plane.observe().interfaces["port2"].neighbors
    assert odd == Neighbor(address="192.0.2.6", mac=one, has_route=False)
    do(
        plane,
        op.RemoveNeighbor(interface="port1", address="192.0.2.5", mac=other),
        op.RemoveNeighbor(interface="port2", address="192.0.2.6", mac=one),
    )


def test_a_table_is_made_entered_left_and_deleted_for_each_family(plane: LiveDataplane, vpp: RealVpp) -> None:
    tables = {is_ipv6: FibTable(table_id=7, is_ipv6=is_ipv6, name="red") for is_ipv6 in (False, True)}
    made = [CreateVrf(table_id=7, is_ipv6=is_ipv6, name="red") for is_ipv6 in tables]
    state = do(plane, *made, SetTable(interface="port0", is_ipv6=True, table_id=7))
    assert state.vrfs == {table.key: table for table in tables.values()}
    assert state.interfaces["port0"].tables == (0, 7)
    assert refused(plane, SetTable(interface="port0", is_ipv6=False, table_id=8)) == -3
    state = do(plane, SetTable(interface="port0", is_ipv6=False, table_id=7))
    assert state.interfaces["port0"].tables == (7, 7)
    leaving = [SetTable(interface="port0", is_ipv6=is_ipv6, table_id=0) for is_ipv6 in tables]
    assert do(plane, *leaving).interfaces["port0"].tables == (0, 0)
    assert vpp.cli("ip table add 7")[0] == 0
    assert tables[False].key in do(plane, DeleteVrf(table_id=7, is_ipv6=False)).vrfs
    state = do(plane, ReleaseTypedVrf(table_id=7, is_ipv6=False), DeleteVrf(table_id=7, is_ipv6=True))
    assert state.vrfs == {}


def test_routes_of_the_api_are_swept_and_the_interface_stays_up(plane: LiveDataplane, vpp: RealVpp) -> None:
    do(plane, CreateVrf(table_id=7, is_ipv6=False, name="red"))
    do(
        plane,
        SetTable(interface="port0", is_ipv6=False, table_id=7),
        op.SetAdminState(interface="port0", is_up=True),
    )
    path = {"sw_if_index": 0xFFFFFFFF, "proto": 0, "nh": {"address": {"ip4": "192.0.2.7"}}, "label_stack": [{}] * 16}
    route = {"table_id": 7, "prefix": "10.9.0.0/16", "n_paths": 1, "paths": [{**path, "type": 0, "n_labels": 0}]}
    assert vpp.client.api.ip_route_add_del(is_add=True, route=route).retval == 0
    assert "10.9.0.0/16" in vpp.cli("show ip fib table 7")[1]
    marked = MarkVrfRoutes(table_id=7, is_ipv6=False)
    state = do(plane, marked, SweepVrfRoutes(table_id=7, is_ipv6=False))
    assert "10.9.0.0/16" not in vpp.cli("show ip fib table 7")[1]
    assert state.interfaces["port0"].is_up
    do(
        plane,
        op.SetAdminState(interface="port0", is_up=False),
        SetTable(interface="port0", is_ipv6=False, table_id=0),
        DeleteVrf(table_id=7, is_ipv6=False),
    )


def test_the_routes_of_others_are_told_with_who_made_them(plane: LiveDataplane, vpp: RealVpp) -> None:
    red, six = FibTable(table_id=7, name="red"), FibTable(table_id=7, is_ipv6=True, name="red")
    do(plane, *[CreateVrf(table_id=7, is_ipv6=is_ipv6, name="red") for is_ipv6 in (False, True)])
    do(plane, SetTable(interface="port0", is_ipv6=False, table_id=7))
    do(plane, AddAddress(interface="port0", address="192.0.2.1/24"), op.SetAdminState(interface="port0", is_up=True))
    assert plane.foreign_routes([red, six]) == []
    for line in (
        "ip route add 10.9.0.0/16 table 7 via 192.0.2.7",
        "ip route add 2001:db8:9::/48 table 7 via 2001:db8::7 port0",
        "ip route add 10.8.0.0/16 via ip4-lookup-in-table 7",
    ):
        assert vpp.cli(line) == (0, "")
    assert plane.foreign_routes([red, six, FibTable(table_id=8, name="none")]) == [
        ForeignRoutes(table=red, source="CLI", prefixes=("10.9.0.0/16",)),
        ForeignRoutes(table=six, source="CLI", prefixes=("2001:db8:9::/48",)),
    ]
    for line in (
        "ip route del 10.9.0.0/16 table 7",
        "ip route del 2001:db8:9::/48 table 7",
        "ip route del 10.8.0.0/16",
    ):
        assert vpp.cli(line) == (0, "")
    do(
        plane,
        op.SetAdminState(interface="port0", is_up=False),
        op.RemoveAddress(interface="port0", address="192.0.2.1/24"),
        SetTable(interface="port0", is_ipv6=False, table_id=0),
        *[DeleteVrf(table_id=7, is_ipv6=is_ipv6) for is_ipv6 in (False, True)],
    )


def test_addresses_are_borrowed_and_given_back(plane: LiveDataplane) -> None:
    state = do(
        plane,
        loopback(1),
        AddAddress(interface="loop1", address="192.0.2.1/32"),
        SetUnnumbered(interface="port0", donor="loop1"),
    )
    assert (state.interfaces["port0"].unnumbered, state.interfaces["port0"].addresses) == ("loop1", frozenset())
    state = do(plane, DeleteLoopback(interface="loop1"))
    assert state.interfaces["port0"].unnumbered == "DELETED"
    assert do(plane, UnsetUnnumbered(interface="port0", donor="DELETED")).interfaces["port0"].unnumbered is None


def test_a_host_interface_is_ours_once_it_is_marked(plane: LiveDataplane) -> None:
    port = HostInterface(device="v1")
    create = CreateHostInterface(interface="host-v1", port=port)
    made = do(plane, create)
    assert (made.virtual, made.interfaces["host-v1"].kind) == ({"host-v1": port}, InterfaceKind.PHYSICAL)
    marked = do(plane, op.SetTag(interface="host-v1", tag=CREATED_MARK)).interfaces["host-v1"]
    assert (marked.kind, marked.is_up, marked.link_mtu, marked.packet_mtu) == (
        InterfaceKind.HOST_INTERFACE,
        False,
        9000,
        9000,
    )
    assert refused(plane, create) == -79
    assert refused(plane, CreateHostInterface(interface="host-no", port=HostInterface(device="no"))) == -71
    delete = DeleteHostInterface(interface="host-v1", port=port)
    assert do(plane, delete).virtual == {}
    assert refused(plane, delete) == -11


def test_a_memif_needs_its_socket_and_one_role_at_it(plane: LiveDataplane) -> None:
    file = "/tmp/vppcfg-every-operation.sock"
    ethernet = Memif(role=MemifRole.MASTER, socket=file)
    packets = Memif(role=MemifRole.MASTER, socket=file, mode=MemifMode.IP)
    slave = Memif(role=MemifRole.SLAVE, socket=file)
    first, second = "memif5/0", "memif5/1"
    assert refused(plane, CreateMemif(interface=first, port=ethernet)) == -73
    state = do(
        plane,
        CreateMemifSocket(socket_id=5, file=file),
        CreateMemif(interface=first, port=ethernet),
        CreateMemif(interface=second, port=packets),
        *[op.SetTag(interface=name, tag=CREATED_MARK) for name in (first, second)],
    )
    assert (state.virtual, state.facts.memif_sockets) == ({first: ethernet, second: packets}, ((5, file),))
    kinds = [state.interfaces[name].kind for name in (first, second)]
    assert (kinds, state.interfaces[second].packet_mtu) == ([InterfaceKind.MEMIF] * 2, 0)
    assert refused(plane, CreateMemif(interface="memif5/2", port=slave)) == -68
    assert refused(plane, DeleteMemifSocket(socket_id=5)) == -74
    do(
        plane,
        DeleteMemif(interface=first, port=ethernet),
        DeleteMemif(interface=second, port=packets),
        DeleteMemifSocket(socket_id=5),
    )


def test_a_vhost_user_port_has_a_number_a_socket_and_a_role(plane: LiveDataplane) -> None:
    server = VhostUser(socket="/tmp/vppcfg-every-vm8.sock", role=VhostUserRole.SERVER)
    client = VhostUser(socket="/tmp/vppcfg-every-vm9.sock", role=VhostUserRole.CLIENT)
    ports = {"VirtualEthernet0/0/8": server, "VirtualEthernet0/0/9": client}
    state = do(
        plane,
        *[CreateVhostUser(interface=name, port=port) for name, port in ports.items()],
        *[op.SetTag(interface=name, tag=CREATED_MARK) for name in ports],
    )
    assert state.virtual == ports
    born = {name: (state.interfaces[name].is_up, state.interfaces[name].packet_mtu) for name in ports}
    assert born == dict.fromkeys(ports, (False, 9000))
    assert [state.interfaces[name].kind for name in ports] == [InterfaceKind.VHOST_USER] * 2
    assert refused(plane, CreateVhostUser(interface="VirtualEthernet0/0/10", port=server)) == -79
    do(plane, *[DeleteVhostUser(interface=name, port=port) for name, port in ports.items()])


@since("25.02")
def test_sflow_is_turned_on_where_it_was_told_though_sub_interfaces_came_before(
    plane: LiveDataplane, vpp: RealVpp
) -> None:
    """From the first sub-interface on, hardware and software indexes are not the same."""
    assert vpp.cli("create sub-interfaces port0 100")[0] == 0
    state = do(
        plane,
        loopback(1),
        SetSflow(interface="loop1", is_on=True),
        SetSflow(interface="port3", is_on=True),
        SetSflowSamplingRate(sampling_rate=1000),
        SetSflowPollingInterval(polling_interval_s=5),
        SetSflowHeaderBytes(header_bytes=64),
    )
    assert {name for name, one in state.interfaces.items() if one.has_sflow} == {"loop1", "port3"}
    wanted = SflowSettings(sampling_rate=1000, polling_interval_s=5, header_bytes=64)
    assert replace(state.sflow, direction=None, has_drops=None) == wanted
    assert (refused(plane, SetSflow(interface="port3", is_on=True))) == -81
    assert (refused(plane, SetSflow(interface="port0.100", is_on=True))) == -2
    do(
        plane,
        SetSflow(interface="loop1", is_on=False),
        SetSflow(interface="port3", is_on=False),
        SetSflowSamplingRate(sampling_rate=10000),
        SetSflowPollingInterval(polling_interval_s=20),
        SetSflowHeaderBytes(header_bytes=128),
        DeleteLoopback(interface="loop1"),
        DeleteSubInterface(interface="port0.100"),
    )
