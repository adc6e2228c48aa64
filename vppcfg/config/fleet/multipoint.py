"""Checks tunnels to many routers in a fleet: behind each neighbour must be a router with a tunnel back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from vppcfg.config.fleet.finding import FleetFinding, finding
from vppcfg.config.fleet.member import FleetNeighbor, FleetTunnel, Member
from vppcfg.config.fleet.settings import FleetSettings
from vppcfg.config.fleet.tunnels import known_hosts
from vppcfg.entries.configuration import TunnelConfig
from vppcfg.model.problem import Severity

_Way = tuple[type, str, str | None]
"""The kind of a tunnel, its own end, and a router to which it leads."""


def found_on_neighbors(members: Sequence[Member], settings: FleetSettings) -> Iterator[FleetFinding]:
    """Yield what is wrong with the neighbours of tunnels, where all files are known."""
    tunnels = [tunnel for member in members for tunnel in member.tunnels if isinstance(tunnel.virtual, TunnelConfig)]
    hosts = known_hosts(members)
    back: defaultdict[_Way, list[FleetTunnel]] = defaultdict(list)
    for tunnel in tunnels:
        for host in _leads_to(tunnel):
            back[type(_config(tunnel).tunnel), tunnel.virtual.local, host].append(tunnel)
    for tunnel in tunnels:
        for neighbor in tunnel.neighbors or ():
            if not settings.is_external(neighbor.next_hop):
                own = _config(tunnel)
                ends = [(type(own.tunnel), neighbor.next_hop, host) for host in (own.local, None)]
                there = [each for end in ends for each in back.get(end, ())]
                yield from _checked(tunnel, neighbor, there, hosts)


def _leads_to(tunnel: FleetTunnel) -> set[str | None]:
    """Return the routers to which a tunnel leads; None stands for any, where a file leaves it open."""
    config = _config(tunnel)
    if not config.tunnel.is_multipoint:
        return {config.remote}
    return {None} if tunnel.neighbors is None else {each.next_hop for each in tunnel.neighbors}


def _checked(
    tunnel: FleetTunnel, neighbor: FleetNeighbor, there: Sequence[FleetTunnel], hosts: frozenset[str]
) -> Iterator[FleetFinding]:
    """Yield what is wrong with a neighbour; `there` are the tunnels that lead back from its router."""
    own = _config(tunnel)
    subject = f"{tunnel.router}:{own.name}"
    if neighbor.next_hop not in hosts:
        text = f"no router has {neighbor.next_hop}; name it below `external` in fleet.yml when it is none of these"
        yield finding("fleet-neighbors-nobody", neighbor.place, text, subject, Severity.WARNING)
        return
    if not there:
        text = f"the router with {neighbor.next_hop} has no tunnel of this kind back from there to {own.local}"
        yield finding("fleet-neighbors-one-sided", neighbor.place, text, subject)
        return
    alike = [each for each in there if _config(each).tunnel.agreed == own.tunnel.agreed]
    if not alike:
        text = f"{_named(there[0])} leads back with another mode or key; packets of one are not those of the other"
        yield finding("fleet-neighbors-unlike", neighbor.place, text, subject)
    elif not any(neighbor.peer in each.hosts for each in alike):
        known = ", ".join(sorted(alike[0].hosts)) or "no address"
        text = f"{_named(alike[0])} has {known}, and not {neighbor.peer}"
        yield finding("fleet-neighbors-address", neighbor.place, text, subject)


def _config(tunnel: FleetTunnel) -> TunnelConfig:
    assert isinstance(tunnel.virtual, TunnelConfig), "others have no neighbours"
    return tunnel.virtual


def _named(tunnel: FleetTunnel) -> str:
    return f"{tunnel.router} {tunnel.virtual.name} ({tunnel.place.short})"
