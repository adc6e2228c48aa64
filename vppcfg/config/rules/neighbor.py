"""Rules about static neighbours: VPP takes any address and any MAC address, on any interface."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.addresses import is_station, is_unicast
from vppcfg.config.configuration import InterfaceConfig, NeighborConfig
from vppcfg.config.rules.index import Index
from vppcfg.model.problem import Problem


def neighbor_entry(index: Index) -> Iterator[Problem]:
    """Find neighbours that no host can be: by their address, by their MAC address, or because they are this router."""
    for interface, entry in _entries(index):
        if entry.address is None:
            text = f"{entry.key} is no address of a host; write it without a length"
            yield _problem("neighbor-address", interface, entry, text)
        elif not is_unicast(entry.address):
            yield _problem("neighbor-address", interface, entry, f"{entry.address} is not the address of one host")
        elif entry.address in {address.partition("/")[0] for address in interface.addresses}:
            yield _problem(
                "neighbor-own",
                interface,
                entry,
                f"{entry.address} is an address of {interface.name} itself; take that of the neighbour",
            )
        if entry.mac and not is_station(entry.mac):
            yield _problem("neighbor-mac", interface, entry, f"{entry.mac} is not the MAC address of one station")


def neighbor_duplicate(index: Index) -> Iterator[Problem]:
    """Find neighbours that stand on an interface twice, in other spellings."""
    for interface in index.interfaces:
        seen: set[str] = set()
        for entry in interface.neighbors:
            if entry.address in seen:
                yield _problem("neighbor-duplicate", interface, entry, f"{entry.address} is here already; remove one")
            seen |= {entry.address} if entry.address is not None else set()


def neighbor_switched(index: Index) -> Iterator[Problem]:
    """Find neighbours of interfaces that switch; of a bridge domain those stand on its BVI."""
    for interface in index.interfaces:
        if interface.neighbors and (reason := index.why_switched(interface.name)):
            text = f"{interface.name} {reason} and cannot have `neighbors`; remove one of them"
            yield Problem(rule="neighbor-l2", path=(*interface.path, "neighbors"), text=text)


def _entries(index: Index) -> Iterator[tuple[InterfaceConfig, NeighborConfig]]:
    return ((interface, entry) for interface in index.interfaces for entry in interface.neighbors)


def _problem(rule: str, interface: InterfaceConfig, entry: NeighborConfig, text: str) -> Problem:
    return Problem(rule=rule, path=(*interface.path, "neighbors", entry.key), text=text)
