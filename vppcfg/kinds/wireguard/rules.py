"""Rules about WireGuard: ports and keys that VPP takes and that do not work, and what peers must be to each other."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.entries.index import Index
from vppcfg.kinds.tunnel import TunnelConfig
from vppcfg.kinds.wireguard.entry import PeerConfig, WireguardConfig
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.wireguard import NO_KEY, PUBLIC_OF_NO_KEY

MOST_ALLOWED = 255
"""Prefixes of a peer, counted in one byte of VPP's API."""
_PORTS_OF_VPP = {
    53: "DNS",
    67: "DHCP",
    68: "DHCP",
    500: "IKE",
    546: "DHCPv6",
    547: "DHCPv6",
    2152: "GTP-U",
    3784: "BFD",
    3785: "BFD",
    4341: "LISP",
    4342: "LISP",
    4500: "IPsec",
    4784: "BFD",
    4789: "VXLAN",
    4790: "VXLAN-GPE",
    6081: "GENEVE",
    6784: "BFD",
}
"""UDP ports that VPP's own nodes and plugins take (vnet/udp/udp_local.h)."""


def _interface(index: Index) -> Iterator[Problem]:
    """Find WireGuards without an entry that sets their MTU: VPP makes them with none."""
    for tunnel in _wireguards(index):
        if not index.has(tunnel.name):
            text = f"{tunnel.name} has no entry below `interfaces`; add `{tunnel.name}: {{}}` there"
            yield Problem(rule="wireguard-no-interface", path=tunnel.path, text=text)


def _port(index: Index) -> Iterator[Problem]:
    """Find ports that something else listens on; VPP silently gives what arrives to one of the two."""
    owners: dict[int, str] = {}
    for other in index.configuration.virtual_as(TunnelConfig).values():
        if other.tunnel.ports is not None:
            owners.setdefault(other.tunnel.ports[0], other.name)
    for tunnel in _wireguards(index):
        owner = owners.setdefault(tunnel.port, tunnel.name)
        own = _PORTS_OF_VPP.get(tunnel.port)
        if owner != tunnel.name:
            text = f"{owner} listens on port {tunnel.port} already; take another"
        elif own is not None:
            text = f"port {tunnel.port} is that of {own} in VPP; take another"
        else:
            continue
        yield Problem(rule="wireguard-port", path=(*tunnel.path, "port"), text=text)


def _key(index: Index) -> Iterator[Problem]:
    """Find keys that are none: VPP takes them."""
    for tunnel in _wireguards(index):
        if tunnel.public_key in (NO_KEY, PUBLIC_OF_NO_KEY):
            text = "this is what a private key of zeros gives; make a key with `wg genkey`"
            yield Problem(rule="wireguard-key", path=(*tunnel.path, "public-key"), text=text)
    for _, peer, path in _peers(index):
        if peer.public_key in (NO_KEY, PUBLIC_OF_NO_KEY):
            text = "this is no valid public key; take the output of `wg pubkey` at the other end"
            yield Problem(rule="wireguard-key", path=(*path, "public-key"), text=text)


def _peer_key(index: Index) -> Iterator[Problem]:
    """Find peers with a key that another one has, or the router itself."""
    own = {tunnel.public_key: tunnel.name for tunnel in _wireguards(index)}
    owners: dict[str, str] = {}
    for tunnel, peer, path in _peers(index):
        owner = owners.setdefault(peer.public_key, f"{peer.name} of {tunnel.name}")
        if peer.public_key in own:
            text = f"this is the key of {own[peer.public_key]} itself; take that of the other end"
        elif owner != f"{peer.name} of {tunnel.name}":
            text = f"{owner} has the same key, and VPP takes a key once"
        else:
            continue
        yield Problem(rule="wireguard-peer-key", path=(*path, "public-key"), text=text)


def _endpoint(index: Index) -> Iterator[Problem]:
    """Find endpoints that cannot be reached."""
    owners = {
        (interface.vrf, address.partition("/")[0]): interface.name
        for interface in (index.interfaces if any(True for _ in _wireguards(index)) else ())
        for address in interface.addresses
    }
    for tunnel, peer, path in _peers(index):
        if peer.endpoint is None and peer.port is None:
            continue
        if peer.endpoint is None or peer.port is None:
            missing, given = ("endpoint", "port") if peer.endpoint is None else ("port", "endpoint")
            text = f"{peer.name} has `{given}` without `{missing}`; set both, or neither where the peer connects first"
            yield Problem(rule="wireguard-endpoint", path=path, text=text)
        elif (":" in peer.endpoint) != (":" in tunnel.local):
            text = f"{peer.endpoint} and {tunnel.local} are of different families; take two of one"
            yield Problem(rule="wireguard-endpoint", path=(*path, "endpoint"), text=text)
        elif (owner := owners.get((tunnel.encap_vrf, peer.endpoint))) is not None or peer.endpoint == tunnel.local:
            text = f"{peer.endpoint} is an address of this router, of {owner or tunnel.name}; take that of the peer"
            yield Problem(rule="wireguard-endpoint", path=(*path, "endpoint"), text=text)


def _allowed_ips(index: Index) -> Iterator[Problem]:
    """Find prefixes that more than one peer of an interface is to have, and more of them than VPP takes."""
    owners: dict[tuple[str, str], str] = {}
    for tunnel, peer, path in _peers(index):
        if len(set(peer.allowed_ips)) > MOST_ALLOWED:
            text = f"VPP takes up to {MOST_ALLOWED} prefixes of a peer; sum them up"
            yield Problem(rule="wireguard-allowed-ips", path=(*path, "allowed-ips"), text=text)
        for position, prefix in enumerate(peer.allowed_ips):
            owner = owners.setdefault((tunnel.name, prefix), peer.name)
            if owner != peer.name:
                text = f"{prefix} belongs to {owner} already; remove it here or there"
                yield Problem(rule="wireguard-allowed-ips", path=(*path, "allowed-ips", position), text=text)


def _preshared_key(index: Index) -> Iterator[Problem]:
    """Find preshared keys with a file or a digest alone."""
    for _, peer, path in _peers(index):
        has_file, has_digest = peer.preshared_key_file is not None, peer.preshared_key_sha256 is not None
        if has_file != has_digest:
            missing = "preshared-key-sha256" if has_file else "preshared-key-file"
            text = f"`{missing}` is missing; the digest of a file is the output of `base64 -d FILE | sha256sum`"
            yield Problem(rule="wireguard-preshared-key", path=path, text=text)


def _wireguards(index: Index) -> Iterator[WireguardConfig]:
    yield from index.configuration.virtual_as(WireguardConfig).values()


def _peers(index: Index) -> Iterator[tuple[WireguardConfig, PeerConfig, KeyPath]]:
    """Yield every peer with its interface, and where it stands."""
    for tunnel in _wireguards(index):
        for peer in tunnel.peers:
            yield tunnel, peer, (*tunnel.path, "peers", peer.name)


RULES = (_interface, _port, _key, _peer_key, _endpoint, _allowed_ips, _preshared_key)
