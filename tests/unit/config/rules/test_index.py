"""What rules look things up in."""

from vppcfg.config.parse import parse
from vppcfg.config.rules.index import index_of

DATA = {
    "interfaces": {
        "eth0": {
            "sub-interfaces": {
                100: {"l2xc": "eth1"},
                1000: {"encapsulation": {"dot1q": 100, "inner-dot1q": 10}},
                1001: {"encapsulation": {"dot1ad": 100, "inner-dot1q": 10}},
                5000: {"mtu": 1500},
            }
        },
        "eth1": {"l2xc": "eth0.100"},
    }
}


def test_an_index_knows_children_sources_and_outer_tags() -> None:
    index = index_of(parse(DATA, []))
    assert [child.name for child in index.children["eth0"]] == ["eth0.100", "eth0.1000", "eth0.1001"]
    assert {target: [source.name for source in sources] for target, sources in index.sources.items()} == {
        "eth1": ["eth0.100"],
        "eth0.100": ["eth1"],
    }
    two_tags, other_two_tags = index.children["eth0"][1:]
    assert index.one_tag_parent(two_tags) is index.find("eth0.100")
    assert index.one_tag_parent(other_two_tags) is None
    assert index.one_tag_parent(index.children["eth0"][0]) is None


def test_an_index_tells_broken_from_missing() -> None:
    index = index_of(parse(DATA, []))
    assert index.has("eth0.5000")
    assert index.find("eth0.5000") is None
    assert not index.has("eth2")
    assert index.find(None) is None
    assert index.broken_parents == {"eth0"}


def test_an_index_knows_members_and_why_an_interface_switches() -> None:
    data = {
        "interfaces": {"a": {"l2xc": "b"}, "b": None, "c": None, "d": None},
        "bridgedomains": {"bd1": {"interfaces": ["c"], "bvi": "loop0"}, "bd2": {"interfaces": ["c"]}},
        "bondethernets": {"BondEthernet0": {"interfaces": ["d", "d"]}},
        "loopbacks": {"loop0": None},
    }
    index = index_of(parse(data, []))
    assert [bridge.name for bridge in index.bridges["c"]] == ["bd1", "bd2"]
    assert [bridge.name for bridge in index.bvi_bridges["loop0"]] == ["bd1"]
    assert [bond.name for bond in index.bonds["d"]] == ["BondEthernet0", "BondEthernet0"]
    assert {name: index.why_switched(name) for name in ("a", "b", "c", "d", "loop0", "e")} == {
        "a": "is cross-connected",
        "b": "is the target of the cross-connect of a",
        "c": "is a member of bd1",
        "d": None,
        "loop0": None,
        "e": None,
    }


def test_nothing_is_missing_from_a_section_that_is_lost() -> None:
    index = index_of(parse({"interfaces": 5, "acls": 5}, [("interfaces",), ("acls",)]))
    assert index.has("anything")
    assert index.has_entry("acls", "anything", {})
    assert not index.has_entry("taps", "anything", {})
