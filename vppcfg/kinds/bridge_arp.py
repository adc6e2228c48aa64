"""ARP entries of bridge domains: their key `arp-entries` (vnet/l2/l2_api.c).

bridgedomains: { bd10: { settings: { arp-termination: true }, arp-entries: { 192.0.2.5: "02:00:00:00:00:05" } } }
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from vppcfg.common.addresses import address_key, canonical_host, canonical_mac
from vppcfg.engine.object_kind import TrafficImpact, VppObjectKind
from vppcfg.entries.configuration import Configuration, KeyHolder, OwnedConfig
from vppcfg.entries.index import Index
from vppcfg.entries.owned_section import OwnedSection
from vppcfg.entries.section import Section
from vppcfg.entries.yaml.errors import shown
from vppcfg.entries.yaml.text import KeyValue, Value
from vppcfg.model.bridge_arp import BridgeArp
from vppcfg.model.problem import KeyPath, Problem, Severity
from vppcfg.model.state import State
from vppcfg.model.vrf import FibTable
from vppcfg.operations.change import Impact
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.operations.request import ALL_INDEXES, Indexes, Request, Vocabulary
from vppcfg.record import record
from vppcfg.wire.codec import address_values, mac_bytes, text_of_address
from vppcfg.wire.reading import Replies, VppReader

KEY = "arp-entries"
_DUMP, _DETAILS = "bd_ip_mac_dump", "bd_ip_mac_details"
Entries = tuple[tuple[str, str], ...]
"""Addresses, each with its MAC address, in the order of the file."""


@record
class SetBridgeArp(SetObject):
    """bd_ip_mac_add_del: answer ARP requests for an address with its MAC address; another one takes its place."""

    item: BridgeArp

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _request(self.item, is_add=1)

    def cli(self) -> str:
        return _line(self.item)


@record
class RemoveBridgeArp(RemoveObject):
    """bd_ip_mac_add_del: leave the answer to whoever has the address."""

    item: BridgeArp

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _request(self.item, is_add=0)

    def cli(self) -> str:
        return f"{_line(self.item)} del"


def _request(entry: BridgeArp, *, is_add: int) -> Request:
    values = {
        "entry.bd_id": entry.bd_id,
        **address_values("entry.ip", entry.address),
        "entry.mac": mac_bytes(entry.mac),
    }
    return Request("bd_ip_mac_add_del", {"is_add": is_add, **values})


def _line(entry: BridgeArp) -> str:
    return f"set bridge-domain arp entry {entry.bd_id} {entry.address} {entry.mac}"


def arp_entries_unused(index: Index) -> Iterator[Problem]:
    """Find ARP entries of bridge domains that do not answer by themselves."""
    for name, entry in index.configuration.owned.get(KEY, {}).items():
        bridge = index.configuration.bridges.get(name)
        if entry.value and bridge is not None and not bridge.settings.arp_termination:
            text = f"{name} does not answer; add `arp-termination: true` to its settings"
            yield Problem(rule="arp-entries-unused", path=entry.path, text=text, severity=Severity.WARNING)


class BridgeArpKind(VppObjectKind[BridgeArp]):
    """The entries in VPP."""

    key = KEY
    object_class = BridgeArp
    operations = (SetBridgeArp, RemoveBridgeArp)
    rules = (arp_entries_unused,)

    def sections(self) -> tuple[Section, ...]:
        """Return the key `arp-entries`."""
        return (SECTION,)

    def set(self, item: BridgeArp) -> SetBridgeArp:
        """Return the operation that adds an entry, or gives it another MAC address."""
        return SetBridgeArp(item=item)

    def remove(self, item: BridgeArp) -> RemoveBridgeArp:
        """Return the operation that removes an entry."""
        return RemoveBridgeArp(item=item)

    def traffic_impacts(
        self, before: State, after: State, linked: tuple[Collection[str], Collection[str]]
    ) -> Iterator[TrafficImpact]:
        """Yield the new entries of bridge domains that carry frames: VPP asks no host for these addresses any more."""
        members = defaultdict(set)
        for interface in linked[0]:
            members[before.interfaces[interface].bridge].add(interface)
        for name, entry in after.of(BridgeArp).items():
            if name not in before.of(BridgeArp) and entry.bd_id in members:
                yield TrafficImpact(name, Impact.POLICY, "answered", frozenset(), frozenset(members[entry.bd_id]))

    def requests(self, connection: VppReader) -> list[bytes]:
        return [connection.request(_DUMP, {"bd_id": ALL_INDEXES})[1]]

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[BridgeArp]:
        paths = ("entry.bd_id", "entry.ip.af", "entry.ip.un", "entry.mac")
        for bd_id, family, raw, mac in connection.rows(replies, _DETAILS, *paths):
            yield BridgeArp(bd_id=bd_id, address=text_of_address(family, raw), mac=mac.hex(":"))


class BridgeArpSection(OwnedSection[Entries]):
    """The key `arp-entries` of bridge domains."""

    key = KEY
    holders = (KeyHolder.BRIDGE,)
    object_classes = (BridgeArp,)
    is_block = True

    def parse_value(self, raw: Any, path: KeyPath, problems: list[Problem]) -> Entries:
        """Return the entries; note keys that are no addresses or stand there twice."""
        found: dict[str, str] = {}
        for key, mac in raw.items():
            address = canonical_host(key)
            if address is None or address in found:
                reason = "is no address of a host" if address is None else "has an entry already"
                problems.append(Problem(rule="arp-entries-address", path=(*path, key), text=f"{shown(key)} {reason}"))
            else:
                found[address] = canonical_mac(mac) or ""
        return tuple(found.items())

    def objects_of(self, entry: OwnedConfig, configuration: Configuration) -> Iterator[BridgeArp]:
        if (bridge := configuration.bridges.get(entry.name)) is not None:
            yield from (BridgeArp(bd_id=bridge.bd_id, address=address, mac=mac) for address, mac in entry.value)

    def as_yaml(self, value: Entries) -> Value:
        return tuple(KeyValue(address, mac) for address, mac in value)

    def values_in(self, state: State) -> Iterator[tuple[KeyHolder, str, Entries]]:
        """Yield the entries of each bridge domain, in order."""
        found: dict[str, list[BridgeArp]] = {}
        for entry in state.of(BridgeArp).values():
            found.setdefault(entry.scope, []).append(entry)
        for name, entries in found.items():
            ordered = sorted(entries, key=lambda each: address_key(f"{each.address}/0"))
            yield KeyHolder.BRIDGE, name, tuple((each.address, each.mac) for each in ordered)


SECTION = BridgeArpSection()
KIND = BridgeArpKind()
