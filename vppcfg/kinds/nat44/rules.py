"""Rules about the section `nat44`: values that VPP would refuse, and names that the file must have."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address

from vppcfg.common.resemblance import did_you_mean
from vppcfg.entries.index import Index
from vppcfg.entries.nat44 import Nat44Config, NatEnd, NatPoolConfig
from vppcfg.kinds.nat44.advice import ADVICE
from vppcfg.kinds.route_rules import is_unmanaged
from vppcfg.kinds.route_section import DEFAULT_VRF
from vppcfg.model.nat44 import SECTION, TwiceNat, end_text
from vppcfg.model.ownership import NameGlobs
from vppcfg.model.problem import KeyPath, Problem

MOST_ADDRESSES = 1 << 12
"""In all pools: each takes a message, and VPP walks all of them for each new session (nat_ed_alloc_addr_and_port)."""


def nat44_section(index: Index) -> Iterator[Problem]:
    """Find interfaces that take part in NAT44 while the file has no section for it."""
    if index.configuration.nat44 is not None or SECTION in index.lost_sections:
        return
    if SECTION in index.broken_entries:
        return
    for interface in index.interfaces:
        if interface.nat44 is not None:
            text = (
                f"{interface.name} takes part in NAT44, and this file has no section `nat44`; add it, empty if need be"
            )
            yield Problem(rule="nat44-section", path=(*interface.path, "nat44"), text=text)


def nat44_references(index: Index) -> Iterator[Problem]:
    """Find interfaces that the file lacks, or that have no address to give, and VRFs likewise."""
    config = index.configuration.nat44
    if config is None:
        return
    unmanaged = NameGlobs(index.configuration.unmanaged)
    for name, path in config.interfaces():
        if index.find(name) is None:
            is_known = index.has(name) or name in index.configuration.virtual or is_unmanaged(name, unmanaged)
            if not is_known:
                text = f"there is no interface {name} in this file{did_you_mean(name, index.names)}"
                yield Problem(rule="nat44-interface", path=path, text=text)
        elif reason := index.why_switched(name):
            text = f"{name} {reason} and has no address; name another interface"
            yield Problem(rule="nat44-interface", path=path, text=text)
    for name, path in _vrfs(config):
        vrf = index.configuration.vrfs.get(name)
        if vrf is None and name != DEFAULT_VRF and not index.has_entry("vrfs", name, index.configuration.vrfs):
            text = f"there is no VRF {name} in this file; add it to `vrfs`"
            text += did_you_mean(name, index.configuration.vrfs)
            yield Problem(rule="vrf-undefined", path=path, text=text)
        elif vrf is not None and not vrf.has_ipv4:
            yield Problem(rule="vrf-family", path=path, text=f"{name} has no table for IPv4, which NAT44 is about")


def _vrfs(config: Nat44Config) -> Iterator[tuple[str, KeyPath]]:
    found: list[tuple[str | None, KeyPath]] = [
        *((pool.vrf, (*pool.path, "vrf")) for pool in config.pools),
        *((each.vrf, (*each.path, "vrf")) for each in config.static),
        *((each.vrf, (*each.path, "vrf")) for each in config.exempt),
    ]
    for leak in config.leaks:
        found += [(leak.vrf, leak.path), *((target, leak.path) for target in leak.targets)]
    yield from ((name, path) for name, path in found if name is not None)


def nat44_pools(index: Index) -> Iterator[Problem]:
    """Find addresses that are in pools twice, and more of them than are of use."""
    config = index.configuration.nat44
    if config is None:
        return
    for is_twice in (False, True):
        ranges = [pool for pool in config.pools if pool.first and pool.is_twice is is_twice]
        yield from _overlaps(ranges)
    total = sum(int(IPv4Address(pool.last)) - int(IPv4Address(pool.first)) + 1 for pool in config.pools if pool.first)
    if total > MOST_ADDRESSES:
        text = (
            f"the pools have {total:,} addresses, more than {MOST_ADDRESSES:,}; each serves 64,000 sessions to one host"
        )
        yield Problem(rule="nat44-pool-large", path=(SECTION, "pools"), text=text)
    yield from _givers(config, index)
    yield from _own_addresses(config, index)


def _overlaps(ranges: list[NatPoolConfig]) -> Iterator[Problem]:
    ordered = sorted(ranges, key=lambda pool: int(IPv4Address(pool.first)))
    for place, pool in enumerate(ordered[1:]):
        former = ordered[place]
        if int(IPv4Address(pool.first)) <= int(IPv4Address(former.last)):
            text = f"{pool.first} is in another entry too ({former.first} to {former.last}); take it out of one"
            yield Problem(rule="nat44-pool-duplicate", path=pool.path, text=text)


def _givers(config: Nat44Config, index: Index) -> Iterator[Problem]:
    """Yield a problem for each interface that gives a pool what another entry gives it."""
    seen: dict[str, NatPoolConfig] = {}
    givers: dict[tuple[str, bool], str] = {}
    for pool in (pool for pool in config.pools if pool.interface):
        shared = [givers.setdefault((each, pool.is_twice), pool.interface) for each in _ipv4(pool.interface, index)]
        other = next((name for name in shared if name != pool.interface), None)
        if pool.interface in seen:
            text = f"{pool.interface} gives its address already, and VPP lets only one pool follow it; remove one"
            yield Problem(rule="nat44-pool-duplicate", path=pool.path, text=text)
        elif other is not None:
            text = f"{pool.interface} and {other} have the same address, which a pool has once; remove one"
            yield Problem(rule="nat44-pool-duplicate", path=pool.path, text=text)
        seen[pool.interface] = pool


def _own_addresses(config: Nat44Config, index: Index) -> Iterator[Problem]:
    """Yield a problem for each address of an interface that is in a pool by itself and by the interface."""
    for pool in config.pools:
        for address in _ipv4(pool.interface, index):
            holder = _holding(address, pool.is_twice, config)
            if holder is not None:
                text = f"{address} of {pool.interface} is in the pool by this entry too; take it out"
                yield Problem(rule="nat44-pool-duplicate", path=holder.path, text=text)


def _ipv4(name: str, index: Index) -> list[str]:
    """Return the IPv4 addresses that the file gives an interface, or the one whose addresses it borrows."""
    interface = index.find(name)
    if interface is not None and interface.unnumbered is not None:
        interface = index.find(interface.unnumbered)
    found = interface.addresses if interface is not None else ()
    return [address.partition("/")[0] for address in found if ":" not in address]


def _holding(address: str, is_twice: bool, config: Nat44Config) -> NatPoolConfig | None:
    value = int(IPv4Address(address))
    return next(
        (
            pool
            for pool in config.pools
            if pool.first
            and pool.is_twice is is_twice
            and int(IPv4Address(pool.first)) <= value <= int(IPv4Address(pool.last))
        ),
        None,
    )


def nat44_mappings(index: Index) -> Iterator[Problem]:
    """Find mappings and exemptions that VPP takes once only, and twice-nat where it cannot be."""
    config = index.configuration.nat44
    if config is None:
        return
    outer: dict[str, str] = {}
    inner: dict[tuple[str, str], str] = {}
    for each in config.static:
        for end in _outer_ends(each.external, each.outer, index):
            if end in outer and outer[end] != each.name:
                text = f"{end} is mapped by {outer[end]} already; take another port or address"
                yield Problem(rule="nat44-duplicate", path=(*each.path, "external"), text=text)
                break
            outer[end] = each.name
        local = (end_text(each.protocol, each.local.address, each.local.port), each.vrf or DEFAULT_VRF)
        if not each.is_out_to_in_only:
            if local in inner:
                text = f"{local[0]} is mapped by {inner[local]} already; give one of both `out-to-in-only: true`"
                yield Problem(rule="nat44-duplicate", path=(*each.path, "local"), text=text)
            inner.setdefault(local, each.name)
        if each.twice is not TwiceNat.NO and each.protocol is None:
            text = "VPP has no twice-nat for whole addresses; add `protocol` and ports, or remove `twice-nat`"
            yield Problem(rule="nat44-twice-nat", path=(*each.path, "twice-nat"), text=text)
        elif each.twice is not TwiceNat.NO and not any(pool.is_twice for pool in config.pools):
            text = "no pool has an address for it; add one with `twice-nat: true`"
            yield Problem(rule="nat44-twice-nat", path=(*each.path, "twice-nat"), text=text)
    yield from _exemptions(config, outer, index)


def _outer_ends(external: NatEnd, text: str, index: Index) -> Iterator[str]:
    """Yield what an outer end occupies: itself, and of an interface the addresses that it has."""
    yield text
    for address in _ipv4(external.interface, index):
        yield text.replace(external.interface, address, 1)


def _exemptions(config: Nat44Config, outer: dict[str, str], index: Index) -> Iterator[Problem]:
    seen: dict[tuple[str, str], str] = {}
    for each in config.exempt:
        text = end_text(each.protocol, each.local.address or each.local.interface, each.local.port)
        for end in _outer_ends(each.local, text, index):
            other = seen.get((end, each.vrf or DEFAULT_VRF))
            if end in outer:
                words = f"{end} is mapped by {outer[end]}, so that it is translated; remove one"
            elif other is not None:
                words = f"{end} is exempt by {other} already; remove one"
            else:
                continue
            yield Problem(rule="nat44-duplicate", path=(*each.path, "local"), text=words)
            break
        for end in _outer_ends(each.local, text, index):
            seen.setdefault((end, each.vrf or DEFAULT_VRF), each.name)


RULES = (nat44_section, nat44_references, nat44_pools, nat44_mappings, *ADVICE)
