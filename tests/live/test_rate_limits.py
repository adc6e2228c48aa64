"""What passes a rate limit on a real VPP: IPv4 and IPv6, tagged and not, routed and switched, and while it changes."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real_vpp import RealVpp, running
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

PORTS = ("eth0", "eth1", "eth2", "eth3")
RATE_KBPS, BURST, SECONDS, SIZE, PPS = 8000, 50_000, 2.0, 1000, 4000
ALLOWED = RATE_KBPS * 125 * SECONDS + BURST
"""Bytes that pass while packets come at four times the rate."""
FILE = """
interfaces:
  eth0:
    addresses: [ 10.0.0.1/24, "2001:db8::1/64" ]
    police: {rate}
    sub-interfaces: {{ 100: {{ addresses: [ 10.0.100.1/24 ], police: {rate} }} }}
  eth1: {{ addresses: [ 10.0.1.1/24, "2001:db8:1::1/64" ], neighbors: {{ 10.0.1.2: {mac}, "2001:db8:1::2": {mac} }} }}
  eth2: {{ police: {rate} }}
  eth3: {{}}
bridgedomains: {{ bd10: {{ interfaces: [ eth2, eth3 ] }} }}
routes: {{ 0.0.0.0/0: 10.0.1.2, "::/0": "2001:db8:1::2" }}
policers: {{ slow: {{ rate: 8M, burst: 50k }}, slower: {{ rate: 4M, burst: 50k }} }}
unmanaged: [ "pg*" ]
"""
MAC = '"02:00:00:00:00:12"'
IP4 = "ip4-input", "UDP: 10.0.0.9 -> 203.0.113.1 UDP: 4000 -> 9 incrementing 900"
IP6 = "ip6-input", "UDP: 2001:db8::9 -> 2001:db8:9::1 UDP: 4000 -> 9 incrementing 900"
FRAMES = "ethernet-input", "IP4: 02:00:00:00:00:01 -> 02:00:00:00:00:02 incrementing 900"


@pytest.fixture(name="vpp", scope="module")
def running_vpp() -> Iterator[RealVpp]:
    with running(PORTS) as vpp:
        yield vpp


def apply(vpp: RealVpp, folder: Path, rate: str = "slow", text: str = FILE) -> None:
    """Apply the file, and hold VPP to having nothing left to do."""
    (file := folder / "router.yaml").write_text(text.format(rate=rate, mac=MAC))
    words = ["-q", "-a", str(vpp.socket_path), "-c", str(file)]
    assert main(["apply", "-y", *words]) == ExitCode.DONE
    assert main(["plan", "--detailed-exitcode", *words]) == ExitCode.DONE


def start(vpp: RealVpp, interface: str, node: str, data: str) -> None:
    count = int(PPS * SECONDS)
    line = f"packet-generator new {{ name s limit {count} rate {PPS} node {node} size {SIZE}-{SIZE}"
    assert vpp.cli(f"{line} interface {interface} data {{ {data} }} }}") == (0, "")
    vpp.cli("packet-generator enable-stream s")


def end(vpp: RealVpp) -> None:
    """Wait until all packets of the stream are through."""
    deadline = time.monotonic() + 60
    while "Yes" in vpp.cli("show packet-generator")[1]:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    vpp.cli("packet-generator delete s")


def sent(vpp: RealVpp, name: str) -> int:
    match = re.search(r"tx packets\s+(\d+)", vpp.cli(f"show interface {name}")[1])
    return int(match[1]) if match else 0


@pytest.mark.parametrize(
    ("interface", "stream", "out"),
    [("eth0", IP4, "eth1"), ("eth0", IP6, "eth1"), ("eth0.100", IP4, "eth1"), ("eth2", FRAMES, "eth3")],
    ids=["IPv4", "IPv6", "tagged", "switched"],
)
def test_what_passes_is_the_rate_and_a_burst(
    vpp: RealVpp, tmp_path: Path, interface: str, stream: tuple[str, str], out: str
) -> None:
    apply(vpp, tmp_path)
    before = sent(vpp, out)
    started = time.monotonic()
    start(vpp, interface, *stream)
    end(vpp)
    passed, longest = (sent(vpp, out) - before) * SIZE, time.monotonic() - started
    assert 0.8 * ALLOWED < passed < 1.05 * (RATE_KBPS * 125 * max(longest, SECONDS) + BURST)


def test_a_change_has_no_moment_without_a_limit(vpp: RealVpp, tmp_path: Path) -> None:
    """The other rate has a full bucket; all that passes is the higher rate and both bursts."""
    apply(vpp, tmp_path)
    before = sent(vpp, "eth1")
    started = time.monotonic()
    start(vpp, "eth0", *IP4)
    apply(vpp, tmp_path, "slower")
    end(vpp)
    passed, longest = (sent(vpp, "eth1") - before) * SIZE, time.monotonic() - started
    assert passed < 1.05 * (RATE_KBPS * 125 * max(longest, SECONDS) + 2 * BURST)


HOSTS = """
interfaces:
  eth0:
    addresses: [ 10.0.0.1/24, "2001:db8::1/64" ]
    police-hosts:
      destination:
        203.0.113.10: {rate}
        203.0.113.64/26: {{ policer: {rate}, each: 32 }}
        2001:db8:9::/64: {rate}
    sub-interfaces:
      100: {{ addresses: [ 10.0.100.1/24 ], police-hosts: {{ source: {{ 10.0.100.9: {rate} }} }} }}
  eth2: {{}}
  eth3: {{}}
  eth1: {{ addresses: [ 10.0.1.1/24, "2001:db8:1::1/64" ], neighbors: {{ 10.0.1.2: {mac}, "2001:db8:1::2": {mac} }} }}
routes: {{ 0.0.0.0/0: 10.0.1.2, "::/0": "2001:db8:1::2" }}
policers: {{ slow: {{ rate: 8M, burst: 50k }} }}
unmanaged: [ "pg*" ]
"""


def frames(
    vpp: RealVpp, source: str, destination: str, tag: str = "", name: str = "eth0", ports: str = "4000 -> 9"
) -> tuple[str, str]:
    """Return a stream of whole frames to an interface: VPP looks at the bytes of the frame."""
    match = re.search(r"Ethernet address (\S+)", vpp.cli(f"show hardware-interfaces {name}")[1])
    assert match is not None
    kind = "IP6" if ":" in source else "IP4"
    head = f"{kind}: 02:00:00:00:00:01 -> {match[1]} {tag}"
    return "ethernet-input", f"{head} UDP: {source} -> {destination} UDP: {ports} incrementing 900"


def test_each_host_has_a_limit_of_its_own_and_others_have_none(vpp: RealVpp, tmp_path: Path) -> None:
    apply(vpp, tmp_path, text=HOSTS)
    cases = {
        "a host": (("10.0.0.9", "203.0.113.10"), True),
        "another one": (("10.0.0.9", "203.0.113.11"), False),
        "a host of a prefix": (("10.0.0.9", "203.0.113.70"), True),
        "its neighbour": (("10.0.0.9", "203.0.113.71"), True),
        "IPv6": (("2001:db8::9", "2001:db8:9::7"), True),
        "IPv6 of another prefix": (("2001:db8::9", "2001:db8:8::7"), False),
        "a tagged source": (("10.0.100.9", "203.0.113.10", "vlan 100"), True),
        "another tagged source": (("10.0.100.8", "203.0.113.10", "vlan 100"), False),
    }
    for what, (words, is_limited) in cases.items():
        before, started = sent(vpp, "eth1"), time.monotonic()
        start(vpp, "eth0", *frames(vpp, *words))
        end(vpp)
        passed, longest = (sent(vpp, "eth1") - before) * SIZE, time.monotonic() - started
        most = 1.05 * (RATE_KBPS * 125 * max(longest, SECONDS) + BURST)
        assert (0.8 * ALLOWED < passed < most) if is_limited else passed == PPS * SECONDS * SIZE, (what, passed)


NAT = """
interfaces:
  eth0:
    addresses: [ 10.0.0.1/24 ]
    neighbors: {{ 10.0.0.9: {mac} }}
    police-hosts: {{ source: {{ 10.0.0.9: {rate} }} }}
    {inside}
  eth1:
    addresses: [ 10.0.1.1/24 ]
    neighbors: {{ 10.0.1.2: {mac} }}
    nat44: {outside}
    police-hosts: {{ destination: {{ 10.0.0.9: {rate} }} }}
routes: {{ 0.0.0.0/0: 10.0.1.2 }}
nat44: {{ pools: [ {{ interface: eth1 }} ], exempt: {{}} }}
policers: {{ slow: {{ rate: 8M, burst: 50k }} }}
unmanaged: [ "pg*", eth2, eth3 ]
"""


@pytest.mark.parametrize(
    ("inside", "outside", "is_limited_upstream"),
    [("nat44: inside", "outside", False), ("", "output", True)],
    ids=["inside and outside", "output"],
)
def test_nat44_hides_hosts_inside_from_limits_on_what_they_send(
    vpp: RealVpp, tmp_path: Path, inside: str, outside: str, is_limited_upstream: bool
) -> None:
    """The rule `police-hosts-nat`; what comes back has its destination before the limits."""
    text = NAT.replace("{inside}", inside).replace("{outside}", outside)
    apply(vpp, tmp_path, text=text)
    for name, words, ports, is_limited in (
        ("eth0", ("10.0.0.9", "203.0.113.1"), "4000 -> 9", is_limited_upstream),
        ("eth1", ("203.0.113.1", "10.0.1.1"), "9 -> 4000", True),
    ):
        out = "eth1" if name == "eth0" else "eth0"
        before = sent(vpp, out)
        start(vpp, name, *frames(vpp, *words, name=name, ports=ports))
        end(vpp)
        share = (sent(vpp, out) - before) / (PPS * SECONDS)
        assert share > 0.1 and (share < 0.9) == is_limited, name


def test_a_real_vpp_takes_the_example(tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "docs" / "examples" / "rate-limits.yaml"
    with running(("GigabitEthernet1/0/0", "GigabitEthernet3/0/0")) as vpp:
        words = ["-a", str(vpp.socket_path), "-c", str(example)]
        assert main(["apply", "-qy", *words]) == ExitCode.DONE
        assert main(["plan", "--detailed-exitcode", *words]) == ExitCode.DONE


def test_watch_finds_whatever_somebody_does_to_limits_and_apply_sets_it_anew(vpp: RealVpp, tmp_path: Path) -> None:
    host = "vppcfg:slow:eth0>203.0.113.10"
    for line in (
        f"configure policer name {host} cir 8000 cb 50000 rate pps conform-action transmit",
        f"policer del name {host}",
        "classify session del table-index {table} match l3 ip4 dst 203.0.113.10",
        "delete sub-interface eth0.100",
    ):
        apply(vpp, tmp_path, text=HOSTS)
        (table,) = re.findall(r"(\d+)\s+eth0$", vpp.cli("show classify policer type ip4")[1], re.MULTILINE)
        assert vpp.cli(line.format(table=table)) == (0, ""), line
        words = ["watch", "--once", "-a", str(vpp.socket_path), "-c", str(tmp_path / "router.yaml")]
        assert main(words) == ExitCode.DRIFT, line
        apply(vpp, tmp_path, text=HOSTS)
        assert main(words) == ExitCode.DONE, line
