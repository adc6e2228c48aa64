"""Small plans that together contain every type of operation: from one of these configurations to the next."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

from tests.wireguard_keys import PEERS, PRESHARED, PUBLIC, key_file


def _folder_with_keys() -> Path:
    """Return a folder with the files of keys, which is there as long as this process."""
    folder = Path(tempfile.mkdtemp(prefix="vppcfg-keys-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for number in range(3):
        key_file(folder, number)
    return folder


_FOLDER = _folder_with_keys()


def _with_keys(text: str) -> str:
    """Return a configuration with keys and their files in place of the words for them."""
    words = {"KEYS": str(_FOLDER), "DIGEST_2": PRESHARED[2].partition(":")[2]}
    words |= {f"PUBLIC_{number}": key for number, key in enumerate(PUBLIC)}
    words |= {f"PEER_{number}": key for number, key in enumerate(PEERS)}
    for word, value in words.items():
        text = text.replace(word, value)
    return text


PORTS = ("GigabitEthernet1/0/0", "GigabitEthernet2/0/0", "GigabitEthernet3/0/0", "GigabitEthernet4/0/0")

BARE = """\
interfaces:
  GigabitEthernet1/0/0: { mtu: 9000, state: down }
  GigabitEthernet2/0/0: { mtu: 9000, state: down }
  GigabitEthernet3/0/0: { mtu: 9000, state: down }
  GigabitEthernet4/0/0: { mtu: 9000, state: down }
"""

ONE = _with_keys("""\
interfaces:
  GigabitEthernet1/0/0:
    description: uplink
    mtu: 9000
    lcp: e0
    mpls: true
    sflow: true
    urpf: { ipv4: strict, ipv6: loose }
    mss-clamp: { ipv4: 1360, ipv6: { mss: 1340, direction: input } }
    mirror: { tap1: both, GigabitEthernet4/0/0: input }
    lldp: { description: uplink }
    proxy-arp: true
    ra: { managed: true, prefixes: { "2001:db8::/64": {} } }
    link-local: fe80::1
    rx-mode: interrupt
    rx-placement: { 0: worker1, 1: main }
    tx-placement: { 0: [ worker0, worker1 ], 1: main }
    addresses: [ 192.0.2.1/24, "2001:db8::1/64" ]
    neighbors: { 192.0.2.5: "02:00:00:00:00:05", 192.0.2.6: "02:00:00:00:00:06" }
    acls: { input: [ inside ] }
    macip: hosts
    ipfix: { variant: ip4, direction: input }
    sub-interfaces:
      100: { mtu: 1500, lcp: e0.100, vrf: red, addresses: [ 198.51.100.1/24 ], proxy-arp: true, dhcp-client: true }
      200: { mtu: 1500, encapsulation: { dot1q: 200 }, macip: guests }
  GigabitEthernet2/0/0: { mtu: 1500 }
  GigabitEthernet3/0/0: { mtu: 1500 }
  GigabitEthernet4/0/0: { mtu: 1500, gso: true, mac: "02:00:00:00:00:44", unnumbered: loop1 }
  BondEthernet0: { mtu: 1500, lcp: be0 }
  vxlan_tunnel1: { mtu: 1500 }
  gre0: { mtu: 1400, addresses: [ 10.0.99.1/30 ] }
  ipip0: { mtu: 1480, addresses: [ 10.0.98.0/31 ] }
  wg0: { addresses: [ 10.0.97.1/24 ] }
  wg1: { mtu: 1400 }
  tap1: { mtu: 1500 }
  host-v1: { mtu: 1500, lcp: hv1, addresses: [ 10.0.96.1/24 ] }
  memif1/0: { mtu: 1500, addresses: [ 10.0.95.1/24 ] }
  VirtualEthernet0/0/7: { mtu: 1500, addresses: [ 10.0.94.1/24 ] }
loopbacks:
  loop1: { mtu: 1500, addresses: [ 10.0.0.1/32 ] }
  loop10: { mtu: 1500, mac: "02:00:00:00:00:10", lcp: bvi10, addresses: [ 10.0.10.1/24 ] }
bondethernets:
  BondEthernet0: { mode: active-backup, interfaces: [ GigabitEthernet2/0/0, GigabitEthernet3/0/0 ] }
vxlan_tunnels:
  vxlan_tunnel1: { local: 192.0.2.1, remote: 192.0.2.2, vni: 101 }
gre_tunnels:
  gre0: { local: 192.0.2.1, remote: 192.0.2.3, key: 42 }
ipip_tunnels:
  ipip0: { local: 192.0.2.1, remote: 192.0.2.4, dscp: ef }
wireguards:
  wg0:
    local: 192.0.2.1
    port: 51820
    public-key: PUBLIC_0
    private-key-file: KEYS/key0
    peers:
      bern: { public-key: PEER_0, allowed-ips: [ 10.0.97.2/32 ], endpoint: 192.0.2.5, port: 51820 }
      basel:
        public-key: PEER_1
        allowed-ips: [ 10.0.97.3/32 ]
        preshared-key-file: KEYS/key2
        preshared-key-sha256: DIGEST_2
  wg1: { local: 192.0.2.1, port: 51821, public-key: PUBLIC_1, private-key-file: KEYS/key1 }
host_interfaces:
  host-v1: {}
memifs:
  memif1/0: { role: slave, socket: /tmp/vppcfg-chaos.sock }
vhost_users:
  VirtualEthernet0/0/7: { role: client, socket: /tmp/vppcfg-chaos-vm7.sock }
vrfs:
  red: { id: 100 }
bridgedomains:
  bd10:
    mtu: 1500
    bvi: loop10
    interfaces: [ GigabitEthernet1/0/0.200, vxlan_tunnel1 ]
    static-macs: { "02:00:00:00:00:77": GigabitEthernet1/0/0.200, "02:00:00:00:00:78": vxlan_tunnel1 }
    filtered-macs: [ "02:00:00:00:00:79" ]
    settings: { mac-age-minutes: 5 }
taps:
  tap1: { host: { name: vm1, bridge: br1, bridge-create: true, namespace: blue, namespace-create: true } }
acls:
  inside:
    terms:
      - { action: permit, source: 192.0.2.0/24, protocol: tcp, destination-port: https }
      - { action: deny }
macip_acls:
  hosts: { terms: [ { action: permit, mac: "02:00:00:00:00:05", source: 192.0.2.5 } ] }
  guests: { terms: [ { action: deny, mac: "02:00:00:00:00:05" }, { action: permit } ] }
ipfix: { collector: 192.0.2.200, source: 192.0.2.1, vrf: red, records: [ l3, l4 ] }
lldp: { system-name: r1, hold: 5 }
proxy_arp: { ranges: [ 203.0.113.1-203.0.113.9 ], vrfs: { red: [ 203.0.113.7 ] } }
routes: { 10.88.0.0/16: blackhole, 10.89.0.0/16: { via: [ 192.0.2.254, { vrf: red } ] } }
sflow: { sampling-rate: 2000, polling-interval: 10, header-bytes: 64 }
""")

TWO = _with_keys("""\
interfaces:
  GigabitEthernet1/0/0:
    mtu: 2000
    ra: { prefixes: { "2001:db8::/64": {} } }
    lcp: e1
    urpf: { ipv4: loose }
    mss-clamp: { ipv4: 1400 }
    mirror: { GigabitEthernet4/0/0: output }
    lldp: { description: other }
    proxy-arp: true
    rx-mode: polling
    rx-placement: { 1: worker0 }
    tx-placement: { 0: main, 1: [ worker0, worker1 ] }
    addresses: [ 192.0.2.9/24, "2001:db8::1/64" ]
    neighbors: { 192.0.2.5: "02:00:00:00:00:55" }
    acls: { input: [ outside ] }
    macip: staff
    ipfix: ip4
    sub-interfaces:
      100: { mtu: 1400, lcp: e1.100, addresses: [ 198.51.100.2/24 ], dhcp-client: { hostname: r2 } }
      300: { mtu: 1500, encapsulation: { dot1q: 300 } }
  GigabitEthernet2/0/0: { mtu: 1500 }
  GigabitEthernet3/0/0: { mtu: 1500, l2xc: GigabitEthernet4/0/0 }
  GigabitEthernet4/0/0: { mtu: 1500, l2xc: GigabitEthernet3/0/0 }
  BondEthernet0: { mtu: 1500, lcp: be0 }
  wg0: { addresses: [ 10.0.97.1/24 ] }
  tap1: { mtu: 1500 }
loopbacks:
  loop1: { mtu: 1500, addresses: [ 10.0.0.2/32 ] }
wireguards:
  wg0:
    local: 192.0.2.1
    port: 51820
    public-key: PUBLIC_0
    private-key-file: KEYS/key0
    peers:
      bern: { public-key: PEER_0, allowed-ips: [ 10.0.97.2/32 ], endpoint: 192.0.2.6, port: 51820 }
bondethernets:
  BondEthernet0: { mode: active-backup, interfaces: [ GigabitEthernet2/0/0 ], mac: "02:00:00:00:00:b0" }
bridgedomains:
  bd10:
    mtu: 1500
    interfaces: [ GigabitEthernet1/0/0.300 ]
    static-macs: { "02:00:00:00:00:79": GigabitEthernet1/0/0.300 }
    filtered-macs: [ "02:00:00:00:00:77" ]
    settings: { learn: false, mac-age-minutes: 7 }
taps:
  tap1: { host: { name: vm1, bridge: br1, namespace: blue } }
acls:
  inside:
    terms:
      - { action: deny, source: 192.0.2.0/24 }
  outside:
    terms:
      - { action: deny }
macip_acls:
  hosts: { terms: [ { action: permit, mac: "02:00:00:00:00:06", source: 192.0.2.6 } ] }
  staff: { terms: [ { action: permit } ] }
ipfix: { collector: 192.0.2.201, source: 192.0.2.1, records: [ l3 ], active-timeout: 5 }
lldp: { system-name: r2, interval: 60 }
proxy_arp: { ranges: [ 203.0.113.2-203.0.113.9 ] }
routes: { 10.88.0.0/16: unreachable }
sflow: { sampling-rate: 1000 }
""")

SERVICES_ONE = """\
interfaces:
  GigabitEthernet1/0/0:
    mtu: 9000
    state: up
    addresses: [ 203.0.113.2/24, "2001:db8::1/64" ]
    nat44: outside
    qos: { record: [ ip, vlan ], store: 46 }
    policy-routes:
      - { acl: guests, via: [ { gateway: 203.0.113.3, weight: 3 }, { gateway: 203.0.113.4 } ] }
      - { acl: voice, via: 203.0.113.5, priority: 5 }
  GigabitEthernet2/0/0:
    mtu: 9000
    state: up
    addresses: [ 192.168.1.1/24 ]
    nat44: inside
    vrrp:
      5: { addresses: [ 192.168.1.254 ], priority: 200, track: { GigabitEthernet1/0/0: 50 } }
      6: { addresses: [ 192.168.1.253 ], unicast-peers: [ 192.168.1.2 ] }
    sflow: true
    l3xc: { ipv4: { interface: GigabitEthernet1/0/0, gateway: 203.0.113.9 } }
    qos: { mark: { ip: 1 } }
    punt-redirect: { ipv4: { interface: GigabitEthernet1/0/0, gateway: 203.0.113.9 } }
  GigabitEthernet3/0/0: { mtu: 9000, state: up, addresses: [ 100.64.0.1/24 ], det44: inside }
  GigabitEthernet4/0/0: { mtu: 9000, state: up }
  gre5: { mtu: 1400, state: up, addresses: [ 10.5.0.1/24 ] }
gre_tunnels:
  gre5: { local: 203.0.113.2, multipoint: true, neighbors: { 10.5.0.2: 203.0.113.3, 10.5.0.3: 203.0.113.4 } }
bridgedomains:
  bd10:
    mtu: 9000
    interfaces: [ GigabitEthernet4/0/0 ]
    settings: { arp-termination: true }
    arp-entries: { 192.0.2.5: "02:00:00:00:00:05", 192.0.2.6: "02:00:00:00:00:06" }
vrfs: { red: { id: 10 }, blue: { id: 20 } }
acls:
  guests: { terms: [ { action: permit, source: 10.0.0.0/8 } ] }
  voice: { terms: [ { action: permit, family: ipv4, protocol: udp } ] }
nat44:
  sessions: 1000
  pools: [ 203.0.113.20-203.0.113.21, { interface: GigabitEthernet1/0/0 } ]
  static: { ssh: { protocol: tcp, local: "192.168.1.10:22", external: "203.0.113.20:2222" } }
  exempt: { vpn: { protocol: udp, local: "203.0.113.2:500" } }
  leaks: { red: [ default ] }
  mss: 1452
  timeouts: { udp: 30 }
det44: { maps: { 100.64.0.0/24: 203.0.113.64/28 }, timeouts: { udp: 120 } }
dhcp-relay: { ipv4: { servers: [ 192.0.2.99 ], source: 203.0.113.2 } }
path-mtu: { 203.0.113.9: 1400, "2001:db8::9": 1300 }
qos_maps: { 1: { ip: { 184: 46 } }, 2: { ip: { 8: 1 } } }
sflow: { direction: both, drops: true }
"""
SERVICES_TWO = """\
interfaces:
  GigabitEthernet1/0/0:
    mtu: 9000
    state: up
    addresses: [ 203.0.113.2/24, "2001:db8::1/64" ]
    nat44: output
    qos: { record: [ mpls ], mark: { ip: 2 } }
    policy-routes:
      - { acl: guests, via: [ { gateway: 203.0.113.3, weight: 2 }, { gateway: 203.0.113.6 } ] }
      - { acl: web, via: { gateway: "2001:db8::2", interface: GigabitEthernet1/0/0 }, priority: 6, family: ipv4 }
  GigabitEthernet2/0/0:
    mtu: 9000
    state: up
    addresses: [ 192.168.1.1/24 ]
    nat44: inside
    vrrp:
      5: { addresses: [ 192.168.1.254 ], priority: 200, track: { GigabitEthernet1/0/0: 60 } }
      7: { addresses: [ 192.168.1.252 ], unicast-peers: [ 192.168.1.3 ] }
    sflow: true
    l3xc: { ipv6: { interface: GigabitEthernet1/0/0, gateway: "2001:db8::9" } }
    qos: { store: 7 }
    punt-redirect: { ipv6: { interface: GigabitEthernet1/0/0 } }
  GigabitEthernet3/0/0: { mtu: 9000, state: up, addresses: [ 100.64.0.1/24 ] }
  GigabitEthernet4/0/0: { mtu: 9000, state: up }
  gre5: { mtu: 1400, state: up, addresses: [ 10.5.0.1/24 ] }
gre_tunnels:
  gre5: { local: 203.0.113.2, multipoint: true, neighbors: { 10.5.0.2: 203.0.113.5, 10.5.0.4: 203.0.113.4 } }
bridgedomains:
  bd10:
    mtu: 9000
    interfaces: [ GigabitEthernet4/0/0 ]
    settings: { arp-termination: true }
    arp-entries: { 192.0.2.5: "02:00:00:00:00:07", "2001:db8::5": "02:00:00:00:00:05" }
vrfs: { red: { id: 10 }, blue: { id: 20 } }
acls:
  guests: { terms: [ { action: permit, source: 10.0.0.0/8 } ] }
  web: { terms: [ { action: permit, family: ipv4, protocol: tcp } ] }
nat44:
  sessions: 1000
  pools: [ 203.0.113.21, { range: 203.0.113.22, twice-nat: true } ]
  static: { all: { local: 192.168.1.30, external: 203.0.113.21 } }
  exempt: { port: { protocol: tcp, local: "192.168.1.31:80" } }
  leaks: { blue: [ red ] }
  forwarding: true
  timeouts: { udp: 31 }
det44: { maps: { 100.65.0.0/24: 203.0.113.80/28 } }
dhcp-relay: { ipv6: { servers: [ "2001:db8:5::1" ], source: "2001:db8::1" } }
path-mtu: { 203.0.113.9: 1401, 203.0.113.10: 1280 }
qos_maps: { 2: { ip: { 8: 2 } } }
sflow: { direction: output, drops: false }
"""
SERVICES_THREE = """\
interfaces:
  GigabitEthernet1/0/0: { mtu: 9000, state: up, addresses: [ 203.0.113.2/24 ], nat44: outside }
  GigabitEthernet2/0/0: { mtu: 9000, state: up, addresses: [ 192.168.1.1/24 ], nat44: inside }
  GigabitEthernet3/0/0: { mtu: 9000, state: up, addresses: [ 100.64.0.1/24 ], det44: inside }
  GigabitEthernet4/0/0: { mtu: 9000, state: down, addresses: [ 198.51.100.1/24 ], det44: outside }
loopbacks: { loop10: { mtu: 9000, mac: "02:00:00:00:00:10" } }
bridgedomains:
  bd10:
    mtu: 9000
    bvi: loop10
    settings: { arp-termination: true }
    arp-entries: { 192.0.2.5: "02:00:00:00:00:07" }
vrfs: { red: { id: 10 }, blue: { id: 20 } }
nat44:
  sessions: 3000
  pools: [ { interface: GigabitEthernet1/0/0 } ]
  static: { ssh: { protocol: tcp, local: "192.168.1.10:22", external: "GigabitEthernet1/0/0:2222" } }
  leaks: { red: [ default, blue ], blue: [ red ] }
  mss: 1400
det44: { maps: { 100.64.0.0/24: 203.0.113.64/28 }, timeouts: { udp: 120 } }
"""

PLANS = {
    "from-bare-to-one": (BARE, ONE),
    "from-one-to-two": (ONE, TWO),
    "from-two-to-bare": (TWO, BARE),
    "between-services": (SERVICES_ONE, SERVICES_TWO),
    "services-anew": (SERVICES_TWO, SERVICES_THREE),
}
"""Where each plan starts and where it leads."""


def large(sub_interfaces: int, shift: int = 0) -> str:
    """Return a configuration with many sub-interfaces, LCP pairs and addresses; `shift` moves every address."""
    lines = ["interfaces:"]
    for port, name in enumerate(PORTS):
        lines += [f"  {name}:", "    mtu: 9000", f"    lcp: e{port}", "    sub-interfaces:"]
        for number in range(1, sub_interfaces // len(PORTS) + 1):
            addresses = f'10.{port}.{number % 250}.{1 + shift}/30, "2001:db8:{port}:{number:x}::{1 + shift}/64"'
            lines.append(f"      {number}: {{ mtu: 1500, lcp: e{port}.{number}, addresses: [ {addresses} ] }}")
    return "\n".join(lines) + "\n"


LARGE_PLANS = {
    "from-bare-to-large": (BARE, large(400)),
    "from-large-to-large": (large(400), large(360, shift=1)),
    "from-large-to-bare": (large(400), BARE),
}
"""Thousands of messages each."""
