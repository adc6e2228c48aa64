"""What the small services do with real packets on a real VPP, not only what VPP lists of them."""

import re
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.real_vpp import RealVpp, release, running, since
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

PORTS = ("eth0", "eth1", "eth2")
COUNT = 20
ROUTED = """
interfaces:
  eth0: {{ addresses: [ 10.0.0.1/24 ]{eth0} }}
  eth1: {{ addresses: [ 10.0.1.1/24 ], neighbors: {{ 10.0.1.2: "02:00:00:00:00:12" }}{eth1} }}
  eth2: {{ addresses: [ 10.0.2.1/24 ], neighbors: {{ 10.0.2.2: "02:00:00:00:00:22" }} }}
routes: {{ 0.0.0.0/0: 10.0.1.2 }}
unmanaged: [ "pg*" ]
{more}
"""


@pytest.fixture(name="vpp")
def vpp_with_ports() -> Iterator[RealVpp]:
    with running(PORTS) as vpp:
        yield vpp


def apply(vpp: RealVpp, folder: Path, text: str, *options: str) -> None:
    """Apply a file, and hold VPP to having nothing left to do."""
    (file := folder / "router.yaml").write_text(text)
    words = ["-q", "-a", str(vpp.socket_path), "-c", str(file)]
    assert main(["apply", "-y", *options, *words]) == ExitCode.DONE
    assert main(["plan", "--detailed-exitcode", *words]) == ExitCode.DONE


def routed(*, eth0: str = "", eth1: str = "", more: str = "") -> str:
    keys = {"eth0": f", {eth0}" if eth0 else "", "eth1": f", {eth1}" if eth1 else ""}
    return ROUTED.format(**keys, more=more)


def send(vpp: RealVpp, data: str, *, node: str = "ip4-input", size: int = 64, trace: int = 0) -> str:
    """Let packets arrive at eth0, wait until all of them are through, and return their trace."""
    vpp.cli("clear trace")
    if trace:
        vpp.cli(f"trace add pg-input {trace}")
    line = f"packet-generator new {{ name s limit {COUNT} node {node} size {size}-{size} interface eth0"
    assert vpp.cli(f"{line} data {{ {data} }} }}") == (0, ""), line
    vpp.cli("packet-generator enable-stream s")
    until(lambda: re.search(rf"^s\s+\S*No\s+{COUNT}\b", vpp.cli("show packet-generator")[1], re.MULTILINE) is not None)
    vpp.cli("packet-generator delete s")
    return vpp.cli("show trace")[1] if trace else ""


def until(is_so: Callable[[], bool]) -> None:
    """Wait until something is so; fail after half a minute."""
    deadline = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def udp(destination: str = "203.0.113.1", port: int = 9) -> str:
    return f"UDP: 10.0.0.9 -> {destination} UDP: 4000 -> {port} incrementing 20"


def left(vpp: RealVpp, act: Callable[[], object]) -> dict[str, int]:
    """Return how many packets have left by eth1 and eth2 while something was done."""
    before = {name: _sent(vpp, name) for name in PORTS[1:]}
    act()
    return {name: _sent(vpp, name) - before[name] for name in PORTS[1:]}


def _sent(vpp: RealVpp, name: str) -> int:
    found = re.search(r"tx packets +(\d+)", vpp.cli(f"show interface {name}")[1])
    return int(found[1]) if found else 0


def test_a_cross_connect_of_l3_takes_all_packets_and_follows_a_change(vpp: RealVpp, tmp_path: Path) -> None:
    apply(vpp, tmp_path, routed())
    assert left(vpp, lambda: send(vpp, udp())) == {"eth1": COUNT, "eth2": 0}
    crossed = "l3xc: { ipv4: { interface: %s, gateway: 10.0.%d.2 } }"
    apply(vpp, tmp_path, routed(eth0=crossed % ("eth2", 2)))
    assert left(vpp, lambda: send(vpp, udp())) == {"eth1": 0, "eth2": COUNT}
    apply(vpp, tmp_path, routed(eth0=crossed % ("eth1", 1)))
    assert left(vpp, lambda: send(vpp, udp())) == {"eth1": COUNT, "eth2": 0}
    apply(vpp, tmp_path, routed(eth0="l3xc: {}"))
    assert left(vpp, lambda: send(vpp, udp())) == {"eth1": COUNT, "eth2": 0}


def test_what_the_router_has_no_use_for_is_redirected(vpp: RealVpp, tmp_path: Path) -> None:
    """A packet to an own address and a port without a listener is punted."""
    mine = udp("10.0.0.1", 4711)
    apply(vpp, tmp_path, routed())
    assert left(vpp, lambda: send(vpp, mine))["eth2"] == 0
    redirect = "punt-redirect: { ipv4: { interface: eth2, gateway: 10.0.2.2 } }"
    vpp.cli("set punt ipv4 udp all")
    apply(vpp, tmp_path, routed(eth0=redirect))
    trace = send(vpp, mine, trace=1)
    assert "ip4-punt-redirect" in trace
    assert "eth2" in trace[trace.index("ip4-punt-redirect") :]
    apply(vpp, tmp_path, routed(eth0="punt-redirect: {}"))
    assert "ip4-punt-redirect" not in send(vpp, mine, trace=1)


def test_marks_are_recorded_and_written_by_a_map(vpp: RealVpp, tmp_path: Path) -> None:
    maps = "qos_maps: { 1: { ip: { 0: 46, 184: 40 } } }"
    apply(vpp, tmp_path, routed(eth0="qos: { record: [ ip ] }", eth1="qos: { mark: { ip: 1 } }", more=maps))
    trace = send(vpp, udp(), trace=1)
    assert "ip4-qos-record" in trace
    assert "ip4-qos-mark" in trace
    assert re.search(r"tos 0x2e", trace[trace.index("ip4-qos-mark") :]) is not None, trace
    apply(vpp, tmp_path, routed(eth0="qos: {}", eth1="qos: {}", more="qos_maps: {}"))
    assert "tos 0x2e" not in send(vpp, udp(), trace=1)


_FRAMES = """
import socket
with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sent:
    sent.bind(("veth0-peer", 0))
    for _ in range(400):
        sent.send(bytes.fromhex("020000000001 020000000099 0800") + bytes(60))
"""


@since("25.02")
def test_of_what_a_port_receives_one_packet_in_so_many_is_sampled(vpp: RealVpp, tmp_path: Path) -> None:
    """The packets come by the wire: those of the packet generator do not pass the feature."""

    def counted() -> dict[str, int]:
        vpp.cli("clear errors")
        vpp.cli("clear interfaces")
        subprocess.run(["nsenter", "--target", str(vpp.pid), "--net", sys.executable, "-c", _FRAMES], check=True)
        until(lambda: re.search(r"rx packets +[4-9]\d\d", vpp.cli("show interface eth0")[1]) is not None)
        found = re.findall(r"^ *(\d+) +sflow +sflow packets (\w+)", vpp.cli("show errors")[1], re.MULTILINE)
        return {what: int(number) for number, what in found}

    apply(vpp, tmp_path, routed(eth0="sflow: true", more="sflow: { sampling-rate: 10 }"))
    until(lambda: counted().get("processed", 0) >= 400)  # VPP starts to sample a moment later
    found = counted()
    assert 10 <= found["sampled"] <= 160, found
    apply(vpp, tmp_path, routed())
    assert counted() == {}


def test_a_path_mtu_has_larger_packets_refused(vpp: RealVpp, tmp_path: Path) -> None:
    to_neighbor = udp("10.0.1.2")
    apply(vpp, tmp_path, routed())
    assert left(vpp, lambda: send(vpp, to_neighbor, size=600)) == {"eth1": COUNT, "eth2": 0}
    apply(vpp, tmp_path, routed(more="path-mtu: { 10.0.1.2: 300 }"))
    assert left(vpp, lambda: send(vpp, to_neighbor, size=200)) == {"eth1": COUNT, "eth2": 0}
    trace = send(vpp, to_neighbor, size=600, trace=1)
    assert "ip4-frag" in trace, trace
    apply(vpp, tmp_path, routed(more="path-mtu: {}"))
    assert "ip4-frag" not in send(vpp, to_neighbor, size=600, trace=1)


def test_a_path_mtu_behind_a_router_drops_what_may_not_be_cut(vpp: RealVpp, tmp_path: Path) -> None:
    apply(vpp, tmp_path, routed(more="path-mtu: { 10.0.1.2: 300 }"))
    assert left(vpp, lambda: send(vpp, unfragmentable("10.0.1.2", 200), size=200)) == {"eth1": COUNT, "eth2": 0}
    assert left(vpp, lambda: send(vpp, unfragmentable("10.0.1.2", 600), size=600)) == {"eth1": 0, "eth2": 0}
    apply(vpp, tmp_path, routed(more="path-mtu: { 203.0.113.1: 300 }"))
    assert left(vpp, lambda: send(vpp, udp(), size=200)) == {"eth1": COUNT, "eth2": 0}
    if release() < "26.02":
        return  # VPP may crash at such a packet (4f1697ffb2e)
    trace = send(vpp, unfragmentable("203.0.113.1", 200), size=200, trace=1)
    assert "ip4-pmtu-dpo: can't fragment this packet" in trace
    assert "ip4-icmp-error" in trace, trace


@pytest.mark.parametrize("has_key", [True, False])
def test_a_path_mtu_of_a_host_on_a_link_outlasts_that_the_link_goes_and_comes(
    vpp: RealVpp, tmp_path: Path, *, has_key: bool
) -> None:
    key = "path-mtu: { 10.0.1.7: 300 }"
    apply(vpp, tmp_path, routed(more=key))

    def is_for_a_neighbor() -> bool:
        """Return whether VPP looks for the host on the link, and does not drop what must not be fragmented."""
        trace = send(vpp, unfragmentable("10.0.1.7", 200), size=200, trace=1)
        return "ip4-pmtu-dpo" not in trace and "ip4-arp" in trace

    assert is_for_a_neighbor()
    apply(vpp, tmp_path, routed(more=key if has_key else "").replace("10.0.1.1/24", "10.0.1.4/24"))
    assert is_for_a_neighbor()
    words = ["-q", "-a", str(vpp.socket_path)]
    assert main(["rollback", "-y", *words]) == ExitCode.DONE
    assert is_for_a_neighbor()


def test_a_path_mtu_behind_a_router_gives_each_ipv6_packet_a_fragment_header(vpp: RealVpp, tmp_path: Path) -> None:
    text = """
interfaces:
  eth0: { addresses: [ "2001:db8::1/64" ] }
  eth1: { addresses: [ "2001:db8:1::1/64" ], neighbors: { "2001:db8:1::2": "02:00:00:00:00:12" } }
  eth2: {}
routes: { "::/0": "2001:db8:1::2" }
unmanaged: [ "pg*" ]
"""
    data = "UDP: 2001:db8::9 -> 2001:db8:9::9 UDP: 4000 -> 9 incrementing 20"
    apply(vpp, tmp_path, text)
    assert "IPV6_FRAGMENTATION" not in send(vpp, data, node="ip6-input", size=200, trace=1)
    apply(vpp, tmp_path, text + 'path-mtu: { "2001:db8:9::9": 1400 }\n')
    assert "IPV6_FRAGMENTATION" in send(vpp, data, node="ip6-input", size=200, trace=1)


def unfragmentable(destination: str, size: int) -> str:
    """Return a UDP packet with "don't fragment" (RFC 791), as the packet generator takes it."""
    addresses = socket.inet_aton("10.0.0.9"), socket.inet_aton(destination)
    head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, size, 1, 0x4000, 64, 17, 0, *addresses)
    total = sum(struct.unpack("!10H", head))
    checksum = 0xFFFF - (total % 0xFFFF or 0xFFFF)
    return "hex 0x" + (head[:10] + struct.pack("!H", checksum) + head[12:] + bytes(size - len(head))).hex()


def test_a_bridge_domain_answers_for_an_address_by_itself(vpp: RealVpp, tmp_path: Path) -> None:
    if release() < "26.02":
        pytest.skip("before 5fe2bbeea79, generated frames come in by the port of the packet generator")
    text = """
interfaces: { eth0: {}, eth1: {}, eth2: {} }
unmanaged: [ "pg*" ]
bridgedomains:
  bd10:
    interfaces: [ eth0, eth1 ]
    settings: { arp-termination: true }
    arp-entries: { 10.9.0.5: "02:00:00:00:00:05" }
"""
    apply(vpp, tmp_path, text)
    request = "0001080006040001" + "020000000009" + "0a090009" + "000000000000" + "0a0900%02x"
    asked = f"ARP: 02:00:00:00:00:09 -> ff:ff:ff:ff:ff:ff hex 0x{request}"
    known = asked % 5
    trace = send(vpp, known, node="ethernet-input", trace=1)
    assert "arp-term-l2bd" in trace
    assert "02:00:00:00:00:05/10.9.0.5" in trace, trace
    unknown = asked % 6
    # What Linux sends by itself behind a port is flooded, too.
    assert left(vpp, lambda: send(vpp, unknown, node="ethernet-input"))["eth1"] >= COUNT
    assert left(vpp, lambda: send(vpp, known, node="ethernet-input"))["eth1"] < COUNT


def test_a_relay_hands_requests_to_its_server(vpp: RealVpp, tmp_path: Path) -> None:
    relay = "dhcp-relay: { ipv4: { servers: [ 10.0.1.2 ], source: 10.0.0.1 } }"
    options = "0x01010600" + "00" * 232 + "63825363" + "350101" + "ff" + "00" * 60
    asked = f"UDP: 0.0.0.0 -> 255.255.255.255 UDP: 68 -> 67 hex {options}"
    apply(vpp, tmp_path, routed())
    assert "dhcp-proxy-to-server" not in send(vpp, asked, size=400, trace=1)
    apply(vpp, tmp_path, routed(more=relay))
    trace = send(vpp, asked, size=400, trace=1)
    assert "dhcp-proxy-to-server" in trace
    assert left(vpp, lambda: send(vpp, asked, size=400))["eth1"] == COUNT


def solicitation(host: str) -> str:
    """Return a neighbour solicitation of 2001:db8::9 as hexadecimal digits: a whole frame."""
    source, target = (socket.inet_pton(socket.AF_INET6, each) for each in ("2001:db8::9", host))
    group = socket.inet_pton(socket.AF_INET6, "ff02::1:ff00:0")[:13] + target[13:]
    option = bytes.fromhex("0101020000000009")
    body = struct.pack("!BBHI", 135, 0, 0, 0) + target + option
    total = sum(struct.unpack(f"!{(40 + len(body)) // 2}H", source + group + struct.pack("!II", len(body), 58) + body))
    total = (total >> 16) + (total & 0xFFFF)
    body = body[:2] + struct.pack("!H", ~((total >> 16) + total) & 0xFFFF) + body[4:]
    header = struct.pack("!IHBB", 6 << 28, len(body), 58, 255) + source + group
    return (bytes.fromhex("3333") + group[12:] + bytes.fromhex("02000000000986dd") + header + body).hex()


def test_the_router_answers_solicitations_for_a_host_behind_it(vpp: RealVpp, tmp_path: Path) -> None:
    """The host is behind eth1, and asked for on eth0; another host is not answered for."""
    text = """
interfaces:
  eth0: {{ addresses: [ 10.0.0.1/24, "2001:db8::1/64" ] }}
  eth1: {{ addresses: [ "2001:db8:1::1/64" ]{proxy} }}
  eth2: {{}}
unmanaged: [ "pg*" ]
"""
    asked, other = (f"hex 0x{solicitation(host)}" for host in ("2001:db8::5", "2001:db8::6"))
    answers = "icmp6-neighbor-solicitation", "eth0-output"

    def answered(data: str) -> bool:
        trace = send(vpp, data, node="ethernet-input", size=86, trace=1)
        assert answers[0] in trace, trace
        return answers[1] in trace

    apply(vpp, tmp_path, text.format(proxy=""))
    assert not answered(asked)
    apply(vpp, tmp_path, text.format(proxy=', nd-proxy: [ "2001:db8::5" ]'))
    assert answered(asked)
    assert not answered(other)
    assert "2001:db8::5 eth1" in vpp.cli("show ip6 fib table 0 2001:db8::5/128")[1]
    apply(vpp, tmp_path, text.format(proxy=""))
    assert not answered(asked)
    assert "IPv6-proxy-nd" not in vpp.cli("show ip6 fib table 0 2001:db8::5/128")[1]


def test_a_typed_proxy_is_taken_over_by_a_file_and_kept_over_a_recreation(vpp: RealVpp, tmp_path: Path) -> None:
    """What somebody typed on an interface that a plan recreates is set again, and adopt has it written down."""
    text = """
interfaces:
  eth0:
    sub-interfaces:
      7: {{ encapsulation: {{ dot1q: {tag}, exact-match: true }}, addresses: [ "2001:db8::1/64" ]{proxy} }}
  eth1: {{}}
  eth2: {{}}
unmanaged: [ "pg*" ]
"""
    shown = "show ip6 fib table 0 2001:db8::5/128"
    apply(vpp, tmp_path, text.format(tag=1, proxy=""))
    assert vpp.cli("set ip6 nd proxy eth0.7 2001:db8::5") == (0, "")
    apply(vpp, tmp_path, text.format(tag=2, proxy=""))
    assert "2001:db8::5 eth0.7" in vpp.cli(shown)[1]
    adopted = tmp_path / "adopted.yaml"
    assert main(["adopt", "-q", "-a", str(vpp.socket_path), "-o", str(adopted)]) in {ExitCode.DONE, ExitCode.DIFFERENT}
    assert "nd-proxy: [ '2001:db8::5' ]" in adopted.read_text()
    apply(vpp, tmp_path, text.format(tag=2, proxy=', nd-proxy: [ "2001:db8::5" ]'))
    apply(vpp, tmp_path, text.format(tag=2, proxy=""))
    assert "IPv6-proxy-nd" not in vpp.cli(shown)[1]


def test_a_vrf_is_deleted_with_its_path_mtus_and_vpp_goes_on(vpp: RealVpp, tmp_path: Path) -> None:
    """VPP 26.10 ends when a FIB table goes in which the removal of a path MTU has left its entry."""
    mtus = '{ 203.0.113.7: 1400, 198.51.100.7: 1400, "2001:db8:7::7": 1400 }'
    routes = "routes: { 198.51.100.0/24: { via: { gateway: 10.0.7.2, interface: eth0 } } }"
    with_vrf = f"""
interfaces: {{ eth0: {{ vrf: red, addresses: [ 10.0.7.1/24 ] }}, eth1: {{}}, eth2: {{}} }}
vrfs: {{ red: {{ id: 10, path-mtu: {mtus}, {routes} }} }}
"""
    without = "interfaces: { eth0: {}, eth1: {}, eth2: {} }\n"
    process = vpp.cli("show version verbose")[1]
    for _ in range(2):
        apply(vpp, tmp_path, with_vrf)
        apply(vpp, tmp_path, without, "--lose-unmanaged")
    assert vpp.cli("show version verbose")[1] == process
    assert "VRF:10" not in vpp.cli("show ip table")[1] + vpp.cli("show ip6 table")[1]
