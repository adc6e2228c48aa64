"""A state on which operations are tried: like State, but it changes in place and keeps the indexes that checks need."""

from __future__ import annotations

from dataclasses import replace

from vppcfg.model.address import AddressIndex
from vppcfg.model.interface import Interface, evolve
from vppcfg.model.lcp import LcpPair
from vppcfg.model.state import State


class Draft:
    """A mutable copy of a State. `effects` is what changes it; nothing else should."""

    def __init__(self, state: State) -> None:
        self._state = state
        self.interfaces: dict[str, Interface] = {}
        self.lcps: dict[str, LcpPair] = {}
        self.sub_interfaces: dict[str, set[str]] = {}
        """Names of the sub-interfaces of each port."""
        self.matches: dict[tuple[str | None, object], str] = {}
        """The sub-interface that matches each set of tags on each port."""
        self.cross_connected_to: dict[str, set[str]] = {}
        """Names of the interfaces that send to each target."""
        self.linux_names: dict[tuple[str, str], str] = {}
        """The interface that holds each Linux device, by namespace and name."""
        self._addresses: dict[int, AddressIndex] = {}
        for interface in state.interfaces.values():
            self.add_interface(interface)
            for address in interface.addresses:
                self.address_index(interface, address).add(interface.name, address)
        for name, pair in state.lcps.items():
            self.add_pair(name, pair)

    def state(self) -> State:
        """Return what the draft has become."""
        return replace(self._state, interfaces=dict(self.interfaces), lcps=dict(self.lcps))

    def address_index(self, interface: Interface, address: str) -> AddressIndex:
        """Return the index of the FIB that `address` is in on this interface."""
        return self._addresses.setdefault(interface.tables[1 if ":" in address else 0], AddressIndex())

    def add_interface(self, interface: Interface) -> None:
        """Enter an interface, without its addresses, into the tables."""
        self.interfaces[interface.name] = interface
        if interface.parent is not None:
            self.sub_interfaces.setdefault(interface.parent, set()).add(interface.name)
            if interface.encapsulation is not None:
                self.matches[interface.parent, interface.encapsulation.tags] = interface.name
        if interface.l2xc is not None:
            self.cross_connected_to.setdefault(interface.l2xc, set()).add(interface.name)

    def remove_interface(self, name: str) -> None:
        """Take out an interface that nothing refers to any more."""
        interface = self.interfaces.pop(name)
        if interface.parent is not None:
            self.sub_interfaces[interface.parent].discard(name)
            if interface.encapsulation is not None:
                self.matches.pop((interface.parent, interface.encapsulation.tags), None)

    def add_pair(self, name: str, pair: LcpPair) -> None:
        """Enter an LCP pair into the tables."""
        self.lcps[name] = pair
        self.linux_names[pair.netns, pair.host_name] = name

    def remove_pair(self, name: str) -> None:
        """Take an LCP pair out of the tables."""
        pair = self.lcps.pop(name)
        del self.linux_names[pair.netns, pair.host_name]

    def cross_connect(self, name: str, target: str | None) -> None:
        """Point an interface at `target`, or away from where it points with None."""
        interface = self.interfaces[name]
        if interface.l2xc is not None:
            self.cross_connected_to[interface.l2xc].discard(name)
        if target is not None:
            self.cross_connected_to.setdefault(target, set()).add(name)
        self.interfaces[name] = evolve(interface, l2xc=target, bridge=None)
