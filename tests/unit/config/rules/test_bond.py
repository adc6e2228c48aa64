"""Rules about bonds."""

import pytest

from vppcfg.config.load import parse_text


def found_in(text: str, members: str = "[a]", more: str = "") -> list[tuple[str, tuple[str | int, ...]]]:
    whole = f"""
interfaces: {{BondEthernet0: {{}}, {text}}}
bondethernets: {{BondEthernet0: {{interfaces: {members}}}}}
loopbacks: {{loop0: {{addresses: [192.0.2.1/32]}}}}
acls: {{x: {{terms: [{{action: deny}}]}}}}
{more}
"""
    return [(problem.rule, problem.path) for problem in parse_text(whole, "test").to_act_on]


MEMBER = ("bondethernets", "BondEthernet0", "interfaces", 0)


@pytest.mark.parametrize(
    ("entry", "rule", "key"),
    [
        ("{lcp: e0}", "bond-member-lcp", "lcp"),
        ("{addresses: [198.51.100.1/24]}", "bond-member-address", "addresses"),
        ("{sub-interfaces: {1: {state: up}}}", "bond-member-subs", "sub-interfaces"),
        ("{mac: '02:00:00:00:00:01'}", "bond-member-mac", "mac"),
        ("{unnumbered: loop0}", "bond-member-mac", "unnumbered"),
        ("{mpls: true}", "bond-member-mac", "mpls"),
        ("{urpf: {ipv4: loose}}", "bond-member-mac", "urpf"),
        ("{mss-clamp: {ipv4: 1360}}", "bond-member-mac", "mss-clamp"),
        ("{ra: {}}", "bond-member-mac", "ra"),
        ("{link-local: 'fe80::1'}", "bond-member-mac", "link-local"),
        ("{acls: {input: x}}", "bond-member-mac", "acls"),
    ],
)
def test_a_member_has_nothing_of_its_own(entry: str, rule: str, key: str) -> None:
    assert found_in(f"a: {entry}") == [(rule, ("interfaces", "a", key))]


def test_members_have_the_mtu_of_the_bond() -> None:
    assert found_in("a: {mtu: 9000}") == [("bond-member-mtu", MEMBER)]


@pytest.mark.parametrize(
    ("text", "members", "rule"),
    [
        ("b: {}", "[a]", "bond-member-missing"),
        ("b: {sub-interfaces: {1: {state: up}}}", "[b.1]", "bond-member-is-bond"),
        ("b: {}", "[loop0]", "bond-member-is-bond"),
        ("b: {}", "[BondEthernet0]", "bond-member-is-bond"),
        ("a: {l2xc: b}, b: {}", "[a]", "bond-member-l2"),
        ("a: {}, b: {l2xc: a}", "[a]", "bond-member-l2"),
    ],
)
def test_a_member_is_a_port_that_does_nothing_else(text: str, members: str, rule: str) -> None:
    assert found_in(text, members) == [(rule, MEMBER)]


def test_a_member_is_in_no_bridge() -> None:
    assert found_in("a: {}", more="bridgedomains: {bd1: {interfaces: [a]}}") == [("bond-member-l2", MEMBER)]


def test_a_tap_may_be_a_member() -> None:
    assert found_in("tap0: {}", "[tap0]", "taps: {tap0: {host: {name: x}}}") == []


@pytest.mark.parametrize("flaw", ["mtu: x", "nonsense: 1", "state: UP"])
def test_a_member_with_a_problem_of_its_own_is_judged_by_what_does_not_depend_on_it(flaw: str) -> None:
    rules = [rule for rule, _ in found_in(f"a: {{{flaw}, lcp: e0}}")]
    assert [rule for rule in rules if not rule.startswith("schema-")] == ["bond-member-lcp"]


def test_a_bond_needs_an_entry_among_the_interfaces() -> None:
    (problem,) = parse_text("bondethernets: {BondEthernet0: {}}", "test").problems
    assert (problem.rule, problem.path) == ("bond-no-interface", ("bondethernets", "BondEthernet0"))


def test_nothing_is_missing_from_a_section_that_could_not_be_read() -> None:
    problems = parse_text("interfaces: 5\nbondethernets: {BondEthernet0: {interfaces: [a]}}", "test").problems
    assert [problem.rule for problem in problems] == ["schema-type"]


@pytest.mark.parametrize("mode", ["round-robin", "active-backup", "broadcast"])
def test_only_two_modes_have_a_load_balance(mode: str) -> None:
    text = f"interfaces: {{BondEthernet0: {{}}}}\nbondethernets: {{BondEthernet0: {{mode: {mode}, load-balance: l2}}}}"
    (problem,) = parse_text(text, "test").problems
    assert (problem.rule, problem.path) == ("bond-lb-mode", ("bondethernets", "BondEthernet0", "load-balance"))


@pytest.mark.parametrize(
    ("entry", "rules"),
    [
        ("interfaces: [eth0], lacp-passive: [eth0], lacp-long-timeout: [eth0], numa-only: true", []),
        ("interfaces: [eth0], mode: active-backup, weights: {eth0: 7}", []),
        ("interfaces: [eth0], mode: xor, lacp-passive: [], numa-only: false", []),
        ("interfaces: [eth0], mode: xor, lacp-passive: [eth0]", ["bond-option-mode"]),
        ("interfaces: [eth0], mode: active-backup, lacp-long-timeout: [eth0]", ["bond-option-mode"]),
        ("interfaces: [eth0], mode: round-robin, numa-only: true", ["bond-option-mode"]),
        ("interfaces: [eth0], weights: {eth0: 7}", ["bond-option-mode"]),
        ("interfaces: [eth0], lacp-passive: [eth1, eth0]", ["bond-option-member"]),
        ("interfaces: [eth0], mode: active-backup, weights: {eth1: 7}", ["bond-option-member"]),
    ],
)
def test_the_options_of_members_fit_the_mode_and_name_members(entry: str, rules: list[str]) -> None:
    text = f"interfaces: {{BondEthernet0: {{}}, eth0: {{}}, eth1: {{}}}}\nbondethernets: {{BondEthernet0: {{{entry}}}}}"
    assert sorted(problem.rule for problem in parse_text(text, "test").problems) == rules
