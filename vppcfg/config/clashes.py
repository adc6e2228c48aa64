"""Problems between what a file wants and the objects of a dataplane that are not its own.

Such objects stay as they are: their names, addresses and VLAN tags are taken, and what they hang on must stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vppcfg.model.address import AddressIndex
from vppcfg.model.configuration import Configuration
from vppcfg.model.interface import Encapsulation, Interface
from vppcfg.model.lcp import LcpPair
from vppcfg.model.naming import natural_key
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.state import State


def clashes(
    configuration: Configuration,
    untouched: State,
    observed: State,
    interfaces: Mapping[str, Interface],
    lcps: Mapping[str, LcpPair],
) -> Iterator[Problem]:
    """Yield what the wanted `interfaces` and `lcps`, which hold the `untouched` ones, make impossible."""
    if not untouched.interfaces:
        return
    wanted = [interface for name, interface in interfaces.items() if name not in untouched.interfaces]
    yield from _lost_references(untouched, interfaces)
    yield from _lost_carriers(untouched, observed, lcps)
    yield from _taken_linux_names(configuration, untouched, lcps)
    yield from _taken_addresses(configuration, untouched, wanted)
    yield from _taken_tags(configuration, untouched, wanted)


def _path(configuration: Configuration, name: str, *keys: str) -> KeyPath:
    return (*configuration.interfaces[name].path, *keys)


def _lost_references(untouched: State, interfaces: Mapping[str, Interface]) -> Iterator[Problem]:
    for interface in untouched.interfaces.values():
        if interface.l2xc is not None and interface.l2xc not in interfaces:
            text = f"{interface.name} is not managed and sends to {interface.l2xc}, which the file lacks"
            yield Problem(rule="unmanaged-refers", path=("interfaces",), text=text)


def _lost_carriers(untouched: State, observed: State, lcps: Mapping[str, LcpPair]) -> Iterator[Problem]:
    """Yield a problem for each pair of an unmanaged sub-interface whose carrying pair would change or go."""
    children = observed.sub_interfaces_by_parent()
    for name in sorted(untouched.lcps, key=natural_key):
        for carrier in _carriers(observed.interfaces[name], observed, children):
            if carrier in observed.lcps and lcps.get(carrier) != observed.lcps[carrier]:
                text = f"{name} is not managed and its LCP hangs on that of {carrier}, which must stay as it is"
                yield Problem(rule="unmanaged-refers", path=("interfaces",), text=text)


def _carriers(interface: Interface, observed: State, children: Mapping[str, list[str]]) -> Iterator[str]:
    if interface.parent is None:
        return
    yield interface.parent
    inner = interface.encapsulation
    for sibling in children[interface.parent]:
        outer = observed.interfaces[sibling].encapsulation
        if isinstance(outer, Encapsulation) and isinstance(inner, Encapsulation) and outer.carries(inner):
            yield sibling


def _taken_linux_names(
    configuration: Configuration, untouched: State, lcps: Mapping[str, LcpPair]
) -> Iterator[Problem]:
    holders = {(pair.netns, pair.host_name): name for name, pair in untouched.lcps.items()}
    for name, pair in lcps.items():
        holder = holders.get((pair.netns, pair.host_name))
        if holder is not None and name not in untouched.lcps:
            text = f"the Linux name {pair.host_name} belongs to {holder}, which is not managed; take another"
            yield Problem(rule="lcp-duplicate", path=_path(configuration, name, "lcp"), text=text)


def _taken_addresses(configuration: Configuration, untouched: State, wanted: list[Interface]) -> Iterator[Problem]:
    index = AddressIndex()
    for interface in untouched.interfaces.values():
        for address in interface.addresses:
            if interface.tables[1 if ":" in address else 0] == 0:
                index.add(interface.name, address)
    for interface in wanted:
        for address in sorted(interface.addresses):
            holder = index.conflict(interface.name, address)
            if holder is not None:
                text = f"{address} overlaps an address of {holder}, which is not managed"
                yield Problem(rule="address-overlap", path=_path(configuration, interface.name, "addresses"), text=text)


def _taken_tags(configuration: Configuration, untouched: State, wanted: list[Interface]) -> Iterator[Problem]:
    taken = {
        (interface.parent, interface.encapsulation.tags): name
        for name, interface in untouched.interfaces.items()
        if interface.encapsulation is not None
    }
    for interface in wanted:
        if interface.encapsulation is None:
            continue
        holder = taken.get((interface.parent, interface.encapsulation.tags))
        if holder is not None:
            text = f"{interface.name} matches the same VLAN tags as {holder}, which is not managed"
            yield Problem(rule="encap-duplicate", path=_path(configuration, interface.name, "encapsulation"), text=text)
