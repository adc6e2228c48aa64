"""The section `wireguards`: WireGuard interfaces and their peers.

Secrets stand in files of their own. The file says of each what it gives, the public key or a digest, so that everything
but a change of VPP itself goes without the secret.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from vppcfg.common.addresses import address_key, canonical_host, canonical_prefix, is_unicast
from vppcfg.common.names import natural_key
from vppcfg.common.release import Release
from vppcfg.config.configuration import Configuration, MadeConfig
from vppcfg.config.desired import DesiredState
from vppcfg.config.names import is_interface_name
from vppcfg.config.sections import vrf
from vppcfg.config.sections.made_section import MadeSection, Part, Plugin
from vppcfg.config.sections.section import Parsing, SectionEntry
from vppcfg.config.yaml.errors import shown
from vppcfg.config.yaml.text import KeyValue
from vppcfg.kinds.tunnel import ASSUMED_ENDS, EncapConfig
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.state import State
from vppcfg.model.wireguard import Wireguard, WireguardPeer
from vppcfg.record import record

MAX_NUMBER = 16383
"""VPP numbers them up to here (plugins/wireguard/wireguard_if.c, WG_ITF_MAX_INSTANCE)."""
MOST_ALLOWED = 255
"""Prefixes of a peer, counted in one byte of VPP's API."""
USUAL_MTU = 1420
"""Bytes; what fits with IPv6 outside into the 1500 of most links."""
KEY_FOLDER = "/etc/vpp/keys"
"""Where `dump` says that the files of keys are to be, which VPP knows nothing of."""
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
        """Yield the paths of the peers."""
        return ((*self.path, "peers", peer.name) for peer in self.peers)

    @property
    def has_ethernet(self) -> bool:
        """Return that it carries packets, without Ethernet."""
        return False


class Wireguards(MadeSection[WireguardConfig, Wireguard]):
    """The section `wireguards`."""

    key = "wireguards"
    word = "wg"
    last = MAX_NUMBER
    thing = "WireGuard"
    config = WireguardConfig
    making = Wireguard
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
    plugin = Plugin(name="wireguard", reason="the file has a WireGuard", thing="a WireGuard")
    parts = (
        Part(
            name="wireguard_preshared_key",
            thing="has a peer with a preshared key",
            since=Release(26, 6),
            is_needed_by=lambda config: any(peer.preshared_key_sha256 for peer in config.peers),
        ),
    )

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
            peers=tuple(_peer(name, raw) for name, raw in peers.items()),
        )

    def making_of(self, config: WireguardConfig, before: Wireguard | None, desired: DesiredState) -> Wireguard:
        """Return the interface that VPP is to make; a peer that has moved is said, and left where it is."""
        table = vrf.interface_tables(config.encap_vrf, desired.configuration)[":" in config.local]
        wanted = Wireguard(
            local=config.local,
            port=config.port,
            public_key=config.public_key,
            private_key_file=config.private_key_file,
            peers={peer.public_key: _wanted_peer(peer, table) for peer in config.peers},
        )
        told = wanted.beside(before)
        self._tell_moved(config, wanted, told, desired)
        return told

    def _tell_moved(self, config: WireguardConfig, wanted: Wireguard, told: Wireguard, desired: DesiredState) -> None:
        """Say of each peer with an endpoint of the file that it speaks from elsewhere."""
        for peer in config.peers:
            found = told.peers[peer.public_key]
            if peer.endpoint is not None and found is not wanted.peers[peer.public_key]:
                text = (
                    f"{peer.name} speaks from {found.endpoint} port {found.port}, and VPP answers there: it stays so; "
                    "for the endpoint of the file, apply the file without the peer, and then with it"
                )
                desired.warning("wireguard-peer-moved", (*config.path, "peers", peer.name, "endpoint"), text)

    def why_not(self, making: Wireguard) -> str | None:
        """Return why no entry can say what VPP has made."""
        if len({peer.encap_vrf for peer in making.peers.values()}) > 1:
            return "the endpoints of its peers are in different FIB tables"
        if not is_unicast(making.local):
            return "its own address is no address of a host"
        if not making.port:
            return "it listens on port 0"
        for peer in making.peers.values():
            if peer.endpoint and not is_unicast(peer.endpoint):
                return f"a peer has the endpoint {peer.endpoint}"
            if bool(peer.endpoint) != bool(peer.port):
                return "a peer has an endpoint without a port, or a port without an endpoint"
        return None

    def restate_made(self, name: str, making: Wireguard, state: State) -> WireguardConfig:
        """Return the entry of an interface; peers have no names in VPP, and are numbered."""
        peers = sorted(making.peers.items())
        names = [peer.name or f"peer{number}" for number, (_, peer) in enumerate(peers, 1)]
        if len(set(names)) < len(names):
            names = [f"peer{number}" for number in range(1, len(names) + 1)]
        return WireguardConfig(
            name=name,
            path=(self.key, name),
            local=making.local,
            encap_vrf=vrf.encap_vrf_of(making.outer_table, is_ipv6=":" in making.local, state=state),
            port=making.port,
            public_key=making.public_key,
            private_key_file=making.private_key_file,
            peers=tuple(_restated_peer(called, *peer) for called, peer in zip(names, peers, strict=True)),
        )

    def named(self, making: Wireguard, former: MadeConfig) -> Wireguard:
        """Return an interface with the names of peers and files that an entry has for the same peers and keys."""
        if not isinstance(former, WireguardConfig):
            return making
        peers = {peer.public_key: _wanted_peer(peer, 0) for peer in former.peers}
        return making.with_names_of(
            Wireguard(
                local=former.local,
                port=former.port,
                public_key=former.public_key,
                private_key_file=former.private_key_file,
                peers=peers,
            )
        )

    def completed(self, entry: WireguardConfig) -> WireguardConfig:
        """Return an interface with names for the files of keys of which nobody knows: they have to be made."""
        file = entry.private_key_file or f"{KEY_FOLDER}/{entry.name}.key"
        peers = tuple(_with_key_file(peer, entry.name) for peer in entry.peers)
        return replace(entry, private_key_file=file, peers=peers)

    def lines(self, configuration: Configuration, reasons: Mapping[str, str]) -> Iterator[str]:
        """Yield the text of the entries, and that the files of their keys are needed."""
        lines = list(MadeSection.lines(self, configuration, reasons))
        if lines:
            yield "# Keys are never written here: each file that is named must be there, with mode 0600, and give the"
            yield "# public key or the digest beside it."
        yield from lines

    def made_keys(self, entry: WireguardConfig) -> Iterator[KeyValue]:
        """Yield what an interface is made with."""
        yield KeyValue("local", entry.local)
        yield from vrf.keys("encap-vrf", entry.encap_vrf)
        yield KeyValue("port", entry.port)
        yield KeyValue("public-key", entry.public_key)
        if entry.private_key_file:
            yield KeyValue("private-key-file", entry.private_key_file)
        if entry.peers:
            peers = sorted(entry.peers, key=lambda peer: natural_key(peer.name))
            maps = tuple(KeyValue(peer.name, tuple(_peer_keys(peer)), is_block=True) for peer in peers)
            yield KeyValue("peers", maps, is_block=True)


SECTION = Wireguards()


def _peer(name: str, raw: Mapping[str, Any]) -> PeerConfig:
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


def _wanted_peer(peer: PeerConfig, table: int) -> WireguardPeer:
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


def _restated_peer(name: str, public_key: str, peer: WireguardPeer) -> PeerConfig:
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


def _with_key_file(peer: PeerConfig, interface: str) -> PeerConfig:
    if peer.preshared_key_sha256 is None or peer.preshared_key_file:
        return peer
    return replace(peer, preshared_key_file=f"{KEY_FOLDER}/{interface}-{peer.name}.psk")


def _peer_keys(peer: PeerConfig) -> Iterator[KeyValue]:
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
