"""Rules about access lists with state, and about what lists drop that a router needs."""

import pytest

from tests.unit.config.rules.test_unreached import acls, found_in
from vppcfg.model.problem import Severity

REFLECT, ICMP, TCP = "{action: permit+reflect}", "{action: permit, protocol: icmp}", "{action: permit, protocol: tcp}"
NEW = "{action: permit+reflect, protocol: tcp, destination-port: 443}"


def port(keys: str, **lists: str) -> str:
    return f"interfaces: {{eth0: {{{keys}}}}}\n" + acls(**lists)


@pytest.mark.parametrize(
    ("applied", "terms", "severity"),
    [
        ("output: a", REFLECT, Severity.WARNING),
        ("input: a", REFLECT, Severity.WARNING),
        ("input: a", NEW, Severity.NOTICE),
        ("input: a", f"{{action: deny, source: 10.0.0.0/8}}, {REFLECT}", Severity.NOTICE),
        ("input: b, output: a", REFLECT, None),
        ("input: a", TCP, None),
    ],
)
def test_reflection_needs_a_list_for_the_answers(applied: str, terms: str, severity: Severity | None) -> None:
    text = port(f"acls: {{{applied}}}", a=terms, b=ICMP)
    found = {each for each in Severity if "acl-reflect-alone" in {rule for rule, _ in found_in(text, each)}}
    assert found == ({severity} if severity else set())


def test_other_programs_may_have_the_list_for_the_answers() -> None:
    text = port("acls: {output: a}", a=REFLECT) + "unmanaged: ['acl:flowspec-*']\n"
    assert "acl-reflect-alone" not in {rule for rule, _ in found_in(text)}


V6, V4 = "addresses: ['2001:db8::1/64']", "addresses: [192.0.2.1/24]"
ND = "{action: permit, family: ipv6, protocol: icmp, icmp-type: %s}"


@pytest.mark.parametrize(
    ("keys", "terms", "direction"),
    [
        (V6, TCP, "input"),
        (V6, TCP, "output"),
        (V6, ND % 136, "output"),
        (V6, ND % 8, "input"),
        (V6, f"{{action: deny, family: ipv6}}, {ICMP}", "input"),
        (V6, "{action: permit, family: ipv4}", "input"),
    ],
)
def test_lists_that_drop_neighbour_discovery(keys: str, terms: str, direction: str) -> None:
    text = port(f"{keys}, acls: {{{direction}: a}}", a=terms)
    assert ("acl-neighbors", ("interfaces", "eth0", "acls", direction)) in found_in(text)


@pytest.mark.parametrize(
    ("keys", "terms"),
    [
        (f"{V6}, acls: {{input: a}}", ND % 136),
        (f"{V6}, acls: {{output: a}}", ND % "135-136"),
        (f"{V6}, acls: {{input: [b, a]}}", TCP),
        (f"{V6}, acls: {{input: a}}", "{action: permit, source: 'fe80::/10'}"),
        (f"{V6}, acls: {{input: a}}", f"{{action: deny, source: '2001:db8:1::/48'}}, {ICMP}"),
        (f"{V4}, acls: {{input: a}}", TCP),
        ("addresses: ['2001:db8::1/128'], acls: {input: a}", TCP),
        (f"{V6}, neighbors: {{'2001:db8::2': '02:00:00:00:00:02'}}, acls: {{input: a}}", TCP),
    ],
)
def test_lists_that_let_it_pass_or_need_not(keys: str, terms: str) -> None:
    assert "acl-neighbors" not in {rule for rule, _ in found_in(port(keys, a=terms, b=ICMP))}


@pytest.mark.parametrize(
    ("section", "more", "is_found"),
    [
        ("interfaces: {ipip0", "ipip_tunnels: {ipip0: {local: 192.0.2.1, remote: 192.0.2.2}}\n", False),
        ("loopbacks: {loop0", "", False),
        ("loopbacks: {loop0", "bridgedomains: {bd1: {bvi: loop0}}\n", True),
    ],
)
def test_neighbours_are_where_ethernet_leads_somewhere(section: str, more: str, *, is_found: bool) -> None:
    text = f"{more}{section}: {{{V6}, acls: {{input: a}}}}}}\n" + acls(a=TCP)
    assert ("acl-neighbors" in {rule for rule, _ in found_in(text)}) == is_found


@pytest.mark.parametrize(
    ("side", "destination", "is_found"),
    [
        ("outside", "192.168.1.20", True),
        ("output", "192.168.0.0/16", True),
        ("inside", "192.168.1.20", False),
        ("outside", "203.0.113.1", False),
        ("outside", "192.168.1.21", False),
        ("outside", "any", False),
    ],
)
def test_a_term_before_nat44_with_an_address_behind_it(side: str, destination: str, *, is_found: bool) -> None:
    nat44 = "nat44: {static: {web: {local: 192.168.1.20, external: 203.0.113.1}}}\n"
    term = f"{{action: permit, family: ipv4, destination: {destination}}}"
    found = found_in(nat44 + port(f"nat44: {side}, acls: {{input: a}}", a=f"{TCP}, {term}"))
    assert (("acl-inside-address", ("acls", "a", "terms", 1)) in found) == is_found
