"""What a file requires of ARP entries, virtual routers and DHCP relays, and how a trace shows it."""

import pytest

from tests.unit.probe.networks import state_of
from vppcfg.model.virtual_router import VirtualRouter, VrrpState
from vppcfg.probe.forwarding import predict
from vppcfg.probe.frame import ARP, BROADCAST, Frame, Packet, Tag, frame_bytes, frame_text
from vppcfg.probe.network import Network
from vppcfg.probe.outcome import Fate, FrameEnd, UndecidedError
from vppcfg.probe.test_cases import probes_for
from vppcfg.probe.trace import Names, Node, observe_path
from vppcfg.record import evolve

TEXT = """\
interfaces:
  eth0:
    mtu: 1500
    addresses: [ 192.0.2.1/24 ]
    vrrp: { 5: { addresses: [ 192.0.2.254 ] } }
    sub-interfaces: { 100: { addresses: [ 10.0.1.1/24 ], vrf: red, vrrp: { 7: { addresses: [ 10.0.1.254 ] } } } }
  eth1: { addresses: [ 198.51.100.1/24 ], neighbors: { 198.51.100.2: "02:00:00:00:00:02" } }
  eth2: {}
  eth3: {}
  eth4: {}
vrfs: { red: { id: 10, dhcp-relay: { ipv4: { servers: [ { address: 10.9.0.9, vrf: default } ], source: 10.0.1.1 } } } }
routes: { 10.9.0.0/16: 198.51.100.2 }
dhcp-relay: { ipv4: { servers: [ 198.51.100.9, 10.9.0.8 ], source: 192.0.2.1 } }
bridgedomains:
  bd10:
    interfaces: [ eth2, eth3 ]
    settings: { arp-termination: true }
    arp-entries: { 192.0.2.5: "02:00:00:00:00:05", "2001:db8::5": "02:00:00:00:00:06" }
  bd11: { interfaces: [ eth4 ], settings: { arp-termination: true } }
"""
ASKER = "02:00:5e:00:00:01"


@pytest.fixture(scope="module")
def network() -> Network:
    state = state_of(TEXT)
    masters = {name: evolve(each, state=VrrpState.MASTER) for name, each in state.of(VirtualRouter).items()}
    return Network(evolve(state, objects={**state.objects, VirtualRouter: masters}))


def asked(address: str, *tags: Tag) -> Frame:
    packet = Packet(source="198.51.100.77", destination=address, protocol=ARP)
    return Frame(destination=BROADCAST, source=ASKER, packet=packet, tags=tags)


@pytest.mark.parametrize(
    ("port", "frame", "interface", "mac"),
    [
        ("eth2", asked("192.0.2.5"), "eth2", "02:00:00:00:00:05"),
        ("eth0", asked("192.0.2.254"), "eth0", "00:00:5e:00:01:05"),
        ("eth0", asked("10.0.1.254", Tag(vlan=100)), "eth0.100", "00:00:5e:00:01:07"),
    ],
)
def test_a_request_is_answered_to_who_asks_and_reaches_nobody_else(
    network: Network, port: str, frame: Frame, interface: str, mac: str
) -> None:
    found = predict(network, port, frame)
    (end,) = (end for end, _ in found.ends)
    assert end == FrameEnd(fate=Fate.SENT, interface=interface, tags=frame.tags, destination_mac=ASKER)
    assert ("answered", "", f"{frame.packet.destination} {mac}") in {step.seen for step in found.steps}


@pytest.mark.parametrize(("port", "address"), [("eth2", "192.0.2.6"), ("eth4", "192.0.2.5"), ("eth0", "192.0.2.7")])
def test_who_answers_for_any_other_address_is_open(network: Network, port: str, address: str) -> None:
    with pytest.raises(UndecidedError):
        predict(network, port, asked(address))


def test_a_router_that_is_not_the_master_proves_nothing(network: Network) -> None:
    (name, *_) = network.state.of(VirtualRouter)
    backup = evolve(network.state.of(VirtualRouter)[name], state=VrrpState.BACKUP)
    state = evolve(network.state, objects={**network.state.objects, VirtualRouter: {name: backup}})
    with pytest.raises(UndecidedError, match="master"):
        predict(Network(state), "eth0", asked("192.0.2.254"))


def test_a_client_is_handed_to_every_server_in_the_table_of_each(network: Network) -> None:
    probes = [each for each in probes_for(network).probes if each.about.subject.startswith("DHCP relay")]
    assert [each.about.subject for each in probes] == [
        "DHCP relay 198.51.100.9 from 192.0.2.1",
        "DHCP relay 10.9.0.8 from 192.0.2.1",
        "DHCP relay 10.9.0.9 from 10.0.1.1 for table 10",
    ]
    ends = [{(end.fate, end.source, end.destination) for end, _ in each.prediction.ends} for each in probes]
    both = {(Fate.SENT, "192.0.2.1", "10.9.0.8"), (Fate.ASKED, "", "")}
    assert ends == [both, both, {(Fate.SENT, "10.0.1.1", "10.9.0.9")}]
    tables = [step.detail for step in probes[2].prediction.steps if step.kind == "looked up"]
    assert tables == ["10", "0"]


def test_what_frames_are_about_is_tried_and_the_rest_is_counted(network: Network) -> None:
    untested = dict(probes_for(network).untested)
    assert untested["ARP entries"] == 1, "that of IPv6"
    assert untested["ARP termination of bridge domains"] == 1, "that of bd11, which has no entry"
    assert not {"DHCP relays", "virtual routers"} & untested.keys()


def test_a_request_is_what_rfc_826_has() -> None:
    assert frame_text(asked("192.0.2.5")) == f"ARP request of 198.51.100.77 for 192.0.2.5 to {BROADCAST}"
    body = "0806 0001 0800 06 04 0001 02005e000001 c633644d 000000000000 c0000205"
    assert frame_bytes(asked("192.0.2.5")) == bytes.fromhex(f"ffffffffffff 02005e000001 {body}").ljust(60, b"\0")


def test_a_trace_shows_answers_and_servers() -> None:
    names = Names(interfaces={}, tables={}, access_lists={}, bonds={})
    reply = Node(
        name="eth0-output",
        text="  eth0 flags 0x1\n  ARP: 02:00:00:00:00:05 -> 02:00:5e:00:00:01\n"
        "  reply, type ethernet/IP4, address size 6/4\n"
        "  02:00:00:00:00:05/192.0.2.5 -> 02:00:5e:00:00:01/198.51.100.77",
    )
    found = observe_path((reply,), names)
    assert found.steps == (("sent", "eth0", ""), ("answered", "", "192.0.2.5 02:00:00:00:00:05"))
    assert [end.destination_mac for end in found.ends] == [ASKER]
    head = "  original_sw_if_index: 1, sw_if_index: 1\n  opcode:request server:0.0.0.0 gateway:192.0.2.1 cookie:99"
    relay = Node(name="dhcp-proxy-to-server", text=f"  DHCP proxy: sent to server 198.51.100.9\n{head}\n")
    found = observe_path((Node(name="ip4-receive", text=""), relay), names)
    assert found.steps == (("received", "", ""), ("relayed", "", "198.51.100.9 from 192.0.2.1"))
    assert found.ends == frozenset(), "it goes on"
    refused = evolve(relay, text=f"  DHCP proxy: sent to server 0.0.0.0\n  error: no DHCP server\n{head}\n")
    assert [end.fate for end in observe_path((Node(name="ip4-receive", text=""), refused), names).ends] == [Fate.KEPT]
