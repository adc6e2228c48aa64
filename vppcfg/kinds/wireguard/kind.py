"""WireGuard interfaces: the section `wireguards`, and what a plan does with them (plugins/wireguard)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import ClassVar

from vppcfg.common.addresses import canonical_host, is_unicast
from vppcfg.common.names import instance_of, natural_key
from vppcfg.common.release import Release
from vppcfg.engine.virtual_interface_kind import VirtualInterfaceKind
from vppcfg.entries.configuration import Configuration, VirtualInterfaceConfig
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.names import is_interface_name
from vppcfg.entries.section import NamedReference, Parsing, SectionEntry
from vppcfg.entries.virtual_interface_section import Part, Plugin
from vppcfg.entries.yaml.errors import shown
from vppcfg.entries.yaml.text import KeyValue
from vppcfg.kinds import vrf_section
from vppcfg.kinds.tunnel import ASSUMED_ENDS, encap_references
from vppcfg.kinds.wireguard import reading
from vppcfg.kinds.wireguard.entry import (
    KEY_FOLDER,
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
from vppcfg.kinds.wireguard.rules import RULES
from vppcfg.model.interface import Interface
from vppcfg.model.problem import Problem
from vppcfg.model.state import State
from vppcfg.model.wireguard import Wireguard
from vppcfg.operations.operation import Operation
from vppcfg.operations.stages import Stage, Step
from vppcfg.wire.reading import Replies, VppReader
from vppcfg.wire.row import Row

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
    capabilities: ClassVar = {"wireguard": reading.DUMP, "wireguard_preshared_key": ADD_PEER[0]}

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
        """Return why no entry can express what VPP has created."""
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
        """Yield what an interface is made with."""
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
        return reading.requests(connection)

    def read(self, connection: VppReader, replies: Replies, rows: Mapping[int, Row]) -> dict[str, Wireguard]:
        """Return the interfaces by name with their peers; `rows` are the interfaces by index."""
        return reading.read(connection, replies, rows)

    def read_peers(self, connection: VppReader, operations: Collection[type[Operation]]) -> dict[str, int]:
        """Ask VPP for the numbers of peers, by which it removes them."""
        return reading.read_peers(connection) if RemoveWireguardPeer in operations else {}

    def read_keys(self, connection: VppReader) -> dict[str, bytes]:
        """Ask VPP for private keys, by what they give, and preshared keys, by their digests."""
        return reading.read_keys(connection)


KIND = WireguardKind()
