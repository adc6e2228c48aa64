"""The configurations of many routers compared with each other, for what one of them alone cannot show.

No router is reached. Each file is read as `check` reads it; of what its router has, only what others can meet is kept.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from ipaddress import ip_network
from typing import TypeVar

from vppcfg.common.names import natural_key
from vppcfg.common.prefix_table import PrefixTable
from vppcfg.common.release import Release
from vppcfg.config.fleet.finding import FleetFinding, Place, finding
from vppcfg.config.fleet.member import FleetAddress, FleetProxy, FleetTunnel, LinkEnd, Member, Tags, read_member
from vppcfg.config.fleet.multipoint import found_on_neighbors
from vppcfg.config.fleet.settings import SETTINGS_NAME, FleetSettings, read_settings
from vppcfg.config.fleet.tunnels import found_on_tunnels, known_hosts
from vppcfg.config.fleet.vrrp import found_on_virtual_routers
from vppcfg.errors import ConfigError
from vppcfg.kinds.wireguard.entry import PeerConfig, WireguardConfig
from vppcfg.model.problem import Problem, ProblemList, Severity
from vppcfg.record import record

_End = tuple[WireguardConfig, FleetTunnel]


def found_on_wireguards(
    members: Sequence[Member], settings: FleetSettings, *, is_whole: bool
) -> Iterator[FleetFinding]:
    """Yield what is wrong with WireGuard; only where all files are known, what is missing."""
    every = [
        (virtual, tunnel)
        for member in members
        for tunnel in member.tunnels
        if isinstance(virtual := tunnel.virtual, WireguardConfig)
    ]
    by_key = {virtual.public_key: (virtual, tunnel) for virtual, tunnel in every}
    known = known_hosts(members)
    hosts: dict[str, list[str]] = defaultdict(list)
    for member in members:
        for address in member.addresses:
            hosts[address.host].append(member.router)
    for virtual, own in every:
        for peer, place in zip(virtual.peers, own.parts, strict=True):
            other = by_key.get(peer.public_key)
            if other is not None:
                yield from _towards((virtual, own), peer, place, other, hosts)
                if is_whole and peer.endpoint and peer.endpoint not in known:
                    yield from _to_nobody((virtual, own), peer, place, other, settings)
            elif is_whole and peer.endpoint and peer.endpoint in known:
                text = f"{peer.endpoint} is an address of this fleet, and no router has the key of {peer.name}"
                yield finding("fleet-wireguard-key", place, text, _subject(own, peer))
            elif is_whole and peer.endpoint and not settings.is_external(peer.endpoint):
                text = (
                    f"no router has the endpoint of {peer.name}, {peer.endpoint}, nor its key; name it below "
                    "`external` in fleet.yml when it is none of these"
                )
                yield finding("fleet-wireguard-nobody", place, text, _subject(own, peer), Severity.WARNING)


def _towards(
    end: _End, peer: PeerConfig, place: Place, other_end: _End, hosts: Mapping[str, Sequence[str]]
) -> Iterator[FleetFinding]:
    """Yield what is wrong with a peer that is a router of the fleet."""
    (virtual, own), (other_virtual, other) = end, other_end
    there, subject = f"{other.router} {other_virtual.name} ({other.place.short})", _subject(own, peer)
    back = next((each for each in other_virtual.peers if each.public_key == virtual.public_key), None)
    if back is None:
        yield finding(
            "fleet-wireguard-one-sided", place, f"{there} has no peer with the key of {virtual.name}", subject
        )
    elif back.preshared_key_sha256 != peer.preshared_key_sha256 and (own.router, virtual.name) > (
        other.router,
        other_virtual.name,
    ):
        yield finding(
            "fleet-wireguard-preshared", place, f"the preshared key is another one than that of {there}", subject
        )
    if peer.endpoint is not None and peer.port is not None and peer.port != other_virtual.port:
        text = f"port is {peer.port}, and {there} listens on {other_virtual.port}"
        yield finding("fleet-wireguard-port", place, text, subject)
    owners = hosts.get(peer.endpoint or "", ())
    if owners and other.router not in owners:
        text = f"the key is that of {there}, and {peer.endpoint} is an address of {owners[0]}"
        yield finding("fleet-wireguard-endpoint", place, text, subject)


def _to_nobody(
    end: _End, peer: PeerConfig, place: Place, other_end: _End, settings: FleetSettings
) -> Iterator[FleetFinding]:
    """Yield that a peer of the fleet is looked for where no router is."""
    (_, own), (other_virtual, other) = end, other_end
    if peer.endpoint is not None and not settings.is_external(peer.endpoint):
        text = (
            f"the key is that of {other.router} {other_virtual.name} ({other.place.short}), and no router has the "
            f"address {peer.endpoint}; name it below `external` in fleet.yml when it is translated on the way"
        )
        yield finding("fleet-wireguard-endpoint", place, text, _subject(own, peer), Severity.WARNING)


def _subject(own: FleetTunnel, peer: PeerConfig) -> str:
    return f"{own.router}:{own.virtual.name}:{peer.name}"


def found_on_nd_proxies(members: Sequence[Member], settings: FleetSettings) -> Iterator[FleetFinding]:
    """Yield the hosts for which two routers answer on one prefix.

    That another router has such an address is no finding: it may be the host behind the one that answers, and files do
    not show which of the links of the prefix it is on.
    """
    first: dict[tuple[str, str, str], FleetProxy] = {}
    for member in members:
        for proxy in member.nd_proxies:
            link = _links(member, proxy.vrf).of_host(proxy.host)
            if link is None or settings.is_anycast(proxy.host):
                continue
            other = first.setdefault((proxy.vrf, link.value, proxy.host), proxy)
            if other.router != proxy.router:
                text = (
                    f"{other.router} {other.interface} ({other.place.short}) has {proxy.host} too: both answer for it"
                )
                yield finding("fleet-nd-proxy", proxy.place, text, proxy.host, Severity.WARNING)


def _links(member: Member, vrf: str) -> PrefixTable[str]:
    """Return the IPv6 prefixes of a router in a VRF, each with itself."""
    found: PrefixTable[str] = PrefixTable()
    for address in member.addresses:
        if address.end.vrf == vrf and ":" in address.host:
            found[address.text] = address.network
    return found


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


_LINK_BITS = 2
"""Host bits of a link that has room for two routers and no more; in larger networks others may be gateways."""


def found_on_gateways(members: Sequence[Member], settings: FleetSettings) -> Iterator[FleetFinding]:
    """Yield the gateways on such links that no router has. All files must be known."""
    links: dict[str, PrefixTable[set[str]]] = defaultdict(PrefixTable)
    hosts = set()
    for member in members:
        for address in member.addresses:
            hosts.add((address.end.vrf, address.host))
            if address.key.width - address.key.length <= _LINK_BITS:
                table = links[address.end.vrf]
                table[address.text] = (table.get(address.text) or set()) | {address.end.router}
    for member in members:
        for gateway in member.gateways:
            link = links[gateway.vrf].of_host(gateway.host)
            others = sorted(link.value - {member.router}) if link is not None else []
            is_known = (gateway.vrf, gateway.host) in hosts or settings.is_external(gateway.host)
            if others and not is_known and not settings.is_anycast(gateway.host):
                text = f"{gateway.what} leads to {gateway.host}, which no router has; {others[0]} is on that link"
                yield finding("fleet-gateway", gateway.place, text, gateway.host, Severity.WARNING)


_FEW = 16
"""So many files are read in less time than it takes to start processes for it."""
_MOST_PROCESSES = 8


@record
class Fleet:
    """What is wrong with the files of a folder, each alone and beside each other."""

    problems: tuple[Problem, ...]
    """In the order of the files."""
    files: int
    unread: tuple[str, ...] = ()
    """Files of which nothing is known; no other end in them is reported as missing."""


def check_fleet(folder: str, release: Release | None = None) -> Fleet:
    """Return what is wrong with the files `*.yaml` of a folder, one per router, and with its fleet.yml.

    Where a `release` is named, also what VPP of it cannot do. Raise ConfigError for a folder without files.
    """
    names = _files_in(folder)
    settings, problems = read_settings(os.path.join(folder, SETTINGS_NAME))
    members = _read_all(names, release)
    unread = tuple(member.file for member in members if not member.is_known)
    found = ProblemList([*problems, *(problem for member in members for problem in member.problems)])
    findings = [finding for finding in _findings(members, settings) if not settings.accepts(finding)]
    found.extend(sorted((finding.problem for finding in findings), key=lambda problem: problem.order))
    order = {name: position for position, name in enumerate(names)}
    return Fleet(
        problems=tuple(sorted(found, key=lambda problem: (order.get(problem.file, -1), *problem.order))),
        files=len(names),
        unread=unread,
    )


def _findings(members: Sequence[Member], settings: FleetSettings) -> list[FleetFinding]:
    is_whole = all(member.is_known for member in members)
    return [
        *found_on_links(members, settings, is_whole=is_whole),
        *found_on_tunnels(members, settings, is_whole=is_whole),
        *(found_on_gateways(members, settings) if is_whole else ()),
        *found_on_wireguards(members, settings, is_whole=is_whole),
        *found_on_virtual_routers(members),
        *found_on_nd_proxies(members, settings),
        *(found_on_neighbors(members, settings) if is_whole else ()),
    ]


def _files_in(folder: str) -> list[str]:
    try:
        names = [entry.name for entry in os.scandir(folder) if entry.name.endswith(".yaml")]
    except OSError as error:
        raise ConfigError(f"cannot read the folder {folder}: {error.strerror}", "name a folder of files") from error
    found = sorted((name for name in names if not name.startswith(".")), key=natural_key)
    if not found:
        raise ConfigError(f"{folder} is a folder without a file *.yaml", "put a file for each router into it")
    return [os.path.join(folder, name) for name in found]


def _read_all(names: Sequence[str], release: Release | None) -> list[Member]:
    """Return the files' contents, read by several processes when there are many and there is more than one CPU."""
    read = partial(read_member, release=release)
    processes = min(len(os.sched_getaffinity(0)), _MOST_PROCESSES)
    if len(names) <= _FEW or processes < 2:
        return [read(name) for name in names]
    from multiprocessing import get_context

    with get_context("fork").Pool(processes) as pool:
        return pool.map(read, names, chunksize=4)
