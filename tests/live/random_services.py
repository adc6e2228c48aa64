"""Random routers with services, and what others type at the prompt of such a VPP."""

import random
from collections.abc import Iterator
from typing import Any

import yaml

from tests.real_vpp import release, skip_reason

PORTS = tuple(f"GigabitEthernet{number}/0/0" for number in (1, 3, 5, 7))
LAN, WAN, THIRD, FOURTH = PORTS
SUB = f"{WAN}.101"
_MAC = "02:00:00:00:00:{:02x}"
_END = "blackhole" if skip_reason() is not None or release() >= "24.10" else "192.0.2.3"


def configuration(seed: int) -> dict[str, Any]:
    """Return a valid configuration; the same for the same seed."""
    return _Drawn(random.Random(seed)).file()


def successor(before: dict[str, Any], seed: int) -> dict[str, Any]:
    """Return the configuration of a seed that owns all that the one before it owned; what it lacks of that is empty."""
    data = configuration(seed)
    for key in ("dhcp-relay", "path-mtu", "qos_maps"):
        if key in before:
            data.setdefault(key, {})
    if "nat44" in before:
        data.setdefault("nat44", {**before["nat44"], "pools": [{"interface": WAN}]})
        for name in (LAN, WAN):
            data["interfaces"][name].setdefault("nat44", before["interfaces"][name]["nat44"])
    for name in PORTS:
        for key in before["interfaces"][name].keys() & {"vrrp", "qos"}:
            data["interfaces"][name].setdefault(key, {})
    if any("dhcp-relay" in vrf for vrf in before.get("vrfs", {}).values()):
        for vrf in data.get("vrfs", {}).values():
            vrf.setdefault("dhcp-relay", {})
    for name, bridge in data.get("bridgedomains", {}).items():
        if "arp-entries" in before.get("bridgedomains", {}).get(name, {}):
            bridge.setdefault("arp-entries", {})
    return data


class _Drawn:
    def __init__(self, dice: random.Random) -> None:
        self._dice = dice
        self.data: dict[str, Any] = {}

    def _may(self, chance: float = 0.5) -> bool:
        return self._dice.random() < chance

    def file(self) -> dict[str, Any]:
        has_vrf, self.has_sub = self._may(0.7), self._may(0.7)
        self.vrf = ("red", 10) if self._may(0.7) else ("blue", 10) if self._may() else ("red", 20)
        self.vrfs: dict[str, Any] = {self.vrf[0]: {"id": self.vrf[1]}} if has_vrf else {}
        lan: dict[str, Any] = {"addresses": ["192.0.2.1/24", "2001:db8::1/64"]}
        wan: dict[str, Any] = {"addresses": ["198.51.100.1/24"]}
        third: dict[str, Any] = {} if self._may(0.7) else {"addresses": ["10.2.0.1/24"]}
        fourth: dict[str, Any] = {} if self._may(0.7) else {"addresses": ["10.3.0.1/24"]}
        if self.has_sub:
            tag = self._dice.choice([101, 1101])
            wan["sub-interfaces"] = {
                101: {"encapsulation": {"dot1q": tag, "exact-match": True}, "addresses": ["10.1.1.1/24"]}
            }
        self.data = {"interfaces": dict(zip(PORTS, (lan, wan, third, fourth), strict=True))}
        self._loopbacks()
        self._bridges(third, fourth)
        if self._may(0.3):
            self.data["gre_tunnels"] = {
                "gre0": {"local": "198.51.100.1", "remote": f"198.51.100.{self._dice.choice([7, 8])}"}
            }
            self.data["interfaces"]["gre0"] = {"mtu": 1400, "addresses": ["10.9.9.1/30"]}
        self._services(lan, wan)
        if self.vrfs:
            self.data["vrfs"] = self.vrfs
        return self.data

    def _loopbacks(self) -> None:
        loops: dict[str, Any] = {}
        if self._may(0.8):
            loops["loop10"] = {"mtu": 1500, "addresses": [self._dice.choice(["192.168.10.1/24", "192.168.11.1/24"])]}
        if self.vrfs and self._may(0.8):
            loops["loop20"] = {"mtu": 1500, "vrf": self.vrf[0], "addresses": ["192.168.20.1/24"]}
        if loops:
            self.data["loopbacks"] = loops

    def _bridges(self, third: dict[str, Any], fourth: dict[str, Any]) -> None:
        free = [name for name, port in ((THIRD, third), (FOURTH, fourth)) if not port]
        if not free or not self._may(0.85):
            return
        bridge: dict[str, Any] = {"interfaces": free, "settings": {"arp-termination": True}}
        if "loop10" in self.data.get("loopbacks", {}) and self._may(0.4):
            bridge["bvi"] = "loop10"
        if self._may(0.25):
            bridge["arp-entries"] = {"192.168.10.7": _MAC.format(7)}
        self.data["bridgedomains"] = {self._dice.choice(["bd10", "bd11"]): bridge}

    def _services(self, lan: dict[str, Any], wan: dict[str, Any]) -> None:
        data = self.data
        routes = {"10.0.0.0/8": "192.0.2.2", "172.16.0.0/12": _END, "10.200.0.0/16": "198.51.100.2"}
        drawn = dict(self._dice.sample(sorted(routes.items()), self._dice.randint(0, 3)))
        data["routes"] = {"0.0.0.0/0": "192.0.2.2", **drawn}
        if self._may(0.4):
            data["acls"] = {"guests": {"terms": [{"action": "permit", "source": "10.0.0.0/8"}]}}
            lan["policy-routes"] = [{"acl": "guests", "via": f"192.0.2.{self._dice.choice([2, 3])}", "priority": 10}]
        if self._may(0.4):
            lan["vrrp"] = {5: {"addresses": ["192.0.2.254"], "priority": self._dice.choice([100, 200])}}
        if self._may(0.4):
            lan["qos"] = {"record": ["ip"]} if self._may() else {"store": 46}
            data["qos_maps"] = {1: {"ip": {184: 46}}}
            wan["qos"] = {"mark": {"ip": 1}}
        if self._may(0.3):
            data["path-mtu"] = {"203.0.113.1": 1400}
        if self._may(0.3):
            data["dhcp-relay"] = {"ipv4": {"servers": ["203.0.113.1"], "source": "192.0.2.1"}}
        if self.vrfs and self._may(0.3):
            server = {"address": "203.0.113.9", "vrf": "default"}
            self.vrfs[self.vrf[0]]["dhcp-relay"] = {"ipv4": {"servers": [server], "source": "192.0.2.1"}}
        if self._may(0.3):
            lan["mirror"] = {FOURTH: "input"}
        if self._may(0.4):
            self._nat(lan, wan)

    def _nat(self, lan: dict[str, Any], wan: dict[str, Any]) -> None:
        lan["nat44"], wan["nat44"] = "inside", "outside"
        nat: dict[str, Any] = {"sessions": 1000, "pools": [{"interface": WAN}]}
        if self._may():
            external = f"{WAN}:2222"
            nat["static"] = {"ssh": {"protocol": "tcp", "local": "192.0.2.10:22", "external": external}}
        if self.vrfs and self._may():
            nat["pools"].append({"range": "203.0.113.20", "vrf": self.vrf[0]})
        self.data["nat44"] = nat


def text_of(data: dict[str, Any]) -> str:
    """Return a configuration as a file."""
    return yaml.safe_dump(data, sort_keys=False)


def typed_by_others(data: dict[str, Any], seed: int, after: dict[str, Any] | None = None) -> list[str]:
    """Return lines of others that a VPP with a configuration takes, some of all that it could have.

    With a configuration to come: only what that leaves alone and VPP takes then, too.
    """
    dice = random.Random(seed)
    groups = [group for group in _groups(data) if dice.random() < 0.6]
    later = list(_groups(after)) if after else groups
    return [line for group in groups if group in later for line in group]


def _groups(data: dict[str, Any]) -> Iterator[list[str]]:
    loops, bridges = data.get("loopbacks", {}), data.get("bridgedomains", {})
    interfaces, lan = data["interfaces"], data["interfaces"][LAN]
    is_routed = "loop10" in loops and not any(each.get("bvi") == "loop10" for each in bridges.values())
    yield [
        f"ip route add 10.70.0.0/16 via 192.0.2.9 {LAN}",
        f"ip route add 10.70.0.0/16 via 198.51.100.9 {WAN} weight 2",
    ]
    yield ["set acl-plugin acl permit tag others", f"abf policy add id 1 acl {int('acls' in data)} via 192.0.2.8 {LAN}"]
    yield from _on_loopback(loops["loop10"]["addresses"][0].removesuffix(".1/24")) if is_routed else ()
    if "sub-interfaces" in interfaces[WAN]:
        yield [f"ip route add 10.73.0.0/16 via 10.1.1.9 {SUB}", "ip route add 10.74.0.0/16 via 10.1.1.9 weight 3"]
        yield [
            "classify table mask l3 ip4 src buckets 16",
            "classify session hit-next 0 table-index 0 match l3 ip4 src 10.66.0.1",
            f"set interface input acl intfc {SUB} ip4-table 0",
        ]
        yield [f"qos record ip {SUB}"]
        yield [f"ip mroute add 232.1.1.1/32 via {SUB} Forward"]
    if "gre0" in interfaces:
        yield ["ip route add 10.72.0.0/16 via 10.9.9.2 gre0"]
    if "nat44" not in data:
        yield [
            "nat44 plugin enable sessions 1000",
            f"set interface nat44 in {LAN} out {WAN}",
            f"nat44 add interface address {WAN}",
            f"nat44 add static mapping tcp local 192.0.2.20 80 external {WAN} 8080",
            *(["set interface nat44 in loop10"] if is_routed else []),
        ]
    for name, bridge in bridges.items():
        if "arp-entries" not in bridge:
            yield [f"set bridge-domain arp entry {name[2:]} 192.168.10.9 {_MAC.format(9)}"]
        yield [f"set interface l2 learn {bridge['interfaces'][0]} disable"]
    for vrf in data.get("vrfs", {}).values():
        yield [f"ip route add 10.75.0.0/16 table {vrf['id']} via drop"]
        if "dhcp-relay" not in vrf:
            yield [f"set dhcp proxy server 203.0.113.5 src-address 192.0.2.1 rx-fib-id {vrf['id']}"]
        if "loop20" in loops:
            yield [f"ip route add 10.76.0.0/16 table {vrf['id']} via 192.168.20.9 loop20"]
    if "vrrp" not in lan:
        yield [f"vrrp vr add {LAN} vr_id 9 priority 150 192.0.2.250", f"vrrp proto start {LAN} vr_id 9"]
    if "qos" not in interfaces[WAN]:
        yield ["qos egress map id 7 [ip][184]=46", f"qos mark ip {WAN} id 7"]
    if "sub-interfaces" in interfaces[WAN]:
        yield [f"ip punt redirect add rx {LAN} via 10.1.1.9 {SUB}"]
        yield [f"ip punt redirect add rx all via 10.1.1.9 {SUB}"]
        yield [f"l3xc add {LAN} via 10.1.1.9 {SUB}"]


def _on_loopback(network: str) -> Iterator[list[str]]:
    yield [f"ip route add 10.71.0.0/16 via {network}.9 loop10"]
    yield [f"vrrp vr add loop10 vr_id 7 priority 200 {network}.254", "vrrp proto start loop10 vr_id 7"]
    yield [
        f"bfd udp session add interface loop10 local-addr {network}.1 peer-addr {network}.7 "
        "desired-min-tx 100000 required-min-rx 100000 detect-mult 3"
    ]
    yield ["set interface reassembly loop10 on"]
    yield [
        "policer add name p1 cir 1000 cb 10000 rate kbps round closest type 1r2c conform-action transmit "
        "exceed-action drop",
        "policer input name p1 loop10",
    ]
    yield [f"ip punt redirect add rx loop10 via 192.0.2.8 {LAN}"]
    yield [f"l3xc add loop10 via 192.0.2.9 {LAN}"]
