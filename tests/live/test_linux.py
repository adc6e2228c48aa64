"""The Linux around a real VPP: what is made is where VPP looks for it, and what VPP makes is seen."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from tests.real_vpp import RealVpp, running, skip_reason
from vppcfg.linux.host import LinuxHost
from vppcfg.model.linux import LinkSetting, LinuxDevice
from vppcfg.vpp.unixsocket import pid_of_peer

REASON = skip_reason()
pytestmark = [pytest.mark.live, pytest.mark.skipif(REASON is not None, reason=REASON or "")]

PORT = "GigabitEthernet1/0/0"


@pytest.fixture(scope="module")
def vpp() -> Iterator[RealVpp]:
    with running([PORT]) as process:
        yield process


@pytest.fixture(scope="module")
def host(vpp: RealVpp) -> LinuxHost:
    """Return the Linux around the process that listens on VPP's API socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.connect(str(vpp.socket_path))
        pid = pid_of_peer(sock)
    assert pid == vpp.pid
    return LinuxHost(pid)


def typed(vpp: RealVpp, line: str) -> str:
    """Type a line at VPP's prompt and return what it says; it must succeed."""
    retval, text = vpp.cli(line)
    assert retval == 0, text
    return text


def test_a_tap_finds_its_namespace_and_its_bridge(vpp: RealVpp, host: LinuxHost) -> None:
    host.add_namespace("taps")
    host.add_bridge("taps", "br0")
    typed(vpp, "create tap id 7 host-if-name vpp7 host-ns taps host-bridge br0 host-mtu-size 1400")
    seen = host.observe([("taps", "vpp7")])
    assert seen.devices == {("taps", "vpp7"): LinuxDevice(mtu=1400, is_up=True, bridge="br0")}
    assert ("taps", "br0") in seen.bridges
    host.set_bridge("taps", "vpp7", "")
    assert host.observe([("taps", "vpp7")]).devices["taps", "vpp7"].bridge == ""


@pytest.mark.parametrize("netns", ["", "pairs"])
def test_a_pair_gets_its_mtu_and_state_in_linux(vpp: RealVpp, host: LinuxHost, netns: str) -> None:
    host.add_namespace("pairs")
    typed(vpp, f"lcp create {PORT} host-if e0 {f'netns {netns}' if netns else ''}")
    try:
        assert host.observe([(netns, "e0")]).devices[netns, "e0"].bridge == ""
        for is_up, mtu in ((True, 2000), (False, 1500)):
            assert host.set_links(netns, [LinkSetting(name="e0", mtu=mtu, is_up=is_up)]).done == (0,)
            assert host.observe([(netns, "e0")]).devices == {(netns, "e0"): LinuxDevice(mtu=mtu, is_up=is_up)}
    finally:
        typed(vpp, f"lcp delete {PORT}")
    assert host.observe([(netns, "e0")]).devices == {}
