"""Chooses the frames that prove what a file sets: for each of its objects what must pass, and what must not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_address, ip_interface, ip_network

from vppcfg.common.packets import ICMP, ICMP6, TCP, UDP
from vppcfg.model.acl import AclRule, MacipRule
from vppcfg.model.interface import Interface
from vppcfg.model.route import Route
from vppcfg.model.tunnel import Tunnel, TunnelPayload
from vppcfg.probe.coverage_gaps import untested_in
from vppcfg.probe.filters import checks_source, source_check_blame
from vppcfg.probe.forwarding import predict
from vppcfg.probe.frame import BROADCAST, Frame, Inside, Packet, Tag
from vppcfg.probe.ingress import (
    NOWHERE,
    STRANGER,
    Candidate,
    Ingress,
    entry,
    entry_to,
    framed,
    neighbor_of,
    other_host,
)
from vppcfg.probe.nat_cases import nat_cases
from vppcfg.probe.network import Network
from vppcfg.probe.outcome import Blame, FrameProbe, UndecidedError, Unproved
from vppcfg.probe.questions import requests
from vppcfg.probe.service_cases import service_cases
from vppcfg.probe.stages import of_bridge, of_interface, of_route
from vppcfg.probe.tunnels import ANY_PORT, carries_frames, ends_of, of_another_tunnel, of_tunnel, outer_packet
from vppcfg.record import record

OTHER_MAC = "02:00:5e:00:53:fe"
OTHER_STATION = "02:00:5e:00:53:55"
UNKNOWN_MAC = "02:00:5e:00:53:77"
_SENDER = "02:00:5e:{:02x}:{:02x}:{:02x}"
_UNUSED_VLAN = 4001
_MOST_TARGETS = 6
_LARGEST = 9200
_MOST_ROUTES = 500
"""So many static routes get a frame; others are counted as not tried."""
_MOST_HOSTS = 64
"""So many addresses of a prefix are looked at."""


@record
class ProbeSet:
    """All that is sent for a file, and what could not be."""

    probes: tuple[FrameProbe, ...]
    unproved: tuple[Unproved, ...]
    untested: tuple[tuple[str, int], ...] = ()
    """What no frame proves of the file, and for how many objects."""


def probes_for(network: Network, *, from_strangers: bool = False) -> ProbeSet:
    """Return the frames that prove a state, each with what must become of it; the same ones for the same state.

    With `from_strangers` no sender can exist: senders have addresses for documentation.
    """
    probes: list[FrameProbe] = []
    unproved: list[Unproved] = []
    seen: set[tuple[str, Frame]] = set()
    for candidate in _candidates(network):
        if from_strangers and candidate.frame.packet.inside is None:
            packet = replace(candidate.frame.packet, source=STRANGER[candidate.frame.packet.is_ipv6])
            candidate = replace(candidate, frame=replace(candidate.frame, packet=packet))
        if (candidate.port, candidate.frame) in seen:
            continue
        seen.add((candidate.port, candidate.frame))
        number = len(seen)
        sender = _SENDER.format(number >> 16 & 0xFF, number >> 8 & 0xFF, number & 0xFF)
        frame = replace(
            candidate.frame, source=candidate.frame.source or sender, packet=_of_its_own(candidate.frame.packet, number)
        )
        try:
            prediction = predict(network, candidate.port, frame)
        except UndecidedError as reason:
            unproved.append(Unproved(about=candidate.about, purpose=candidate.purpose, why=str(reason)))
            continue
        probe = FrameProbe(
            name=f"probe{len(probes) + 1}",
            port=candidate.port,
            frame=frame,
            about=candidate.about,
            purpose=candidate.purpose,
            prediction=prediction,
        )
        probes.append(probe)
    untested = untested_in(network.state, probes, unproved)
    return ProbeSet(probes=tuple(probes), unproved=tuple(unproved), untested=untested)


def _of_its_own(packet: Packet, number: int) -> Packet:
    """Return the packet with a source port that no other frame has: access lists remember those that they let pass."""
    if packet.protocol not in (TCP, UDP) or packet.ports[0] != ANY_PORT:
        return packet
    return replace(packet, ports=(ANY_PORT + number, packet.ports[1]))


def _candidates(network: Network) -> Iterator[Candidate]:
    for name, interface in network.state.interfaces.items():
        ingress = entry(network, name)
        if ingress is None:
            continue
        if interface.bridge is not None and not interface.is_bvi:
            yield from _about_member(network, interface, ingress)
        elif interface.l2xc is not None:
            yield from _about_cross_connect(network, interface, ingress)
        else:
            yield from _about_routed(network, interface, ingress)
            yield from _about_filters(network, interface, ingress)
        yield from _about_stations(network, interface, ingress)
        yield from _about_tags(network, interface, ingress)
    yield from _about_routes(network)
    yield from service_cases(network)
    yield from nat_cases(network)
    yield from requests(network)
    for name, virtual in network.state.virtual.items():
        if isinstance(virtual, Tunnel):
            for peer, end in ends_of(network, name, virtual).items():
                yield from _about_tunnel(network, name, end, peer)


def _about_routed(network: Network, interface: Interface, ingress: Ingress) -> Iterator[Candidate]:
    name = interface.name
    about = of_interface(name)
    for is_ipv6 in (False, True):
        source = neighbor_of(network, name, is_ipv6=is_ipv6)
        plain = Packet(source=source, destination=NOWHERE[is_ipv6])
        is_routed = network.route_to(network.table_of(name, is_ipv6=is_ipv6), plain.destination) is not None
        purpose = "what is far away is reached by a route" if is_routed else "there is no route to nowhere"
        yield Candidate(port=ingress.port, frame=framed(ingress, plain), about=about, purpose=purpose)
        for text in sorted(interface.addresses):
            own = ip_interface(text)
            if (own.version == 6) != is_ipv6:
                continue
            packet = replace(plain, destination=str(own.ip))
            purpose = f"the address {own.ip} is the router's"
            yield Candidate(port=ingress.port, frame=framed(ingress, packet), about=about, purpose=purpose)
            last = replace(packet, ttl=1)
            yield Candidate(
                port=ingress.port, frame=framed(ingress, last), about=about, purpose=f"{purpose}, at the last hop too"
            )
            purpose = "frames to another MAC address are not accepted"
            if network.is_up(name):
                yield Candidate(
                    port=ingress.port, frame=framed(ingress, packet, mac=OTHER_MAC), about=about, purpose=purpose
                )
        if network.is_enabled(name, is_ipv6=is_ipv6):
            yield from _to_others(network, interface, ingress, plain)


def _to_others(network: Network, interface: Interface, ingress: Ingress, plain: Packet) -> Iterator[Candidate]:
    """Send to other links of the same table, each of them from some interface."""
    table = network.table_of(interface.name, is_ipv6=plain.is_ipv6)
    others = [
        each for each in network.connected if each.table == table and (each.network.version == 6) == plain.is_ipv6
    ]
    for found in others[:_MOST_TARGETS]:
        text = f"{found.network.network_address}/{found.network.prefixlen}"
        host = other_host(network, found.interface, text)
        if host is None:
            continue
        about = of_interface(found.interface)
        packet = replace(plain, destination=host)
        yield Candidate(port=ingress.port, frame=framed(ingress, packet), about=about, purpose=f"{host} is reached")
        expired = replace(packet, ttl=1)
        yield Candidate(
            port=ingress.port, frame=framed(ingress, expired), about=about, purpose="the last hop ends here"
        )
        mtu = network.mtu(found.interface, is_ipv6=plain.is_ipv6)
        for size, words in ((mtu, "a packet as large as the MTU passes"), (mtu + 1, "a larger one does not")):
            if size <= _LARGEST:
                large = replace(packet, size=size, has_df=not plain.is_ipv6)
                yield Candidate(port=ingress.port, frame=framed(ingress, large), about=about, purpose=words)
        if checks_source(network.interface(found.interface), is_ipv6=plain.is_ipv6, is_output=True):
            strange = replace(packet, source=STRANGER[plain.is_ipv6])
            yield Candidate(
                port=ingress.port, frame=framed(ingress, strange), about=about, purpose="it must come from somewhere"
            )
        lists = network.interface(found.interface).acls.output
        yield from _about_rules(network, lists, ingress, interface.name, found.interface, packet)


def _about_routes(network: Network) -> Iterator[Candidate]:
    """Send to the prefix of each static route, by some interface whose packets are looked up in its table."""
    entries: dict[tuple[int, bool], tuple[str, Ingress] | None] = {}
    for route in list(network.state.of(Route).values())[:_MOST_ROUTES]:
        key = route.table_id, route.is_ipv6
        if key not in entries:
            entries[key] = entry_to(network, *key)
        host, found = _host_of(network, route), entries[key]
        if host is not None and found is not None:
            name, ingress = found
            packet = Packet(source=neighbor_of(network, name, is_ipv6=route.is_ipv6), destination=host)
            purpose = f"what goes to {route.prefix} " + (
                "goes nowhere" if route.end is not None else "follows the route"
            )
            yield Candidate(port=ingress.port, frame=framed(ingress, packet), about=of_route(route), purpose=purpose)


def _host_of(network: Network, route: Route) -> str | None:
    """Return an address that no longer prefix has than that of a route, None where none of some is so."""
    net = ip_network(route.prefix)
    last = int(net.broadcast_address)
    numbers = range(last, max(int(net.network_address), last - _MOST_HOSTS) - 1, -1)
    far = ip_address(NOWHERE[route.is_ipv6]) + 1  # others ask for that address itself
    for address in (far, *(type(net.network_address)(number) for number in numbers)):
        is_odd = address.is_multicast or address.is_reserved or address.is_link_local
        host = str(address)
        if is_odd or address not in net or (route.table_id, host) in network.own:
            continue
        if network.route_to(route.table_id, host) is route:
            return host
    return None


def _about_filters(network: Network, interface: Interface, ingress: Ingress) -> Iterator[Candidate]:
    name = interface.name
    for is_ipv6 in (False, True):
        if checks_source(interface, is_ipv6=is_ipv6, is_output=False):
            packet = Packet(source=STRANGER[is_ipv6], destination=NOWHERE[is_ipv6])
            purpose = "packets must come from where there is a route to"
            yield Candidate(
                port=ingress.port, frame=framed(ingress, packet), about=source_check_blame(name), purpose=purpose
            )
    yield from _about_rules(network, interface.acls.input, ingress, name, name, None)
    for is_ipv6 in (False, True):
        crossed = network.cross_connect_of(name, is_ipv6=is_ipv6)
        if crossed is not None:
            far = ip_address(NOWHERE[is_ipv6]) + 2  # others ask for those before
            packet = Packet(source=neighbor_of(network, name, is_ipv6=is_ipv6), destination=str(far))
            about = Blame(subject=crossed.label)
            purpose = "the cross-connect takes it"
            yield Candidate(port=ingress.port, frame=framed(ingress, packet), about=about, purpose=purpose)
    for route in interface.policy_routes:
        about = of_interface(name, "policy-routes")
        for rule in network.state.acls[route.acl].rules:
            for packet, _ in _packets_of(network, rule, name, None):
                purpose = f"what {route.acl} permits takes its policy route"
                yield Candidate(port=ingress.port, frame=framed(ingress, packet), about=about, purpose=purpose)


def _about_rules(
    network: Network, lists: tuple[str, ...], ingress: Ingress, name: str, bound: str, towards: Packet | None
) -> Iterator[Candidate]:
    """Send what each rule is about, and what it is just not about."""
    for acl_name in lists:
        for number, rule in enumerate(network.state.acls[acl_name].rules):
            about = Blame(subject=f"access list {acl_name}", aspect=f"rule {number + 1} on {bound}")
            for packet, purpose in _packets_of(network, rule, name, towards):
                yield Candidate(port=ingress.port, frame=framed(ingress, packet), about=about, purpose=purpose)


def _packets_of(network: Network, rule: AclRule, name: str, towards: Packet | None) -> Iterator[tuple[Packet, str]]:
    is_ipv6 = ip_network(rule.source).version == 6
    if towards is not None and towards.is_ipv6 != is_ipv6:
        return
    own = neighbor_of(network, name, is_ipv6=is_ipv6)
    source = _within(rule.source, own)
    destination = _within(rule.destination, towards.destination if towards is not None else NOWHERE[is_ipv6])
    protocol = rule.protocol or UDP
    ports = (rule.source_ports[0], rule.destination_ports[0])
    if rule.protocol == 0:
        ports = (1025, 9)
    packet = Packet(source=source, destination=destination, protocol=protocol, ports=ports)
    if protocol == TCP:
        packet = replace(packet, tcp_flags=rule.tcp_flags[1] & rule.tcp_flags[0])
    if protocol not in (TCP, UDP, ICMP, ICMP6):
        return
    yield packet, "what the rule is about"
    if rule.protocol and rule.destination_ports[1] < 0xFFFF and protocol in (TCP, UDP):
        beside = replace(packet, ports=(ports[0], rule.destination_ports[1] + 1))
        yield beside, "a port that the rule is not about"
    if towards is None:
        yield replace(packet, source=STRANGER[is_ipv6]), "a source that the rule may not be about"


def _within(prefix: str, preferred: str) -> str:
    """Return an address of a prefix, the preferred one if it is there."""
    net = ip_network(prefix)
    if ip_interface(preferred).ip in net:
        return preferred
    last = int(net.broadcast_address) - (net.num_addresses > 2)
    return str(type(net.network_address)(last))


def _about_member(network: Network, interface: Interface, ingress: Ingress) -> Iterator[Candidate]:
    assert interface.bridge is not None
    about = of_bridge(interface.bridge, f"member {interface.name}")
    bridge = network.state.bridges.get(f"bd{interface.bridge}")
    packet = Packet(source=STRANGER[False], destination=NOWHERE[False])
    for mac, purpose in ((UNKNOWN_MAC, "unknown unicast is flooded"), (BROADCAST, "broadcast is flooded")):
        yield Candidate(port=ingress.port, frame=framed(ingress, packet, mac=mac), about=about, purpose=purpose)
    for mac in bridge.filtered_macs if bridge is not None else ():
        purpose = "nothing is sent to a filtered MAC address"
        yield Candidate(port=ingress.port, frame=framed(ingress, packet, mac=mac), about=about, purpose=purpose)
    for member in network.bridge_members(interface.bridge):
        for each in member.static_macs:
            if each.bd_id == interface.bridge:
                purpose = f"{each.mac} is behind {member.name}"
                yield Candidate(
                    port=ingress.port, frame=framed(ingress, packet, mac=each.mac), about=about, purpose=purpose
                )
        if member.is_bvi and network.mac_of(member.name):
            yield from _to_bvi(network, member, ingress)


def _to_bvi(network: Network, bvi: Interface, ingress: Ingress) -> Iterator[Candidate]:
    mac = network.mac_of(bvi.name)
    for text in sorted(bvi.addresses):
        own = ip_interface(text)
        source = neighbor_of(network, bvi.name, is_ipv6=own.version == 6)
        packet = Packet(source=source, destination=str(own.ip))
        purpose = f"{own.ip} is reached through the bridge domain"
        yield Candidate(
            port=ingress.port, frame=framed(ingress, packet, mac=mac), about=of_interface(bvi.name), purpose=purpose
        )


def _about_cross_connect(network: Network, interface: Interface, ingress: Ingress) -> Iterator[Candidate]:
    about = of_interface(interface.name, "l2xc")
    packet = Packet(source=STRANGER[False], destination=NOWHERE[False])
    for mac, purpose in ((UNKNOWN_MAC, "unicast passes"), (BROADCAST, "broadcast passes")):
        yield Candidate(port=ingress.port, frame=framed(ingress, packet, mac=mac), about=about, purpose=purpose)
    packet = Packet(source=STRANGER[True], destination=NOWHERE[True], size=1200)
    yield Candidate(
        port=ingress.port, frame=framed(ingress, packet, mac=UNKNOWN_MAC), about=about, purpose="IPv6 passes"
    )


def _about_stations(network: Network, interface: Interface, ingress: Ingress) -> Iterator[Candidate]:
    """Send what each rule of the MACIP list of an interface is about, and what it is just not about."""
    if interface.macip is None:
        return
    about = Blame(subject=f"MACIP access list {interface.macip}", aspect=f"on {interface.name}")
    mac = UNKNOWN_MAC if interface.is_l2 else None
    for rule in network.state.macips[interface.macip].rules:
        is_ipv6 = ip_network(rule.source).version == 6
        source = _within(rule.source, STRANGER[is_ipv6])
        packet = Packet(source=source, destination=NOWHERE[is_ipv6])
        station = replace(framed(ingress, packet, mac=mac), source=_station(rule))
        yield Candidate(port=ingress.port, frame=station, about=about, purpose="a station that a rule is about")
        mask = int(rule.mac_mask.replace(":", ""), 16)
        if mask:
            another = int(station.source.replace(":", ""), 16) ^ (mask & -mask)
            other = replace(station, source=another.to_bytes(6).hex(":"))
            yield Candidate(port=ingress.port, frame=other, about=about, purpose="another station with its address")
        strange = replace(station, packet=replace(packet, source=STRANGER[is_ipv6]))
        yield Candidate(port=ingress.port, frame=strange, about=about, purpose="the station with another address")


def _station(rule: MacipRule) -> str:
    """Return a MAC address that a rule is about."""
    mac, mask, free = (int(text.replace(":", ""), 16) for text in (rule.mac, rule.mac_mask, OTHER_STATION))
    return (mac & mask | free & ~mask).to_bytes(6).hex(":")


def _about_tags(network: Network, interface: Interface, ingress: Ingress) -> Iterator[Candidate]:
    """Send tags that are not those of the interface."""
    about = of_interface(interface.name, "encapsulation")
    packet = Packet(source=STRANGER[False], destination=NOWHERE[False])
    mac = UNKNOWN_MAC if network.interface(network.port_of(interface.name)).is_l2 else None
    further = (*ingress.tags, Tag(vlan=_UNUSED_VLAN))
    if len(further) <= 2:
        purpose = "what has one more tag goes where it belongs"
        yield Candidate(
            port=ingress.port, frame=framed(ingress, packet, mac=mac, tags=further), about=about, purpose=purpose
        )
    if ingress.tags:
        outer = ingress.tags[0]
        other = (replace(outer, is_dot1ad=not outer.is_dot1ad), *ingress.tags[1:])
        purpose = "what has tags of the other kind goes where it belongs"
        yield Candidate(
            port=ingress.port, frame=framed(ingress, packet, mac=mac, tags=other), about=about, purpose=purpose
        )
    if len(ingress.tags) == 2:
        purpose = "what has one tag less goes where it belongs"
        less = ingress.tags[:1]
        yield Candidate(
            port=ingress.port, frame=framed(ingress, packet, mac=mac, tags=less), about=about, purpose=purpose
        )


def _about_tunnel(network: Network, name: str, virtual: Tunnel, peer: str) -> Iterator[Candidate]:
    """Send what comes from the other router, and what only looks so."""
    about = of_tunnel(virtual, name)
    is_outer_ipv6 = ":" in virtual.local
    inner = Packet(source=STRANGER[False], destination=NOWHERE[False])
    addresses = sorted(network.addresses(name)) if name in network.state.interfaces else []
    owns = [own for own in map(ip_interface, addresses) if not peer or (own.version == 6) == (":" in peer)]
    if owns:
        source = peer or neighbor_of(network, name, is_ipv6=owns[0].version == 6)
        inner = Packet(source=source, destination=str(owns[0].ip))
    inside = Inside(packet=inner)
    if carries_frames(virtual):
        mac = network.mac_of(name) if not network.interface(name).is_l2 else UNKNOWN_MAC
        inside = Inside(frame=Frame(destination=mac or UNKNOWN_MAC, source=OTHER_MAC, packet=inner))
    elif virtual.payload is TunnelPayload.COPIES:
        return
    packet = outer_packet(virtual, inside, is_incoming=True)
    for each in network.state.interfaces.values():
        ingress = entry(network, each.name)
        if ingress is None or each.is_l2 or not network.is_up(each.name):
            continue
        if network.table_of(each.name, is_ipv6=is_outer_ipv6) != virtual.outer_table:
            continue
        if not network.is_enabled(each.name, is_ipv6=is_outer_ipv6):
            continue
        yield Candidate(
            port=ingress.port,
            frame=framed(ingress, packet),
            about=about,
            purpose="traffic from the tunnel is forwarded",
        )
        assert packet.inside is not None
        other = of_another_tunnel(virtual, packet)
        if other is not None:
            purpose = "another key or VNI is not accepted"
            yield Candidate(port=ingress.port, frame=framed(ingress, other), about=about, purpose=purpose)
        other = replace(packet, source="2001:db8:ffff:99::9" if is_outer_ipv6 else "203.0.113.99")
        yield Candidate(
            port=ingress.port, frame=framed(ingress, other), about=about, purpose="another router's packets are dropped"
        )
        return
