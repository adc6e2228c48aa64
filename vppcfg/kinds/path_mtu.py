"""Path MTUs: the key `path-mtu` of the file and of VRFs (vnet/ip/ip_path_mtu.c).

path-mtu: { 192.0.2.9: 1400, "2001:db8::9": 1400 }
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from vppcfg.common.addresses import address_key, canonical_host
from vppcfg.common.prefix_table import PrefixTable
from vppcfg.common.release import Release
from vppcfg.engine.object_kind import TrafficImpact, VppObjectKind
from vppcfg.entries.configuration import Configuration, KeyHolder, OwnedConfig
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.index import Index
from vppcfg.entries.owned_section import OwnedSection, vrf_of_table
from vppcfg.entries.section import Section
from vppcfg.entries.yaml.errors import shown
from vppcfg.entries.yaml.text import KeyValue, Value
from vppcfg.model.attachment import Attachment
from vppcfg.model.path_mtu import PathMtu
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.state import State
from vppcfg.model.vrf import FibTable, ForeignRoutes
from vppcfg.operations.change import Impact
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.operations.operation import Operation, Predicate
from vppcfg.operations.request import Indexes, Request, Vocabulary
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.codec import address_values, prefix_values, text_of_address
from vppcfg.wire.reading import Replies, VppReader

KEY = "path-mtu"
_UPDATE, _GET, _DETAILS = "ip_path_mtu_update", "ip_path_mtu_get", "ip_path_mtu_details"
_LOCAL0 = 0
"""The index of the interface that is always there."""
_NONE = 0
"""What removes one."""
_ANY = 0xFFFE
"""The largest that VPP does not take for none (ip_path_mtu_value_invalid)."""
_DROPS_SAFELY = Release(26, 2)
"""VPP's commit 4f1697ffb2e (vnet/ip/ip_path_mtu_node.c)."""
_DAMAGES = "may crash at a packet for such a host that may not be fragmented, of any size, once its link was down"
Mtus = tuple[tuple[str, int], ...]
"""Addresses, each with its MTU, in the order of the file."""


@record
class SetPathMtu(SetObject):
    """ip_path_mtu_update: send no larger packets to a host; larger ones are fragmented, or answered with ICMP."""

    item: PathMtu

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _request(self.item, self.item.mtu)

    def cli(self) -> None:
        """Return None: the prompt only shows them."""


@record
class RenewPathMtu(Operation):
    """ip_path_mtu_update: have VPP look again whether a host is on a link, by the MTU that it has.

    VPP takes a host whose link comes back for one behind a router, and then drops what must not be fragmented: nothing
    notifies the path MTU of the link (ip_pmtu_stack).
    """

    noun = PathMtu.noun
    item: PathMtu

    @property
    def subject(self) -> str:
        return self.item.name

    def apply_to(self, working: WorkingState) -> None:
        """Change nothing."""

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _request(self.item, self.item.mtu)

    def cli(self) -> None:
        """Return None: the prompt only shows them."""

    def effect(self, observed: State, desired: State) -> Predicate:
        return Predicate("is set again", "are set again")


@record
class RemovePathMtu(RemoveObject):
    """ip_path_mtu_update: send what the interface takes."""

    item: PathMtu

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _request(self.item, _NONE)

    def cli(self) -> None:
        """Return None: the prompt only shows them."""


def _request(path: PathMtu, mtu: int) -> Request:
    values = {"pmtu.table_id": path.table_id, **address_values("pmtu.nh", path.address), "pmtu.path_mtu": mtu}
    return Request(_UPDATE, values)


@record
class AnchorHost(Operation):
    """ip_route_add_del_v2: route a host to local0, or no more, so that nothing is left of its path MTU in the FIB."""

    noun = PathMtu.noun
    item: PathMtu
    is_on: bool
    turn: str
    """The subject of the operation that removes the path MTU, whose turn is its own."""

    @property
    def subject(self) -> str:
        return self.turn

    def apply_to(self, working: WorkingState) -> None:
        """Change nothing: the route is there for a moment."""

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Return the message: a route of the API."""
        is_ipv6 = ":" in self.item.address
        values = {
            "is_add": int(self.is_on),
            "route.table_id": self.item.table_id,
            **prefix_values("route.prefix", f"{self.item.address}/{128 if is_ipv6 else 32}"),
        }
        paths = [{"sw_if_index": _LOCAL0, "proto": int(is_ipv6), "weight": 1}] if self.is_on else []
        return Request("ip_route_add_del_v2", values, "paths", paths)

    def cli(self) -> None:
        """Return None: the prompt takes local0 for the word local."""

    def effect(self, observed: State, desired: State) -> Predicate:
        return Predicate("is removed", "are removed")


def anchored(item: PathMtu, removal: Operation) -> tuple[Operation, ...]:
    """Return the removal of a path MTU from a FIB table that is deleted, with a host route around it.

    See AnchorHost for why.
    """
    on, off = (AnchorHost(item=item, is_on=is_on, turn=removal.subject) for is_on in (True, False))
    return on, removal, off


def path_mtu_family(index: Index) -> Iterator[Problem]:
    """Find hosts of a family of which their VRF has no table."""
    for name, entry in index.configuration.owned.get(KEY, {}).items():
        vrf = index.configuration.vrfs.get(name)
        for address, _ in entry.value:
            if vrf is not None and not (vrf.has_ipv6 if ":" in address else vrf.has_ipv4):
                text = f"{name} has no table for the family of {address}"
                yield Problem(rule="vrf-family", path=(*entry.path, address), text=text)


def _renewed_links(transition: Transition) -> defaultdict[int, PrefixTable[None]]:
    """Return the prefixes of interfaces, by FIB table, that come, or that VPP is without for a moment."""
    found: defaultdict[int, PrefixTable[None]] = defaultdict(PrefixTable)
    for name in dict.fromkeys([*transition.difference.interfaces, *transition.moved]):
        kept, after = transition.kept(name), transition.desired.interfaces.get(name)
        if after is None or not after.is_up:
            continue
        links = after.addresses
        if kept is not None and kept.is_up and kept.link_mtu == after.link_mtu:
            links = (links - kept.addresses) | transition.replaced_addresses(name)
        for address in links:
            found[after.table_of(address)][address] = None
    return found


class PathMtuKind(VppObjectKind[PathMtu]):
    """The path MTUs in VPP."""

    key = KEY
    object_class = PathMtu
    operations = (SetPathMtu, RenewPathMtu, RemovePathMtu, AnchorHost)
    set_stage = Stage.SET_OBJECT_OF_TRAFFIC
    """One changes the FIB while VPP notifies routes that their interface is up, and VPP 26.10 leaves routes dropping
    that share a next hop with others (ip_pmtu_stack)."""
    rules = (path_mtu_family,)
    own_attachments = frozenset({PathMtu.noun})

    def sections(self) -> tuple[Section, ...]:
        return (SECTION,)

    def set(self, item: PathMtu) -> SetPathMtu:
        """Return the operation that sets one, new or other."""
        return SetPathMtu(item=item)

    def remove(self, item: PathMtu) -> RemovePathMtu:
        return RemovePathMtu(item=item)

    def removal(self, item: PathMtu, *, with_table: bool) -> Sequence[Operation]:
        """Return what removes one and leaves as little of it in the FIB as VPP allows.

        The removal notifies the FIB entry of the host, which then adds itself again. It does not where a route leads to
        the host and the MTU changes nothing, so that is set before. Elsewhere the entry stays, and drops or follows a
        later route. VPP 26.10 crashes when it deletes a table with such an entry: there the host is anchored, which
        leaves none, and stops traffic that ends with the table anyway.
        """
        if with_table:
            return anchored(item, self.remove(item))
        last = replace(item, mtu=_ANY)
        return (*(() if item == last else (self.set(last),)), self.remove(last))

    def traffic_impacts(
        self, before: State, after: State, linked: tuple[Collection[str], Collection[str]]
    ) -> Iterator[TrafficImpact]:
        """Yield the hosts that got packets of any size before; one whose MTU changes counts by its operation."""
        if linked[0]:
            new = after.of(PathMtu).keys() - before.of(PathMtu).keys()
            yield from (TrafficImpact(name, Impact.DEGRADE, "size", frozenset()) for name in sorted(new))

    def setting_steps(self, transition: Transition) -> Iterator[Step]:
        """Yield the steps that set path MTUs again, whoever has them, of hosts whose link comes or comes back."""
        before, after = (state.of(PathMtu) for state in (transition.observed, transition.desired))
        kept = [item for name, item in before.items() if after.get(name) == item]
        kept += [each for each in transition.left_alone if isinstance(each, PathMtu)]
        if not kept:
            return  # most routers have none, and their interfaces need not be looked through
        links = _renewed_links(transition)
        for item in kept:
            is_on_link = links[item.table_id].of_host(item.address) is not None
            if is_on_link and not any(each.name in transition.deleted_tables for each in item.references()):
                yield Step(stage=self.set_stage, operation=RenewPathMtu(item=item))

    def removes_routes(self, routes: ForeignRoutes, operations: Sequence[Operation], observed: State) -> bool:
        """Return whether each host is anchored: VPP crashes when it deletes a table with an entry that one has left."""
        if routes.source not in PathMtu.fib_sources:
            return False
        removed = [each.item for each in operations if isinstance(each, AnchorHost)]
        hosts = {each.address for each in removed if each.table_id == routes.table.table_id}
        return hosts.issuperset(prefix.partition("/")[0] for prefix in routes.prefixes)

    def attachment_removal(
        self, attachment: Attachment, removal: Sequence[Operation], transition: Transition
    ) -> Sequence[Step] | None:
        if not attachment.needs(transition.deleted):
            return None
        item = PathMtu.named(attachment.name)
        return [Step(stage=Stage.TAKE_OFF, operation=each) for take in removal for each in anchored(item, take)]

    def requests(self, connection: VppReader) -> list[bytes]:
        return [connection.request(_GET, {"cursor": 0})[1]]

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[PathMtu]:
        """Yield the path MTUs. Further pages of them are asked for here."""
        paths = ("pmtu.table_id", "pmtu.nh.af", "pmtu.nh.un", "pmtu.path_mtu")
        for page in connection.pages(replies, _GET, {}, "path MTUs"):
            for table_id, family, raw, mtu in connection.rows(page, _DETAILS, *paths):
                yield PathMtu(address=text_of_address(family, raw), mtu=mtu, table_id=table_id)


class PathMtuSection(OwnedSection[Mtus]):
    """The key `path-mtu`."""

    key = KEY
    holders = (KeyHolder.FILE, KeyHolder.VRF)
    object_classes = (PathMtu,)
    is_block = True

    def parse_value(self, raw: Any, path: KeyPath, problems: list[Problem]) -> Mtus:
        """Return the MTUs; note keys that are no addresses or stand there twice."""
        found: dict[str, int] = {}
        for key, mtu in raw.items():
            address = canonical_host(key)
            if address is None or address in found:
                reason = "is no address of a host" if address is None else "has an MTU already"
                problems.append(Problem(rule="path-mtu-address", path=(*path, key), text=f"{shown(key)} {reason}"))
            else:
                found[address] = mtu
        return tuple(found.items())

    def objects_of(self, entry: OwnedConfig, configuration: Configuration) -> Iterator[PathMtu]:
        table_id = int(self.scope_of(entry, configuration) or 0)
        for address, mtu in entry.value:
            yield PathMtu(address=address, mtu=mtu, table_id=table_id)

    def resolve(self, desired: DesiredStateBuilder) -> None:
        """Enter the path MTUs, and warn of what an older VPP does once a link was down."""
        OwnedSection.resolve(self, desired)
        for entry in self.entries_in(desired.configuration).values():
            if any(":" not in address for address, _ in entry.value):
                desired.risk("path-mtu-crash", entry.path, _DROPS_SAFELY, _DAMAGES)

    def as_yaml(self, value: Mtus) -> Value:
        return tuple(KeyValue(address, mtu) for address, mtu in value)

    def values_in(self, state: State) -> Iterator[tuple[KeyHolder, str, Mtus]]:
        """Yield those of each table that a file can name, in order."""
        found: dict[tuple[KeyHolder, str], list[tuple[str, int]]] = {}
        for path in sorted(state.of(PathMtu).values(), key=lambda each: address_key(f"{each.address}/0")):
            holder = vrf_of_table(path.table_id, state, is_ipv6=":" in path.address)
            if holder is not None:
                found.setdefault(holder, []).append((path.address, path.mtu))
        for (place, name), mtus in found.items():
            yield place, name, tuple(mtus)


SECTION = PathMtuSection()
KIND = PathMtuKind()
