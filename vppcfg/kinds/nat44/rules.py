"""Rules about the section `nat44`: values that VPP would refuse, and names that the file must have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address

from vppcfg.common.addresses import address_key
from vppcfg.common.numbers import MIB, round_up, size_text
from vppcfg.common.resemblance import did_you_mean
from vppcfg.entries.configuration import InterfaceConfig
from vppcfg.entries.index import Index
from vppcfg.entries.nat44 import Nat44Config, NatEnd, NatPoolConfig, NatStaticConfig
from vppcfg.kinds.route_rules import is_unmanaged
from vppcfg.kinds.route_section import DEFAULT_VRF
from vppcfg.model.nat44 import SECTION, NatSide, TwiceNat, end_text, memory_bytes
from vppcfg.model.ownership import NameGlobs
from vppcfg.model.problem import KeyPath, Problem, Severity

_FREE_BYTES = 512 * MIB
"""What a main heap of the usual size, 1G, has left for sessions."""
_INNER = frozenset({NatSide.INSIDE, NatSide.BOTH})


def _warning(rule: str, path: KeyPath, text: str) -> Problem:
    return Problem(rule=rule, path=path, text=text, severity=Severity.WARNING)


def _may_be_elsewhere(index: Index) -> bool:
    """Return whether interfaces of others exist: which part these have in NAT44, and their networks, no file says."""
    return any(":" not in pattern for pattern in index.configuration.unmanaged)


def nat44_sides(index: Index) -> Iterator[Problem]:
    """Find NAT44 without an outside, an inside or an address."""
    config = index.configuration.nat44
    if config is None or not index.is_whole:
        return
    sides = {interface.nat44 for interface in index.interfaces} - {None}
    is_outside_interface = any(side is not None and side.is_outside_interface for side in sides)
    if _may_be_elsewhere(index):
        return
    if not is_outside_interface and (sides or not config.is_empty):
        text = "no interface is `outside`, `both` or `output`, so that nothing is translated; give one `nat44: outside`"
        yield _warning(rule="nat44-no-outside", path=(SECTION,), text=text)
    elif sides == {NatSide.OUTSIDE} and not config.static:
        text = "no interface is `inside`, so nothing is translated; give one `nat44: inside`"
        yield _warning(rule="nat44-no-inside", path=(SECTION,), text=text)
    if is_outside_interface and sides != {NatSide.OUTSIDE} and all(pool.is_twice for pool in config.pools):
        text = "no pool has an address to translate to, so that new connections are dropped; add one to `pools`"
        yield _warning(rule="nat44-no-pool", path=(SECTION,), text=text)


def nat44_forwarding(index: Index) -> Iterator[Problem]:
    """Find forwarding together with inside interfaces: VPP then leaves all that begins there as it is.

    nat44_ed_not_translate in nat44_ed_in2out.c; what leaves an interface with `output` is translated all the same.
    """
    config = index.configuration.nat44
    if config is None or not config.is_forwarding:
        return
    inner = [interface.name for interface in index.interfaces if interface.nat44 in _INNER]
    if inner:
        text = (
            f"VPP translates nothing that begins behind {inner[0]} while it forwards; remove `forwarding` and let the "
        )
        text += "router's own ports through by `exempt`, or give the interface to the world `nat44: output` alone"
        yield _warning(rule="nat44-forwarding", path=(SECTION, "forwarding"), text=text)


def nat44_own_services(index: Index) -> Iterator[Problem]:
    """Find interfaces to the world on which nothing reaches the router itself but ping and DHCP (nat44_ed_out2in.c)."""
    config = index.configuration.nat44
    if config is None or config.is_forwarding or config.has_no_services:
        return
    for interface in index.interfaces:
        if interface.nat44 is None or not interface.nat44.is_outside_interface or _has_exemption(interface, config):
            continue
        text = f"nothing reaches the router itself by {interface.name} but ping and DHCP, no SSH and no BGP"
        text += "; name its ports in `exempt`, or write `exempt: {}` if it has none there"
        severity = Severity.WARNING if interface.lcp is not None else Severity.NOTICE
        yield Problem(rule="nat44-own-services", path=(*interface.path, "nat44"), text=text, severity=severity)


def _has_exemption(interface: InterfaceConfig, config: Nat44Config) -> bool:
    hosts = {address.partition("/")[0] for address in interface.addresses}
    return any(each.local.interface == interface.name or each.local.address in hosts for each in config.exempt)


def nat44_pool_networks(index: Index) -> Iterator[Problem]:
    """Find pools with addresses of the router, and of the networks inside."""
    config = index.configuration.nat44
    if config is None:
        return
    several = {(pool.path, name) for pool, name in _pools_of_uplinks(index, config)}
    for pool in config.pools:
        if not pool.first or pool.is_twice:
            continue
        first, last = int(IPv4Address(pool.first)), int(IPv4Address(pool.last))
        for interface, address in _addresses(index.interfaces):
            key = address_key(address)
            low = key.network << (key.width - key.length)
            high = low | ((1 << (key.width - key.length)) - 1)
            if _has(pool, address):
                if pool.vrf is not None or (pool.path, interface.name) in several:
                    continue  # an interface gives its address to the hosts of all VRFs
                text = f"the pool has {address.partition('/')[0]}, an address of {interface.name}; write "
                text += f"{{ interface: {interface.name} }}, which follows it when it changes, or take it out"
                yield _warning(rule="nat44-pool-own-address", path=pool.path, text=text)
            elif interface.nat44 is NatSide.INSIDE and first <= high and low <= last:
                text = f"the pool has addresses of the network {address} inside, on {interface.name}; take them out"
                yield _warning(rule="nat44-pool-inside", path=pool.path, text=text)


def nat44_uplinks(index: Index) -> Iterator[Problem]:
    """Find pools of several uplinks: VPP takes an address of the uplink only if it is for the hosts of one VRF.

    nat_ed_alloc_addr_and_port in nat44_ed_in2out.c; of addresses for all VRFs it takes one by the host's address.
    """
    config = index.configuration.nat44
    if config is None:
        return
    for pool, name in _pools_of_uplinks(index, config):
        text = f"hosts also leave by {name} with an address of another uplink: VPP chooses by the host, not by the "
        text += f"uplink; give {name} a fixed address and write {{ range: ADDRESS, vrf: default }}"
        yield _warning(rule="nat44-pool-uplinks", path=pool.path, text=text)


def _pools_of_uplinks(index: Index, config: Nat44Config) -> list[tuple[NatPoolConfig, str]]:
    """Return the pools for all VRFs that have an address of an uplink, with this, where those are several."""
    found = [
        (pool, uplink.name)
        for pool in config.pools
        for uplink in index.interfaces
        if uplink.nat44 is NatSide.OUTPUT and not pool.is_twice and pool.vrf is None
        if pool.interface == uplink.name or any(_has(pool, each) for _, each in _addresses([uplink]))
    ]
    return found if len({name for _, name in found}) > 1 else []


def _has(pool: NatPoolConfig, address: str) -> bool:
    """Return whether an IPv4 address of an interface is in the range of a pool."""
    value = address_key(address).value
    return bool(pool.first) and int(IPv4Address(pool.first)) <= value <= int(IPv4Address(pool.last))


def _addresses(interfaces: Iterable[InterfaceConfig]) -> Iterator[tuple[InterfaceConfig, str]]:
    for interface in interfaces:
        for address in interface.addresses:
            if ":" not in address:
                yield interface, address


def nat44_local(index: Index) -> Iterator[Problem]:
    """Find mappings to hosts that are behind no interface inside, and to which no route leads."""
    config = index.configuration.nat44
    if config is None or not index.is_whole:
        return
    networks = {
        (interface.vrf or "", key.length, key.network)
        for interface, address in _addresses(index.interfaces)
        if interface.nat44 is not NatSide.OUTSIDE
        for key in (address_key(address),)
    }
    for route in index.configuration.routes:
        key = address_key(route.prefix)
        if key.family == address_key("0.0.0.0/0").family and key.length:
            networks.add((route.vrf or "", key.length, key.network))
    if _may_be_elsewhere(index) or any(each.unnumbered or each.dhcp_client for each in index.interfaces):
        return
    for each in config.static:
        if not _is_within(each, networks):
            text = f"{each.local.address} is in no network inside of this file; correct it, or add a route to it"
            yield _warning(rule="nat44-local", path=(*each.path, "local"), text=text)


def _is_within(each: NatStaticConfig, networks: set[tuple[str, int, int]]) -> bool:
    value = address_key(f"{each.local.address}/32").value
    vrf = "" if each.vrf in (None, "default") else each.vrf or ""
    return any((vrf, length, value >> (32 - length)) in networks for length in range(1, 33))


def nat44_memory(index: Index) -> Iterator[Problem]:
    """Find numbers of sessions that do not fit, or may not, into the main heap: VPP takes all at once, or crashes."""
    config, section = index.configuration.nat44, index.configuration.dataplane
    if config is None or config.sessions is None:
        return
    needed, path = memory_bytes(config.sessions, threads=1), (SECTION, "sessions")
    heap = section.memory.main_heap_bytes if section is not None else None
    text = (
        f"{config.sessions:,} sessions take {size_text(round_up(needed, MIB))} of the main heap for each thread of VPP"
    )
    if heap is not None and needed > heap:
        text += f", and it has {size_text(heap)}; enlarge `dataplane.memory.main-heap`"
        yield Problem(rule="nat44-memory", path=path, text=text)
    elif section is None and needed > _FREE_BYTES:
        text += ", which has 1G unless startup.conf sets another size; VPP crashes if they do not fit"
        yield _warning(rule="nat44-memory", path=path, text=text)


ADVICE = (
    nat44_sides,
    nat44_forwarding,
    nat44_own_services,
    nat44_pool_networks,
    nat44_uplinks,
    nat44_local,
    nat44_memory,
)


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
