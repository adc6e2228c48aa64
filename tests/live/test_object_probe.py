"""`probe` proves objects of a file on a real VPP one by one, and blames those that VPP has otherwise."""

import pytest

from tests.live.test_probe import wrong
from tests.real_vpp import prefix, since
from vppcfg.app.deviations import deviations
from vppcfg.app.probing import send_probes
from vppcfg.app.rehearsing import rehearsal
from vppcfg.config.load import parse_text
from vppcfg.entries.configuration import Configuration
from vppcfg.kinds.path_mtu import SetPathMtu
from vppcfg.model.path_mtu import PathMtu
from vppcfg.probe.report import ProbeReport, report_of
from vppcfg.probe.test_cases import probes_for

pytestmark = since("26.02")
ROUTES = """\
interfaces:
  GigabitEthernet1/0/0: { mtu: 1500, addresses: [ 192.0.2.1/24, 2001:db8::1/64 ] }
  GigabitEthernet1/0/1:
    mtu: 1500
    addresses: [ 198.51.100.1/24 ]
    neighbors: { 198.51.100.2: "02:00:00:00:00:02" }
  GigabitEthernet1/0/2: { mtu: 1500, vrf: red, addresses: [ 203.0.113.1/24 ] }
vrfs:
  red:
    id: 10
    routes:
      0.0.0.0/0: { via: { vrf: default } }
      10.6.0.0/16: 203.0.113.9
      10.9.0.0/16: { via: { gateway: 198.51.100.2, vrf: default } }
routes:
  0.0.0.0/0: 198.51.100.2
  10.1.0.0/16: { via: { gateway: 198.51.100.2, interface: GigabitEthernet1/0/1 } }
  10.2.0.0/16: 198.51.100.9
  10.3.0.0/16: blackhole
  10.4.0.0/16: 10.1.0.1
  10.5.0.0/16: { via: { interface: GigabitEthernet1/0/1 } }
  10.6.0.0/16: { via: { vrf: red } }
  10.7.0.0/16: { via: [ 198.51.100.2, 198.51.100.9 ] }
  10.8.0.0/16: { via: [ { gateway: 192.0.2.9, preference: 1 }, 198.51.100.2 ] }
  10.10.0.0/16: unreachable
  10.11.0.0/16: prohibit
  2001:db8:2::/48: unreachable
  2001:db8:3::/48: prohibit
  2001:db8:1::/48: { via: { gateway: "2001:db8::2" } }
"""
CROSSED = """\
interfaces:
  GigabitEthernet1/0/0:
    mtu: 1500
    addresses: [ 192.0.2.1/24, 2001:db8::1/64 ]
    l3xc:
      ipv4: { interface: GigabitEthernet1/0/1, gateway: 198.51.100.2 }
      ipv6: { interface: GigabitEthernet1/0/1, gateway: "2001:db8:1::2" }
  GigabitEthernet1/0/1:
    mtu: 1500
    addresses: [ 198.51.100.1/24, 2001:db8:1::1/64 ]
    neighbors: { 198.51.100.2: "02:00:00:00:00:02" }
  GigabitEthernet1/0/2:
    mtu: 1500
    addresses: [ 203.0.113.1/24 ]
    l3xc:
      ipv4:
        - { interface: GigabitEthernet1/0/1, gateway: 198.51.100.2 }
        - { interface: GigabitEthernet1/0/0, gateway: 192.0.2.9 }
        - { interface: GigabitEthernet1/0/0, gateway: 192.0.2.8, preference: 1 }
"""
SERVICES = """\
interfaces:
  GigabitEthernet1/0/0:
    mtu: 1500
    addresses: [ 192.0.2.1/24, 2001:db8::1/64 ]
    qos: { record: [ ip ] }
    punt-redirect:
      ipv4: { interface: GigabitEthernet1/0/1, gateway: 198.51.100.2 }
  GigabitEthernet1/0/1:
    mtu: 1500
    addresses: [ 198.51.100.1/24, 2001:db8:1::1/64 ]
    neighbors: { 198.51.100.2: "02:00:00:00:00:02", "2001:db8:1::2": "02:00:00:00:00:03" }
    qos: { mark: { ip: 1 } }
    sub-interfaces:
      100: { mtu: 1500, addresses: [ 10.0.1.1/24 ], qos: { mark: { vlan: 2 } } }
  GigabitEthernet1/0/2: { mtu: 1500, addresses: [ 203.0.113.1/24 ], qos: { store: 32 } }
qos_maps:
  1: { ip: { 184: 40, 32: 8 } }
  2: { ip: { 184: 5, 32: 3 } }
routes:
  10.9.0.0/16: 198.51.100.2
path-mtu:
  198.51.100.2: 1400
  10.9.0.1: 1300
  2001:db8:1::2: 1350
punt-redirect:
  ipv4: { interface: GigabitEthernet1/0/1, gateway: 198.51.100.2 }
  ipv6: { interface: GigabitEthernet1/0/1, gateway: "2001:db8:1::2" }
"""
ASKED = """\
interfaces:
  GigabitEthernet1/0/0:
    mtu: 1500
    addresses: [ 192.0.2.1/24 ]
    vrrp: { 5: { addresses: [ 192.0.2.254 ], priority: 200 } }
    sub-interfaces:
      100:
        mtu: 1500
        encapsulation: { dot1q: 100, exact-match: true }
        vrf: red
        addresses: [ 10.0.1.1/24 ]
        vrrp: { 7: { addresses: [ 10.0.1.254 ] } }
  GigabitEthernet1/0/1:
    mtu: 1500
    addresses: [ 198.51.100.1/24 ]
    neighbors: { 198.51.100.2: "02:00:00:00:00:02" }
  GigabitEthernet1/0/2: {}
  GigabitEthernet1/0/3:
    sub-interfaces:
      200: { encapsulation: { dot1q: 200, exact-match: true }, tag-rewrite: { pop: 1 } }
vrfs: { red: { id: 10, dhcp-relay: { ipv4: { servers: [ { address: 10.9.0.9, vrf: default } ], source: 10.0.1.1 } } } }
routes: { 10.9.0.0/16: 198.51.100.2 }
dhcp-relay: { ipv4: { servers: [ 198.51.100.9, 10.9.0.8 ], source: 192.0.2.1 } }
bridgedomains:
  bd10:
    interfaces: [ GigabitEthernet1/0/2, GigabitEthernet1/0/3.200 ]
    settings: { arp-termination: true }
    arp-entries: { 192.0.2.5: "02:00:00:00:00:05", 10.5.0.1: "02:00:00:00:00:06" }
"""
LIMITS = """\
interfaces:
  GigabitEthernet1/0/0:
    mtu: 1500
    addresses: [ 192.0.2.1/24, 2001:db8::1/64 ]
    police: slow
    sub-interfaces:
      100:
        mtu: 1500
        addresses: [ 10.0.1.1/24 ]
        police-hosts: { source: { 10.0.1.9: slow, 10.0.2.0/24: { policer: slow, each: 25 } } }
  GigabitEthernet1/0/1:
    mtu: 1500
    addresses: [ 198.51.100.1/24, 2001:db8:1::1/64 ]
    neighbors: { 198.51.100.2: "02:00:00:00:00:02", "2001:db8:1::2": "02:00:00:00:00:03" }
    police-hosts: { destination: { 192.0.2.9: marked, "2001:db8:7::/56": slow, "::/0": slow } }
  GigabitEthernet1/0/2: { mtu: 1500, police: slow }
  GigabitEthernet1/0/3: { mtu: 1500 }
bridgedomains: { bd10: { interfaces: [ GigabitEthernet1/0/2, GigabitEthernet1/0/3 ] } }
policers: { slow: { rate: 64k }, marked: { rate: 10M, excess: { mark: cs1 } } }
"""
NAT44 = """\
interfaces:
  GigabitEthernet1/0/0: { mtu: 1500, addresses: [ 203.0.113.2/24 ], nat44: outside }
  GigabitEthernet1/0/1: { mtu: 1500, addresses: [ 192.168.1.1/24 ], nat44: inside }
  GigabitEthernet1/0/2: { mtu: 1500, vrf: red, addresses: [ 192.168.2.1/24 ], nat44: inside }
  GigabitEthernet1/0/3: { mtu: 1500, addresses: [ 10.3.0.1/24 ] }
vrfs: { red: { id: 10 } }
routes: { 0.0.0.0/0: 203.0.113.1, 10.0.0.0/8: 10.3.0.9 }
nat44:
  pools:
    - { interface: GigabitEthernet1/0/0 }
    - { range: 203.0.113.10-203.0.113.12 }
    - { range: 203.0.113.20, vrf: red }
  static:
    web: { protocol: tcp, local: "192.168.1.20:8080", external: "GigabitEthernet1/0/0:80" }
    dns: { protocol: udp, local: "192.168.1.20:53", external: "203.0.113.30:53" }
    host: { local: 192.168.1.30, external: 203.0.113.31 }
  exempt: { ike: { protocol: udp, local: "GigabitEthernet1/0/0:500" } }
"""
DET44 = """\
interfaces:
  GigabitEthernet1/0/0: { mtu: 1500, addresses: [ 192.0.2.2/24 ], det44: outside }
  GigabitEthernet1/0/1: { mtu: 1500, addresses: [ 100.64.0.1/24 ], det44: inside }
  GigabitEthernet1/0/2: { mtu: 1500, addresses: [ 10.3.0.1/24 ], det44: inside }
routes: { 0.0.0.0/0: 192.0.2.1 }
det44: { maps: { 100.64.0.0/24: 203.0.113.4/30, 10.3.0.0/24: 203.0.113.8/30 } }
"""
CASES = {
    "limits": (LIMITS, ("policer ",), 8),
    "asked": (ASKED, ("ARP entry ", "virtual router ", "DHCP relay "), 7),
    "routes": (ROUTES, ("route ",), 17),
    "crossed": (CROSSED, ("L3 cross-connect ",), 3),
    "NAT44": (NAT44, ("nat44-",), 9),
    "DET44": (DET44, ("DET44 map ",), 2),
    "services": (SERVICES, ("path MTU ", "punt redirect ", "QoS "), 10),
}
BROKEN: list[tuple[str, list[str | SetPathMtu], set[str]]] = [
    (
        ROUTES,
        [
            "ip route add 10.7.0.0/17 via 192.0.2.254",
            "ip route add 10.7.128.0/17 via 192.0.2.254",
            "ip route add 10.10.0.0/17 via 198.51.100.2",
            "ip route add 10.10.128.0/17 via null-send-prohibit",
        ],
        {"route 10.7.0.0/16", "route 10.10.0.0/16"},
    ),
    (  # what needs the route goes the other way with it
        ROUTES,
        ["ip route add 10.1.0.0/17 via 198.51.100.9", "ip route add 10.1.128.0/17 via drop"],
        {"route 10.1.0.0/16", "route 10.4.0.0/16"},
    ),
    (
        CROSSED,
        ["l3xc del GigabitEthernet1/0/0 via 198.51.100.2 GigabitEthernet1/0/1"],
        {"L3 cross-connect of IPv4 on GigabitEthernet1/0/0"},
    ),
    (
        LIMITS,
        ["set policer classify interface GigabitEthernet1/0/0 ip4-table 0 del"],
        {"limited interface GigabitEthernet1/0/0 ipv4"},
    ),
    (
        LIMITS,
        [f"classify session policer-hit-next vppcfg:slow:GigabitEthernet1/0/2 table-index 0 match hex {'00' * 16}"],
        {"rate limit any in 0"},
    ),
    (NAT44, ["nat44 add address 203.0.113.20 tenant-vrf 10 del"], {"nat44-address nat44:203.0.113.20"}),
    (
        NAT44,
        ["nat44 add static mapping udp local 192.168.1.20 53 external 203.0.113.30 53 del"],
        {"nat44-mapping nat44:udp 203.0.113.30:53"},
    ),
    (DET44, ["det44 add in 10.3.0.0/24 out 203.0.113.8/30 del"], {"DET44 map 10.3.0.0/24 to 203.0.113.8/30"}),
    (SERVICES, ["qos record ip GigabitEthernet1/0/0 disable"], {"QoS record ip on GigabitEthernet1/0/0"}),
    (SERVICES, ["qos egress map id 2 [ip][184]=6"], {"QoS map 2"}),
    (SERVICES, [SetPathMtu(item=PathMtu(address="198.51.100.2", mtu=1200))], {"path MTU to 198.51.100.2"}),
    (SERVICES, ["qos store ip GigabitEthernet1/0/2 value 32 disable"], {"QoS store 32 on GigabitEthernet1/0/2"}),
    (ASKED, ["set bridge-domain arp entry 10 192.0.2.5 02:00:00:00:00:09"], {"ARP entry 192.0.2.5 in bd10"}),
    (ASKED, ["vrrp proto stop GigabitEthernet1/0/0 vr_id 5"], {"virtual router GigabitEthernet1/0/0 5"}),
    (
        ASKED,
        ["set dhcp proxy del server 198.51.100.9 src-address 192.0.2.1"],
        {"DHCP relay 198.51.100.9 from 192.0.2.1"},
    ),
    (
        SERVICES,
        ["ip punt redirect del rx GigabitEthernet1/0/0"],
        {"punt redirect of IPv4 from GigabitEthernet1/0/0"},
    ),
]


def parsed(text: str) -> Configuration:
    found = parse_text(text, "file.yaml").configuration
    assert found is not None
    return found


def changed(text: str, lines: list[str | SetPathMtu]) -> tuple[ProbeReport, list[str]]:
    """Return what comes of the frames after some changes in VPP, and what they are about."""
    with rehearsal(parsed(text), prefix()) as stage:
        probe_set = probes_for(stage.network)
        for line in lines:
            if isinstance(line, SetPathMtu):
                assert stage.vpp.perform([line]).refusals == ()
            else:
                stage.vpp.run_line(line)
        observed = stage.vpp.observe()
        findings = send_probes(stage.vpp, observed, stage.network, probe_set.probes)
        found = deviations(observed, stage.network.state)
        report = report_of(findings, probe_set.unproved, found, stage.network.without_link)
    return report, [probe.about.subject for probe in probe_set.probes]


@pytest.mark.parametrize("case", CASES)
def test_each_object_is_proved_by_frames(case: str) -> None:
    text, kinds, count = CASES[case]
    report, about = changed(text, [])
    assert wrong(report) == []
    assert [each for each in report.unproved if each.about.subject.startswith(kinds)] == []
    assert len({subject for subject in about if subject.startswith(kinds)}) == count


@pytest.mark.parametrize(("text", "lines", "suspects"), BROKEN)
def test_what_vpp_has_otherwise_is_blamed(text: str, lines: list[str | SetPathMtu], suspects: set[str]) -> None:
    report, _ = changed(text, lines)
    assert {suspect.subject for suspect in report.suspects} == suspects
