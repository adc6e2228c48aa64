"""Rules about static neighbours."""

import pytest

from vppcfg.config.load import parse_text

MAC = '"02:00:5e:00:53:05"'


@pytest.mark.parametrize(
    ("entries", "rules"),
    [
        (f"192.0.2.5: {MAC}, '2001:db8::5': {MAC}, 'fe80::5': {MAC}", []),
        (f"192.0.2.0/24: {MAC}", ["neighbor-address"]),
        (f"5: {MAC}", ["neighbor-address"]),
        (f"224.0.0.5: {MAC}", ["neighbor-address"]),
        (f"0.0.0.0: {MAC}", ["neighbor-address"]),
        (f"192.0.2.1: {MAC}", ["neighbor-own"]),
        ('192.0.2.5: "01:00:5e:00:53:05"', ["neighbor-mac"]),
        ('192.0.2.5: "00:00:00:00:00:00"', ["neighbor-mac"]),
        (f"'2001:db8::5': {MAC}, '2001:DB8::5': {MAC}", ["neighbor-duplicate"]),
    ],
)
def test_a_neighbour_is_one_other_host(entries: str, rules: list[str]) -> None:
    text = f"interfaces: {{eth0: {{addresses: [192.0.2.1/24], neighbors: {{{entries}}}}}}}"
    assert sorted(problem.rule for problem in parse_text(text, "test").problems) == rules


def test_a_switch_a_member_and_a_tunnel_without_ethernet_have_none() -> None:
    there = f"neighbors: {{192.0.2.5: {MAC}}}"
    bond = "bondethernets: {BondEthernet0: {interfaces: [eth0]}}"
    bridge = "bridgedomains: {bd1: {interfaces: [eth0, eth1]}}"
    gre = "gre_tunnels: {gre0: {local: 192.0.2.1, remote: 192.0.2.2}}"
    texts = {
        f"interfaces: {{eth0: {{l2xc: eth1, {there}}}, eth1: {{}}}}": "neighbor-l2",
        f"interfaces: {{eth0: {{{there}}}, eth1: {{}}}}\n{bridge}": "neighbor-l2",
        f"interfaces: {{BondEthernet0: {{}}, eth0: {{{there}}}}}\n{bond}": "bond-member-mac",
        f"interfaces: {{gre0: {{{there}}}}}\n{gre}": "gre-l3",
    }
    for text, rule in texts.items():
        assert [problem.rule for problem in parse_text(text, "test").to_act_on] == [rule]
