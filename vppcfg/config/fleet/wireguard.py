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
        (virtual, tunnel)
        for member in members
        for tunnel in member.tunnels
        if isinstance(virtual := tunnel.virtual, WireguardConfig)
    ]
    by_key = {virtual.public_key: (virtual, tunnel) for virtual, tunnel in every}
    known = known_hosts(members)
    hosts = {address.host: member.router for member in members for address in member.addresses}
    for virtual, own in every:
        for peer, place in zip(virtual.peers, own.parts, strict=True):
            other = by_key.get(peer.public_key)
            if other is not None:
                yield from _towards((virtual, own), peer, place, other, hosts)
                if is_whole and peer.endpoint and peer.endpoint not in known:
                    yield from _to_nobody((virtual, own), peer, place, other, settings)
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
    (virtual, own), (other_virtual, other) = end, other_end
    there, subject = f"{other.router} {other_virtual.name} ({other.place.short})", _subject(own, peer)
    back = next((each for each in other_virtual.peers if each.public_key == virtual.public_key), None)
    if back is None:
        yield finding(
            "fleet-wireguard-one-sided", place, f"{there} has no peer with the key of {virtual.name}", subject
        )
    elif back.preshared_key_sha256 != peer.preshared_key_sha256 and (own.router, virtual.name) > (
        other.router,
        other_virtual.name,
    ):
        yield finding(
            "fleet-wireguard-preshared", place, f"the preshared key is another one than that of {there}", subject
        )
    if peer.endpoint is not None and peer.port is not None and peer.port != other_virtual.port:
        text = f"port is {peer.port}, and {there} listens on {other_virtual.port}"
        yield finding("fleet-wireguard-port", place, text, subject)
    if peer.endpoint is not None and hosts.get(peer.endpoint, other.router) != other.router:
        text = f"the key is that of {there}, and {peer.endpoint} is an address of {hosts[peer.endpoint]}"
        yield finding("fleet-wireguard-endpoint", place, text, subject)


def _to_nobody(
    end: _End, peer: PeerConfig, place: Place, other_end: _End, settings: FleetSettings
) -> Iterator[FleetFinding]:
    """Yield that a peer of the fleet is looked for where no router is."""
    (_, own), (other_virtual, other) = end, other_end
    if peer.endpoint is not None and not settings.is_external(peer.endpoint):
        text = (
            f"the key is that of {other.router} {other_virtual.name} ({other.place.short}), and no router has the "
            f"address {peer.endpoint}; name it below `external` in fleet.yml when it is translated on the way"
        )
        yield finding("fleet-wireguard-endpoint", place, text, _subject(own, peer), Severity.WARNING)


def _subject(own: FleetTunnel, peer: PeerConfig) -> str:
    return f"{own.router}:{own.virtual.name}:{peer.name}"
