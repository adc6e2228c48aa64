"""Rules about LCPs."""

import pytest

from vppcfg.config.load import parse_text

QINQ = "1000: {encapsulation: {dot1q: 100, inner-dot1q: 10, exact-match: true}, lcp: e0.100.10}"
QINAD = "1000: {encapsulation: {dot1ad: 100, inner-dot1q: 10, exact-match: true}, lcp: e0.100.10}"
ONE_AD = "2000: {encapsulation: {dot1ad: 100, exact-match: true}, lcp: e0.ad}"


def rules_in(port: str, *subs: str) -> list[str]:
    text = f"interfaces: {{eth0: {{{port}sub-interfaces: {{{', '.join(subs)}}}}}}}"
    return [problem.rule for problem in parse_text(text, "test").to_act_on]


@pytest.mark.parametrize(
    ("port", "subs", "expected"),
    [
        ("lcp: e0, ", ["100: {lcp: e0.100}"], []),
        ("", ["100: {lcp: e0.100}"], ["sub-lcp-parent"]),
        ("lcp: e0, ", ["100: {lcp: e0}"], ["lcp-duplicate"]),
        ("lcp: e0, ", ["100: {lcp: x}", "200: {lcp: x}", "300: {lcp: x}"], ["lcp-duplicate", "lcp-duplicate"]),
        ("lcp: e0, ", ["100: {lcp: x, encapsulation: {dot1q: 100}}"], ["lcp-exact-match"]),
        ("lcp: e0, ", ["100: {lcp: e0.100}", QINQ], []),
        ("lcp: e0, ", [QINQ, "100: {lcp: e0.100}"], []),
        ("lcp: e0, ", ["100: {state: up}", QINQ], ["qinx-lcp-parent"]),
        ("lcp: e0, ", ["200: {lcp: e0.200}", QINQ], ["qinx-lcp-parent"]),
        ("lcp: e0, ", [QINQ], ["qinx-lcp-parent"]),
        ("lcp: e0, ", ["100: {lcp: e0.100}", QINAD], ["qinx-lcp-parent"]),
        ("lcp: e0, ", [ONE_AD, QINAD], []),
        ("lcp: e0, ", [ONE_AD, QINQ], ["qinx-lcp-parent"]),
        ("", [QINQ], ["qinx-lcp-parent", "sub-lcp-parent"]),
    ],
)
def test_what_an_lcp_hangs_on(port: str, subs: list[str], expected: list[str]) -> None:
    assert rules_in(port, *subs) == expected


@pytest.mark.parametrize(
    ("outer", "inner", "expected"),
    [
        ("lcp: x, state: down", "lcp: y", ["qinx-up-outer-down"]),
        ("lcp: x, state: down", "lcp: y, state: down", []),
        ("lcp: x", "lcp: y", []),
        ("lcp: x, state: down", "state: up", []),
        ("state: down", "lcp: y", ["qinx-lcp-parent"]),
    ],
)
def test_linux_brings_up_two_tags_on_what_is_up_there(outer: str, inner: str, expected: list[str]) -> None:
    two = f"1000: {{encapsulation: {{dot1q: 100, inner-dot1q: 10, exact-match: true}}, {inner}}}"
    assert rules_in("lcp: e0, ", f"100: {{{outer}}}", two) == expected


def test_a_name_is_unique_over_namespaces() -> None:
    text = "interfaces: {a: {lcp: {name: e0, netns: x}}, b: {lcp: {name: e0, netns: y}}}"
    (problem,) = parse_text(text, "test").problems
    assert (problem.rule, problem.path) == ("lcp-duplicate", ("interfaces", "b", "lcp"))
    assert "a has" in problem.text


@pytest.mark.parametrize("name", ["lo", "all", "default"])
def test_no_device_gets_a_name_that_linux_keeps_for_itself(name: str) -> None:
    tap = "taps: {tap0: {host: {name: NAME, bridge: BRIDGE}}}\ninterfaces: {tap0: }"
    for text, place in (
        (f"interfaces: {{a: {{lcp: {name}}}}}", ("interfaces", "a", "lcp")),
        (f"interfaces: {{a: {{lcp: {{name: {name}, netns: dataplane}}}}}}", ("interfaces", "a", "lcp")),
        (tap.replace("NAME", name).replace("BRIDGE", "br0"), ("taps", "tap0", "host", "name")),
        (tap.replace("NAME", "x").replace("BRIDGE", name), ("taps", "tap0", "host", "bridge")),
    ):
        found = [(problem.rule, problem.path) for problem in parse_text(text, "test").to_act_on]
        assert found == [("linux-name-taken", place)]
        assert parse_text(text.replace(name, f"{name}0"), "test").problems == ()


@pytest.mark.parametrize(
    "flaw", ["100: {lcp: e0.100, mtu: 1}", "100: {lcp: e0.100, encapsulation: {exact-match: true}}"]
)
def test_a_missing_outer_tag_is_not_reported_when_a_sibling_could_not_be_read(flaw: str) -> None:
    assert "qinx-lcp-parent" not in rules_in("lcp: e0, ", flaw, QINQ)


def test_an_unread_parent_is_not_said_to_lack_an_lcp() -> None:
    assert rules_in("lcp: e0, mtu: 1, ", "100: {lcp: e0.100, mtu: 1500}") == ["schema-value"]
