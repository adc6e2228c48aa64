"""Checks links between the routers of a fleet: what those that share a subnet must agree on, what only one may have."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from ipaddress import ip_network
from typing import TypeVar

from vppcfg.config.fleet.finding import FleetFinding, Place, finding
from vppcfg.config.fleet.member import FleetAddress, LinkEnd, Member, Tags
from vppcfg.config.fleet.settings import FleetSettings
from vppcfg.model.problem import Severity

_T = TypeVar("_T")
_TWO_HOSTS, _FOUR_HOSTS = 1, 2
"""Host bits of links between two routers."""


def found_on_links(members: Sequence[Member], settings: FleetSettings, *, is_whole: bool) -> Iterator[FleetFinding]:
    """Yield what is wrong with addresses and links; only where all files are known, what is missing."""
    addresses = [address for member in members for address in member.addresses]
    yield from _duplicate_addresses(addresses, settings)
    yield from _duplicate_macs(members, settings)
    yield from _prefix_lengths(addresses, settings)
    for subnet in _subnets(addresses):
        yield from _link_mtu(subnet)
        yield from _vlan(subnet)
        if is_whole:
            yield from _lonely_end(subnet, settings)


def _duplicate_addresses(addresses: Sequence[FleetAddress], settings: FleetSettings) -> Iterator[FleetFinding]:
    first: dict[tuple[str, str], FleetAddress] = {}
    for address in addresses:
        other = first.setdefault((address.end.vrf, address.host), address)
        if other.end.router != address.end.router and not settings.is_anycast(address.host):
            yield finding(
                "fleet-duplicate-address",
                address.place,
                f"{address.host} is also an address of {_named(other)}",
                address.host,
            )


def _duplicate_macs(members: Sequence[Member], settings: FleetSettings) -> Iterator[FleetFinding]:
    first: dict[str, tuple[str, Place]] = {}
    for member in members:
        for mac, place in member.macs:
            router, there = first.setdefault(mac, (member.router, place))
            if router != member.router and mac not in settings.anycast_macs:
                text = f"{mac} is also a MAC address of {router} ({there.short})"
                yield finding("fleet-duplicate-mac", place, text, mac)


def _prefix_lengths(addresses: Sequence[FleetAddress], settings: FleetSettings) -> Iterator[FleetFinding]:
    """Find prefixes within longer ones of other routers; those that contain the current one are on a stack."""

    def rank(address: FleetAddress) -> tuple[str, int, int, int]:
        key = address.key
        return address.end.vrf, key.family, key.network << (key.width - key.length), key.length

    stack: list[FleetAddress] = []
    for address in sorted(addresses, key=rank):
        while stack and not _contains(stack[-1], address):
            stack.pop()
        others = (
            outer
            for outer in reversed(stack)
            if outer.key.length != address.key.length and outer.end.router != address.end.router
        )
        other = next(others, None)
        if other is not None and not settings.is_anycast(address.host):
            text = f"{address.text} lies within {other.text} of {_named(other)}, and both must have one length"
            yield finding("fleet-prefix-length", address.place, text, _subnet_text(address))
        stack.append(address)


def _contains(outer: FleetAddress, inner: FleetAddress) -> bool:
    if (outer.end.vrf, outer.key.family) != (inner.end.vrf, inner.key.family) or outer.key.length > inner.key.length:
        return False
    return outer.key.network == inner.key.value >> (inner.key.width - outer.key.length)


def _subnets(addresses: Sequence[FleetAddress]) -> Iterator[Sequence[FleetAddress]]:
    """Yield the addresses of each subnet that more than one host fits into."""
    found: dict[tuple[str, int, int, int], list[FleetAddress]] = defaultdict(list)
    for address in addresses:
        if _host_bits(address):
            found[address.end.vrf, address.key.family, address.key.length, address.key.network].append(address)
    yield from found.values()


def _link_mtu(subnet: Sequence[FleetAddress]) -> Iterator[FleetFinding]:
    severity = Severity.ERROR if _host_bits(subnet[0]) <= _FOUR_HOSTS else Severity.WARNING
    for other, odd in _odd_ones(subnet, lambda end: end.mtu):
        there = f"that of {other.end.router} ({other.end.mtu_place.short})"
        text = f"mtu is {odd.end.mtu}, {there} on {_subnet_text(odd)} is {other.end.mtu}"
        yield finding("fleet-link-mtu", odd.end.mtu_place, text, _subnet_text(odd), severity)


def _vlan(subnet: Sequence[FleetAddress]) -> Iterator[FleetFinding]:
    for other, odd in _odd_ones(subnet, lambda end: end.tags):
        text = (
            f"{_subnet_text(odd)} is {_tagged(odd.end.tags)} here and {_tagged(other.end.tags)} on {_named(other)}; "
            "that needs a switch in between which translates"
        )
        yield finding("fleet-vlan", odd.place, text, _subnet_text(odd), Severity.WARNING)


def _lonely_end(subnet: Sequence[FleetAddress], settings: FleetSettings) -> Iterator[FleetFinding]:
    if len({address.key.value for address in subnet}) > 1 or _host_bits(subnet[0]) != _TWO_HOSTS:
        return
    address = subnet[0]
    other = next(str(host) for host in ip_network(_subnet_text(address)) if str(host) != address.host)
    if not settings.is_external(other):
        text = f"no router has the other end of this link, {other}"
        yield finding("fleet-lonely-end", address.place, text, _subnet_text(address), Severity.WARNING)


def _odd_ones(
    subnet: Sequence[FleetAddress], what: Callable[[LinkEnd], _T]
) -> Iterator[tuple[FleetAddress, FleetAddress]]:
    """Yield each address whose interface differs from most of the others', after one of those; the first ends win."""
    ends = {(address.end.router, address.end.name): address for address in subnet}
    if len({address.end.router for address in ends.values()}) < 2:
        return
    usual = Counter(what(address.end) for address in ends.values()).most_common(1)[0][0]
    example = next(address for address in ends.values() if what(address.end) == usual)
    yield from ((example, address) for address in ends.values() if what(address.end) != usual)


def _host_bits(address: FleetAddress) -> int:
    return address.key.width - address.key.length


def _subnet_text(address: FleetAddress) -> str:
    return str(ip_network(address.text, strict=False))


def _named(address: FleetAddress) -> str:
    return f"{address.end.router} {address.end.name} ({address.place.short})"


def _tagged(tags: Tags) -> str:
    if tags is None:
        return "untagged"
    outer, inner, is_dot1ad = tags
    return f"in {'802.1ad' if is_dot1ad else 'VLAN'} {outer}" + (f" with VLAN {inner} inside" if inner else "")
