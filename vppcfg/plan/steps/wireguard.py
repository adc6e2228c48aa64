"""Which peers a WireGuard gets and loses; one that is to be otherwise is removed and added."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vppcfg.model.wireguard import Wireguard, WireguardPeer
from vppcfg.plan.operations import AddWireguardPeer, RemoveWireguardPeer
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.transition import Transition


def peer_steps(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the steps that change the peers of a WireGuard; those of one that is deleted go with it."""
    before, after = transition.observed.making(name, Wireguard), transition.desired.making(name, Wireguard)
    kept = before.peers if before is not None and name not in transition.doomed else {}
    wanted = after.beside(before).peers if after is not None else {}
    if after is not None:
        yield from _changes(name, kept, wanted)


def _changes(name: str, kept: Mapping[str, WireguardPeer], wanted: Mapping[str, WireguardPeer]) -> Iterator[Step]:
    for key in sorted(kept):
        if wanted.get(key) != kept[key]:
            yield Step(stage=Stage.REMOVE_PEER, operation=RemoveWireguardPeer(interface=name, public_key=key))
    for key in sorted(wanted):
        if kept.get(key) != wanted[key]:
            add = AddWireguardPeer(interface=name, public_key=key, peer=wanted[key])
            yield Step(stage=Stage.ADD_PEER, operation=add)
