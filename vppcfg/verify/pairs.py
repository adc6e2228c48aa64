"""Compares the two sides of each LCP pair, VPP's interface and Linux's device: state, MTU, addresses, neighbours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Set
from types import MappingProxyType

from vppcfg.model.forwarding import LinuxForwarding, PairSide, VppForwarding, VppPair
from vppcfg.record import record
from vppcfg.verify.mismatch import Mismatch, MismatchKind, Subject

_NOT_COPIED = "addresses of Linux alone, which neither linux-nl nor lcp-sync copies"


@record
class PairComparison:
    """What came out for all pairs."""

    mismatches: frozenset[Mismatch]
    compared: Counter[Subject]
    limits: Counter[str]
    """What is not copied, by its kind."""


def compare_pairs(
    vpp: VppForwarding,
    linux: Mapping[str, LinuxForwarding],
    looked_up: Mapping[tuple[str, str], bool] | None = None,
    addresses: Mapping[str, Set[str]] = MappingProxyType({}),
) -> PairComparison:
    """Return how the two sides of the pairs differ; `linux` has each namespace that can be read, by name.

    Of a VPP whose neighbours were not read, those that were `looked_up`, by interface and address, are compared.
    `addresses` are those that interfaces are to have.
    """
    found: set[Mismatch] = set()
    compared: Counter[Subject] = Counter()
    limits: Counter[str] = Counter()
    for pair in vpp.pairs:
        if pair.netns not in linux:
            limits["LCP pairs in a namespace that cannot be read"] += 1
            continue
        around = linux[pair.netns]
        device = around.sides.get(pair.interface)
        compared[Subject.PAIR] += 1
        found.update(_about_device(pair, around))
        if device is None or pair.side is None:
            continue
        found.update(_about_link(pair.interface, device, pair.side))
        for address in addresses.get(pair.interface, frozenset()) - device.addresses - pair.side.addresses:
            found.add(Mismatch(MismatchKind.LOST, Subject.ADDRESS, pair.interface, address))
        listens = vpp.has_linux_nl and pair.netns == vpp.default_netns
        if pair.is_unnumbered:
            compared[Subject.ADDRESS] += len(device.addresses)
            found.update(_about_borrowed(pair.interface, device, pair.side))
        elif listens or vpp.is_sync:
            compared[Subject.ADDRESS] += len(device.addresses | pair.side.addresses)
            found.update(_about_addresses(pair.interface, device, pair.side))
        else:
            lacking = _without_hosts(pair.side.addresses - pair.virtual, device.addresses)
            compared[Subject.ADDRESS] += len(pair.side.addresses - pair.virtual)
            found.update(Mismatch(MismatchKind.STALE, Subject.ADDRESS, pair.interface, each) for each in lacking)
            limits[_NOT_COPIED] += len(_without_hosts(device.addresses, pair.side.addresses))
        if listens and vpp.has_neighbors:
            compared[Subject.NEIGHBOR] += len(device.neighbors)
            found.update(_about_neighbors(pair.interface, device, pair.side))
        elif listens:
            continue
        else:
            limits["neighbours where linux-nl does not listen"] += len(device.neighbors)
    if looked_up is not None:
        compared[Subject.NEIGHBOR] += len(looked_up)
        found.update(_about_looked_up(looked_up, linux[vpp.default_netns]))
    return PairComparison(mismatches=frozenset(found), compared=compared, limits=+limits)


def neighbors_of(vpp: VppForwarding, linux: LinuxForwarding) -> list[tuple[str, str]]:
    """Return the neighbours that Linux has where linux-nl listens, by interface and address; link-local ones aside.

    VPP has those in tables of their own, for each link.
    """
    there = {pair.interface for pair in vpp.pairs if pair.netns == vpp.default_netns and pair.side is not None}
    return [
        (interface, address)
        for interface, side in linux.sides.items()
        if interface in there
        for address in side.neighbors
        if not address.startswith("fe80:")
    ]


def _about_looked_up(found: Mapping[tuple[str, str], bool], linux: LinuxForwarding) -> Iterator[Mismatch]:
    """Yield the neighbours that VPP lacks."""
    for (interface, address), is_there in found.items():
        if not is_there:
            mac = linux.sides[interface].neighbors[address].mac
            yield Mismatch(MismatchKind.MISSING, Subject.NEIGHBOR, interface, address, linux=mac)


def _about_device(pair: VppPair, around: LinuxForwarding) -> Iterator[Mismatch]:
    """Yield a device that is not there, or is not the one that VPP made the pair with."""
    name = pair.host_name
    if pair.side is None:
        yield Mismatch(MismatchKind.DIFFERENT, Subject.PAIR, pair.interface, name, vpp="its interface is gone")
    elif pair.interface not in around.sides:
        yield Mismatch(MismatchKind.STALE, Subject.PAIR, pair.interface, name)
    elif not pair.has_host:
        yield Mismatch(MismatchKind.DIFFERENT, Subject.PAIR, pair.interface, name, vpp="its end of the device is gone")
    elif pair.device_index and around.indexes[pair.interface] != pair.device_index:
        index = around.indexes[pair.interface]
        yield Mismatch(
            MismatchKind.DIFFERENT,
            Subject.PAIR,
            pair.interface,
            name,
            linux=f"device {index}",
            vpp=f"device {pair.device_index}",
        )


def _about_link(interface: str, linux: PairSide, vpp: PairSide) -> Iterator[Mismatch]:
    if linux.is_up != vpp.is_up:
        yield Mismatch(MismatchKind.DIFFERENT, Subject.STATE, interface, linux=_state(linux), vpp=_state(vpp))
    if vpp.mtu and linux.mtu != vpp.mtu:
        yield Mismatch(MismatchKind.DIFFERENT, Subject.MTU, interface, linux=str(linux.mtu), vpp=str(vpp.mtu))


def _state(side: PairSide) -> str:
    return "up" if side.is_up else "down"


def _about_addresses(interface: str, linux: PairSide, vpp: PairSide) -> Iterator[Mismatch]:
    for address in linux.addresses - vpp.addresses:
        yield Mismatch(MismatchKind.MISSING, Subject.ADDRESS, interface, address)
    for address in vpp.addresses - linux.addresses:
        yield Mismatch(MismatchKind.STALE, Subject.ADDRESS, interface, address)


def _about_borrowed(interface: str, linux: PairSide, vpp: PairSide) -> Iterator[Mismatch]:
    """Yield addresses that Linux has on the device of an unnumbered interface, and its donor has not.

    Linux may have those of the donor elsewhere, or with other lengths.
    """
    for address in _without_hosts(linux.addresses, vpp.addresses):
        yield Mismatch(MismatchKind.MISSING, Subject.ADDRESS, interface, address)


def _without_hosts(addresses: frozenset[str], others: frozenset[str]) -> list[str]:
    """Return the addresses that are not among `others`, whatever lengths these have."""
    hosts = {each.partition("/")[0] for each in others}
    return [each for each in addresses if each.partition("/")[0] not in hosts]


def _about_neighbors(interface: str, linux: PairSide, vpp: PairSide) -> Iterator[Mismatch]:
    """Compare neighbours. A static one that VPP alone has was configured there, maybe by vppcfg.

    VPP answers ARP requests and neighbour solicitations by itself and learns who asks (vnet/arp/arp.c, vnet/ip6-nd);
    Linux never hears of them (linux-cp/lcp_node.c copies replies only). So a learnt neighbour that VPP alone has may be
    right. It is stale when Linux has asked for it in vain since VPP heard of it: then linux-nl was to take it out.
    """
    for address, seen in linux.neighbors.items():
        known = vpp.neighbors.get(address)
        if known is None:
            yield Mismatch(MismatchKind.MISSING, Subject.NEIGHBOR, interface, address, linux=seen.mac)
        elif known.mac != seen.mac:
            yield Mismatch(MismatchKind.DIFFERENT, Subject.NEIGHBOR, interface, address, linux=seen.mac, vpp=known.mac)
    for address, known in vpp.neighbors.items():
        if address not in linux.neighbors and not known.is_static:
            is_stale = known.age_s > linux.failed.get(address, float("inf"))
            kind = MismatchKind.STALE if is_stale else MismatchKind.VPP_ONLY
            yield Mismatch(kind, Subject.NEIGHBOR, interface, address, vpp=known.mac)
