"""IPv6 off and on again: the locks that hold it on are as many as before, and were never told."""

import socket

import pytest

from vppcfg.errors import DataplaneError
from vppcfg.kinds.interface import SetTag
from vppcfg.kinds.ra_operations import RenewIpv6
from vppcfg.model.features import RouterAdvertisements
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.state import State
from vppcfg.simulator import ip6_link
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.vpp.live import LiveDataplane

PORT = Interface(
    name="eth0",
    kind=InterfaceKind.PHYSICAL,
    device_class="dpdk",
    mac="02:00:00:00:00:01",
    link_mtu=9000,
    packet_mtu=1500,
    is_up=True,
    addresses=frozenset({"2001:db8::1/64"}),
    ra=RouterAdvertisements(is_managed=True),
    ra_mtu=9000,
)


@pytest.mark.parametrize("by_others", range(9))
def test_ipv6_is_on_as_often_as_before_and_advertises_the_mtu(by_others: int) -> None:
    vpp = SimulatedVpp(state=State(interfaces={"eth0": PORT}))
    ours, theirs = socket.socketpair()
    with SimulatorServer(vpp) as server:
        server.add_client(theirs)
        with LiveDataplane.over(ours) as plane:
            index = next(row.index for row in vpp.tables.sw if vpp.tables.name_of(row) == "eth0")
            for _ in range(by_others):
                ip6_link.enable(vpp.tables, index)
            assert plane.observe().interfaces["eth0"].ra_mtu == 9000
            told: list[int] = []
            performed = plane.perform([SetTag(interface="eth0", tag="a"), RenewIpv6(interface="eth0")], told.append)
            assert (performed.done, performed.refusals, told[-1]) == ((0, 1), (), 2)
            found = plane.observe().interfaces["eth0"]
            assert (found.ra, found.ra_mtu, found.addresses) == (None, 0, PORT.addresses)
            link = ip6_link.find(vpp.tables, index)
            assert link is not None and link.locks == 1 + by_others


def test_it_is_not_begun_once_somebody_says_stop() -> None:
    vpp = SimulatedVpp(state=State(interfaces={"eth0": PORT}))
    ours, theirs = socket.socketpair()
    with SimulatorServer(vpp) as server:
        server.add_client(theirs)
        with LiveDataplane.over(ours) as plane:
            assert plane.perform([RenewIpv6(interface="eth0")], should_stop=lambda: True).done == ()
            assert plane.observe().interfaces["eth0"].ra_mtu == 9000
            with pytest.raises(DataplaneError, match="no interface eth9 any more"):
                plane.perform([RenewIpv6(interface="eth9")])
