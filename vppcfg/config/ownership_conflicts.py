"""Problems between what a file asks for and the objects of a dataplane that are not its own.

Such objects stay as they are: their names, addresses and VLAN tags are taken, and what they depend on must stay.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from vppcfg.common.addresses import AddressIndex
from vppcfg.common.names import natural_key
from vppcfg.entries.configuration import Configuration
from vppcfg.model.bond import Bond
from vppcfg.model.bridge import bridge_name
from vppcfg.model.interface import Interface
from vppcfg.model.lcp import SubInterfaceDependencies
from vppcfg.model.live_state import configured_on
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.state import State
from vppcfg.model.tap import Tap
from vppcfg.model.tunnel_neighbor import TunnelNeighbor


def unmanaged_conflicts(
    configuration: Configuration, untouched: State, observed: State, desired: State
) -> Iterator[Problem]:
    """Yield what the `desired` state, which holds the `untouched` one, makes impossible."""
    if not untouched.interfaces and not untouched.virtual:
        return
    entered = [interface for name, interface in desired.interfaces.items() if name not in untouched.interfaces]
    yield from _lost_references(untouched, observed, desired)
    yield from _lost_carriers(untouched, observed, desired)
    yield from _lost_bonds(untouched, observed, desired)
    yield from _taken_linux_names(configuration, untouched, desired)
    yield from _taken_addresses(configuration, untouched, entered)
    yield from _taken_tags(configuration, untouched, entered)
    yield from _taken_identities(configuration, untouched, desired)
    yield from _taken_remotes(configuration, untouched, observed, desired)


def _path(configuration: Configuration, name: str, *keys: str) -> KeyPath:
    path = configuration.path_of(name)
    return ("interfaces",) if path is None else (*path, *keys)


def _refers(text: str) -> Problem:
    return Problem(rule="unmanaged-refers", path=("interfaces",), text=text)


def _lost_references(untouched: State, observed: State, desired: State) -> Iterator[Problem]:
    """Yield a problem for each reference that would be lost; what VPP lost before is not the file's fault."""
    for interface in untouched.interfaces.values():
        mirrored = (each.target for each in interface.mirrors)
        for target in (interface.l2xc, interface.unnumbered, *mirrored):
            if target in observed.interfaces and target not in desired.interfaces:
                yield _refers(f"{interface.name} is not managed and refers to {target}, which the file lacks")
        yield from _lost_donor(interface, observed, desired)
        for each in interface.static_macs:
            name = bridge_name(each.bd_id)
            if name in observed.bridges and name not in desired.bridges:
                text = f"{interface.name} is not managed and has static MAC addresses in {name}, which the file lacks"
                yield _refers(text)
                break


def _lost_donor(borrower: Interface, observed: State, desired: State) -> Iterator[Problem]:
    """Yield a problem where the file moves who lends addresses: VPP has borrower and donor in the same FIB tables."""
    name = borrower.unnumbered or ""
    before, after = observed.interfaces.get(name), desired.interfaces.get(name)
    if before is not None and after is not None and before.tables == borrower.tables != after.tables:
        text = (
            f"{borrower.name} is not managed and borrows the addresses of {name}, which the file moves to another VRF; "
            f"leave {name} where it is, or let {borrower.name} borrow from another interface first"
        )
        yield _refers(text)


def _lost_carriers(untouched: State, observed: State, desired: State) -> Iterator[Problem]:
    """Yield a problem for each pair of an unmanaged sub-interface whose carrying pair would change or go."""
    stacking = SubInterfaceDependencies(observed.interfaces.values())
    for name in sorted(untouched.lcps, key=natural_key):
        interface = observed.interfaces[name]
        for carrier in (interface.parent, stacking.carrier_of(interface)):
            if carrier is not None and carrier in observed.lcps and desired.lcps.get(carrier) != observed.lcps[carrier]:
                yield _refers(
                    f"{name} is not managed and its LCP depends on that of {carrier}, which must stay as it is"
                )


def _lost_bonds(untouched: State, observed: State, desired: State) -> Iterator[Problem]:
    """Yield a problem for each unmanaged member of a bond that would lose it, or that another bond would get."""
    before, after = observed.virtual_as(Bond), desired.virtual_as(Bond)
    for name, bond in before.items():
        for member in bond.members:
            if member in untouched.interfaces and member not in getattr(after.get(name), "members", ()):
                yield _refers(f"{member} is not managed and a member of {name}, which must keep it")
    for name, bond in after.items():
        if name not in untouched.virtual:
            for member in bond.members.keys() & untouched.interfaces.keys():
                if member not in getattr(before.get(name), "members", ()):
                    yield _refers(f"{member} is not managed, so it cannot become a member of {name}")


def _taken_linux_names(configuration: Configuration, untouched: State, desired: State) -> Iterator[Problem]:
    holders = _linux_names(untouched)
    for (netns, host_name), name in _linux_names(desired).items():
        holder = holders.get((netns, host_name))
        if holder is not None and holder != name:
            text = f"the Linux name {host_name} belongs to {holder}, which is not managed; take another"
            yield Problem(rule="lcp-duplicate", path=_path(configuration, name, "lcp"), text=text)


def _linux_names(state: State) -> dict[tuple[str, str], str]:
    names = {(pair.netns, pair.host_name): name for name, pair in state.lcps.items()}
    return {(tap.host_netns, tap.host_name): name for name, tap in state.virtual_as(Tap).items()} | names


def _taken_addresses(configuration: Configuration, untouched: State, entered: list[Interface]) -> Iterator[Problem]:
    indexes: defaultdict[int, AddressIndex] = defaultdict(AddressIndex)
    for interface in untouched.interfaces.values():
        for address in interface.addresses:
            indexes[interface.table_of(address)].add(interface.name, address)
    for interface in entered:
        for address in sorted(interface.addresses):
            holder = indexes[interface.table_of(address)].conflict(interface.name, address)
            if holder is not None:
                text = f"{address} overlaps an address of {holder}, which is not managed"
                path = _path(configuration, interface.name, "addresses")
                yield Problem(rule="address-overlap", path=path, text=text)


def live_address_conflicts(configuration: Configuration, desired: State) -> Iterator[Problem]:
    """Yield a problem for each address of the file that VPP refuses beside one that VRRP and its like have put there.

    What interfaces that are not managed have stands elsewhere.
    """
    indexes: defaultdict[int, AddressIndex] = defaultdict(AddressIndex)
    sources = {}
    for interface in [each for each in desired.interfaces.values() if each.live]:
        is_ours = configuration.path_of(interface.name) is not None
        for each in interface.live:
            if is_ours and each.address in interface.addresses:
                indexes[interface.table_of(each.address)].add(interface.name, each.address)
                sources[interface.name] = each.source
    for interface in desired.interfaces.values() if indexes else ():
        for address in sorted(configured_on(interface)):
            holder = indexes[interface.table_of(address)].conflict(interface.name, address)
            if holder is not None:
                text = f"{address} overlaps an address that {holder} has by {sources[holder].value}; correct one"
                path = _path(configuration, interface.name, "addresses")
                yield Problem(rule="address-overlap", path=path, text=text)


def _taken_tags(configuration: Configuration, untouched: State, entered: list[Interface]) -> Iterator[Problem]:
    taken = {
        (interface.parent, interface.encapsulation.tags): name
        for name, interface in untouched.interfaces.items()
        if interface.encapsulation is not None
    }
    for interface in entered:
        if interface.encapsulation is None:
            continue
        holder = taken.get((interface.parent, interface.encapsulation.tags))
        if holder is not None:
            text = f"{interface.name} matches the same VLAN tags as {holder}, which is not managed"
            path = _path(configuration, interface.name, "encapsulation")
            yield Problem(rule="encap-duplicate", path=path, text=text)


def _taken_identities(configuration: Configuration, untouched: State, desired: State) -> Iterator[Problem]:
    holders = {(type(virtual), virtual.unique_key): name for name, virtual in untouched.virtual.items()}
    for name, virtual in desired.virtual.items():
        holder = holders.get((type(virtual), virtual.unique_key))
        if virtual.unique_key is not None and name not in untouched.virtual and holder is not None:
            text = f"{holder}, which is not managed, is the same {virtual.noun} as {name}, and VPP takes one"
            yield Problem(rule="made-taken", path=_path(configuration, name), text=text)


def _taken_remotes(
    configuration: Configuration, untouched: State, observed: State, desired: State
) -> Iterator[Problem]:
    """Yield a problem where the file brings an address and the tunnel to it together, one of them not managed.

    Where VPP has the two beside each other already, the file is not at fault.
    """
    for tunnel, owner, end in sorted(set(_to_oneself(desired)) - set(_to_oneself(observed))):
        virtual = desired.virtual[tunnel]
        if tunnel in untouched.virtual and owner not in untouched.interfaces:
            text = f"{end} is the other end of {tunnel}, which is not managed; take another address"
            path = _path(configuration, owner, "addresses")
        elif owner in untouched.interfaces and tunnel not in untouched.virtual:
            text = f"{end} is an address of {owner}, which is not managed; take that of the other end"
            path = _path(configuration, tunnel)
        else:
            continue
        yield Problem(rule=f"{virtual.kind.value}-remote-own", path=path, text=text)


def _to_oneself(state: State) -> Iterator[tuple[str, str, str]]:
    """Yield each tunnel that ends at an address of the router, the interface that has it, and the address."""
    ends: dict[tuple[int, str], list[str]] = {}
    for name, virtual in state.virtual.items():
        if virtual.other_end is not None:
            ends.setdefault((virtual.outer_table, virtual.other_end), []).append(name)
    neighbors: Iterable[TunnelNeighbor] = state.of(TunnelNeighbor).values()
    for each in neighbors:
        if each.interface in state.virtual:
            ends.setdefault((each.next_hop_table, each.next_hop), []).append(each.interface)
    for interface in state.interfaces.values() if ends else ():
        for address in interface.addresses:
            end = interface.table_of(address), address.partition("/")[0]
            if end in ends:
                yield from ((name, interface.name, end[1]) for name in ends[end])
