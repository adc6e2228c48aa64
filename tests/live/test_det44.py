"""DET44 with real packets on a real VPP: out and back, who has a port, how full the tables are, and off for good."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.live.nat44_wire import ICMP, SYN_ACK, TCP, UDP, Packet, Wire, wires
from tests.real_vpp import RealVpp
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

PORTS = ("eth0", "eth1")
WORLD, HOST, OTHER = "192.0.2.1", "100.64.0.70", "100.64.0.71"
MAC = "02:00:00:00:00:aa"
Ends = tuple[Wire, Wire]
ROUTER = f"""
interfaces:
  eth0: {{ addresses: [ 192.0.2.2/24 ], neighbors: {{ {WORLD}: "{MAC}" }}OUTSIDE }}
  eth1: {{ addresses: [ 100.64.0.1/24 ], neighbors: {{ {HOST}: "{MAC}", {OTHER}: "{MAC}" }}INSIDE }}
"""
TRANSLATING = ROUTER.replace("OUTSIDE", ", det44: outside").replace("INSIDE", ", det44: inside") + (
    "det44: { maps: { 100.64.0.0/24: 203.0.113.4/30 } }\n"
)
PLAIN = ROUTER.replace("OUTSIDE", "").replace("INSIDE", "") + "det44: {}\n"


@pytest.fixture
def ends(vpp: RealVpp) -> Iterator[Ends]:
    """Return the world and the hosts inside."""
    with wires(vpp, 2) as (world, inside):
        yield world, inside


@pytest.fixture
def apply(vpp: RealVpp, tmp_path: Path) -> Callable[[str], None]:
    """Return what applies a file, and holds the next plan to nothing."""

    def run(text: str) -> None:
        (file := tmp_path / "router.yaml").write_text(text)
        words = ["-q", "-a", str(vpp.socket_path), "-c", str(file)]
        assert main(["apply", "-y", "--again", *words]) == ExitCode.DONE
        assert main(["plan", "--detailed-exitcode", *words]) == ExitCode.DONE

    return run


def passed(sender: Wire, packet: Packet, receiver: Wire) -> Packet:
    """Return what of a packet comes out elsewhere."""
    sender.send(packet)
    found = receiver.receive(lambda each: each.protocol == packet.protocol)
    assert found is not None, packet
    return found


def asked(vpp: RealVpp, capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    """Return what `vppcfg nat` writes as JSON, having held its text to 80 columns."""
    capsys.readouterr()
    common = ["-a", str(vpp.socket_path)]
    assert main(["-q", "nat", *words, *common]) == ExitCode.DONE
    assert max(len(line) for line in capsys.readouterr().out.splitlines()) <= 80
    assert main(["-q", "nat", *words, "--json", *common]) == ExitCode.DONE
    return json.loads(capsys.readouterr().out)


def test_packets_go_out_and_come_back_and_their_hosts_are_named(
    vpp: RealVpp, ends: Ends, apply: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    world, inside = ends
    apply(TRANSLATING)
    for protocol, port in ((UDP, 4000), (TCP, 4001), (ICMP, 77)):
        out = passed(inside, Packet(protocol, HOST, port, WORLD, 80 if protocol != ICMP else port), world)
        assert (out.source, out.destination) == ("203.0.113.5", WORLD)
        assert 1024 + 6 * 1008 <= out.source_port < 1024 + 7 * 1008
        world.send(out.answer(SYN_ACK), is_reply=True)
        back = inside.receive(lambda each: each.source == WORLD)
        assert back is not None
        assert (back.destination, back.destination_port) == (HOST, port)
        if protocol == ICMP:
            continue
        (holder,) = asked(vpp, capsys, "who", f"203.0.113.5:{out.source_port}")["holders"]
        assert (holder["host"], holder["certainty"]) == (HOST, "configured")
        assert (holder["first_port"], holder["last_port"]) == (7072, 8079)
        (session,) = holder["sessions"]
        assert (session["host_port"], session["remote"], session["remote_port"]) == (port, WORLD, 80)
    use = asked(vpp, capsys, "sessions", "--all-hosts")["det44"]
    assert use["maps"] == [
        {"name": "100.64.0.0/24 to 203.0.113.4/30", "hosts": 256, "ports_per_host": 1008, "sessions": 3}
    ]
    assert use["top"] == [{"host": HOST, "sessions": 3}]
    assert use["unread_hosts"] == 0


@pytest.mark.parametrize("port", [1023, 1024, 7071, 7072, 8079, 8080, 65535])
def test_vpp_names_the_host_that_the_map_gives_a_port_to(
    vpp: RealVpp, apply: Callable[[str], None], capsys: pytest.CaptureFixture[str], port: int
) -> None:
    apply(TRANSLATING)
    holders = asked(vpp, capsys, "who", f"203.0.113.5:{port}")["holders"]
    lines = vpp.cli(f"det44 reverse 203.0.113.5:{port}")[1].split()
    if port == 1023:
        assert holders == []
        return
    assert [each["host"] for each in holders] == lines
    (holder,) = holders
    share = f"203.0.113.5:<{holder['first_port']}-{holder['last_port']}>"
    assert vpp.cli(f"det44 forward {holder['host']}")[1].strip() == share


def test_without_det44_packets_pass_as_they_are(vpp: RealVpp, ends: Ends, apply: Callable[[str], None]) -> None:
    """VPP's own removal leaves the feature on twice, and then drops what comes from inside."""
    world, inside = ends
    for _ in range(2):
        apply(TRANSLATING)
        assert passed(inside, Packet(UDP, OTHER, 4000, WORLD, 53), world).source == "203.0.113.5"
        apply(PLAIN)
        assert passed(inside, Packet(UDP, OTHER, 4000, WORLD, 53), world).source == OTHER
        assert passed(world, Packet(UDP, WORLD, 53, OTHER, 4000), inside).source == WORLD


def test_an_outside_address_answers_arp_while_another_outside_interface_leaves(
    vpp: RealVpp, apply: Callable[[str], None]
) -> None:
    both = TRANSLATING.replace("det44: inside", "det44: outside")
    apply(both)
    assert "203.0.113.4/30" in vpp.cli("show ip fib table 0 203.0.113.4/30")[1]
    apply(TRANSLATING)
    assert "203.0.113.4/30" in vpp.cli("show ip fib table 0 203.0.113.4/30")[1]
