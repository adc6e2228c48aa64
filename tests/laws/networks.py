"""Generated routers: configurations that the rules accept, and states that a VPP can be in."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Self, TypeVar

from hypothesis import strategies as st

from tests.wireguard_keys import PEERS, PRESHARED, PUBLIC
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.resolve import resolve
from vppcfg.config.rules.rule_list import check_rules
from vppcfg.entries.configuration import (
    AclConfig,
    BridgeConfig,
    Configuration,
    Det44Config,
    HopConfig,
    InterfaceConfig,
    IpfixConfig,
    LcpConfig,
    MacipConfig,
    NeighborConfig,
    PolicyRouteConfig,
    ProxyArpRange,
    QueueConfig,
    RouteConfig,
    StaticMacConfig,
    TunnelConfig,
    VirtualInterfaceConfig,
    VrfConfig,
)
from vppcfg.entries.index import Parsed, index_of
from vppcfg.kinds import tag_rewrite
from vppcfg.kinds.bond.entry import BondConfig
from vppcfg.kinds.host_interface import HostInterfaceConfig
from vppcfg.kinds.memif import MemifConfig
from vppcfg.kinds.tap.entry import TapConfig
from vppcfg.kinds.vhost_user import VhostUserConfig
from vppcfg.kinds.wireguard.entry import PeerConfig, WireguardConfig
from vppcfg.model.acl import ANY_MAC, ONE_MAC, Acl, AclAction, AclBinding, AclRule, MacipAcl, MacipAction, MacipRule
from vppcfg.model.bond import Bond, BondMode, LoadBalance, Membership
from vppcfg.model.bridge import Bridge, BridgeSettings, StaticMac, bridge_name, macs_in_order
from vppcfg.model.det44 import Det44Map, Det44Side, Det44Timeouts
from vppcfg.model.features import (
    DhcpClient,
    Lldp,
    Mirror,
    MssLimit,
    RaPrefix,
    RouterAdvertisements,
    TrafficDirection,
    UrpfCheck,
    UrpfMode,
    mirrors_in_order,
    urpf_in_order,
)
from vppcfg.model.host_interface import HostInterface
from vppcfg.model.interface import PORTS as PORT_KINDS
from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind, OtherMatch, RxMode, TagRewrite
from vppcfg.model.ipfix import FlowLayer, FlowParams, FlowRecords, FlowVariant, IpfixExporter
from vppcfg.model.kinds import is_marked
from vppcfg.model.lcp import LcpPair, LcpSettings, SubInterfaceDependencies
from vppcfg.model.linux import LinuxDevice
from vppcfg.model.memif import Memif, MemifMode, MemifRole, memif_numbers
from vppcfg.model.ownership import CREATED_MARK
from vppcfg.model.placement import QueuePlacement, moved_to
from vppcfg.model.policy_route import OWN_IDS
from vppcfg.model.problem import Severity
from vppcfg.model.route import NextHop, RouteEnd
from vppcfg.model.state import Facts, LldpSettings, SflowSettings, State
from vppcfg.model.tap import Tap
from vppcfg.model.tunnel import FLAGS, Gre, GreMode, Ipip, Vxlan
from vppcfg.model.vhost_user import VhostUser, VhostUserRole
from vppcfg.model.vrf import FibTable
from vppcfg.model.wireguard import Wireguard

PORTS = ("GigabitEthernet1/0/0", "GigabitEthernet10/0/0", "TenGigabitEthernet2/0/0", "memif0/0")
LOOPBACKS = ("loop0", "loop3")
BONDS = ("BondEthernet0", "BondEthernet7")
VXLANS = ("vxlan_tunnel0", "vxlan_tunnel1")
GRES = ("gre0", "gre3", "gre12")
HOST_INTERFACES = ("host-v1", "host-v2", "host-v3")
MEMIFS = ("memif0/5", "memif1/0", "memif1/2", "memif7/0")
VHOST_USERS = ("VirtualEthernet0/0/0", "VirtualEthernet0/0/7")
SOCKETS = {1: ("/tmp/vppcfg-laws-a.sock", "/tmp/vppcfg-laws-b.sock"), 7: ("/tmp/vppcfg-laws-c.sock",)}
IPIPS = ("ipip0", "ipip4")
WIREGUARDS = ("wg0", "wg5")
TAPS = ("tap800", "tap802")
"""Before 24.10 the TAP of an LCP pair has the number of its port, so low ones are taken (2a5bb3b5ab3)."""
BRIDGES = (10, 20)
VRFS = (("red", 100), ("blue", 200), ("blue", 100), ("red", 300), ("green", 4294967294))
"""Names and numbers; of those with one name or one number, a configuration has one."""
FAMILIES = ((True, True), (True, True), (True, False), (False, True))
ACLS = ("inside", "outside", "spare")
SUB_IDS = (100, 200, 1000, 4095, 2147483648)
MTUS = (1280, 1500, 2000, 9000)
ENCAPSULATIONS = (
    Encapsulation(outer=100, is_exact=True),
    Encapsulation(outer=100, is_exact=False),
    Encapsulation(outer=200, is_exact=True),
    Encapsulation(outer=100, is_dot1ad=True, is_exact=True),
    Encapsulation(outer=100, inner=10, is_exact=True),
    Encapsulation(outer=100, inner=20, is_exact=False),
    Encapsulation(outer=100, inner=10, is_dot1ad=True, is_exact=True),
    Encapsulation(outer=200, inner=10, is_exact=True),
)
PREFIXES = (
    ("10.0.0.1/24", "10.0.0.2/24"),
    ("10.0.1.1/24",),
    ("10.0.2.0/31",),
    ("192.0.2.1/32",),
    ("10.1.0.1/16", "10.1.255.1/16"),
    ("2001:db8::1/64", "2001:db8::2/64"),
    ("2001:db8:1::1/64",),
    ("2001:db8:2::/127",),
    ("2001:db8:ffff::1/128",),
)
NEIGHBORS = tuple(
    NeighborConfig(key=address, address=address, mac=f"02:00:00:00:bb:{number:02x}")
    for number, address in enumerate(("192.0.2.99", "10.0.0.99", "2001:db8::99"))
)
MACS_IN_BRIDGES = tuple(f"02:00:00:00:cc:{number:02x}" for number in range(4))
TAG_REWRITES = tuple(
    tag_rewrite.TAG_REWRITE.parse(raw, ())
    for raw in (
        "none",
        {"push": {"dot1q": 10}},
        {"push": {"dot1ad": 20, "inner-dot1q": 30}},
        {"pop": 1},
        {"pop": 2},
        {"translate": {"dot1ad": 40}},
        {"translate": {"dot1q": 50, "inner-dot1q": 60}},
        {"translate": {"pop": 2, "dot1q": 70}},
        {"translate": {"pop": 2, "dot1ad": 80, "inner-dot1q": 90}},
    )
)
LLDP = (Lldp(), Lldp(description="uplink", ipv4="192.0.2.7"), Lldp(description="to-Bern", ipv6="2001:db8::7"))
LLDP_SETTINGS = (
    LldpSettings(),
    LldpSettings(hold=7),
    LldpSettings(system_name="r1", interval_s=60),
    LldpSettings(system_name="r2", hold=4, interval_s=30),
)
_TO_COLLECTOR = IpfixExporter(collector="192.0.2.200", source="192.0.2.1")
IPFIX = (
    IpfixConfig(exporter=_TO_COLLECTOR, params=FlowParams(layers=(FlowLayer.L3, FlowLayer.L4))),
    IpfixConfig(
        exporter=replace(_TO_COLLECTOR, port=9995, path_mtu=1400, has_udp_checksum=True),
        params=FlowParams(layers=(FlowLayer.L2,), active_s=5, passive_s=30),
    ),
)
RECORDED = (
    FlowRecords(),
    FlowRecords(direction=TrafficDirection.INPUT),
    FlowRecords(variant=FlowVariant.IP6, direction=TrafficDirection.OUTPUT),
)
MACIPS = ("hosts", "inside")
_HOST = MacipRule(action=MacipAction.PERMIT, source="192.0.2.5/32", mac="02:00:00:00:00:05", mac_mask=ONE_MAC)
MACIP_RULES = (
    (_HOST,),
    (replace(_HOST, action=MacipAction.DENY), MacipRule(action=MacipAction.PERMIT, source="0.0.0.0/0")),
    (
        replace(_HOST, source="2001:db8::/64", mac="02:00:00:00:00:00", mac_mask="ff:ff:ff:00:00:00"),
        MacipRule(action=MacipAction.PERMIT, source="0.0.0.0/0", mac=ANY_MAC),
        MacipRule(action=MacipAction.PERMIT, source="::/0", mac=ANY_MAC),
    ),
)
ROUTES = ("10.66.0.0/16", "10.67.0.0/16", "0.0.0.0/0")
PROXY_ARPS = (("192.0.2.10", "192.0.2.20"), ("192.0.2.15", "192.0.2.15"), ("10.0.0.1", "10.0.255.255"))
DHCP_CLIENTS = (DhcpClient(), DhcpClient(hostname="r1"), DhcpClient(hostname="r2.example", is_broadcast=False))
ASKING = (InterfaceKind.PHYSICAL, InterfaceKind.BOND, InterfaceKind.TAP, InterfaceKind.SUB_INTERFACE)
URPF_CHECKS = (
    UrpfCheck(mode=UrpfMode.STRICT),
    UrpfCheck(mode=UrpfMode.LOOSE, is_ipv6=True),
    UrpfCheck(mode=UrpfMode.LOOSE, is_output=True),
    UrpfCheck(mode=UrpfMode.STRICT, is_ipv6=True, is_output=True),
)
DET44_MAPS = (
    Det44Map(inside="100.64.0.0/24", outside="203.0.113.0/28"),
    Det44Map(inside="100.64.1.0/24", outside="203.0.113.16/28"),
    Det44Map(inside="100.64.2.0/30", outside="203.0.113.32/32"),
)
DET44_TIMEOUTS = (Det44Timeouts(), Det44Timeouts(udp=120), Det44Timeouts(tcp_established=7500, icmp=90))
MSS_LIMITS = (MssLimit(mss=1360), MssLimit(mss=1220, is_ipv6=True, direction=TrafficDirection.INPUT))
ADVERTISED = (
    RouterAdvertisements(),
    RouterAdvertisements(is_managed=True, lifetime_s=1800, prefixes=(RaPrefix(prefix="2001:db8:5::/64"),)),
    RouterAdvertisements(has_other=True, is_unicast=True, max_interval_s=60, min_interval_s=20, lifetime_s=0),
    RouterAdvertisements(
        prefixes=(
            RaPrefix(prefix="2001:db8:5::/64", is_on_link=False),
            RaPrefix(prefix="2001:db8:6::/48", is_autonomous=False),
        )
    ),
)
ADVERTISED_BY_HAND = (
    *ADVERTISED,
    RouterAdvertisements(is_sent=False, is_managed=True, prefixes=(RaPrefix(prefix="2001:db8:7::1/64"),)),
    RouterAdvertisements(is_ending=True, initial_count=2),
    RouterAdvertisements(
        has_link_layer_address=False, prefixes=(RaPrefix(prefix="2001:db8:5::/64", is_lasting=False),)
    ),
    RouterAdvertisements(is_sent=False, prefixes=(RaPrefix(prefix="2001:db8:5::/64", is_named=False),)),
)
LINK_LOCALS = ("fe80::1", "fe80::2:1")
LINUX_NAMES = ("e0", "e1", "be0.100", "loop.1", "x4", "x5")
TAP_NAMES = ("vm0", "vm1", "vm2")
DESCRIPTIONS = (None, None, "uplink", "ÄÖ é")
MACS = (None, None, "02:00:00:00:aa:01", "02:00:00:00:aa:02")
NETNS = (None, None, "dataplane")
RULES = (
    AclRule(action=AclAction.PERMIT, source="10.0.0.0/8", destination="0.0.0.0/0", protocol=6),
    AclRule(action=AclAction.PERMIT_REFLECT, source="::/0", destination="2001:db8::/32", protocol=17),
    AclRule(action=AclAction.DENY, source="0.0.0.0/0", destination="0.0.0.0/0"),
    AclRule(
        action=AclAction.DENY,
        source="192.0.2.0/24",
        destination="198.51.100.0/24",
        protocol=6,
        source_ports=(1024, 65535),
        destination_ports=(80, 80),
        tcp_flags=(18, 2),
    ),
)

_T = TypeVar("_T")
_SEEDS = st.integers(min_value=0, max_value=2**63)


class _Dice:
    """Choices from a seed: fifty times as quick as drawing each from hypothesis, whose shrinking is given up for it."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._random = random.Random(seed)

    def apart(self) -> Self:
        """Return other dice, whose choices leave those of these as they would be without them."""
        return type(self)(self._seed + 1)

    def further(self, number: int) -> Self:
        """Return other dice as `apart` does, and others for each number."""
        return type(self)((self._seed + 1) ^ (number << 64))

    def flip(self) -> bool:
        return self._random.random() < 0.5

    def one_in(self, count: int) -> bool:
        return self._random.randrange(count) == 0

    def pick(self, values: Sequence[_T]) -> _T:
        return self._random.choice(values)

    def some(self, values: Sequence[_T], most: int = 2) -> list[_T]:
        return self._random.sample(values, self._random.randint(0, min(most, len(values))))

    def shuffled(self, values: Sequence[_T]) -> list[_T]:
        return self._random.sample(values, len(values))

    def count(self, least: int, most: int) -> int:
        return self._random.randint(least, most)


def configurations(*, with_linux: bool = False) -> st.SearchStrategy[Configuration]:
    """Return configurations of all PORTS that every rule accepts.

    With `with_linux`, TAPs may make namespaces and bridges of Linux.
    """
    return _SEEDS.map(lambda seed: configuration_of(seed, with_linux=with_linux))


def configuration_of(seed: int, *, with_linux: bool = False) -> Configuration:
    """Return one of them; the same for the same seed."""
    return _configuration(_Dice(seed), with_linux=with_linux)


def _configuration(dice: _Dice, *, with_linux: bool = False) -> Configuration:
    drawn = _Network(dice)
    drawn.choose()
    configuration = drawn.configuration()
    if not with_linux:
        return configuration
    others = dice.apart()
    sflow = replace(configuration.sflow, polling_interval_s=others.pick((20, 30)))
    made = {
        name: _with_linux_bridge(others, made) if isinstance(made, TapConfig) and others.flip() else made
        for name, made in configuration.virtual.items()
    }
    return replace(configuration, virtual=made, sflow=sflow)


def _with_linux_bridge(dice: _Dice, tap: TapConfig) -> TapConfig:
    """Return a TAP that makes its Linux bridge, and maybe the namespace of it."""
    netns = dice.pick((tap.host_netns, "lab"))
    return replace(tap, host_netns=netns, creates_netns=netns == "lab", host_bridge="br0", creates_bridge=True)


def macip_config(name: str, rules: tuple[MacipRule, ...]) -> MacipConfig:
    """Return a list with a term per rule."""
    return MacipConfig(name=name, path=("macip_acls", name), rules=rules, positions=tuple(range(len(rules))))


class _Network:
    """A configuration in the making."""

    def __init__(self, dice: _Dice) -> None:
        self._dice = dice
        self.interfaces: dict[str, InterfaceConfig] = {}
        self.bonds: dict[str, BondConfig] = {}
        self.bridges: dict[str, BridgeConfig] = {}
        self.vxlans: dict[str, TunnelConfig] = {}
        self.gres: dict[str, TunnelConfig] = {}
        self.ipips: dict[str, TunnelConfig] = {}
        self.wireguards: dict[str, WireguardConfig] = {}
        self.taps: dict[str, TapConfig] = {}
        self.ports: dict[str, VirtualInterfaceConfig] = {}
        self.vrfs: dict[str, VrfConfig] = {}
        self.acls: dict[str, AclConfig] = {}
        self.macips: dict[str, MacipConfig] = {}
        self._switched: set[str] = set()
        self._members: set[str] = set()

    def configuration(self) -> Configuration:
        sflow = self._pick((SflowSettings(), SflowSettings(sampling_rate=1000, header_bytes=64)))
        return Configuration(
            interfaces=self.interfaces,
            virtual={
                **self.bonds,
                **self.vxlans,
                **self.gres,
                **self.ipips,
                **self.wireguards,
                **self.taps,
                **self.ports,
            },
            bridges=self.bridges,
            vrfs=self.vrfs,
            acls=self.acls,
            macips=self.macips,
            sflow=sflow,
            lldp=self._dice.further(75).pick(LLDP_SETTINGS),
            ipfix=self._ipfix(self._dice.further(83)),
            proxy_arps=self._proxy_arps(self._dice.further(79)),
            routes=self._routes(self._dice.further(89)),
            det44=self._det44(self._dice.further(91)),
        )

    def _det44(self, dice: _Dice) -> Det44Config:
        """Return maps and timeouts, whether any interface uses them or not."""
        return Det44Config(maps=tuple(dice.some(DET44_MAPS)), timeouts=dice.pick(DET44_TIMEOUTS))

    def _routes(self, dice: _Dice) -> tuple[RouteConfig, ...]:
        """Return routes of the default table and of VRFs, by gateways, interfaces that route, and other tables."""
        named = [name for name, each in self.interfaces.items() if each.l2xc is None and name not in self._switched]
        hops = [
            HopConfig(path=(), gateway="192.0.2.77", weight=dice.count(1, 3)),
            HopConfig(path=(), gateway="192.0.2.78", preference=dice.count(0, 1)),
            *(HopConfig(path=(), gateway="192.0.2.79", interface=name) for name in dice.some(named, 1)),
        ]
        both = [name for name, vrf in self.vrfs.items() if vrf.has_ipv4 and vrf.has_ipv6]
        leak = [HopConfig(path=(), vrf=name) for name in dice.some(both, 1)]
        found = []
        for vrf in (None, *both):
            for prefix in dice.some(ROUTES):
                end = dice.pick((None, None, *RouteEnd))
                ways = dice.some(hops, 3) or leak if end is None else []
                if end is not None or ways:
                    found.append(RouteConfig(prefix=prefix, vrf=vrf, path=("routes",), hops=tuple(ways), end=end))
        return tuple(found)

    def _ipfix(self, dice: _Dice) -> IpfixConfig | None:
        """Return where flow records go, in a VRF with IPv4 or in none; where there are none, others may use it."""
        vrfs = [None, *(name for name, vrf in self.vrfs.items() if vrf.has_ipv4)]
        to_collector = replace(dice.pick(IPFIX), vrf=dice.pick(vrfs))
        if any(interface.flow_records for interface in self.interfaces.values()):
            return to_collector
        return dice.pick([to_collector, replace(to_collector, params=FlowParams()), None])

    def _proxy_arps(self, dice: _Dice) -> tuple[ProxyArpRange, ...]:
        """Return ranges for which VPP answers, in the default table and in VRFs with IPv4."""
        vrfs = [None, *(name for name, vrf in self.vrfs.items() if vrf.has_ipv4)]
        path = ("proxy_arp",)
        return tuple(
            ProxyArpRange(first=first, last=last, vrf=vrf, path=path)
            for vrf in vrfs
            for first, last in dice.some(PROXY_ARPS)
        )

    def choose(self) -> None:
        for port in PORTS:
            self._add_port(port, InterfaceKind.PHYSICAL)
        for bond in self._some(BONDS):
            self._add_bond(bond)
        for loopback in self._some(LOOPBACKS):
            self._add(loopback, InterfaceKind.LOOPBACK, is_up=not self._dice.further(90).one_in(4))
        self._add_tunnels_and_taps()
        self._add_ipips(self._dice.further(1))
        self._add_wireguards(self._dice.further(3))
        self._add_made_ports(self._dice.further(40))
        for port in [name for name in self.interfaces if self._may_have_sub_interfaces(name)]:
            self._add_sub_interfaces(self.interfaces[port])
        self._bridge_up()
        self._pair_up()
        self._hand_out_vrfs(self._dice.apart())
        self._hand_out_addresses(self._dice.apart())
        self._hand_out_linux_names()
        self._hand_out_access_lists()
        self._turn_on_the_rest()

    def _pick(self, values: Sequence[_T]) -> _T:
        return self._dice.pick(values)

    def _some(self, values: Sequence[_T], most: int = 2) -> list[_T]:
        return self._dice.some(values, most)

    def _change(self, name: str, **changes: Any) -> None:
        self.interfaces[name] = replace(self.interfaces[name], **changes)

    def _add(self, name: str, kind: InterfaceKind, **attributes: Any) -> InterfaceConfig:
        interface = InterfaceConfig(
            name=name,
            path=("interfaces", name),
            kind=kind,
            mtu=self._pick(MTUS),
            description=self._pick(DESCRIPTIONS),
            mac=None if kind is InterfaceKind.BOND else self._pick(MACS),
            **attributes,
        )
        self.interfaces[name] = interface
        return interface

    def _add_port(self, name: str, kind: InterfaceKind) -> None:
        self._add(name, kind, is_up=self._dice.flip())

    def _add_bond(self, name: str) -> None:
        mode = self._pick(list(BondMode))
        free = [port for port in PORTS if port not in self._members]
        members = self._some(free) if free else []
        self._members.update(members)
        self._add_port(name, InterfaceKind.BOND)
        for member in members:
            self._change(member, mtu=self.interfaces[name].mtu, mac=None)
        self.bonds[name] = BondConfig(
            name=name,
            path=("bondethernets", name),
            mac=self._pick(MACS),
            members=tuple(members),
            mode=mode,
            load_balance=self._pick(list(LoadBalance)) if mode.has_load_balance else None,
            **_bond_options(self._dice.apart(), mode, members),
        )

    def _add_tunnels_and_taps(self) -> None:
        ports = self._dice.further(2)
        for number, name in enumerate(self._some(VXLANS)):
            ends = self._pick((("192.0.2.1", "192.0.2.2"), ("2001:db8::1", "2001:db8::2")))
            vni = self._pick((100, 200)) + number
            self.vxlans[name] = TunnelConfig(
                name=name,
                path=("vxlan_tunnels", name),
                tunnel=Vxlan(
                    local=ends[0],
                    remote=ends[1],
                    vni=vni,
                    source_port=ports.pick((4789, 4789, 4790)),
                    destination_port=ports.pick((4789, 4789, 8472)),
                ),
            )
            if self._dice.flip():
                self._add_port(name, InterfaceKind.VXLAN)
        for number, name in enumerate(self._some(GRES, most=3)):
            self._add_gre(name, number)
        names = self._dice.shuffled(TAP_NAMES)
        for name in self._some(TAPS):
            self.taps[name] = TapConfig(
                name=name,
                path=("taps", name),
                host_name=names.pop(),
                host_mac=self._pick(MACS),
                host_netns=self._pick(NETNS),
                rx_ring_size=self._pick((256, 512)),
            )
            if self._dice.flip():
                self._add_port(name, InterfaceKind.TAP)

    def _add_gre(self, name: str, number: int) -> None:
        ends = self._pick((("192.0.2.1", "192.0.2.2"), ("192.0.2.1", "192.0.2.3"), ("2001:db8::1", "2001:db8::2")))
        mode = self._pick(list(GreMode))
        is_erspan = mode is GreMode.ERSPAN
        self.gres[name] = TunnelConfig(
            name=name,
            path=("gre_tunnels", name),
            tunnel=Gre(
                local=ends[0],
                remote=ends[1],
                mode=mode,
                session=self._pick((5, 6)) + 2 * number if is_erspan else 0,
                key=0 if is_erspan else self._pick((0, 1, 2)) if number == 0 else self._pick((1, 2)) + 2 * number,
            ),
            given=frozenset({"session"}) if is_erspan else frozenset(),
        )
        if self._dice.flip():
            self._add_port(name, InterfaceKind.GRE)
            if mode is GreMode.L3:
                self._change(name, mac=None)

    def _add_ipips(self, dice: _Dice) -> None:
        for number, name in enumerate(dice.some(IPIPS)):
            local, remote = dice.pick((("192.0.2.1", "192.0.2.2"), ("2001:db8::1", "2001:db8::2")))
            flags = dice.pick(((), ("encap-copy-df", "encap-copy-ecn"), ("encap-copy-dscp",)))
            self.ipips[name] = TunnelConfig(
                name=name,
                path=("ipip_tunnels", name),
                tunnel=Ipip(
                    local=local,
                    remote=remote if number == 0 else f"{remote}0",
                    dscp=0 if "encap-copy-dscp" in flags else dice.pick((0, 0, 46)),
                    flags=sum(1 << FLAGS.index(flag) for flag in flags),
                ),
            )
            if dice.flip():
                self._add_without_ethernet(name, InterfaceKind.IPIP, dice)

    def _add_wireguards(self, dice: _Dice) -> None:
        keys, peers = dice.shuffled(PUBLIC), dice.shuffled(PEERS)
        for number, name in enumerate(dice.some(WIREGUARDS)):
            local, endpoints = dice.pick((("192.0.2.1", "198.51.100.{}"), ("2001:db8::1", "2001:db8:9::{}")))
            self.wireguards[name] = WireguardConfig(
                name=name,
                path=("wireguards", name),
                local=local,
                port=51820 + dice.pick((0, 2)) + number,
                public_key=keys.pop(),
                private_key_file=f"/etc/vpp/keys/{name}.key",
                peers=tuple(self._peer(peers.pop(), endpoints, dice) for _ in range(dice.count(0, 3))),
            )
            self._add_without_ethernet(name, InterfaceKind.WIREGUARD, dice)

    def _peer(self, key: str, endpoints: str, dice: _Dice) -> PeerConfig:
        number = PEERS.index(key)
        endpoint = dice.pick((None, endpoints.format(dice.count(1, 3))))
        digest = dice.pick((None, None, *PRESHARED[:2]))
        return PeerConfig(
            name=f"peer{number}",
            public_key=key,
            allowed_ips=(f"10.20.{number}.0/24", *dice.pick(((), (f"2001:db8:20:{number + 1}::/64",)))),
            endpoint=endpoint,
            port=None if endpoint is None else 51820,
            keepalive_s=dice.pick((0, 25)),
            preshared_key_file=None if digest is None else "/etc/vpp/keys/some.psk",
            preshared_key_sha256=None if digest is None else digest.partition(":")[2],
        )

    def _add_without_ethernet(self, name: str, kind: InterfaceKind, dice: _Dice) -> None:
        self.interfaces[name] = InterfaceConfig(
            name=name,
            path=("interfaces", name),
            kind=kind,
            mtu=dice.pick(MTUS),
            description=dice.pick(DESCRIPTIONS),
            is_up=dice.flip(),
        )

    def _add_made_ports(self, dice: _Dice) -> None:
        for name in dice.some(HOST_INTERFACES):
            path = ("host_interfaces", name)
            self.ports[name] = HostInterfaceConfig(
                name=name,
                path=path,
                description=dice.pick(DESCRIPTIONS),
                port=HostInterface(device=name.removeprefix("host-")),
            )
            if not dice.one_in(4):
                self._add_made_port(name, InterfaceKind.HOST_INTERFACE, dice)

        files = {number: dice.pick(choices) for number, choices in SOCKETS.items()}
        roles: dict[int, MemifRole] = {}
        for name in dice.some(MEMIFS, most=3):
            numbers = memif_numbers(name)
            assert numbers is not None
            self.ports[name] = MemifConfig(
                name=name,
                path=("memifs", name),
                port=Memif(
                    role=roles.setdefault(numbers[0], dice.pick(list(MemifRole))),
                    socket=files.get(numbers[0]) or "",
                    mode=dice.pick((MemifMode.ETHERNET, MemifMode.ETHERNET, MemifMode.IP)),
                ),
            )
            self._add_made_port(name, InterfaceKind.MEMIF, dice)
            if not self._has_ethernet(name):
                self._change(name, mac=None)

        for name in dice.some(VHOST_USERS, most=2):
            self.ports[name] = VhostUserConfig(
                name=name,
                path=("vhost_users", name),
                description=dice.pick(DESCRIPTIONS),
                port=VhostUser(
                    socket=f"/tmp/vppcfg-laws-{name.rpartition('/')[2]}{dice.pick(('', '-other'))}.sock",
                    role=dice.pick(list(VhostUserRole)),
                ),
            )
            if not dice.one_in(4):
                self._add_made_port(name, InterfaceKind.VHOST_USER, dice)

    def _add_made_port(self, name: str, kind: InterfaceKind, dice: _Dice) -> None:
        """Add what is said of a port, which has a description in one of two places."""
        made = self.ports[name]
        self.interfaces[name] = InterfaceConfig(
            name=name,
            path=("interfaces", name),
            kind=kind,
            mtu=dice.pick(MTUS),
            description=None if made.description else dice.pick(DESCRIPTIONS),
            mac=dice.pick(MACS),
            is_up=dice.flip(),
        )

    def _has_ethernet(self, name: str) -> bool:
        if name in self.ipips or name in self.wireguards:
            return False
        if name in self.ports:
            return self.ports[name].has_ethernet
        return name not in self.gres or self.gres[name].has_ethernet

    def _may_have_sub_interfaces(self, name: str) -> bool:
        kinds = (*PORT_KINDS, InterfaceKind.BOND, InterfaceKind.GRE, InterfaceKind.TAP)
        return name not in self._members and self._has_ethernet(name) and self.interfaces[name].kind in kinds

    def _add_sub_interfaces(self, port: InterfaceConfig) -> None:
        unique = {match.tags: match for match in self._some(ENCAPSULATIONS, most=3)}
        ids = self._dice.shuffled(SUB_IDS)
        for sub_id, encapsulation in zip(ids, sorted(unique.values(), key=lambda match: match.tag_count), strict=False):
            self._add_sub_interface(port, sub_id, encapsulation)

    def _add_sub_interface(self, port: InterfaceConfig, sub_id: int, encapsulation: Encapsulation) -> None:
        carrier = self._carrier(port.name, encapsulation)
        largest = min(port.mtu, carrier.mtu if carrier else port.mtu)
        name = f"{port.name}.{sub_id}"
        self.interfaces[name] = InterfaceConfig(
            name=name,
            path=(*port.path, "sub-interfaces", sub_id),
            kind=InterfaceKind.SUB_INTERFACE,
            parent=port.name,
            sub_id=sub_id,
            encapsulation=encapsulation,
            mtu=self._pick([mtu for mtu in MTUS if mtu <= largest]),
            is_up=port.is_up and self._dice.flip() and (carrier is None or carrier.is_up),
            description=self._pick(DESCRIPTIONS),
        )

    def _carrier(self, port: str, inner: Encapsulation) -> InterfaceConfig | None:
        """Return the one-tag sub-interface that a two-tag one lies within."""
        for other in self.interfaces.values():
            if other.parent == port and other.encapsulation is not None and other.encapsulation.carries(inner):
                return other
        return None

    def _free(self, *, kinds: Iterable[InterfaceKind] = InterfaceKind) -> list[str]:
        """Return the interfaces that nothing is on and that nothing else claims."""
        parents = {interface.parent for interface in self.interfaces.values()}
        claimed = parents | self._members | self._switched
        return [name for name, interface in self.interfaces.items() if name not in claimed and interface.kind in kinds]

    def _bridge_up(self) -> None:
        """Put some interfaces of the same MTU into bridges, some with a BVI."""
        for bd_id in self._some(BRIDGES):
            members = self._members_of_one_mtu()
            mtu = self.interfaces[members[0]].mtu if members else 1500
            loopbacks = [name for name in LOOPBACKS if name in self.interfaces and name not in self._switched]
            bvi = self._pick([None, *loopbacks])
            if bvi is not None:
                self._change(bvi, mtu=mtu)
                self._switched.add(bvi)
            self._switched.update(members)
            settings = BridgeSettings(learn=self._dice.flip(), mac_age_minutes=self._pick((0, 5)))
            self.bridges[bridge_name(bd_id)] = BridgeConfig(
                name=bridge_name(bd_id),
                path=("bridgedomains", bridge_name(bd_id)),
                bd_id=bd_id,
                mtu=mtu,
                bvi=bvi,
                members=tuple(members),
                split_horizon=self._dice.apart().pick((None, {}, dict.fromkeys(members[:2], 1))),
                static_macs=_static_macs(members, self._dice.further(71)),
                filtered_macs=self._dice.further(72).pick(((), MACS_IN_BRIDGES[2:])),
                settings=settings,
                description=self._pick(DESCRIPTIONS),
            )

    def _members_of_one_mtu(self) -> list[str]:
        switchable = set(InterfaceKind) - {InterfaceKind.LOOPBACK}
        free = [name for name in self._free(kinds=switchable) if self._has_ethernet(name)]
        first = self._some(free, most=3) if free else []
        return [name for name in first if self.interfaces[name].mtu == self.interfaces[first[0]].mtu]

    def _pair_up(self) -> None:
        """Cross-connect some interfaces of the same MTU, in one direction or both."""
        tunnels = {InterfaceKind.VXLAN, InterfaceKind.GRE}
        free = self._free(kinds={*PORT_KINDS, InterfaceKind.SUB_INTERFACE, *tunnels})
        free = [name for name in free if self._has_ethernet(name)]
        for source, target in zip(free[::2], free[1::2], strict=False):
            if self.interfaces[source].mtu != self.interfaces[target].mtu or not self._dice.flip():
                continue
            self._switched |= {source, target}
            self._change(source, l2xc=target)
            if self._dice.flip():
                self._change(target, l2xc=source)

    def _routed(self) -> list[InterfaceConfig]:
        bvis = {bridge.bvi for bridge in self.bridges.values()}
        return [
            interface
            for interface in self.interfaces.values()
            if (interface.name not in self._switched or interface.name in bvis)
            and interface.name not in self._members
            and (interface.encapsulation is None or interface.encapsulation.is_exact)
        ]

    def _hand_out_vrfs(self, dice: _Dice) -> None:
        """Put some interfaces, and the ends of some tunnels, into VRFs."""
        numbers: set[int] = set()
        for name, number in dice.some(VRFS, most=3) if dice.flip() else ():
            if name not in self.vrfs and number not in numbers:
                numbers.add(number)
                ipv4, ipv6 = dice.pick(FAMILIES)
                self.vrfs[name] = VrfConfig(
                    name=name, path=("vrfs", name), table_id=number, has_ipv4=ipv4, has_ipv6=ipv6
                )
        names = [None, *self.vrfs]
        for interface in self._routed() if self.vrfs else ():
            self._change(interface.name, vrf=dice.pick(names))
        for tunnels in (self.vxlans, self.gres, self.ipips, self.wireguards) if self.vrfs else ():
            for tunnel in list(tunnels.values()):
                vrf = dice.pick(names)
                if vrf is None or (self.vrfs[vrf].has_ipv6 if ":" in tunnel.local else self.vrfs[vrf].has_ipv4):
                    tunnels[tunnel.name] = replace(tunnel, encap_vrf=vrf)  # type: ignore[assignment]

    def _hand_out_addresses(self, dice: _Dice) -> None:
        """Give prefixes to interfaces, the same ones in each VRF, and let others borrow in theirs."""
        self._hand_out_addresses_of(None, self._dice)
        for vrf in self.vrfs.values():
            self._hand_out_addresses_of(vrf, dice)

    def _hand_out_addresses_of(self, vrf: VrfConfig | None, dice: _Dice) -> None:
        """Give prefixes to interfaces of one VRF, but no address that is the other end of a tunnel."""
        name = None if vrf is None else vrf.name
        routed = [interface.name for interface in self._routed() if interface.vrf == name]
        others = {tunnel.remote for tunnel in (*self.vxlans.values(), *self.gres.values(), *self.ipips.values())}
        for prefix in PREFIXES if routed else ():
            owner = dice.pick([None, *routed])
            if owner is not None:
                count = dice.count(1, len(prefix))
                free = [address for address in prefix[:count] if address.partition("/")[0] not in others]
                if vrf is not None:
                    free = [each for each in free if (vrf.has_ipv6 if ":" in each else vrf.has_ipv4)]
                self._change(owner, addresses=(*self.interfaces[owner].addresses, *free))
        bvis = {bridge.bvi for bridge in self.bridges.values()}
        donors = [name for name in routed if self.interfaces[name].addresses]
        for name in routed:
            if not self.interfaces[name].addresses and donors and name not in bvis and dice.flip():
                self._change(name, unnumbered=dice.pick(donors))

    def _hand_out_linux_names(self) -> None:
        names = self._dice.shuffled(LINUX_NAMES)
        netns = self._pick(NETNS)
        for interface in self._routed():
            is_ethernet = interface.kind is not InterfaceKind.VXLAN
            if names and is_ethernet and self._may_have_lcp(interface) and self._dice.flip():
                self._change(interface.name, lcp=LcpConfig(host_name=names.pop(), netns=netns))

    def _may_have_lcp(self, interface: InterfaceConfig) -> bool:
        if interface.kind is InterfaceKind.TAP:
            return False
        if interface.parent is None or interface.encapsulation is None:
            return True
        if self.interfaces[interface.parent].lcp is None:
            return False
        carrier = self._carrier(interface.parent, interface.encapsulation)
        return interface.encapsulation.tag_count == 1 or (carrier is not None and carrier.lcp is not None)

    def _hand_out_access_lists(self) -> None:
        for name in self._some(ACLS):
            rules = self._some(RULES) or [RULES[0]]
            self.acls[name] = AclConfig(name=name, path=("acls", name), rules=tuple(rules))
        names = list(self.acls)
        for interface in self._some([i.name for i in self._routed()] or [PORTS[0]], most=3) if names else ():
            if interface in self._members:
                continue
            binding = AclBinding(input=tuple(self._some(names)), output=tuple(self._some(names)))
            if interface not in self._one_way_targets():
                self._change(interface, acls=binding)

    def _hand_out_macips(self, dice: _Dice) -> None:
        """Have some interfaces that carry Ethernet apply a list of hosts, whether they route or switch."""
        for name in dice.some(MACIPS):
            self.macips[name] = macip_config(name, dice.pick(MACIP_RULES))
        for interface in list(self.interfaces.values()) if self.macips else ():
            may_have_one = interface.kind is not InterfaceKind.LOOPBACK and self._has_ethernet(interface.name)
            if may_have_one and interface.name not in self._members and dice.one_in(4):
                self._change(interface.name, macip=dice.pick(sorted(self.macips)))

    def _turn_on_the_rest(self) -> None:
        for interface in self._routed():
            if interface.kind is not InterfaceKind.VXLAN and self._dice.one_in(5):
                self._change(interface.name, has_mpls=True)
        for port in PORTS:
            if self._dice.one_in(5):
                self._change(port, has_sflow=True)
        speaking, waiting = self._dice.further(76), self._dice.further(78)
        for port in PORTS:
            self._change(port, rx_mode=waiting.pick((None, None, RxMode.POLLING, RxMode.INTERRUPT)))
            self._change(port, rx_placement=waiting.pick(RX_PLACEMENTS), tx_placement=waiting.pick(TX_PLACEMENTS))
            self._change(port, lldp=speaking.pick((None, None, None, *LLDP)))
        others = self._dice.apart()
        for name in [name for name in self.interfaces if name not in self._members]:
            self._change(name, has_gso=others.one_in(5) and name not in self._one_way_targets())
        for interface in self._routed():
            if others.one_in(4) and self._has_ethernet(interface.name):
                self._change(interface.name, neighbors=tuple(others.some(NEIGHBORS)))
        answering = self._dice.further(80)
        for interface in self._routed():
            if answering.one_in(4) and self._has_ipv4(interface):
                self._change(interface.name, has_proxy_arp=True)
        asking = self._dice.further(81)
        for interface in self._routed():
            is_free = interface.unnumbered is None and interface.kind in ASKING
            if asking.one_in(6) and is_free and interface.name not in self._members:
                self._change(interface.name, dhcp_client=asking.pick(DHCP_CLIENTS))
        self._hand_out_checks(self._dice.further(2))
        self._hand_out_macips(self._dice.further(82))
        recording = self._dice.further(84)
        for interface in list(self.interfaces.values()):
            may_be = interface.kind is not InterfaceKind.LOOPBACK and interface.name not in self._members
            if may_be and recording.one_in(5):
                self._change(interface.name, flow_records=recording.pick(RECORDED))
        translating = self._dice.further(92)
        for interface in self._routed():
            if translating.one_in(4) and interface.vrf is None:
                self._change(interface.name, det44=translating.pick(list(Det44Side)))
        self._advertise(self._dice.further(4))
        self._steer(self._dice.further(90))

    def _steer(self, dice: _Dice) -> None:
        """Give some interfaces policy routes: each of their lists has a term for IPv4."""
        lists = [
            name
            for name, acl in self.acls.items()
            if any(":" not in rule.source and rule.action is not AclAction.DENY for rule in acl.rules)
        ]
        routed = [name for name, each in self.interfaces.items() if each.l2xc is None and name not in self._switched]
        for name in [each.name for each in self._routed() if lists and each.name not in self._members]:
            if self.interfaces[name].l2xc is not None or not dice.one_in(3):
                continue
            hops = [
                HopConfig(path=(), gateway="192.0.2.77", weight=dice.count(1, 3)),
                HopConfig(path=(), gateway="192.0.2.78"),
                *(HopConfig(path=(), gateway="192.0.2.79", interface=each) for each in dice.some(routed, 1)),
            ]
            entries = []
            for acl in dice.some(lists):
                end = dice.pick((None, None, None, *RouteEnd))
                ways = tuple(dice.some(hops, 3)) or tuple(hops[:1])
                entries.append(
                    PolicyRouteConfig(
                        path=(), acl=acl, priority=ACLS.index(acl), hops=() if end else ways, end=end, is_ipv6=False
                    )
                )
            self._change(name, policy_routes=dice.pick((None, tuple(entries), tuple(entries))))

    def _has_ipv4(self, interface: InterfaceConfig) -> bool:
        """Return whether an interface that carries Ethernet has IPv4, and is a member of nothing."""
        owner = self.interfaces[interface.unnumbered] if interface.unnumbered is not None else interface
        has_address = any("." in address for address in owner.addresses)
        return has_address and self._has_ethernet(interface.name) and interface.name not in self._members

    def _advertise(self, dice: _Dice) -> None:
        """Let some interfaces with IPv6 advertise themselves, and have link-local addresses of their own."""
        for interface in self._routed():
            if self._has_ethernet(interface.name) and any(":" in address for address in interface.addresses):
                ra, link_local = dice.pick((None, *ADVERTISED)), dice.pick((None, *LINK_LOCALS))
                self._change(interface.name, ra=ra, link_local=link_local)

    def _hand_out_checks(self, dice: _Dice) -> None:
        """Let some routed interfaces look at where packets come from, and at TCP connections."""
        for interface in self._routed():
            if interface.name not in self._members and dice.one_in(4):
                self._change(interface.name, urpf=urpf_in_order(_set_otherwise(dice, dice.some(URPF_CHECKS, most=3))))
            if interface.name not in self._members and dice.one_in(4):
                limits = [MSS_LIMITS[0], replace(MSS_LIMITS[0], mss=1400), *MSS_LIMITS[1:]]
                self._change(interface.name, mss_clamp=dice.pick(((limits[0],), (limits[1],), tuple(limits[1:]))))
        self._rewrite_tags(self._dice.further(74))
        for interface in [each for each in self.interfaces.values() if each.name not in self._members]:
            if dice.one_in(6):
                self._change(interface.name, mirrors=self._mirrors_of(interface, dice))

    def _rewrite_tags(self, dice: _Dice) -> None:
        """Rewrite the tags of some that hand frames on otherwise than is usual."""
        switching = {member for bridge in self.bridges.values() for member in bridge.members}
        for interface in list(self.interfaces.values()):
            if (interface.l2xc is not None or interface.name in switching) and dice.one_in(3):
                count = interface.encapsulation.tag_count if interface.encapsulation is not None else 0
                rewrites = [each for each in TAG_REWRITES if each.popped <= count]
                self._change(interface.name, tag_rewrite=dice.pick(rewrites))

    def _mirrors_of(self, interface: InterfaceConfig, dice: _Dice) -> tuple[Mirror, ...]:
        """Let other interfaces send copies of the frames of one, where VPP can take these."""
        is_port = interface.kind in (InterfaceKind.PHYSICAL, InterfaceKind.TAP) and interface.parent is None
        switches = any(interface.name in bridge.members for bridge in self.bridges.values()) or interface.l2xc
        levels = [is_l2 for is_l2, is_possible in ((False, is_port), (True, bool(switches))) if is_possible]
        kinds = (InterfaceKind.PHYSICAL, InterfaceKind.TAP, InterfaceKind.VXLAN, InterfaceKind.GRE)
        ports = [
            name
            for name, each in self.interfaces.items()
            if each.parent is None and each.kind in kinds and self._has_ethernet(name)
        ]
        others = [name for name in ports if name != interface.name]
        switching = {name for bridge in self.bridges.values() for name in bridge.members}
        drawn = [
            Mirror(target=target, direction=dice.pick(list(TrafficDirection)), is_l2=dice.pick(levels))
            for target in (dice.some(others) if levels else ())
        ]
        return mirrors_in_order(each for each in drawn if not each.is_l2 or each.target in switching)

    def _one_way_targets(self) -> set[str]:
        """Return the interfaces that others are cross-connected to and that are not cross-connected themselves."""
        return {name for each in self.interfaces.values() if (name := each.l2xc) and not self.interfaces[name].l2xc}


def _set_otherwise(dice: _Dice, checks: Iterable[UrpfCheck]) -> list[UrpfCheck]:
    return [replace(each, mode=dice.pick(list(UrpfMode))) for each in checks]


def _bond_options(dice: _Dice, mode: BondMode, members: Sequence[str]) -> dict[str, Any]:
    """Return the options that fit a mode, half of them left open."""
    if mode is BondMode.ACTIVE_BACKUP:
        return {"weights": dice.pick((None, dict.fromkeys(members, 5), {}))}
    if mode is not BondMode.LACP:
        return {}
    return {
        "passive": tuple(dice.some(members)) if dice.flip() else None,
        "long_timeout": tuple(dice.some(members)) if dice.flip() else None,
        "is_numa_only": dice.pick((None, True, False)),
    }


RX_PLACEMENTS: tuple[tuple[QueueConfig, ...], ...] = (
    (),
    (),
    (QueueConfig(key=0, queue=0, threads=("main",)),),
    tuple(QueueConfig(key=queue, queue=queue, threads=("worker1",)) for queue in (0, 1)),
)
TX_PLACEMENTS: tuple[tuple[QueueConfig, ...], ...] = (
    (),
    (),
    (QueueConfig(key=1, queue=1, threads=("main", "worker0", "worker1")),),
    (QueueConfig(key=0, queue=0, threads=("worker1",)), QueueConfig(key=1, queue=1, threads=("worker0", "main"))),
)


def _empty_vpp() -> State:
    """Return a VPP with two workers and unconfigured PORTS, each with a MAC of its own and two queues each way."""
    ports = {name: InterfaceConfig(name=name, path=("interfaces", name)) for name in PORTS}
    state = assumed_state(Configuration(interfaces=ports))
    macs = {name: f"02:00:00:00:00:{number:02x}" for number, name in enumerate(PORTS, start=1)}
    rx = tuple(QueuePlacement(queue=queue, threads=(queue + 1,)) for queue in (0, 1))
    tx = (QueuePlacement(queue=0, threads=(0, 2)), QueuePlacement(queue=1, threads=(1,)))
    return replace(
        state,
        interfaces={
            name: replace(port, mac=macs[name], rx_placement=rx, tx_placement=tx)
            for name, port in state.interfaces.items()
        },
        facts=replace(state.facts, workers=2),
    )


EMPTY_VPP = _empty_vpp()


def states(*, with_linux: bool = False) -> st.SearchStrategy[State]:
    """Return states that a VPP with PORTS can be in, made by vppcfg and by other hands.

    With `with_linux`, the Linux side may be known, and VPP may mirror sub-interfaces by itself.
    """
    return _SEEDS.map(lambda seed: _state(_Dice(seed), with_linux=with_linux))


def _state(dice: _Dice, *, with_linux: bool) -> State:
    facts = _facts(dice) if with_linux else EMPTY_VPP.facts
    namespaces = frozenset({"dataplane"}) if facts.has_linux else frozenset()
    empty = replace(EMPTY_VPP, facts=facts, namespaces=namespaces)
    state = resolve(_configuration(dice, with_linux=with_linux), empty).desired
    interfaces, lcps = dict(state.interfaces), dict(state.lcps)
    for name in dice.some(sorted(interfaces), most=3):
        has_ethernet = name not in state.virtual or state.virtual[name].has_ethernet
        interfaces[name] = _tampered(dice, interfaces[name], has_ethernet=has_ethernet)
    if dice.flip():
        other = _foreign_sub_interface(dice)
        if not any(other.parent in bond.members for bond in state.virtual_as(Bond).values()):
            interfaces.setdefault(other.name, other)
    for name in sorted(lcps):
        if interfaces[name].parent is not None and dice.one_in(10):
            _orphan(name, interfaces, lcps)
    linux = {name: device for name, device in state.linux.items() if name not in lcps or lcps[name].has_host}
    if with_linux:
        state, linux = _changed_by_hand(dice.apart(), state, linux)
    for port in PORTS:
        interfaces[port] = _with_all_queues(interfaces[port])
    is_spoken = any(interface.lldp is not None for interface in interfaces.values())
    spoken = dice.further(77).pick((LLDP_SETTINGS[3], LldpSettings(hold=9, interval_s=90)))
    lldp = spoken if is_spoken else LldpSettings()
    state = replace(state, namespaces=state.namespaces | namespaces)
    changed = replace(state, interfaces=_with_macs(interfaces, state), lcps=lcps, linux=linux, lldp=lldp)
    return _with_policies(dice.further(91), _with_others(dice, changed))


def _with_policies(dice: _Dice, state: State) -> State:
    """Number the policies, and change paths by hand."""
    numbers = iter(dice.shuffled(OWN_IDS[:100]))
    by_hand = (NextHop(gateway="192.0.2.80", table_id=0),)
    interfaces = dict(state.interfaces)
    for name, interface in state.interfaces.items():
        if interface.policy_routes:
            numbered = (
                replace(each, policy_id=next(numbers), hops=by_hand if each.hops and dice.one_in(3) else each.hops)
                for each in interface.policy_routes
            )
            interfaces[name] = replace(interface, policy_routes=tuple(numbered))
    return replace(state, interfaces=interfaces)


def _with_all_queues(port: Interface) -> Interface:
    """Return a port with the queues that it was not said of where VPP has put them."""
    rx, tx = EMPTY_VPP.interfaces[port.name].rx_placement, EMPTY_VPP.interfaces[port.name].tx_placement
    for placed in port.rx_placement:
        rx = moved_to(rx, placed)
    for placed in port.tx_placement:
        tx = moved_to(tx, placed)
    return replace(port, rx_placement=rx, tx_placement=tx)


def _changed_by_hand(dice: _Dice, state: State, linux: dict[str, LinuxDevice]) -> tuple[State, dict[str, LinuxDevice]]:
    """Give weights to members of bonds that can have them, and take devices out of their Linux bridges."""
    bonds = {
        name: replace(bond, members={m: replace(each, weight=dice.pick((0, 7))) for m, each in bond.members.items()})
        for name, bond in state.virtual_as(Bond).items()
        if bond.mode is BondMode.ACTIVE_BACKUP
    }
    alone = {name: replace(device, bridge="") if dice.flip() else device for name, device in linux.items()}
    return replace(state, virtual={**state.virtual, **bonds}), alone


def _facts(dice: _Dice) -> Facts:
    switches = LcpSettings(is_sync=dice.flip(), is_auto_subint=dice.flip())
    return replace(EMPTY_VPP.facts, has_linux=dice.flip(), lcp=switches)


def _with_macs(interfaces: dict[str, Interface], state: State) -> dict[str, Interface]:
    """Return the interfaces with a MAC on each that has one: nothing that exists leaves it open."""
    return {
        name: replace(interface, mac=interface.mac or f"02:00:00:00:bb:{number:02x}")
        if interface.parent is None and (name not in state.virtual or state.virtual[name].has_ethernet)
        else interface
        for number, (name, interface) in enumerate(interfaces.items())
    }


def _with_others(dice: _Dice, state: State) -> State:
    """Add a bridge and an access list of somebody else."""
    bridges, acls, macips = dict(state.bridges), dict(state.acls), dict(state.macips)
    if dice.flip():
        bridges["bd99"] = Bridge(bd_id=99, tag="other tool")
    if dice.flip():
        acls["acl:other tool"] = Acl(rules=RULES[:1], tag="other tool", index=50)
        macips["macip:other tool"] = MacipAcl(rules=MACIP_RULES[0], tag="other tool")
    state = replace(
        state, macips={name: replace(each, index=number) for number, (name, each) in enumerate(macips.items())}
    )
    numbered = {name: replace(acl, index=number) for number, (name, acl) in enumerate(acls.items())}
    state = replace(state, bridges=bridges, acls=numbered, vrfs=_with_other_tables(dice.apart(), state))
    state = _with_attached_lists(dice.further(57), state)
    return _with_other_macs(dice.further(73), state)


def _with_attached_lists(dice: _Dice, state: State) -> State:
    """Let an agent attach its lists to interfaces, before or behind those that these apply."""
    name, hosts = "acl:other tool", "macip:other tool"
    interfaces = dict(state.interfaces)
    for each in dice.some(sorted(interfaces), most=3) if name in state.acls else ():
        acls = interfaces[each].acls
        lists = (name, *acls.input) if dice.flip() else (*acls.input, name)
        macip = interfaces[each].macip if dice.flip() else hosts
        interfaces[each] = replace(interfaces[each], acls=replace(acls, input=lists), macip=macip)
    return replace(state, interfaces=interfaces)


def _with_other_macs(dice: _Dice, state: State) -> State:
    """Let bridges send MAC addresses to what is gone, and to what is no member any more."""
    stray = "02:00:00:00:cc:77"
    bridges = {
        name: replace(bridge, stray_macs=(stray,)) if dice.one_in(3) else bridge
        for name, bridge in state.bridges.items()
    }
    interfaces = dict(state.interfaces)
    for number, (name, bridge) in enumerate(bridges.items()):
        left = dice.pick([each.name for each in interfaces.values() if each.parent is None])
        if dice.one_in(3) and not bridge.tag.startswith("other") and name in state.bridges:
            own = StaticMac(bd_id=bridge.bd_id, mac=f"02:00:00:00:cc:9{number}")
            macs = macs_in_order({*interfaces[left].static_macs, own})
            interfaces[left] = replace(interfaces[left], static_macs=macs)
    return replace(state, bridges=bridges, interfaces=interfaces)


def _static_macs(members: Sequence[str], dice: _Dice) -> tuple[StaticMacConfig, ...]:
    """Let some MAC addresses be behind members."""
    macs = dice.some(MACS_IN_BRIDGES[:2]) if members else ()
    return tuple(StaticMacConfig(key=mac, mac=mac, member=dice.pick(members)) for mac in macs)


def _with_other_tables(dice: _Dice, state: State) -> dict[str, FibTable]:
    """Add a table of linux-nl and one that somebody made, or make one as if by another name."""
    found = dict(state.vrfs)
    if dice.flip():
        found |= {table.key: table for table in [FibTable(table_id=5512, name="ipv4-VRF:5512")]}
    if dice.flip():
        found |= {table.key: table for table in [FibTable(table_id=77, is_ipv6=True, name="by-hand")]}
    for key in dice.some(sorted(state.vrfs), most=1):
        found[key] = replace(found[key], name="yellow")
    return found


def _orphan(name: str, interfaces: dict[str, Interface], lcps: dict[str, LcpPair]) -> None:
    """Take the Linux device of a pair away, and with it, as Linux does, what is stacked on it."""
    for orphan in {
        name,
        *SubInterfaceDependencies(interfaces[other] for other in lcps).dependents_of(interfaces[name]),
    }:
        lcps[orphan] = replace(lcps[orphan], has_host=False)


def _tampered(dice: _Dice, interface: Interface, *, has_ethernet: bool) -> Interface:
    """Return the interface after somebody typed one command at VPP's prompt."""
    is_sub = interface.kind is InterfaceKind.SUB_INTERFACE
    edits: list[dict[str, Any]] = [
        {"packet_mtu": 0 if is_sub else 1400},
        {"packet_mtu": 1300, "protocol_mtus": (1290, 0, 0)},
        {"is_up": False},
    ]
    edits += (
        [{"tag": f"{CREATED_MARK} by hand"}] if is_marked(interface.kind) else [{"tag": ""}, {"tag": "vppcfg by hand"}]
    )
    if has_ethernet:
        edits.append({"tag_rewrite": TagRewrite(operation=1, push_dot1q=1, tag1=5)})
        if any(":" in address for address in interface.addresses):
            stale = 0 if interface.ipv6_mtu == 1280 else 1280
            edits += [{"ra": dice.pick(ADVERTISED_BY_HAND), "ra_mtu": stale}, {"link_local": "fe80::77"}]
    if interface.link_mtu is not None:
        edits.append({"link_mtu": 4000, "packet_mtu": 4000})
    return replace(interface, **dice.pick(edits))


def _foreign_sub_interface(dice: _Dice) -> Interface:
    """Return a sub-interface that is not ours: somebody else's tag, or a match that the language cannot say."""
    port = dice.pick(PORTS)
    blank = Interface(name=f"{port}.7", kind=InterfaceKind.SUB_INTERFACE, parent=port, sub_id=7)
    if dice.flip():
        return replace(blank, encapsulation=OtherMatch(flags=32))
    return replace(
        blank,
        encapsulation=Encapsulation(outer=7, is_exact=True),
        tag="somebody else",
        packet_mtu=dice.pick((0, 1280, 1500)),
        addresses=frozenset(dice.pick(((), ("198.51.100.1/24",)))),
    )


def without_what_is_left_open(state: State) -> State:
    """Take away what a file leaves open, and so may differ by history.

    That are MACs, where peers of WireGuard are, split-horizon groups, modes of queues, settings of LLDP, how members
    belong to bonds and whether these look at sockets, and MTUs and state of bare tunnels. A sub-interface with the MTU
    of its tunnel keeps it.
    """
    state = state.with_explicit_mtus()
    interfaces = {
        name: replace(interface, mac="", split_horizon_group=0, rx_mode=None, rx_placement=(), tx_placement=())
        for name, interface in state.interfaces.items()
    }
    taps = {name: replace(tap, host_mac="", host_mtu=0) for name, tap in state.virtual_as(Tap).items()}
    bare: dict[str, Any] = {"protocol_mtus": (0, 0, 0), "packet_mtu": 0, "link_mtu": None, "is_up": False, "tag": ""}
    ports = [name for name, virtual in state.virtual.items() if virtual.is_owned_by_mark]
    for name in (*state.virtual_as(Vxlan), *state.virtual_as(Gre), *state.virtual_as(Ipip), *taps, *ports):
        interfaces[name] = replace(interfaces[name], **bare)
    bonds = {
        name: replace(bond, members=dict.fromkeys(bond.members, Membership()), is_numa_only=False)
        for name, bond in state.virtual_as(Bond).items()
    }
    bridges = {name: replace(bridge, tag="") for name, bridge in state.bridges.items()}
    wireguards = {
        name: replace(tunnel, peers={key: replace(peer, endpoint="", port=0) for key, peer in tunnel.peers.items()})
        for name, tunnel in state.virtual_as(Wireguard).items()
    }
    made = {**state.virtual, **taps, **bonds, **wireguards}
    state = replace(state, has_mpls_table=True, lldp=LldpSettings())
    return replace(state, interfaces=interfaces, virtual=made, bridges=bridges)


def numbered_pair(state: int, configuration: int) -> dict[str, State | Configuration]:
    """Return a state and a configuration that once did harm, by the numbers that they were drawn with."""
    return {"observed": _state(_Dice(state), with_linux=False), "configuration": _configuration(_Dice(configuration))}


def numbered_network(number: int) -> Configuration:
    """Return the configuration of a number, as the laws draw them."""
    return _configuration(_Dice(number * 7919 + 13))


def numbered_plan_ends(number: int) -> tuple[State, Configuration]:
    """Return the state and the configuration of a number, as the laws draw them."""
    return _state(_Dice(2 * number), with_linux=True), _configuration(_Dice(2 * number + 1), with_linux=True)


def numbered_edit(number: int) -> tuple[State, Configuration]:
    """Return a state that somebody has changed a little by hand, and an edit of the configuration that it came from.

    Most plans between the pairs of `numbered_plan_ends` remove something; these do all that an everyday change does.
    """
    observed, same = _state(_Dice(number), with_linux=True), _Dice(number)
    _facts(same)  # which the state had drawn first
    configuration, dice = _configuration(same, with_linux=True), _Dice(number + 2**40)
    for _ in range(dice.count(2, 6)):
        edited = dice.pick(_EDITS)(configuration, dice)
        if not any(
            problem.severity is Severity.ERROR for problem in check_rules(index_of(Parsed(configuration=edited)))
        ):
            configuration = edited
    return observed, configuration


def _with_interface(configuration: Configuration, name: str, **changes: Any) -> Configuration:
    changed = replace(configuration.interfaces[name], **changes)
    return replace(configuration, interfaces={**configuration.interfaces, name: changed})


def _edit_addresses(configuration: Configuration, dice: _Dice) -> Configuration:
    owned = [each for each in configuration.interfaces.values() if each.addresses]
    if not owned:
        return configuration
    interface = dice.pick(owned)
    host = dice.count(1, 6)
    first, *rest = interface.addresses
    another = first.rpartition(".")[0] + f".{host}/" + first.partition("/")[2] if "." in first else f"fd00::{host}/64"
    return _with_interface(
        configuration,
        interface.name,
        addresses=tuple(dict.fromkeys(dice.pick(((another, *rest), rest, (first, another))))),
    )


def _edit_interface(configuration: Configuration, dice: _Dice) -> Configuration:
    name = dice.pick(sorted(configuration.interfaces))
    interface = configuration.interfaces[name]
    edits: list[dict[str, Any]] = [
        {"mtu": dice.pick(MTUS)},
        {"is_up": not interface.is_up},
        {"acls": AclBinding()},
        {"acls": AclBinding(input=tuple(sorted(configuration.acls)[:1]))},
        {"macip": None},
        {"flow_records": RECORDED[dice.count(0, 2)] if name in PORTS else None},
        {"macip": next(iter(configuration.macips), None) if name in PORTS else None},
        {"has_mpls": not interface.has_mpls},
        {"has_sflow": not interface.has_sflow},
        {"has_gso": not interface.has_gso},
        {"dhcp_client": DHCP_CLIENTS[dice.count(0, 2)] if name in PORTS and interface.unnumbered is None else None},
        {"has_proxy_arp": any("." in address for address in interface.addresses)},
        {"lldp": LLDP[dice.count(0, 2)], "rx_mode": RxMode.POLLING} if name in PORTS else {"lldp": None},
        {"urpf": ()},
        {"urpf": (UrpfCheck(mode=UrpfMode.STRICT), UrpfCheck(mode=UrpfMode.LOOSE, is_ipv6=True))},
        {"mss_clamp": MSS_LIMITS, "det44": None},
        {"mirrors": ()},
        {"mirrors": (Mirror(target=dice.pick(PORTS), direction=TrafficDirection.INPUT),)},
        {"ra": None, "link_local": None},
        {"ra": dice.pick(ADVERTISED), "link_local": dice.pick(LINK_LOCALS)},
        {"neighbors": NEIGHBORS[:1]},
        {"neighbors": (replace(NEIGHBORS[0], mac="02:00:00:00:bb:77"), *NEIGHBORS[1:])},
        {"lcp": None},
        {"lcp": LcpConfig(host_name="renamed")} if interface.lcp else {"description": "edited"},
        {"l2xc": None},
        {"tag_rewrite": None},
        {"tag_rewrite": TAG_REWRITES[dice.count(0, 3)]},
        {"unnumbered": None},
        {"policy_routes": ()},
    ]
    return _with_interface(configuration, name, **dice.pick(edits))


def _edit_acl(configuration: Configuration, dice: _Dice) -> Configuration:
    if not configuration.acls:
        return configuration
    name = dice.pick(sorted(configuration.acls))
    rules = tuple(dice.some(RULES)) or RULES[:1]
    return replace(configuration, acls={**configuration.acls, name: replace(configuration.acls[name], rules=rules)})


def _edit_macip(configuration: Configuration, dice: _Dice) -> Configuration:
    macips = {name: macip_config(name, dice.pick(MACIP_RULES)) for name in configuration.macips}
    return replace(configuration, macips=macips)


def _edit_bridge(configuration: Configuration, dice: _Dice) -> Configuration:
    if not configuration.bridges:
        return configuration
    bridge = configuration.bridges[dice.pick(sorted(configuration.bridges))]
    settings = replace(bridge.settings, learn=dice.flip(), unicast_forward=dice.flip(), mac_age_minutes=7)
    edits: list[dict[str, Any]] = [
        {"members": bridge.members[1:]},
        {"members": ()},
        {"settings": settings},
        {"bvi": None},
        {"static_macs": _static_macs(bridge.members, dice)},
        {"filtered_macs": dice.pick(((), MACS_IN_BRIDGES[2:]))},
    ]
    return replace(configuration, bridges={**configuration.bridges, bridge.name: replace(bridge, **dice.pick(edits))})


def _edit_bond(configuration: Configuration, dice: _Dice) -> Configuration:
    bonds = configuration.virtual_as(BondConfig)
    if not bonds:
        return configuration
    bond = bonds[dice.pick(sorted(bonds))]
    spare = [port for port in PORTS if not any(port in other.members for other in bonds.values())]
    members = dice.pick((bond.members[1:], (), (*bond.members, *spare[:1])))
    mtu = configuration.interfaces[bond.name].mtu
    for member in members:
        configuration = _with_interface(configuration, member, mtu=mtu)
    return replace(configuration, virtual={**configuration.virtual, bond.name: replace(bond, members=members)})


def _delete_sub_interface(configuration: Configuration, dice: _Dice) -> Configuration:
    subs = [name for name, each in configuration.interfaces.items() if each.parent is not None]
    if not subs:
        return configuration
    name = dice.pick(subs)
    return replace(
        configuration, interfaces={other: each for other, each in configuration.interfaces.items() if other != name}
    )


_EDITS = (
    *(_edit_addresses, _edit_interface, _edit_interface, _edit_interface, _edit_acl, _edit_macip, _edit_bridge),
    *(_edit_bond, _delete_sub_interface),
)


def without_linux(state: State) -> State:
    """Return the state as it is read where the Linux side cannot be."""
    facts = replace(state.facts, has_linux=False)
    return replace(state, linux={}, namespaces=frozenset(), linux_bridges=frozenset(), facts=facts)
