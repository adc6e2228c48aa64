"""What a file has NAT44 and DET44 make of the first packet of a connection."""

from typing import Any

import pytest

from tests.live.test_object_probe import DET44, NAT44
from tests.unit.probe.networks import state_of
from vppcfg.app.rehearsing import neighbors_to_add, with_neighbors
from vppcfg.common.packets import GRE, TCP
from vppcfg.probe.forwarding import predict
from vppcfg.probe.frame import Frame, Packet
from vppcfg.probe.network import Network
from vppcfg.probe.outcome import Fate, Reason, UndecidedError
from vppcfg.probe.test_cases import probes_for

OUT, IN, RED, PLAIN = (f"GigabitEthernet1/0/{number}" for number in range(4))
WORLD, HOST, SERVER = "203.0.113.254", "192.168.1.254", "192.168.1.20"
SYN = {"protocol": TCP, "tcp_flags": 2}
Ends = set[tuple[Fate | Reason, str, str]]


def network_of(text: str) -> Network:
    """Return the network of a file, with the neighbours of a rehearsal."""
    state = state_of(text)
    return Network(with_neighbors(state, neighbors_to_add(Network(state))))


def ends_of(network: Network, port: str, source: str, destination: str, **more: Any) -> Ends:
    """Return how the ways end of which VPP takes one, each with the addresses of what leaves."""
    packet = Packet(source=source, destination=destination, **more)
    frame = Frame(destination=network.mac_of(port), source="02:00:00:00:00:09", packet=packet)
    return {
        (end.reason or end.fate, end.source, end.destination)
        for choice in predict(network, port, frame).choices
        for end, _ in choice.ends
    }


def sent(source: str, destination: str) -> Ends:
    return {(Fate.SENT, source, destination)}


DROPPED: Ends = {(Reason.NO_TRANSLATION, "", "")}
POOL = ("203.0.113.2", "203.0.113.10", "203.0.113.11", "203.0.113.12")
OF_NAT44: dict[str, tuple[str, str, str, dict[str, Any], Ends]] = {
    "by any address of the pool": (IN, HOST, WORLD, {}, {end for own in POOL for end in sent(own, WORLD)}),
    "by that of its VRF": (RED, "192.168.2.254", WORLD, {}, sent("203.0.113.20", WORLD)),
    "by that of its mapping": (IN, "192.168.1.30", WORLD, {}, sent("203.0.113.31", WORLD)),
    "by that of its port": (IN, SERVER, WORLD, {"ports": (53, 9)}, sent("203.0.113.30", WORLD)),
    "to what is not outside": (IN, HOST, "10.3.0.254", {}, sent(HOST, "10.3.0.254")),
    "to the router": (IN, HOST, "192.168.1.1", {}, {(Fate.KEPT, "", "")}),
    "to a port": (OUT, WORLD, "203.0.113.2", {**SYN, "ports": (1, 80)}, sent(WORLD, SERVER)),
    "to a whole address": (OUT, WORLD, "203.0.113.31", {"ports": (1, 7)}, sent(WORLD, "192.168.1.30")),
    "to another port": (OUT, WORLD, "203.0.113.2", {**SYN, "ports": (1, 81)}, DROPPED),
    "to an exempt port": (OUT, WORLD, "203.0.113.2", {"ports": (1, 500)}, {(Fate.KEPT, "", "")}),
    "to a host inside": (OUT, WORLD, HOST, {}, DROPPED),
    "at its last hop": (OUT, WORLD, "203.0.113.2", {"ttl": 1}, {(Reason.EXPIRED, "", "")}),
    "by no interface of NAT": (PLAIN, "10.3.0.254", HOST, {}, sent("10.3.0.254", HOST)),
}
OF_DET44: dict[str, tuple[str, str, str, dict[str, Any], Ends]] = {
    "a host has its address": (IN, "100.64.0.254", "192.0.2.254", {}, sent("203.0.113.7", "192.0.2.254")),
    "wherever it goes": (IN, "100.64.0.1", "10.3.0.254", {}, sent("203.0.113.4", "10.3.0.254")),
    "a host of no map": (IN, "198.51.100.7", "192.0.2.254", {}, DROPPED),
    "what nobody has asked for": (OUT, "192.0.2.254", "203.0.113.7", {}, DROPPED),
}


@pytest.mark.parametrize(
    ("text", "case"), [*((NAT44, each) for each in OF_NAT44), *((DET44, each) for each in OF_DET44)]
)
def test_a_connection_begins_with_the_addresses_of_the_file(text: str, case: str) -> None:
    port, source, destination, more, ends = {**OF_NAT44, **OF_DET44}[case]
    assert ends_of(network_of(text), port, source, destination, **more) == ends


def test_without_an_address_for_it_a_host_is_dropped_and_one_without_a_table_serves_all() -> None:
    only_red = NAT44.replace("{ interface: GigabitEthernet1/0/0 }\n", "{ range: 203.0.113.21, vrf: red }\n", 1)
    only_red = only_red.replace("    - { range: 203.0.113.10-203.0.113.12 }\n", "")
    assert ends_of(network_of(only_red), IN, HOST, WORLD) == DROPPED
    shared = NAT44.replace("    - { range: 203.0.113.20, vrf: red }\n", "")
    assert {source for _, source, _ in ends_of(network_of(shared), RED, "192.168.2.254", WORLD)} == set(POOL)


@pytest.mark.parametrize(
    ("change", "packet", "why"),
    [
        (("", ""), {"protocol": GRE}, "sessions"),
        (("", ""), {"protocol": TCP, "tcp_flags": 0x10}, "begin with SYN"),
        (("192.168.1.1/24 ], nat44: inside", "192.168.1.1/24 ], nat44: both"), {}, "both sides"),
        (("10.3.0.1/24 ] }", "10.3.0.1/24 ], nat44: output }"), {}, "several tables"),
        (("nat44:\n", "nat44:\n  sessions: 64\n"), {}, "so few sessions"),
    ],
)
def test_what_sessions_decide_is_left_open(change: tuple[str, str], packet: dict[str, Any], why: str) -> None:
    with pytest.raises(UndecidedError, match=why):
        ends_of(network_of(NAT44.replace(*change)), IN, HOST, WORLD, **packet)


def test_what_leaves_by_an_interface_that_translates_on_the_way_out_is_left_open() -> None:
    network = network_of(NAT44.replace("nat44: outside", "nat44: output").replace(", nat44: inside", ""))
    with pytest.raises(UndecidedError, match="what leaves there"):
        ends_of(network, IN, HOST, WORLD)


def test_frames_are_about_each_of_its_objects() -> None:
    for text, kinds in ((NAT44, 9), (DET44, 2)):
        found = probes_for(network_of(text))
        assert [each for each in found.unproved if "nat44-" in each.about.subject] == []
        assert (
            len({each.about.subject for each in found.probes if each.about.subject.startswith(("nat44-", "DET44"))})
            == kinds
        )
        assert not [words for words, _ in found.untested if "NAT" in words or "DET44" in words]
