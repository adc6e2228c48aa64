"""Which addresses a plan moves, so that hosts have a wrong MAC address for them, and on which interfaces to say so.

VPP announces an address by itself only when it becomes the master of a virtual router, and when an active-backup bond
gets another active member. Others are announced by `arping` (plugins/arping), which stops no worker.

Link-local addresses are not: VPP sends neighbour advertisements without the flag of a router, and hosts then drop the
default route that they have from its router advertisements (RFC 4861, 7.2.5; seen with Linux). Such a one is sent out
of turn instead where an interface goes on to send them with another MAC address; where it begins to, VPP does so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator
from ipaddress import IPv4Network

from vppcfg.common.addresses import address_key
from vppcfg.common.names import natural_key
from vppcfg.model.announcement import Announcement
from vppcfg.model.det44 import Det44Map, Det44Side
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.live import LiveSource
from vppcfg.model.live_state import covers
from vppcfg.model.nat44 import NatAddress, NatExemption, NatMapping
from vppcfg.model.state import State
from vppcfg.model.virtual_router import VirtualRouter
from vppcfg.operations.recreate import replaced_interfaces
from vppcfg.plan.plan import Plan
from vppcfg.plan.rollback import end_of

_PLUGIN = "arping"

_Places = dict[str, set[tuple[str, str]]]
"""The interfaces and MAC addresses at which hosts find each address; '' for a MAC address that is not known."""
_NOWHERE: set[tuple[str, str]] = set()
_ADVERTISED = ""
"""What stands among addresses for the link-local one of an interface that sends router advertisements."""


def announcements(plan: Plan, formerly: State | None = None) -> tuple[Announcement, ...]:
    """Return what is to be announced after a plan, in natural order; nothing for what only comes, goes or stays.

    `formerly` is the state before a change that the plan undoes: hosts may still know its addresses. VPP ends when
    anything is announced on an interface without Ethernet, so nothing is.
    """
    if not plan.steps:
        return ()
    observed, after, replaced = plan.observed, end_of(plan), replaced_interfaces(plan.observed, plan.desired)
    names = _changed(observed, after) | replaced.keys()
    before = _places(observed, names)
    known = _places(formerly, names) if formerly is not None else {}
    moved = _moved(before, known, _places(after, names, replaced)) if before or known else ()
    found = {(name, host) for name, host in moved if _can_announce(after.interfaces[name], after, observed)}
    ports = _ports(after) if found else {}
    return tuple(
        Announcement(interface=name, address=host, ports=ports[name])
        for name, host in sorted(found, key=lambda each: (natural_key(each[0]), address_key(f"{each[1] or '::'}/0")))
    )


def can_announce(observed: State) -> bool:
    """Return whether VPP can announce addresses."""
    return _PLUGIN in observed.facts.plugins


def _moved(before: _Places, known: _Places, now: _Places) -> Iterator[tuple[str, str]]:
    """Yield each address with the interfaces that it is on now, was not before, where it has left another place."""
    for host in before.keys() | known.keys():
        was, there = before.get(host, _NOWHERE), now.get(host, _NOWHERE)
        if was | known.get(host, _NOWHERE) != was & there:
            staying = {name for name, _ in was}
            yield from ((name, host) for name, _ in there - was if host != _ADVERTISED or name in staying)


def _changed(observed: State, after: State) -> set[str]:
    """Return the interfaces whose addresses may be found elsewhere then; those of all others are where they are."""
    before, now = observed.interfaces, after.interfaces
    own = {name for name in before.keys() | now.keys() if before.get(name) is not now.get(name)}
    return own | {
        name
        for state in (before, now)
        for name, each in state.items()
        if each.parent in own or each.unnumbered in own or each.nat44 is not None or each.det44 is not None
    }


def _places(state: State, names: set[str], made_anew: Container[str] = ()) -> _Places:
    virtual = {(each.interface, host) for each in state.of(VirtualRouter).values() for host in each.addresses}
    found: _Places = defaultdict(set)
    for name in names & state.interfaces.keys():
        interface = state.interfaces[name]
        mac = "" if name in made_anew else _port_of(interface, state).mac
        for host in _hosts(interface, state):
            if (name, host) not in virtual:
                found[host].add((name, mac))
    return found


def _hosts(interface: Interface, state: State) -> Iterator[str]:
    """Yield the addresses for which VPP answers ARP or neighbour solicitations on an interface, but for proxies."""
    donor = state.interfaces.get(interface.unnumbered or "", interface)
    leased = (each.address for each in interface.live if each.source is LiveSource.DHCP)
    for address in (*donor.addresses, *leased):
        yield address.partition("/")[0]
    if interface.ra is not None and interface.is_advertising and not interface.ra.is_ending:
        yield _ADVERTISED
    if interface.nat44 is not None and interface.nat44.is_outside_interface:
        yield from (host for host in _translated(state) if covers(interface.addresses, f"{host}/32"))
    if interface.det44 is Det44Side.OUTSIDE:
        for each in state.of(Det44Map).values():
            if covers(interface.addresses, each.outside):
                yield from map(str, IPv4Network(each.outside))


def _translated(state: State) -> Iterator[str]:
    """Yield the addresses that NAT44 has, but for those of interfaces."""
    yield from (each.address for each in state.of(NatAddress).values())
    yield from (each.external for each in state.of(NatMapping).values() if each.external)
    yield from (each.address for each in state.of(NatExemption).values() if each.address)


def _can_announce(interface: Interface, state: State, observed: State) -> bool:
    """Return whether an interface sends Ethernet frames to hosts: a loopback outside of bridge domains hears itself."""
    port = _port_of(interface, state)
    if not (interface.is_up and port.is_up) or (interface.is_l2 and not interface.is_bvi):
        return False
    if port.kind is InterfaceKind.LOOPBACK:
        return interface.is_bvi
    if (virtual := state.virtual.get(port.name)) is not None:
        return virtual.has_ethernet
    return port.name in observed.interfaces and bool(observed.interfaces[port.name].mac)


def _ports(state: State) -> dict[str, tuple[str, ...]]:
    """Return the interfaces that send what is announced on each one."""
    ports = {name: _port_of(interface, state).name for name, interface in state.interfaces.items()}
    members: dict[int | None, set[str]] = defaultdict(set)
    for name, interface in state.interfaces.items():
        if interface.bridge is not None and interface.is_up and not interface.is_bvi:
            members[interface.bridge].add(ports[name])
    return {
        name: tuple(sorted(members[each.bridge], key=natural_key)) if each.is_bvi else (ports[name],)
        for name, each in state.interfaces.items()
    }


def _port_of(interface: Interface, state: State) -> Interface:
    return state.interfaces[interface.parent] if interface.parent is not None else interface
