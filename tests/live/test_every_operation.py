"""Operations on a real VPP beyond the samples of tests/kinds: VPP's refusals, what others made, what a step leaves."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.real_vpp import RealVpp, running
from vppcfg.dataplane import Performance
from vppcfg.kinds.acl_operations import DeleteAcl
from vppcfg.kinds.address import AddAddress, RemoveAddress
from vppcfg.kinds.bond.operations import AddBondMember, CreateBond, DeleteBond, RemoveBondMember, SetBondWeight
from vppcfg.kinds.bridge_operations import CreateBridge, DeleteBridge, ForgetMac
from vppcfg.kinds.interface import SetAdminState, SetMac, SetPacketMtu
from vppcfg.kinds.l2_operations import JoinBridge, LeaveL2
from vppcfg.kinds.loopback import CreateLoopback, DeleteLoopback
from vppcfg.kinds.neighbor import RemoveNeighbor, SetNeighbor
from vppcfg.kinds.ra_operations import RenewIpv6, ResetRa, SetRa, SetRaPrefix, SilenceRa
from vppcfg.kinds.static_mac import SetStaticMac
from vppcfg.kinds.vrf_operations import CreateVrf, DeleteVrf, MarkVrfRoutes, SetTable, SweepVrfRoutes
from vppcfg.model.bond import Bond, BondMode, Membership
from vppcfg.model.bridge import BridgeSettings
from vppcfg.model.features import RaPrefix, RouterAdvertisements
from vppcfg.model.neighbor import Neighbor
from vppcfg.model.state import State
from vppcfg.model.tunnel import Gre, Vxlan
from vppcfg.model.vrf import FibTable, ForeignRoutes
from vppcfg.operations.operation import Operation
from vppcfg.vpp.live import LiveDataplane, connect

PORTS = ("port0", "port1", "port2", "port3")
MACS = tuple(f"02:00:00:00:00:0{number}" for number in (1, 2, 3, 4))


@pytest.fixture(scope="module")
def vpp() -> Iterator[RealVpp]:
    """Return a VPP that every test leaves as it found it."""
    with running(PORTS) as process:
        yield process


@pytest.fixture
def plane(vpp: RealVpp) -> Iterator[LiveDataplane]:
    """Return a connection, and see that the test undid what it did."""
    with connect(str(vpp.socket_path)) as connection:
        before = connection.observe()
        yield connection
        after = connection.observe()
        assert replace(after, has_mpls_table=before.has_mpls_table) == before


def do(plane: LiveDataplane, *operations: Operation) -> State:
    """Carry out `operations`, all of them, and return the state."""
    assert plane.perform(operations) == Performance(done=tuple(range(len(operations))))
    return plane.observe()


def test_a_bond_made_without_a_mac_takes_that_of_the_first_member_again_and_again(plane: LiveDataplane) -> None:
    bond = "BondEthernet0"
    create = CreateBond(
        interface=bond, instance=0, mode=BondMode.ACTIVE_BACKUP, load_balance=None, mac="", has_gso=True
    )
    state = do(plane, create, AddBondMember(interface="port2", bond=bond), SetBondWeight(interface="port2", weight=7))
    assert state.virtual[bond] == Bond(
        mode=BondMode.ACTIVE_BACKUP, load_balance=None, members={"port2": Membership(weight=7)}, has_gso=True
    )
    assert state.interfaces[bond].mac == MACS[2]
    state = do(plane, SetMac(interface=bond, mac="02:00:00:00:00:99"), RemoveBondMember(interface="port2", bond=bond))
    assert state.interfaces[bond].mac == "02:00:00:00:00:99"
    assert do(plane, AddBondMember(interface="port3", bond=bond)).interfaces[bond].mac == MACS[3]
    do(plane, DeleteBond(interface=bond))


def test_a_mac_address_of_an_interface_that_is_gone_is_seen_and_forgotten(plane: LiveDataplane) -> None:
    do(plane, CreateBridge(bd_id=9, settings=BridgeSettings(), tag=""))
    loopback = CreateLoopback(interface="loop9", instance=9, mac="")
    static = SetStaticMac(interface="loop9", bd_id=9, mac="02:00:00:00:00:07", is_on=True)
    do(plane, loopback, JoinBridge(interface="loop9", bd_id=9), static, LeaveL2(interface="loop9"))
    state = do(plane, DeleteLoopback(interface="loop9"))
    assert state.bridges["bd9"].stray_macs == ("02:00:00:00:00:07",)
    do(plane, ForgetMac(bd_id=9, mac="02:00:00:00:00:07"), DeleteBridge(bd_id=9))


@pytest.mark.parametrize(
    ("line", "interface"),
    [
        ("create vxlan tunnel src 192.0.2.1 dst 192.0.2.2 vni 5 instance 7 l3", "vxlan_tunnel7"),
        ("create gre tunnel src 192.0.2.1 dst 192.0.2.2 flags encap-copy-df instance 7", "gre7"),
    ],
)
def test_what_no_file_can_ask_of_a_tunnel_is_not_plain(
    line: str, interface: str, plane: LiveDataplane, vpp: RealVpp
) -> None:
    assert vpp.cli(line)[0] == 0
    tunnel = plane.observe().virtual[interface]
    assert isinstance(tunnel, Vxlan | Gre) and not tunnel.is_plain
    assert vpp.cli(f"{line} del")[0] == 0


def test_access_lists_of_others_have_names_too(plane: LiveDataplane, vpp: RealVpp) -> None:
    for line in ("permit tag theirs", "deny tag twice", "deny tag twice"):
        assert vpp.cli(f"set acl-plugin acl {line}")[0] == 0
    acls = plane.observe().acls
    twice = [f"acl:twice@{acl.index}" for acl in acls.values() if acl.tag == "twice"]
    assert sorted(acls) == sorted(["acl:theirs", *twice])
    assert len(twice) == 2
    do(plane, *[DeleteAcl(acl=name) for name in acls])


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
    do(plane, RemoveAddress(interface="port1", address="2001:db8:a::1/64"))


def test_ipv6_is_renewed_however_often_it_is_on(plane: LiveDataplane, vpp: RealVpp) -> None:
    addresses = [AddAddress(interface="port1", address=f"2001:db8:{number}::1/64") for number in "abc"]
    do(plane, *addresses)
    settings = SetRa(interface="port1", settings=RouterAdvertisements(is_managed=True))
    advertised = do(plane, SetPacketMtu(interface="port1", mtu=1400), settings).interfaces["port1"]
    assert (advertised.packet_mtu, advertised.ra_mtu) == (1400, 9000)
    vpp.cli("enable ip6 interface port1")
    state = do(plane, RenewIpv6(interface="port1"))
    assert (state.interfaces["port1"].ra, state.interfaces["port1"].ra_mtu) == (None, 0)
    assert state.interfaces["port1"].addresses == advertised.addresses
    do(plane, *(RemoveAddress(interface="port1", address=each.address) for each in addresses))
    assert "IP6 disabled" not in vpp.cli("show ip6 interface port1")[1]
    vpp.cli("disable ip6 interface port1")
    assert "IP6 disabled" in vpp.cli("show ip6 interface port1")[1]
    do(plane, SetPacketMtu(interface="port1", mtu=9000))


def test_neighbours_are_entered_changed_and_taken_out(plane: LiveDataplane, vpp: RealVpp) -> None:
    one, other = "02:00:00:00:00:0a", "02:00:00:00:00:0b"
    entered = [SetNeighbor(interface="port1", address=each, mac=one) for each in ("2001:db8::5", "192.0.2.5")]
    assert do(plane, *entered).interfaces["port1"].neighbors == (
        Neighbor(address="192.0.2.5", mac=one),
        Neighbor(address="2001:db8::5", mac=one),
    )
    state = do(
        plane,
        SetNeighbor(interface="port1", address="192.0.2.5", mac=other),
        RemoveNeighbor(interface="port1", address="2001:db8::5", mac=one),
    )
    assert state.interfaces["port1"].neighbors == (Neighbor(address="192.0.2.5", mac=other),)
    assert vpp.cli(f"set ip neighbor port2 192.0.2.6 {one} static no-fib-entry") == (0, "")
    (odd,) = plane.observe().interfaces["port2"].neighbors
    assert odd == Neighbor(address="192.0.2.6", mac=one, has_route=False)
    do(
        plane,
        RemoveNeighbor(interface="port1", address="192.0.2.5", mac=other),
        RemoveNeighbor(interface="port2", address="192.0.2.6", mac=one),
    )


def test_routes_of_the_api_are_swept_and_the_interface_stays_up(plane: LiveDataplane, vpp: RealVpp) -> None:
    do(plane, CreateVrf(table_id=7, is_ipv6=False, name="red"))
    do(plane, SetTable(interface="port0", is_ipv6=False, table_id=7), SetAdminState(interface="port0", is_up=True))
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
        SetAdminState(interface="port0", is_up=False),
        SetTable(interface="port0", is_ipv6=False, table_id=0),
        DeleteVrf(table_id=7, is_ipv6=False),
    )


def test_the_routes_of_others_are_told_with_who_made_them(plane: LiveDataplane, vpp: RealVpp) -> None:
    red, six = FibTable(table_id=7, name="red"), FibTable(table_id=7, is_ipv6=True, name="red")
    do(plane, *[CreateVrf(table_id=7, is_ipv6=is_ipv6, name="red") for is_ipv6 in (False, True)])
    do(plane, SetTable(interface="port0", is_ipv6=False, table_id=7))
    do(plane, AddAddress(interface="port0", address="192.0.2.1/24"), SetAdminState(interface="port0", is_up=True))
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
        SetAdminState(interface="port0", is_up=False),
        RemoveAddress(interface="port0", address="192.0.2.1/24"),
        SetTable(interface="port0", is_ipv6=False, table_id=0),
        *[DeleteVrf(table_id=7, is_ipv6=is_ipv6) for is_ipv6 in (False, True)],
    )
