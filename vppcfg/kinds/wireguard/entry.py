"""The entries of the section `wireguards`: interfaces, and their peers from the file to the model and back.

Secrets stand in files of their own. The file has of each what it gives, the public key or a digest, so that everything
but a change of VPP itself goes without the secret.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from vppcfg.common.addresses import address_key, canonical_host, canonical_prefix
from vppcfg.entries.configuration import EncapConfig
from vppcfg.entries.yaml.text import KeyValue
from vppcfg.model.problem import KeyPath
from vppcfg.model.wireguard import WireguardPeer
from vppcfg.record import record

KEY_FOLDER = "/etc/vpp/keys"
"""Where `dump` expects the files of keys, which VPP knows nothing of."""
_DIGEST = "sha256:"


@record
class PeerConfig:
    """One entry below `peers`."""

    name: str
    public_key: str
    allowed_ips: tuple[str, ...]
    """Canonical prefixes, in the order of the file."""
    endpoint: str | None = None
    """Canonical address; None leaves it open."""
    port: int | None = None
    keepalive_s: int = 0
    preshared_key_file: str | None = None
    preshared_key_sha256: str | None = None


@record
class WireguardConfig(EncapConfig):
    """One entry below `wireguards`."""

    local: str
    """Canonical address."""
    port: int
    public_key: str
    private_key_file: str
    peers: tuple[PeerConfig, ...] = ()

    def parts(self) -> Iterator[KeyPath]:
        return ((*self.path, "peers", peer.name) for peer in self.peers)

    @property
    def has_ethernet(self) -> bool:
        """Return that it carries packets, without Ethernet."""
        return False


def parse_peer(name: str, raw: Mapping[str, Any]) -> PeerConfig:
    """Return a peer with canonical addresses."""
    endpoint = raw.get("endpoint")
    return PeerConfig(
        name=name,
        public_key=raw["public-key"],
        allowed_ips=tuple(prefix for text in raw["allowed-ips"] if (prefix := canonical_prefix(text)) is not None),
        endpoint=None if endpoint is None else canonical_host(endpoint),
        port=raw.get("port"),
        keepalive_s=raw.get("keepalive") or 0,
        preshared_key_file=raw.get("preshared-key-file"),
        preshared_key_sha256=raw.get("preshared-key-sha256"),
    )


def to_desired_peer(peer: PeerConfig, table: int) -> WireguardPeer:
    """Return a peer of a file as VPP is to have it; `table` is that of its endpoint."""
    return WireguardPeer(
        allowed_ips=tuple(sorted(set(peer.allowed_ips), key=address_key)),
        endpoint=peer.endpoint or "",
        port=peer.port or 0,
        keepalive_s=peer.keepalive_s,
        encap_vrf=table,
        preshared=f"{_DIGEST}{peer.preshared_key_sha256}" if peer.preshared_key_sha256 else "",
        preshared_key_file=peer.preshared_key_file or "",
        name=peer.name,
    )


def from_observed_peer(name: str, public_key: str, peer: WireguardPeer) -> PeerConfig:
    """Return the entry of an observed peer."""
    return PeerConfig(
        name=name,
        public_key=public_key,
        allowed_ips=peer.allowed_ips,
        endpoint=peer.endpoint or None,
        port=peer.port or None,
        keepalive_s=peer.keepalive_s,
        preshared_key_file=peer.preshared_key_file if peer.preshared else None,
        preshared_key_sha256=peer.preshared.removeprefix(_DIGEST) or None,
    )


def with_key_file(peer: PeerConfig, interface: str) -> PeerConfig:
    """Return a peer with a name for the file of its preshared key, if it has one in an unknown file."""
    if peer.preshared_key_sha256 is None or peer.preshared_key_file:
        return peer
    return replace(peer, preshared_key_file=f"{KEY_FOLDER}/{interface}-{peer.name}.psk")


def peer_keys(peer: PeerConfig) -> Iterator[KeyValue]:
    """Yield the keys of a peer."""
    yield KeyValue("public-key", peer.public_key)
    if peer.preshared_key_file:
        yield KeyValue("preshared-key-file", peer.preshared_key_file)
    if peer.preshared_key_sha256 is not None:
        yield KeyValue("preshared-key-sha256", peer.preshared_key_sha256)
    if peer.endpoint is not None:
        yield KeyValue("endpoint", peer.endpoint)
    if peer.port is not None:
        yield KeyValue("port", peer.port)
    yield KeyValue("allowed-ips", list(peer.allowed_ips))
    yield KeyValue("keepalive", peer.keepalive_s, is_default=not peer.keepalive_s)
