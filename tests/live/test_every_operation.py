"""Operations on a real VPP beyond the samples of tests/kinds: VPP's refusals, what others made, what a step leaves."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.real_vpp import RealVpp, running, since
from vppcfg.common.addresses import link_local_of
from vppcfg.dataplane import ForeignRoutes, Performance
from vppcfg.kinds.address import AddAddress
from vppcfg.kinds.bond.operations import CreateBond, DeleteBond
from vppcfg.kinds.gre import CreateGre, DeleteGre
from vppcfg.kinds.host_interface import CreateHostInterface, DeleteHostInterface
from vppcfg.kinds.loopback import CreateLoopback, DeleteLoopback
from vppcfg.kinds.memif import CreateMemif, DeleteMemif
from vppcfg.kinds.memif_socket import CreateMemifSocket, DeleteMemifSocket
from vppcfg.kinds.ra_operations import ResetRa, SetRa, SetRaPrefix, SilenceRa
from vppcfg.kinds.sflow import SetSflow, SetSflowHeaderBytes, SetSflowPollingInterval, SetSflowSamplingRate
from vppcfg.kinds.sub_interface import DeleteSubInterface
from vppcfg.kinds.tap.operations import CreateTap, DeleteTap
from vppcfg.kinds.unnumbered import SetUnnumbered, UnsetUnnumbered
from vppcfg.kinds.vhost_user import CreateVhostUser, DeleteVhostUser
from vppcfg.kinds.vrf_operations import CreateVrf, DeleteVrf, MarkVrfRoutes, ReleaseTypedVrf, SetTable, SweepVrfRoutes
from vppcfg.model.acl import Acl, AclAction, AclBinding, AclRule
from vppcfg.model.bond import Bond, BondMode, LoadBalance, Membership
from vppcfg.model.bridge import BridgeSettings, StaticMac
from vppcfg.model.features import RaPrefix, RouterAdvertisements
from vppcfg.model.host_interface import HostInterface
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.lcp import LcpPair
from vppcfg.model.memif import Memif, MemifMode, MemifRole
from vppcfg.model.neighbor import Neighbor
from vppcfg.model.ownership import CREATED_MARK
from vppcfg.model.state import SflowSettings, State
from vppcfg.model.tap import Tap
from vppcfg.model.tunnel import Gre, Vxlan
from vppcfg.model.vhost_user import VhostUser, VhostUserRole
from vppcfg.model.vrf import FibTable
from vppcfg.plan import operations as op
from vppcfg.vpp.live import LiveDataplane, connect

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
        plane, create, op.AddBondMember(interface="port2", bond=bond), op.SetBondWeight(interface="port2", weight=7)
    )
    assert state.virtual[bond] == Bond(
        mode=BondMode.ACTIVE_BACKUP, load_balance=None, members={"port2": Membership(weight=7)}, has_gso=True
    )
    assert state.interfaces[bond].mac == MACS[2]
    state = do(
        plane, op.SetMac(interface=bond, mac="02:00:00:00:00:99"), op.RemoveBondMember(interface="port2", bond=bond)
    )
    assert state.interfaces[bond].mac == "02:00:00:00:00:99"
    assert do(plane, op.AddBondMember(interface="port3", bond=bond)).interfaces[bond].mac == MACS[3]
    do(plane, DeleteBond(interface=bond))


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


def test_a_tunnel_for_l3_packets_is_not_plain(plane: LiveDataplane, vpp: RealVpp) -> None:
    line = "create vxlan tunnel src 192.0.2.1 dst 192.0.2.2 vni 5 instance 7 l3"
    assert vpp.cli(line)[0] == 0
    assert not plane.observe().virtual_as(Vxlan)["vxlan_tunnel7"].is_plain
    assert vpp.cli(f"{line} del")[0] == 0


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
    do(plane, SetTable(interface="port0", is_ipv6=False, table_id=7), op.SetAdminState(interface="port0", is_up=True))
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
