"""Rules about an interface by itself."""

from __future__ import annotations

import pytest

from vppcfg.config import parse_text


def rules_in(text: str) -> list[str]:
    return sorted(problem.rule for problem in parse_text(text, "test").problems)


@pytest.mark.parametrize("name", ["BondEthernet0", "BondEthernet12", "vxlan_tunnel3", "tap0", "loop16383"])
def test_what_vpp_makes_has_no_driver(name: str) -> None:
    assert rules_in(f"interfaces: {{{name}: {{device-type: dpdk}}}}") == ["device-type-not-phy"]


@pytest.mark.parametrize("name", ["eth0", "tap0a", "xtap0", "tap", "loop1a", "BondEthernet", "host-tap0", "bond0"])
def test_names_are_matched_as_a_whole(name: str) -> None:
    assert rules_in(f"interfaces: {{{name}: {{device-type: dpdk}}}}") == []


def test_a_cross_connected_interface_has_neither_lcp_nor_addresses() -> None:
    text = "interfaces: {a: {l2xc: b, lcp: e0, addresses: [192.0.2.1/24]}, b: {l2xc: a}}"
    assert rules_in(text) == ["l2-address", "l2-lcp"]


def test_that_holds_for_sub_interfaces_too() -> None:
    text = """
interfaces:
  a:
    lcp: e0
    sub-interfaces:
      1: {l2xc: b.1, lcp: e0.1, addresses: [192.0.2.1/24]}
  b:
    sub-interfaces:
      1: {l2xc: a.1}
"""
    assert rules_in(text) == ["l2-address", "l2-lcp"]
