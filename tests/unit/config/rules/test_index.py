"""What rules look things up in."""

from __future__ import annotations

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
