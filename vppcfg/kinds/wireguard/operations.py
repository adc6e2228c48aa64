"""Operations on WireGuard interfaces and their peers (plugins/wireguard). None holds a secret, only its name."""

from __future__ import annotations

from dataclasses import replace

from vppcfg.model.kinds import as_created
from vppcfg.model.secret_key import key_bytes
from vppcfg.model.state import State
from vppcfg.model.vrf import LAST_TYPED
from vppcfg.model.wireguard import Wireguard, WireguardPeer
from vppcfg.operations.operation import CreateInterface, DeleteInterface, InterfaceOperation, Predicate, missing_table
from vppcfg.operations.request import Indexes, Request, Value, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.codec import address_values

ADD_PEER = ("wireguard_peer_add_v2", "wireguard_peer_add")
"""Newest first; v2 came in 26.06, and takes preshared keys."""


@record
class CreateWireguard(CreateInterface):
    """wireguard_interface_create: create `wgN` without peers, down."""

    instance: int
    tunnel: Wireguard
    """Its peers do not count."""

    def _refusal(self, working: WorkingState) -> str | None:
        other = working.virtual_alike(self.tunnel)
        return f"{other} listens on port {self.tunnel.port}" if other else None

    def apply_to(self, working: WorkingState) -> None:
        working.create_interface(as_created(self.interface, Wireguard.kind))
        working.enter_virtual(self.interface, replace(self.tunnel, peers={}))

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values: dict[str, Value] = {
            "interface.user_instance": self.instance,
            "interface.private_key": vpp.secret(self.tunnel.public_key),
            "interface.port": self.tunnel.port,
            **address_values("interface.src_ip", self.tunnel.local),
        }
        return Request("wireguard_interface_create", values)

    def cli(self) -> str:
        """Return the command (wireguard_cli.c), without the secret."""
        tunnel = self.tunnel
        private_key = _withheld("private key", tunnel.private_key_file, f"that gives {tunnel.public_key}")
        line = f"wireguard create listen-port {tunnel.port} private-key {private_key} src {tunnel.local}"
        return f"{line} instance {self.instance}"


@record
class DeleteWireguard(DeleteInterface):
    """wireguard_interface_delete: delete an interface, with its peers."""

    virtual = Wireguard

    def apply_to(self, working: WorkingState) -> None:
        tunnel = working.virtual_of(self.interface, Wireguard)
        DeleteInterface.apply_to(self, working)
        for key in tunnel.peers if tunnel is not None else ():
            working.peers.pop(key, None)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("wireguard_interface_delete", {"sw_if_index": indexes.interface(self.interface)})

    def cli(self) -> str:
        return f"wireguard delete {self.interface}"


@record
class AddWireguardPeer(InterfaceOperation):
    """wireguard_peer_add: add a peer, whose key no other one in VPP has; with a preshared key from 26.06 on."""

    public_key: str
    peer: WireguardPeer

    def _refusal(self, working: WorkingState) -> str | None:
        tunnel = working.virtual_of(self.interface, Wireguard)
        if tunnel is None:
            return f"{self.interface} is no {Wireguard.noun}"
        table = replace(tunnel, peers={self.public_key: self.peer}).needed_table
        if table is not None and (missing := missing_table(table, working)):
            return missing
        holder = working.peers.get(self.public_key)
        return f"{holder} has the peer {self.public_key}" if holder is not None else None

    def apply_to(self, working: WorkingState) -> None:
        tunnel = working.virtual_of(self.interface, Wireguard)
        assert tunnel is not None
        working.enter_virtual(self.interface, replace(tunnel, peers={**tunnel.peers, self.public_key: self.peer}))
        working.peers[self.public_key] = self.interface

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        peer = self.peer
        values: dict[str, Value] = {
            "peer.sw_if_index": indexes.interface(self.interface),
            "peer.public_key": key_bytes(self.public_key),
            "peer.port": peer.port,
            "peer.persistent_keepalive": peer.keepalive_s,
            "peer.table_id": peer.encap_vrf,
            **(address_values("peer.endpoint", peer.endpoint) if peer.endpoint else {}),
        }
        if peer.preshared:
            values |= {"peer.preshared_key": vpp.secret(peer.preshared), "peer.preshared_key_set": 1}
        return Request(vpp.newest(ADD_PEER), values, "peer.allowed_ips", [_prefix(text) for text in peer.allowed_ips])

    def cli(self) -> str | None:
        """Return the command, without the secret."""
        peer = self.peer
        if peer.encap_vrf > LAST_TYPED:
            return None
        words = [f"wireguard peer add {self.interface} public-key {self.public_key}"]
        if peer.preshared:
            secret = _withheld("preshared key", peer.preshared_key_file, f"with {peer.preshared}")
            words.append(f"preshared-key {secret}")
        words += [f"endpoint {peer.endpoint} dst-port {peer.port}"] if peer.endpoint else []
        words += [f"allowed-ip {prefix}" for prefix in peer.allowed_ips]
        words += [f"persistent-keepalive {peer.keepalive_s}"] if peer.keepalive_s else []
        return " ".join([*words, f"table-id {peer.encap_vrf}"] if peer.encap_vrf else words)

    def effect(self, observed: State, desired: State) -> Predicate:
        return Predicate("gets a changed peer", "get changed peers")


@record
class RemoveWireguardPeer(InterfaceOperation):
    """wireguard_peer_remove: remove a peer, which VPP finds by a number that the next one may get."""

    public_key: str

    def _refusal(self, working: WorkingState) -> str | None:
        tunnel = working.virtual_of(self.interface, Wireguard)
        is_there = tunnel is not None and self.public_key in tunnel.peers
        return None if is_there else f"{self.interface} has no peer {self.public_key}"

    def apply_to(self, working: WorkingState) -> None:
        tunnel = working.virtual_of(self.interface, Wireguard)
        assert tunnel is not None
        others = {key: peer for key, peer in tunnel.peers.items() if key != self.public_key}
        working.enter_virtual(self.interface, replace(tunnel, peers=others))
        working.peers.pop(self.public_key, None)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("wireguard_peer_remove", {"peer_index": indexes.peer(self.public_key)})

    def cli(self) -> None:
        """Return None: the prompt removes peers by number."""

    def effect(self, observed: State, desired: State) -> Predicate:
        after = desired.virtual_of(self.interface, Wireguard)
        if after is not None and self.public_key in after.peers:
            return Predicate("gets a changed peer", "get changed peers")
        return Predicate("loses a peer", "lose peers", ("", ""))


def _prefix(text: str) -> dict[str, Value]:
    address, _, length = text.partition("/")
    return {**address_values("address", address), "len": int(length)}


def _withheld(what: str, file: str, otherwise: str) -> str:
    """Return what stands in the place of a secret; VPP's prompt refuses the line as long as it stands there."""
    return f"<{what} of {file}>" if file else f"<{what} {otherwise}>"
