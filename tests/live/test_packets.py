"""Packets between two real VPPs that two files made: through tunnels of every kind, and through VRFs apart."""

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.real_vpp import RealVpp, can_do, release, running
from tests.wireguard_keys import PRESHARED, PUBLIC, key_file
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

Pair = tuple[RealVpp, RealVpp]
LINK = "memif1/0"
_ANSWERS = re.compile(r"(\d+) sent, (\d+) received")
_COUNTS = re.compile(r"rx packets +(\d+)")
_PATIENCE_S = 20.0


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """Return two VPPs with a link between them, which both call memif1/0."""
    socket = tmp_path_factory.mktemp("link") / "memif.sock"
    with running(()) as first, running(()) as second:
        for vpp, role in ((first, "master"), (second, "slave")):
            for line in (
                f"create memif socket id 1 filename {socket}",
                f"create interface memif id 0 socket-id 1 {role} hw-addr 02:00:00:00:01:0{vpp is first:d}",
            ):
                assert vpp.cli(line)[0] == 0, line
        yield first, second


def apply(pair: Pair, text: str, folder: Path) -> None:
    """Bring both to one file, in which OWN and OTHER stand for the numbers of a router itself and of the other one."""
    for vpp, own, other in ((pair[0], "1", "2"), (pair[1], "2", "1")):
        file = folder / f"router{own}.yaml"
        keys = text.replace("KEY_OF_OWN", PUBLIC[int(own)]).replace("KEY_OF_OTHER", PUBLIC[int(other)])
        file.write_text(keys.replace("OWN", own).replace("OTHER", other))
        words = ["-q", "-a", str(vpp.socket_path), "-c", str(file)]
        code = main(["apply", "-y", "--allow-mass-deletion", "--again", *words])
        if code is ExitCode.REFUSED and not can_do(file):
            pytest.skip(f"VPP {release()} is too old for the file")
        assert code == ExitCode.DONE
        assert main(["plan", "--detailed-exitcode", *words]) == ExitCode.DONE


def answered(vpp: RealVpp, line: str, repeat: int = 3) -> int:
    """Return how many of `repeat` echo requests are answered."""
    text = vpp.cli(f"ping {line} repeat {repeat} interval 0.1")[1]
    match = _ANSWERS.search(text)
    assert match is not None, text
    return int(match[2])


def wait_until_answered(vpp: RealVpp, line: str) -> None:
    """Ask until there is an answer: the link comes up by itself, and neighbours are learnt by the first packets."""
    deadline = time.monotonic() + _PATIENCE_S
    while not answered(vpp, line, repeat=1):
        assert time.monotonic() < deadline, f"no answer to {line}"


def received(vpp: RealVpp, name: str) -> int:
    """Return how many packets an interface has received."""
    match = _COUNTS.search(vpp.cli(f"show interface {name}")[1])
    return int(match[1]) if match else 0


_BASE = """
interfaces:
  memif1/0: { device-type: memif, mtu: 2000, addresses: [ 192.0.2.OWN/24, 2001:db8::OWN/64 ] }
  {name}: { mtu: 1400{more} }
"""
_INNER = ", addresses: [ 10.0.0.OWN/24, 2001:db8:1::OWN/64 ]"
TUNNELS = {
    "gre": ("gre0", "gre_tunnels: { gre0: { local: 192.0.2.OWN, remote: 192.0.2.OTHER } }"),
    "gre with a key": ("gre0", "gre_tunnels: { gre0: { local: 192.0.2.OWN, remote: 192.0.2.OTHER, key: 42 } }"),
    "gre over IPv6": ("gre7", 'gre_tunnels: { gre7: { local: "2001:db8::OWN", remote: "2001:db8::OTHER" } }'),
    "gre with frames": ("gre0", "gre_tunnels: { gre0: { local: 192.0.2.OWN, remote: 192.0.2.OTHER, mode: teb } }"),
    "ipip": ("ipip0", "ipip_tunnels: { ipip0: { local: 192.0.2.OWN, remote: 192.0.2.OTHER, dscp: ef } }"),
    "ipip over IPv6": (
        "ipip3",
        'ipip_tunnels: { ipip3: { local: "2001:db8::OWN", remote: "2001:db8::OTHER", flags: [ encap-copy-dscp ] } }',
    ),
}


@pytest.mark.parametrize(("name", "section"), TUNNELS.values(), ids=TUNNELS)
def test_a_tunnel_carries_packets_of_both_families(pair: Pair, tmp_path: Path, name: str, section: str) -> None:
    first, second = pair
    base = _BASE.replace("{name}", name).replace("{more}", _INNER)
    if "teb" in section:  # MACs of such tunnels are alike on all routers
        base = base.replace("mtu: 1400", 'mtu: 1400, mac: "02:00:00:00:02:0OWN"')
    apply(pair, base + section, tmp_path)
    wait_until_answered(first, f"192.0.2.2 source {LINK}")
    wait_until_answered(first, f"10.0.0.2 source {name}")
    before = received(second, name)
    assert answered(first, f"10.0.0.2 source {name}") == 3
    assert answered(second, f"10.0.0.1 source {name}") == 3
    wait_until_answered(first, f"2001:db8:1::2 source {name}")
    assert answered(first, f"2001:db8:1::2 source {name}") == 3
    assert received(second, name) - before >= 9


@pytest.mark.parametrize("family", ["IPv4", "IPv6"])
@pytest.mark.parametrize("is_shared", [False, True], ids=["public keys", "a preshared key too"])
def test_a_wireguard_carries_packets_of_both_families(
    pair: Pair, tmp_path: Path, family: str, *, is_shared: bool
) -> None:
    first, second = pair
    secret = f"preshared-key-file: {key_file(tmp_path, 0)}, preshared-key-sha256: {PRESHARED[0].partition(':')[2]},"
    host = "192.0.2." if family == "IPv4" else "2001:db8::"
    section = f"""
    wireguards:
      wg0:
        local: "{host}OWN"
        port: 5182OWN
        public-key: KEY_OF_OWN
        private-key-file: {tmp_path}/keyOWN
        peers:
          other:
            public-key: KEY_OF_OTHER
            {secret.replace(", ", chr(10) + " " * 12).rstrip(",") if is_shared else "keepalive: 0"}
            endpoint: "{host}OTHER"
            port: 5182OTHER
            allowed-ips: [ 10.0.0.0/24, "2001:db8:1::/64" ]
    """
    text = _BASE.replace("{name}", "wg0").replace("{more}", _INNER) + "\n".join(
        line[4:] for line in section.splitlines()
    )
    for number in (1, 2):
        key_file(tmp_path, number)
    apply(pair, _BASE.partition("  {name}")[0], tmp_path)  # of former tests, nobody is to speak from another address
    apply(pair, text, tmp_path)
    wait_until_answered(first, f"192.0.2.2 source {LINK}")
    wait_until_answered(first, f"2001:db8::2 source {LINK}")
    with _routes_to_peers(first, second):
        wait_until_answered(first, "10.0.0.2 source wg0")
        before = received(second, "wg0")
        assert answered(first, "10.0.0.2 source wg0") == 3
        assert answered(second, "10.0.0.1 source wg0") == 3
        wait_until_answered(first, "2001:db8:1::2 source wg0")
        assert answered(first, "2001:db8:1::2 source wg0") == 3
        assert received(second, "wg0") - before >= 9


@contextmanager
def _routes_to_peers(first: RealVpp, second: RealVpp) -> Iterator[None]:
    """Route to the other end: VPP makes no routes to peers, and those that lead into an interface outlive it."""
    lines = [
        (vpp, f"{host} wg0")
        for vpp, other in ((first, 2), (second, 1))
        for host in (f"10.0.0.{other}/32 via 10.0.0.{other}", f"2001:db8:1::{other}/128 via 2001:db8:1::{other}")
    ]
    for vpp, line in lines:
        assert vpp.cli(f"ip route add {line}")[0] == 0
    try:
        yield
    finally:
        for vpp, line in lines:
            assert vpp.cli(f"ip route del {line}")[0] == 0


@pytest.mark.parametrize("ports", ["", ", source-port: 479OWN, destination-port: 479OTHER"], ids=["usual", "others"])
def test_a_vxlan_tunnel_carries_frames_between_bridge_domains(pair: Pair, tmp_path: Path, ports: str) -> None:
    first, second = pair
    file = f"""
    loopbacks:
      loop0: {{ mtu: 1400, mac: "02:00:00:00:03:0OWN", addresses: [ 10.0.0.OWN/24 ] }}
    vxlan_tunnels:
      vxlan_tunnel0: {{ local: 192.0.2.OWN, remote: 192.0.2.OTHER, vni: 10{ports} }}
    bridgedomains:
      bd10: {{ mtu: 1400, bvi: loop0, interfaces: [ vxlan_tunnel0 ] }}
    """
    base = _BASE.replace("{name}", "vxlan_tunnel0").replace("{more}", "")
    apply(pair, base + "\n".join(line[4:] for line in file.splitlines()), tmp_path)
    wait_until_answered(first, "10.0.0.2 source loop0")
    before = received(second, "vxlan_tunnel0")
    assert answered(first, "10.0.0.2 source loop0") == 3
    assert received(second, "vxlan_tunnel0") - before >= 3


_VRFS = """
interfaces:
  memif1/0:
    device-type: memif
    mtu: 2000
    sub-interfaces:
      100: { vrf: red, addresses: [ 10.0.0.OWN/24 ] }
      200: { vrf: blue, addresses: [ 10.0.0.OWN/24 ] }
  gre0: { mtu: 1400, vrf: blue, addresses: [ 10.9.0.OWN/24 ] }
  gre1: { mtu: 1400, vrf: red, addresses: [ 10.9.0.OWN/24 ] }
  ipip0: { mtu: 1400, addresses: [ 10.9.0.OWN/24 ] }
loopbacks:
  loop0: { vrf: red, mtu: 1500, addresses: [ 10.1.0.OWN/32 ] }
vrfs:
  red: { id: 100 }
  blue: { id: 200 }
gre_tunnels:
  gre0: { local: 10.0.0.OWN, remote: 10.0.0.OTHER, encap-vrf: red }
  gre1: { local: 10.0.0.OWN, remote: 10.0.0.OTHER, encap-vrf: blue }
ipip_tunnels:
  ipip0: { local: 10.0.0.OWN, remote: 10.0.0.OTHER, encap-vrf: blue }
"""


def test_vrfs_with_the_same_prefixes_carry_packets_apart(pair: Pair, tmp_path: Path) -> None:
    """What is carried in a tunnel is in another VRF than the tunnel itself, with the same prefix in all three."""
    first, second = pair
    apply(pair, _VRFS, tmp_path)
    under = {"gre0": f"{LINK}.100", "gre1": f"{LINK}.200", "ipip0": f"{LINK}.200"}
    for name in (*set(under.values()), *under):
        wait_until_answered(first, f"{'10.9.0.2' if name in under else '10.0.0.2'} source {name}")
    names = (f"{LINK}.100", f"{LINK}.200", *under)
    for name in names:
        before = {each: received(second, each) for each in names}
        assert answered(first, f"{'10.9.0.2' if name in under else '10.0.0.2'} source {name}", repeat=5) == 5
        reached = {each for each in names if received(second, each) - before[each] >= 5}
        assert reached == {name, under.get(name, name)}


def test_what_is_in_one_vrf_alone_is_not_reached_from_the_other(pair: Pair, tmp_path: Path) -> None:
    first, second = pair
    apply(pair, _VRFS, tmp_path)
    wait_until_answered(first, f"10.0.0.2 source {LINK}.100")
    for table in (100, 200):
        line = f"ip route add 10.1.0.2/32 table {table} via 10.0.0.2 {LINK}.{table}"
        assert first.cli(line) == (0, "")
    try:
        assert answered(first, f"10.1.0.2 table-id 100 source {LINK}.100") == 3
        assert answered(first, f"10.1.0.2 table-id 200 source {LINK}.200") == 0
    finally:
        for table in (100, 200):
            assert first.cli(f"ip route del 10.1.0.2/32 table {table} via 10.0.0.2 {LINK}.{table}") == (0, "")
    assert received(second, f"{LINK}.200") > 0


_MADE_PORTS = """
interfaces:
  memif1/0: { device-type: memif, mtu: 2000 }
  memif7/3: { mtu: 1500, addresses: [ 10.0.0.OWN/24, 2001:db8:1::OWN/64 ] }
  memif8/3: { mtu: 1500, addresses: [ 10.1.0.OWN/24, 2001:db8:2::OWN/64 ] }
memifs:
  memif7/3: { role: ROLE_OWN, socket: FOLDER/made.sock }
  memif8/3: { role: ROLE_OWN, socket: FOLDER/packets.sock, mode: ip }
"""


@pytest.mark.parametrize(("name", "host"), [("memif7/3", "10.0.0.{}"), ("memif8/3", "10.1.0.{}")], ids=["L2", "L3"])
def test_a_memif_of_two_files_carries_packets(pair: Pair, tmp_path: Path, name: str, host: str) -> None:
    first, second = pair
    text = _MADE_PORTS.replace("FOLDER", str(tmp_path))
    for vpp, own in ((first, "1"), (second, "2")):
        file = tmp_path / f"router{own}.yaml"
        file.write_text(text.replace("ROLE_OWN", "master" if own == "1" else "slave").replace("OWN", own))
        words = ["-q", "-a", str(vpp.socket_path), "-c", str(file)]
        assert main(["apply", "-y", "--allow-mass-deletion", "--again", *words]) == ExitCode.DONE
        assert main(["plan", "--detailed-exitcode", *words]) == ExitCode.DONE
    wait_until_answered(first, f"{host.format(2)} source {name}")
    before = received(second, name)
    assert answered(first, f"{host.format(2)} source {name}") == 3
    assert answered(second, f"{host.format(1)} source {name}") == 3
    family = "2001:db8:1::" if name == "memif7/3" else "2001:db8:2::"
    wait_until_answered(first, f"{family}2 source {name}")
    assert received(second, name) - before >= 6


_HOST_INTERFACE = """
interfaces:
  memif1/0: { device-type: memif, mtu: 2000 }
  host-v1: { mtu: 1500, addresses: [ 10.2.0.1/24 ] }
host_interfaces:
  host-v1: {}
"""


def test_a_host_interface_carries_packets_to_linux(pair: Pair, tmp_path: Path) -> None:
    vpp, _ = pair
    file = tmp_path / "router.yaml"
    file.write_text(_HOST_INTERFACE)
    words = ["-q", "-a", str(vpp.socket_path), "-c", str(file)]
    assert main(["apply", "-y", "--allow-mass-deletion", "--again", *words]) == ExitCode.DONE
    assert main(["plan", "--detailed-exitcode", *words]) == ExitCode.DONE
    vpp.ip("address", "add", "10.2.0.2/24", "dev", "v1-peer")
    try:
        wait_until_answered(vpp, "10.2.0.2 source host-v1")
        assert answered(vpp, "10.2.0.2 source host-v1") == 3
    finally:
        vpp.ip("address", "del", "10.2.0.2/24", "dev", "v1-peer")


_DHCP = """
unmanaged: [ memif1/0 ]
interfaces:
  host-v1: { mtu: 1500, dhcp-client: { hostname: gateway }%s }
host_interfaces:
  host-v1: {}
"""


def test_an_address_that_dhcp_leases_is_no_difference(pair: Pair, tmp_path: Path) -> None:
    """VPP has it beside those of the file: plans, dumps and the way back leave it to the client."""
    vpp, _ = pair
    file = tmp_path / "router.yaml"
    words = ["-q", "-a", str(vpp.socket_path), "-c", str(file)]
    options = ["-y", "--allow-mass-deletion", "--again"]
    vpp.ip("address", "add", "10.3.0.2/24", "dev", "v1-peer")
    server = [sys.executable, "-m", "tests.dhcp_server", "v1-peer", "10.3.0.2", "10.3.0.7/24"]
    namespace = ["nsenter", "--target", str(vpp.pid), "--net"]
    with subprocess.Popen([*namespace, *server], cwd=Path(__file__).parents[2]) as serving:
        try:
            file.write_text(_DHCP % "")
            assert main(["apply", *options, *words]) == ExitCode.DONE
            wait_until_answered(vpp, "10.3.0.2 source host-v1")
            assert "10.3.0.7/24" in vpp.cli("show interface address host-v1")[1]
            assert main(["plan", "--detailed-exitcode", *words]) == ExitCode.DONE
            file.write_text(_DHCP % ", addresses: [ 192.0.2.7/24 ]")
            assert main(["apply", *options, *words]) == ExitCode.DONE
            assert main(["plan", "--detailed-exitcode", *words]) == ExitCode.DONE
            assert "10.3.0.7/24" in vpp.cli("show interface address host-v1")[1]
            assert "10.3.0.7" not in dumped(vpp, tmp_path)
            file.write_text((_DHCP % "").replace(", dhcp-client: { hostname: gateway }", ""))
            assert main(["apply", *options, *words]) == ExitCode.DONE
            assert "10.3.0.7" not in vpp.cli("show interface address host-v1")[1]
        finally:
            serving.kill()
            vpp.ip("address", "del", "10.3.0.2/24", "dev", "v1-peer")


def dumped(vpp: RealVpp, folder: Path) -> str:
    """Return what `vppcfg dump` writes."""
    assert main(["-q", "dump", "-a", str(vpp.socket_path), "-o", str(folder / "dumped.yaml")]) == ExitCode.DONE
    return (folder / "dumped.yaml").read_text()
