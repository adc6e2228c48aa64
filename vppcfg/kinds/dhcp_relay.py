"""DHCP relays: the key `dhcp-relay` of the file and of VRFs (plugins/dhcp/dhcp4_proxy_node.c, dhcp6_proxy_node.c).

dhcp-relay:
  ipv4: { servers: [ 192.0.2.10, { address: 198.51.100.10, vrf: red } ], source: 192.0.2.1 }

VPP takes the source of a table and family with the first server and keeps it until the last one is gone. When the last
server for IPv6 of a table goes, it closes the UDP ports for all tables, until another table gets its first one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from vppcfg.common.addresses import address_key, canonical_host
from vppcfg.engine.object_kind import VppObjectKind
from vppcfg.entries.configuration import Configuration, KeyHolder, OwnedConfig
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.index import Index
from vppcfg.entries.owned_section import OwnedSection, vrf_of_table
from vppcfg.entries.section import Section
from vppcfg.entries.yaml.text import KeyValue, Value
from vppcfg.kinds.route_section import DEFAULT_VRF
from vppcfg.model.dhcp_relay import DhcpRelay
from vppcfg.model.problem import KeyPath, Problem, Severity
from vppcfg.model.state import State
from vppcfg.model.vrf import FibTable, ForeignRoutes
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.operations.operation import Operation
from vppcfg.operations.request import Indexes, Request, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.codec import address_values, text_of_address
from vppcfg.wire.reading import Replies, VppReader

KEY = "dhcp-relay"
_SET, _DUMP, _DETAILS = "dhcp_proxy_config", "dhcp_proxy_dump", "dhcp_proxy_details"
_FAMILIES = ("ipv4", "ipv6")
_PORTS = {"ipv4": frozenset({67}), "ipv6": frozenset({547})}
"""Those on which a server or relay listens (RFC 2131, RFC 8415)."""


@record
class RelayServer:
    """One entry of `servers`."""

    address: str
    """Canonical."""
    vrf: str | None = None
    """The VRF that it is reached in, `default` for the default table; None is that of the clients."""


@record
class FamilyRelay:
    """What stands below `ipv4` or `ipv6`."""

    source: str
    """Canonical."""
    servers: tuple[RelayServer, ...]


Relays = Mapping[str, FamilyRelay]
"""By `ipv4` and `ipv6`; a family that is absent has no server."""


@record
class SetDhcpRelay(SetObject):
    """dhcp_proxy_config: hand on requests to one more server."""

    item: DhcpRelay

    def _refusal(self, working: WorkingState) -> str | None:
        for other in working.objects.get(DhcpRelay, {}).values():
            if isinstance(other, DhcpRelay) and _group(other) == _group(self.item) and other.source != self.item.source:
                return f"VPP sends from {other.source} to all servers of that table, as long as it has {other.server}"
        return SetObject._refusal(self, working)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _request(self.item, is_add=1)

    def cli(self) -> str:
        return _line(self.item)


@record
class RemoveDhcpRelay(RemoveObject):
    """dhcp_proxy_config: hand on nothing to a server any more."""

    item: DhcpRelay

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _request(self.item, is_add=0)

    def cli(self) -> str:
        return f"{_line(self.item)} del"


def _request(relay: DhcpRelay, *, is_add: int) -> Request:
    values = {
        "rx_vrf_id": relay.table_id,
        "server_vrf_id": relay.server_table_id,
        "is_add": is_add,
        **address_values("dhcp_server", relay.server),
        **address_values("dhcp_src_address", relay.source),
    }
    return Request(_SET, values)


def _line(relay: DhcpRelay) -> str:
    command = f"set dhcp{'v6' if relay.is_ipv6 else ''} proxy server {relay.server} src-address {relay.source}"
    command += f" server-fib-id {relay.server_table_id}" if relay.server_table_id else ""
    return command + (f" rx-fib-id {relay.table_id}" if relay.table_id else "")


def _group(relay: DhcpRelay) -> tuple[int, bool]:
    return relay.table_id, relay.is_ipv6


def relay_entries(index: Index) -> Iterator[tuple[OwnedConfig, str, FamilyRelay, KeyPath]]:
    """Yield each family of the relays of each table: the entry of the table, the family, the relay and its path."""
    for entry in index.configuration.owned.get(KEY, {}).values():
        for family, relay in entry.value.items():
            yield entry, family, relay, (*entry.path, family)


def dhcp_relay_duplicate(index: Index) -> Iterator[Problem]:
    """Find servers that stand in a list twice."""
    for _, _, relay, path in relay_entries(index):
        for at, server in enumerate(relay.servers):
            if server in relay.servers[:at]:
                text = f"{server.address} is here a second time; remove one"
                yield Problem(rule="dhcp-relay-duplicate", path=(*path, "servers", at), text=text)


def dhcp_relay_vrf(index: Index) -> Iterator[Problem]:
    """Find VRFs of servers that the file lacks, and VRFs that have no table for a family."""
    vrfs = index.configuration.vrfs
    for entry, family, relay, path in relay_entries(index):
        named = [
            (entry.name or None, path),
            *((each.vrf, (*path, "servers", at)) for at, each in enumerate(relay.servers)),
        ]
        for name, place in named:
            vrf = vrfs.get(name) if name is not None else None
            if vrf is not None and not (vrf.has_ipv6 if family == "ipv6" else vrf.has_ipv4):
                text = f"{name} has no table for the family of this relay"
                yield Problem(rule="vrf-family", path=place, text=text)
            elif vrf is None and name not in (None, DEFAULT_VRF) and not index.has_entry("vrfs", str(name), vrfs):
                text = f"there is no VRF {name} in this file; add it to `vrfs`"
                yield Problem(rule="vrf-undefined", path=place, text=text)


def dhcp_relay_source(index: Index) -> Iterator[Problem]:
    """Find sources that no interface of the file has: answers of servers would go elsewhere."""
    if not (index.configuration.owned.get(KEY) and index.is_whole):
        return
    own = {address.partition("/")[0] for each in index.interfaces for address in each.addresses}
    for _, _, relay, path in relay_entries(index):
        if relay.source not in own:
            text = f"no interface of this file has the address {relay.source}, so servers may have no way to answer"
            yield Problem(rule="dhcp-relay-source", path=(*path, "source"), text=text, severity=Severity.WARNING)


class DhcpRelayKind(VppObjectKind[DhcpRelay]):
    """The relays in VPP."""

    key = KEY
    object_class = DhcpRelay
    operations = (SetDhcpRelay, RemoveDhcpRelay)
    rules = (dhcp_relay_duplicate, dhcp_relay_vrf, dhcp_relay_source)
    api_module = "dhcp"

    def sections(self) -> tuple[Section, ...]:
        return (SECTION,)

    def set(self, item: DhcpRelay) -> SetDhcpRelay:
        return SetDhcpRelay(item=item)

    def remove(self, item: DhcpRelay) -> RemoveDhcpRelay:
        return RemoveDhcpRelay(item=item)

    def removes_routes(self, routes: ForeignRoutes, operations: Sequence[Operation], observed: State) -> bool:
        """Return whether the routes are those of relays, and not of clients, whose source is the same."""
        clients = (each for each in observed.interfaces.values() if each.dhcp_client is not None)
        if any(each.tables[routes.table.is_ipv6] == routes.table.table_id for each in clients):
            return False
        return VppObjectKind.removes_routes(self, routes, operations, observed)

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the requests for both families."""
        families = (0, 1) if connection.offers(_DUMP) else ()
        return [connection.request(_DUMP, {"is_ip6": family})[1] for family in families]

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[DhcpRelay]:
        """Yield the servers; VPP leaves the family of addresses empty, and sets `is_ipv6` alone."""
        if not connection.offers(_DUMP):
            return
        heads, paths = ("rx_vrf_id", "is_ipv6", "dhcp_src_address.un"), ("server_vrf_id", "dhcp_server.un")
        for (table_id, is_ipv6, source), servers in connection.lists(replies, _DETAILS, heads, *paths):
            family = int(bool(is_ipv6))
            for server_table_id, server in servers:
                yield DhcpRelay(
                    server=text_of_address(family, server),
                    source=text_of_address(family, source),
                    table_id=table_id,
                    server_table_id=server_table_id,
                )

    def disturbed(self, before: Mapping[str, DhcpRelay], after: Mapping[str, DhcpRelay]) -> frozenset[str]:
        """Return the IPv6 relays of other tables when one table loses all of its own, and VPP closes the ports."""
        kept = {_group(each) for name, each in before.items() if name in after}
        closes = any(each.is_ipv6 and _group(each) not in kept for each in before.values())
        return frozenset(name for name, each in before.items() if closes and each.is_ipv6 and name in after)


class DhcpRelaySection(OwnedSection[Relays]):
    """The key `dhcp-relay`."""

    key = KEY
    holders = (KeyHolder.FILE, KeyHolder.VRF)
    object_classes = (DhcpRelay,)
    plugin = "dhcp"
    reason = "the file has DHCP relays"
    is_block: ClassVar[bool] = True

    def parse_value(self, raw: Any, path: KeyPath, problems: list[Problem]) -> Relays:
        """Return the relays by family; note addresses that are of the other one."""
        found = {family: _family(raw[family]) for family in _FAMILIES if raw.get(family) is not None}
        wrong = {family: list(_wrong_family(family, relay, path)) for family, relay in found.items()}
        problems += [problem for each in wrong.values() for problem in each]
        return {family: relay for family, relay in found.items() if not wrong[family]}

    def objects_of(self, entry: OwnedConfig, configuration: Configuration) -> Iterator[DhcpRelay]:
        table_id = _table_id(entry.name or None, configuration)
        for relay in entry.value.values():
            for server in relay.servers:
                yield DhcpRelay(
                    server=server.address,
                    source=relay.source,
                    table_id=table_id,
                    server_table_id=table_id if server.vrf is None else _table_id(server.vrf, configuration),
                )

    def resolve(self, desired: DesiredStateBuilder) -> None:
        """Enter the relays, and warn of programs in Linux that hear nothing any more."""
        OwnedSection.resolve(self, desired)
        for entry in self.entries_in(desired.configuration).values():
            for family in entry.value:
                if taken := sorted(_PORTS[family] & desired.observed.facts.linux_udp_ports):
                    ports = " and ".join(map(str, taken))
                    text = f"a program in Linux listens on UDP port {ports}; with a relay in VPP it gets none of what"
                    desired.warning("dhcp-relay-linux", (*entry.path, family), f"{text} comes in by VPP; stop it")

    def as_yaml(self, value: Relays) -> Value:
        return tuple(
            KeyValue(
                family,
                (KeyValue("servers", [_as_yaml(each) for each in relay.servers]), KeyValue("source", relay.source)),
            )
            for family, relay in value.items()
        )

    def values_in(self, state: State) -> Iterator[tuple[KeyHolder, str, Relays]]:
        """Yield the relays of each table that a file can name."""
        by_holder: dict[tuple[KeyHolder, str], dict[str, FamilyRelay]] = {}
        for relay in sorted(state.of(DhcpRelay).values(), key=_order):
            holder = vrf_of_table(relay.table_id, state, is_ipv6=relay.is_ipv6)
            vrf = vrf_of_table(relay.server_table_id, state, is_ipv6=relay.is_ipv6)
            if holder is None or vrf is None:
                continue
            is_elsewhere = relay.server_table_id != relay.table_id
            server = RelayServer(address=relay.server, vrf=(vrf[1] or DEFAULT_VRF) if is_elsewhere else None)
            families = by_holder.setdefault(holder, {})
            family = _FAMILIES[relay.is_ipv6]
            others = families[family].servers if family in families else ()
            families[family] = FamilyRelay(source=relay.source, servers=(*others, server))
        for (place, name), families in by_holder.items():
            yield place, name, families


def _order(relay: DhcpRelay) -> tuple[object, ...]:
    return relay.table_id, *address_key(f"{relay.server}/0"), relay.server_table_id


def _family(raw: Mapping[str, Any]) -> FamilyRelay:
    given: Sequence[Any] = raw["servers"]
    servers = (each if isinstance(each, dict) else {"address": each} for each in given)
    return FamilyRelay(
        source=canonical_host(raw["source"]) or "",
        servers=tuple(
            RelayServer(address=canonical_host(each["address"]) or "", vrf=each.get("vrf")) for each in servers
        ),
    )


def _as_yaml(server: RelayServer) -> Value:
    if server.vrf is None:
        return server.address
    return (KeyValue("address", server.address), KeyValue("vrf", server.vrf))


def _wrong_family(family: str, relay: FamilyRelay, path: KeyPath) -> Iterator[Problem]:
    places = [(relay.source, ("source",)), *((each.address, ("servers", at)) for at, each in enumerate(relay.servers))]
    for address, place in places:
        if _FAMILIES[":" in address] != family:
            text = f"{address} is no address of this family; write it below `{_FAMILIES[':' in address]}`"
            yield Problem(rule="dhcp-relay-family", path=(*path, family, *place), text=text)


def _table_id(vrf: str | None, configuration: Configuration) -> int:
    config = configuration.vrfs.get(vrf) if vrf is not None else None
    return 0 if config is None else config.table_id


SECTION = DhcpRelaySection()
KIND = DhcpRelayKind()
