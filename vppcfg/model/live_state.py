"""Live addresses in states: those that DHCP, VRRP, SLAAC or other programs set on an interface, and no file.

`Interface.live` names them; they are among `Interface.addresses` too. A desired state takes over the live addresses
that are observed, so that no plan changes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from vppcfg.common.addresses import address_key
from vppcfg.model.bond import Bond
from vppcfg.model.interface import Interface
from vppcfg.model.linux_neighbors import as_in_linux
from vppcfg.model.lists_of_others import with_lists_of_others
from vppcfg.model.live import LiveAddress, LiveSource
from vppcfg.model.state import State
from vppcfg.record import evolve


def live_on(interface: Interface) -> frozenset[str]:
    """Return the live addresses of an interface."""
    return frozenset(each.address for each in interface.live) & interface.addresses


def configured_on(interface: Interface) -> frozenset[str]:
    """Return the addresses of an interface that are not live."""
    return interface.addresses - live_on(interface)


def left_out(state: State) -> Iterator[str]:
    """Yield a sentence for each live address of a state, which no configuration sets."""
    for name, interface in state.interfaces.items():
        for each in interface.live:
            yield f"{each.whose(name)}: left out of the configuration"


def covers(prefixes: Iterable[str], address: str) -> bool:
    """Return whether an address lies in one of some prefixes."""
    key = address_key(address)
    for prefix in prefixes:
        outer = address_key(prefix)
        if outer.family == key.family and key.value >> (key.width - outer.length) == outer.network:
            return True
    return False


def with_live_addresses(observed: State, files: Mapping[str, tuple[Iterable[str], tuple[str, ...]]]) -> State:
    """Return a state with the live addresses of each interface: all but those that a file sets.

    By interface `files` has those, and the prefixes that the file leaves alone, whose addresses are live too.
    """
    left_alone = {name for name, (_, prefixes) in files.items() if prefixes}
    concerned = [each for each in observed.interfaces.values() if each.live or each.name in left_alone]
    changed = {}
    for interface in concerned:
        own, prefixes = files.get(interface.name, ((), ()))
        live = _live(interface, frozenset(own), prefixes)
        changed[interface.name] = evolve(interface, live=live, unmanaged_addresses=prefixes)
    return replace(observed, interfaces={**observed.interfaces, **changed}) if changed else observed


def leaving_alone(observed: State, is_left: Callable[[str], bool]) -> State:
    """Return a state in which files leave those configured addresses of interfaces alone for which `is_left` holds."""
    left = {
        name: found
        for name, interface in observed.interfaces.items()
        if (found := {address for address in configured_on(interface) if is_left(address)})
    }
    if not left:
        return observed
    files = {}
    for name, interface in observed.interfaces.items():
        hosts = (address.partition("/")[0] for address in left.get(name, ()))
        prefixes = (*interface.unmanaged_addresses, *(f"{host}/{128 if ':' in host else 32}" for host in sorted(hosts)))
        files[name] = configured_on(interface) - left.get(name, set()), prefixes
    return with_live_addresses(observed, files)


def with_live_of(desired: State, now: State) -> State:
    """Return a desired state with the live addresses that interfaces have now, and none that they have no longer.

    An interface that is to have none, because it switches or borrows, has none of them.
    """
    changed: dict[str, Interface] = {}
    lively = {each.name for each in now.interfaces.values() if each.live}
    lively |= {each.name for each in desired.interfaces.values() if each.live or each.unmanaged_addresses}
    for name in lively & desired.interfaces.keys():
        target, there = desired.interfaces[name], now.interfaces.get(name)
        if target is there:
            continue
        own = configured_on(target)
        live = _live(there, own, target.unmanaged_addresses) if there is not None else ()
        kept = {each.address for each in live} & there.addresses if there is not None else set()
        addresses = own | kept if _may_have_addresses(target, desired) else own
        changed[name] = evolve(target, addresses=addresses, live=live)
    return replace(desired, interfaces={**desired.interfaces, **changed}) if changed else desired


def without_live(desired: State, names: Iterable[str]) -> State:
    """Return a desired state in which some interfaces have no live addresses: they are recreated, without them."""
    changed = {
        name: evolve(interface, addresses=configured_on(interface), live=())
        for name in names
        if (interface := desired.interfaces[name]).live
    }
    return replace(desired, interfaces={**desired.interfaces, **changed}) if changed else desired


def claimed(now: State, target: State) -> State:
    """Return a state in which addresses that another one has configured are not live: SLAAC is known by form alone."""
    changed = {}
    for name, interface in now.interfaces.items():
        if interface.live and name in target.interfaces:
            own = configured_on(target.interfaces[name])
            changed[name] = evolve(interface, live=tuple(each for each in interface.live if each.address not in own))
    return replace(now, interfaces={**now.interfaces, **changed}) if changed else now


def as_others_have_it(target: State, now: State) -> State:
    """Return a state that vppcfg was to reach, with live addresses and what is Linux' and of others as it is now."""
    return with_live_of(as_in_linux(with_lists_of_others(target, now, target), now), now)


def _live(interface: Interface, own: frozenset[str], prefixes: tuple[str, ...]) -> tuple[LiveAddress, ...]:
    """Return the live addresses of an interface on which `own` are configured."""
    known = [each for each in interface.live if each.address not in own and each.source is not LiveSource.FILE]
    rest = interface.addresses - own - {each.address for each in known} if prefixes else frozenset()
    others = (LiveAddress(address=each, source=LiveSource.FILE) for each in rest if covers(prefixes, each))
    return tuple(sorted([*known, *others], key=lambda each: address_key(each.address)))


def _may_have_addresses(interface: Interface, state: State) -> bool:
    if (interface.is_l2 and not interface.is_bvi) or interface.unnumbered is not None:
        return False
    return all(interface.name not in bond.members for bond in state.virtual_as(Bond).values())
