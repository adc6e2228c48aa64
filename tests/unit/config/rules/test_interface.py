"""Rules about an interface by itself."""

import pytest

from vppcfg.config.load import parse_text
from vppcfg.model.problem import Severity


def rules_in(text: str) -> list[str]:
    return sorted(problem.rule for problem in parse_text(text, "test").problems)


SECTIONS = """
bondethernets: {BondEthernet0: {}, BondEthernet12: {}}
vxlan_tunnels: {vxlan_tunnel3: {local: 192.0.2.1, remote: 192.0.2.2, vni: 1}}
taps: {tap0: {host: {name: x}}}
"""


@pytest.mark.parametrize("name", ["BondEthernet0", "BondEthernet12", "vxlan_tunnel3", "tap0"])
def test_what_vpp_makes_has_no_driver(name: str) -> None:
    others = {"BondEthernet0", "BondEthernet12", "vxlan_tunnel3", "tap0"} - {name}
    entries = ", ".join(f"{other}: {{}}" for other in sorted(others))
    assert rules_in(f"interfaces: {{{name}: {{device-type: dpdk}}, {entries}}}{SECTIONS}") == ["device-type-not-phy"]


@pytest.mark.parametrize(
    ("name", "rule"),
    [("BondEthernet1", "bond-undefined"), ("vxlan_tunnel0", "vxlan-undefined"), ("tap1024", "tap-undefined")],
)
def test_what_vpp_makes_is_in_its_section(name: str, rule: str) -> None:
    assert rules_in(f"interfaces: {{{name}: {{}}}}") == [rule]


def test_sflow_is_for_ports() -> None:
    bond = "interfaces: {a: {sflow: true}, BondEthernet0: {sflow: true}}\nbondethernets: {BondEthernet0: {}}"
    assert rules_in(bond) == ["sflow-not-phy"]


def test_descriptions_that_a_tag_cannot_hold_are_told_once_as_a_warning() -> None:
    text = """
interfaces:
  eth0: { description: short and plain }
  eth1: { description: 'circuit #12' }
bridgedomains: { bd7: { description: 'a {b}' } }
taps: { tap0: { host: { name: x }, description: "%s" } }
"""
    loaded = parse_text(text % ("x" * 57), "test")
    (problem,) = [problem for problem in loaded.problems if problem.rule == "description-altered"]
    assert loaded.configuration is not None
    assert (problem.path, problem.severity) == (("interfaces", "eth1", "description"), Severity.NOTICE)
    assert "of eth1 as `circuit _12`, and 2 more in part; file and journal keep the whole text" in problem.text
