"""Lists what a file sets and no frame of `probe` proves, such as what VPP's tracer does not show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from vppcfg.model.bridge_arp import BridgeArp
from vppcfg.model.det44 import Det44Map
from vppcfg.model.dhcp_relay import DhcpRelay
from vppcfg.model.interface import FEATURES, Interface, features_on
from vppcfg.model.l3xc import L3CrossConnect
from vppcfg.model.nat44 import NatAddress, NatExemption, NatLeaks, NatMapping, NatPool
from vppcfg.model.nd_proxy import NdProxy
from vppcfg.model.neighbor_table import NeighborTable
from vppcfg.model.osi import OsiProtocol
from vppcfg.model.path_mtu import PathMtu
from vppcfg.model.punt_redirect import PuntRedirect
from vppcfg.model.qos import QosMark, QosRecord, QosStore
from vppcfg.model.rate_limit import Policer
from vppcfg.model.route import Route
from vppcfg.model.state import State
from vppcfg.model.tunnel import Tunnel, TunnelPayload
from vppcfg.model.virtual_router import VirtualRouter
from vppcfg.model.vpn_label import VpnLabel
from vppcfg.model.vpp_object import VppObject
from vppcfg.probe.filters import FILTERS
from vppcfg.probe.outcome import Fate, FrameProbe, Unproved
from vppcfg.probe.stages import of_route

_TRIED = FILTERS | {"det44", "mirrors", "nat44", "static_macs"}
"""Features that frames prove."""
_PROVED_ONE_BY_ONE: Mapping[type[VppObject], str] = {
    BridgeArp: "ARP entries",
    Det44Map: "DET44 maps",
    DhcpRelay: "DHCP relays",
    L3CrossConnect: "L3 cross-connects",
    **dict.fromkeys((NatAddress, NatPool), "NAT44 pools"),
    NatExemption: "NAT44 exemptions",
    NatLeaks: "NAT44 leaks",
    NatMapping: "NAT44 mappings",
    NdProxy: "ND proxies",
    NeighborTable: "neighbour tables",
    OsiProtocol: "OSI protocols on LCP pairs",
    PathMtu: "path MTUs",
    PuntRedirect: "punt redirects",
    Policer: "rate limits",
    **dict.fromkeys((QosMark, QosRecord, QosStore), "QoS"),
    VirtualRouter: "virtual routers",
    VpnLabel: "labels of VRFs",
}
"""Objects that frames prove one by one, or not at all, in words."""


def untested_in(
    state: State, probes: Sequence[FrameProbe], unproved: Iterable[Unproved]
) -> tuple[tuple[str, int], ...]:
    """Return what of a state no frame is about, sent or not, and on how many objects; in the order of the words."""
    counts = Counter(_untested(state))
    tried = {probe.about.subject for probe in probes} | {each.about.subject for each in unproved}
    for kind, words in _PROVED_ONE_BY_ONE.items():
        counts[words] += sum(each.label not in tried for each in state.of(kind).values())
    if routes := sum(of_route(route).subject not in tried for route in state.of(Route).values()):
        counts["static routes"] = routes
    counts["LCP pairs"] = len(state.lcps.keys() - set(_punting(probes)))
    beside = len(state.interfaces.keys() - _on_the_way(probes))
    if beside:
        counts["interfaces that no frame has to do with"] = beside
    return tuple(sorted((words, count) for words, count in counts.items() if count))


def _untested(state: State) -> Iterator[str]:
    for interface in state.interfaces.values():
        yield from (FEATURES[name] for name in features_on(interface) if name not in _TRIED)
        yield from _of_switched(interface)
    for virtual in state.virtual.values():
        if not isinstance(virtual, Tunnel) and virtual.own_end is not None:
            yield f"what {virtual.noun} carries"
        if isinstance(virtual, Tunnel) and virtual.payload is TunnelPayload.COPIES:
            yield f"copies of frames in a {virtual.noun}"
    answering = {each.bd_id for each in state.of(BridgeArp).values()}
    for bridge in state.bridges.values():
        if bridge.settings.arp_termination and bridge.bd_id not in answering:
            yield "ARP termination of bridge domains"
        if bridge.settings.mac_age_minutes:
            yield "the age of learnt MAC addresses"
    yield from ["traffic above a rate limit"] * len(state.of(Policer))


def _punting(probes: Iterable[FrameProbe]) -> Iterator[str]:
    """Yield the interfaces by which a frame comes in that is handed to Linux."""
    for probe in probes:
        for choice in probe.prediction.choices:
            if any(end.fate is Fate.PUNTED for end, _ in choice.ends):
                yield choice.taker


def _of_switched(interface: Interface) -> Iterator[str]:
    if any(mirror.is_l2 for mirror in interface.mirrors):
        yield "mirroring of switched frames"
    if interface.is_l2 and not interface.is_bvi and (interface.acls.input or interface.acls.output):
        yield "access lists of switched frames"


def _on_the_way(probes: Iterable[FrameProbe]) -> set[str]:
    """Return the interfaces that frames are about, or come by."""
    found = set()
    for probe in probes:
        found |= {probe.port, probe.about.subject.removeprefix("interface ")}
        for choice in probe.prediction.choices:
            found |= {choice.taker, *(step.subject for step in choice.steps)}
            found |= {end.interface for end, _ in choice.ends}
    return found
