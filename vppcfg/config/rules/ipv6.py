"""Rules about what an interface tells its link over IPv6: router advertisements, and its link-local address."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.addresses import address_key, canonical_prefix, is_link_local, is_link_local_of_mac
from vppcfg.config.configuration import InterfaceConfig
from vppcfg.config.rules.index import Index
from vppcfg.model.features import RaPrefix
from vppcfg.model.problem import Problem

_AUTONOMOUS_LENGTH = 64
"""Bits; what hosts on Ethernet make addresses of (RFC 2464)."""


def ra_alone(index: Index) -> Iterator[Problem]:
    """Find router advertisements on interfaces without IPv6 addresses, where VPP has no IPv6."""
    for interface in index.interfaces:
        if interface.ra is not None and _lacks_ipv6(interface, index):
            text = f"{interface.name} has no IPv6 address to advertise itself with; add one to `addresses`"
            yield Problem(rule="ra-address", path=(*interface.path, "ra"), text=text)


def ra_times(index: Index) -> Iterator[Problem]:
    """Find times that VPP does not take together."""
    for interface in index.interfaces:
        ra = interface.ra
        if ra is None:
            continue
        path = (*interface.path, "ra")
        if ra.min_interval_s * 4 > ra.max_interval_s * 3:
            text = f"min-interval {ra.min_interval_s} is more than three quarters of interval {ra.max_interval_s}"
            yield Problem(rule="ra-interval", path=(*path, "min-interval"), text=text)
        if 0 < ra.lifetime_s <= ra.max_interval_s:
            text = (
                f"the lifetime, {ra.lifetime_s} s, is over before the next advertisement comes, "
                f"after up to {ra.max_interval_s} s; make it longer, or 0"
            )
            yield Problem(rule="ra-lifetime", path=(*path, "lifetime"), text=text)


def ra_prefixes(index: Index) -> Iterator[Problem]:
    """Find prefixes that no host could use, and those that stand there twice."""
    for interface in index.interfaces:
        if interface.ra is None:
            continue
        seen: set[str] = set()
        for each in interface.ra.prefixes:
            path = (*interface.path, "ra", "prefixes")
            if reason := _why_unfit(each):
                yield Problem(rule="ra-prefix", path=path, text=f"{each.prefix} {reason}")
            elif each.prefix in seen:
                yield Problem(rule="ra-prefix", path=path, text=f"{each.prefix} is here a second time; remove one")
            seen.add(each.prefix)


def _why_unfit(each: RaPrefix) -> str | None:
    network = canonical_prefix(each.prefix)
    key = address_key(each.prefix) if network is not None else None
    if key is None or key.family == 4 or not key.length:
        return "is no IPv6 prefix; write one such as 2001:db8:1::/64"
    if is_link_local(each.prefix) or key.value >> 120 == 0xFF:
        return "is no prefix of hosts; link-local and multicast ones are not advertised"
    if network != each.prefix:
        return f"is an address in a prefix; write {network}"
    if each.is_autonomous and key.length != _AUTONOMOUS_LENGTH:
        return f"has not {_AUTONOMOUS_LENGTH} bits, so hosts make no addresses of it; add `autonomous: false`"
    return None


def link_local_fit(index: Index) -> Iterator[Problem]:
    """Find link-local addresses that are none, and those where nothing would turn IPv6 on and off again."""
    for interface in index.interfaces:
        address = interface.link_local
        if address is None:
            continue
        path = (*interface.path, "link-local")
        if not is_link_local(address) or address_key(f"{address}/64").value & (1 << 64) - 1 == 0:
            text = f"{address} is no link-local address of a host; take one such as fe80::1"
            yield Problem(rule="link-local-range", path=path, text=text)
        elif is_link_local_of_mac(address):
            text = f"{address} has the form of those that VPP makes of MAC addresses; take another, such as fe80::1"
            yield Problem(rule="link-local-of-mac", path=path, text=text)
        elif _lacks_ipv6(interface, index):
            text = f"{interface.name} has no other IPv6 address; add one to `addresses`"
            yield Problem(rule="link-local-address", path=path, text=text)


def _lacks_ipv6(interface: InterfaceConfig, index: Index) -> bool:
    """Return whether an interface has no IPv6 address, and could have one."""
    if interface.name in index.bonds or index.why_switched(interface.name):
        return False
    return not any(":" in address and not is_link_local(address) for address in interface.addresses)
