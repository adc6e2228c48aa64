"""The sections: which there are, canonical values, defaults, names that cannot be."""

from dataclasses import fields
from typing import Any

import pytest
import yaml

from vppcfg import assets
from vppcfg.config.configuration import (
    BridgeConfig,
    Configuration,
    InterfaceConfig,
    KeyHolder,
    LcpConfig,
    VirtualInterfaceConfig,
)
from vppcfg.config.parse import parse
from vppcfg.config.schema.text import SCHEMA
from vppcfg.config.section_list import INTERFACES, SECTIONS, VIRTUAL_SECTION_OF, VIRTUAL_SECTIONS
from vppcfg.kinds import tunnel_neighbor
from vppcfg.kinds.bond.entry import BondConfig
from vppcfg.kinds.kind_list import VIRTUAL_INTERFACE_CLASSES
from vppcfg.kinds.owned_list import OWNED
from vppcfg.kinds.tap.entry import TapConfig
from vppcfg.kinds.tunnel import TunnelConfig
from vppcfg.model.bond import BondMode, LoadBalance
from vppcfg.model.bridge import BridgeSettings
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.state import SflowSettings
from vppcfg.model.tunnel import Vxlan


def test_every_kind_that_vpp_makes_has_a_section_of_its_own() -> None:
    assert [section.virtual for section in VIRTUAL_SECTIONS] == list(VIRTUAL_INTERFACE_CLASSES)
    assert VIRTUAL_SECTION_OF.keys() == set(VIRTUAL_INTERFACE_CLASSES)
    for section in VIRTUAL_SECTIONS:
        kind = InterfaceKind.PHYSICAL if section.virtual.is_owned_by_mark else section.virtual.kind
        assert INTERFACES.kind_of(f"{section.word}0") is INTERFACES.kind_of(f"{section.word}{section.last}") is kind
        assert issubclass(section.config, VirtualInterfaceConfig)


def test_every_key_at_the_top_of_the_schema_is_a_section() -> None:
    top = next(iter(yaml.safe_load_all(assets.find(SCHEMA).read_text())))
    below = {each.key for each in (*OWNED, tunnel_neighbor.SECTION) if KeyHolder.FILE not in each.holders}
    assert sorted(section.key for section in SECTIONS if section.key not in below) == sorted(top)


def test_what_sections_fill_is_all_of_a_configuration() -> None:
    """`entries` is filled by kinds of other programs alone, as long as no kind here has a section of its own."""
    filled = {section.attribute for section in SECTIONS} - {None}
    assert filled | {"entries"} == {field.name for field in fields(Configuration)}


def configured(data: dict[str, Any]) -> Configuration:
    parsed = parse(data, [])
    assert parsed.problems == ()
    return parsed.configuration


def flaws(data: dict[str, Any]) -> list[tuple[str, tuple[str | int, ...]]]:
    return [(problem.rule, problem.path) for problem in parse(data, []).problems]


def test_a_loopback_stands_among_the_interfaces_and_is_up() -> None:
    raw = {
        "loop5": {"mac": "02-00-5E-00-53-01", "lcp": "loop5", "addresses": ["192.0.2.1"], "mtu": 9000},
        "loop6": None,
    }
    assert configured({"loopbacks": raw}).interfaces == {
        "loop5": InterfaceConfig(
            name="loop5",
            path=("loopbacks", "loop5"),
            kind=InterfaceKind.LOOPBACK,
            mac="02:00:5e:00:53:01",
            lcp=LcpConfig(host_name="loop5"),
            addresses=("192.0.2.1/32",),
            mtu=9000,
        ),
        "loop6": InterfaceConfig(name="loop6", path=("loopbacks", "loop6"), kind=InterfaceKind.LOOPBACK),
    }


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("BondEthernet0", InterfaceKind.BOND),
        ("vxlan_tunnel4294967294", InterfaceKind.VXLAN),
        ("tap1024", InterfaceKind.TAP),
        ("tap0x", InterfaceKind.PHYSICAL),
        ("tap01", InterfaceKind.PHYSICAL),
        ("tap", InterfaceKind.PHYSICAL),
        ("eth0", InterfaceKind.PHYSICAL),
        ("5", InterfaceKind.PHYSICAL),
    ],
)
def test_the_name_says_what_an_interface_is(name: str, kind: InterfaceKind) -> None:
    assert configured({"interfaces": {name: {}}}).interfaces[name].kind is kind


def test_a_bond_has_defaults() -> None:
    bonds = configured({"bondethernets": {"BondEthernet0": None, "BondEthernet1": {"mode": "broadcast"}}}).virtual_as(
        BondConfig
    )
    assert bonds == {
        "BondEthernet0": BondConfig(name="BondEthernet0", path=("bondethernets", "BondEthernet0")),
        "BondEthernet1": BondConfig(
            name="BondEthernet1", path=("bondethernets", "BondEthernet1"), mode=BondMode.BROADCAST, load_balance=None
        ),
    }
    assert bonds["BondEthernet0"].mode is BondMode.LACP


def test_a_bond_is_what_its_keys_say() -> None:
    raw = {"description": "x", "mac": "0200.5e00.5301", "interfaces": ["b", "a"], "mode": "xor", "load-balance": "l2"}
    bond = configured({"bondethernets": {"BondEthernet0": raw}}).virtual_as(BondConfig)["BondEthernet0"]
    assert bond == BondConfig(
        name="BondEthernet0",
        path=("bondethernets", "BondEthernet0"),
        description="x",
        mac="02:00:5e:00:53:01",
        members=("b", "a"),
        mode=BondMode.XOR,
        load_balance=LoadBalance.L2,
    )


def test_a_bridge_is_what_its_keys_say() -> None:
    settings = {"learn": False, "arp-termination": True, "mac-age-minutes": 5, "unicast-flood": None}
    raw = {"mtu": 9000, "bvi": "loop0", "interfaces": ["a"], "settings": settings}
    bridges = configured({"bridgedomains": {"bd10": raw, "bd16777215": None}}).bridges
    assert bridges == {
        "bd10": BridgeConfig(
            name="bd10",
            path=("bridgedomains", "bd10"),
            bd_id=10,
            mtu=9000,
            bvi="loop0",
            members=("a",),
            settings=BridgeSettings(learn=False, arp_termination=True, mac_age_minutes=5),
        ),
        "bd16777215": BridgeConfig(name="bd16777215", path=("bridgedomains", "bd16777215"), bd_id=16777215),
    }


def test_a_tunnel_has_canonical_ends() -> None:
    raw = {"local": "2001:DB8:0::1", "remote": "2001:db8::0:2", "vni": 5}
    assert configured({"vxlan_tunnels": {"vxlan_tunnel0": raw}}).virtual["vxlan_tunnel0"] == TunnelConfig(
        name="vxlan_tunnel0",
        path=("vxlan_tunnels", "vxlan_tunnel0"),
        tunnel=Vxlan(local="2001:db8::1", remote="2001:db8::2", vni=5),
    )


def test_a_tap_is_what_its_keys_say() -> None:
    host = {"name": "vpp0", "mac": "02005E005301", "mtu": 9000, "bridge": "br0", "bridge-create": True}
    more = {"namespace": "ns", "namespace-create": True}
    taps = configured(
        {"taps": {"tap0": {"host": {**host, **more}, "tx-ring-size": 8}, "tap1": {"host": host}}}
    ).virtual_as(TapConfig)
    assert taps["tap0"] == TapConfig(
        name="tap0",
        path=("taps", "tap0"),
        host_name="vpp0",
        host_mac="02:00:5e:00:53:01",
        host_mtu=9000,
        host_bridge="br0",
        creates_bridge=True,
        host_netns="ns",
        creates_netns=True,
        rx_ring_size=256,
        tx_ring_size=8,
    )
    assert (taps["tap1"].host_netns, taps["tap1"].creates_netns) == (None, False)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (None, SflowSettings()),
        ({}, SflowSettings()),
        ({"sampling-rate": 1, "polling-interval": None}, SflowSettings(sampling_rate=1)),
        ({"polling-interval": 5, "header-bytes": 100}, SflowSettings(polling_interval_s=5, header_bytes=128)),
        ({"header-bytes": 1}, SflowSettings(header_bytes=64)),
        ({"header-bytes": 256}, SflowSettings(header_bytes=256)),
        ({"header-bytes": 129}, SflowSettings(header_bytes=160)),
    ],
)
def test_sflow_has_the_values_that_vpp_keeps(raw: Any, expected: SflowSettings) -> None:
    assert configured({"sflow": raw}).sflow == expected


def test_protected_names_are_kept() -> None:
    assert configured({"protected": ["eth0", "tap0"]}).protected == ("eth0", "tap0")


@pytest.mark.parametrize(
    ("section", "names", "rule"),
    [
        ("loopbacks", ["loop", "loop1a", "loop16384", "loop01", "Loop0", "eth0", 5, "loop-1"], "loopback-id"),
        ("bondethernets", ["BondEthernet", "BondEthernet4294967295", "bond0", "BondEthernet0.1"], "bond-id"),
        ("bridgedomains", ["bd", "bd1x", "bd16777216", 10, "bd99999999999"], "bd-id"),
        ("bridgedomains", ["bd0"], "bd-zero"),
        ("vxlan_tunnels", ["vxlan_tunnel", "vxlan_tunnel0x", "vxlan0"], "vxlan-id"),
        ("taps", ["tap", "tap1025", "tap0a"], "tap-id"),
        ("prefixlists", ["A", "a_b", "1a", "a" * 65, 5], "prefixlist-name"),
        ("prefixlists", ["any"], "prefixlist-any"),
        ("acls", ["A", "a_b", "1a", "a" * 57, 5], "acl-name"),
        ("interfaces", ["loop0", "loop16383"], "loopback-placement"),
    ],
)
def test_a_name_that_cannot_be(section: str, names: list[Any], rule: str) -> None:
    entries: dict[str, dict[str, Any]] = {
        "vxlan_tunnels": {"local": "192.0.2.1", "remote": "192.0.2.2", "vni": 1},
        "taps": {"host": {"name": "x"}},
        "acls": {"terms": [{"action": "deny"}]},
    }
    for name in names:
        assert flaws({section: {name: entries.get(section, {})}}) == [(rule, (section, name))]


def test_entries_with_a_bad_shape_are_left_out_and_named() -> None:
    data = {
        "bridgedomains": {
            "bd1": {"mtu": "x"},
            "bd2": {"description": 5, "mtu": 9000},
            "bd3": 5,
            "bd4": {"settings": 5},
        },
        "loopbacks": {"loop0": {"mtu": "x"}, "loop1": {"mac": 5}},
        "taps": 5,
        "sflow": {"sampling-rate": "x", "header-bytes": 256},
        "protected": [5],
    }
    bad: list[tuple[str | int, ...]] = [
        ("bridgedomains", "bd1", "mtu"),
        ("bridgedomains", "bd2", "description"),
        ("bridgedomains", "bd3"),
        ("bridgedomains", "bd4", "settings"),
        ("loopbacks", "loop0", "mtu"),
        ("loopbacks", "loop1", "mac"),
        ("taps",),
        ("sflow", "sampling-rate"),
        ("protected", 0),
    ]
    parsed = parse(data, bad)
    assert list(parsed.configuration.bridges) == ["bd2", "bd4"]
    assert parsed.configuration.bridges["bd2"].mtu == 9000
    assert parsed.broken_entries["bridgedomains"] == {"bd1", "bd3"}
    assert list(parsed.configuration.interfaces) == ["loop1"]
    assert parsed.broken == {"loop0"}
    assert parsed.lost_sections == {"taps"}
    assert parsed.configuration.sflow == SflowSettings()
    assert parsed.configuration.protected == ()
    assert parsed.problems == ()
