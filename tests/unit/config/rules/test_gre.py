"""Rules about GRE tunnels."""

import pytest

from vppcfg.config.load import parse_text

ENDS = "local: 192.0.2.1, remote: 192.0.2.2"


def found_in(*tunnels: str, interfaces: str = "", more: str = "") -> list[tuple[str, tuple[str | int, ...]]]:
    """Return the rule and the path of each problem with tunnels gre0, gre1 and so on; all of them have an interface."""
    names = [f"gre{number}" for number in range(len(tunnels))]
    entries = ", ".join(f"{name}: {{{ENDS}{tunnel}}}" for name, tunnel in zip(names, tunnels, strict=True))
    plain = "".join(f"{name}: {{}}, " for name in names if f"{name}: " not in interfaces)
    text = f"interfaces: {{{plain}{interfaces}}}\ngre_tunnels: {{{entries}}}\n{more}"
    found = parse_text(text, "test").to_act_on
    return [(each.rule, each.path) for each in found if not each.rule.endswith("-local-missing")]


@pytest.mark.parametrize(
    ("first", "second", "is_alike"),
    [
        ("", "", True),
        ("", ", mode: l3", True),
        (", key: 1", ", key: 1", True),
        ("", ", key: 1", False),
        ("", ", mode: teb", False),
        (", mode: erspan, session: 1", ", mode: erspan, session: 2", False),
        (", mode: erspan, session: 1", ", mode: erspan, session: 1", True),
    ],
)
def test_no_two_tunnels_are_alike(first: str, second: str, is_alike: bool) -> None:
    assert found_in(first, second) == ([("gre-duplicate", ("gre_tunnels", "gre1"))] if is_alike else [])


@pytest.mark.parametrize(
    ("ends", "advice"),
    [
        ("", "add its `remote`, or `multipoint: true`"),
        (", remote: 192.0.2.2, multipoint: true", "remove `remote` or `multipoint`"),
    ],
)
def test_a_tunnel_leads_to_one_router_or_to_many(ends: str, advice: str) -> None:
    text = f"interfaces: {{gre0: {{}}}}\ngre_tunnels: {{gre0: {{local: 192.0.2.1{ends}}}}}"
    assert [each.text.partition("; ")[2] for each in parse_text(text, "test").to_act_on] == [advice]


ROUTED, FRAMES = "addresses: [10.0.0.1/30]", ", mode: teb"


@pytest.mark.parametrize(
    ("keys", "path"),
    [
        ("gso: true", ("gso",)),
        ("acls: {output: a}", ("acls", "output")),
        ("urpf: {ipv4: loose, ipv4-output: loose}", ("urpf", "ipv4-output")),
        ("urpf: {ipv6-output: strict}", ("urpf", "ipv6-output")),
        ("mss-clamp: {ipv4: 1300}", ("mss-clamp", "ipv4")),
        ("mss-clamp: {ipv6: {mss: 1300, direction: output}}", ("mss-clamp", "ipv6")),
        ("ipfix: {variant: ip4, direction: output}", ("ipfix",)),
    ],
)
def test_a_feature_on_the_way_out_loses_what_is_routed_into_a_tunnel_with_frames(
    keys: str, path: tuple[str, ...]
) -> None:
    more = "acls: {a: {terms: [{action: permit}]}}\nipfix: {collector: 192.0.2.9, source: 192.0.2.1, records: [l3]}\n"
    found = [("gre-teb-output", ("interfaces", "gre0", *path))]
    assert found_in(FRAMES, interfaces=f"gre0: {{{keys}, {ROUTED}}}", more=more) == found
    assert found_in("", interfaces=f"gre0: {{{keys}, {ROUTED}}}", more=more) == []
    assert found_in(FRAMES, interfaces=f"gre0: {{{keys}}}", more=more) == []


def test_features_on_the_way_in_lose_nothing_in_a_tunnel_with_frames() -> None:
    keys = "urpf: {ipv4: loose}, mss-clamp: {ipv4: {mss: 1300, direction: input}}, acls: {input: a}"
    more = "acls: {a: {terms: [{action: permit}]}}\n"
    assert found_in(FRAMES, interfaces=f"gre0: {{{keys}, {ROUTED}}}", more=more) == []
