"""A daemon's configuration against that of the router: devices, neighbours, next hops and MTUs."""

from dataclasses import replace

import pytest

from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.lcp import LcpPair
from vppcfg.model.routing import DaemonKind, RoutingFile
from vppcfg.model.state import Facts, State
from vppcfg.model.vpn_label import VpnLabel
from vppcfg.model.vpp_object import by_name
from vppcfg.model.vrf import FibTable
from vppcfg.routing_daemons.against_file import warnings_about

RED = FibTable(table_id=10, is_ipv6=False, name="red")
STATE = State(
    interfaces={
        "port0": Interface(
            name="port0",
            kind=InterfaceKind.PHYSICAL,
            packet_mtu=1500,
            addresses=frozenset({"192.0.2.1/24", "2001:db8::1/64"}),
        ),
        "port1": Interface(name="port1", kind=InterfaceKind.PHYSICAL, addresses=frozenset({"198.51.100.1/24"})),
    },
    lcps={"port0": LcpPair(host_name="e0")},
    vrfs={table.key: table for table in (RED, replace(RED, is_ipv6=True))},
    objects={VpnLabel: by_name([VpnLabel(number=1000, table_id=10), VpnLabel(number=1001, table_id=11)])},
    facts=Facts(has_linux=True, linux_others=frozenset({("", "mgmt0")})),
)
EXPORT = "router bgp 65001 vrf red\n !\n address-family {}\n  label vpn export {}\n exit-address-family\nexit\n"


def found(kind: DaemonKind, text: str) -> list[tuple[str, str]]:
    file = RoutingFile(kind=kind, path="/etc/vpp/daemon.conf", startup="/etc/daemon.conf")
    return [(problem.rule, problem.text) for problem in warnings_about(file, text, STATE)]


@pytest.mark.parametrize(
    ("text", "rule", "said"),
    [
        ("interface e0\n ip address 192.0.2.1/24\nexit\n", "", ""),
        ("interface lo\nexit\ninterface mgmt0\nexit\n", "", ""),
        ("interface e9\nexit\n", "routing-device", "creates the Linux device e9"),
        ("ip route 10.0.0.0/8 192.0.2.9 e9\n", "routing-device", "device e9"),
        ("ip route 10.0.0.0/8 192.0.2.9 200\n", "", ""),
        ("ip route 10.0.0.0/8 blackhole\n", "", ""),
        ("ip route 10.0.0.0/8 203.0.113.9\n", "routing-neighbor", "next hop 203.0.113.9 of 10.0.0.0/8"),
        ("ipv6 route ::/0 fe80::1 e0\n", "", ""),
        ("ipv6 route ::/0 from 2001:db8:1::/48 fe80::1 e0\n", "", ""),
        ("ip route 10.0.0.0 255.0.0.0 192.0.2.9\n", "", ""),
        ("ip route 10.0.0.0 255.0.0.0 203.0.113.9\n", "routing-neighbor", "203.0.113.9 of 10.0.0.0/255.0.0.0"),
        ("ip route 10.0.0.0/8 192.0.2.9 color 5\n", "", ""),
        ("vrf red\n  ip route 10.0.0.0/8 203.0.113.9\nexit-vrf\n", "routing-neighbor", "next hop 203.0.113.9"),
        ("router bgp 65001\n neighbor 192.0.2.2 remote-as 65002\nexit\n", "", ""),
        ("router bgp 65001\n neighbor 2001:db8::2 remote-as external\nexit\n", "", ""),
        # port1 has no pair, so Linux has none of its addresses
        (
            "router bgp 65001\n neighbor 198.51.100.2 remote-as 65002\nexit\n",
            "routing-neighbor",
            "198.51.100.2 is in no",
        ),
        ("router bgp 65001\n neighbor 203.0.113.2 remote-as 65001\nexit\n", "", ""),
        ("router bgp 65001\n neighbor 203.0.113.2 remote-as internal\nexit\n", "", ""),
        (
            "router bgp 65001\n neighbor 203.0.113.2 remote-as 65002\n neighbor 203.0.113.2 ebgp-multihop 3\nexit\n",
            "",
            "",
        ),
        (
            "router bgp 65001\n neighbor UP peer-group\n neighbor UP remote-as 65002\n"
            " neighbor 203.0.113.2 peer-group UP\nexit\n",
            "routing-neighbor",
            "BGP neighbor 203.0.113.2",
        ),
        ("router bgp 65001\n neighbor e9 interface remote-as external\nexit\n", "routing-device", "e9"),
        ("router bgp 65001\n   neighbor 203.0.113.2 remote-as 65002\n", "routing-neighbor", "203.0.113.2"),
        ("router bgp 65001\n\tneighbor 203.0.113.2 remote-as 65002\n", "routing-neighbor", "203.0.113.2"),
        ("router bgp 65001\nneighbor 203.0.113.2 remote-as 65002\n", "routing-neighbor", "203.0.113.2"),
        ("router bgp 65001\n  neighbor e9 interface remote-as external\n", "routing-device", "e9"),
        ("interface e0\n  ipv6 nd mtu 9000\n", "routing-mtu", "9000 bytes"),
        ("router rip\n neighbor 203.0.113.2\n", "", ""),
        ("mpls ldp\n neighbor 203.0.113.2 password x\n", "", ""),
        ("router bgp 1.10\n neighbor 203.0.113.2 remote-as 65546\n", "", ""),
        ("router bgp 65001\n neighbor 203.0.113.2 remote-as auto\n", "", ""),
        (
            "router bgp 65001\n neighbor 203.0.113.2 remote-as 65002\n neighbor 203.0.113.2 disable-connected-check\n",
            "",
            "",
        ),
        ("router isis core\n net 49.0001.0000.0000.0001.00\nexit\n", "routing-osi", "add `lcp-osi: [ isis ]`"),
        ("interface e0\n isis circuit-type level-2\nexit\n", "", ""),
        (EXPORT.format("ipv4 unicast", 1000), "", ""),
        (EXPORT.format("ipv4", 1000).replace(" vrf red", " vrf other"), "", ""),
        (EXPORT.format("ipv4 vpn", 99).replace(" vrf red", ""), "", ""),
        (EXPORT.format("ipv4 unicast", "allocation-mode per-vrf"), "", ""),
        (EXPORT.format("ipv4 unicast", 99), "routing-label", "of IPv4 of the VRF red; set `label: { ipv4: 99 }`"),
        (EXPORT.format("ipv6 unicast", 1000), "routing-label", "for ipv4-VRF:10; set `label: { ipv6: 1000 }`"),
        (EXPORT.format("ipv4 unicast", 1001), "routing-label", "for ipv4-VRF:11"),
        (EXPORT.format("ipv4 unicast", "auto"), "routing-label", "FRR chooses the label of IPv4 of the VRF red"),
        (EXPORT.format("ipv4", "allocation-mode per-nexthop"), "routing-label", "FRR chooses the label"),
        ("interface e0\n ipv6 nd mtu 9000\nexit\n", "routing-mtu", "packets of 9000 bytes do not fit e0"),
        ("interface e0\n ipv6 nd mtu 1400\nexit\n", "", ""),
    ],
)
def test_what_frr_expects(text: str, rule: str, said: str) -> None:
    problems = found(DaemonKind.FRR, text)
    assert [each[0] for each in problems] == ([rule] if rule else [])
    assert all(said in each[1] and each[1].startswith("/etc/vpp/daemon.conf: ") for each in problems)


@pytest.mark.parametrize(
    ("text", "rule", "said"),
    [
        ("protocol bgp a { local as 1; neighbor 192.0.2.2 as 2; }", "", ""),
        ("protocol bgp a { local as 1; neighbor 203.0.113.2 as 2; }", "routing-neighbor", "203.0.113.2"),
        ("protocol bgp a { local as 1; neighbor 203.0.113.2 as 1; }", "", ""),
        ("protocol bgp a { local as 1; neighbor 203.0.113.2 as 2; multihop 3; }", "", ""),
        ('protocol ospf v2 { area 0 { interface "e0" { }; }; }', "", ""),
        ('protocol ospf v2 { area 0 { interface "e*" { }; }; }', "", ""),
        ('protocol ospf v2 { area 0 { interface "x*" { }; }; }', "routing-device", "device x*"),
        ("protocol static { ipv4; route 10.0.0.0/8 via 203.0.113.9; }", "routing-neighbor", "next hop 203.0.113.9"),
        ('protocol radv { interface "e0" { link mtu 9000; }; }', "routing-mtu", "9000 bytes do not fit e0"),
        ('# interface "e9"\nprotocol device { }', "", ""),
    ],
)
def test_what_bird_expects(text: str, rule: str, said: str) -> None:
    problems = found(DaemonKind.BIRD, text)
    assert [each[0] for each in problems] == ([rule] if rule else [])
    assert all(said in each[1] for each in problems)
