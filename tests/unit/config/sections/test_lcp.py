"""The key `lcp`: what Linux has already of the name that a pair is to get, and what its device is to have."""

from dataclasses import replace

import pytest

from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.tunnel import Ipip

FILE = """
interfaces:
  eth0: { lcp: e0, sub-interfaces: { 100: { lcp: e0.100 } } }
  eth1: { lcp: { name: e1, netns: blue } }
"""


WITHOUT_ETHERNET = """
interfaces: { ipip0: { mtu: 9000, lcp: t0 } }
ipip_tunnels: { ipip0: { local: 192.0.2.1, remote: 192.0.2.2 } }
"""


def test_the_device_of_an_interface_for_which_vpp_has_no_mtu_gets_what_vpp_takes_in_its_place() -> None:
    configuration = parse_text(WITHOUT_ETHERNET, "file").configuration
    assert configuration is not None
    state = assumed_state(configuration)
    tunnel = Interface(name="ipip0", kind=InterfaceKind.IPIP, tag="vppcfg")
    virtual = {"ipip0": Ipip(local="192.0.2.1", remote="192.0.2.2")}
    facts = replace(state.facts, has_linux=True)
    there = replace(state, interfaces={"ipip0": tunnel}, virtual=virtual, facts=facts)
    desired = resolve(configuration, there).desired
    assert (desired.interfaces["ipip0"].packet_mtu, desired.linux["ipip0"].mtu) == (0, 9000)


@pytest.mark.parametrize(
    ("others", "found"),
    [
        ({("", "lo"), ("blue", "e0"), ("", "e1"), ("", "e0.100")}, []),
        ({("", "e0")}, [("interfaces", "eth0", "lcp")]),
        ({("blue", "e1")}, [("interfaces", "eth1", "lcp")]),
    ],
)
def test_a_device_that_is_not_vpps_has_the_name_of_a_pair(others: set[tuple[str, str]], found: list[object]) -> None:
    configuration = parse_text(FILE, "file").configuration
    assert configuration is not None
    state = assumed_state(configuration)
    there = replace(state, facts=replace(state.facts, linux_others=frozenset(others)))
    problems = resolve(configuration, there).problems
    assert [each.path for each in problems if each.rule == "lcp-device-exists"] == found
