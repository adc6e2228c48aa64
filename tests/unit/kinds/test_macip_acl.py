"""In which order VPP asks the terms of a MACIP ACL, and how many there may be."""

import random
from collections import Counter
from collections.abc import Sequence
from ipaddress import ip_network

import pytest

from vppcfg.common.bounds import ALL_MACIP_SHAPES_MOST, MACIP_RULES_MOST, MACIP_RULES_PER_SHAPE, MACIP_SHAPES_MOST
from vppcfg.config.load import parse_text
from vppcfg.kinds import macip_acl_section as section
from vppcfg.kinds.macip_acl import overruled
from vppcfg.model.acl import ANY_MAC, ONE_MAC, MacipAction, MacipRule, canonical_macip_rule

SOURCES = ("192.0.2.5/32", "192.0.2.0/24", "192.0.0.0/16", "0.0.0.0/0", "2001:db8::/32", "::/0")
MACS = ("02:00:00:00:00:01", "02:00:00:00:00:02", "06:00:00:00:00:01")
MASKS = (ONE_MAC, "ff:ff:ff:00:00:00", "ff:00:00:00:00:00", ANY_MAC)


def number(mac: str) -> int:
    return int(mac.replace(":", ""), 16)


def meet(one: MacipRule, other: MacipRule) -> bool:
    """Return whether some packet matches both."""
    a, b = ip_network(one.source), ip_network(other.source)
    mask = number(one.mac_mask) & number(other.mac_mask)
    return a.version == b.version and a.overlaps(b) and number(one.mac) & mask == number(other.mac) & mask


def is_overruled(rules: Sequence[MacipRule]) -> bool:
    """Return the same as `overruled` by looking at every two rules."""
    masks = [(rule.source.partition("/")[2], ":" in rule.source, rule.mac_mask) for rule in rules]
    counts = Counter(masks)
    weights = [int(mask[0]) + number(mask[2]).bit_count() + mask[1] + 10 * counts[mask] for mask in masks]
    return any(
        rules[i].action is not rules[j].action and meet(rules[i], rules[j]) and weights[j] >= weights[i]
        for j in range(len(rules))
        for i in range(j)
    )


def test_rules_that_are_asked_in_another_order_are_found() -> None:
    dice, found = random.Random(1), Counter[bool]()
    for _ in range(2_000):
        rules = [
            canonical_macip_rule(
                MacipRule(
                    action=dice.choice((MacipAction.PERMIT, MacipAction.DENY)),
                    source=dice.choice(SOURCES),
                    mac=dice.choice(MACS),
                    mac_mask=dice.choice(MASKS),
                )
            )
            for _ in range(dice.randrange(5))
        ]
        pair = overruled(rules)
        assert (pair is not None) is is_overruled(rules)
        found[pair is not None] += 1
        if pair is not None:
            earlier, later = pair
            assert earlier < later
            assert meet(rules[earlier], rules[later])
            assert rules[earlier].action is not rules[later].action
    assert min(found.values()) > 300


@pytest.mark.parametrize(
    ("members", "rules"),
    [
        ("192.0.2.1, 192.0.2.2, 192.0.2.3", []),
        ("192.0.2.1, 192.0.2.2, 192.0.2.3, 192.0.2.4", ["macip-rules-most"]),
        ("192.0.2.0/24, 192.0.2.1", []),
        ("192.0.2.0/24, 192.0.2.1, '::/0'", ["macip-shapes-most"]),
    ],
)
def test_there_are_only_so_many(members: str, rules: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert (MACIP_RULES_MOST, MACIP_SHAPES_MOST) == (20_000, 64)
    monkeypatch.setattr(section, "MACIP_RULES_MOST", 3)
    monkeypatch.setattr(section, "MACIP_SHAPES_MOST", 2)
    text = (
        f"prefixlists: {{p: {{members: [{members}]}}}}\nmacip_acls: {{a: {{terms: [{{action: permit, source: p}}]}}}}"
    )
    assert [problem.rule for problem in parse_text(text, "file").to_act_on] == rules


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        (["p", "192.0.2.9", "192.0.2.8/31"], []),
        (["p", "q"], []),
        (["r"], ["3 rules have the same prefix length and MAC mask; 2 are possible"]),
        (["p", "192.0.2.9", "192.0.2.8/31", "::/0"], ["with this one the MACIP ACLs have 4 combinations"]),
    ],
)
def test_no_more_are_given_to_a_classifier_and_to_vpp_than_have_room(
    sources: list[str], said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (MACIP_RULES_PER_SHAPE, ALL_MACIP_SHAPES_MOST) == (1_000, 1_000)
    monkeypatch.setattr(section, "MACIP_RULES_PER_SHAPE", 2)
    monkeypatch.setattr(section, "ALL_MACIP_SHAPES_MOST", 3)
    prefixes = "p: {members: [192.0.2.1, 192.0.2.2]}, q: {members: [192.0.2.3, 192.0.2.4]}"
    lists = [f"list{n}: {{terms: [{{action: permit, source: '{source}'}}]}}" for n, source in enumerate(sources)]
    members = "r: {members: [192.0.2.1, 192.0.2.2, 192.0.2.3]}"
    text = f"prefixlists: {{{prefixes}, {members}}}\nmacip_acls: {{{', '.join(lists)}}}"
    problems = parse_text(text, "file").to_act_on
    assert len(problems) == len(said)
    assert all(words in problem.text for words, problem in zip(said, problems, strict=True))
