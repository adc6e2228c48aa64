"""Rules about bridge domains."""

import pytest

from vppcfg.config.load import parse_text
from vppcfg.model.problem import Severity

MAC = "mac: '02:00:00:00:00:01'"


def found_in(interfaces: str, bridges: str, loopbacks: str = "") -> list[tuple[str, tuple[str | int, ...]]]:
    text = f"interfaces: {{{interfaces}}}\nbridgedomains: {{{bridges}}}\nloopbacks: {{{loopbacks}}}"
    return [(problem.rule, problem.path) for problem in parse_text(text, "test").to_act_on]


@pytest.mark.parametrize(
    ("interfaces", "bridges", "loopbacks"),
    [
        ("a: {}, b: {mpls: false}", "bd1: {interfaces: [a, b]}", ""),
        ("a: {mtu: 9000}", "bd1: {interfaces: [a], mtu: 9000}", ""),
        ("a: {sub-interfaces: {1: {encapsulation: {dot1q: 1}}, 2: {state: up}}}", "bd1: {interfaces: [a.1, a.2]}", ""),
        ("a: {sub-interfaces: {1: {state: up}}}", "bd1: {interfaces: [a]}, bd2: {interfaces: [a.1]}", ""),
        ("a: {}", "bd1: {interfaces: [a], bvi: loop0}", f"loop0: {{{MAC}, addresses: [192.0.2.1/24], lcp: x}}"),
        ("a: {acls: {}}", "bd1: {}, bd2: null", ""),
    ],
)
def test_a_sound_bridge(interfaces: str, bridges: str, loopbacks: str) -> None:
    assert found_in(interfaces, bridges, loopbacks) == []


@pytest.mark.parametrize(
    ("interfaces", "bridges", "rule", "path"),
    [
        ("b: {}", "bd1: {interfaces: [a]}", "bd-member-missing", ("bridgedomains", "bd1", "interfaces", 0)),
        ("a: {}", "bd1: {interfaces: [a.1]}", "bd-member-missing", ("bridgedomains", "bd1", "interfaces", 0)),
        ("a: {}", "bd1: {interfaces: [a, a]}", "bd-member-shared", ("bridgedomains", "bd1", "interfaces", 1)),
        (
            "a: {}",
            "bd1: {interfaces: [a]}, bd2: {mtu: 9000, interfaces: [a]}",
            "bd-member-shared",
            ("bridgedomains", "bd2", "interfaces", 0),
        ),
        ("a: {mtu: 9000}", "bd1: {interfaces: [a]}", "bd-member-mtu", ("bridgedomains", "bd1", "interfaces", 0)),
        ("a: {lcp: e0}", "bd1: {interfaces: [a]}", "bd-member-lcp", ("interfaces", "a", "lcp")),
        (
            "a: {addresses: [192.0.2.1/24]}",
            "bd1: {interfaces: [a]}",
            "bd-member-address",
            ("interfaces", "a", "addresses"),
        ),
        ("a: {mpls: true}", "bd1: {interfaces: [a]}", "l2-mpls", ("interfaces", "a", "mpls")),
        ("a: {urpf: {ipv4: loose}}", "bd1: {interfaces: [a]}", "l2-routing", ("interfaces", "a", "urpf")),
        ("a: {mss-clamp: {ipv4: 1}}", "bd1: {interfaces: [a]}", "l2-routing", ("interfaces", "a", "mss-clamp")),
        ("a: {ra: {}}", "bd1: {interfaces: [a]}", "l2-routing", ("interfaces", "a", "ra")),
        ("a: {link-local: 'fe80::1'}", "bd1: {interfaces: [a]}", "l2-routing", ("interfaces", "a", "link-local")),
        ("a: {unnumbered: b}, b: {}", "bd1: {interfaces: [a]}", "l2-unnumbered", ("interfaces", "a", "unnumbered")),
        ("a: {l2xc: b}, b: {}", "bd1: {interfaces: [a]}", "l2xc-source-in-bridge", ("interfaces", "a", "l2xc")),
        ("a: {l2xc: b}, b: {}", "bd1: {interfaces: [b]}", "l2xc-in-bridge", ("interfaces", "a", "l2xc")),
        ("a: {}", "bd1: {bvi: a}", "bvi-missing", ("bridgedomains", "bd1", "bvi")),
        ("a: {}", "bd1: {bvi: loop1}", "bvi-missing", ("bridgedomains", "bd1", "bvi")),
    ],
)
def test_a_bridge_that_cannot_be(interfaces: str, bridges: str, rule: str, path: tuple[str | int, ...]) -> None:
    assert found_in(interfaces, bridges, f"loop0: {{{MAC}}}") == [(rule, path)]


@pytest.mark.parametrize("flaw", ["mtu: x", "nonsense: 1", "state: UP"])
def test_a_member_with_a_problem_of_its_own_is_judged_by_what_does_not_depend_on_it(flaw: str) -> None:
    rules = [rule for rule, _ in found_in(f"a: {{{flaw}, lcp: e0}}", "bd1: {interfaces: [a]}")]
    assert [rule for rule in rules if not rule.startswith("schema-")] == ["bd-member-lcp"]


def test_a_tap_or_a_tunnel_may_be_a_member_without_an_entry_of_its_own() -> None:
    text = """
bridgedomains: {bd1: {interfaces: [tap0, vxlan_tunnel0]}}
taps: {tap0: {host: {name: x}}}
vxlan_tunnels: {vxlan_tunnel0: {local: 192.0.2.1, remote: 192.0.2.2, vni: 1}}
"""
    loaded = parse_text(text, "test")
    assert {problem.severity for problem in loaded.problems} == {Severity.WARNING}
    assert loaded.configuration is not None


@pytest.mark.parametrize(
    ("member", "bvi", "rules"),
    [(2000, 2000, []), (2000, 1400, []), (1500, 2000, ["bd-member-mtu"]), (2000, 9000, ["bvi-mtu"])],
)
def test_a_member_and_a_bvi_may_have_an_mtu_of_their_own(member: int, bvi: int, rules: list[str]) -> None:
    text = f"""
interfaces: {{ a: {{ mtu: {member} }} }}
loopbacks: {{ bvi7: {{ mac: "02:00:00:00:00:07", mtu: {bvi} }} }}
bridgedomains: {{ bd1: {{ mtu: 2000, bvi: bvi7, interfaces: [ a ] }} }}
"""
    loaded = parse_text(text, "test")
    assert [(problem.rule, problem.severity) for problem in loaded.problems] == [(r, Severity.WARNING) for r in rules]
    assert loaded.configuration is not None
