"""Predicts which policer counts a packet as it comes in, and chooses the frames that prove it.

Sources: policer_classify_inline in src/plugins/policer/policer_node.c (src/vnet/policer/node_funcs.c up to 26.02).
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address, ip_network

from vppcfg.model.rate_limit import LAYERS, LimitedInterface, LimitTable, Policer, RateLimit, chain
from vppcfg.probe.frame import Frame, Packet
from vppcfg.probe.ingress import NOWHERE, STRANGER, Candidate, Ingress, entry, framed, neighbor_of
from vppcfg.probe.network import Network
from vppcfg.probe.outcome import Blame, Reason, UndecidedError
from vppcfg.probe.stages import Journey, of_interface

POLICER_DROPS = (("", "Policer classify action drop", Reason.RATE),)
"""With which words a policer drops."""
_ETHERNET_BYTES, _TAG_BYTES = 14, 4
_SOURCES = {12: False, 8: True}
"""Bytes of an IP header before the source, with whether it is IPv6."""
_DESTINATIONS = {16: False, 24: True}
_UNKNOWN_MAC = "02:00:5e:00:53:78"
_MOST_POLICERS = 200
"""So many policers get a frame; others are counted as not tried."""


def police(
    journey: Journey,
    name: str,
    packet: Packet,
    frame: Frame | None,
    *,
    is_switched: bool = False,
    is_translated: bool = False,
) -> None:
    """Note which policer counts a packet, '' for none, where a table looks at it; it may have no room for it."""
    layer = LAYERS[2] if is_switched else LAYERS[packet.is_ipv6]
    use = journey.network.state.of(LimitedInterface).get(f"{name} {layer}")
    if use is None:
        return
    if use.number is None:
        raise UndecidedError("another program limits its rate")
    if is_translated:
        raise UndecidedError("NAT44 translates it before its rate limit, DET44 behind")
    found = _policer_for(journey.network, use.number, packet, frame)
    if found is None:
        return journey.note("policed", name, of_interface(name, "police-hosts"))
    blame = Blame(subject=found.label)
    journey.note("policed", name, blame, found.name)
    if found.dscp is None:
        journey.may_drop(Reason.RATE, blame)
    return None


def _policer_for(network: Network, number: int, packet: Packet, frame: Frame | None) -> Policer | None:
    limits, policers = network.state.of(RateLimit), network.state.of(Policer)
    for table in chain(network.state.of(LimitTable), number):
        prefix = "any"
        if table.length:
            if frame is None:
                raise UndecidedError("VPP looks for hosts in the frame that has brought a packet here")
            behind = table.offset - _ETHERNET_BYTES - _TAG_BYTES * len(frame.tags)
            address = packet.source if behind in _SOURCES else packet.destination
            if {**_SOURCES, **_DESTINATIONS}.get(behind) is not packet.is_ipv6:
                raise UndecidedError("VPP looks for hosts elsewhere in the frame")
            prefix = str(ip_network(f"{address}/{table.length}", strict=False))
        limit = limits.get(f"{prefix} in {table.number}")
        if limit is not None:
            return policers.get(limit.policer)
    return None


def limit_cases(network: Network) -> Iterator[Candidate]:
    """Yield a packet for each policer, and for each interface one of a host without a rate."""
    state = network.state
    by_table: dict[int, list[RateLimit]] = {}
    for limit in state.of(RateLimit).values():
        by_table.setdefault(limit.number, []).append(limit)
    count = 0
    for use in state.of(LimitedInterface).values():
        ingress = entry(network, use.interface) if use.interface in state.interfaces else None
        if ingress is None:
            continue
        tables = list(chain(state.of(LimitTable), use.number))
        for table in tables:
            for limit in by_table.get(table.number, ())[: max(_MOST_POLICERS - count, 0)]:
                count += 1
                about, purpose = Blame(subject=state.of(Policer)[limit.policer].label), "its policer counts it"
                frame = _frame_for(network, use, ingress, table, limit.prefix)
                yield Candidate(port=ingress.port, frame=frame, about=about, purpose=purpose)
        hosts = [table for table in tables if table.length]
        if hosts and all(table.length for table in tables if table.number in by_table):
            about, purpose = of_interface(use.interface, "police-hosts"), "no policer counts what has no rate"
            frame = _frame_for(network, use, ingress, hosts[0], "")
            yield Candidate(port=ingress.port, frame=frame, about=about, purpose=purpose)


def _frame_for(network: Network, use: LimitedInterface, ingress: Ingress, table: LimitTable, prefix: str) -> Frame:
    """Return the frame of a packet of a prefix, or of a host that no file names."""
    is_ipv6 = use.layer == LAYERS[1]
    source, far = neighbor_of(network, use.interface, is_ipv6=is_ipv6), str(ip_address(NOWHERE[is_ipv6]) + 4)
    if use.layer == LAYERS[2]:
        return framed(ingress, Packet(source=STRANGER[False], destination=NOWHERE[False]), mac=_UNKNOWN_MAC)
    host = str(ip_network(prefix)[-2 if ip_network(prefix).num_addresses > 2 else 0]) if prefix else ""
    behind = table.offset - _ETHERNET_BYTES - _TAG_BYTES * len(ingress.tags)
    if behind in _SOURCES and table.length:
        return framed(ingress, Packet(source=host or STRANGER[is_ipv6], destination=far))
    return framed(ingress, Packet(source=source, destination=host or far))
