"""Rules about deterministic NAT: what VPP cannot carry out, what crashes it, and what it drops."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from ipaddress import IPv4Network

from vppcfg.common.addresses import address_key
from vppcfg.common.numbers import MIB, round_up, size_text
from vppcfg.entries.index import Index
from vppcfg.model.det44 import PORTS, WIDEST_LENGTH, Det44Map, Det44Side
from vppcfg.model.problem import KeyPath, Problem, Severity

_KEY = "det44"
_FEWEST_PORTS = 128
"""Fewer than that are soon used up by one busy host towards one busy server."""
_WIDEST_AT_ONCE = 18
"""Of an inside prefix: its 16,384 hosts take 400 MB of memory that VPP has not used before, a second or two."""
_LEAST_SECONDS = {
    "udp": ("udp", 120),
    "tcp-established": ("tcp_established", 7440),
    "tcp-transitory": ("tcp_transitory", 240),
    "icmp": ("icmp", 60),
}
"""The least that RFC 4787, RFC 5382 and RFC 5508 ask for."""


def det44_section(index: Index) -> Iterator[Problem]:
    """Find interfaces with DET44 in a file that leaves DET44 alone, in a VRF, with NAT44, or with Linux behind them."""
    for interface in index.interfaces:
        if interface.det44 is None:
            continue
        path = (*interface.path, _KEY)
        if index.configuration.det44 is None and _KEY not in index.lost_sections:
            text = f"{interface.name} has `det44`, and the file has no section of that name; add it with its `maps`"
            yield Problem(rule="det44-undefined", path=path, text=text)
        if interface.vrf is not None:
            text = (
                f"{interface.name} is in the VRF {interface.vrf}, and DET44 knows the default table; remove one of both"
            )
            yield Problem(rule="det44-vrf", path=path, text=text)
        if interface.nat44 is not None:
            text = f"{interface.name} has `nat44` and `det44`, and each drops what is the other's; remove one of both"
            yield Problem(rule="det44-nat44", path=path, text=text)
        if interface.lcp is not None:
            text = f"VPP drops IPv4 packets of {interface.name} that are for this router itself: no BGP, SSH or ping"
            yield Problem(rule="det44-own", path=path, text=text, severity=Severity.WARNING)


def det44_size(index: Index) -> Iterator[Problem]:
    """Find maps whose prefixes crash VPP, or leave a host too few ports."""
    for each, path in _maps(index):
        length = IPv4Network(each.inside).prefixlen
        if length < WIDEST_LENGTH:
            most = 1 << (32 - WIDEST_LENGTH)
            text = (
                f"a map of more than {most} hosts crashes VPP; divide {each.inside} into prefixes of /{WIDEST_LENGTH}"
            )
            yield Problem(rule="det44-size", path=path, text=text)
        elif not each.hosts_per_address:
            text = f"{each.outside} has more addresses than {each.inside} has hosts: VPP crashes; make it as small"
            yield Problem(rule="det44-size", path=path, text=text)
        elif each.hosts_per_address > PORTS:
            text = f"{each.hosts_per_address} hosts share an address, which has {PORTS} ports; give a larger prefix"
            yield Problem(rule="det44-size", path=path, text=text)
        elif length < _WIDEST_AT_ONCE:
            text = f"VPP takes memory for {each.hosts} hosts at once and does not answer meanwhile, for seconds; "
            text += f"divide {each.inside} into prefixes of /{_WIDEST_AT_ONCE} or longer"
            yield Problem(rule="det44-large", path=path, text=text, severity=Severity.WARNING)
        elif each.ports_per_host < _FEWEST_PORTS:
            text = (
                f"a host of {each.inside} has {each.ports_per_host} ports, with which it reaches no more services of "
            )
            text += "one server at once; give a larger outside prefix"
            yield Problem(rule="det44-few-ports", path=path, text=text, severity=Severity.WARNING)


def det44_overlap(index: Index) -> Iterator[Problem]:
    """Find prefixes of maps that overlap: VPP takes the first map that fits."""
    seen: list[tuple[int, int, str]] = []
    ends = sorted(_ends(index), key=lambda end: (end[0], -end[1]))
    for first, last, prefix, path in ends:
        while seen and seen[-1][1] < first:
            seen.pop()
        if seen:
            text = f"{prefix} overlaps {seen[-1][2]} of a map; the prefixes of maps must not overlap"
            yield Problem(rule="det44-overlap", path=path, text=text)
        seen.append((first, last, prefix))


def _ends(index: Index) -> Iterator[tuple[int, int, str, KeyPath]]:
    for each, path in _maps(index):
        for prefix in (each.inside, each.outside):
            network = IPv4Network(prefix)
            yield int(network.network_address), int(network.broadcast_address), prefix, path


def det44_own_address(index: Index) -> Iterator[Problem]:
    """Find own addresses among outside addresses: their packets go to inside hosts."""
    maps = sorted((int(IPv4Network(each.outside).network_address), each.outside, path) for each, path in _maps(index))
    for interface in index.interfaces if maps else ():
        for address in interface.addresses if interface.vrf is None else ():
            host = address.partition("/")[0]
            if ":" in host:
                continue
            value = address_key(address).value
            at = bisect_right(maps, value, key=lambda each: each[0]) - 1
            if at >= 0 and value <= int(IPv4Network(maps[at][1]).broadcast_address):
                text = f"{host} of {interface.name} is in {maps[at][1]}, so that its packets go to inside hosts"
                yield Problem(rule="det44-own-address", path=maps[at][2], text=f"{text}; give another prefix")


def det44_sides(index: Index) -> Iterator[Problem]:
    """Find maps that nothing uses: a side is missing."""
    config = index.configuration.det44
    if config is None or not config.maps or not index.is_whole:
        return
    sides = {each.det44 for each in index.interfaces}
    for side in Det44Side:
        if side not in sides:
            text = f"no interface has `det44: {side.value}`, so that nothing is translated"
            yield Problem(rule="det44-side", path=(_KEY, "maps"), text=text, severity=Severity.WARNING)


def det44_timeouts(index: Index) -> Iterator[Problem]:
    """Find timeouts that are shorter than RFCs ask for."""
    config = index.configuration.det44
    for key, (attribute, least) in _LEAST_SECONDS.items() if config is not None else ():
        if config is not None and (seconds := getattr(config.timeouts, attribute)) < least:
            text = f"sessions are forgotten after {seconds} s, before the {least} s that applications may count on"
            path = (_KEY, "timeouts", key)
            yield Problem(rule="det44-timeout", path=path, text=text, severity=Severity.WARNING)


def det44_memory(index: Index) -> Iterator[Problem]:
    """Find maps whose sessions do not fit into the main heap that the file gives: VPP crashes where they do not."""
    section = index.configuration.dataplane
    heap = section.memory.main_heap_bytes if section is not None else None
    needed = sum(each.memory_bytes for each, _ in _maps(index) if each.hosts_per_address)
    if heap is not None and needed > heap:
        needed_text = size_text(round_up(needed, MIB))
        text = f"the maps take {needed_text} of the main heap for sessions, and it has {size_text(heap)}"
        yield Problem(rule="det44-memory", path=(_KEY, "maps"), text=f"{text}; enlarge `dataplane.memory.main-heap`")


def _maps(index: Index) -> Iterator[tuple[Det44Map, KeyPath]]:
    config = index.configuration.det44
    for each in config.maps if config is not None else ():
        yield each, (_KEY, "maps", each.inside)


RULES = (
    det44_section,
    det44_size,
    det44_overlap,
    det44_own_address,
    det44_sides,
    det44_timeouts,
    det44_memory,
)
