"""Rules about router advertisements and link-local addresses."""

import pytest

from vppcfg.config.load import parse_text

ADDRESS = "addresses: [ '2001:db8::1/64' ]"


def rules_in(text: str) -> list[str]:
    return [problem.rule for problem in parse_text(text, "file").to_act_on]


@pytest.mark.parametrize(
    ("entry", "rules"),
    [
        (f"{ADDRESS}, ra: {{}}", []),
        ("ra: {}", ["ra-address"]),
        ("addresses: [ 192.0.2.1/24 ], ra: {}", ["ra-address"]),
        (f"{ADDRESS}, ra: {{interval: 4, min-interval: 3}}", []),
        (f"{ADDRESS}, ra: {{interval: 100, min-interval: 76}}", ["ra-interval"]),
        (f"{ADDRESS}, ra: {{min-interval: 151}}", ["ra-interval"]),
        (f"{ADDRESS}, ra: {{lifetime: 200}}", ["ra-lifetime"]),
        (f"{ADDRESS}, ra: {{lifetime: 201}}", []),
        (f"{ADDRESS}, ra: {{lifetime: 0}}", []),
        (f"{ADDRESS}, ra: {{interval: 1800}}", ["ra-lifetime"]),
        (f"{ADDRESS}, ra: {{prefixes: {{'2001:db8::/64':, '2001:db8:1::/64': {{on-link: false}}}}}}", []),
        (f"{ADDRESS}, ra: {{prefixes: {{'2001:db8::/48':}}}}", ["ra-prefix"]),
        (f"{ADDRESS}, ra: {{prefixes: {{'2001:db8::/48': {{autonomous: false}}}}}}", []),
        (f"{ADDRESS}, ra: {{prefixes: {{'2001:db8::1/64':}}}}", ["ra-prefix"]),
        (f"{ADDRESS}, ra: {{prefixes: {{'fe80::/64':}}}}", ["ra-prefix"]),
        (f"{ADDRESS}, ra: {{prefixes: {{'ff02::/64':}}}}", ["ra-prefix"]),
        (f"{ADDRESS}, ra: {{prefixes: {{192.0.2.0/24: {{}}}}}}", ["ra-prefix"]),
        (f"{ADDRESS}, ra: {{prefixes: {{customers: {{}}}}}}", ["ra-prefix"]),
        (f"{ADDRESS}, ra: {{prefixes: {{'2001:db8::/64':, '2001:DB8::/64':}}}}", ["ra-prefix"]),
        (f"{ADDRESS}, link-local: 'fe80::1'", []),
        (f"{ADDRESS}, link-local: 'febf::1'", []),
        (f"{ADDRESS}, link-local: 'fec0::1'", ["link-local-range"]),
        (f"{ADDRESS}, link-local: 'fe80::'", ["link-local-range"]),
        (f"{ADDRESS}, link-local: 192.0.2.1", ["link-local-range"]),
        (f"{ADDRESS}, link-local: 'fe80::ff:fe00:1'", ["link-local-of-mac"]),
        ("link-local: 'fe80::1'", ["link-local-address"]),
        (f"{ADDRESS}, link-local: 'fe80::1/64'", ["schema-value"]),
        ("addresses: [ '2001:db8::1/64', 'fe80::1/64' ]", ["address-link-local"]),
    ],
)
def test_interfaces(entry: str, rules: list[str]) -> None:
    assert rules_in(f"interfaces: {{a: {{{entry}}}}}") == rules


def test_a_tunnel_without_ethernet_advertises_nothing() -> None:
    tunnel = "gre_tunnels: {gre0: {local: 192.0.2.1, remote: 192.0.2.2}}"
    for key in ("ra: {}", "link-local: 'fe80::1'"):
        assert rules_in(f"interfaces: {{gre0: {{{ADDRESS}, {key}}}}}\n{tunnel}") == ["gre-l3"]


def test_a_hint_names_the_key_for_a_link_local_address() -> None:
    (problem,) = parse_text("interfaces: {a: {addresses: ['fe80::1/64']}}", "file").problems
    assert "`link-local: fe80::1`" in problem.text
