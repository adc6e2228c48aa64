"""On a real VPP: what VRRP and SLAAC put on interfaces stays, NAT follows a new address, and hosts are told the MTU."""

import re
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from tests.real_vpp import RealVpp
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.model.live import LiveAddress, LiveSource
from vppcfg.model.state import State
from vppcfg.plan.diff import diff
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.plan.rollback import closest_to
from vppcfg.vpp.live import LiveDataplane, connect

WAN, LAN = PORTS = ("GigabitEthernet1/0/0", "GigabitEthernet3/0/0")
VIRTUAL = LiveAddress(address="192.0.2.254/24", source=LiveSource.VRRP)
HEARD = "2001:db8:77::"


@pytest.fixture(scope="module")
def plane(vpp: RealVpp) -> Iterator[LiveDataplane]:
    with connect(str(vpp.socket_path)) as dataplane:
        yield dataplane


def router(wan: str, lan: str) -> str:
    return f"interfaces:\n  {WAN}: {{ {wan} }}\n  {LAN}: {{ {lan} }}\n"


def applied(plane: LiveDataplane, text: str) -> Plan:
    """Apply a configuration, see that it is reached, and that going back leads where it was."""
    configuration = parse_text(text, "file").configuration
    assert configuration is not None
    before = plane.observe()
    resolution = resolve(configuration, before)
    assert {each.rule for each in resolution.problems} <= {"left-alone"}
    plan = make_plan(resolution.observed, resolution.desired)
    carried_out(plane, plan)
    assert list(diff(plane.observe(), plan.desired)) == []
    return plan


def carried_out(plane: LiveDataplane, plan: Plan) -> None:
    performed = plane.perform(plan.operations)
    assert (performed.refusals, len(performed.done)) == ((), len(plan.steps))


def gone_back(plane: LiveDataplane, plan: Plan) -> State:
    now = plane.observe()
    carried_out(plane, make_plan(now, closest_to(plan.observed, now, lambda name: False, (), plan.desired).state))
    return plane.observe()


def advertise(vpp: RealVpp, device: str, prefix: str) -> None:
    """Have a router on the link of a port advertise a /64."""
    source, target = (socket.inet_pton(socket.AF_INET6, each) for each in ("fe80::99", "ff02::1"))
    option = struct.pack("!BBBBIII", 3, 4, 64, 0xC0, 86400, 14400, 0) + socket.inet_pton(socket.AF_INET6, prefix)
    body = struct.pack("!BBHBBHII", 134, 0, 0, 64, 0, 1800, 0, 0) + option
    total = sum(struct.unpack(f"!{(40 + len(body)) // 2}H", source + target + struct.pack("!II", len(body), 58) + body))
    total = (total >> 16) + (total & 0xFFFF)
    body = body[:2] + struct.pack("!H", ~((total >> 16) + total) & 0xFFFF) + body[4:]
    header = struct.pack("!IHBB", 6 << 28, len(body), 58, 255) + source + target
    frame = bytes.fromhex("33330000000102fe0000009986dd") + header + body
    program = (
        "import socket; s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW); "
        f"s.bind(({device!r}, 0)); s.send(bytes.fromhex({frame.hex()!r}))"
    )
    subprocess.run([*inside(vpp), sys.executable, "-c", program], check=True)


def inside(vpp: RealVpp) -> list[str]:
    return ["nsenter", "--net", "--target", str(vpp.pid)]


def pool(vpp: RealVpp) -> list[str]:
    return re.findall(r"^\d+\.\d+\.\d+\.\d+", vpp.cli("show nat44 addresses")[1], re.M)


def test_what_vrrp_and_slaac_put_there_stays(vpp: RealVpp, plane: LiveDataplane) -> None:
    applied(plane, router("mtu: 9000, addresses: [ 192.0.2.1/24 ]", "mtu: 9000"))
    vpp.cli(f"vrrp vr add {WAN} vr_id 5 priority 200 accept_mode 192.0.2.254")
    vpp.cli(f"vrrp proto start {WAN} vr_id 5")
    vpp.cli(f"ip6 nd address autoconfig {WAN}")
    deadline = time.monotonic() + 15
    while len(plane.observe().interfaces[WAN].live) < 2 and time.monotonic() < deadline:
        advertise(vpp, "veth0-peer", HEARD)
        time.sleep(0.5)
    found = plane.observe().interfaces[WAN]
    assert [each.source for each in found.live] == [LiveSource.VRRP, LiveSource.SLAAC]
    assert found.live[0] == VIRTUAL
    assert found.live[1].address.startswith(HEARD)
    plan = applied(plane, router("mtu: 9000, description: wan, addresses: [ 192.0.2.1/24 ]", "mtu: 9000"))
    assert [type(each).__name__ for each in plan.operations] == ["SetTag"]
    moved = applied(plane, router("mtu: 9000, addresses: [ 192.0.2.2/24 ]", "mtu: 9000"))
    after = gone_back(plane, moved).interfaces[WAN]
    assert after.live == found.live
    assert after.addresses == {"192.0.2.1/24", *(each.address for each in found.live)}
    vpp.cli(f"vrrp proto stop {WAN} vr_id 5")
    vpp.cli(f"vrrp vr del {WAN} vr_id 5")
    vpp.cli(f"ip6 nd address autoconfig {WAN} disable")
    assert plane.observe().interfaces[WAN].live == ()


def test_what_dhcpv6_puts_there_stays(vpp: RealVpp, plane: LiveDataplane) -> None:
    applied(plane, router("mtu: 9000, state: up", "mtu: 9000, addresses: [ 198.51.100.1/24 ]"))
    vpp.cli(f"set ip6 address {LAN} prefix group home ::7/64")
    server = [*inside(vpp), sys.executable, "-m", "tests.dhcp6_server", "veth0-peer"]
    with subprocess.Popen([*server, "2001:db8:99::77", "2001:db8:5600::/56"]) as process:
        for line in (f"dhcp6 client {WAN}", f"dhcp6 pd client {WAN} prefix group home"):
            assert vpp.cli(line) == (0, "")
        deadline = time.monotonic() + 20
        while not all(plane.observe().interfaces[name].live for name in PORTS) and time.monotonic() < deadline:
            time.sleep(0.5)
        process.kill()
    own = LiveAddress(address="2001:db8:99::77/64", source=LiveSource.DHCPV6)
    below = LiveAddress(address="2001:db8:5600::7/64", source=LiveSource.DHCPV6)
    plan = applied(plane, router("mtu: 9000, description: wan", "mtu: 9000, addresses: [ 198.51.100.2/24 ]"))
    assert [plane.observe().interfaces[name].live for name in PORTS] == [(own,), (below,)]
    gone_back(plane, plan)
    assert [plane.observe().interfaces[name].live for name in PORTS] == [(own,), (below,)]
    vpp.cli(f"set ip6 address {LAN} prefix group home ::7/64 del")
    vpp.cli(f"dhcp6 client {WAN} disable")
    vpp.cli(f"dhcp6 pd client {WAN} disable")


def test_the_pool_of_nat_follows_a_new_address_and_back(vpp: RealVpp, plane: LiveDataplane) -> None:
    applied(plane, router("mtu: 9000, addresses: [ 203.0.113.1/24 ]", "mtu: 9000"))
    vpp.cli("nat44 plugin enable sessions 1000")
    vpp.cli(f"nat44 add interface address {WAN}")
    assert pool(vpp) == ["203.0.113.1"]
    plan = applied(plane, router("mtu: 9000, addresses: [ 203.0.113.2/24 ]", "mtu: 9000"))
    assert pool(vpp) == ["203.0.113.2"]
    gone_back(plane, plan)
    assert pool(vpp) == ["203.0.113.1"]
    vpp.cli(f"nat44 add interface address {WAN} del")
    vpp.cli("nat44 plugin disable")


def test_a_new_mtu_is_advertised_and_the_old_one_again_on_the_way_back(vpp: RealVpp, plane: LiveDataplane) -> None:
    advertised = "addresses: [ 2001:db8:1::1/64, 2001:db8:2::1/64 ], ra: { managed: true }, link-local: fe80::1"
    applied(plane, router("mtu: 9000", f"mtu: 9000, {advertised}"))
    plan = applied(plane, router("mtu: 9000", f"mtu: 1500, {advertised}"))
    assert "MTU is 1500" in vpp.cli(f"show ip6 interface {LAN}")[1]
    assert "fe80::1" in vpp.cli(f"show ip6 interface {LAN}")[1]
    gone_back(plane, plan)
    assert "MTU is 9000" in vpp.cli(f"show ip6 interface {LAN}")[1]
