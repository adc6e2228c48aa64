"""Random lines of VPP's CLI: each command that a file can have something of, with parts that fit, or do not."""

import random
from collections.abc import Iterator

from tests.contract.subject import PORTS

PARTS = {
    "i": (*PORTS, *PORTS, "loop0", "loop1", "gre0", "BondEthernet0", "eth2.100", "missing"),
    "port": PORTS,
    "n": ("0", "1", "2", "7"),
    "bd": ("1", "2", "9"),
    "t": ("0", "5", "6", "77"),
    "mtu": ("1500", "9000", "1400", "0"),
    "ip": ("192.0.2.1", "192.0.2.2", "192.0.2.9", "10.0.0.5", "2001:db8::1", "2001:db8::2", "192.0.2"),
    "p": (
        *("192.0.2.1/24", "192.0.2.2/24", "10.0.0.0/24", "10.1.0.1/30", "2001:db8::1/64"),
        *("198.51.100.0/28", "10.0.0.1"),
    ),
    "m": ("02:00:00:00:00:01", "2:0:0:0:0:2", "0200.0000.0003", "01:00:5e:00:00:01"),
    "on": ("enable", "disable", ""),
    "up": ("up", "up", "down", "sideways"),
    "del": ("", "", "", "del"),
}
TYPED = (
    "create loopback interface",
    "create loopback interface instance {n}",
    "delete loopback interface intfc {i}",
    "create bridge-domain {bd}",
    "create bridge-domain {bd} del",
    "create sub-interfaces {i} 100 dot1q 100 exact-match",
    "create sub-interfaces {i} 100",
    "delete sub-interface {i}",
    "create bond mode lacp id {n}",
    "create bond mode xor load-balance l34 id {n}",
    "bond add BondEthernet0 {i}",
    "bond del {i}",
    "delete bond {i}",
    "set interface state {i} {up}",
    "set interface state {i} {up}",
    "set interface mtu packet {mtu} {i}",
    "set interface mac address {i} {m}",
    "set interface tag {i} x",
    "set interface ip address {i} {p}",
    "set interface ip address {i} {p}",
    "set interface ip address del {i} {p}",
    "set interface ip table {i} {t}",
    "set interface ip6 table {i} {t}",
    "ip table add {t}",
    "ip6 table add {t}",
    "set interface unnumbered {i} use {i}",
    "set interface unnumbered del {i}",
    "set interface l2 bridge {i} {bd}",
    "set interface l2 bridge {i} {bd} bvi",
    "set interface l2 xconnect {i} {i}",
    "set interface l3 {i}",
    "set interface l2 tag-rewrite {i} pop {n}",
    "set interface l2 tag-rewrite {i} disable",
    "set interface mpls {i} {on}",
    "mpls table add 0",
    "set ip neighbor {i} {ip} {m} static",
    "set ip neighbor static {i} {ip} {m}",
    "set ip neighbor del {i} {ip} {m}",
    "l2fib add {m} {bd} {i} static",
    "l2fib add {m} {bd} filter",
    "l2fib del {m} {bd}",
    "set bridge-domain arp entry {bd} {ip} {m}",
    "set bridge-domain arp term {bd} {on}",
    "set bridge-domain learn {bd} {on}",
    "set bridge-domain mac-age {bd} {n}",
    "set acl-plugin acl permit src {p} dst {p} tag x",
    "set acl-plugin acl deny",
    "set acl-plugin acl index {n} permit",
    "set acl-plugin interface {i} input acl {n} {del}",
    "set acl-plugin interface {i} output acl {n}",
    "delete acl-plugin acl index {n}",
    "create gre tunnel src {ip} dst {ip} instance {n}",
    "create ipip tunnel src {ip} dst {ip} instance {n}",
    "create vxlan tunnel src {ip} dst {ip} vni {n} instance {n}",
    "nat44 plugin enable sessions 1000",
    "nat44 plugin disable",
    "set interface nat44 in {i} out {i} {del}",
    "set interface nat44 out {i} output-feature {del}",
    "nat44 add address {ip} {del}",
    "nat44 add interface address {i} {del}",
    "nat44 add static mapping tcp local {ip} 80 external {ip} 8080 {del}",
    "nat44 add static mapping local {ip} external {ip} {del}",
    "nat44 add static mapping udp local {ip} 53 external {i} 53",
    "nat44 add identity mapping {ip} {del}",
    "nat44 forwarding {on}",
    "set nat timeout udp {n}",
    "set nat timeout reset",
    "nat mss-clamping {mtu}",
    "nat mss-clamping disable",
    "det44 plugin enable",
    "det44 add in {p} out {p} {del}",
    "set interface det44 inside {i} outside {i} {del}",
    "set det44 timeouts udp {n}",
    "abf policy add id {n} acl {n} via {ip} {i}",
    "abf policy del id {n} via {ip} {i}",
    "abf attach ip4 policy {n} priority 10 {i}",
    "vrrp vr add {i} vr_id {n} priority 100 {ip}",
    "vrrp vr del {i} vr_id {n}",
    "vrrp vr track-if add {i} track-index {n} vr_id {n} priority 5",
    "vrrp peers {i} vr_id {n} {ip}",
    "set dhcp proxy server {ip} src-address {ip}",
    "set dhcp proxy del server {ip} src-address {ip}",
    "set dhcp client intfc {i} hostname x",
    "qos egress map id {n} [ip][4]=6",
    "qos mark ip {port} id {n}",
    "qos record ip {i}",
    "qos record ip {i} disable",
    "qos store ip {i} value {n}",
    "l3xc add {i} via {ip} {i}",
    "l3xc del {i}",
    "ip punt redirect add rx {i} via {ip} {i}",
    "ip punt redirect del rx {i}",
    "ip route add {p} via {ip} {i}",
    "ip route add {p} via {i}",
    "ip route add {p} table {t} via {ip}",
    "ip route add {p} via drop",
    "ip route del {p}",
    "set interface span {i} destination {i}",
    "set urpf ip4 rx loose {i}",
    "set urpf ip6 rx strict {i}",
    "set interface tcp-mss-clamp {i} ip4 enable ip4-mss 1300 ip6 disable",
    "set arp proxy start {ip} end {ip}",
    "set interface proxy-arp {i} {on}",
    "set interface feature gso {i} {on}",
    "set interface lldp {i} port-desc x",
    "sflow enable-disable {i}",
    "flowprobe params record l3 active 20 passive 120",
    "flowprobe feature add-del {i} ip4",
    "set ipfix exporter collector {ip} src {ip}",
    "ip6 nd {i} ra-lifetime 1800",
    "ip6 nd {i} prefix {p}",
    "enable ip6 interface {i}",
    "disable ip6 interface {i}",
    "create interface memif id {n} master",
    "create memif socket id {n} filename /run/vpp/m{n}.sock",
    "set interface rx-mode {i} polling",
)
"""What is typed, with places for parts.

NAT's leaks between VRFs make tables, which the simulator does not know; and where `qos mark` misses its interface, VPP
ends or not, by what its memory has.
"""


def typed(dice: random.Random) -> str:
    """Return one line."""
    words = dice.choice(TYPED).split(" ")
    return " ".join(
        word if not word.startswith("{") or not word.endswith("}") else dice.choice(PARTS[word.strip("{}")])
        for word in words
    ).strip()


def typed_lines(seed: int, count: int) -> Iterator[str]:
    """Return lines, the same for the same seed."""
    dice = random.Random(seed)
    for _ in range(count):
        yield typed(dice)
