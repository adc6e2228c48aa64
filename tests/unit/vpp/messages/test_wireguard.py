"""WireGuard, as a VPP tells of it and is told."""

import pytest

from tests.simulated_vpp import connected
from tests.wireguard_keys import PEERS, PRESHARED, PRIVATE, PUBLIC
from vppcfg.errors import DataplaneError
from vppcfg.kinds.wireguard.operations import AddWireguardPeer, CreateWireguard, DeleteWireguard, RemoveWireguardPeer
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.wireguard import Wireguard, WireguardPeer
from vppcfg.operations.operation import Operation
from vppcfg.simulator.kind import Call
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.vpp.messages.readable import api_call

TUNNEL = Wireguard(local="192.0.2.1", port=51820, public_key=PUBLIC[0])
PEER = WireguardPeer(
    allowed_ips=("10.7.0.2/32", "2001:db8::/64"),
    endpoint="198.51.100.1",
    port=51821,
    keepalive_s=25,
    encap_vrf=7,
    preshared=PRESHARED[1],
)
PLAIN = WireguardPeer(allowed_ips=("10.7.0.3/32",))
MAKE = (
    CreateWireguard(interface="wg3", instance=3, tunnel=TUNNEL),
    AddWireguardPeer(interface="wg3", public_key=PEERS[0], peer=PEER),
    AddWireguardPeer(interface="wg3", public_key=PEERS[1], peer=PLAIN),
)


def test_what_is_made_is_read_by_name_and_key() -> None:
    with connected(SimulatedVpp()) as plane:
        assert plane.perform(MAKE).done == (0, 1, 2)
        state = plane.observe()
        (tunnel,) = state.virtual_as(Wireguard).values()
        assert (tunnel, tunnel.peers) == (state.virtual["wg3"], {PEERS[0]: PEER, PEERS[1]: PLAIN})
        assert (tunnel.outer_table, state.interfaces["wg3"].kind) == (7, InterfaceKind.WIREGUARD)
        assert plane.perform([RemoveWireguardPeer(interface="wg3", public_key=PEERS[0])]).done == (0,)
        assert plane.observe().virtual_as(Wireguard)["wg3"].peers == {PEERS[1]: PLAIN}
        assert plane.perform([DeleteWireguard(interface="wg3")]).done == (0,)
        assert plane.observe().virtual == {}


@pytest.mark.parametrize(("flags", "has_spoken"), [(0, False), (1, False), (2, True)])
def test_a_peer_with_a_session_has_spoken_and_a_dead_one_has_not(
    flags: int, has_spoken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    details, more = Call.details, {"peer.flags": flags}
    monkeypatch.setattr(
        Call, "details", lambda call, values: details(call, values | more if "peer.port" in values else values)
    )
    with connected(SimulatedVpp()) as plane:
        plane.perform(MAKE[::2])
        assert plane.observe().virtual_as(Wireguard)["wg3"].peers[PEERS[1]].has_spoken is has_spoken


def test_keys_are_told_to_who_asks_for_them_alone() -> None:
    with connected(SimulatedVpp()) as plane:
        plane.perform(MAKE)
        assert plane.read_keys() == {PUBLIC[0]: PRIVATE[0], PRESHARED[1]: PRIVATE[1]}
        state = repr(plane.observe())
        assert not any(repr(key)[2:-1] in state for key in PRIVATE)


def test_nothing_is_sent_without_the_key() -> None:
    vpp = SimulatedVpp()
    with connected(vpp, {}) as plane:
        with pytest.raises(DataplaneError, match="the key of"):
            plane.perform(MAKE)
        assert plane.observe().virtual == {}


def test_a_vpp_before_26_06_has_peers_without_preshared_keys() -> None:
    with connected(SimulatedVpp(release="24.10")) as plane:
        assert plane.perform([MAKE[0], MAKE[2]]).done == (0, 1)
        state = plane.observe()
        assert state.virtual_as(Wireguard)["wg3"].peers == {PEERS[1]: PLAIN}
        assert {"wireguard", "wireguard_preshared_key"} & state.facts.plugins == {"wireguard"}
        with pytest.raises(DataplaneError, match=r"has no field peer\.preshared_key"):
            plane.perform([MAKE[1]])


def test_a_vpp_without_the_plugin_has_none() -> None:
    with connected(SimulatedVpp(plugins=["acl"])) as plane:
        assert plane.observe().virtual == {}
        assert plane.read_keys() == {}
        assert not {"wireguard", "wireguard_preshared_key"} & plane.observe().facts.plugins


@pytest.mark.parametrize("operation", MAKE[:2])
def test_messages_that_are_shown_have_the_name_of_a_key_in_its_place(operation: Operation) -> None:
    name, arguments = api_call(operation)
    (secret,) = [value for path, value in arguments.items() if path.endswith(("private_key", "preshared_key"))]
    assert secret in {f"<the key of {known}>" for known in (PUBLIC[0], PRESHARED[1])}, name
