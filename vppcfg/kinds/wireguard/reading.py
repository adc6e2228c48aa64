"""Reads WireGuard interfaces and peers from VPP. `read_keys` alone asks for private keys; a change calls it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from vppcfg.common.addresses import address_key
from vppcfg.model.secret_key import digest_of, key_text
from vppcfg.model.wireguard import Wireguard, WireguardPeer
from vppcfg.operations.request import ALL_INDEXES
from vppcfg.wire.codec import text_of_address
from vppcfg.wire.reading import Replies, VppReader, malformed
from vppcfg.wire.row import Row

DUMP = "wireguard_interface_dump"
_PEER_DUMPS = {
    "wireguard_peers_v2_dump": "wireguard_peers_v2_details",
    "wireguard_peers_dump": "wireguard_peers_details",
}
_ESTABLISHED = 2
"""WIREGUARD_PEER_ESTABLISHED (plugins/wireguard/wireguard.api)."""
_INTERFACE = tuple(f"interface.{name}" for name in ("sw_if_index", "public_key", "port", "src_ip.af", "src_ip.un"))
_PEER = tuple(
    f"peer.{name}"
    for name in (
        *("peer_index", "public_key", "port", "persistent_keepalive", "table_id"),
        *("endpoint.af", "endpoint.un", "sw_if_index", "flags"),
    )
)
_PRESHARED = "peer.preshared_key"
_PREFIX = ("address.af", "address.un", "len")


def requests(connection: VppReader) -> list[bytes]:
    """Return the requests for all interfaces, without their private keys, and all peers, where VPP has the plugin."""
    if not connection.offers(DUMP):
        return []
    return [
        connection.request(DUMP, {"sw_if_index": ALL_INDEXES})[1],
        connection.request(connection.newest(tuple(_PEER_DUMPS)), {"peer_index": ALL_INDEXES})[1],
    ]


def read(connection: VppReader, replies: Replies, rows: Mapping[int, Row]) -> dict[str, Wireguard]:
    """Return the interfaces by name with their peers; `rows` are the interfaces by index."""
    if not connection.offers(DUMP):
        return {}
    peers: dict[int, dict[str, WireguardPeer]] = {}
    for found in _peers(connection, replies):
        peers.setdefault(found.sw_if_index, {})[found.public_key] = found.peer
    return {
        rows[index].name: Wireguard(
            local=text_of_address(family, source),
            port=port,
            public_key=key_text(public_key),
            peers=peers.get(index, {}),
        )
        for index, public_key, port, family, source in connection.rows(
            replies, "wireguard_interface_details", *_INTERFACE
        )
        if index in rows
    }


class _Found(NamedTuple):
    """A peer as VPP reports it."""

    number: int
    sw_if_index: int
    public_key: str
    peer: WireguardPeer
    preshared_key: bytes


def _peers(connection: VppReader, replies: Replies) -> Iterator[_Found]:
    """Yield the peers of all interfaces. Raise DataplaneError when VPP's answer does not match its definition."""
    details = _PEER_DUMPS[connection.newest(tuple(_PEER_DUMPS))]
    heads = (*_PEER, *([_PRESHARED] if connection.has_field(details, _PRESHARED) else []))
    try:
        for head, allowed in connection.lists(replies, details, heads, *_PREFIX):
            index, public_key, port, keepalive, table, family, endpoint, sw_if_index, flags, *rest = head
            preshared = rest[0] if rest and any(rest[0]) else b""
            prefixes = (f"{text_of_address(af, raw)}/{length}" for af, raw, length in allowed)
            peer = WireguardPeer(
                allowed_ips=tuple(sorted(prefixes, key=address_key)),
                endpoint=text_of_address(family, endpoint) if any(endpoint) else "",
                port=port,
                keepalive_s=keepalive,
                encap_vrf=table,
                preshared=digest_of(preshared) if preshared else "",
                has_spoken=bool(flags & _ESTABLISHED),
            )
            yield _Found(index, sw_if_index, key_text(public_key), peer, preshared)
    except ValueError as error:  # a prefix that cannot be
        raise malformed(details) from error


def read_peers(connection: VppReader) -> dict[str, int]:
    """Ask VPP how it numbers its peers, by their public keys."""
    if not connection.offers(DUMP):
        return {}
    return {found.public_key: found.number for found in _peers(connection, connection.ask(requests(connection)[1:]))}


def read_keys(connection: VppReader) -> dict[str, bytes]:
    """Ask VPP for the secrets that it has: private keys by what they give, preshared keys by their digests.

    Raise DataplaneError.
    """
    if not connection.offers(DUMP):
        return {}
    shown = connection.request(DUMP, {"sw_if_index": ALL_INDEXES, "show_private_key": 1})[1]
    replies = connection.ask([shown, requests(connection)[1]])
    paths = ("interface.public_key", "interface.private_key")
    keys = {
        key_text(public_key): private_key
        for public_key, private_key in connection.rows(replies, "wireguard_interface_details", *paths)
        if any(private_key)
    }
    preshared = {found.peer.preshared: found.preshared_key for found in _peers(connection, replies)}
    return keys | {name: key for name, key in preshared.items() if name}
