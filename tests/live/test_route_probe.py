"""`probe` proves the static routes of a file on a real VPP, and blames a route that VPP has otherwise."""

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
  GigabitEthernet1/0/0: { mtu: 1500, addresses: [ 192.0.2.1/24, 2001:db8::1/64 ] }
  GigabitEthernet1/0/1:
    mtu: 1500
    addresses: [ 198.51.100.1/24 ]
    neighbors: { 198.51.100.2: "02:00:00:00:00:02" }
  GigabitEthernet1/0/2: { mtu: 1500, vrf: red, addresses: [ 203.0.113.1/24 ] }
vrfs:
  red:
    id: 10
    routes:
      0.0.0.0/0: { via: { vrf: default } }
      10.6.0.0/16: 203.0.113.9
      10.9.0.0/16: { via: { gateway: 198.51.100.2, vrf: default } }
routes:
  0.0.0.0/0: 198.51.100.2
  10.1.0.0/16: { via: { gateway: 198.51.100.2, interface: GigabitEthernet1/0/1 } }
  10.2.0.0/16: 198.51.100.9
  10.3.0.0/16: blackhole
  10.4.0.0/16: 10.1.0.1
  10.5.0.0/16: { via: { interface: GigabitEthernet1/0/1 } }
  10.6.0.0/16: { via: { vrf: red } }
  10.7.0.0/16: { via: [ 198.51.100.2, 198.51.100.9 ] }
  10.8.0.0/16: { via: [ { gateway: 192.0.2.9, preference: 1 }, 198.51.100.2 ] }
  10.10.0.0/16: unreachable
  10.11.0.0/16: prohibit
  2001:db8:2::/48: unreachable
  2001:db8:3::/48: prohibit
  2001:db8:1::/48: { via: { gateway: "2001:db8::2" } }
"""


@pytest.fixture
def configuration() -> Configuration:
    found = parse_text(TEXT, "routes.yaml").configuration
    assert found is not None
    return found


def test_a_frame_to_each_route_takes_the_way_of_the_file(configuration: Configuration) -> None:
    report = rehearse(configuration, prefix())
    assert wrong(report) == []
    assert [each for each in report.unproved if each.about.subject.startswith("route ")] == []
    with rehearsal(configuration, prefix()) as stage:
        about = {probe.about.subject for probe in probes_for(stage.network).probes}
    assert len([subject for subject in about if subject.startswith("route ")]) == 17


def test_a_route_that_refuses_or_shares_otherwise_is_blamed(configuration: Configuration) -> None:
    with rehearsal(configuration, prefix()) as stage:
        probe_set = probes_for(stage.network)
        stage.vpp.run_line("ip route add 10.7.0.0/17 via 192.0.2.254")
        stage.vpp.run_line("ip route add 10.7.128.0/17 via 192.0.2.254")
        stage.vpp.run_line("ip route add 10.10.0.0/17 via 198.51.100.2")
        stage.vpp.run_line("ip route add 10.10.128.0/17 via null-send-prohibit")
        observed = stage.vpp.observe()
        findings = sent(stage.vpp, observed, stage.network, probe_set.probes)
        report = report_of(findings, (), deviations(observed, stage.network.state), stage.network.without_link)
    assert {suspect.subject for suspect in report.suspects} == {"route 10.7.0.0/16", "route 10.10.0.0/16"}


def test_a_route_that_vpp_has_otherwise_is_blamed(configuration: Configuration) -> None:
    with rehearsal(configuration, prefix()) as stage:
        probe_set = probes_for(stage.network)
        stage.vpp.run_line("ip route add 10.1.0.0/17 via 198.51.100.9")
        stage.vpp.run_line("ip route add 10.1.128.0/17 via drop")
        observed = stage.vpp.observe()
        findings = sent(stage.vpp, observed, stage.network, probe_set.probes)
        told = deviations(observed, stage.network.state)
        report = report_of(findings, (), told, stage.network.without_link)
    # what needs the route goes the other way with it
    assert {suspect.subject for suspect in report.suspects} == {"route 10.1.0.0/16", "route 10.4.0.0/16"}
