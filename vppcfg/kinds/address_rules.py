"""Rules about interface addresses: which ones a host may have, and which VPP refuses beside each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from vppcfg.common.addresses import AddressKey, address_key, why_unfit
from vppcfg.entries.configuration import InterfaceConfig
from vppcfg.entries.index import Index
from vppcfg.model.interface import PORTS, InterfaceKind
from vppcfg.model.live_state import covers
from vppcfg.model.problem import Problem, Severity

_IN_NETWORKS = PORTS | {InterfaceKind.SUB_INTERFACE, InterfaceKind.BOND}
"""Kinds whose interfaces have neighbours; a BVI has, too. On others an address of a host alone is usual."""


class _Place(NamedTuple):
    """An address and where it stands; sorted, a prefix follows those that contain it, and then the file's order."""

    vrf: str
    """'' is the default one."""
    family: int
    start: int
    """The network, with the host bits zero."""
    length: int
    order: int
    interface: InterfaceConfig
    position: int

    @property
    def address(self) -> str:
        """Return the address with its length."""
        return self.interface.addresses[self.position]

    def contains(self, other: _Place) -> bool:
        """Return whether this prefix equals or contains another one, which does not sort before it."""
        shift = (32 if self.family == 4 else 128) - self.length
        is_beside = (self.vrf, self.family) != (other.vrf, other.family)
        return not is_beside and self.start >> shift == other.start >> shift

    def tolerates(self, other: _Place) -> bool:
        """Return whether VPP takes another prefix inside of this one (vnet/ip/ip4_forward.c, ip6_forward.c)."""
        return self.interface is other.interface and self.length == other.length


def address_host(index: Index) -> Iterator[Problem]:
    """Find addresses that no host may have."""
    for interface in index.interfaces:
        for position, address in enumerate(interface.addresses):
            key = address_key(address)
            if _is_link_local(key):
                host = address.partition("/")[0]
                text = f"{address} is link-local; write `link-local: {host}` instead, or leave it to VPP"
                yield _problem("address-link-local", interface, position, text)
            elif reason := why_unfit(address):
                yield _problem("address-invalid-host", interface, position, f"{address} is {reason}")
            elif _is_anycast(key):
                text = f"{address} is the anycast address of all routers in its network; use another one in it"
                problem = _problem("address-invalid-host", interface, position, text)
                yield replace(problem, severity=Severity.WARNING)


def address_length(index: Index) -> Iterator[Problem]:
    """Find addresses without a length where neighbours are: a host's reaches none of them."""
    for interface in index.interfaces:
        if interface.without_length and (interface.kind in _IN_NETWORKS or interface.name in index.bvi_bridges):
            for position, address in enumerate(interface.addresses):
                if address in interface.without_length:
                    host, _, length = address.partition("/")
                    text = (
                        f"{host} has no length and counts as /{length}, a network without neighbours; write its length"
                    )
                    problem = _problem("address-length", interface, position, text)
                    yield replace(problem, severity=Severity.NOTICE)


def address_managed(index: Index) -> Iterator[Problem]:
    """Find addresses that an interface is to have and that are to be left alone there."""
    for interface in index.interfaces:
        prefixes = interface.unmanaged_addresses
        for position, address in enumerate(interface.addresses if prefixes else ()):
            outer = next((prefix for prefix in prefixes if covers([prefix], address)), None)
            if outer is not None:
                text = f"{address} lies in {outer} of `unmanaged-addresses`, which is left alone; take one of them out"
                yield _problem("address-unmanaged", interface, position, text)


def address_exact_match(index: Index) -> Iterator[Problem]:
    """Find addresses on sub-interfaces that take more than their tags; VPP has no L3 there (vnet/interface.c)."""
    for interface in index.sub_interfaces:
        if interface.addresses and interface.encapsulation is not None and not interface.encapsulation.is_exact:
            text = f"{interface.name} has addresses and so must match its tags exactly; add `exact-match: true`"
            yield Problem(rule="address-exact-match", path=(*interface.path, "addresses"), text=text)


def address_duplicate(index: Index) -> Iterator[Problem]:
    """Find addresses that stand twice on one interface."""
    for interface in index.interfaces:
        if len(set(interface.addresses)) == len(interface.addresses):
            continue
        seen: set[str] = set()
        for position, address in enumerate(interface.addresses):
            if address in seen:
                yield _problem("address-duplicate", interface, position, f"{address} is here a second time; remove one")
            seen.add(address)


def address_overlap(index: Index) -> Iterator[Problem]:
    """Find prefixes that equal, contain or lie in another of the same VRF.

    One interface may have further hosts of one prefix.

    The prefixes that contain the current one are kept on a stack, which is never deeper than a prefix is long.
    """
    stack: list[_Place] = []
    for place in sorted(_places(index)):
        while stack and not stack[-1].contains(place):
            stack.pop()
        other = next((outer for outer in reversed(stack) if not outer.tolerates(place)), None)
        if other is not None:
            text = f"{place.address} overlaps {other.address} on {other.interface.name}, which VPP refuses; correct one"
            yield _problem("address-overlap", place.interface, place.position, text)
        if not stack or stack[-1].length < place.length:
            stack.append(place)


def _places(index: Index) -> Iterator[_Place]:
    """Return all addresses that count for an overlap: each once per interface, and no link-local ones."""
    order = 0
    for interface in index.interfaces:
        seen: set[str] = set()
        for position, address in enumerate(interface.addresses):
            key = address_key(address)
            if address in seen or _is_link_local(key):
                continue
            seen.add(address)
            order += 1
            start = key.network << (key.width - key.length)
            yield _Place(interface.vrf or "", key.family, start, key.length, order, interface, position)


def _is_link_local(key: AddressKey) -> bool:
    return key.family == 6 and key.value >> 118 == 0xFE80 >> 6


def _is_anycast(key: AddressKey) -> bool:
    """Return whether an address is that of all routers in its network, which one of them may have (RFC 4291 2.6.1)."""
    return key.family == 6 and key.length < 127 and key.value == key.network << (128 - key.length)


def _problem(rule: str, interface: InterfaceConfig, position: int, text: str) -> Problem:
    return Problem(rule=rule, path=(*interface.path, "addresses", position), text=text)
