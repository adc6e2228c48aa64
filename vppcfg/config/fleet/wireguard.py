"""WireGuard between routers: each knows the other by its key, where it listens, and shares the same further secret."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vppcfg.config.fleet.finding import FleetFinding, Place, finding
from vppcfg.config.fleet.member import FleetTunnel, Member
from vppcfg.config.fleet.settings import FleetSettings
from vppcfg.config.fleet.tunnels import known_hosts
from vppcfg.kinds.wireguard.entry import PeerConfig, WireguardConfig
from vppcfg.model.problem import Severity

_End = tuple[WireguardConfig, FleetTunnel]


def found_on_wireguards(
    members: Sequence[Member], settings: FleetSettings, *, is_whole: bool
) -> Iterator[FleetFinding]:
    """Yield what is wrong with WireGuard; only where all files are known, what is missing."""
    every = [
        (made, tunnel)
        for member in members
        for tunnel in member.tunnels
        if isinstance(made := tunnel.virtual, WireguardConfig)
    ]
    by_key = {made.public_key: (made, tunnel) for made, tunnel in every}
    known = known_hosts(members)
    hosts = {address.host: member.router for member in members for address in member.addresses}
    for made, own in every:
        for peer, place in zip(made.peers, own.parts, strict=True):
            other = by_key.get(peer.public_key)
            if other is not None:
                yield from _towards((made, own), peer, place, other, hosts)
                if is_whole and peer.endpoint and peer.endpoint not in known:
                    yield from _to_nobody((made, own), peer, place, other, settings)
            elif is_whole and peer.endpoint and peer.endpoint in known:
                text = f"{peer.endpoint} is an address of this fleet, and no router has the key of {peer.name}"
                yield finding("fleet-wireguard-key", place, text, _subject(own, peer))
            elif is_whole and peer.endpoint and not settings.is_external(peer.endpoint):
                text = (
                    f"no router has the endpoint of {peer.name}, {peer.endpoint}, nor its key; name it below "
                    "`external` in fleet.yml when it is none of these"
                )
                yield finding("fleet-wireguard-nobody", place, text, _subject(own, peer), Severity.WARNING)


def _towards(
    end: _End, peer: PeerConfig, place: Place, other_end: _End, hosts: dict[str, str]
) -> Iterator[FleetFinding]:
    """Yield what is wrong with a peer that is a router of the fleet."""
    (made, own), (other_made, other) = end, other_end
    there, subject = f"{other.router} {other_made.name} ({other.place.short})", _subject(own, peer)
    back = next((each for each in other_made.peers if each.public_key == made.public_key), None)
    if back is None:
        yield finding("fleet-wireguard-one-sided", place, f"{there} has no peer with the key of {made.name}", subject)
    elif back.preshared_key_sha256 != peer.preshared_key_sha256 and (own.router, made.name) > (
        other.router,
        other_made.name,
    ):
        yield finding(
            "fleet-wireguard-preshared", place, f"the preshared key is another one than that of {there}", subject
        )
    if peer.endpoint is not None and peer.port is not None and peer.port != other_made.port:
        text = f"port is {peer.port}, and {there} listens on {other_made.port}"
        yield finding("fleet-wireguard-port", place, text, subject)
    if peer.endpoint is not None and hosts.get(peer.endpoint, other.router) != other.router:
        text = f"the key is that of {there}, and {peer.endpoint} is an address of {hosts[peer.endpoint]}"
        yield finding("fleet-wireguard-endpoint", place, text, subject)


def _to_nobody(
    end: _End, peer: PeerConfig, place: Place, other_end: _End, settings: FleetSettings
) -> Iterator[FleetFinding]:
    """Yield that a peer of the fleet is looked for where no router is."""
    (_, own), (other_made, other) = end, other_end
    if peer.endpoint is not None and not settings.is_external(peer.endpoint):
        text = (
            f"the key is that of {other.router} {other_made.name} ({other.place.short}), and no router has the address "
            f"{peer.endpoint}; name it below `external` in fleet.yml when it is translated on the way"
        )
        yield finding("fleet-wireguard-endpoint", place, text, _subject(own, peer), Severity.WARNING)


def _subject(own: FleetTunnel, peer: PeerConfig) -> str:
    return f"{own.router}:{own.virtual.name}:{peer.name}"
