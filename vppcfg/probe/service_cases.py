"""The frames that prove path MTUs, punt redirects, the QoS classes of packets, and rate limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_address

from vppcfg.model.punt_redirect import PuntRedirect
from vppcfg.model.qos import QosMap, QosMark, QosRecord, QosSource, QosStore
from vppcfg.probe.frame import UNUSED_PROTOCOL, Packet
from vppcfg.probe.ingress import NOWHERE, Candidate, entry, entry_to, framed, neighbor_of
from vppcfg.probe.network import Network
from vppcfg.probe.outcome import Blame
from vppcfg.probe.rate_limits import limit_cases

_EXPEDITED = 0xB8
"""The byte of IP of expedited forwarding (RFC 3246)."""


def service_cases(network: Network) -> Iterator[Candidate]:
    """Yield the frames that prove these objects of a state."""
    yield from _about_path_mtus(network)
    yield from _about_punt_redirects(network)
    yield from _about_classes(network)
    yield from limit_cases(network)


def _about_path_mtus(network: Network) -> Iterator[Candidate]:
    for (table, host), limit in network.path_mtus.items():
        found = entry_to(network, table, ":" in host)
        if found is None:
            continue
        name, ingress = found
        plain = Packet(source=neighbor_of(network, name, is_ipv6=":" in host), destination=host)
        sizes = {limit.mtu: "a packet as large as the path MTU passes", limit.mtu + 1: "a larger one does not"}
        if network.route_to(table, host) is not None:
            sizes = {limit.mtu + 1: "a packet that must not be cut is answered"}
        for size, words in sizes.items():
            packet = replace(plain, size=size, has_df=not plain.is_ipv6)
            about = Blame(subject=limit.label)
            yield Candidate(port=ingress.port, frame=framed(ingress, packet), about=about, purpose=words)


def _about_punt_redirects(network: Network) -> Iterator[Candidate]:
    """Send something that the router has no use for to one of its addresses."""
    redirects = network.state.of(PuntRedirect).values()
    for redirect in redirects:
        taken = {each.interface for each in redirects if each.is_ipv6 == redirect.is_ipv6}
        for name in [redirect.interface] if redirect.interface else network.state.interfaces.keys() - taken:
            packet = _to_router(network, name, is_ipv6=redirect.is_ipv6)
            ingress = entry(network, name)
            if packet is not None and ingress is not None:
                about, purpose = Blame(subject=redirect.label), "what the router has no use for is redirected"
                yield Candidate(port=ingress.port, frame=framed(ingress, packet), about=about, purpose=purpose)
                break


def _to_router(network: Network, name: str, *, is_ipv6: bool) -> Packet | None:
    texts = (text.partition("/")[0] for text in sorted(network.interface(name).addresses))
    own = next((text for text in texts if (":" in text) == is_ipv6), None)
    if own is None:
        return None
    return Packet(source=neighbor_of(network, name, is_ipv6=is_ipv6), destination=own, protocol=UNUSED_PROTOCOL)


def _about_classes(network: Network) -> Iterator[Candidate]:
    """Send packets of a class into each interface that has it noted, towards each that writes it."""
    records = network.state.of(QosRecord).values()
    items: list[QosRecord | QosStore] = [each for each in records if each.source is QosSource.IP]
    items += network.state.of(QosStore).values()
    for item in items:
        ingress = entry(network, item.interface)
        if ingress is None:
            continue
        for is_ipv6 in (False, True):
            if not network.is_enabled(item.interface, is_ipv6=is_ipv6):
                continue
            far = str(ip_address(NOWHERE[is_ipv6]) + 3)  # others ask for those before
            source = neighbor_of(network, item.interface, is_ipv6=is_ipv6)
            plain = Packet(source=source, destination=far, traffic_class=_EXPEDITED)
            about, purpose = Blame(subject=item.label), "its class is noted"
            yield Candidate(port=ingress.port, frame=framed(ingress, plain), about=about, purpose=purpose)
            for mark in network.state.of(QosMark).values():
                for bits in _classes_of(network, mark):
                    host = _behind(network, item.interface, mark.interface, is_ipv6=is_ipv6)
                    if host is not None:
                        packet = replace(plain, destination=host, traffic_class=bits)
                        about, purpose = Blame(subject=mark.label), "its class is written"
                        yield Candidate(port=ingress.port, frame=framed(ingress, packet), about=about, purpose=purpose)


def _classes_of(network: Network, mark: QosMark) -> tuple[int, ...]:
    """Return a class that a map changes, and one that it does not have."""
    pairs = next((each.ip for each in network.state.of(QosMap).values() if each.map_id == mark.map_id), ())
    changed = next((bits for bits, value in zip(pairs[::2], pairs[1::2], strict=True) if bits != value), _EXPEDITED)
    return changed, next(bits for bits in range(0xFC, 0, -4) if bits not in pairs[::2])


def _behind(network: Network, source: str, target: str, *, is_ipv6: bool) -> str | None:
    """Return an address that packets of one interface reach by another one, None where it has no link there."""
    if network.table_of(source, is_ipv6=is_ipv6) != network.table_of(target, is_ipv6=is_ipv6) or source == target:
        return None
    host = neighbor_of(network, target, is_ipv6=is_ipv6)
    links = (each.network for each in network.connected if each.interface == target)
    return host if any(ip_address(host) in link for link in links) else None
