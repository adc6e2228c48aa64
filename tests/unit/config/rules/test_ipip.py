"""Rules about IPIP tunnels."""

import pytest

from vppcfg.config.load import parse_text


def found_in(*tunnels: str, interfaces: str = "", more: str = "") -> list[tuple[str, tuple[str | int, ...]]]:
    """Return the rule and the path of each problem with tunnels ipip0, ipip1 and so on; all have an interface."""
    names = [f"ipip{number}" for number in range(len(tunnels))]
    entries = ", ".join(f"{name}: {{{tunnel}}}" for name, tunnel in zip(names, tunnels, strict=True))
    plain = "".join(f"{name}: {{}}, " for name in names if f"{name}: " not in interfaces)
    text = f"interfaces: {{{plain}{interfaces}}}\nipip_tunnels: {{{entries}}}\n{more}"
    found = parse_text(text, "test").to_act_on
    return [(each.rule, each.path) for each in found if not each.rule.endswith("-local-missing")]


ENDS = "local: 192.0.2.1, remote: 192.0.2.2"


@pytest.mark.parametrize(
    ("words", "key"),
    [
        ("dscp: ef, flags: [encap-copy-dscp]", "dscp"),
        ("dscp: 1, flags: [encap-copy-ecn, encap-copy-dscp]", "dscp"),
        ("flags: [encap-set-df, encap-copy-df]", "flags"),
        ("dscp: 0, flags: [encap-copy-dscp]", None),
        ("dscp: ef, flags: [encap-set-df, decap-copy-ecn]", None),
    ],
)
def test_flags_that_make_nothing_of_each_other_are_refused(words: str, key: str | None) -> None:
    expected = [] if key is None else [("ipip-flags", ("ipip_tunnels", "ipip0", key))]
    assert found_in(f"{ENDS}, {words}") == expected


@pytest.mark.parametrize(
    ("interfaces", "more", "path"),
    [
        ("ipip0: {mac: '02:00:00:00:00:01'}", "", ("interfaces", "ipip0", "mac")),
        ("ipip0: {dhcp-client: true}", "", ("interfaces", "ipip0", "dhcp-client")),
        ("ipip0: {addresses: [10.0.0.1/30], vrrp: {7: {addresses: [10.0.0.2]}}}", "", ("interfaces", "ipip0", "vrrp")),
        ("eth0: {}, ipip0: {l2xc: eth0}", "", ("interfaces", "ipip0", "l2xc")),
        ("eth0: {l2xc: ipip0}", "", ("interfaces", "eth0", "l2xc")),
        ("ipip0: {sub-interfaces: {10: {mtu: 1400}}}", "", ("interfaces", "ipip0", "sub-interfaces", 10)),
        ("eth0: {}", "bridgedomains: {bd1: {interfaces: [eth0, ipip0]}}", ("bridgedomains", "bd1", "interfaces", 1)),
    ],
)
def test_what_needs_ethernet_is_refused(interfaces: str, more: str, path: tuple[str | int, ...]) -> None:
    assert found_in(ENDS, interfaces=interfaces, more=more) == [("ipip-l3", path)]
