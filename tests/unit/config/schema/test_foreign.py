"""Keys that others have: each is said to be what it is here, and none of them is one of ours at the same place."""

from pathlib import Path

import pytest

from vppcfg.config.load import parse_text
from vppcfg.config.schema.foreign import FOREIGN, foreign_text, is_foreign_key

ROOT = Path(__file__).resolve().parents[4]
SPELLINGS = [spelling for first, (others, _) in FOREIGN.items() for spelling in (first, *others)]


def test_no_spelling_stands_twice() -> None:
    assert len(set(SPELLINGS)) == len(SPELLINGS)
    assert all(is_foreign_key(spelling) for spelling in SPELLINGS)


@pytest.mark.parametrize(
    "place", ["interfaces: { eth0: { %s: x } }", "bondethernets: { BondEthernet0: { %s: x } }", "%s: x"]
)
def test_a_foreign_key_is_never_taken_for_a_misspelt_one(place: str) -> None:
    for spelling in SPELLINGS:
        found = [p for p in parse_text(place % spelling, "test").problems if p.rule == "schema-unknown-key"]
        assert len(found) == 1, f"{spelling}, a key of ours at this place, is none of others"
        assert "did you mean" not in found[0].text


@pytest.mark.parametrize(
    ("section", "key", "text"),
    [
        ("interfaces: { eth0: { %s: 1 } }", "table", "it is written `vrf`, made in `vrfs`"),
        ("interfaces: { eth0: { %s: 1 } }", "IP_Address", "it is written `addresses`, a list"),
        ("interfaces: { eth0: { %s: 1 } }", "enabled", "it is written `state: up` or `state: down`"),
        ("bridgedomains: { bd1: { %s: 1 } }", "members", "it is written `interfaces`, a list"),
        ("bridgedomains: { bd1: { %s: 1 } }", "enabled", "the keys here are "),
        ("%s: 1", "bonds", "it is a section of its own, `bondethernets`"),
        ("interfaces: { eth0: { %s: 1 } }", "ipv6", "autoconfiguration is set in Linux"),
        ("%s: 1", "shaper", "a line in a file for `vppcfg rest` sets it"),
        ("%s: 1", "bgp", "it is not managed by vppcfg: run a routing daemon"),
    ],
)
def test_what_is_said_fits_the_place(section: str, key: str, text: str) -> None:
    problems = parse_text(section % key, "test").problems
    assert any(text in problem.text for problem in problems if problem.rule == "schema-unknown-key")


REMEDIES = ("routing daemon", "Linux on the LCP interface", "`vppcfg rest`", "`unix { exec FILE }`")


@pytest.mark.parametrize(
    ("key", "row"),
    [
        ("bgp", "| BGP, OSPF"),
        ("pppoe", "| IPv6 autoconfiguration"),
        ("ipsec_tunnels", "| IPv6 autoconfiguration"),
        ("nat64", "| NAT64"),
        ("map", "| NAT64"),
        ("srv6", "| NAT64"),
        ("rdma", "| AF_XDP and RDMA"),
    ],
)
def test_the_answer_for_what_is_not_managed_is_that_of_the_document(key: str, row: str) -> None:
    (told,) = [line for line in (ROOT / "docs" / "not-managed.md").read_text().splitlines() if line.startswith(row)]
    answer = foreign_text(key, []) or ""
    assert answer.endswith(", see docs/not-managed.md")
    (remedy,) = [each for each in REMEDIES if each in answer]
    assert remedy in told


def test_deterministic_nat_is_offered_for_what_others_call_cgnat() -> None:
    assert "`det44`" in (foreign_text("cgnat", []) or "")


def test_a_key_that_nobody_has_is_none_of_others() -> None:
    assert foreign_text("adresses", ["addresses"]) is None
    assert not is_foreign_key("adresses")
