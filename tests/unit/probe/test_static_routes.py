"""What a file says becomes of frames that static routes have."""

from __future__ import annotations

from dataclasses import replace

import pytest

from vppcfg.config.load import parse_text
from vppcfg.config.placeholders import assumed_state
from vppcfg.config.resolve import resolve
from vppcfg.probe.network import Network, NextStep
from vppcfg.probe.outcome import UndecidedError
from vppcfg.probe.test_cases import probes_for
from vppcfg.record import evolve

TEXT = """\
interfaces:
  eth0: { mtu: 1500, addresses: [ 192.0.2.1/24 ] }
  eth1: { mtu: 1500, addresses: [ 198.51.100.1/24 ] }
  eth2: { mtu: 1500, state: down, addresses: [ 203.0.113.1/24 ] }
vrfs:
  red: { id: 10, routes: { 10.6.0.0/16: { via: { gateway: 192.0.2.2, vrf: default } } } }
routes:
  10.0.0.0/8: 192.0.2.2
  10.1.0.0/16: { via: { gateway: 198.51.100.9, interface: eth1 } }
  10.2.0.0/16: { via: { interface: eth1 } }
  10.3.0.0/16: blackhole
  10.4.0.0/16: 10.1.0.1
  10.5.0.0/16: { via: [ { gateway: 203.0.113.2, interface: eth2 }, { gateway: 198.51.100.2, preference: 1 } ] }
  10.6.0.0/16: { via: { vrf: red } }
  10.7.0.0/16: { via: [ 192.0.2.2, 198.51.100.2 ] }
  10.8.0.0/16: unreachable
  10.9.0.0/16: { via: { gateway: 203.0.113.2, interface: eth2 } }
  10.10.0.0/16: 172.16.0.1
"""
HOPS = {
    "10.0.0.1": ("eth0", "192.0.2.2"),
    "10.1.2.3": ("eth1", "198.51.100.9"),
    "10.2.2.3": ("eth1", "10.2.2.3"),
    "10.3.2.3": ("", ""),
    "10.4.2.3": ("eth1", "198.51.100.9"),
    "10.5.2.3": ("eth1", "198.51.100.2"),
    "10.6.2.3": ("eth0", "192.0.2.2"),
    "10.9.2.3": ("", ""),
    "192.0.2.77": ("eth0", "192.0.2.77"),
}
UNDECIDED = {
    "10.7.2.3": "several next hops share what goes there",
    "10.8.2.3": "VPP answers it",
    "10.10.2.3": "nothing of the file leads to its gateway",
}


@pytest.fixture
def network() -> Network:
    configuration = parse_text(TEXT, "file").configuration
    assert configuration is not None
    state = resolve(configuration, assumed_state(configuration)).desired
    ports = {name: evolve(port, mac=f"02:00:00:00:00:0{name[-1]}") for name, port in state.interfaces.items()}
    return Network(replace(state, interfaces=ports))


def test_the_longest_prefix_says_by_which_hop_a_packet_leaves(network: Network) -> None:
    for address, hop in HOPS.items():
        found = network.way_to(0, address)
        assert isinstance(found, NextStep), address
        assert (found.interface, found.address) == hop, address
    assert network.way_to(0, "172.16.0.1") is None
    for address, reason in UNDECIDED.items():
        with pytest.raises(UndecidedError, match=reason):
            network.way_to(0, address)


def test_each_route_gets_a_frame_or_the_reason_why_not(network: Network) -> None:
    campaign = probes_for(network)
    proved = {probe.about.thing for probe in campaign.probes if probe.about.thing.startswith("route ")}
    unproved = {each.about.thing for each in campaign.unproved if each.about.thing.startswith("route ")}
    prefixes = {"10.0.0.0/8", *(f"10.{number}.0.0/16" for number in range(1, 11))}
    assert unproved == {"route 10.7.0.0/16", "route 10.8.0.0/16", "route 10.10.0.0/16"}
    assert proved | unproved == {f"route {prefix}" for prefix in prefixes}
    assert dict(campaign.untried)["static routes"] == 4  # those three, and that of a VRF without an interface
