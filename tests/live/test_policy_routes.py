"""Policy routes on a real VPP: where packets go, that none goes elsewhere while they change, and whose a policy is."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real_vpp import RealVpp, release, running
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

PORTS = ("eth0", "eth1", "eth2", "eth3")
_SENT = re.compile(r"tx packets +(\d+)")
_FILE = """
interfaces:
  eth0: { addresses: [ 10.0.0.1/24 ]%s }
  eth1: { addresses: [ 10.0.1.1/24 ], neighbors: { 10.0.1.2: "02:00:00:00:00:12" } }
  eth2: { addresses: [ 10.0.2.1/24 ], neighbors: { 10.0.2.2: "02:00:00:00:00:22" } }
  eth3: { addresses: [ 10.0.3.1/24 ], neighbors: { 10.0.3.2: "02:00:00:00:00:32" } }
routes: { 0.0.0.0/0: 10.0.1.2 }
unmanaged: [ "pg*" ]
acls:
  voice: { terms: [ { action: permit, family: ipv4, protocol: udp, destination-port: 5060 } ] }
  guests: { terms: [ { action: permit, family: ipv4, protocol: udp } ] }
"""


@pytest.fixture(name="vpp")
def vpp_with_ports() -> Iterator[RealVpp]:
    with running(PORTS) as vpp:
        yield vpp


def apply(vpp: RealVpp, folder: Path, routes: str = "") -> None:
    """Apply the file with the policy routes of eth0, and hold VPP to having nothing left to do."""
    (file := folder / "router.yaml").write_text(_FILE % routes)
    words = ["-q", "-a", str(vpp.socket_path), "-c", str(file)]
    assert main(["apply", "-y", *words]) == ExitCode.DONE
    assert main(["plan", "--detailed-exitcode", *words]) == ExitCode.DONE


def stream(vpp: RealVpp, name: str, port: int, count: int, rate: int) -> None:
    """Let UDP packets to a port arrive at eth0."""
    data = f"UDP: 10.0.0.9 -> 203.0.113.1 UDP: 4000 -> {port} incrementing 20"
    pace = f"rate {rate} " if rate else ""
    line = f"packet-generator new {{ name {name} limit {count} {pace}node ip4-input size 64-64 interface eth0"
    assert vpp.cli(f"{line} data {{ {data} }} }}") == (0, ""), line
    vpp.cli(f"packet-generator enable-stream {name}")


def sent(vpp: RealVpp) -> list[int]:
    """Return how many packets have left eth1, eth2 and eth3 with the streams."""
    found = []
    for name in PORTS[1:]:
        match = _SENT.search(vpp.cli(f"show interface {name}")[1])
        found.append(int(match[1]) if match else 0)
    return found


def went(vpp: RealVpp, port: int, count: int = 50) -> list[int]:
    """Send packets to a port, and return how many have left by eth1, eth2 and eth3."""
    before = sent(vpp)
    stream(vpp, "s", port, count, 0)
    deadline = time.monotonic() + 10
    while sum(sent(vpp)) - sum(before) < count and time.monotonic() < deadline:
        time.sleep(0.05)
    vpp.cli("packet-generator delete s")
    return [now - was for now, was in zip(sent(vpp), before, strict=True)]


def test_packets_go_by_the_first_access_list_that_permits_them(vpp: RealVpp, tmp_path: Path) -> None:
    apply(vpp, tmp_path)
    assert went(vpp, 5060) == [50, 0, 0]
    first, second = "{ acl: voice, via: 10.0.2.2, priority: 1 }", "{ acl: guests, via: 10.0.3.2, priority: %d }"
    apply(vpp, tmp_path, f", policy-routes: [ {first}, {second % 2} ]")
    assert (went(vpp, 5060), went(vpp, 7)) == ([0, 50, 0], [0, 0, 50])
    apply(vpp, tmp_path, f", policy-routes: [ {first}, {second % 0} ]")
    assert (went(vpp, 5060), went(vpp, 7)) == ([0, 0, 50], [0, 0, 50])
    if release() >= "24.10":
        apply(vpp, tmp_path, f", policy-routes: [ {first.replace('10.0.2.2', 'blackhole')} ]")
        before = sent(vpp)
        stream(vpp, "s", 5060, 50, 0)
        time.sleep(0.5)
        assert sent(vpp) == before
        vpp.cli("packet-generator delete s")
        assert went(vpp, 7) == [50, 0, 0]
    apply(vpp, tmp_path)
    assert went(vpp, 5060) == [50, 0, 0]
    assert vpp.cli("show abf policy")[1] == ""


CHANGES = {
    "another next hop": (
        "{ acl: voice, via: 10.0.2.2, priority: 1 }, { acl: guests, via: 10.0.2.2, priority: 2 }",
        "{ acl: voice, via: 10.0.3.2, priority: 1 }, { acl: guests, via: 10.0.3.2, priority: 2 }",
    ),
    "another list": ("{ acl: voice, via: 10.0.2.2, priority: 1 }", "{ acl: guests, via: 10.0.3.2, priority: 1 }"),
    "another priority of the only one": (
        "{ acl: voice, via: 10.0.2.2, priority: 1 }",
        "{ acl: voice, via: 10.0.3.2, priority: 9 }",
    ),
    "several next hops": (
        "{ acl: voice, via: [ 10.0.2.2, { gateway: 10.0.3.2, weight: 3 } ] }",
        "{ acl: voice, via: [ 10.0.2.2, { gateway: 10.0.3.2, weight: 1 } ] }",
    ),
}


@pytest.mark.parametrize(("before", "after"), CHANGES.values(), ids=CHANGES)
def test_no_packet_goes_by_the_routes_while_policy_routes_change(
    vpp: RealVpp, tmp_path: Path, before: str, after: str
) -> None:
    apply(vpp, tmp_path, f", policy-routes: [ {before} ]")
    start = sent(vpp)
    stream(vpp, "s", 5060, 10**9, 20000)
    time.sleep(0.5)
    for routes in (after, before, after):
        apply(vpp, tmp_path, f", policy-routes: [ {routes} ]")
        time.sleep(0.1)
    vpp.cli("packet-generator disable-stream s")
    vpp.cli("packet-generator delete s")
    time.sleep(0.2)
    by_routes, *by_policy = (now - was for now, was in zip(sent(vpp), start, strict=True))
    assert by_routes == 0
    assert sum(by_policy) > 10000


def test_policies_of_others_stay_unless_the_file_has_the_key(vpp: RealVpp, tmp_path: Path) -> None:
    apply(vpp, tmp_path, ", policy-routes: [ { acl: voice, via: 10.0.2.2 } ]")
    index = re.search(r"acl:(\d+)", vpp.cli("show abf policy")[1])
    assert index is not None
    vpp.cli(f"abf policy add id 7 acl {int(index[1])} via 10.0.3.2")
    apply(vpp, tmp_path)
    vpp.cli("abf attach ip4 policy 7 priority 4 eth0")
    apply(vpp, tmp_path)
    assert "policy:7 priority:4" in vpp.cli("show abf attach eth0")[1]
    assert went(vpp, 5060) == [0, 0, 50]
    apply(vpp, tmp_path, ", policy-routes: []")
    assert vpp.cli("show abf attach eth0")[1] == ""
    assert "policy:7" in vpp.cli("show abf policy")[1]
    assert went(vpp, 5060) == [50, 0, 0]
    words = ["-q", "-a", str(vpp.socket_path)]
    assert main(["rollback", "-y", *words]) == ExitCode.DONE
    assert "policy:7 priority:4" in vpp.cli("show abf attach eth0")[1]


def test_a_policy_over_a_deleted_interface_waits_until_its_index_is_taken(
    vpp: RealVpp, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """VPP ends when such a policy gets another next hop."""
    (file := tmp_path / "router.yaml").write_text(
        _FILE % ", policy-routes: [ { acl: voice, via: { gateway: 10.0.5.2, interface: loop5 } } ]"
        + "loopbacks: { loop5: { addresses: [ 10.0.5.1/24 ] } }\n"
    )
    command = ["apply", "-y", "-q", "-a", str(vpp.socket_path), "-c", str(file)]
    assert main(command) == ExitCode.DONE
    assert vpp.cli("delete loopback interface intfc loop5") == (0, "")
    file.write_text(_FILE % ", policy-routes: [ { acl: voice, via: { gateway: 10.0.2.2, interface: eth2 } } ]")
    assert main(command) == ExitCode.REFUSED
    assert "a next hop on a deleted interface, index 5" in capsys.readouterr().err
    file.write_text(_FILE % "")
    assert main(["plan", *command[2:]]) == ExitCode.DONE
    assert "has a next hop on a deleted interface, index 5: it forwards nothing there" in capsys.readouterr().err
    file.write_text(_FILE % ", policy-routes: [ { acl: voice, via: { gateway: 10.0.2.2, interface: eth2 } } ]")
    assert vpp.cli("create loopback interface") == (0, "loop0\n")
    assert main(command) == main(["plan", "--detailed-exitcode", *command[2:]]) == ExitCode.DONE
