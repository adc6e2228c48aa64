"""Predicts what VPP does with IP packets: which table they are looked up in, and where that leads.

A `Journey` collects the predicted way of one frame; a stage is how far it has got.

Sources: src/vnet/ip/ip4_input.c, ip4_forward.c and ip4_inlines.h, and the same of IPv6.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from vppcfg.common.packets import ICMP, ICMP6, TUNNELLED, UDP
from vppcfg.common.release import Release, is_older
from vppcfg.model.l3xc import L3CrossConnect
from vppcfg.model.nat44 import NatSide
from vppcfg.model.path_mtu import PathMtu
from vppcfg.model.policy_route import PolicyRoute
from vppcfg.model.punt_redirect import PuntRedirect
from vppcfg.model.route import RouteEnd
from vppcfg.model.tunnel import Tunnel
from vppcfg.probe.classes import note_class, note_marks
from vppcfg.probe.filters import acl_denies, drops_station, fails_reverse_path_check, policy_route_for
from vppcfg.probe.frame import UNUSED_PROTOCOL, Frame, Packet
from vppcfg.probe.nat import translate
from vppcfg.probe.network import Network, NextStep
from vppcfg.probe.outcome import Blame, Fate, FrameEnd, Reason, UndecidedError
from vppcfg.probe.questions import hand_over, is_for_relay
from vppcfg.probe.rate_limits import police
from vppcfg.probe.stages import Directed, Journey, Leaves, Routed, Translated, Wrapped, of_interface, of_route
from vppcfg.probe.tunnels import ends_of, unwrap

_LEAST_IPV6_MTU = 1280
"""Bytes; VPP lets IPv6 packets of any size pass where the MTU is less (ip6_mtu_check in src/vnet/ip/ip6_forward.c)."""
_CUTS_SAFELY = Release(26, 2)
"""Before, VPP hands what it must not cut to a node that it does not have (4f1697ffb2e)."""
_REFUSALS = {RouteEnd.UNREACHABLE: Reason.UNREACHABLE, RouteEnd.PROHIBIT: Reason.PROHIBITED}


def route(journey: Journey, stage: Routed) -> None:
    """Route a packet that came in by an interface."""
    name, packet = stage.interface, stage.packet
    journey.note("routed", "", of_interface(name, "addresses"))
    if fails_reverse_path_check(journey, name, packet, is_input=True) or acl_denies(
        journey, name, packet, is_input=True
    ):
        return None
    if drops_station(journey, name, stage.frame):
        return None
    translated = translate(journey, name, packet)
    if translated == ():
        return None
    police(journey, name, packet, stage.frame, is_translated=translated is not None)
    note_class(journey, name, packet)
    steered = policy_route_for(journey, name, packet)
    crossed = journey.network.cross_connect_of(name, is_ipv6=packet.is_ipv6)
    if steered is not None and crossed is not None:
        raise UndecidedError("a policy route and a cross-connect of L3 take it")
    if translated is not None and crossed is not None:
        raise UndecidedError("NAT and a cross-connect of L3 take it")
    if not journey.network.is_enabled(name, is_ipv6=packet.is_ipv6):
        if steered is not None or crossed is not None:
            raise UndecidedError("an interface without an address has a policy route or a cross-connect of L3 for it")
        return journey.drop(Reason.NOT_ENABLED, of_interface(name, "addresses"))
    if steered is not None:
        return _steer(journey, name, packet, steered)
    if crossed is not None:
        return _cross(journey, packet, crossed)
    if translated is not None:
        return journey.part(translated)
    table = journey.network.table_of(name, is_ipv6=packet.is_ipv6)
    journey.note("looked up", "6" if packet.is_ipv6 else "4", of_interface(name, "vrf"), str(table))
    if is_for_relay(packet):
        return hand_over(journey, table, packet)
    return _look_up(journey, table, packet, of=name)


def _cross(journey: Journey, packet: Packet, crossed: L3CrossConnect) -> None:
    """Send a packet by one of the next hops of a cross-connect, whatever its destination (plugins/l3xc/l3xc_node.c)."""
    journey.note("crossed", "", Blame(subject=crossed.label))
    least = min(hop.preference for hop in crossed.hops)
    hops = [hop for hop in crossed.hops if hop.preference == least]
    if not all(hop.gateway for hop in hops):
        raise UndecidedError("a cross-connect of L3 takes the destination for its gateway")
    for target in {hop.interface for hop in hops}:
        if not journey.network.is_up(target) or journey.network.interface(target).is_l2:
            raise UndecidedError("an interface of a cross-connect of L3 does not forward")
    steps = (NextStep(interface=hop.interface, address=hop.gateway) for hop in hops)
    return journey.part(Directed(step=each, packet=packet) for each in steps)


def look_up_translated(journey: Journey, stage: Translated) -> None:
    """Look up a packet that NAT has translated, in the table where that leads."""
    journey.note("translated", "", stage.blame)
    journey.note("looked up", "4", stage.blame, str(stage.table))
    journey.translation = stage.blame
    if (stage.table, stage.packet.destination) in journey.network.own:
        raise UndecidedError("VPP may take what NAT has translated, and what is for itself, for forged")
    _look_up(journey, stage.table, stage.packet, of=stage.interface)


def _steer(journey: Journey, name: str, packet: Packet, route: PolicyRoute) -> None:
    """Send a packet by a policy route, whatever its destination: to the router itself, too."""
    least = min((hop.preference for hop in route.hops), default=0)
    hops = [hop for hop in route.hops if hop.preference == least]
    if route.end is RouteEnd.BLACKHOLE:
        return journey.drop(Reason.NO_ROUTE, of_interface(name, "policy-routes"))
    if len(hops) != 1 or len(route.hops) > 1:
        raise UndecidedError("a policy route has several next hops, or answers")
    (hop,) = hops
    if not hop.gateway:
        if hop.interface or hop.table_id is None:
            raise UndecidedError("a policy route takes the destination for its gateway")
        detail = str(hop.table_id)
        journey.note("looked up", "6" if packet.is_ipv6 else "4", of_interface(name, "policy-routes"), detail)
        return _look_up(journey, hop.table_id, packet, of=name)
    step = NextStep(interface=hop.interface, address=hop.gateway)
    if not hop.interface:
        found = journey.network.way_to(hop.table_id or 0, hop.gateway)
        if found is None or not found.interface or (hop.table_id or 0, hop.gateway) in journey.network.own:
            raise UndecidedError("the gateway of a policy route is not on a link of the router")
        step = found._replace(route=None)
    target = step.interface
    if ":" in hop.gateway and not packet.is_ipv6:
        raise UndecidedError("an IPv6 neighbour takes IPv4 packets")
    if not journey.network.is_up(target) or journey.network.interface(target).is_l2:
        raise UndecidedError("the interface of a policy route does not forward")
    return _towards(journey, step, packet)


def find_path(journey: Journey, stage: Wrapped) -> None:
    """Look up the packet of a tunnel, which has come in by no interface."""
    _look_up(journey, stage.table, stage.packet, of=stage.tunnel, is_outer=True)


def _look_up(journey: Journey, table: int, packet: Packet, of: str, *, is_outer: bool = False) -> None:
    owner = journey.network.own.get((table, packet.destination))
    if owner is not None:
        return _keep(journey, table, packet, owner, of)
    ways = journey.network.ways_to(table, packet.destination)
    if is_outer and (len(ways) > 1 or any(each.end in _REFUSALS for each in ways)):
        raise UndecidedError("the way to the other end of the tunnel is not one")
    if not ways:
        return journey.drop(Reason.NO_ROUTE, of_interface(of, "vrf"))
    if is_outer and any(each.interface and journey.network.port_of(each.interface) == of for each in ways):
        raise UndecidedError("the way to the other end of the tunnel leads through the tunnel")
    if _is_cut(journey, table, packet, ways):
        return None
    return journey.part(Directed(step=each, packet=packet) for each in ways)


def _is_cut(journey: Journey, table: int, packet: Packet, ways: Iterable[NextStep]) -> bool:
    """Answer what must not be cut and goes to a host behind a route that has a path MTU, or return False.

    VPP cuts whatever goes there without a look at its size, and answers what it must not cut (ip_pmtu_dpo_inline in
    src/vnet/ip/ip_path_mtu_node.c). The path MTU of a neighbour is the MTU of what is sent to it, and counts there.
    """
    network, limit = journey.network, journey.network.path_mtus.get((table, packet.destination))
    if limit is None or network.route_to(table, packet.destination) is None:
        return False
    mtus = [network.mtu(each.interface, is_ipv6=packet.is_ipv6) for each in ways if each.interface]
    if not mtus or limit.mtu >= min(mtus):
        return False
    if packet.is_ipv6 or not packet.has_df:
        raise UndecidedError("it is cut into pieces")
    if is_older(network.state.facts.version, _CUTS_SAFELY):
        raise UndecidedError("VPP up to 25.10 may crash at a packet that must not be cut")
    journey.end(FrameEnd(fate=Fate.ANSWERED, reason=Reason.TOO_BIG), Blame(subject=limit.label))
    return True


def forward(journey: Journey, stage: Directed) -> None:
    """Send a packet the way that a look-up has found, or end it where its route does."""
    step = stage.step
    if step.interface:
        return _towards(journey, step, stage.packet)
    assert step.route is not None
    reason = _REFUSALS.get(step.end) if step.end is not None else None
    if reason is None:
        return journey.drop(Reason.NO_ROUTE, of_route(step.route))
    return journey.end(FrameEnd(fate=Fate.REFUSED, reason=reason), of_route(step.route))


def _towards(journey: Journey, found: NextStep, packet: Packet) -> None:
    """Send a packet to a neighbour on the link of an interface."""
    target = found.interface
    if journey.network.interface(target).nat44 is NatSide.OUTPUT and not packet.is_ipv6:
        raise UndecidedError("NAT44 translates what leaves there, or not, by its sessions")
    if not journey.network.has_link(target):
        # A path is used from when its interface is set up until the link goes: fib_path_back_walk_notify and
        # fib_path_attached_next_hop_set in src/vnet/fib/fib_path.c.
        raise UndecidedError("nothing is plugged in, and what VPP does then depends on what came first")
    if journey.network.is_loopback(target):
        raise UndecidedError("what is sent to a loopback comes back")
    if not journey.network.has_ethernet(target):
        virtual = journey.network.virtual_of(target)
        if virtual is not None and virtual.own_end is not None and not isinstance(virtual, Tunnel):
            raise UndecidedError("what goes to peers is encrypted, and not seen")
        if isinstance(virtual, Tunnel) and _leads_nowhere(journey.network, target, virtual, found.address):
            raise UndecidedError("the tunnel leads to no router for that neighbour")
        return _send(journey, found, packet, mac="")
    mac = journey.network.neighbor(target, found.address)
    if mac is None:
        journey.note("looked for", "", _behind(found))
        return journey.end(FrameEnd(fate=Fate.ASKED, interface=target), _behind(found))
    return _send(journey, found, packet, mac)


def _leads_nowhere(network: Network, name: str, tunnel: Tunnel, neighbor: str) -> bool:
    """Return whether a tunnel to many routers has none for a neighbour."""
    return tunnel.is_multipoint and neighbor not in ends_of(network, name, tunnel)


def _behind(found: NextStep) -> Blame:
    """Return what sends a packet by an interface: a static route, or the prefix of the interface itself."""
    return of_route(found.route) if found.route is not None else of_interface(found.interface, "addresses")


def _keep(journey: Journey, table: int, packet: Packet, owner: str, of: str) -> None:
    """Hand a packet to the router itself, or take it out of the tunnel that it belongs to, or redirect it."""
    redirect = journey.network.punt_redirect_of(of, is_ipv6=packet.is_ipv6)
    pair = journey.network.state.lcps.get(of)
    has_pair = pair is not None and pair.has_host
    if packet.protocol == UNUSED_PROTOCOL and redirect is not None and not has_pair:
        return _redirect(journey, table, packet, redirect)
    journey.note("received", "", of_interface(owner, "addresses"))
    if packet.inside is None and packet.protocol not in (*TUNNELLED, ICMP, ICMP6):
        if has_pair:
            return _punt(journey, table, packet, of)
        if redirect is not None and journey.network.state.lcps:
            raise UndecidedError("with linux-cp, VPP redirects more than what it has no use for")
        return journey.end(FrameEnd(fate=Fate.KEPT), of_interface(owner, "addresses"))
    if packet.protocol not in (*TUNNELLED, UDP):
        return journey.end(FrameEnd(fate=Fate.KEPT), of_interface(owner, "addresses"))
    if not _is_known(journey, table, packet.source):
        return journey.end(FrameEnd(fate=Fate.KEPT), of_interface(owner, "addresses"))
    return unwrap(journey, table, packet)


def _punt(journey: Journey, table: int, packet: Packet, of: str) -> None:
    """Hand a packet that no part of VPP takes to Linux, by a punt redirect of the pair (linux-cp/lcp_interface.c)."""
    if not _is_known(journey, table, packet.source) or (table, packet.source) in journey.network.own:
        raise UndecidedError("VPP drops what comes to itself from where it has no route to")
    journey.end(FrameEnd(fate=Fate.PUNTED), of_interface(of, "lcp"))


def _redirect(journey: Journey, table: int, packet: Packet, redirect: PuntRedirect) -> None:
    """Send a packet that the router has no use for to the next hop of a redirect (src/vnet/ip/ip_punt_drop.c)."""
    hop = redirect.hop
    if not _is_known(journey, table, packet.source) or (table, packet.source) in journey.network.own:
        raise UndecidedError("VPP drops what comes to itself from where it has no route to")
    if not hop.interface or not hop.gateway:
        raise UndecidedError("the redirect has no neighbour on a link")
    if not journey.network.is_up(hop.interface) or journey.network.interface(hop.interface).is_l2:
        raise UndecidedError("the interface of a punt redirect does not forward")
    journey.note("redirected", "", Blame(subject=redirect.label))
    again = replace(packet, ttl=packet.ttl + 1)  # VPP does not count a hop that it redirects by
    return journey.then(Directed(step=NextStep(interface=hop.interface, address=hop.gateway), packet=again))


def _is_known(journey: Journey, table: int, source: str) -> bool:
    """Return whether there is a route back to a source, without which VPP drops what is for itself."""
    return (table, source) in journey.network.own or journey.network.way_to(table, source) is not None


def _send(journey: Journey, found: NextStep, packet: Packet, mac: str) -> None:
    """Send a packet by an interface to a neighbour: TTL and size first, then what checks on the way out."""
    target = found.interface
    journey.note("rewritten", target, _behind(found))
    if packet.ttl <= 1:
        end = FrameEnd(fate=Fate.ANSWERED, reason=Reason.EXPIRED)
        return journey.end(end, of_interface(target, "reached"))
    on_its_way = replace(packet, ttl=packet.ttl - 1)
    mtu = journey.network.mtu(target, is_ipv6=packet.is_ipv6)
    if (limit := _limit_of(journey.network, found, is_ipv6=packet.is_ipv6)) is not None and limit.mtu < mtu:
        mtu, too_big = limit.mtu, Blame(subject=limit.label)
    else:
        limit, too_big = None, of_interface(target, "mtu")
    if packet.length > mtu and not (packet.is_ipv6 and mtu < _LEAST_IPV6_MTU):
        if limit is None and journey.network.has_mtu_of_port(target):
            raise UndecidedError("VPP takes 9000 bytes for the MTU of a sub-interface that has that of its port")
        if packet.is_ipv6 or packet.has_df:
            end = FrameEnd(fate=Fate.ANSWERED, reason=Reason.TOO_BIG)
            return journey.end(end, too_big)
        raise UndecidedError("it is cut into pieces")
    if fails_reverse_path_check(journey, target, on_its_way, is_input=False) or acl_denies(
        journey, target, on_its_way, is_input=False
    ):
        return None
    note_marks(journey, target)
    frame = None
    if mac:
        frame = Frame(destination=mac, source=journey.network.mac_of(target), packet=on_its_way)
    return journey.then(Leaves(interface=target, frame=frame, packet=on_its_way, neighbor=found.address))


def _limit_of(network: Network, found: NextStep, *, is_ipv6: bool) -> PathMtu | None:
    """Return the path MTU of the neighbour that gets a packet, None where it has none, or is reached by a route."""
    table = network.table_of(found.interface, is_ipv6=is_ipv6)
    is_far = network.route_to(table, found.address) is not None
    return None if is_far else network.path_mtus.get((table, found.address))
