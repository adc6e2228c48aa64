"""Rules about NAT44, as warnings: it would translate nothing, or cut off services of the router itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address

from vppcfg.common.addresses import address_key
from vppcfg.common.numbers import MIB, round_up, size_text
from vppcfg.entries.configuration import InterfaceConfig
from vppcfg.entries.index import Index
from vppcfg.entries.nat44 import Nat44Config, NatPoolConfig, NatStaticConfig
from vppcfg.model.nat44 import SECTION, NatSide, memory_bytes
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
