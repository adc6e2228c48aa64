"""VPP ends where a route takes its gateways along, of which it is the cover; another route by them holds them."""

from pathlib import Path

import pytest
from vpp_papi import VPPIOError

from tests.live.test_route_packets import apply
from tests.real_vpp import RealVpp

GATEWAYS = "via 10.0.0.2 via 10.0.0.3"
RENUMBERED = (
    "create loopback interface",
    "set interface state loop0 up",
    "set interface ip address loop0 10.0.0.1/24",
    f"ip route add 0.0.0.0/0 {GATEWAYS}",
    "set interface ip address del loop0 10.0.0.1/24",
    "create vxlan tunnel src 10.1.0.1 dst 192.0.2.2 vni 101",
)
REMOVAL = "ip route del 0.0.0.0/0"
BEFORE = """
loopbacks: { loop0: { mtu: 1500, addresses: [ 10.0.0.1/24 ] }, loop1: { mtu: 1500 } }
routes: { 0.0.0.0/0: { via: [ 10.0.0.2, 10.0.0.3 ] } }
"""
AFTER = """
loopbacks: { loop0: { mtu: 1500 }, loop1: { mtu: 1500, addresses: [ 10.1.0.1/24 ] } }
vxlan_tunnels: { vxlan_tunnel0: { local: 10.1.0.1, remote: 192.0.2.3, vni: 101 } }
interfaces: { vxlan_tunnel0: { mtu: 1400 } }
routes: { 0.0.0.0/0: 10.1.0.2 }
"""


def test_vpp_ends_where_nothing_holds_the_gateways() -> None:
    with RealVpp() as vpp:
        for line in RENUMBERED:
            assert vpp.cli(line)[0] == 0, line
        with pytest.raises(VPPIOError):
            vpp.cli(REMOVAL)
        assert "fib_entry_cover_walk" in (vpp.folder / "output").read_text()


def test_vpp_lives_where_another_route_holds_them() -> None:
    with RealVpp() as vpp:
        for line in (*RENUMBERED, f"ip route add 240.118.99.1/32 {GATEWAYS}", REMOVAL, "ip route del 240.118.99.1/32"):
            assert vpp.cli(line)[0] == 0, line
        assert "10.0.0.2" not in vpp.cli("show ip fib")[1]


def test_an_uplink_moves_with_its_first_tunnel(tmp_path: Path) -> None:
    with RealVpp() as vpp:
        apply(vpp, BEFORE, tmp_path)
        apply(vpp, AFTER, tmp_path)
        assert not {"10.0.0.2", "240.118.99.1"}.intersection(vpp.cli("show ip fib")[1].replace("/32", "").split())
