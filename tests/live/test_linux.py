"""The Linux around a real VPP: what is made is where VPP looks for it, and what VPP makes is seen."""

import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.real_vpp import RealVpp, release, running, skip_reason
from vppcfg.cli.main import main
from vppcfg.common.release import release_of
from vppcfg.errors import ExitCode
from vppcfg.linux.host import LinuxHost
from vppcfg.model.linux import LinkSetting, LinuxDevice
from vppcfg.vpp.unixsocket import pid_of_peer

REASON = skip_reason()

(PORT,) = PORTS = ("GigabitEthernet1/0/0",)
TAPS = """\
taps:
  tap0: { host: { name: t0 } }
  tap1: { host: { name: t1, mtu: 1400 } }
  tap7: { host: { name: t7 } }
"""


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


@pytest.mark.skipif(
    REASON is None and release_of(release()) >= release_of("26.02"), reason="startup.conf has no tap { }"
)
def test_a_tap_gets_the_mtu_of_the_file_whatever_startup_conf_says_of_taps(tmp_path: Path) -> None:
    file = tmp_path / "router.yaml"
    file.write_text(f"interfaces: {{ {PORT}: {{}}, tap0: {{}}, tap1: {{ mtu: 1400 }}, tap7: {{}} }}\n{TAPS}")
    with running([PORT], extra="tap { host-mtu 9000 }") as vpp:
        words = ["-a", str(vpp.socket_path), "-c", str(file)]
        typed(vpp, "create tap id 7 host-if-name t7")
        host = LinuxHost(vpp.pid)
        assert main(["apply", "-qy", *words]) == ExitCode.DONE
        seen = host.observe([("", name) for name in ("t0", "t1", "t7")]).devices
        assert [seen["", name].mtu for name in ("t0", "t1", "t7")] == [1500, 1400, 9000]
        assert main(["plan", *words]) == ExitCode.DONE


def wait_until(is_so: Callable[[], bool]) -> bool:
    """Wait up to 30 seconds for something and return whether it came."""
    deadline = time.monotonic() + 30
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.1)
    return is_so()


def test_routes_of_linux_do_not_outlive_the_interface_that_they_lead_through(tmp_path: Path) -> None:
    """Without the interface VPP 26.10 crashes when Linux gives another route to the same prefix."""
    file = tmp_path / "router.yaml"
    without = "loopbacks:\n  loop1: { lcp: lo1, mtu: 1500 }\n"
    with RealVpp(linux_cp="lcp-sync", plugins=["linux_nl"]) as vpp:
        apply = ["apply", "-qy", "--allow-mass-deletion", "-a", str(vpp.socket_path), "-c", str(file)]
        file.write_text(f"{without}  loop0: {{ lcp: lo0, mtu: 1500, addresses: [ 192.0.2.1/24, 2001:db8::1/64 ] }}\n")
        assert main(apply) == ExitCode.DONE
        vpp.ip("route", "add", "10.1.0.0/16", "via", "192.0.2.9", "proto", "bird")
        assert wait_until(lambda: "via 192.0.2.9 loop0" in typed(vpp, "show ip fib 10.1.0.0/16"))
        file.write_text(without)
        assert main(apply) == ExitCode.DONE
        assert "lcp-rt-dynamic" not in typed(vpp, "show ip fib 10.1.0.0/16")
        vpp.ip("route", "add", "unreachable", "10.1.0.0/16", "proto", "bird")
        assert wait_until(lambda: "send-unreachable" in typed(vpp, "show ip fib 10.1.0.0/16"))


def test_the_device_of_a_pair_that_is_made_anew_has_the_addresses_of_its_interface(tmp_path: Path) -> None:
    """lcp-sync copies them when they are set, and not with the pair."""
    file = tmp_path / "router.yaml"
    with RealVpp(linux_cp="lcp-sync") as vpp:
        for name in ("lo0", "other"):
            file.write_text(f"loopbacks: {{ loop0: {{ lcp: {name}, addresses: [ 192.0.2.1/24, 2001:db8::1/64 ] }} }}\n")
            assert main(["apply", "-qy", "-a", str(vpp.socket_path), "-c", str(file)]) == ExitCode.DONE
            shown = vpp.ip("-brief", "address", "show", name)
            assert "192.0.2.1/24" in shown
            assert "2001:db8::1/64" in shown


def test_linux_reaches_a_host_by_a_pair_but_not_with_26_02(tmp_path: Path) -> None:
    """There VPP drops what Linux sends to the host alone; ARP, a broadcast, passes.

    Without workers TAPs have one queue, as many as the stand-in for vhost serves.
    """
    file = tmp_path / "router.yaml"
    file.write_text(f"interfaces: {{ {PORT}: {{ lcp: e0, mtu: 1500, addresses: [ 192.0.2.1/24 ] }} }}\n")
    with running([PORT], extra="cpu {\n}", linux_cp="lcp-sync", passes_packets=True) as vpp:
        vpp.add_netns("host")
        vpp.ip("link", "set", "veth0-peer", "netns", "host")
        vpp.ip("-n", "host", "addr", "add", "192.0.2.2/24", "dev", "veth0-peer")
        vpp.ip("-n", "host", "link", "set", "veth0-peer", "up")
        assert main(["apply", "-qy", "-a", str(vpp.socket_path), "-c", str(file)]) == ExitCode.DONE
        ping = ["nsenter", "--target", str(vpp.pid), "--net", "ping", "-c3", "-i0.2", "-W2", "192.0.2.2"]
        is_reached = subprocess.run(ping, stdout=subprocess.DEVNULL, check=False).returncode == 0
        errors = typed(vpp, "show errors")
    assert (is_reached, "l3 mac mismatch" in errors) == ((False, True) if release() == "26.02" else (True, False))
