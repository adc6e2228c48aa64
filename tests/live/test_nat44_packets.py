"""NAT44 on a real VPP as packets feel it: hosts inside and outside, mappings, VRFs, and what is dropped and why."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.live.nat44_wire import ICMP, SYN, SYN_ACK, TCP, UDP, Packet, Wire, wires
from tests.real_vpp import RealVpp, release
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

PORTS = ("eth0", "eth1", "eth2")
OWN, WORLD, TWICE = "203.0.113.2", "203.0.113.1", "192.168.1.254"
HOST, SERVER, OTHER = "192.168.1.10", "192.168.1.20", "192.168.2.10"
MAC = "02:00:00:00:00:aa"
NEIGHBORS = f'{{ {WORLD}: "{MAC}" }}'
INSIDE = f'{{ {HOST}: "{MAC}", {SERVER}: "{MAC}" }}'


def router(nat44: str, *, outside: str = "outside", inside: str = "inside", own: str = OWN, red: str = "") -> str:
    inside_key = f", nat44: {inside}" if inside else ""
    third = f', vrf: red, addresses: [ 192.168.2.1/24 ], neighbors: {{ {OTHER}: "{MAC}" }}{red}'
    return f"""
interfaces:
  eth0: {{ addresses: [ {own}/24 ], neighbors: {NEIGHBORS}, nat44: {outside} }}
  eth1: {{ addresses: [ 192.168.1.1/24 ], neighbors: {INSIDE}{inside_key} }}
  eth2: {{ mtu: 1500{third} }}
vrfs: {{ red: {{ id: 10 }} }}
nat44: {nat44}
"""


POOL = "{ pools: [ { interface: eth0 } ] }"
_WEB = f'{{ web: {{ protocol: tcp, local: "{SERVER}:80", external: "eth0:80" }} }}'
MAPPED = f"{{ pools: [ {{ interface: eth0 }} ], static: {_WEB} }}"
Run = Callable[[str], str]


@pytest.fixture
def ends(vpp: RealVpp) -> Iterator[list[Wire]]:
    with wires(vpp, 3) as made:
        yield made


@pytest.fixture
def apply(vpp: RealVpp, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return what applies a file to a VPP without sessions, and holds the next plan to nothing."""

    def run(text: str) -> str:
        (file := tmp_path / "router.yaml").write_text(text)
        words = ["-q", "-a", str(vpp.socket_path), "-c", str(file)]
        capsys.readouterr()
        assert main(["apply", "-y", "--again", "--allow-mass-deletion", *words]) == ExitCode.DONE, capsys.readouterr()
        assert main(["plan", "--detailed-exitcode", *words]) == ExitCode.DONE, capsys.readouterr()
        return capsys.readouterr().out

    run(router("{}", inside="").replace(", nat44: outside", ""))
    return run


def errors(vpp: RealVpp, reason: str) -> int:
    """Return how often a node of NAT44 has dropped for a reason."""
    lines = vpp.cli("show errors")[1].splitlines()
    return sum(int(line.split()[0]) for line in lines if "nat44-ed" in line and reason in line)


def passed(sender: Wire, packet: Packet, receiver: Wire) -> Packet:
    """Return what of a packet comes out elsewhere."""
    sender.send(packet)
    found = receiver.receive(lambda each: each.protocol == packet.protocol)
    assert found is not None, packet
    return found


@pytest.mark.parametrize(
    "packet",
    [Packet(UDP, HOST, 4000, WORLD, 53), Packet(TCP, HOST, 4001, WORLD, 80), Packet(ICMP, HOST, 77, WORLD, 77)],
)
@pytest.mark.parametrize("sides", [("outside", "inside"), ("output", "")])
def test_out_and_back(sides: tuple[str, str], packet: Packet, apply: Run, ends: list[Wire]) -> None:
    apply(router(POOL, outside=sides[0], inside=sides[1]))
    out = passed(ends[1], packet, ends[0])
    assert (out.source, out.destination, out.destination_port) == (
        OWN,
        WORLD,
        out.source_port if packet.protocol == ICMP else packet.destination_port,
    )
    ends[0].send(out.answer(SYN_ACK), is_reply=True)
    back = ends[1].receive(lambda each: each.source == WORLD)
    assert back is not None
    assert (back.destination, back.destination_port) == (HOST, packet.source_port)


def test_every_host_leaves_by_each_of_two_uplinks_with_the_address_of_that(apply: Run, ends: list[Wire]) -> None:
    hosts = [f"192.168.1.{number}" for number in range(10, 18)]
    uplinks = {0: (OWN, WORLD), 2: ("198.51.100.2", "198.51.100.1")}
    lines = [
        f'eth{port}: {{ addresses: [ {own}/24 ], neighbors: {{ {gateway}: "{MAC}" }}, nat44: output }}'
        for port, (own, gateway) in uplinks.items()
    ]
    neighbors = ", ".join(f'{host}: "{MAC}"' for host in hosts)
    inside = f"eth1: {{ addresses: [ 192.168.1.1/24 ], neighbors: {{ {neighbors} }} }}"
    pools = ", ".join(f"{{ range: {own}, vrf: default }}" for own, _ in uplinks.values())
    ways = ", ".join(gateway for _, gateway in uplinks.values())
    apply(
        f"interfaces: {{ {', '.join([*lines, inside])} }}\n"
        f"routes: {{ 0.0.0.0/0: {{ via: [ {ways} ] }} }}\nnat44: {{ pools: [ {pools} ] }}\n"
    )
    used = set()
    for host in hosts:
        for port in range(5000, 5012):
            ends[1].send(Packet(UDP, host, port, "9.9.9.9", 53))
            found = [(port, out) for port in uplinks if (out := ends[port].receive(within_s=0.1))]
            assert [out.source for _, out in found] == [uplinks[port][0] for port, _ in found] and len(found) == 1
            ((uplink, out),) = found
            ends[uplink].send(out.answer(), is_reply=True)
            back = ends[1].receive()
            assert back is not None and back.destination == host
            used.add((host, uplink))
    assert len(used) == len(hosts) * len(uplinks)


def test_a_port_is_forwarded_and_others_are_not(apply: Run, ends: list[Wire], vpp: RealVpp) -> None:
    apply(router(f'{{ static: {{ web: {{ protocol: tcp, local: "{SERVER}:8080", external: "eth0:80" }} }} }}'))
    came = passed(ends[0], Packet(TCP, WORLD, 5000, OWN, 80), ends[1])
    assert came == Packet(TCP, WORLD, 5000, SERVER, 8080, SYN)
    back = passed(ends[1], came.answer(SYN_ACK), ends[0])
    assert (back.source, back.source_port) == (OWN, 80)
    before = errors(vpp, "no translation")
    ends[0].send(Packet(TCP, WORLD, 5001, OWN, 81))
    assert ends[1].receive(within_s=0.3) is None
    assert errors(vpp, "no translation") == before + 1


def test_an_own_port_is_dropped_unless_it_is_exempt(apply: Run, ends: list[Wire], vpp: RealVpp) -> None:
    probe = Packet(UDP, WORLD, 5000, OWN, 500)
    apply(router(POOL))
    before = errors(vpp, "no translation")
    ends[0].send(probe)
    time.sleep(0.2)
    assert errors(vpp, "no translation") == before + 1
    apply(router('{ pools: [ { interface: eth0 } ], exempt: { ike: { protocol: udp, local: "eth0:500" } } }'))
    before = errors(vpp, "no translation")
    ends[0].send(probe)
    time.sleep(0.2)
    assert errors(vpp, "no translation") == before


def test_forwarding_leaves_what_begins_inside_as_it_is_but_for_output(apply: Run, ends: list[Wire]) -> None:
    packet = Packet(UDP, HOST, 4000, WORLD, 53)
    apply(router("{ pools: [ { interface: eth0 } ], forwarding: true }"))
    assert passed(ends[1], packet, ends[0]).source == HOST
    apply(router("{ pools: [ { interface: eth0 } ], forwarding: true }", outside="output", inside=""))
    assert passed(ends[1], packet, ends[0]).source == OWN


def test_a_host_inside_reaches_a_mapping_from_inside(apply: Run, ends: list[Wire]) -> None:
    """Both ends are on one wire: the client appears by the outer address, so that answers come back to VPP."""
    apply(router(MAPPED))
    came = passed(ends[1], Packet(TCP, HOST, 4000, OWN, 80), ends[1])
    assert (came.destination, came.destination_port, came.source) == (SERVER, 80, OWN)
    back = passed(ends[1], came.answer(SYN_ACK), ends[1])
    known = OWN if release() >= "24.06" else SERVER  # 4c15c94b09f
    assert (back.source, back.source_port, back.destination, back.destination_port) == (known, 80, HOST, 4000)


def twice(kind: str) -> str:
    static = f'{{ protocol: tcp, local: "{SERVER}:80", external: "eth0:80", twice-nat: {kind} }}'
    return f"{{ pools: [ {{ interface: eth0 }}, {{ range: {TWICE}, twice-nat: true }} ], static: {{ web: {static} }} }}"


def test_twice_nat_gives_the_world_an_address_inside(apply: Run, ends: list[Wire]) -> None:
    apply(router(twice("true")))
    came = passed(ends[0], Packet(TCP, WORLD, 5000, OWN, 80), ends[1])
    assert (came.source, came.destination, came.destination_port) == (TWICE, SERVER, 80)


def test_self_twice_nat_is_for_the_mapped_host_alone(apply: Run, ends: list[Wire]) -> None:
    """Behind an inside interface that host appears by the outer address in any case."""
    apply(router(twice("self")))
    assert passed(ends[0], Packet(TCP, WORLD, 5000, OWN, 80), ends[1]).source == WORLD
    came = passed(ends[1], Packet(TCP, SERVER, 4000, OWN, 80), ends[1])
    assert (came.source, came.destination) == (OWN, SERVER)


def test_hosts_of_two_vrfs_have_addresses_of_their_own(apply: Run, ends: list[Wire]) -> None:
    pools = "{ pools: [ 203.0.113.8, { range: 203.0.113.9, vrf: red } ] }"
    apply(router(pools, red=", nat44: inside"))
    assert passed(ends[1], Packet(UDP, HOST, 4000, WORLD, 53), ends[0]).source == "203.0.113.8"
    out = passed(ends[2], Packet(UDP, OTHER, 4000, WORLD, 53), ends[0])
    assert out.source == "203.0.113.9"
    ends[0].send(out.answer())
    back = ends[2].receive(lambda each: each.source == WORLD)
    assert back is not None and (back.destination, back.destination_port) == (OTHER, 4000)


def test_a_vrf_with_an_empty_list_of_leaks_is_not_translated(apply: Run, ends: list[Wire]) -> None:
    apply(router("{ pools: [ 203.0.113.8 ], leaks: { red: [] } }", red=", nat44: inside"))
    ends[2].send(Packet(UDP, OTHER, 4000, WORLD, 53))
    assert ends[0].receive(lambda each: each.destination == WORLD, within_s=0.5) is None
    apply(router("{ pools: [ 203.0.113.8 ], leaks: { red: [ default ] } }", red=", nat44: inside"))
    assert passed(ends[2], Packet(UDP, OTHER, 4001, WORLD, 53), ends[0]).source == "203.0.113.8"


def test_ports_run_out_and_are_counted_by_name(apply: Run, ends: list[Wire], vpp: RealVpp) -> None:
    apply(router("{ pools: [ 203.0.113.8 ], sessions: 140000 }"))
    for port in range(1024, 65536):
        ends[1].send(Packet(UDP, HOST, port, WORLD, 53))
        if port % 256 == 0:
            time.sleep(0.002)
    time.sleep(1)
    before = errors(vpp, "out of ports")
    for port in range(2000, 2100):
        ends[1].send(Packet(UDP, SERVER, port, WORLD, 53))
    time.sleep(0.5)
    assert errors(vpp, "out of ports") > before


def test_sessions_run_out_and_are_counted_by_name(apply: Run, ends: list[Wire], vpp: RealVpp) -> None:
    apply(router("{ pools: [ 203.0.113.8 ], sessions: 64 }"))
    before = errors(vpp, "maximum sessions exceeded")
    for port in range(2000, 2400):
        ends[1].send(Packet(TCP, HOST, port, WORLD, 80))
    time.sleep(0.5)
    assert errors(vpp, "maximum sessions exceeded") > before


def test_a_session_ends_after_its_timeout(apply: Run, ends: list[Wire]) -> None:
    apply(router("{ pools: [ { interface: eth0 } ], timeouts: { udp: 1 } }"))
    out = passed(ends[1], Packet(UDP, HOST, 4000, WORLD, 53), ends[0])
    time.sleep(2.5)
    ends[0].send(out.answer())
    assert ends[1].receive(lambda each: each.source == WORLD, within_s=0.5) is None


def test_a_renumbered_outside_interface_translates_to_its_new_address(apply: Run, ends: list[Wire]) -> None:
    apply(router(MAPPED))
    assert passed(ends[1], Packet(UDP, HOST, 4000, WORLD, 53), ends[0]).source == OWN
    apply(router(MAPPED, own="203.0.113.3"))
    assert passed(ends[1], Packet(UDP, HOST, 4001, WORLD, 53), ends[0]).source == "203.0.113.3"
    assert passed(ends[0], Packet(TCP, WORLD, 5000, "203.0.113.3", 80), ends[1]).destination == SERVER


def test_a_change_of_sessions_names_how_many_are_lost(
    apply: Run, ends: list[Wire], vpp: RealVpp, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    apply(router("{ pools: [ 203.0.113.8 ], sessions: 1000 }"))
    for port in range(2000, 2017):
        ends[1].send(Packet(UDP, HOST, port, WORLD, 53))
    time.sleep(0.3)
    (file := tmp_path / "other.yaml").write_text(router("{ pools: [ 203.0.113.8 ], sessions: 2000 }"))
    main(["apply", "-a", str(vpp.socket_path), "-c", str(file)])
    shown = "".join(capsys.readouterr())
    assert "NAT44 is disabled and enabled again: all 17 NAT44 sessions are lost" in shown
    apply(router("{ pools: [ 203.0.113.8 ], sessions: 2000 }"))
    assert passed(ends[1], Packet(UDP, HOST, 3000, WORLD, 53), ends[0]).source == "203.0.113.8"


def lasting(sessions: list[Packet], sender: Wire, receiver: Wire, inside: str) -> int:
    """Return how many connections from outside still reach the host inside that they began with."""
    for each in sessions:
        sender.send(each)
    found = set()
    while (came := receiver.receive(lambda each: each.destination == inside, within_s=0.5)) is not None:
        found.add(came.source_port)
    return len(found & {each.source_port for each in sessions})


@pytest.mark.parametrize(
    ("protocol", "external", "lost"), [("protocol: tcp, ", ":80", 1), ("", "", 5)], ids=["port", "address"]
)
def test_open_connections_stay_at_a_forwarded_port_and_not_at_an_address(
    protocol: str, external: str, lost: int, apply: Run, ends: list[Wire], vpp: RealVpp
) -> None:
    """VPP ends the first session of a port alone (nat_ed_static_mapping_del_sessions); the plan may not say more."""
    address = "203.0.113.9"
    web = f'{{ web: {{ {protocol}local: "{SERVER}{external}", external: "{address}{external}" }} }}'
    apply(router(f"{{ pools: [ {address} ], static: {web} }}"))
    sessions = [Packet(TCP, WORLD, port, address, 80) for port in range(5000, 5005)]
    assert lasting(sessions, ends[0], ends[1], SERVER) == 5
    apply(router(f"{{ pools: [ {address} ] }}"))
    assert lasting(sessions, ends[0], ends[1], SERVER) == 5 - lost
    for each in sessions:
        vpp.cli(f"nat44 del session in {SERVER}:80 tcp external-host {WORLD}:{each.source_port}")
    assert lasting(sessions, ends[0], ends[1], SERVER) == 0
