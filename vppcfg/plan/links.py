"""Which interfaces have link in a working state: updated for each changed interface and what depends on it.

An interface has link when it is up and what it depends on has link: a sub-interface its parent, a bond one of its
members, a BVI one of the members of its bridge domain, a tunnel an interface with its local address. Interfaces that
depend on each other in a circle have none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vppcfg.model.bond import Bond
from vppcfg.operations.working_state import WorkingState

_Host = tuple[int, str]
"""The id of a FIB table, and an address without a length."""


class Links:
    """The links of a working state. `update` must be called with every interface that was changed."""

    def __init__(self, working: WorkingState) -> None:
        self.linked: set[str] = set()
        self.members: dict[int, set[str]] = {}
        """Those in each bridge domain that have link."""
        self._working = working
        self._bridge_of: dict[str, int] = {}
        self._bvi_of: dict[int, str] = {}
        self._source_of: dict[str, _Host] = {}
        self._tunnels: dict[_Host, set[str]] = {}
        """Tunnels by their local address."""
        self._hosts: dict[str, frozenset[str]] = {}
        """The addresses of each interface when it was looked at last."""
        self.update(list(working.interfaces))

    def update(self, names: Iterable[str]) -> set[str]:
        """Look again at changed interfaces, and return those whose link or way through a bridge may change."""
        changed: set[str] = set()
        waiting = dict.fromkeys(names)
        for name in list(waiting):
            waiting.update(dict.fromkeys(self._enter(name, changed)))
        while waiting:
            name = next(iter(waiting))
            del waiting[name]
            has_link = self._has_link(name, ())
            if has_link != (name in self.linked):
                changed.add(name)
                self._flip(name, changed, has_link=has_link)
                waiting.update(dict.fromkeys(self._standing_on(name)))
        return changed

    def _enter(self, name: str, changed: set[str]) -> Iterator[str]:
        """Bring the indexes up to date, and yield whose link may depend on what is new."""
        interface = self._working.interfaces.get(name)
        bridge = interface.bridge if interface is not None else None
        before = self._bridge_of.get(name)
        if bridge != before or (bridge is not None and (self._bvi_of.get(bridge) == name) != _is_bvi(interface)):
            yield from self._move(name, before, bridge, changed, is_bvi=_is_bvi(interface))
        virtual = self._working.virtual.get(name)
        end = virtual.own_end if virtual is not None else None
        source = (virtual.outer_table, end) if virtual is not None and end is not None else None
        if source != self._source_of.get(name):
            self._stand_elsewhere(name, source)
        addresses = interface.addresses if interface is not None else frozenset()
        known = self._hosts.get(name, frozenset())
        if addresses is not known and addresses != known:
            self._hosts[name] = addresses
            yield from self._on_addresses(name, addresses ^ known)

    def _move(
        self, name: str, before: int | None, bridge: int | None, changed: set[str], *, is_bvi: bool
    ) -> Iterator[str]:
        """Note that an interface is in another bridge domain, or in the same one as something else."""
        if before is not None:
            self._count(name, before, changed, has_link=False)
            del self._bridge_of[name]
            if self._bvi_of.get(before) == name:
                del self._bvi_of[before]
            elif before in self._bvi_of:
                yield self._bvi_of[before]
        if bridge is not None:
            self._bridge_of[name] = bridge
            if name in self.linked:
                self._count(name, bridge, changed, has_link=True)
            if is_bvi:
                self._bvi_of[bridge] = name
            elif bridge in self._bvi_of:
                yield self._bvi_of[bridge]

    def _stand_elsewhere(self, name: str, source: _Host | None) -> None:
        former = self._source_of.pop(name, None)
        if former is not None:
            self._tunnels[former].discard(name)
            if not self._tunnels[former]:
                del self._tunnels[former]
        if source is not None:
            self._source_of[name] = source
            self._tunnels.setdefault(source, set()).add(name)

    def _on_addresses(self, name: str, addresses: Iterable[str]) -> Iterator[str]:
        """Yield the tunnels on addresses of an interface, which moves to another FIB table only without any."""
        interface = self._working.interfaces.get(name)
        if self._tunnels and interface is not None:
            for address in addresses:
                yield from self._tunnels.get((interface.table_of(address), address.partition("/")[0]), ())

    def _flip(self, name: str, changed: set[str], *, has_link: bool) -> None:
        if has_link:
            self.linked.add(name)
        else:
            self.linked.discard(name)
        if name in self._bridge_of:
            self._count(name, self._bridge_of[name], changed, has_link=has_link)

    def _count(self, name: str, bridge: int, changed: set[str], *, has_link: bool) -> None:
        """Count a member with link, or no longer; one that is left alone, or gets company, is changed by that."""
        members = self.members.setdefault(bridge, set())
        if has_link:
            members.add(name)
        else:
            members.discard(name)
        if len(members) <= 2:
            changed.update(members)

    def _standing_on(self, name: str) -> Iterator[str]:
        """Yield the interfaces whose link may depend on that of `name`."""
        working = self._working
        yield from working.stacking.on_port(name)
        if name in working.bond_of:
            yield working.bond_of[name]
        bridge = self._bridge_of.get(name)
        if bridge is not None and self._bvi_of.get(bridge, name) != name:
            yield self._bvi_of[bridge]
        if self._tunnels:
            yield from self._on_addresses(name, self._hosts.get(name, ()))

    def _has_link(self, name: str, above: tuple[str, ...]) -> bool:
        """Return whether an interface has link that does not come from one of those `above` it."""
        working = self._working
        interface = working.interfaces.get(name)
        if interface is None or not interface.is_up:
            return False
        if interface.parent is not None:
            return self._holds(interface.parent, (*above, name))
        virtual = working.virtual.get(name)
        if virtual is None:
            return not interface.is_bvi or self._is_bridged(name, above)
        if isinstance(virtual, Bond):
            return any(self._holds(member, (*above, name)) for member in virtual.members)
        if virtual.own_end is not None:
            holders = working.holders(virtual.own_end, virtual.outer_table)
            return any(self._holds(holder, (*above, name)) for holder in sorted(holders))
        return True

    def _is_bridged(self, bvi: str, above: tuple[str, ...]) -> bool:
        members = self.members.get(self._bridge_of.get(bvi, -1), ())
        return any(member != bvi and self._holds(member, (*above, bvi)) for member in members)

    def _holds(self, name: str, above: tuple[str, ...]) -> bool:
        """Return whether an interface has link by itself; without tunnels there are no circles to be looked for."""
        if not self._tunnels:
            return name in self.linked
        return name not in above and self._has_link(name, above)


def _is_bvi(interface: object) -> bool:
    return interface is not None and bool(getattr(interface, "is_bvi", False))
