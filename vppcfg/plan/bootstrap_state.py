"""Two states that follow from another one: what of it a rollback can restore, and its ports without configuration."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from vppcfg.kinds.kind_list import KINDS
from vppcfg.model.acl import AclBinding
from vppcfg.model.bond import Bond
from vppcfg.model.features import DELETED, Mirror, RouterAdvertisements
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.state import State
from vppcfg.record import evolve


def restorable(state: State) -> State:
    """Return the state, the same in effect, that VPP can be brought to from anywhere.

    The members of a bond come back with the MAC that it gives them. An LCP pair that had lost its Linux device does
    not come back: it did nothing. A sub-interface that was up below a port that was down comes back down: it forwards
    as little, and VPP would want the port up to set it (vnet/interface.c). Nothing leads to an interface that was gone
    or borrows from it, and no frames are copied where that crashes VPP. Bridge domains send no MAC addresses to what
    was gone or is in none. What is switched borrows no addresses, which has no effect on it. Router advertisements that
    were not sent are forgotten, those that were about to end do not end, and a prefix in them does not run out.
    """
    lcps = {name: pair for name, pair in state.lcps.items() if pair.has_host}
    interfaces = {
        name: replace(interface, is_up=False) if _is_up_below_down(interface, state) else interface
        for name, interface in state.interfaces.items()
    }
    for name, interface in state.interfaces.items():
        if interface.mirrors:
            left = tuple(each for each in interface.mirrors if _is_harmless(each, state))
            interfaces[name] = replace(interfaces[name], mirrors=left)
        if interface.unnumbered == DELETED or (interface.unnumbered and interface.is_l2 and not interface.is_bvi):
            interfaces[name] = replace(interfaces[name], unnumbered=None)
        if interface.l2xc == DELETED:
            interfaces[name] = replace(interfaces[name], l2xc=None, tag_rewrite=None)
        if interface.ra is not None:
            interfaces[name] = replace(interfaces[name], ra=_lasting(interface.ra))
    for bond in state.virtual_as(Bond).values():
        interfaces.update({name: replace(interfaces[name], mac="") for name in bond.members})
    reachable = replace(state, interfaces=interfaces, lcps=lcps)
    for kind in KINDS:
        reachable = kind.restorable(reachable)
    return reachable


def _is_harmless(mirror: Mirror, state: State) -> bool:
    """Return whether the target is there and VPP 26.10 outlives the copies: it is a port, and switches in L2 mode."""
    target = state.interfaces.get(mirror.target)
    if target is None or target.kind not in (InterfaceKind.PHYSICAL, InterfaceKind.TAP):
        return False
    if not mirror.is_l2 or (target.is_l2 and not target.is_bvi):
        return True
    return any(each.l2xc == target.name for each in state.interfaces.values())


def _lasting(ra: RouterAdvertisements) -> RouterAdvertisements | None:
    if not ra.is_sent:
        return None
    return replace(ra, is_ending=False, prefixes=tuple(replace(each, is_lasting=True) for each in ra.prefixes))


def _is_up_below_down(interface: Interface, state: State) -> bool:
    return interface.is_up and interface.parent is not None and not state.interfaces[interface.parent].is_up


def ports_alone(state: State) -> State:
    """Return a state in which there are only the ports of another one, and nothing is on them."""
    bare: dict[str, Any] = {
        "addresses": frozenset(),
        "l2xc": None,
        "bridge": None,
        "static_macs": (),
        "tables": (0, 0),
        "unnumbered": None,
        "macip": None,
    }
    ports = {
        name: evolve(port, **bare, acls=AclBinding())
        for name, port in state.interfaces.items()
        if port.kind is InterfaceKind.PHYSICAL
    }
    return State(interfaces=ports, namespaces=state.namespaces, facts=state.facts)
