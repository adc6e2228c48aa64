"""From data of the right shape to a Configuration."""

from typing import Any

import pytest

from vppcfg.config.configuration import Configuration, InterfaceConfig, LcpConfig, NeighborConfig
from vppcfg.config.parse import parse
from vppcfg.model.acl import AclBinding
from vppcfg.model.features import (
    Mirror,
    MssLimit,
    RaPrefix,
    RouterAdvertisements,
    TrafficDirection,
    UrpfCheck,
    UrpfMode,
)
from vppcfg.model.interface import Encapsulation


def interfaces(section: dict[Any, Any]) -> dict[str, InterfaceConfig]:
    parsed = parse({"interfaces": section}, [])
    assert parsed.problems == ()
    assert parsed.broken == frozenset()
    return dict(parsed.configuration.interfaces)


@pytest.mark.parametrize("data", [None, {}, {"interfaces": None}, {"interfaces": {}, "unmanaged": None}])
def test_nothing_is_an_empty_configuration(data: Any) -> None:
    assert parse(data, []).configuration == Configuration()


@pytest.mark.parametrize("entry", [None, {}, {"mtu": None, "state": None, "addresses": None, "lcp": None}])
def test_an_empty_entry_has_the_defaults(entry: Any) -> None:
    assert interfaces({"eth0": entry}) == {"eth0": InterfaceConfig(name="eth0", path=("interfaces", "eth0"))}
    assert interfaces({"eth0": entry})["eth0"].mtu == 1500
    assert interfaces({"eth0": entry})["eth0"].is_up


def test_every_key_arrives_in_canonical_form() -> None:
    entry = {
        "description": "uplink",
        "device-type": "rdma",
        "lcp": {"name": "e0", "netns": "dataplane"},
        "mtu": 9000,
        "addresses": ["2001:DB8:0::1/64", "192.0.2.1/24"],
        "l2xc": "eth1",
        "state": "down",
        "mac": "0200.5E00.5301",
        "unnumbered": "loop0",
        "mpls": True,
        "sflow": True,
        "gso": True,
        "urpf": {"ipv6-output": "loose", "ipv4": "strict", "ipv6": None},
        "mirror": {"eth9": {"l2": True}, "eth10": "output"},
        "ra": {
            "managed": True,
            "interval": 90,
            "prefixes": {"2001:DB8:2::/64": None, "2001:db8:1::/64": {"autonomous": False, "on-link": True}},
        },
        "link-local": "FE80:0::1",
        "mss-clamp": {"ipv6": {"mss": 1340}, "ipv4": {"mss": 1360, "direction": "output"}},
        "neighbors": {"192.0.2.5": "0200.5e00.5305", "2001:DB8::5": "02:00:5e:00:53:06"},
        "acls": {"input": "a", "output": ["b", "a"]},
    }
    assert interfaces({"eth0": entry})["eth0"] == InterfaceConfig(
        name="eth0",
        path=("interfaces", "eth0"),
        description="uplink",
        device_type="rdma",
        lcp=LcpConfig(host_name="e0", netns="dataplane"),
        mtu=9000,
        addresses=("2001:db8::1/64", "192.0.2.1/24"),
        l2xc="eth1",
        is_up=False,
        mac="02:00:5e:00:53:01",
        unnumbered="loop0",
        has_mpls=True,
        has_sflow=True,
        has_gso=True,
        urpf=(UrpfCheck(mode=UrpfMode.STRICT), UrpfCheck(mode=UrpfMode.LOOSE, is_ipv6=True, is_output=True)),
        mirrors=(Mirror(target="eth10", direction=TrafficDirection.OUTPUT), Mirror(target="eth9", is_l2=True)),
        ra=RouterAdvertisements(
            is_managed=True,
            max_interval_s=90,
            min_interval_s=67,
            prefixes=(RaPrefix(prefix="2001:db8:1::/64", is_autonomous=False), RaPrefix(prefix="2001:db8:2::/64")),
        ),
        link_local="fe80::1",
        mss_clamp=(MssLimit(mss=1360, direction=TrafficDirection.OUTPUT), MssLimit(mss=1340, is_ipv6=True)),
        neighbors=(
            NeighborConfig(key="192.0.2.5", address="192.0.2.5", mac="02:00:5e:00:53:05"),
            NeighborConfig(key="2001:DB8::5", address="2001:db8::5", mac="02:00:5e:00:53:06"),
        ),
        acls=AclBinding(input=("a",), output=("b", "a")),
    )


def test_an_empty_description_is_none() -> None:
    assert interfaces({"eth0": {"description": ""}})["eth0"].description is None


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"dot1q": 5}, Encapsulation(outer=5)),
        ({"dot1q": 5, "exact-match": False}, Encapsulation(outer=5)),
        ({"dot1q": 5, "exact-match": None}, Encapsulation(outer=5)),
        ({"dot1q": 5, "exact-match": True}, Encapsulation(outer=5, is_exact=True)),
        ({"dot1ad": 5}, Encapsulation(outer=5, is_dot1ad=True)),
        ({"dot1q": 5, "inner-dot1q": 6}, Encapsulation(outer=5, inner=6)),
        ({"dot1ad": 5, "inner-dot1q": 6, "dot1q": None}, Encapsulation(outer=5, inner=6, is_dot1ad=True)),
    ],
)
def test_an_encapsulation_says_which_tags(raw: dict[str, Any], expected: Encapsulation) -> None:
    for sub_id in (1, 5000):
        parsed = interfaces({"eth0": {"sub-interfaces": {sub_id: {"encapsulation": raw}}}})
        assert parsed[f"eth0.{sub_id}"].encapsulation == expected


def flaws(section: dict[Any, Any]) -> list[tuple[str, tuple[str | int, ...]]]:
    return [(problem.rule, problem.path[1:]) for problem in parse({"interfaces": section}, []).problems]


@pytest.mark.parametrize("name", [5, "", "a b", "x" * 64])
def test_an_interface_that_cannot_be(name: Any) -> None:
    assert flaws({name: {}}) == [("interface-name", (name,))]


def test_an_interface_stands_once() -> None:
    assert flaws({"a": {"sub-interfaces": {1: {"mtu": 1500}}}, "a.1": {}}) == [("interface-duplicate", ("a.1",))]
    assert flaws({"a.1": {}, "a": {"sub-interfaces": {1: {"mtu": 1500}}}}) == [
        ("interface-duplicate", ("a", "sub-interfaces", 1))
    ]


def test_an_entry_is_kept_without_what_nothing_else_depends_on() -> None:
    entry = {"addresses": ["192.0.2.1/24", "x"], "description": 5, "l2xc": [], "lcp": "e0"}
    data = {"interfaces": {"a": {**entry, "sub-interfaces": {1: {"description": 5}}}}}
    bad = [("interfaces", "a", *key) for key in (("addresses", 1), ("description",), ("l2xc",))]
    parsed = parse(data, [*bad, ("interfaces", "a", "sub-interfaces", 1, "description")])
    assert parsed.broken == frozenset()
    assert parsed.problems == ()
    assert parsed.configuration.interfaces["a"] == InterfaceConfig(
        name="a", path=("interfaces", "a"), lcp=LcpConfig(host_name="e0")
    )
    assert list(parsed.configuration.interfaces) == ["a", "a.1"]
