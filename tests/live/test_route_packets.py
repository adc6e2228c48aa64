"""Packets by static routes of a file on a real VPP: shares, a next hop that goes down, leaks between VRFs, and ends."""

import re
import time
from pathlib import Path

from tests.real_vpp import RealVpp, since
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

PORTS = ("eth0", "eth1", "eth2")
COUNT = 10_000
STREAM = """\
size 100-100 interface eth0 node ip4-input
data { UDP: 192.0.2.2 - 192.0.2.251 -> 10.1.2.3 UDP: 1000 -> 2000 incrementing 64 }""".replace("\n", " ")
"""Packets of 250 senders, which VPP tells apart when it shares them out."""
_SENT = re.compile(r"tx packets +(\d+)")
_DROPPED = re.compile(r"drops +(\d+)")
_TO = re.compile(r"to:\[(\d+):")
_PATIENCE_S = 10.0
ROUTER = """\
unmanaged: [ pg* ]
interfaces:
  eth0: { mtu: 1500, addresses: [ 192.0.2.1/24 ]VRF }
  eth1: { mtu: 1500, addresses: [ 198.51.100.1/24 ], neighbors: { 198.51.100.2: "02:00:00:00:00:02" } }
  eth2: { mtu: 1500, addresses: [ 203.0.113.1/24 ], neighbors: { 203.0.113.2: "02:00:00:00:00:03" } }
"""
SHARED = """\
routes:
  10.0.0.0/8: { via: [ { gateway: 198.51.100.2, weight: 3 }, 203.0.113.2 ] }
"""


def apply(vpp: RealVpp, text: str, folder: Path) -> None:
    """Bring VPP to a file, and see that it is there."""
    file = folder / "router.yaml"
    file.write_text(text)
    words = ["-q", "-a", str(vpp.socket_path), "-c", str(file)]
    assert main(["apply", "-y", "--allow-mass-deletion", "--again", *words]) == ExitCode.DONE
    assert main(["plan", "--detailed-exitcode", *words]) == ExitCode.DONE


def send(vpp: RealVpp, destination: str = "10.1.2.3") -> None:
    """Have packets of many flows come in by eth0, and wait until all have been forwarded."""
    for line in (
        "clear interfaces",
        f"packet-generator new {{ name s limit {COUNT} {STREAM.replace('10.1.2.3', destination)} }}",
        "packet-generator enable-stream s",
    ):
        assert vpp.cli(line) == (0, ""), line
    deadline = time.monotonic() + _PATIENCE_S
    while f"{COUNT}" not in vpp.cli("show packet-generator")[1] and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(0.2)
    assert vpp.cli("packet-generator delete s") == (0, "")


def sent(vpp: RealVpp, name: str) -> int:
    """Return how many packets have left by an interface."""
    match = _SENT.search(vpp.cli(f"show interface {name}")[1])
    return int(match[1]) if match else 0


def counted(vpp: RealVpp, prefix: str) -> int:
    """Return how many packets the route of a prefix has had."""
    return max(int(number) for number in _TO.findall(vpp.cli(f"show ip fib {prefix}")[1]))


def test_two_next_hops_share_by_weight_and_one_alone_takes_all(vpp: RealVpp, tmp_path: Path) -> None:
    apply(vpp, ROUTER.replace("VRF", "") + SHARED, tmp_path)
    send(vpp)
    first, second = sent(vpp, "eth1"), sent(vpp, "eth2")
    assert first + second == COUNT
    assert 0.65 < first / COUNT < 0.85, (first, second)
    assert vpp.cli("set interface state eth1 down") == (0, "")
    send(vpp)
    assert (sent(vpp, "eth1"), sent(vpp, "eth2")) == (0, COUNT)
    assert vpp.cli("set interface state eth1 up") == (0, "")
    send(vpp)
    assert sent(vpp, "eth1") + sent(vpp, "eth2") == COUNT
    assert 0.65 < sent(vpp, "eth1") / COUNT < 0.85


def test_the_next_hop_of_a_lower_preference_waits_for_the_other_to_go(vpp: RealVpp, tmp_path: Path) -> None:
    hops = "[ 198.51.100.2, { gateway: 203.0.113.2, preference: 1 } ]"
    apply(vpp, f"{ROUTER.replace('VRF', '')}routes: {{ 10.0.0.0/8: {{ via: {hops} }} }}\n", tmp_path)
    send(vpp)
    assert (sent(vpp, "eth1"), sent(vpp, "eth2")) == (COUNT, 0)
    assert vpp.cli("set interface state eth1 down") == (0, "")
    send(vpp)
    assert (sent(vpp, "eth1"), sent(vpp, "eth2")) == (0, COUNT)
    assert vpp.cli("set interface state eth1 up") == (0, "")


def test_a_leak_between_vrfs_forwards(vpp: RealVpp, tmp_path: Path) -> None:
    leaks = "vrfs: { red: { id: 10, routes: { 10.0.0.0/8: { via: { vrf: default } } } } }\n"
    apply(vpp, ROUTER.replace("VRF", ", vrf: red") + leaks + "routes: { 10.0.0.0/8: 203.0.113.2 }\n", tmp_path)
    send(vpp)
    assert (sent(vpp, "eth1"), sent(vpp, "eth2")) == (0, COUNT)
    send(vpp, "11.0.0.1")
    assert (sent(vpp, "eth1"), sent(vpp, "eth2")) == (0, 0)


@since("24.10")
def test_a_blackhole_drops_in_silence_and_counts(vpp: RealVpp, tmp_path: Path) -> None:
    apply(vpp, f"{ROUTER.replace('VRF', '')}routes: {{ 0.0.0.0/0: 203.0.113.2, 10.0.0.0/8: blackhole }}\n", tmp_path)
    before = counted(vpp, "10.0.0.0/8")
    send(vpp)
    assert counted(vpp, "10.0.0.0/8") - before == COUNT
    assert [sent(vpp, name) for name in ("eth0", "eth1", "eth2")] == [0, 0, 0]
    dropped = int((_DROPPED.search(vpp.cli("show interface eth0")[1]) or [0, 0])[1])
    assert COUNT <= dropped < COUNT + 100, "a few frames of Linux may be among them"


def test_a_changed_route_loses_no_packet(vpp: RealVpp, tmp_path: Path) -> None:
    """The next hops are replaced in one message; a stream runs on while the file goes to and fro."""
    base = ROUTER.replace("VRF", "")
    one, other = (f"{base}routes: {{ 10.0.0.0/8: {hop} }}\n" for hop in ("198.51.100.2", "203.0.113.2"))
    apply(vpp, one, tmp_path)
    assert vpp.cli("clear interfaces") == (0, "")
    assert vpp.cli(f"packet-generator new {{ name s limit 0 rate 20000 {STREAM} }}") == (0, "")
    assert vpp.cli("packet-generator enable-stream s") == (0, "")
    for text in (other, one, other):
        apply(vpp, text, tmp_path)
    assert vpp.cli("packet-generator disable-stream s") == (0, "")
    time.sleep(0.3)
    generated = int((re.search(r"^s +\S+ +(\d+)", vpp.cli("show packet-generator")[1], re.MULTILINE) or [0, 0])[1])
    assert generated > 1000
    assert sent(vpp, "eth1") > 0
    assert sent(vpp, "eth1") + sent(vpp, "eth2") == generated
    assert vpp.cli("packet-generator delete s") == (0, "")
