"""Completes the MTUs of an adopted state: a port or member without one gets the MTU that the script sets beside it.

A file has one MTU for a bond and its members, for a bridge domain and its BVI, and for both ends of a cross-connect.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from vppcfg.adopt.as_applied import has_free_link_mtu
from vppcfg.model.bond import Bond
from vppcfg.model.bridge import bridge_name
from vppcfg.model.interface import Interface
from vppcfg.model.state import State

_WHY = "a file has one MTU for {whole}: `apply` gives {names} that of this line too"


def with_common_mtus(state: State, chosen: Collection[str]) -> tuple[State, Mapping[str, str]]:
    """Return a state with these MTUs, and the interfaces whose line has set it for others, each with what it means.

    `chosen` are the interfaces whose MTU a script sets.
    """
    interfaces = dict(state.interfaces)
    reasons: dict[str, str] = {}
    for whole, names in _groups(state):
        mtus = {interfaces[name].packet_mtu: name for name in names if name in chosen}
        open_ones = [name for name in names if name not in chosen]
        if len(mtus) != 1:
            continue
        ((mtu, source),) = mtus.items()
        changed = [name for name in open_ones if interfaces[name].packet_mtu != mtu]
        for name in changed:
            interfaces[name] = _with_mtu(interfaces[name], mtu)
        if changed:
            reasons[source] = _WHY.format(whole=whole, names=", ".join(changed))
    return replace(state, interfaces=interfaces), reasons


def _groups(state: State) -> Iterator[tuple[str, list[str]]]:
    """Yield what has one MTU in a file: what it is, and its interfaces."""
    for name, bond in state.virtual_as(Bond).items():
        yield name, [name, *(member for member in bond.members if member in state.interfaces)]
    members: dict[str, list[str]] = {}
    for interface in state.interfaces.values():
        if interface.bridge is not None:
            members.setdefault(bridge_name(interface.bridge), []).append(interface.name)
        if interface.l2xc is not None and interface.l2xc in state.interfaces:
            yield f"both ends of a cross-connect, {interface.name}", [interface.name, interface.l2xc]
    yield from members.items()


def _with_mtu(interface: Interface, mtu: int) -> Interface:
    link_mtu = mtu if has_free_link_mtu(interface) else interface.link_mtu
    return replace(interface, packet_mtu=mtu, link_mtu=link_mtu)
