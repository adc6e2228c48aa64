"""Addresses that VPP has put on interfaces by itself are told from configured ones, with whose they are."""

import ipaddress
import socket
from collections.abc import Iterator

import pytest

from tests.simulated_vpp import connected
from tests.unit.vpp.stub_vpp import StubVpp, observed
from vppcfg.model.live import LiveAddress, LiveSource
from vppcfg.operations.request import Value
from vppcfg.simulator.kinds import dhcp6, ip6_nd
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.vpp.live import LiveDataplane

MASTER, BACKUP = 2, 1
ACCEPT, IPV6 = 2, 8


def number(host: str) -> int:
    return int(ipaddress.IPv6Address(host))


@pytest.fixture
def vpp() -> SimulatedVpp:
    return SimulatedVpp(ports=[PhysicalPort(name=f"eth{each}", mac=f"02:00:00:00:00:0{each}") for each in (1, 2)])


@pytest.fixture
def plane(vpp: SimulatedVpp) -> Iterator[LiveDataplane]:
    with connected(vpp) as dataplane:
        yield dataplane


def told(vpp: SimulatedVpp, *lines: str) -> None:
    for line in lines:
        assert vpp.run_line(line)[0] == 0, line


def index_of(vpp: SimulatedVpp, name: str) -> int:
    return next(row.index for row in vpp.tables.sw if vpp.tables.name_of(row) == name)


def test_autoconfigured_addresses_are_known_by_the_mac_address_of_their_port(
    vpp: SimulatedVpp, plane: LiveDataplane
) -> None:
    told(vpp, "create sub-interfaces eth1 100", "ip6 nd address autoconfig eth1.100", "ip6 nd address autoconfig eth2")
    ip6_nd.receive_advertisement(vpp.tables, index_of(vpp, "eth1.100"), number("2001:db8:1::"))
    ip6_nd.receive_advertisement(vpp.tables, index_of(vpp, "eth2"), number("2001:db8:2::"))
    of_eth1 = "ff:fe00:1"  # what the MAC address of eth1 makes
    told(vpp, f"set interface ip address eth2 2001:db8:3::{of_eth1}/64")
    told(vpp, "set interface ip address eth2 2001:db8:4::ff:fe00:2/96")
    found = plane.observe().interfaces
    own = LiveAddress(address=f"2001:db8:1::{of_eth1}/64", source=LiveSource.SLAAC)
    assert found["eth1.100"].live == (own,)
    assert found["eth2"].live == (LiveAddress(address="2001:db8:2::ff:fe00:2/64", source=LiveSource.SLAAC),)
    assert len(found["eth2"].addresses) == 3


def test_addresses_by_dhcpv6_are_those_that_clients_lease_and_those_in_delegated_prefixes(
    vpp: SimulatedVpp, plane: LiveDataplane
) -> None:
    told(vpp, "dhcp6 client eth1", "dhcp6 pd client eth1 prefix group home")
    told(vpp, "set ip6 address eth2 prefix group home 0:0:0:a1::1/64")
    assert not plane.observe().interfaces["eth1"].live
    dhcp6.lease(vpp.tables, index_of(vpp, "eth1"), number("2001:db8:1::77"))
    dhcp6.delegate(vpp.tables, "home", number("2001:db8:5600::"), 56)
    told(vpp, "set interface ip address eth1 2001:db8:2::77/64", "set interface ip address eth2 2001:db8:5601::1/64")
    found = plane.observe().interfaces
    assert found["eth1"].live == (LiveAddress(address="2001:db8:1::77/64", source=LiveSource.DHCPV6),)
    assert found["eth2"].live == (LiveAddress(address="2001:db8:5600:a1::1/64", source=LiveSource.DHCPV6),)
    assert "2001:db8:5601::1/64" in found["eth2"].addresses


def virtual_router(stub: StubVpp, state: int, flags: int = ACCEPT, priority: int = 100) -> None:
    row: dict[str, Value] = {
        **{"config.sw_if_index": 1, "config.flags": flags, "config.priority": priority, "runtime.state": state},
        "n_addrs": 2,
    }
    hosts: list[dict[str, Value]] = [
        {"af": 0, "un": bytes((192, 0, 2, 254)) + bytes(12)},
        {"af": 1, "un": socket.inet_pton(socket.AF_INET6, "2001:db8::254")},
    ]
    stub.answers["vrrp_vr_dump"] = lambda request: [stub.say("vrrp_vr_details", request, row, elements=hosts)]


@pytest.mark.parametrize(
    ("state", "flags", "priority", "is_live"),
    [
        (MASTER, ACCEPT, 100, True),
        (MASTER, ACCEPT | IPV6, 254, True),
        (BACKUP, ACCEPT, 100, False),
        (MASTER, 1, 100, False),
        (MASTER, ACCEPT, 255, False),
    ],
    ids=["master", "of_ipv6", "backup", "without_accept_mode", "owner"],
)
def test_a_master_in_accept_mode_has_its_virtual_addresses(
    state: int, flags: int, priority: int, is_live: bool
) -> None:
    stub = StubVpp(plugins=("vrrp",))
    stub.add_interface(1, "eth0")
    hosts = {1: ("192.0.2.1", "192.0.2.254")}
    stub.answers["ip_address_dump"] = lambda request: [
        stub.say(
            "ip_address_details",
            request,
            {"sw_if_index": 1, "prefix.address.un": socket.inet_aton(host) + bytes(12), "prefix.len": 24},
        )
        for host in hosts.get(request.value("sw_if_index"), ())
        if not request.value("is_ipv6")
    ]
    virtual_router(stub, state, flags, priority)
    interface = observed(stub).interfaces["eth0"]
    assert interface.addresses == {"192.0.2.1/24", "192.0.2.254/24"}
    live = (LiveAddress(address="192.0.2.254/24", source=LiveSource.VRRP),)
    assert interface.live == (live if is_live else ())
