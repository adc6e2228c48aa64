"""Ranges of proxy ARP: for which addresses of others VPP answers, in the default table and in VRFs (vnet/arp).

A range belongs to a FIB table and does not hold it: it stays behind a table that goes, for the next one that comes.
Ranges bear no tag: one that the file lacks is removed, unless its table is one that the file leaves alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from ipaddress import IPv4Address
from typing import Any

from vppcfg.common.addresses import address_key, canonical_host
from vppcfg.common.names import natural_key
from vppcfg.common.release import Release, is_older
from vppcfg.engine.kind import Kind
from vppcfg.entries.configuration import Configuration, ProxyArpRange
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.index import Index
from vppcfg.entries.section import NamedReference, Parsing, SettingsSection, Unmanaged
from vppcfg.entries.yaml.text import KeyValue, Value
from vppcfg.model.features import ProxyArp
from vppcfg.model.problem import Problem
from vppcfg.model.state import State
from vppcfg.model.vpp_object import Referent
from vppcfg.model.vrf import LAST_TYPED, table_key
from vppcfg.operations.change import AttributeChange, Change, ObjectKind, setting_changes
from vppcfg.operations.operation import Operation, Predicate, missing_table
from vppcfg.operations.request import Indexes, Request, Vocabulary
from vppcfg.operations.request import Value as MessageValue
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader

RANGES = "proxy_arp"
_DASH = "-"
_REPORTS_TABLES = Release(25, 10)
"""Before, VPP reports the index of a range's table, which nothing else has (vnet/arp/arp_api.c, 89bbec8df64)."""
_DUMP = "proxy_arp_dump"
_PATHS = ("proxy.table_id", "proxy.low", "proxy.hi")


@record
class ProxyArpOperation(Operation):
    """An operation on one range of addresses."""

    table_id: int
    first: str
    last: str

    @property
    def subject(self) -> str:
        return "proxy_arp"

    @property
    def range(self) -> ProxyArp:
        """Return the range."""
        return ProxyArp(first=self.first, last=self.last, table_id=self.table_id)

    def _refusal(self, working: WorkingState) -> str | None:
        return missing_table(table_key(self.table_id, is_ipv6=False), working) if self.table_id else None

    def _message(self, *, is_add: bool) -> Request:
        ends = (self.table_id, IPv4Address(self.first).packed, IPv4Address(self.last).packed)
        values: dict[str, MessageValue] = dict(zip(_PATHS, ends, strict=True))
        return Request("proxy_arp_add_del", {**values, "is_add": int(is_add)})

    def _line(self, command: str) -> str | None:
        if self.table_id > LAST_TYPED:
            return None
        return f"{command} table-id {self.table_id} start {self.first} end {self.last}"


@record
class AddProxyArp(ProxyArpOperation):
    """proxy_arp_add_del: answer for a range of addresses. VPP takes one that it has, and changes nothing."""

    def _refusal(self, working: WorkingState) -> str | None:
        if self.range in working.proxy_arps:
            return f"VPP answers for {self.first} to {self.last} already"
        return ProxyArpOperation._refusal(self, working)

    def apply_to(self, working: WorkingState) -> None:
        working.proxy_arps |= {self.range}

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return self._message(is_add=True)

    def cli(self) -> str | None:
        return self._line("set arp proxy")

    def effect(self, observed: State, desired: State) -> Predicate:
        return Predicate("gets a range", "get ranges")


@record
class RemoveProxyArp(ProxyArpOperation):
    """proxy_arp_add_del: no longer answer for a range of addresses, which must be just as it was added."""

    def _refusal(self, working: WorkingState) -> str | None:
        if self.range not in working.proxy_arps:
            return f"VPP does not answer for {self.first} to {self.last}"
        return ProxyArpOperation._refusal(self, working)

    def apply_to(self, working: WorkingState) -> None:
        working.proxy_arps -= {self.range}

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return self._message(is_add=False)

    def cli(self) -> str | None:
        return self._line("set arp proxy del")

    def effect(self, observed: State, desired: State) -> Predicate:
        return Predicate("loses a range", "lose ranges")


def proxy_arp_ranges(index: Index) -> Iterator[Problem]:
    """Find ranges that end before they begin, and those that stand in a VRF twice."""
    seen = set()
    for each in index.configuration.proxy_arps:
        if address_key(f"{each.first}/32") > address_key(f"{each.last}/32"):
            text = f"{each.last} comes before {each.first}, so that this range has no address; exchange them"
            yield Problem(rule="proxy-arp-range", path=each.path, text=text)
        elif (each.vrf, each.first, each.last) in seen:
            text = f"{each.first} to {each.last} is here a second time; remove one"
            yield Problem(rule="proxy-arp-duplicate", path=each.path, text=text)
        seen.add((each.vrf, each.first, each.last))


class ProxyArpRanges(Kind, SettingsSection):
    """The section `proxy_arp`, and the ranges in VPP."""

    key = RANGES
    attribute = "proxy_arps"
    operations = (AddProxyArp, RemoveProxyArp)
    rules = (proxy_arp_ranges,)

    def parse(self, parsing: Parsing) -> tuple[ProxyArpRange, ...]:
        """Return the ranges in the order of the file, none when any of the section is of a wrong shape."""
        given: Mapping[str, Any] = {} if parsing.is_bad(self.key) else parsing.content.get(self.key) or {}
        found = [_range(str(text), None, position) for position, text in enumerate(given.get("ranges") or ())]
        for vrf, texts in (given.get("vrfs") or {}).items():
            found += [_range(str(text), str(vrf), position) for position, text in enumerate(texts or ())]
        return tuple(found)

    def resolve(self, desired: DesiredStateBuilder) -> None:
        """Enter the ranges of the file beside those that are not its own."""
        vrfs = desired.configuration.vrfs
        for each in desired.configuration.proxy_arps:
            vrf = vrfs.get(each.vrf) if each.vrf is not None else None
            if each.vrf is None or (vrf is not None and self._can_be_read(each, desired)):
                table_id = 0 if vrf is None else vrf.table_id
                desired.proxy_arps |= {ProxyArp(first=each.first, last=each.last, table_id=table_id)}

    @staticmethod
    def _can_be_read(of_vrf: ProxyArpRange, desired: DesiredStateBuilder) -> bool:
        return desired.is_since(_REPORTS_TABLES, of_vrf.path, f"the ranges of {of_vrf.vrf} must be read again")

    def from_state(self, state: State, unmanaged: Unmanaged) -> tuple[ProxyArpRange, ...]:
        """Return the ranges of the tables that are not left alone, in order."""
        found = []
        for each in _in_order(state.proxy_arps):
            key = table_key(each.table_id, is_ipv6=False)
            table = state.vrfs.get(key)
            is_nameable = table is not None and not table.is_unnamed and key not in unmanaged.of("vrfs")
            if not each.table_id or is_nameable:
                vrf = table.name if table is not None and each.table_id else None
                found.append(ProxyArpRange(first=each.first, last=each.last, vrf=vrf, path=(self.key,)))
        return tuple(found)

    def setting_keys(self, ranges: tuple[ProxyArpRange, ...]) -> Iterator[KeyValue]:
        by_vrf: dict[str | None, list[Value]] = {}
        for each in ranges:
            text = each.first if each.first == each.last else f"{each.first}{_DASH}{each.last}"
            by_vrf.setdefault(each.vrf, []).append(text)
        if None in by_vrf:
            yield KeyValue("ranges", by_vrf[None])
        named = sorted((vrf for vrf in by_vrf if vrf is not None), key=natural_key)
        if named:
            yield KeyValue("vrfs", tuple(KeyValue(vrf, by_vrf[vrf]) for vrf in named), is_block=True)

    def copy_unmanaged(self, desired: DesiredStateBuilder) -> None:
        """Enter the ranges of the tables that plans must not touch, and of unnamed tables, which have no owner."""
        named = {config.table_id for config in desired.configuration.vrfs.values()}
        for each in desired.observed.proxy_arps:
            if each.table_id not in {0, *named} and table_key(each.table_id, is_ipv6=False) in desired.vrfs:
                desired.proxy_arps |= {each}

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the request for the ranges, where VPP takes it."""
        return [connection.request(_DUMP)[1]] if connection.offers(_DUMP) else []

    def read_settings(
        self, connection: VppReader, replies: Replies, tables: Collection[str], version: str
    ) -> dict[str, Any]:
        """Return the ranges of the default table and of those in `tables`.

        A range of a table that is gone cannot be removed, and one without an address does nothing: both are left out.
        So is one of another table than the default one before 25.10.
        """
        if not connection.offers(_DUMP):
            return {}
        reports_tables = not is_older(version, _REPORTS_TABLES)
        found = set()
        for table_id, low, high in connection.rows(replies, "proxy_arp_details", *_PATHS):
            is_there = not table_id or (reports_tables and table_key(table_id, is_ipv6=False) in tables)
            if is_there and low <= high:
                found.add(ProxyArp(first=str(IPv4Address(low)), last=str(IPv4Address(high)), table_id=table_id))
        return {"proxy_arps": frozenset(found)}

    def changes(self, observed: State, desired: State) -> Iterator[Change[Any]]:
        """Yield the ranges where they differ, as one change."""
        before, after = observed.proxy_arps, desired.proxy_arps
        ranges = AttributeChange(name="proxy_arps", old=before, new=after)
        return setting_changes(ObjectKind.PROXY_ARP, before, after, (ranges,) if before != after else ())

    def references(self, configuration: Configuration) -> Iterator[NamedReference]:
        for name in dict.fromkeys(each.vrf for each in configuration.proxy_arps if each.vrf is not None):
            yield NamedReference(Referent.TABLE, name, (self.key, "vrfs", name))

    def setting_steps(self, transition: Transition) -> Iterator[Step]:
        """Yield the steps that add and remove ranges, new ones first, and those of tables that go before these."""
        before, after = transition.observed.proxy_arps, transition.desired.proxy_arps
        to_delete = {each for each in before if table_key(each.table_id, is_ipv6=False) in transition.deleted_tables}
        for each in _in_order(to_delete | (before - after)):
            remove = RemoveProxyArp(table_id=each.table_id, first=each.first, last=each.last)
            yield Step(stage=Stage.TURN_OFF if each in to_delete else Stage.REMOVE_PROXY_ARP, operation=remove)
        for each in _in_order((after - before) | (after & to_delete)):
            add = AddProxyArp(table_id=each.table_id, first=each.first, last=each.last)
            yield Step(stage=Stage.ADD_PROXY_ARP, operation=add)


def _in_order(ranges: Iterable[ProxyArp]) -> list[ProxyArp]:
    return sorted(ranges, key=lambda each: each.order)


def _range(text: str, vrf: str | None, position: int) -> ProxyArpRange:
    first, dash, last = text.partition(_DASH)
    ends = [canonical_host(end.strip()) or end.strip() for end in (first, last if dash else first)]
    place: tuple[str | int, ...] = ("ranges",) if vrf is None else ("vrfs", vrf)
    return ProxyArpRange(first=ends[0], last=ends[1], vrf=vrf, path=(RANGES, *place, position))


KIND = ProxyArpRanges()
