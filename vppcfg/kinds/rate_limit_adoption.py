"""Recognizes rate limits of scripts that a file can have: tables of the classifier that send hosts to policers.

A file makes the same tables and policers, but marks both as its own and names the policers otherwise. Packets of the
limited hosts are treated the same by both, so that an adoption counts them as equal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from vppcfg.engine.object_kind import InFileForm
from vppcfg.kinds.rate_limit_operations import SETTINGS, settings_in
from vppcfg.kinds.rate_limit_reading import bits_of, prefix_in
from vppcfg.kinds.rate_limit_section import (
    IP_LAYERS,
    SIDES,
    PolicerRate,
    host_limits,
    is_name,
    limit_objects,
    offset_of,
    tags_of,
)
from vppcfg.model.rate_limit import LimitedInterface, LimitTable, Policer, RateLimit, chain
from vppcfg.model.state import State
from vppcfg.model.vpp_object import VppObject, without_empty
from vppcfg.operations.request import NO_INDEX
from vppcfg.wire.policers import (
    POLICER_DUMP,
    TABLE_INFO,
    Use,
    ask_about_tables,
    policer_indexes,
    policer_requests,
    uses,
)
from vppcfg.wire.reading import VppReader, text_of

_KINDS = (Policer, LimitTable, RateLimit, LimitedInterface)
_OTHER = "a file has policers with one rate in kbit/s that transmit what conforms, and drop or mark all else alike"


class _Table(NamedTuple):
    """A table of the classifier."""

    skipped: int
    """How many vectors of 16 bytes of a frame are before the mask."""
    mask: bytes
    miss: int
    """What becomes of the packets of no session (miss_next_index); with NO_INDEX they go on."""
    next: int
    """VPP's index of the table that looks at packets next."""
    sessions: tuple[tuple[bytes, int], ...]
    """The bytes that match, and VPP's index of the policer for them (hit_next_index)."""


class _UnfitError(Exception):
    """No file can have what limits an interface; the text says why."""


def in_file_form(connection: VppReader, state: State, names: Mapping[int, str]) -> InFileForm:
    """Return a state in which the limits of scripts are those of a file where one can have them.

    `foreign` are the uses of tables without our mark: the state has no number for such a table.
    """
    foreign = [
        use
        for use in (uses(connection) if connection.offers(POLICER_DUMP) else [])
        if (known := state.of(LimitedInterface).get(f"{names.get(use.sw_if_index)} {use.layer}")) is not None
        and known.number is None
    ]
    if not foreign:
        return InFileForm(_renumbered(state))
    reader = _LimitReader(connection, state, foreign)
    found: list[VppObject] = []
    others, reasons = set[tuple[str, str]](), dict[str, str]()
    for index in dict.fromkeys(use.sw_if_index for use in foreign):
        own, name = [use for use in foreign if use.sw_if_index == index], names[index]
        try:
            found += reader.limits_on(name, own)
            others |= reader.taken(own)
        except _UnfitError as reason:
            reasons[name] = str(reason)
    objects: dict[type[VppObject], dict[str, VppObject]] = {kind: dict(state.of(kind)) for kind in _KINDS}
    for item in found:
        objects[type(item)][item.name] = item
    return InFileForm(
        _renumbered(replace(state, objects=without_empty({**state.objects, **objects}))), frozenset(others), reasons
    )


class _LimitReader:
    """Asks VPP once for all tables and policers."""

    def __init__(self, connection: VppReader, state: State, foreign: Iterable[Use]) -> None:
        self._state = state
        rows = connection.rows(connection.ask(policer_requests(connection)), "policer_details", "name", *SETTINGS)
        settings = {text_of(raw): dict(zip(SETTINGS, values, strict=True)) for raw, *values in rows}
        self._policers = policer_indexes(connection, list(settings))
        self._settings: Mapping[str, Mapping[str, Any]] = settings
        self._tables = dict(_tables(connection))
        self._users = Counter(index for table in self._tables.values() for _, index in table.sessions)
        """How many sessions send packets to each policer, by its index."""
        self._chains = Counter(index for use in foreign for index in self._chain(use))
        """How many interfaces and layers use each table, by its index."""
        self._numbers = iter(range(1 << 20, 1 << 21))
        """Above those that tables of a file can have, until `_renumbered` replaces them."""

    def limits_on(self, name: str, own: list[Use]) -> list[VppObject]:
        """Return what limits an interface, as a file makes it. Raise _UnfitError."""
        rates: dict[bool, list[tuple[str, PolicerRate]]] = {}
        sides = set[str]()
        for use in own:
            if use.layer not in IP_LAYERS:
                raise _UnfitError("a file limits hosts where VPP routes")
            is_ipv6 = use.layer == IP_LAYERS[1]
            for index in self._chain(use):
                if self._chains[index] > 1:
                    raise _UnfitError(f"the table {index} is used more than once, and its hosts share one rate")
                side, found = self._hosts(name, index, is_ipv6=is_ipv6)
                sides.add(side)
                rates.setdefault(is_ipv6, []).extend(found)
            lengths = [int(prefix.partition("/")[2]) for prefix, _ in rates[is_ipv6]]
            if lengths != sorted(lengths, reverse=True):
                raise _UnfitError("a table of shorter prefixes comes before one of longer ones")
        if not all(rates.values()):
            raise _UnfitError("its tables limit no host")
        if len(sides) != 1:
            raise _UnfitError("a file limits sources or destinations of an interface, and not both")
        (side,), objects, tags = sides, list[VppObject](), tags_of(self._state.interfaces[name])
        for is_ipv6, found in rates.items():
            limits = host_limits(name, side, offset_of(side, tags, is_ipv6=is_ipv6), found, is_ipv6=is_ipv6)
            objects += limit_objects(name, [IP_LAYERS[is_ipv6]], limits, lambda _: next(self._numbers))
        return objects

    def taken(self, own: list[Use]) -> set[tuple[str, str]]:
        """Return kind and name of the tables and policers of an interface, as the list of what others have has them."""
        tables = {index for use in own for index in self._chain(use)}
        policers = {self._policers[hit] for index in tables for _, hit in self._tables[index].sessions}
        return {("classifier table", str(index)) for index in tables} | {("policer", name) for name in policers}

    def _chain(self, use: Use) -> list[int]:
        """Return the indexes of the tables that look at the packets of an interface, in their order."""
        found: list[int] = []
        index = use.table
        while index in self._tables and index not in found:
            found.append(index)
            index = self._tables[index].next
        return found

    def _hosts(self, interface: str, index: int, *, is_ipv6: bool) -> tuple[str, list[tuple[str, PolicerRate]]]:
        """Return whether a table looks at sources or destinations, and the rate of each prefix."""
        table, tags = self._tables[index], tags_of(self._state.interfaces[interface])
        offset, length = bits_of(table.skipped, table.mask) or (0, 0)
        side = next((each for each in SIDES if offset_of(each, tags, is_ipv6=is_ipv6) == offset), None)
        if side is None or not length or table.miss != NO_INDEX:
            raise _UnfitError(f"the table {index} looks at more or less than a prefix of one address")
        shape = LimitTable(number=0, is_ipv6=is_ipv6, offset=offset, length=length)
        hosts = [(prefix_in(shape, match), self._rate(hit)) for match, hit in table.sessions]
        return side, sorted(hosts)

    def _rate(self, index: int) -> PolicerRate:
        """Return the rate of the policer with an index, by its name. Raise _UnfitError."""
        name = self._policers.get(index, "")
        if not is_name(name):
            raise _UnfitError(f"`{name}` is no name for a policer of a file, or it is gone")
        if self._users[index] > 1:
            raise _UnfitError(f"several hosts share the policer {name}, and in a file each has its own")
        found = settings_in(self._settings[name])
        if not found.pop("is_plain"):
            raise _UnfitError(f"{name} is another one: {_OTHER}")
        return PolicerRate(name, **found)


def _tables(connection: VppReader) -> Iterator[tuple[int, _Table]]:
    """Ask VPP for all tables of the classifier with their sessions, and yield each with its index."""
    listed = connection.ask([connection.request("classify_table_ids")[1]])
    ids = [
        index for _, rows in connection.lists(listed, "classify_table_ids_reply", ("retval",), "") for (index,) in rows
    ]
    asked = [connection.request("classify_session_dump", {"table_id": index})[1] for index in ids]
    sessions: dict[int, list[tuple[bytes, int]]] = {}
    paths = ("table_id", "hit_next_index")
    for (index, hit), match in connection.lists(connection.ask(asked), "classify_session_details", paths, ""):
        sessions.setdefault(index, []).append((bytes(each for (each,) in match), hit))
    heads = ("table_id", "skip_n_vectors", "miss_next_index", "next_table_index")
    answers = ask_about_tables(connection, ids)
    for (index, skipped, miss, after), mask in connection.lists(answers, f"{TABLE_INFO}_reply", heads, ""):
        yield index, _Table(skipped, bytes(each for (each,) in mask), miss, after, tuple(sessions.get(index, ())))


def _renumbered(state: State) -> State:
    """Return a state whose tables are numbered from 0, in the order of the interfaces that use them.

    So the states of two VPPs with the same limits are equal, in whatever order their tables were made. Tables that no
    interface uses are left out.
    """
    tables, number_of = state.of(LimitTable), dict[int | None, int]()
    for _, use in sorted(state.of(LimitedInterface).items()):
        for table in chain(tables, use.number):
            number_of.setdefault(table.number, len(number_of))
    if all(old == new for old, new in number_of.items()):
        return state
    kept: dict[type[VppObject], list[VppObject]] = {
        LimitTable: [
            replace(each, number=number_of[each.number], next=number_of.get(each.next))
            for each in tables.values()
            if each.number in number_of
        ],
        RateLimit: [
            replace(each, number=number_of[each.number])
            for each in state.of(RateLimit).values()
            if each.number in number_of
        ],
        LimitedInterface: [
            replace(each, number=number_of.get(each.number)) for each in state.of(LimitedInterface).values()
        ],
    }
    objects = {kind: {item.name: item for item in items} for kind, items in kept.items()}
    return replace(state, objects=without_empty({**state.objects, **objects}))
