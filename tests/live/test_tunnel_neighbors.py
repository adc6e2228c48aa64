"""Multipoint tunnels on a real VPP: where packets go, what is carried over, and that none ends VPP."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live.test_probe import wrong
from tests.real_vpp import RealVpp, prefix, running, since
from vppcfg.app.deviations import deviations
from vppcfg.app.probing import send_probes
from vppcfg.app.rehearsing import rehearsal, rehearse
from vppcfg.cli.main import main
from vppcfg.config.load import parse_text
from vppcfg.errors import ExitCode
from vppcfg.probe.report import report_of
from vppcfg.probe.test_cases import probes_for

PROBED = """\
interfaces:
  GigabitEthernet1/0/0:
    mtu: 1500
    addresses: [ 192.0.2.1/24, 2001:db8::1/64 ]
    neighbors:
      192.0.2.2: "02:00:00:00:00:02"
      192.0.2.3: "02:00:00:00:00:03"
      2001:db8::4: "02:00:00:00:00:04"
  GigabitEthernet1/0/1: { mtu: 1500, vrf: red, addresses: [ 198.51.100.1/24 ] }
  gre0: { mtu: 1400, addresses: [ 10.0.0.1/24, "fd00::1/64" ] }
  ipip1: { mtu: 1400, addresses: [ 10.0.1.1/24 ] }
vrfs: { red: { id: 10 } }
gre_tunnels:
  gre0:
    local: 192.0.2.1
    multipoint: true
    key: 7
    neighbors: { 10.0.0.2: 192.0.2.2, 10.0.0.3: 192.0.2.3, "fd00::3": 192.0.2.3 }
ipip_tunnels:
  ipip1: { local: "2001:db8::1", multipoint: true, neighbors: { 10.0.1.4: "2001:db8::4" } }
routes: { 10.2.0.0/16: 10.0.0.2, 10.3.0.0/16: 10.0.0.3, 10.4.0.0/16: 10.0.1.4, fd03::/16: fd00::3 }
"""
PORTS = ("eth0", "eth1")
FILE = """
interfaces:
  eth0: { addresses: [ 192.0.2.1/24 ] }
  gre0: { vrf: red, addresses: [ 10.0.0.1/24 ] }
vrfs: { red: { id: 10 } }
gre_tunnels: { gre0: { local: 192.0.2.1, multipoint: true%s } }
unmanaged: [ eth1 ]
"""
NEIGHBOR = "gre0:10.0.0.2 via [0]:192.0.2.2/32"


@pytest.fixture(name="vpp")
def vpp_with_ports() -> Iterator[RealVpp]:
    with running(PORTS) as vpp:
        yield vpp


def run(vpp: RealVpp, folder: Path, command: str, text: str, *options: str) -> int:
    (file := folder / "router.yaml").write_text(text)
    return main([command, "-q", "-a", str(vpp.socket_path), "-c", str(file), *options])


@since("26.02")
def test_frames_go_to_the_router_behind_each_neighbour_and_come_from_there() -> None:
    configuration = parse_text(PROBED, "tunnels.yaml").configuration
    assert configuration is not None
    assert wrong(rehearse(configuration, prefix())) == []
    with rehearsal(configuration, prefix()) as stage:
        probes = probes_for(stage.network).probes
    about = {probe.about.subject for probe in probes}
    assert {"GRE tunnel gre0", "IPIP tunnel ipip1", "route 10.2.0.0/16", "route fd03::/16"} <= about


@since("25.10")
def test_neighbours_of_others_are_carried_over_when_their_tunnel_is_recreated(vpp: RealVpp, tmp_path: Path) -> None:
    assert run(vpp, tmp_path, "apply", FILE % "", "-y") == ExitCode.DONE
    vpp.cli("create teib gre0 peer 10.0.0.2 nh 192.0.2.2")
    assert run(vpp, tmp_path, "apply", FILE % ", key: 5", "-y") == ExitCode.DONE
    assert NEIGHBOR in vpp.cli("show teib")[1]
    assert main(["rollback", "-y", "-q", "-a", str(vpp.socket_path)]) == ExitCode.DONE
    assert NEIGHBOR in vpp.cli("show teib")[1]


def test_a_tunnel_goes_after_its_neighbours_and_comes_back_before_them(vpp: RealVpp, tmp_path: Path) -> None:
    with_neighbor = FILE % ", neighbors: { 10.0.0.2: 192.0.2.2 }"
    without = "interfaces: { eth0: { addresses: [ 192.0.2.1/24 ] } }\nunmanaged: [ eth1 ]\nvrfs: { red: { id: 10 } }\n"
    assert run(vpp, tmp_path, "apply", with_neighbor, "-y") == ExitCode.DONE
    assert NEIGHBOR in vpp.cli("show teib")[1]
    assert run(vpp, tmp_path, "apply", without, "-y") == ExitCode.DONE
    assert (vpp.cli("show teib")[1].strip(), "gre0" in vpp.cli("show interface")[1]) == ("", False)
    assert main(["rollback", "-y", "-q", "-a", str(vpp.socket_path)]) == ExitCode.DONE
    assert NEIGHBOR in vpp.cli("show teib")[1]


def test_a_tunnel_that_no_file_has_made_stays(vpp: RealVpp, tmp_path: Path) -> None:
    vpp.cli("create gre tunnel src 192.0.2.1 multipoint instance 9")
    vpp.cli("create teib gre9 peer 10.0.9.2 nh 192.0.2.2")
    text = "interfaces: { eth0: { addresses: [ 192.0.2.1/24 ] } }\nunmanaged: [ eth1 ]\n"
    assert run(vpp, tmp_path, "apply", text, "-y") == ExitCode.DONE
    assert "gre9:10.0.9.2" in vpp.cli("show teib")[1]


@since("26.02")
def test_a_neighbour_behind_another_router_than_that_of_the_file_is_noticed() -> None:
    configuration = parse_text(PROBED, "tunnels.yaml").configuration
    assert configuration is not None
    with rehearsal(configuration, prefix()) as stage:
        campaign = probes_for(stage.network)
        stage.vpp.run_line("delete teib gre0 peer 10.0.0.2")
        stage.vpp.run_line("create teib gre0 peer 10.0.0.2 nh 192.0.2.3")
        observed = stage.vpp.observe()
        findings = send_probes(stage.vpp, observed, stage.network, campaign.probes)
        report = report_of(findings, (), deviations(observed, stage.network.state), stage.network.without_link)
    (suspect,) = report.suspects
    assert suspect.subject == "TEIB neighbour 10.0.0.2 behind gre0"
    assert suspect.lines == ("neighbors.10.0.0.2: 192.0.2.3 -> 192.0.2.2",)
