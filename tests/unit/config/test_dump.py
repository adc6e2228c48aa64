"""Writing a State: the text loads without a problem and asks for nothing, whatever the state."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.laws.examples import examples
from tests.laws.networks import EMPTY_VPP, _Dice, _state, configurations, states
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.dump import expressible
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.config.section_list import INTERFACES, SECTIONS
from vppcfg.config.valid_dump import write
from vppcfg.entries.configuration import Configuration
from vppcfg.entries.yaml.text import scalar
from vppcfg.model.acl import Acl, AclAction, AclBinding, AclRule
from vppcfg.model.bond import Bond, BondMode, LoadBalance, Membership
from vppcfg.model.bridge import Bridge, BridgeSettings, StaticMac
from vppcfg.model.features import MssLimit, RaPrefix, RouterAdvertisements, TrafficDirection, UrpfCheck, UrpfMode
from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind, OtherMatch, TagRewrite
from vppcfg.model.lcp import LcpPair, LcpSettings
from vppcfg.model.neighbor import Neighbor
from vppcfg.model.placement import moved_to
from vppcfg.model.problem import Severity
from vppcfg.model.route import NextHop, Route, in_order
from vppcfg.model.state import Facts, SflowSettings, State
from vppcfg.model.tap import Tap
from vppcfg.model.tunnel import Vxlan
from vppcfg.model.vrf import FibTable
from vppcfg.plan.plan import make_plan

PORT = Interface(name="eth0", kind=InterfaceKind.PHYSICAL, device_class="dpdk", link_mtu=1500, packet_mtu=1500)
OTHER = replace(PORT, name="eth1")
SUB = Interface(
    name="eth0.100",
    kind=InterfaceKind.SUB_INTERFACE,
    parent="eth0",
    sub_id=100,
    encapsulation=Encapsulation(outer=100, is_exact=True),
)
CHECKS = (UrpfCheck(mode=UrpfMode.STRICT), UrpfCheck(mode=UrpfMode.LOOSE, is_ipv6=True, is_output=True))
LIMITS = (MssLimit(mss=1360), MssLimit(mss=1340, is_ipv6=True, direction=TrafficDirection.INPUT))
ADVERTISED = RouterAdvertisements(
    is_managed=True,
    lifetime_s=1800,
    max_interval_s=100,
    min_interval_s=75,
    prefixes=(RaPrefix(prefix="2001:db8::/64"),),
)
SILENT = RouterAdvertisements(is_sent=False, is_managed=True)
NEIGHBORS = (
    Neighbor(address="192.0.2.5", mac="02:00:5e:00:53:05"),
    Neighbor(address="2001:db8::5", mac="02:00:5e:00:53:06"),
)
FACTS = Facts(
    plugins=frozenset(
        {"acl", "gso", "lacp", "linux_cp", "mss_clamp", "sflow", "urpf", "urpf_dump", "vxlan"}
        | {"dhcp", "lldp", "lldp_settings"}
    )
)


def state_of(*interfaces: Interface, facts: Facts = FACTS, **lcps: LcpPair) -> State:
    named = {name.replace("_", "."): pair for name, pair in lcps.items()}
    return State(interfaces={interface.name: interface for interface in interfaces}, lcps=named, facts=facts)


def settled(desired: State, observed: State) -> State:
    """Return a desired state with what it leaves open as observed: MACs and queues of ports, and inherited MTUs."""
    interfaces = {}
    for name, interface in desired.interfaces.items():
        found = observed.interfaces[name]
        rx, tx = found.rx_placement, found.tx_placement
        for placed in interface.rx_placement:
            rx = moved_to(rx, placed)
        for placed in interface.tx_placement:
            tx = moved_to(tx, placed)
        interfaces[name] = replace(interface, mac=interface.mac or found.mac, rx_placement=rx, tx_placement=tx)
    return replace(desired, interfaces=interfaces).with_explicit_mtus()


def assert_means(text: str, state: State) -> Configuration:
    """Load a text, and hold it to asking nothing of `state`; return what it says."""
    loaded = parse_text(text, "written")
    assert loaded.configuration is not None, (loaded.problems, text)
    assert all(problem.severity is Severity.WARNING for problem in loaded.to_act_on)
    resolution = resolve(loaded.configuration, state)
    assert [problem for problem in resolution.problems if problem.rule != "sub-mtu-unset"] == [], text
    assert settled(resolution.desired, state) == state.with_explicit_mtus(), text
    return loaded.configuration


def reason_for(state: State, glob: str) -> str:
    """Return the comment that the text has for an unmanaged object."""
    text = write(state)
    assert_means(text, state)
    (line,) = [line for line in text.splitlines() if line.startswith(f"  - {scalar(glob)} #")]
    return line.partition(" # ")[2]


many = examples(25)


@many
@given(configuration=configurations())
def test_what_a_configuration_made_is_written_without_loss(configuration: Configuration) -> None:
    state = resolve(configuration, EMPTY_VPP).desired
    written = assert_means(write(state), state)
    assert written.unmanaged == ()
    assert set(written.interfaces) == {*configuration.interfaces, *configuration.virtual}


@many
@given(state=states())
def test_what_others_have_touched_is_written_so_that_it_stays(state: State) -> None:
    assert_means(write(state), state)


def test_a_route_through_an_unmanaged_interface_is_written_so_that_it_stays() -> None:
    hops = (
        NextHop(gateway="192.0.2.1", interface="eth0"),
        NextHop(gateway="192.0.2.2", interface="memif1/0.200"),
        NextHop(gateway="192.0.2.3", interface="memif1/0"),
    )
    route = Route(prefix="10.0.0.0/8", hops=in_order(iter(hops)))
    memif = replace(PORT, name="memif1/0", device_class="memif")
    sub = replace(SUB, name="memif1/0.200", parent="memif1/0")
    state = replace(state_of(PORT, memif, sub), objects={Route: {route.name: route}})
    text = write(state)
    assert assert_means(text, state).unmanaged == ("memif1/0",)
    assert "interface: memif1/0.200" in text
    state = _state(_Dice(14088017743180), with_linux=False)
    assert_means(write(state), state)


TEXTS = st.one_of(
    st.text(max_size=20),
    st.text(alphabet="abé☃ :#'\"{}[]-?*&!|>%@`,\\$~\t\n\u2028", max_size=12),
    st.sampled_from(["yes", "null", "0100", "1:30", "- a", "a: b", "a #b", " a", "a ", "", "'", '"', "{", "\ufeff"]),
)
NAMES = st.one_of(
    st.sampled_from(["eth0", "eth1", "yes", "null", "0100", "1e3", "host-eth0.5", "a b", "a*", "a[0]", "é", "x" * 63]),
    st.sampled_from(["loop0", "loop99999", "tap0", "tap0x", "BondEthernet0", "vxlan_tunnel0", "bd10"]),
    st.text(alphabet="abc01/._:@+-*[ ", min_size=1, max_size=6),
)
TAGS = st.one_of(st.just(""), st.just("vppcfg"), TEXTS.map(lambda text: f"vppcfg {text}"), TEXTS)
ADDRESSES = st.sampled_from(
    [
        "10.0.0.1/24", "10.0.0.2/24", "10.0.0.0/24", "10.0.1.255/24", "224.0.0.1/32", "10.0.2.0/31", "0.0.0.0/0",
        "2001:db8::/64", "2001:db8::1/64", "2001:db8:1::1/128", "::/0", "ff02::1/128",
    ]
)  # fmt: skip
PORT_KINDS = [kind for kind in InterfaceKind if kind is not InterfaceKind.SUB_INTERFACE]
MTUS = st.sampled_from([0, 64, 128, 1500, 2000, 9000, 9216, 9300])


@st.composite
def hostile_states(draw: st.DrawFn) -> State:
    """Return any state at all, with what no language could say in its names, tags and values."""
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    interfaces = {name: _hostile_port(draw, name) for name in names}
    for parent in names:
        for sub_id in draw(st.lists(st.sampled_from([0, 1, 5, 4096, 2147483648]), max_size=2, unique=True)):
            name = f"{parent}.{sub_id}"
            interfaces.setdefault(name, _hostile_sub(draw, name, parent, sub_id))
    everything = sorted(interfaces)
    used: set[str] = set()
    for name in everything:
        target = draw(st.sampled_from([None, None, *everything]))
        fresh = [address for address in draw(st.lists(ADDRESSES, max_size=2)) if address not in used]
        used |= set(fresh)
        interfaces[name] = replace(interfaces[name], l2xc=target, addresses=frozenset(fresh))
    lcps = {name: _hostile_pair(draw) for name in draw(st.lists(st.sampled_from(everything), max_size=3, unique=True))}
    acls = draw(st.dictionaries(st.sampled_from(["a", "b", "A", "acl:x"]), HOSTILE_ACLS, max_size=2))
    for name in everything:
        bound = tuple(draw(st.lists(st.sampled_from(["a", "b", "A", "acl:x", "gone"]), max_size=1)))
        interfaces[name] = replace(
            interfaces[name],
            acls=AclBinding(input=bound),
            unnumbered=draw(st.sampled_from([None, None, None, *everything])),
        )
    settings = LcpSettings(default_netns=draw(st.sampled_from(["", "dataplane"])))
    return State(
        interfaces=interfaces,
        lcps=lcps,
        virtual={
            **_some(draw, interfaces, InterfaceKind.BOND, _hostile_bonds(everything)),
            **_some(draw, interfaces, InterfaceKind.VXLAN, HOSTILE_TUNNELS),
            **_some(draw, interfaces, InterfaceKind.TAP, HOSTILE_TAPS),
        },
        bridges=draw(st.fixed_dictionaries({}, optional={"bd10": _hostile_bridges(10), "bd0": _hostile_bridges(0)})),
        acls=acls,
        sflow=SflowSettings(sampling_rate=draw(st.sampled_from([0, 1000, 10000]))),
        facts=replace(FACTS, lcp=settings),
    )


def _some(
    draw: st.DrawFn, interfaces: dict[str, Interface], kind: InterfaceKind, objects: st.SearchStrategy[Any]
) -> dict[str, Any]:
    """Return what VPP shows of the interfaces of a kind, which may be nothing for some."""
    names = [name for name, interface in interfaces.items() if interface.kind is kind]
    return {name: draw(objects) for name in names if draw(st.sampled_from([True, True, True, False]))}


def _hostile_bonds(names: list[str]) -> st.SearchStrategy[Bond]:
    members = st.dictionaries(st.sampled_from(names), st.builds(Membership, is_passive=st.booleans()), max_size=2)
    modes = st.sampled_from(
        [(BondMode.LACP, LoadBalance.L34), (BondMode.XOR, LoadBalance.L2), (BondMode.BROADCAST, None)]
    )
    return st.builds(lambda mode, parts: Bond(mode=mode[0], load_balance=mode[1], members=parts), modes, members)


def _hostile_bridges(bd_id: int) -> st.SearchStrategy[Bridge]:
    settings = st.builds(BridgeSettings, learn=st.booleans(), mac_age_minutes=st.sampled_from([0, 255, 300]))
    return st.builds(Bridge, bd_id=st.just(bd_id), settings=settings, tag=TAGS)


HOSTILE_TUNNELS = st.builds(
    Vxlan,
    local=st.sampled_from(["192.0.2.1", "2001:db8::1"]),
    remote=st.sampled_from(["192.0.2.1", "192.0.2.2", "224.0.0.1", "2001:db8::2"]),
    vni=st.sampled_from([0, 1, 16777215]),
    source_port=st.sampled_from([0, 4789, 4790]),
    destination_port=st.sampled_from([0, 4789, 65535]),
    is_plain=st.booleans(),
)
HOSTILE_TAPS = st.builds(
    Tap,
    host_name=st.sampled_from(["vpp0", "e0", "VPP", "a b"]),
    host_mac=st.sampled_from(["", "02:00:00:00:00:01", "01:00:00:00:00:01"]),
    host_mtu=st.sampled_from([0, 64, 1500, 9000]),
    host_bridge=st.sampled_from(["", "br0", "Br 0"]),
    host_netns=st.sampled_from(["", "ns", "a/b"]),
    rx_ring_size=st.sampled_from([256, 512, 1000]),
    flags=st.sampled_from([0, 1]),
)
RANGES = st.sampled_from([(0, 65535), (0, 255), (80, 80), (9, 8), (0, 1023)])
HOSTILE_RULES = st.builds(
    lambda family, **values: AclRule(source=family, destination=family, **values),
    family=st.sampled_from(["0.0.0.0/0", "::/0", "10.0.0.0/8", "10.0.0.1/8"]),
    action=st.sampled_from(AclAction),
    protocol=st.sampled_from([0, 1, 6, 17, 47, 58]),
    source_ports=RANGES,
    destination_ports=RANGES,
    tcp_flags=st.sampled_from([(0, 0), (0, 0), (2, 2), (18, 2), (2, 18)]),
)
HOSTILE_ACLS = st.builds(
    Acl,
    rules=st.lists(HOSTILE_RULES, max_size=2).map(tuple),
    tag=st.sampled_from(["vppcfg a", "vppcfg b", "vppcfg A", "x", "a b", ""]),
    index=st.none(),
)


def _hostile_port(draw: st.DrawFn, name: str) -> Interface:
    return Interface(
        name=name,
        kind=draw(st.sampled_from([INTERFACES.kind_of(name), INTERFACES.kind_of(name), *PORT_KINDS])),
        mac=draw(st.sampled_from(["", "02:00:00:00:00:01", "de:ad:00:00:00:00"])),
        device_class=draw(st.sampled_from(["dpdk", "RDMA interface", "AF_XDP interface", "something new"])),
        link_mtu=draw(st.one_of(st.none(), MTUS)),
        packet_mtu=draw(MTUS),
        **_hostile_rest(draw),
    )


def _hostile_sub(draw: st.DrawFn, name: str, parent: str, sub_id: int) -> Interface:
    vlans = st.sampled_from([0, 1, 100, 4095, 5000])
    return Interface(
        name=name,
        kind=InterfaceKind.SUB_INTERFACE,
        parent=parent,
        sub_id=sub_id,
        encapsulation=draw(
            st.one_of(
                st.none(),
                st.builds(OtherMatch, flags=st.just(32)),
                st.builds(
                    Encapsulation,
                    outer=vlans,
                    inner=st.one_of(st.none(), vlans),
                    is_dot1ad=st.booleans(),
                    is_exact=st.booleans(),
                ),
            )
        ),
        packet_mtu=draw(MTUS),
        **_hostile_rest(draw),
    )


def _hostile_rest(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "is_up": draw(st.booleans()),
        "tag": draw(TAGS),
        "protocol_mtus": draw(st.sampled_from([(0, 0, 0), (0, 0, 0), (0, 1280, 0)])),
        "bridge": draw(st.sampled_from([None, None, None, 10, 11])),
        "is_bvi": draw(st.sampled_from([False, False, True])),
        "has_mpls": draw(st.sampled_from([False, False, True])),
        "has_sflow": draw(st.sampled_from([False, False, True])),
        "has_gso": draw(st.sampled_from([False, False, True])),
        "urpf": draw(st.sampled_from([(), (), CHECKS, (replace(CHECKS[0], table_id=7),)])),
        "mss_clamp": draw(st.sampled_from([(), (), LIMITS, (replace(LIMITS[0], mss=0),)])),
        "ra": draw(st.sampled_from([None, None, ADVERTISED, SILENT, replace(ADVERTISED, is_ending=True)])),
        "link_local": draw(st.sampled_from([None, None, "fe80::1", "2001:db8::1"])),
        "neighbors": draw(st.sampled_from([(), (), NEIGHBORS, (replace(NEIGHBORS[0], has_route=False),)])),
        "tag_rewrite": draw(st.sampled_from([None, None, None, TagRewrite(operation=3)])),
        "tables": draw(st.sampled_from([(0, 0), (0, 0), (0, 5)])),
    }


def _hostile_pair(draw: st.DrawFn) -> LcpPair:
    return LcpPair(
        host_name=draw(st.one_of(st.sampled_from(["e0", "on", "no", "1", "0E", "x" * 15]), TEXTS)),
        netns=draw(st.sampled_from(["", "dataplane", "other", "a b", "yes"])),
        has_host=draw(st.sampled_from([True, True, True, False])),
    )


def assert_what_is_configured_stays(state: State) -> None:
    text = write(state)
    loaded = parse_text(text, "written")
    assert loaded.configuration is not None, (loaded.problems, text)
    assert loaded.configuration == expressible(state)[0]
    resolution = resolve(loaded.configuration, state)
    desired, observed = settled(resolution.desired, state), state.with_explicit_mtus()
    for name in loaded.configuration.interfaces:
        assert desired.interfaces[name] == observed.interfaces[name]
        assert desired.lcps.get(name) == observed.lcps.get(name)
        assert desired.virtual.get(name) == observed.virtual.get(name)
    assert desired.bridges == observed.bridges
    assert desired.acls == observed.acls
    assert desired.sflow == observed.sflow
    assert not any(problem.rule == "phy-unlisted" for problem in resolution.problems)


@examples(20)
@given(state=hostile_states())
def test_any_state_is_written_so_that_what_is_configured_stays(state: State) -> None:
    assert_what_is_configured_stays(state)


@pytest.mark.long
@settings(max_examples=5000, deadline=None, suppress_health_check=list(HealthCheck))
@given(state=hostile_states())
def test_many_states_are_written_so_that_what_is_configured_stays(state: State) -> None:
    assert_what_is_configured_stays(state)


def test_an_empty_state_is_an_empty_configuration() -> None:
    assert write(State()) == "interfaces: {}\n"


def test_long_lists_stand_in_lines() -> None:
    addresses = frozenset(f"2001:db8:0:{number:x}::1/64" for number in range(1, 8))
    text = write(state_of(replace(PORT, addresses=addresses)))
    assert "    addresses:\n      - 2001:db8:0:1::1/64\n      - 2001:db8:0:2::1/64\n" in text
    assert max(len(line) for line in text.splitlines()) < 100


def test_words_that_yaml_bends_are_quoted() -> None:
    text = write(state_of(replace(PORT, name="yes", tag="vppcfg null"), yes=LcpPair(host_name="on")))
    assert "  'yes':\n" in text
    assert "    description: 'null'\n" in text
    assert "    lcp: 'on'\n" in text


@pytest.mark.parametrize(
    "text",
    [
        "nat44: { static: { '10': { local: 10.0.0.1, external: 192.0.2.9 } }, exempt: { 'no': { local: 10.0.0.7 } } }",
        "nat44: { leaks: { '10': [ 'on' ], 'on': [ '10' ] } }\nvrfs: { '10': { id: 10 }, 'on': { id: 11 } }",
        "interfaces: { '1': { mirror: { 'null': both } }, 'null': {}, e0: {} }",
        "interfaces: { '2': {}, 'on': {} }\n"
        "bridgedomains: { bd1: { interfaces: [ '2', 'on' ], split-horizon: { '2': 1, 'on': 1 } } }",
        "interfaces: { '2': {} }\nbondethernets: { BondEthernet0: { interfaces: [ '2' ], mode: active-backup, "
        "weights: { '2': 5 } } }",
        "interfaces: { e0: { rx-placement: { 0: main }, vrrp: { 5: { addresses: [ 192.0.2.9 ], track: { '1': 9 } } }, "
        "addresses: [ 192.0.2.1/24 ] }, '1': {} }",
    ],
)
def test_names_that_yaml_bends_are_quoted_as_keys(text: str) -> None:
    configuration = parse_text(text, "file").understood
    assert configuration is not None
    written = "\n".join(line for section in SECTIONS for line in section.lines(configuration, {}))
    assert parse_text(written, "file").understood == configuration


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        (LcpPair(host_name="0E"), "a name that the configuration does not allow: 0E"),
        (LcpPair(host_name="e0", has_host=False), "the Linux device e0 of its LCP is gone"),
        (LcpPair(host_name="e0", netns="a b"), 'cannot name: "a b"'),
    ],
)
def test_pairs_that_cannot_be_said_are_unmanaged(pair: LcpPair, words: str) -> None:
    assert words in reason_for(state_of(PORT, eth0=pair), "eth0")


def test_a_driver_with_a_fixed_link_mtu_may_have_a_smaller_packet_mtu() -> None:
    state = state_of(replace(PORT, device_class="RDMA interface", link_mtu=9000))
    assert assert_means(write(state), state).interfaces["eth0"].mtu == 1500


def test_what_sends_to_something_unmanaged_is_unmanaged_too() -> None:
    chain = [replace(PORT, name=f"eth{n}", l2xc=f"eth{n + 1}") for n in range(1, 50)]
    state = state_of(*chain, replace(PORT, name="eth50", tag="other"), PORT)
    written = assert_means(write(state), state)
    assert set(written.interfaces) == {"eth0"}
    assert reason_for(state, "eth49") == "it is cross-connected to eth50, which is unmanaged"


@pytest.mark.parametrize("name", ["host[0]", "a*", "a?b"])
def test_wild_characters_in_names_mean_themselves(name: str) -> None:
    state = state_of(replace(PORT, name=name), replace(PORT, name="host0"), replace(PORT, name="aXb"))
    assert set(assert_means(write(state), state).interfaces) == {"host0", "aXb"}


BOND = Interface(name="BondEthernet0", kind=InterfaceKind.BOND, packet_mtu=1500, tag="vppcfg", mac="02:00:00:00:00:01")
TAP = Interface(name="tap0", kind=InterfaceKind.TAP, link_mtu=1500, packet_mtu=1500, tag="vppcfg")
RULE = AclRule(action=AclAction.PERMIT, source="0.0.0.0/0", destination="0.0.0.0/0")
EVERY_KIND = Path(__file__).with_name("every_kind.yaml").read_text(encoding="utf-8")
"""A file with something of every kind, as it is written."""


@cache
def whole() -> State:
    """Return the state that this file asks for."""
    configuration = parse_text(EVERY_KIND, "file").configuration
    assert configuration is not None
    return replace(resolve(configuration, replace(assumed_state(configuration), facts=FACTS)).desired, facts=FACTS)


def test_something_of_every_kind_is_written() -> None:
    assert write(whole()) == EVERY_KIND
    assert_means(EVERY_KIND, whole())


def changed(table: str, name: str, **changes: Any) -> State:
    state = whole()
    objects = getattr(state, table)
    changed_objects = {**objects, name: replace(objects[name], **changes)}
    return State(**{**{field: getattr(state, field) for field in State.__dataclass_fields__}, table: changed_objects})


def with_rule(**changes: Any) -> State:
    """Return the whole state with one list of one rule, which has types and codes of ICMP unless told otherwise."""
    rule = replace(RULE, **{"source_ports": (0, 255), "destination_ports": (0, 255), **changes})
    return changed("acls", "b", rules=(rule,))


VLAN, STRAY = "eth0.100", StaticMac(bd_id=11, mac="02:00:5e:00:53:07")
IN_TABLE = replace(
    changed("interfaces", "loop0", tables=(7, 0)), vrfs={"ipv4-VRF:7": FibTable(table_id=7, name="ipv4-VRF:7")}
)


@pytest.mark.parametrize(
    ("state", "glob", "words"),
    [
        (changed("interfaces", "loop0", l2xc="eth0"), "loop0", "it is a loopback that is cross-connected"),
        (changed("interfaces", "loop0", tag="other"), "eth1", "it borrows the addresses of loop0, which is unmanaged"),
        (changed("interfaces", "eth2", tag="other"), "BondEthernet0", "it has the member eth2, which is unmanaged"),
        (changed("interfaces", "BondEthernet0", tag="other"), "eth2", "it is a member of BondEthernet0, which is"),
        (changed("bridges", "bd10", tag="other"), "bd10", 'another program: "other"'),
        (changed("bridges", "bd10", tag="other"), "tap0", "it is a member of bd10, which is unmanaged"),
        (changed("interfaces", VLAN, tag_rewrite=TagRewrite(operation=3, tag1=5)), VLAN, "cannot be expressed in"),
        (changed("interfaces", VLAN, tag_rewrite=TagRewrite(operation=1, push_dot1q=1)), VLAN, "frames the VLAN tag 0"),
        (changed("interfaces", VLAN, static_macs=(STRAY,)), VLAN, "in bridge domain 11, of which it is no member"),
        (changed("bridges", "bd11", stray_macs=("02:00:5e:00:53:07",)), "bd11", "to an interface that is gone"),
        (changed("virtual", "BondEthernet0", members={"loop0": Membership()}), "BondEthernet0", "loop0 is a loopback"),
        (changed("virtual", "vxlan_tunnel0", is_plain=False), "vxlan_tunnel0", "it is a multicast tunnel"),
        (changed("virtual", "vxlan_tunnel0", remote="ff02::1"), "vxlan_tunnel0", "one of its ends is no address"),
        (changed("virtual", "vxlan_tunnel0", vni=0), "vxlan_tunnel0", "its VNI 0 is outside"),
        (changed("virtual", "tap0", host_name="0A"), "tap0", "a name that the configuration does not allow: 0A"),
        (changed("virtual", "tap0", host_bridge="a b"), "tap0", "Linux bridge with a name"),
        (changed("virtual", "tap0", host_netns="a/b"), "tap0", "namespace that the configuration cannot name"),
        (
            changed("interfaces", "eth1", link_mtu=9000, packet_mtu=1500),
            "eth1",
            "`set interface mtu 1500 eth1` makes them",
        ),
        (IN_TABLE, "loop0", "FIB table 7, which has no name; a VRF with `id: 7` in the file can have it"),
        (changed("virtual", "tap0", host_mtu=64), "tap0", "the MTU of its Linux side is 64"),
        (changed("virtual", "tap0", rx_ring_size=4), "tap0", "it has a ring of 4"),
        (changed("acls", "a", rules=()), "acl:vppcfg?a", "it has no rules"),
        (changed("acls", "a", tag="other"), "acl:other", 'its tag is not one of ours: "other"'),
        (changed("acls", "a", rules=()), "eth1", "it applies the access list a, which is unmanaged"),
        (with_rule(protocol=6, tcp_flags=(2, 18)), "acl:vppcfg?b", "TCP flags that no packet can have"),
        (with_rule(source="::/0", destination="::/0", protocol=1), "acl:vppcfg?b", "the ICMP of IPv4 in IPv6"),
        (with_rule(protocol=0), "acl:vppcfg?b", "not in the form"),
        (with_rule(protocol=47), "acl:vppcfg?b", "which has none"),
        (with_rule(protocol=6, source_ports=(6, 5)), "acl:vppcfg?b", "no packet"),
    ],
)
def test_what_of_every_kind_cannot_be_said_is_unmanaged(state: State, glob: str, words: str) -> None:
    assert words in reason_for(state, glob)


def test_an_unmanaged_member_leaves_its_bridge_domain_and_the_other_members_in_the_file() -> None:
    state = changed("interfaces", "tap0", tag="other")
    configuration = assert_means(write(state), state)
    assert "tap0" in configuration.unmanaged
    assert "tap0" not in configuration.bridges["bd10"].members
    assert {"eth0.100", "loop1"} == {*configuration.bridges["bd10"].members, configuration.bridges["bd10"].bvi}


def test_the_mac_of_a_member_is_a_matter_of_its_bond() -> None:
    text = """
interfaces: {BondEthernet0: {}, eth2: {mac: "02:00:00:00:00:09"}, eth1: {mac: "02:00:00:00:00:08"}}
bondethernets: {BondEthernet0: {interfaces: [eth2], mac: "02:00:00:00:00:09"}}
"""
    configuration = parse_text(text, "members").configuration
    assert configuration is not None
    desired = resolve(configuration, state_of(OTHER, replace(PORT, name="eth2"))).desired
    assert {name: interface.mac for name, interface in desired.interfaces.items()} == {
        "BondEthernet0": "02:00:00:00:00:09",
        "eth1": "02:00:00:00:00:08",
        "eth2": "",
    }


def test_a_socket_without_a_memif_is_kept_by_a_line_of_its_own() -> None:
    state = state_of(PORT, facts=replace(FACTS, memif_sockets=((5, "/run/a.sock"),)))
    text = write(state)
    assert "  - memif5/* # no memif is at this socket" in text
    configuration = assert_means(text, state)
    assert make_plan(state, resolve(configuration, state).desired).operations == ()
