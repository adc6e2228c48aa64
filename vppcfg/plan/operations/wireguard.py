"""WireGuard interfaces and their peers (plugins/wireguard). No operation holds a secret, only what it goes by."""

from __future__ import annotations

from dataclasses import replace

from vppcfg.model.kinds import as_created
from vppcfg.model.wireguard import Wireguard, WireguardPeer
from vppcfg.plan.draft import Draft
from vppcfg.plan.operation import CreateInterface, DeleteInterface, InterfaceOperation, missing_table
from vppcfg.record import record


@record
class CreateWireguard(CreateInterface):
    """wireguard_interface_create: make `wgN` without peers, born down."""

    instance: int
    tunnel: Wireguard
    """Its peers do not count."""

    def _refusal(self, draft: Draft) -> str | None:
        other = draft.made_alike(self.tunnel)
        return f"{other} listens on port {self.tunnel.port}" if other else None

    def carry_out(self, draft: Draft) -> None:
        """Enter the interface."""
        draft.add_interface(as_created(self.interface, Wireguard.kind))
        draft.enter_made(self.interface, replace(self.tunnel, peers={}))


@record
class DeleteWireguard(DeleteInterface):
    """wireguard_interface_delete: remove an interface, with its peers."""

    making = Wireguard

    def carry_out(self, draft: Draft) -> None:
        """Take the interface and its peers out."""
        tunnel = draft.making(self.interface, Wireguard)
        DeleteInterface.carry_out(self, draft)
        for key in tunnel.peers if tunnel is not None else ():
            draft.peers.pop(key, None)


@record
class AddWireguardPeer(InterfaceOperation):
    """wireguard_peer_add: add a peer, whose key no other one in VPP has; with a preshared key from 26.06 on."""

    public_key: str
    peer: WireguardPeer

    def _refusal(self, draft: Draft) -> str | None:
        tunnel = draft.making(self.interface, Wireguard)
        if tunnel is None:
            return f"{self.interface} is no {Wireguard.noun}"
        table = replace(tunnel, peers={self.public_key: self.peer}).needed_table
        if table is not None and (missing := missing_table(table, draft)):
            return missing
        holder = draft.peers.get(self.public_key)
        return f"{holder} has the peer {self.public_key}" if holder is not None else None

    def carry_out(self, draft: Draft) -> None:
        """Enter the peer."""
        tunnel = draft.making(self.interface, Wireguard)
        assert tunnel is not None
        draft.enter_made(self.interface, replace(tunnel, peers={**tunnel.peers, self.public_key: self.peer}))
        draft.peers[self.public_key] = self.interface


@record
class RemoveWireguardPeer(InterfaceOperation):
    """wireguard_peer_remove: remove a peer, which VPP finds by a number that the next one may get."""

    public_key: str

    def _refusal(self, draft: Draft) -> str | None:
        tunnel = draft.making(self.interface, Wireguard)
        is_there = tunnel is not None and self.public_key in tunnel.peers
        return None if is_there else f"{self.interface} has no peer {self.public_key}"

    def carry_out(self, draft: Draft) -> None:
        """Take the peer out."""
        tunnel = draft.making(self.interface, Wireguard)
        assert tunnel is not None
        others = {key: peer for key, peer in tunnel.peers.items() if key != self.public_key}
        draft.enter_made(self.interface, replace(tunnel, peers=others))
        draft.peers.pop(self.public_key, None)
