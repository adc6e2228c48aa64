"""The sections: which there are, canonical values, defaults, names that cannot be."""

from dataclasses import fields
from typing import Any

import pytest
import yaml

from vppcfg import assets
from vppcfg.config.load import parse
from vppcfg.config.schema.text import SCHEMA
from vppcfg.config.section_list import INTERFACES, SECTIONS
from vppcfg.entries.configuration import (
    Configuration,
    KeyHolder,
    VirtualInterfaceConfig,
)
from vppcfg.kinds import tunnel_neighbor
from vppcfg.kinds.kind_list import VIRTUAL_INTERFACE_CLASSES
from vppcfg.kinds.owned_list import OWNED
from vppcfg.kinds.virtual_interface_list import KIND_OF_VIRTUAL, VIRTUAL_INTERFACES
from vppcfg.model.interface import InterfaceKind


def test_every_kind_that_vpp_makes_has_a_section_of_its_own() -> None:
    assert [section.virtual for section in VIRTUAL_INTERFACES] == list(VIRTUAL_INTERFACE_CLASSES)
    assert KIND_OF_VIRTUAL.keys() == set(VIRTUAL_INTERFACE_CLASSES)
    for section in VIRTUAL_INTERFACES:
        kind = InterfaceKind.PHYSICAL if section.virtual.is_owned_by_mark else section.virtual.kind
        assert INTERFACES.kind_of(f"{section.word}0") is INTERFACES.kind_of(f"{section.word}{section.last}") is kind
        assert issubclass(section.config, VirtualInterfaceConfig)


def test_every_key_at_the_top_of_the_schema_is_a_section_or_the_version() -> None:
    top = next(iter(yaml.safe_load_all(assets.find(SCHEMA).read_text())))
    below = {each.key for each in (*OWNED, tunnel_neighbor.SECTION) if KeyHolder.FILE not in each.holders}
    assert {section.key for section in SECTIONS if section.key not in below} | {"version"} == set(top)


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
