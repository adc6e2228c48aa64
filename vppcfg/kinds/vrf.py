"""FIB tables of VRFs: reads them and the tables of interfaces, and plans when both are set.

VPP moves no interface that has addresses, gives an interface that borrows the table of its donor only, and ends a table
when the last one has left it: those leave a table that is to go, it is emptied and goes, and new ones are entered
before any address comes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from vppcfg.engine.kind import Kind, Questions
from vppcfg.entries.configuration import EncapConfig, VrfConfig
from vppcfg.entries.index import Index
from vppcfg.entries.section import Section
from vppcfg.kinds.vrf_operations import (
    CreateVrf,
    DeleteVrf,
    MarkVrfRoutes,
    ReleaseTypedVrf,
    SetTable,
    SweepVrfRoutes,
)
from vppcfg.kinds.vrf_section import SECTION
from vppcfg.model.problem import Problem, Severity
from vppcfg.model.state import State
from vppcfg.model.vrf import LAST_TYPED, MAX_TABLE, FibTable, table_key
from vppcfg.operations.change import Action, Change, ObjectKind, appearance, attribute_changes, differing_names
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition
from vppcfg.wire.reading import Replies, VppReader, text_of
from vppcfg.wire.shell import Commands, header_command

_ADDRESSES = "show interface address"
"""Safe for workers in all releases from 23.06 (show_sw_interfaces_command, vnet/interface_cli.c)::

    loop1 (up):
      L3 10.1.0.1/24 ip4 table-id 7 fib-idx 1
      L3 2001:db8::1/64
"""
_NAME = re.compile(r"^(\S+) \((?:up|dn)\):")
_ADDRESS = re.compile(r"^  L3 ([^/]+)/\d+(?: ip[46] table-id (-?\d+) )?")
"""VPP prints the number of an IPv6 table with a sign: -2 for 4294967294."""
_IN_TABLE = re.compile(r"locks:\[[^]]*\binterface:(\d+)")
"""How many interfaces are in a table: `locks:[interface:1, CLI:1, ]`, in the first line that is shown of it."""
_MOST_COUNTED = 20
"""Tables whose interfaces are counted: one command for each, for which the workers stop."""
_AT_A_TIME = 50
Place = tuple[bool, int]
"""The family, as is_ipv6, and number of a table."""


class TableQuestions:
    """The requests for the FIB tables of interfaces, and what each asked for; the replies do not name it."""

    def __init__(self, connection: VppReader, indexes: Sequence[int], families: Iterable[bool]) -> None:
        """Prepare one sw_interface_get_table for each of `indexes` and each of `families`."""
        self._asked: dict[int, tuple[int, bool]] = {}
        self.requests: list[bytes] = []
        for family in families:
            for index in indexes:
                values = {"sw_if_index": index, "is_ipv6": int(family)}
                context, request = connection.request("sw_interface_get_table", values)
                self._asked[context] = (index, family)
                self.requests.append(request)

    def read(self, connection: VppReader, replies: Replies) -> dict[int, tuple[int, int]]:
        """Return the IPv4 and IPv6 table of every interface that is not in table 0 for both."""
        tables: dict[int, list[int]] = {}
        for context, retval, table in connection.rows(
            replies, "sw_interface_get_table_reply", "context", "retval", "vrf_id"
        ):
            if context in self._asked and not retval and table:
                index, family = self._asked[context]
                tables.setdefault(index, [0, 0])[family] = table
        return {index: (ip4, ip6) for index, (ip4, ip6) in tables.items()}


class ShownTables:
    """The tables of many interfaces, as VPP's prompt shows them."""

    def __init__(self, connection: VppReader, indexes: Sequence[int], tables: Sequence[FibTable]) -> None:
        """Ask about the interfaces at `indexes`, which are in `tables` or in the default ones."""
        self._indexes = indexes
        self._places = [(each.is_ipv6, each.table_id) for each in tables]
        counted = [each for each in self._places if each[1] <= LAST_TYPED]
        asked = counted if len(counted) <= _MOST_COUNTED else []
        self._counts = {(is_ipv6, number): header_command(number, is_ipv6=is_ipv6) for is_ipv6, number in asked}
        self._commands = Commands(connection, [_ADDRESSES, *self._counts.values()])
        self.requests = self._commands.requests

    def read(self, connection: VppReader, replies: Replies) -> dict[int, tuple[int, int]]:
        """Return the IPv4 and IPv6 table of every interface that is not in table 0 for both."""
        shown = self._commands.read(connection, replies)
        wanted = frozenset(self._indexes)
        found = {
            index: places
            for name, places in _shown(shown[_ADDRESSES][1])
            if (index := connection.survey.index_of(name)) in wanted and index is not None
        }
        left = Counter({place: _count(shown[line][1]) for place, line in self._counts.items()})
        left.subtract(place for places in found.values() for place in places.items())
        uncounted = {is_ipv6 for is_ipv6, number in self._places if (is_ipv6, number) not in self._counts}
        for is_ipv6 in (False, True):
            # whatever is in a VRF of the other family is the most likely one
            rest = sorted(
                (index for index in self._indexes if is_ipv6 not in found.get(index, {})),
                key=lambda index: (not any(found.get(index, {}).values()), index),
            )
            while rest and (is_ipv6 in uncounted or any(n > 0 for place, n in left.items() if place[0] == is_ipv6)):
                asked, rest = rest[:_AT_A_TIME], rest[_AT_A_TIME:]
                questions = TableQuestions(connection, asked, [is_ipv6])
                for index, tables in questions.read(connection, connection.ask(questions.requests)).items():
                    found.setdefault(index, {})[is_ipv6] = tables[is_ipv6]
                    left[is_ipv6, tables[is_ipv6]] -= 1
        pairs = {index: (places.get(False, 0), places.get(True, 0)) for index, places in found.items()}
        return {index: pair for index, pair in pairs.items() if any(pair)}


def _count(text: str) -> int:
    match = _IN_TABLE.search(text)
    return int(match[1]) if match else 0


def _shown(text: str) -> Iterator[tuple[str, dict[bool, int]]]:
    """Yield the tables of each interface by the families of which it has addresses."""
    name, places = "", dict[bool, int]()
    for line in text.splitlines():
        if match := _NAME.match(line):
            yield name, places
            name, places = match[1], {}
        elif match := _ADDRESS.match(line):
            places[":" in match[1]] = int(match[2] or 0) % (1 << 32)
    yield name, places


_LARGEST_TYPED = 0x7FFFFFFF
"""VPP's command line reads the number of a table as a signed number of 32 bits (vnet/ip/lookup.c)."""


def vrf_tables(index: Index) -> Iterator[Problem]:
    """Find VRFs without a table, with a table of another one, or with one that VPP's CLI cannot name."""
    owners: dict[str, str] = {}
    for config in index.configuration.vrfs.values():
        tables = list(config.tables())
        if not tables:
            text = f"{config.name} has neither IPv4 nor IPv6; let it have one of them, or remove it"
            yield Problem(rule="vrf-no-family", path=config.path, text=text)
        owner = next((owners[table.key] for table in tables if table.key in owners), None)
        if owner is not None:
            text = f"{owner} has the id {config.table_id} already; take another"
            yield Problem(rule="vrf-id-duplicate", path=(*config.path, "id"), text=text)
        owners.update({table.key: owners.get(table.key, config.name) for table in tables})
        if config.table_id > _LARGEST_TYPED:
            text = f"VPP's CLI cannot name table {config.table_id}; `vppcfg apply` can still make it"
            yield Problem(rule="vrf-id-cli", path=(*config.path, "id"), text=text, severity=Severity.WARNING)


def vrf_family(index: Index) -> Iterator[Problem]:
    """Find addresses and ends of tunnels of a family that their VRF does not have."""
    for interface in index.interfaces:
        config = _vrf_of(interface.vrf, index)
        for position, address in enumerate(interface.addresses if config is not None else ()):
            if config is not None and not _has_family(config, address):
                text = f"{address} would be in the default table, because {config.name} has none for its family"
                yield Problem(rule="vrf-family", path=(*interface.path, "addresses", position), text=text)
    for tunnel in index.configuration.virtual_as(EncapConfig).values():
        config = _vrf_of(tunnel.encap_vrf, index)
        if config is not None and not _has_family(config, tunnel.local):
            text = f"{config.name} has no table for the family of {tunnel.local}"
            yield Problem(rule="vrf-family", path=(*tunnel.path, "encap-vrf"), text=text)
    for name in dict.fromkeys(each.vrf for each in index.configuration.proxy_arps):
        config = _vrf_of(name, index)
        if config is not None and not config.has_ipv4:
            text = f"{config.name} has no table for IPv4, to which proxy ARP belongs"
            yield Problem(rule="vrf-family", path=("proxy_arp", "vrfs", config.name), text=text)
    ipfix = index.configuration.ipfix
    config = _vrf_of(ipfix.vrf, index) if ipfix is not None else None
    if config is not None and not config.has_ipv4:
        text = f"{config.name} has no table for IPv4, in which the collector is looked up"
        yield Problem(rule="vrf-family", path=("ipfix", "vrf"), text=text)


def vrf_switched(index: Index) -> Iterator[Problem]:
    """Find VRFs of interfaces that switch: what routes a bridge domain is its BVI."""
    for interface in index.interfaces:
        if interface.vrf is not None and (reason := index.why_switched(interface.name)):
            hint = "give it to the BVI" if interface.name in index.bridges else "remove one of them"
            text = f"{interface.name} {reason} and cannot be in a VRF; {hint}"
            yield Problem(rule="l2-vrf", path=(*interface.path, "vrf"), text=text)


def vrf_borrowed(index: Index) -> Iterator[Problem]:
    """Find interfaces that borrow addresses of one in another VRF."""
    for borrower in index.interfaces:
        donor = index.find(borrower.unnumbered)
        if donor is not None and donor is not borrower and donor.vrf != borrower.vrf:
            text = f"{donor.name} is in {_words(donor.vrf)} and {borrower.name} in {_words(borrower.vrf)}; make it one"
            yield Problem(rule="unnumbered-vrf", path=(*borrower.path, "unnumbered"), text=text)


def vrf_without_linux(index: Index) -> Iterator[Problem]:
    """Find LCPs in a VRF whose namespace linux-nl does not listen in: no route of Linux reaches the VRF from there."""
    section = index.configuration.dataplane
    default = section.linux_cp.netns if section is not None else None
    for interface in index.interfaces:
        lcp = interface.lcp
        if interface.vrf is not None and lcp is not None and lcp.netns not in (None, default):
            text = (
                f"routes and addresses of Linux reach the VRF {interface.vrf} from the default namespace of LCPs only, "
                f"not from {lcp.netns}"
            )
            path = (*interface.path, "lcp")
            yield Problem(rule="vrf-lcp-netns", path=path, text=text, severity=Severity.WARNING)


def _vrf_of(name: str | None, index: Index) -> VrfConfig | None:
    return index.configuration.vrfs.get(name) if name is not None else None


def _has_family(config: VrfConfig, address: str) -> bool:
    return config.has_ipv6 if ":" in address else config.has_ipv4


def _words(name: str | None) -> str:
    return f"the VRF {name}" if name is not None else "no VRF"


_DUMP = "ip_table_dump"


class VrfKind(Kind):
    """VRFs."""

    key = SECTION.key
    operations = (CreateVrf, MarkVrfRoutes, SweepVrfRoutes, ReleaseTypedVrf, DeleteVrf, SetTable)
    rules = (vrf_tables, vrf_family, vrf_switched, vrf_borrowed, vrf_without_linux)
    api_module = "ip"
    on_interfaces = ("tables",)

    def sections(self) -> tuple[Section, ...]:
        return (SECTION,)

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the request for all FIB tables, where VPP takes it."""
        return [connection.request(_DUMP)[1]] if connection.offers(_DUMP) else []

    def interface_questions(
        self, connection: VppReader, replies: Replies, indexes: Sequence[int]
    ) -> Mapping[str, Questions[tuple[int, int]]]:
        """Return the questions for the tables of interfaces, where there are others than the default ones."""
        tables = [each for each in self.listed(connection, replies) if each.table_id]
        if tables and not connection.survey.examines_all(len(indexes)):
            return {"tables": ShownTables(connection, indexes, tables)}
        families = {each.is_ipv6 for each in tables} if connection.offers(_DUMP) else {False, True}
        return {"tables": TableQuestions(connection, indexes, sorted(families))}

    def listed(self, connection: VppReader, replies: Replies) -> list[FibTable]:
        """Return all FIB tables, without their names; the default ones may be missing."""
        if not connection.offers(_DUMP):
            return []
        rows = connection.rows(replies, "ip_table_details", "table.table_id", "table.is_ip6")
        return [FibTable(table_id=table_id, is_ipv6=bool(is_ipv6)) for table_id, is_ipv6 in rows]

    def changes(self, observed: State, desired: State) -> Iterator[Change[FibTable]]:
        """Yield the FIB tables that appear and disappear; one with another name does both."""
        for key in differing_names(observed.vrfs, desired.vrfs):
            before, after = observed.vrfs.get(key), desired.vrfs.get(key)
            if before is None or after is None:
                yield appearance(ObjectKind.VRF, key, before, after)
            elif attributes := attribute_changes(before, after):
                yield Change(
                    action=Action.REPLACE,
                    kind=ObjectKind.VRF,
                    name=key,
                    before=before,
                    after=after,
                    attributes=attributes,
                    forced_by="name",
                )

    def interface_steps(self, transition: Transition, name: str) -> Iterator[Step]:
        """Yield the steps that take an interface out of a table that goes, and put it where it is to be."""
        after = transition.desired.interfaces.get(name)
        if after is None:
            return
        kept = transition.kept(name)
        for is_ipv6, wanted in enumerate(after.tables):
            current = kept.tables[is_ipv6] if kept is not None else 0
            if current and table_key(current, is_ipv6=bool(is_ipv6)) in transition.deleted_tables:
                leave = SetTable(interface=name, is_ipv6=bool(is_ipv6), table_id=0)
                yield Step(stage=Stage.LEAVE_VRF, operation=leave)
                current = 0
            if wanted != current:
                enter = SetTable(interface=name, is_ipv6=bool(is_ipv6), table_id=wanted)
                yield Step(stage=Stage.ENTER_VRF, operation=enter)

    def setting_steps(self, transition: Transition) -> Iterator[Step]:
        """Yield the steps that make, delete or make anew FIB tables."""
        for change in transition.difference.of(ObjectKind.VRF):
            yield from _table_steps(change)


KIND = VrfKind()


def _table_steps(change: Change[FibTable]) -> Iterator[Step]:
    """Yield the steps that make, delete or make anew one table."""
    if (before := change.before) is not None:
        table_id, is_ipv6 = before.table_id, before.is_ipv6
        yield Step(stage=Stage.EMPTY_VRF, operation=MarkVrfRoutes(table_id=table_id, is_ipv6=is_ipv6))
        yield Step(stage=Stage.EMPTY_VRF, operation=SweepVrfRoutes(table_id=table_id, is_ipv6=is_ipv6))
        yield Step(stage=Stage.DELETE_VRF, operation=DeleteVrf(table_id=table_id, is_ipv6=is_ipv6))
        if table_id <= LAST_TYPED:
            yield Step(stage=Stage.RELEASE_VRF, operation=ReleaseTypedVrf(table_id=table_id, is_ipv6=is_ipv6))
    if (after := change.after) is not None:
        create = CreateVrf(table_id=after.table_id, is_ipv6=after.is_ipv6, name=after.name)
        yield Step(stage=Stage.CREATE_VRF, operation=create)


def read(connection: VppReader, replies: Replies, used: Iterable[tuple[int, int]]) -> dict[str, FibTable]:
    """Return the FIB tables but the default ones, by their keys.

    `used` are those that interfaces are in: of a VPP that has no list of tables, nothing else is known.
    """
    if not connection.offers(_DUMP):
        return {table.key: table for table in _unnamed(used)}
    rows = connection.rows(replies, "ip_table_details", "table.table_id", "table.is_ip6", "table.name")
    tables = [
        FibTable(table_id=table_id, is_ipv6=bool(is_ipv6), name=text_of(name))
        for table_id, is_ipv6, name in rows
        if 0 < table_id <= MAX_TABLE  # those that VPP makes for itself, as for the steering of SRv6, have no number
    ]
    return {table.key: table for table in tables}


def _unnamed(used: Iterable[tuple[int, int]]) -> Iterator[FibTable]:
    for ids in used:
        for is_ipv6, table_id in enumerate(ids):
            if table_id:
                name = table_key(table_id, is_ipv6=bool(is_ipv6))
                yield FibTable(table_id=table_id, is_ipv6=bool(is_ipv6), name=name)
