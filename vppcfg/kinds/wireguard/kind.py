"""WireGuard interfaces: the section `wireguards`, and what a plan does with them (plugins/wireguard)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import ClassVar, NamedTuple

from vppcfg.common.addresses import address_key, canonical_host, is_unicast
from vppcfg.common.names import instance_of, natural_key
from vppcfg.common.release import Release
from vppcfg.engine.virtual_interface_kind import VirtualInterfaceKind
from vppcfg.entries.configuration import Configuration, TunnelConfig, VirtualInterfaceConfig
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.index import Index
from vppcfg.entries.names import is_interface_name
from vppcfg.entries.section import NamedReference, Parsing, SectionEntry
from vppcfg.entries.virtual_interface_section import Part, Plugin
from vppcfg.entries.yaml.errors import shown
from vppcfg.entries.yaml.text import KeyValue
from vppcfg.kinds import vrf_section
from vppcfg.kinds.tunnel import ASSUMED_ENDS, encap_references
from vppcfg.kinds.wireguard.entry import (
    KEY_FOLDER,
    PeerConfig,
    WireguardConfig,
    from_observed_peer,
    parse_peer,
    peer_keys,
    to_desired_peer,
    with_key_file,
)
from vppcfg.kinds.wireguard.operations import (
    ADD_PEER,
    AddWireguardPeer,
    CreateWireguard,
    DeleteWireguard,
    RemoveWireguardPeer,
)
from vppcfg.model.interface import Interface
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.secret_key import digest_of, key_text
from vppcfg.model.state import State
from vppcfg.model.wireguard import NO_KEY, PUBLIC_OF_NO_KEY, Wireguard, WireguardPeer
from vppcfg.operations.operation import Operation
from vppcfg.operations.request import ALL_INDEXES
from vppcfg.operations.stages import Stage, Step
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
    for found in _observed_peers(connection, replies):
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


def _observed_peers(connection: VppReader, replies: Replies) -> Iterator[_Found]:
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
    return {
        found.public_key: found.number
        for found in _observed_peers(connection, connection.ask(requests(connection)[1:]))
    }


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
    preshared = {found.peer.preshared: found.preshared_key for found in _observed_peers(connection, replies)}
    return keys | {name: key for name, key in preshared.items() if name}


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


MAX_NUMBER = 16383
"""VPP numbers them up to here (plugins/wireguard/wireguard_if.c, WG_ITF_MAX_INSTANCE)."""
USUAL_MTU = 1420
"""Bytes; what fits with IPv6 outside into the 1500 of most links."""


class WireguardKind(VirtualInterfaceKind[WireguardConfig, Wireguard]):
    """The section `wireguards`, and WireGuard interfaces in VPP."""

    nodes = "wg[46]?-"
    key = "wireguards"
    word = "wg"
    last = MAX_NUMBER
    noun = "WireGuard"
    config = WireguardConfig
    is_listed = True
    virtual = Wireguard
    needs_interface = True
    default_mtu = USUAL_MTU
    assumed: ClassVar = {
        "local": ASSUMED_ENDS["local"],
        "port": (1, 2),
        "public-key": (f"{'B' * 42}A=", f"{'C' * 42}A="),
        "private-key-file": ("/a", "/b"),
        "peers": ({}, {}),
        "allowed-ips": (["192.0.2.0/24"], ["2001:db8::/32"]),
    }
    plugin = Plugin(name="wireguard", reason="the file has a WireGuard", use="a WireGuard")
    parts = (
        Part(
            name="wireguard_preshared_key",
            use="has a peer with a preshared key",
            since=Release(26, 6),
            is_needed_by=lambda config: any(peer.preshared_key_sha256 for peer in config.peers),
        ),
    )
    rules = RULES
    operations = (CreateWireguard, DeleteWireguard, AddWireguardPeer, RemoveWireguardPeer)
    api_module = "wireguard"
    device_class = exclusive_class = "Wireguard Tunnel"
    instance_name = re.compile(r"wg\d+")
    command = "wireguard create"
    unsupported_words = frozenset({"generate-key"})
    unlisted_class = "WireGuard"
    capabilities: ClassVar = {"wireguard": DUMP, "wireguard_preshared_key": ADD_PEER[0]}

    def parse_entry(self, entry: SectionEntry, parsing: Parsing) -> WireguardConfig | Problem:
        """Return an interface with canonical addresses, or what is wrong with the name of a peer."""
        peers = entry.raw.get("peers") or {}
        for name in peers:
            if not is_interface_name(name):
                text = f"{shown(name)} is no name of a peer: letters, digits and /._:@+-"
                return Problem(rule="wireguard-peer-name", path=(*entry.path, "peers", name), text=text)
        return WireguardConfig(
            name=entry.name,
            path=entry.path,
            description=entry.description,
            local=canonical_host(entry.raw["local"]) or "",
            encap_vrf=entry.raw.get("encap-vrf"),
            port=entry.raw["port"],
            public_key=entry.raw["public-key"],
            private_key_file=entry.raw["private-key-file"],
            peers=tuple(parse_peer(name, raw) for name, raw in peers.items()),
        )

    def to_desired(self, config: WireguardConfig, before: Wireguard | None, desired: DesiredStateBuilder) -> Wireguard:
        """Return the interface that VPP is to make; a peer that has moved is reported, and left where it is."""
        table = vrf_section.interface_tables(config.encap_vrf, desired.configuration)[":" in config.local]
        virtual = Wireguard(
            local=config.local,
            port=config.port,
            public_key=config.public_key,
            private_key_file=config.private_key_file,
            peers={peer.public_key: to_desired_peer(peer, table) for peer in config.peers},
        )
        merged = virtual.merge_observed(before)
        self._report_moved(config, virtual, merged, desired)
        return merged

    def _report_moved(
        self, config: WireguardConfig, virtual: Wireguard, merged: Wireguard, desired: DesiredStateBuilder
    ) -> None:
        """Report each peer that sends from another endpoint than that of the file."""
        for peer in config.peers:
            found = merged.peers[peer.public_key]
            if peer.endpoint is not None and found is not virtual.peers[peer.public_key]:
                text = (
                    f"{peer.name} speaks from {found.endpoint} port {found.port}, and VPP answers there: it stays so; "
                    "for the endpoint of the file, apply the file without the peer, and then with it"
                )
                desired.warning("wireguard-peer-moved", (*config.path, "peers", peer.name, "endpoint"), text)

    def unsupported_reason(self, virtual: Wireguard) -> str | None:
        if len({peer.encap_vrf for peer in virtual.peers.values()}) > 1:
            return "the endpoints of its peers are in different FIB tables"
        if not is_unicast(virtual.local):
            return "its own address is no address of a host"
        if not virtual.port:
            return "it listens on port 0"
        for peer in virtual.peers.values():
            if peer.endpoint and not is_unicast(peer.endpoint):
                return f"a peer has the endpoint {peer.endpoint}"
            if bool(peer.endpoint) != bool(peer.port):
                return "a peer has an endpoint without a port, or a port without an endpoint"
        return None

    def virtual_from_state(self, name: str, virtual: Wireguard, state: State) -> WireguardConfig:
        """Return the entry of an interface; peers have no names in VPP, and are numbered."""
        peers = sorted(virtual.peers.items())
        names = [peer.name or f"peer{number}" for number, (_, peer) in enumerate(peers, 1)]
        if len(set(names)) < len(names):
            names = [f"peer{number}" for number in range(1, len(names) + 1)]
        return WireguardConfig(
            name=name,
            path=(self.key, name),
            local=virtual.local,
            encap_vrf=vrf_section.encap_vrf_of(virtual.outer_table, is_ipv6=":" in virtual.local, state=state),
            port=virtual.port,
            public_key=virtual.public_key,
            private_key_file=virtual.private_key_file,
            peers=tuple(from_observed_peer(called, *peer) for called, peer in zip(names, peers, strict=True)),
        )

    def named(self, virtual: Wireguard, former: VirtualInterfaceConfig) -> Wireguard:
        """Return an interface with the names of peers and files that an entry has for the same peers and keys."""
        if not isinstance(former, WireguardConfig):
            return virtual
        peers = {peer.public_key: to_desired_peer(peer, 0) for peer in former.peers}
        return virtual.with_names_of(
            Wireguard(
                local=former.local,
                port=former.port,
                public_key=former.public_key,
                private_key_file=former.private_key_file,
                peers=peers,
            )
        )

    def completed(self, entry: WireguardConfig) -> WireguardConfig:
        """Return an interface with names for the files of keys that must be created."""
        file = entry.private_key_file or f"{KEY_FOLDER}/{entry.name}.key"
        peers = tuple(with_key_file(peer, entry.name) for peer in entry.peers)
        return replace(entry, private_key_file=file, peers=peers)

    def lines(self, configuration: Configuration, reasons: Mapping[str, str]) -> Iterator[str]:
        """Yield the text of the entries, and that the files of their keys are needed."""
        lines = list(VirtualInterfaceKind.lines(self, configuration, reasons))
        if lines:
            yield "# Keys are never written here: each file that is named must be there, with mode 0600, and give the"
            yield "# public key or the digest beside it."
        yield from lines

    def to_yaml_keys(self, entry: WireguardConfig) -> Iterator[KeyValue]:
        yield KeyValue("local", entry.local)
        yield from vrf_section.keys("encap-vrf", entry.encap_vrf)
        yield KeyValue("port", entry.port)
        yield KeyValue("public-key", entry.public_key)
        if entry.private_key_file:
            yield KeyValue("private-key-file", entry.private_key_file)
        if entry.peers:
            peers = sorted(entry.peers, key=lambda peer: natural_key(peer.name))
            maps = tuple(KeyValue(peer.name, tuple(peer_keys(peer)), is_block=True) for peer in peers)
            yield KeyValue("peers", maps, is_block=True)

    def create(self, interface: Interface, virtual: Wireguard) -> CreateWireguard:
        """Return the operation that creates an interface, without its peers."""
        return CreateWireguard(interface=interface.name, instance=instance_of(interface.name), tunnel=virtual)

    def delete(self, name: str, virtual: Wireguard) -> DeleteWireguard:
        return DeleteWireguard(interface=name)

    def references(self, configuration: Configuration) -> Iterator[NamedReference]:
        """Yield the VRFs that the ends are in."""
        return encap_references(self.entries_in(configuration).values())

    def update_steps(self, name: str, before: Wireguard | None, after: Wireguard) -> Iterator[Step]:
        """Yield the steps that change the peers; one that is to be otherwise is removed and added."""
        kept = before.peers if before is not None else {}
        for key in sorted(kept):
            if after.peers.get(key) != kept[key]:
                yield Step(stage=Stage.REMOVE_PEER, operation=RemoveWireguardPeer(interface=name, public_key=key))
        for key in sorted(after.peers):
            if kept.get(key) != after.peers[key]:
                add = AddWireguardPeer(interface=name, public_key=key, peer=after.peers[key])
                yield Step(stage=Stage.ADD_PEER, operation=add)

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the requests for all interfaces and peers, where VPP has the plugin."""
        return requests(connection)

    def read(self, connection: VppReader, replies: Replies, rows: Mapping[int, Row]) -> dict[str, Wireguard]:
        """Return the interfaces by name with their peers; `rows` are the interfaces by index."""
        return read(connection, replies, rows)

    def read_peers(self, connection: VppReader, operations: Collection[type[Operation]]) -> dict[str, int]:
        """Ask VPP for the numbers of peers, by which it removes them."""
        return read_peers(connection) if RemoveWireguardPeer in operations else {}

    def read_keys(self, connection: VppReader) -> dict[str, bytes]:
        """Ask VPP for private keys, by what they give, and preshared keys, by their digests."""
        return read_keys(connection)


KIND = WireguardKind()
