"""WireGuard interfaces (wgN) and their peers, without any secret: keys are named as in `model/secret_key`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from typing import Self

from vppcfg.model.interface import InterfaceKind
from vppcfg.model.secret_key import RequiredKey
from vppcfg.model.virtual_interface import VirtualInterface
from vppcfg.record import record

NO_KEY = "A" * 43 + "="
"""32 zero bytes: no key at all."""
PUBLIC_OF_NO_KEY = "L+V9o0fNYkMVKNqsX7spBzD/9oSvxM/C7ZCZX1jLO3Q="
"""What X25519 makes of a private key of zeros."""


@record
class WireguardPeer:
    """One peer of a WireGuard interface; nothing of it can be changed in place."""

    allowed_ips: tuple[str, ...]
    """Canonical prefixes, in order."""
    endpoint: str = ""
    """Canonical address; '' where the peer speaks first, or where the file leaves it open."""
    port: int = 0
    """UDP port of the endpoint."""
    keepalive_s: int = 0
    """0 sends none."""
    encap_vrf: int = 0
    """Id of the FIB table that the endpoint is looked up in."""
    preshared: str = ""
    """`sha256:` and the digest of the preshared key; '' for none."""
    preshared_key_file: str = field(default="", compare=False)
    """Where the preshared key is; '' when VPP was asked."""
    name: str = field(default="", compare=False)
    """What the configuration calls it; '' when VPP was asked."""
    has_spoken: bool = field(default=False, compare=False)
    """Whether VPP has heard from it, and answers to where it spoke from; never so in a desired state."""


@record
class Wireguard(VirtualInterface):
    """What a WireGuard interface is made with, and its peers, who come and go."""

    kind = InterfaceKind.WIREGUARD
    noun = "WireGuard"
    table = "wireguards"
    encrypts = True
    recreate_on_change = ("local", "port", "public_key")
    packet_mtu_as_created = 0

    local: str
    """Canonical address."""
    port: int
    """UDP port on which it listens."""
    public_key: str
    """Base64; what its private key gives."""
    peers: Mapping[str, WireguardPeer] = field(default_factory=dict)
    """By their public key."""
    private_key_file: str = field(default="", compare=False)
    """Where the private key is; '' when VPP was asked."""

    @property
    def unique_key(self) -> tuple[object, ...]:
        """Return the port: VPP gives what arrives on one to whatever was made first, and forgets the others."""
        return (self.port,)

    @property
    def has_ethernet(self) -> bool:
        """Return that it carries packets, without Ethernet."""
        return False

    @property
    def own_end(self) -> str:
        return self.local

    @property
    def outer_table(self) -> int:
        """Return the id of the FIB table that the endpoints are in, which VPP notes with each peer."""
        return max((peer.encap_vrf for peer in self.peers.values()), default=0)

    @property
    def peer_prefixes(self) -> Mapping[str, frozenset[str]]:
        """Return the prefixes of each peer, by its key."""
        return {key: frozenset(peer.allowed_ips) for key, peer in self.peers.items()}

    def merge_observed(self, there: VirtualInterface | None) -> Self:
        """Return it with the endpoints of `there` of peers that have moved, or whose endpoint is left open.

        What is recreated is made as it is wanted.
        """
        if not isinstance(there, Wireguard) or any(
            getattr(self, name) != getattr(there, name) for name in self.recreate_on_change
        ):
            return self
        moved = {
            key: replace(peer, endpoint=found.endpoint, port=found.port)
            for key, peer in self.peers.items()
            if (found := there.peers.get(key)) is not None and has_moved(peer, found)
        }
        return replace(self, peers={**self.peers, **moved}) if moved else self

    def with_names_of(self, other: VirtualInterface | None) -> Self:
        """Return it with the names of peers and files that it lacks and `other` has for the same peers and keys.

        A peer that has got another key is known by its prefixes, which no two peers have.
        """
        if not isinstance(other, Wireguard):
            return self
        file = other.private_key_file if other.public_key == self.public_key else ""
        renewed = {peer.allowed_ips: peer.name for key, peer in other.peers.items() if key not in self.peers}
        peers = {
            key: _with_names(peer, other.peers[key])
            if key in other.peers
            else replace(peer, name=peer.name or renewed.get(peer.allowed_ips, ""))
            for key, peer in self.peers.items()
        }
        return replace(self, private_key_file=self.private_key_file or file, peers=peers)

    def required_keys(self, name: str) -> Iterator[RequiredKey]:
        """Yield the secrets without which the interface `name` cannot be made."""
        yield RequiredKey(name=self.public_key, file=self.private_key_file, description=f"the private key of {name}")
        for key, peer in self.peers.items():
            if peer.preshared:
                description = f"the preshared key of the peer {key} of {name}"
                yield RequiredKey(name=peer.preshared, file=peer.preshared_key_file, description=description)


def _with_names(peer: WireguardPeer, other: WireguardPeer) -> WireguardPeer:
    file = other.preshared_key_file if other.preshared == peer.preshared else ""
    return replace(peer, name=peer.name or other.name, preshared_key_file=peer.preshared_key_file or file)


def has_moved(desired: WireguardPeer, found: WireguardPeer) -> bool:
    """Return whether a peer may stay elsewhere than is wanted: it is open where, or it has spoken and nothing else
    makes it anew."""
    if (desired.endpoint, desired.port) == (found.endpoint, found.port):
        return False
    alike = replace(found, endpoint=desired.endpoint, port=desired.port)
    return not desired.endpoint or (found.has_spoken and alike == desired)
