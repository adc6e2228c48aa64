"""Which LCP pairs hang on which: those on a port on that of the port, those with two tags on that of the outer one."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from vppcfg.model.interface import Encapsulation, Interface

_OuterTag = tuple[str, int, bool]
"""A port, an outer VLAN id on it, and whether that is 802.1ad."""


class Stacking:
    """Sub-interfaces by what they hang on (linux-cp/lcp_interface.c, lcp_itf_pair_create)."""

    def __init__(self, interfaces: Iterable[Interface] = ()) -> None:
        """Start with `interfaces`."""
        self._on_port: dict[str, set[str]] = {}
        self._below_tag: dict[_OuterTag, set[str]] = {}
        for interface in interfaces:
            self.add(interface)

    def add(self, interface: Interface) -> None:
        """Enter an interface; a port hangs on nothing."""
        if interface.parent is not None:
            self._on_port.setdefault(interface.parent, set()).add(interface.name)
            if (tag := _tag_below(interface)) is not None:
                self._below_tag.setdefault(tag, set()).add(interface.name)

    def remove(self, interface: Interface) -> None:
        """Take out an interface that was entered."""
        if interface.parent is not None:
            self._on_port[interface.parent].discard(interface.name)
            if (tag := _tag_below(interface)) is not None:
                self._below_tag[tag].discard(interface.name)

    def on_port(self, name: str) -> Collection[str]:
        """Return all sub-interfaces of a port."""
        return self._on_port.get(name, ())

    def hanging_on(self, interface: Interface) -> Collection[str]:
        """Return what hangs on an interface: of a port all sub-interfaces, of one tag those with a second below it."""
        if interface.parent is None:
            return self.on_port(interface.name)
        tag = _tag_of(interface)
        return self._below_tag.get(tag, ()) if tag is not None else ()


def _tag_of(interface: Interface) -> _OuterTag | None:
    """Return the tag of a sub-interface that has just one."""
    match = interface.encapsulation
    if interface.parent is None or not isinstance(match, Encapsulation) or match.inner is not None:
        return None
    return interface.parent, match.outer, match.is_dot1ad


def _tag_below(interface: Interface) -> _OuterTag | None:
    """Return the outer tag of a sub-interface that has two."""
    match = interface.encapsulation
    if interface.parent is None or not isinstance(match, Encapsulation) or match.inner is None:
        return None
    return interface.parent, match.outer, match.is_dot1ad
