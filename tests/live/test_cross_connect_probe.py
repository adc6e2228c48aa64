"""`probe` proves the L3 cross-connects of a file on a real VPP, and blames one that VPP has otherwise."""

import pytest

from tests.live.test_probe import wrong
from tests.real_vpp import prefix, since
from vppcfg.app.deviations import deviations
from vppcfg.app.probing import sent
from vppcfg.app.rehearsing import rehearsal, rehearse
from vppcfg.config.configuration import Configuration
from vppcfg.config.load import parse_text
from vppcfg.probe.report import report_of
from vppcfg.probe.test_cases import probes_for

pytestmark = since("26.02")
TEXT = """\
interfaces:
  GigabitEthernet1/0/0:
    mtu: 1500
    addresses: [ 192.0.2.1/24, 2001:db8::1/64 ]
    l3xc:
      ipv4: { interface: GigabitEthernet1/0/1, gateway: 198.51.100.2 }
      ipv6: { interface: GigabitEthernet1/0/1, gateway: "2001:db8:1::2" }
  GigabitEthernet1/0/1:
    mtu: 1500
    addresses: [ 198.51.100.1/24, 2001:db8:1::1/64 ]
    neighbors: { 198.51.100.2: "02:00:00:00:00:02" }
  GigabitEthernet1/0/2:
    mtu: 1500
    addresses: [ 203.0.113.1/24 ]
    l3xc:
      ipv4:
        - { interface: GigabitEthernet1/0/1, gateway: 198.51.100.2 }
        - { interface: GigabitEthernet1/0/0, gateway: 192.0.2.9 }
        - { interface: GigabitEthernet1/0/0, gateway: 192.0.2.8, preference: 1 }
"""
CROSSED = [
    "L3 cross-connect of IPv4 on GigabitEthernet1/0/0",
    "L3 cross-connect of IPv6 on GigabitEthernet1/0/0",
    "L3 cross-connect of IPv4 on GigabitEthernet1/0/2",
]


@pytest.fixture
def configuration() -> Configuration:
    found = parse_text(TEXT, "crossed.yaml").configuration
    assert found is not None
    return found


def test_every_frame_takes_the_cross_connect_of_the_file(configuration: Configuration) -> None:
    report = rehearse(configuration, prefix())
    assert wrong(report) == []
    assert [each for each in report.unproved if each.about.subject in CROSSED] == []
    with rehearsal(configuration, prefix()) as stage:
        about = [probe.about.subject for probe in probes_for(stage.network).probes]
    assert [each for each in about if each.startswith("L3")] == CROSSED


def test_a_cross_connect_that_vpp_lacks_is_blamed(configuration: Configuration) -> None:
    with rehearsal(configuration, prefix()) as stage:
        probe_set = probes_for(stage.network)
        stage.vpp.run_line("l3xc del GigabitEthernet1/0/0 via 198.51.100.2 GigabitEthernet1/0/1")
        observed = stage.vpp.observe()
        findings = sent(stage.vpp, observed, stage.network, probe_set.probes)
        report = report_of(findings, (), deviations(observed, stage.network.state), stage.network.without_link)
    assert {suspect.subject for suspect in report.suspects} == {CROSSED[0]}
