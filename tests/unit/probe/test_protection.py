"""What a tunnel sends that IPsec protects, and what of it in clear text is a fault."""

from dataclasses import replace

import pytest

from tests.live.test_rehearsal import PROTECTION
from tests.unit.probe.networks import state_of
from vppcfg.probe.forwarding import predict
from vppcfg.probe.frame import Frame, Inside, Packet
from vppcfg.probe.network import Network
from vppcfg.probe.outcome import Fate, FrameEnd, UndecidedError
from vppcfg.probe.trace import Names, Node, Observation, observe_path
from vppcfg.probe.transients import transient_of, watched_frames

TEXT = """\
interfaces:
  eth0: { mtu: 1500, addresses: [ 192.0.2.1/24 ] }
  eth1: { mtu: 1500, addresses: [ 198.51.100.1/24 ], neighbors: { 198.51.100.9: "02:00:00:00:00:99" } }
  ipip0: { mtu: 1400, addresses: [ 10.9.9.1/30 ] }
ipip_tunnels: { ipip0: { local: 198.51.100.1, remote: 198.51.100.9 } }
"""


@pytest.fixture(scope="module")
def network() -> Network:
    return Network(replace(state_of(TEXT), unmanaged=(PROTECTION,)))


def ends(network: Network, port: str, packet: Packet) -> list[tuple[Fate, bool]]:
    frame = Frame(destination=network.mac_of(port), source="02:00:00:00:00:09", packet=packet)
    return [(end.fate, end.is_encrypted) for end, _ in predict(network, port, frame).ends]


def test_what_goes_into_a_protected_tunnel_leaves_encrypted(network: Network) -> None:
    packet = Packet(source="192.0.2.9", destination="10.9.9.2")
    assert ends(network, "eth0", packet) == [(Fate.SENT, True)]
    assert ends(Network(replace(network.state, unmanaged=())), "eth0", packet) == [(Fate.SENT, False)]
    with pytest.raises(UndecidedError, match="how long"):
        ends(network, "eth0", replace(packet, size=1400))


def test_whether_a_protected_tunnel_takes_clear_text_is_left_open(network: Network) -> None:
    inside = Inside(packet=Packet(source="10.9.9.2", destination="10.9.9.1"))
    with pytest.raises(UndecidedError, match="protected"):
        ends(network, "eth1", Packet(source="198.51.100.9", destination="198.51.100.1", protocol=4, inside=inside))


def test_a_trace_shows_whether_it_is_encrypted_and_clear_text_is_let_through(network: Network) -> None:
    frame = next(
        each for each in watched_frames(network, network) if any(end.is_encrypted for end, _ in each.after.ends)
    )
    (wanted, _), *_ = frame.after.ends
    text = "  eth1 flags 0x0\n  IP4: 02:00:00:00:01:01 -> 02:00:00:00:00:99\n  IP: "
    text += f"{wanted.source} -> {wanted.destination}"
    names = Names(interfaces={}, tables={}, access_lists={}, bonds={})
    found = []
    for protocol in ("IPSEC_ESP", "IP_IN_IP"):
        nodes = (Node(name="eth1-output", text=text.replace(" IP:", f" {protocol}:") + "\n    tos 0x00, ttl 63"),)
        found.append(transient_of(frame, observe_path(nodes, names), 3, ()))
    encrypted, clear = found
    assert encrypted is None
    assert clear is not None
    assert clear.is_let_through
    assert clear.text.endswith(" in clear text")
    lost = transient_of(frame, Observation(steps=(), ends=frozenset({FrameEnd(fate=Fate.DROPPED)})), 3, ())
    assert lost is not None
    assert not lost.is_let_through
