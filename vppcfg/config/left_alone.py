"""What a written configuration leaves alone, with the reasons, and what has to be left alone with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from vppcfg.config.sayable import why_acl_unsayable, why_bridge_unsayable, why_unsayable
from vppcfg.model.bond import Bond
from vppcfg.model.bridge import bridge_name
from vppcfg.model.interface import Interface
from vppcfg.model.state import State


@dataclass(slots=True)
class LeftAlone:
    """Objects that a configuration cannot say, by kind and name, each with the reason."""

    interfaces: dict[str, str] = field(default_factory=dict)
    bridges: dict[str, str] = field(default_factory=dict)
    acls: dict[str, str] = field(default_factory=dict)

    def covers(self, name: str, state: State) -> bool:
        """Return whether an interface is left alone, by itself or with its parent."""
        return name in self.interfaces or state.interfaces[name].parent in self.interfaces

    def count(self) -> int:
        """Return how many objects there are."""
        return len(self.interfaces) + len(self.bridges) + len(self.acls)


def unsayable(state: State) -> LeftAlone:
    """Return what cannot be said by itself."""
    return LeftAlone(
        interfaces={name: reason for name in state.interfaces if (reason := why_unsayable(name, state))},
        bridges={
            name: reason for name, bridge in state.bridges.items() if (reason := why_bridge_unsayable(name, bridge))
        },
        acls={name: reason for name, acl in state.acls.items() if (reason := why_acl_unsayable(name, acl))},
    )


def follow(left: LeftAlone, state: State) -> None:
    """Add everything that refers to what is left alone, or is a part of it, until nothing more does."""
    _Followers(left, state).run()


class _Followers:
    """Spreads over references backwards, each looked at once."""

    def __init__(self, left: LeftAlone, state: State) -> None:
        self._left = left
        self._state = state
        self._children = state.sub_interfaces_by_parent()
        self._referrers: dict[str, list[tuple[str, str]]] = {}
        """Interface -> interfaces that refer to it, and how."""
        self._members: dict[str, list[str]] = {}
        """Bridge domain -> its members."""
        self._bound: dict[str, list[str]] = {}
        """Access list -> interfaces that apply it."""
        self._index()

    def _index(self) -> None:
        for interface in self._state.interfaces.values():
            for target, words in self._references(interface):
                self._referrers.setdefault(target, []).append((interface.name, words))
            if interface.bridge is not None:
                self._members.setdefault(bridge_name(interface.bridge), []).append(interface.name)
            for name in (*interface.acls.input, *interface.acls.output):
                self._bound.setdefault(name, []).append(interface.name)

    def _references(self, interface: Interface) -> Iterator[tuple[str, str]]:
        if interface.l2xc is not None:
            yield interface.l2xc, "it is cross-connected to"
        if interface.unnumbered is not None:
            yield interface.unnumbered, "it borrows the addresses of"
        bond = self._state.making(interface.name, Bond)
        for member in bond.members if bond is not None else ():
            yield member, "it has the member"

    def run(self) -> None:
        self._pending = [name for name in self._state.interfaces if self._left.covers(name, self._state)]
        for name in tuple(self._left.bridges):
            self._spread_from_bridge(name)
        for name in tuple(self._left.acls):
            for interface in self._bound.get(name, ()):
                self._add(interface, f"it applies the access list {name.removeprefix('acl:')}, which is unmanaged")
        while self._pending:
            self._spread(self._pending.pop())

    def _spread(self, name: str) -> None:
        for referrer, words in self._referrers.get(name, ()):
            self._add(referrer, f"{words} {name}, which is unmanaged")
        bond = self._state.making(name, Bond)
        for member in bond.members if bond is not None else ():
            self._add(member, f"it is a member of {name}, which is unmanaged")
        bridge = self._state.interfaces[name].bridge
        if bridge is not None and bridge_name(bridge) in self._state.bridges:
            self._add_bridge(bridge_name(bridge), f"its member {name} is unmanaged")

    def _add(self, name: str, reason: str) -> None:
        if name in self._state.interfaces and not self._left.covers(name, self._state):
            self._left.interfaces[name] = reason
            self._pending += [name, *self._children.get(name, ())]

    def _add_bridge(self, name: str, reason: str) -> None:
        if name not in self._left.bridges:
            self._left.bridges[name] = reason
            self._spread_from_bridge(name)

    def _spread_from_bridge(self, name: str) -> None:
        for member in self._members.get(name, ()):
            self._add(member, f"it is a member of {name}, which is unmanaged")
