"""Compares the configuration of a routing daemon with that of the router: devices, neighbours, next hops, MTUs.

All of it is a warning: a daemon may use devices of Linux that no file of ours describes, of which only names are known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatchcase
from ipaddress import ip_address, ip_interface

from vppcfg.common.addresses import canonical_host
from vppcfg.model.problem import Problem, Severity
from vppcfg.model.routing import DaemonKind, RoutingFile
from vppcfg.model.state import State
from vppcfg.model.tap import Tap
from vppcfg.record import record
from vppcfg.routing_daemons.bird_text import statements

_ALWAYS = frozenset({"lo"})
_FRR_MTU = re.compile(r"^ (?:isis lsp-mtu|lsp-mtu|ipv6 nd mtu) (\d+)", re.MULTILINE)


@record
class RoutingNeighbor:
    """A neighbour that is reached directly."""

    address: str
    what: str
    """What names it, for a message."""


@record
class RoutingFacts:
    """What a daemon's configuration expects of the router."""

    devices: tuple[str, ...] = ()
    """Names, or patterns of BIRD."""
    neighbors: tuple[RoutingNeighbor, ...] = ()
    next_hops: tuple[RoutingNeighbor, ...] = ()
    mtus: tuple[tuple[str, int], ...] = ()
    """By device: the largest packet that the daemon sends or announces there, in bytes."""


def facts_of(file: RoutingFile, text: str) -> RoutingFacts:
    """Return what a configuration of a daemon expects."""
    return _frr(text) if file.kind is DaemonKind.FRR else _bird(text)


def warnings_about(file: RoutingFile, text: str, desired: State) -> tuple[Problem, ...]:
    """Return where a configuration of a daemon expects what the router will not have."""
    facts, path = facts_of(file, text), ("routing", file.kind.value)
    found = []
    for each in _lost_devices(facts, desired):
        found.append(Problem(rule="routing-device", path=path, text=each))
    for each in _lost_neighbors(facts, desired):
        found.append(Problem(rule="routing-neighbor", path=path, text=each))
    for each in _lost_packets(facts, desired):
        found.append(Problem(rule="routing-mtu", path=path, text=each))
    return tuple(replace(problem, text=f"{file.path}: {problem.text}", severity=Severity.WARNING) for problem in found)


def _lost_devices(facts: RoutingFacts, desired: State) -> Iterator[str]:
    devices = _devices(desired)
    for name in facts.devices if desired.facts.has_linux or desired.lcps else ():
        if not any(fnmatchcase(device, name) for device in devices):
            yield f"no LCP pair or TAP of this file creates the Linux device {name}; add `lcp`, or correct it"


def _lost_neighbors(facts: RoutingFacts, desired: State) -> Iterator[str]:
    networks = [ip_interface(address).network for address in _addresses(desired)]
    for neighbor in (*facts.neighbors, *facts.next_hops):
        address = ip_address(neighbor.address)
        if not address.is_link_local and not any(address in network for network in networks):
            yield f"{neighbor.what} is in no subnet of an interface with an LCP pair; correct it, or add the address"


def _lost_packets(facts: RoutingFacts, desired: State) -> Iterator[str]:
    for device, mtu in facts.mtus:
        own = _mtu_of(device, desired)
        if own and mtu > own:
            yield f"packets of {mtu} bytes do not fit {device}, which has an MTU of {own}; lower one"


def _devices(desired: State) -> frozenset[str]:
    pairs = {pair.host_name for pair in desired.lcps.values()}
    taps = {tap.host_name for tap in desired.virtual_as(Tap).values()}
    others = {name for _, name in desired.facts.linux_others}
    return frozenset({*_ALWAYS, *pairs, *taps, *others})


def _addresses(desired: State) -> Iterator[str]:
    for name in desired.lcps:
        interface = desired.interfaces.get(name)
        if interface is not None:
            yield from interface.addresses
            yield from (each.address for each in interface.live)


def _mtu_of(device: str, desired: State) -> int:
    names = [name for name, pair in desired.lcps.items() if pair.host_name == device]
    return desired.interfaces[names[0]].packet_mtu if names and names[0] in desired.interfaces else 0


def _frr(text: str) -> RoutingFacts:
    devices: dict[str, None] = {}
    mtus, next_hops = [], []
    for block in re.split(r"^(?=\S)", text, flags=re.MULTILINE):
        words = block.split(None, 3)[:3]
        if words[:1] == ["interface"]:
            devices[words[1]] = None
            mtus += [(words[1], int(size)) for size in _FRR_MTU.findall(block)]
    for line in re.findall(r"^ *(?:ip|ipv6) route (.+)$", text, re.MULTILINE):
        prefix, *hops = line.split()
        gateway = canonical_host(hops[0]) if hops else None
        if gateway is not None:
            next_hops.append(RoutingNeighbor(address=gateway, what=f"next hop {gateway} of {prefix}"))
            hops = hops[1:]
        if hops and not re.fullmatch(r"\d+|Null0|blackhole|reject|tag|vrf|label|table|onlink|nexthop-vrf|bfd", hops[0]):
            devices[hops[0]] = None
    for name in re.findall(r"^ neighbor (\S+) interface\b", text, re.MULTILINE):
        devices[name] = None
    return RoutingFacts(
        devices=tuple(devices),
        neighbors=tuple(_frr_neighbors(text)),
        next_hops=tuple(next_hops),
        mtus=tuple(mtus),
    )


def _frr_neighbors(text: str) -> Iterator[RoutingNeighbor]:
    """Yield the neighbours of external BGP that are one hop away."""
    for block in re.findall(r"^router bgp (\d+)[^\n]*\n((?:[ !][^\n]*\n?)*)", text, re.MULTILINE):
        own, lines = block
        settings: dict[str, list[str]] = {}
        for peer, setting in re.findall(r"^ neighbor (\S+) (.+)$", lines, re.MULTILINE):
            settings.setdefault(peer, []).append(setting)
        for peer, found in settings.items():
            groups = [each.split()[1] for each in found if each.startswith("peer-group ") and len(each.split()) > 1]
            found = [*found, *(setting for group in groups for setting in settings.get(group, ()))]
            remote = [each.split()[1] for each in found if each.startswith("remote-as ")]
            is_far = any(each.startswith(("ebgp-multihop", "ttl-security", "update-source")) for each in found)
            address = canonical_host(peer)
            if address is not None and remote and remote[0] not in {own, "internal"} and not is_far:
                yield RoutingNeighbor(address=address, what=f"BGP neighbor {peer}")


def _bird(text: str) -> RoutingFacts:
    devices: dict[str, None] = {}
    neighbors, next_hops, mtus = [], [], []
    for statement in statements(text):
        words = statement.words
        if statement.kind not in {"protocol", "template"} or len(words) < 2:
            continue
        last_device = ""
        for place, word in enumerate(words[:-1]):
            follower = words[place + 1]
            if word == "interface" and follower.startswith('"'):
                last_device = follower.strip('"')
                devices[last_device] = None
            elif word == "neighbor" and words[1] == "bgp" and not _is_far(words):
                if (address := canonical_host(follower.partition("%")[0])) is not None:
                    neighbors.append(RoutingNeighbor(address=address, what=f"BGP neighbor {address}"))
            elif word == "via" and (address := canonical_host(follower.partition("%")[0])) is not None:
                next_hops.append(RoutingNeighbor(address=address, what=f"next hop {address}"))
            elif words[place - 1 : place + 1] in (("link", "mtu"), ("tx", "length")) and follower.isdecimal():
                mtus.append((last_device, int(follower)))
    kept = tuple(name for name in devices if not name.startswith("-") and name != "*")
    return RoutingFacts(devices=kept, neighbors=tuple(neighbors), next_hops=tuple(next_hops), mtus=tuple(mtus))


def _is_far(words: tuple[str, ...]) -> bool:
    """Return whether a neighbour of BGP may be far away, or is inside the own system, where BIRD takes it for that."""
    autonomous = [words[place + 1] for place, word in enumerate(words[:-1]) if word == "as"]
    return "multihop" in words or "internal" in words or (len(autonomous) > 1 and len(set(autonomous)) == 1)
