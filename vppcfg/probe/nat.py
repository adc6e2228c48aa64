"""Predicts what NAT44 and DET44 make of the first packet of a connection; what sessions change of others is left open.

Sources: src/plugins/nat/nat44-ed (slow_path_ed in nat44_ed_in2out.c, nat44_ed_out2in_slow_path_node_fn_inline in
nat44_ed_out2in.c), src/plugins/nat/det44 (det44_in2out.c, det44_out2in.c).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from ipaddress import IPv4Address

from vppcfg.common.packets import TCP, UDP
from vppcfg.model.det44 import Det44Side
from vppcfg.model.interface import Interface
from vppcfg.model.nat44 import NatMapping, NatSide, TwiceNat
from vppcfg.probe.frame import Packet
from vppcfg.probe.network import Network
from vppcfg.probe.outcome import Blame, Fate, FrameEnd, Reason, UndecidedError
from vppcfg.probe.stages import Journey, Translated, of_interface

NAT_DROPS = (
    ("", "out of ports", Reason.NO_TRANSLATION),
    ("", "no translation", Reason.NO_TRANSLATION),
    ("", "No translation", Reason.NO_TRANSLATION),
)
"""Which words nodes of NAT drop with."""
_NODES = ("nat44-ed-in2out", "nat44-ed-out2in", "det44-in2out", "det44-out2in")
NAT_NODES = tuple(f"{node}{path}" for node in _NODES for path in ("", "-slowpath"))
"""They show that NAT has looked at a packet."""
SYN = 0x02
_ACK = 0x10
_DHCP_CLIENT = 68
_ENOUGH_SESSIONS = 500
"""With room for fewer, the frames of a test may fill it."""


def translate(journey: Journey, name: str, packet: Packet) -> tuple[Translated, ...] | None:
    """Return what NAT makes of a packet that comes in by an interface, of which VPP takes one.

    None where NAT leaves it alone, an empty tuple where it ends here. Raise UndecidedError where more than the state
    decides.
    """
    interface = journey.network.interface(name)
    if packet.is_ipv6 or (interface.nat44 is None and interface.det44 is None):
        return None
    _require_nothing_else(interface)
    blame = of_interface(name, "nat44" if interface.nat44 is not None else "det44")
    journey.note("translated", "", blame)
    if packet.ttl <= 1:
        journey.end(FrameEnd(fate=Fate.ANSWERED, reason=Reason.EXPIRED), blame)
        return ()
    if packet.protocol == TCP and packet.tcp_flags & (SYN | _ACK) != SYN:
        raise UndecidedError("NAT has a TCP connection begin with SYN, and may know this one")
    if packet.protocol not in (TCP, UDP):
        raise UndecidedError("what NAT makes of it depends on its sessions")
    if interface.det44 is not None:
        return _by_map(journey, name, packet, is_inside=interface.det44 is Det44Side.INSIDE)
    if journey.network.nat.settings.sessions < _ENOUGH_SESSIONS:
        raise UndecidedError("NAT44 has room for so few sessions that frames alone may fill it")
    if interface.nat44 is NatSide.BOTH:
        raise UndecidedError("on both sides of NAT44 its sessions decide")
    if interface.nat44 is NatSide.INSIDE:
        return _from_inside(journey, name, packet, blame)
    return _from_outside(journey, name, packet, blame)


def _require_nothing_else(interface: Interface) -> None:
    """Raise UndecidedError where something else looks at packets between, which NAT may have changed by then."""
    if interface.nat44 is not None and interface.det44 is not None:
        raise UndecidedError("NAT44 and DET44 translate it")
    if interface.macip is not None or any(not each.is_ipv6 for each in interface.policy_routes):
        raise UndecidedError("a list looks at what NAT has translated")


def _from_inside(journey: Journey, name: str, packet: Packet, blame: Blame) -> tuple[Translated, ...] | None:
    network = journey.network
    nat, table = network.nat, network.table_of(name, is_ipv6=False)
    if nat.is_mapped(packet.destination):
        raise UndecidedError("a host inside asks for the outer end of a mapping")
    own = {text.partition("/")[0] for text in network.addresses(name)}
    if nat.settings.is_forwarding or packet.destination in own:
        return None
    outside = _table_outside(network, table)
    if outside is None or not _leads_outside(network, outside, packet.destination):
        return None
    if nat.is_exempt(packet.source, packet.ports[0], packet.protocol):
        return None
    mappings = nat.mappings_from(table, packet)
    if mappings:
        outer = [(each.label, address) for each in mappings for address in nat.outer_addresses(each)]
    else:
        outer = [(each.label, each.address) for each in nat.serving(table)]
    if mappings and len(outer) > 1:
        raise UndecidedError("VPP has one of several addresses for a mapping")
    if not outer:
        journey.drop(Reason.NO_TRANSLATION, blame)
    return tuple(
        Translated(interface=name, table=outside, packet=replace(packet, source=address), blame=Blame(subject=label))
        for label, address in outer
    )


def _table_outside(network: Network, table: int) -> int | None:
    """Return the table that translated packets are looked up in, None where no interface is outside."""
    tables = {network.table_of(each, is_ipv6=False) for each in network.nat.outside}
    if table in network.nat.leaking or len(tables) > 1 or network.nat.has_output_side:
        raise UndecidedError("NAT44 has several tables outside")
    return next(iter(tables), None)


def _leads_outside(network: Network, table: int, address: str) -> bool:
    """Return whether packets to an address leave by an interface outside: only those are translated."""
    if (table, address) in network.own:
        raise UndecidedError("a host inside asks for another address of the router")
    targets = {way.interface for way in network.ways_to(table, address)}
    are_outside = {target in network.nat.outside for target in targets}
    if len(are_outside) > 1:
        raise UndecidedError("some next hops are outside, some are not")
    return are_outside == {True}


def _from_outside(journey: Journey, name: str, packet: Packet, blame: Blame) -> tuple[Translated, ...] | None:
    nat = journey.network.nat
    mappings = nat.mappings_to(packet)
    if len(mappings) > 1 or any(len(nat.outer_addresses(each)) > 1 for each in mappings):
        raise UndecidedError("VPP has one of several addresses for a mapping")
    if mappings:
        return (_to_host(name, mappings[0], packet),)
    if nat.is_exempt(packet.destination, packet.ports[1], packet.protocol):
        return None
    if nat.settings.is_forwarding:
        raise UndecidedError("with forwarding, sessions decide which packets are translated")
    if packet.protocol == UDP and packet.ports[1] == _DHCP_CLIENT:
        return None
    journey.drop(Reason.NO_TRANSLATION, blame)
    return ()


def _to_host(name: str, mapping: NatMapping, packet: Packet) -> Translated:
    if mapping.twice is not TwiceNat.NO:
        raise UndecidedError("VPP chooses the address that twice NAT has a host outside appear by")
    port = packet.ports[1] if mapping.protocol is None else mapping.local_port
    inner = replace(packet, destination=mapping.local, ports=(packet.ports[0], port))
    return Translated(interface=name, table=mapping.table_id, packet=inner, blame=Blame(subject=mapping.label))


def _by_map(journey: Journey, name: str, packet: Packet, *, is_inside: bool) -> tuple[Translated, ...]:
    """Translate by a map of DET44; without a session, nothing comes in, not even to the router itself."""
    maps = journey.network.nat.maps_from(packet.source) if is_inside else []
    if len(maps) > 1:
        raise UndecidedError("two maps of DET44 have the host")
    if not maps:
        journey.drop(Reason.NO_TRANSLATION, of_interface(name, "det44"))
    return tuple(
        Translated(
            interface=name,
            table=0,
            packet=replace(packet, source=str(each.ports_of(IPv4Address(packet.source))[0])),
            blame=Blame(subject=each.label),
        )
        for each in maps
    )


def hosts_of_mappings(network: Network) -> Iterator[tuple[str, str]]:
    """Yield the hosts inside that mappings name, each behind the interface that it is on."""
    for mapping in network.state.of(NatMapping).values():
        host = IPv4Address(mapping.local)
        for each in network.connected:
            if each.table == mapping.table_id and host in each.network:
                yield each.interface, mapping.local
                break
