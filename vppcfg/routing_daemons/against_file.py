"""Compares the configuration of a routing daemon with that of the router: devices, neighbours, next hops, MTUs.

All of it is a warning: a daemon may use devices of Linux that no file of ours describes, of which only names are known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from ipaddress import ip_address
from itertools import chain, islice

from vppcfg.common.addresses import canonical_host
from vppcfg.common.bounds import PROBLEMS
from vppcfg.common.prefix_table import PrefixTable
from vppcfg.model.osi import OsiProtocol
from vppcfg.model.problem import Problem, Severity
from vppcfg.model.routing import DaemonKind, RoutingFile
from vppcfg.model.state import State
from vppcfg.model.tap import Tap
from vppcfg.model.vpn_label import VpnLabel, name_of
from vppcfg.record import record
from vppcfg.routing_daemons.bird_text import statements

_ALWAYS = frozenset({"lo"})
_FRR_CONTEXT = re.compile(r"(?:router|interface|vrf|route-map|pbr-map|key chain|line|mpls ldp|bfd|segment-routing)\b")
_FRR_MTU = re.compile(r"(?:isis lsp-mtu|lsp-mtu|ipv6 nd mtu) ([0-9]{1,5})\b")
_FRR_OSI = re.compile(r"^[ \t]*router (isis|openfabric)\b", re.MULTILINE)
_FRR_ROUTE = re.compile(r"(?:ip|ipv6) route (.+)")
_OF_ROUTE = re.compile(
    r"\d+|Null0|blackhole|reject|tag|vrf|label|table|onlink|nexthop-vrf|bfd|color|metric|weight|segments"
)
_FAR = ("ebgp-multihop", "ttl-security", "update-source", "disable-connected-check")
_ISIS = "isis"
_OF_PEER = ("remote-as", "peer-group")
_BIRD_MTU = re.compile(r"[0-9]{1,5}")


@record
class RoutingNeighbor:
    """A neighbour that is reached directly."""

    address: str
    what: str
    """What names it, for a message."""


@record
class AnnouncedLabel:
    """The label with which other routers send packets for a VRF."""

    vrf: str
    is_ipv6: bool
    number: int | None
    """None where the daemon chooses it."""

    def __str__(self) -> str:
        return f"IPv{6 if self.is_ipv6 else 4} of the VRF {self.vrf}"


@record
class RoutingFacts:
    """What a daemon's configuration expects of the router."""

    devices: tuple[str, ...] = ()
    """Names, or patterns of BIRD."""
    neighbors: tuple[RoutingNeighbor, ...] = ()
    next_hops: tuple[RoutingNeighbor, ...] = ()
    mtus: tuple[tuple[str, int], ...] = ()
    """By device: the largest packet that the daemon sends or announces there, in bytes."""
    osi_users: tuple[str, ...] = ()
    """Processes that send OSI frames."""
    vpn_labels: tuple[AnnouncedLabel, ...] = ()


def facts_of(file: RoutingFile, text: str) -> RoutingFacts:
    """Return what a configuration of a daemon expects."""
    return _frr(text) if file.kind is DaemonKind.FRR else _bird(text)


def warnings_about(file: RoutingFile, text: str, desired: State) -> tuple[Problem, ...]:
    """Return where a configuration of a daemon expects what the router will not have."""
    facts, path = facts_of(file, text), ("routing", file.kind.value)

    def warned(texts: Iterable[str], *, rule: str) -> Iterator[Problem]:
        for each in texts:
            yield Problem(rule=rule, path=path, text=f"{file.path}: {each}", severity=Severity.WARNING)

    found = chain(
        warned(_lost_devices(facts, desired), rule="routing-device"),
        warned(_lost_neighbors(facts, desired), rule="routing-neighbor"),
        warned(_lost_packets(facts, desired), rule="routing-mtu"),
        warned(_lost_osi_frames(facts, desired), rule="routing-osi"),
        warned(_lost_labels(facts, desired), rule="routing-label"),
    )
    return tuple(islice(found, PROBLEMS))


def _lost_devices(facts: RoutingFacts, desired: State) -> Iterator[str]:
    devices = _devices(desired)
    for name in facts.devices if desired.facts.has_linux or desired.lcps else ():
        if name not in devices and not any(fnmatchcase(device, name) for device in devices):
            yield f"no LCP pair or TAP of this file creates the Linux device {name}; add `lcp`, or correct it"


def _lost_neighbors(facts: RoutingFacts, desired: State) -> Iterator[str]:
    networks: PrefixTable[bool] = PrefixTable()
    for address in _addresses(desired):
        networks[address] = True
    for neighbor in (*facts.neighbors, *facts.next_hops):
        if not ip_address(neighbor.address).is_link_local and networks.of_host(neighbor.address) is None:
            yield f"{neighbor.what} is in no subnet of an interface with an LCP pair; correct it, or add the address"


def _lost_packets(facts: RoutingFacts, desired: State) -> Iterator[str]:
    for device, mtu in facts.mtus:
        own = _mtu_of(device, desired)
        if own and mtu > own:
            yield f"packets of {mtu} bytes do not fit {device}, which has an MTU of {own}; lower one"


def _lost_osi_frames(facts: RoutingFacts, desired: State) -> Iterator[str]:
    for user in facts.osi_users if desired.lcps and _ISIS not in desired.of(OsiProtocol) else ():
        yield f"VPP drops the frames of router {user}; add `lcp-osi: [ {_ISIS} ]` (from VPP 26.06 on)"


def _lost_labels(facts: RoutingFacts, desired: State) -> Iterator[str]:
    tables = {(table.name, table.is_ipv6): table.table_id for table in desired.vrfs.values()}
    for each in facts.vpn_labels if desired.lcps else ():
        if each.number is None:
            yield f"FRR chooses the label of {each}, of which VPP hears nothing; set a number here and in `label` there"
            continue
        found = desired.of(VpnLabel).get(name_of(each.number))
        key = f"`label: {{ ipv{6 if each.is_ipv6 else 4}: {each.number} }}`"
        if found is None:
            yield f"VPP drops packets with the label {each.number} of {each}; set {key} there"
        elif (found.is_ipv6, tables.get((each.vrf, found.is_ipv6), found.table_id)) != (each.is_ipv6, found.table_id):
            place = next(found.references())
            yield f"VPP takes packets with the label {each.number} of {each} for {place}; set {key} there"


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


def _frr_lines(text: str) -> Iterator[tuple[str, str]]:
    """Yield each line and the one that opens what it is in; to FRR blanks in front of a line mean nothing."""
    context = ""
    for line in map(str.strip, text.splitlines()):
        context = line if _FRR_CONTEXT.match(line) else context
        yield context, line


def _frr(text: str) -> RoutingFacts:
    devices: dict[str, None] = {}
    mtus, next_hops = [], []
    for context, line in _frr_lines(text):
        name = context.split()[1] if context.startswith("interface ") else ""
        if name and context == line:
            devices[name] = None
        elif name and (size := _FRR_MTU.match(line)):
            mtus.append((name, int(size[1])))
        elif context.startswith("router bgp") and (peer := re.match(r"neighbor (\S+) interface\b", line)):
            devices[peer[1]] = None
        elif route := _FRR_ROUTE.fullmatch(line):
            prefix, hops = _frr_route(route[1].split())
            gateway = canonical_host(hops[0]) if hops else None
            if gateway is not None:
                next_hops.append(RoutingNeighbor(address=gateway, what=f"next hop {gateway} of {prefix}"))
                hops = hops[1:]
            if hops and not _OF_ROUTE.fullmatch(hops[0]):
                devices[hops[0]] = None
    return RoutingFacts(
        devices=tuple(devices),
        neighbors=tuple(_frr_neighbors(text)),
        next_hops=tuple(next_hops),
        mtus=tuple(mtus),
        osi_users=tuple(dict.fromkeys(_FRR_OSI.findall(text))),
        vpn_labels=tuple(_frr_labels(text)),
    )


def _frr_route(words: list[str]) -> tuple[str, list[str]]:
    """Return the prefix of a static route, and what comes behind it; IPv4 may have a mask, IPv6 a source."""
    prefix, *hops = words
    if "/" not in prefix and hops:
        prefix, hops = f"{prefix}/{hops[0]}", hops[1:]
    return prefix, hops[2:] if hops[:1] == ["from"] else hops


def _frr_labels(text: str) -> Iterator[AnnouncedLabel]:
    """Yield the labels of `label vpn export`; FRR chooses them for `auto` and `allocation-mode per-nexthop`."""
    vrf = family = ""
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["router"]:
            vrf = words[4] if words[1:2] == ["bgp"] and words[3:4] == ["vrf"] and len(words) > 4 else ""
        elif words[:1] == ["address-family"]:
            family = words[1] if words[1:] in (["ipv4"], ["ipv6"], ["ipv4", "unicast"], ["ipv6", "unicast"]) else ""
        elif vrf and family and words[:3] == ["label", "vpn", "export"] and words[-1] != "per-vrf":
            number = int(words[-1]) if words[-1].isdecimal() else None
            yield AnnouncedLabel(vrf=vrf, is_ipv6=family == "ipv6", number=number)


def _frr_neighbors(text: str) -> Iterator[RoutingNeighbor]:
    """Yield the neighbours of external BGP that are one hop away, by their own settings and those of their groups."""
    systems: dict[str, dict[str, list[list[str]]]] = {}
    for context, line in _frr_lines(text):
        words = line.split()
        if context.startswith("router bgp ") and words[:1] == ["neighbor"] and len(words) > 2:
            systems.setdefault(context, {}).setdefault(words[1], []).append(words[2:])
    for context, settings in systems.items():
        own = _as_number(context.split()[2])
        peers = {peer: _frr_peer(found) for peer, found in settings.items()}
        for name, peer in peers.items():
            every = [peer, *(peers[group] for group in peer.groups if group in peers)]
            remote = next((each.remote_as for each in every if each.remote_as), own)
            address = canonical_host(name)
            is_inside = remote in {own, "internal", "auto"}
            if address is not None and not is_inside and not any(each.is_far for each in every):
                yield RoutingNeighbor(address=address, what=f"BGP neighbor {name}")


def _as_number(text: str) -> str:
    """Return an AS number without a dot (RFC 5396), anything else as it is."""
    halves = re.fullmatch(r"([0-9]{1,5})\.([0-9]{1,5})", text)
    return text if halves is None else str((int(halves[1]) << 16) + int(halves[2]))


@record
class _FrrPeer:
    """A neighbour of BGP, or a group of them, as FRR has it in its configuration."""

    remote_as: str
    groups: tuple[str, ...]
    is_far: bool


def _frr_peer(settings: Sequence[Sequence[str]]) -> _FrrPeer:
    """Return what the lines about a neighbour say, without those of its groups."""
    values = {key: dict.fromkeys(each[1] for each in settings if each[0] == key and len(each) > 1) for key in _OF_PEER}
    return _FrrPeer(
        remote_as=_as_number(next(iter(values["remote-as"]), "")),
        groups=tuple(values["peer-group"]),
        is_far=any(each[0] in _FAR for each in settings),
    )


def _bird(text: str) -> RoutingFacts:
    devices: dict[str, None] = {}
    neighbors, next_hops, mtus = [], [], []
    for statement in statements(text):
        words = statement.words
        if statement.kind not in {"protocol", "template"} or len(words) < 2:
            continue
        last_device, is_far = "", _is_far(words)
        for place, word in enumerate(words[:-1]):
            follower = words[place + 1]
            if word == "interface" and follower.startswith('"'):
                last_device = follower.strip('"')
                devices[last_device] = None
            elif word == "neighbor" and words[1] == "bgp" and not is_far:
                if (address := canonical_host(follower.partition("%")[0])) is not None:
                    neighbors.append(RoutingNeighbor(address=address, what=f"BGP neighbor {address}"))
            elif word == "via" and (address := canonical_host(follower.partition("%")[0])) is not None:
                next_hops.append(RoutingNeighbor(address=address, what=f"next hop {address}"))
            elif words[place - 1 : place + 1] in (("link", "mtu"), ("tx", "length")) and _BIRD_MTU.fullmatch(follower):
                mtus.append((last_device, int(follower)))
    kept = tuple(name for name in devices if not name.startswith("-") and name != "*")
    return RoutingFacts(devices=kept, neighbors=tuple(neighbors), next_hops=tuple(next_hops), mtus=tuple(mtus))


def _is_far(words: tuple[str, ...]) -> bool:
    """Return whether a neighbour of BGP may be far away, or is inside the own system, where BIRD takes it for that."""
    autonomous = [words[place + 1] for place, word in enumerate(words[:-1]) if word == "as"]
    return "multihop" in words or "internal" in words or (len(autonomous) > 1 and len(set(autonomous)) == 1)
