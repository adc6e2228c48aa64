"""Simulates how the prompt and the API change routes (vnet/ip/ip_api.c, vnet/ip/lookup.c, vnet/fib).

Routes outlive the interfaces that they lead through: such a route drops what it gets, even when a new interface has the
index, and so does a new one with the same paths as long as an old one has them, for routes share the list of their
paths (fib_path_list.c). The static routes of a state are loaded with the FIB source of files (fib_source.c).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from ipaddress import ip_address

from vppcfg.common.addresses import address_key
from vppcfg.model.route import SOURCE, SOURCE_PRIORITY, NextHop, Route, RouteEnd
from vppcfg.model.state import State
from vppcfg.simulator.api_paths import unpacked
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.fib_entries import (
    DROP,
    LOCAL,
    NORMAL,
    PROHIBIT,
    UNREACHABLE,
    FibPath,
    Prefix,
    ordered,
    with_paths,
    without_paths,
)
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.kinds import fib
from vppcfg.simulator.kinds.neighbor import NeighborMain, has_route
from vppcfg.simulator.kinds.route import API, CLASSIFY, CLI, SourceMain, entries, sources
from vppcfg.simulator.releases import ReleaseQuirk
from vppcfg.simulator.retval import DiedError, RefusedError, Retval, required
from vppcfg.simulator.tables import FibMain, FibTable, Tables
from vppcfg.simulator.wire import NONE, Values

GivenPrefix = tuple[bool, int, int]
"""Whether it is of IPv6; the address with its host bits; the length."""
_DROPS_OVER_LOCAL0 = ReleaseQuirk(
    span="-24.06", text="of a message, what drops is a way over local0, at which VPP crashes in a VRF (5f694322a92)"
)
_TYPES_NO_DROPS = ReleaseQuirk(
    span="-24.06", text="`via drop` hands packets to a graph node, as `via punt` does (8c77c1930ab)"
)
_ENDS_AT_ANSWERS = ReleaseQuirk(
    span="-25.10", text="VPP crashes at a message with a route that answers by ICMP in a VRF (2d25978a8c5)"
)


@dataclass(slots=True, kw_only=True)
class PathLists:
    """The lists of paths that routes have (fib_path_list_db)."""

    users: Counter[tuple[FibPath, ...]] = field(default_factory=Counter)
    """How many routes have each list, labels left out."""
    dead: dict[tuple[FibPath, ...], frozenset[FibPath]] = field(default_factory=dict)
    """The paths of a list that have lost their interface."""


def dead_paths(tables: Tables, paths: tuple[FibPath, ...]) -> frozenset[FibPath]:
    """Return which paths of a route drop what they get, because their interface has gone."""
    return tables.part(PathLists).dead.get(_unlabelled(paths), frozenset())


def change(
    tables: Tables,
    table: FibTable,
    key: Prefix,
    source: int,
    paths: tuple[FibPath, ...],
    *,
    is_add: bool,
    is_multipath: bool,
) -> None:
    """Add or delete paths of a route of one source, or set or delete all of them."""
    old = table.routes.get(key, {}).get(source, ())
    if not is_multipath:
        new = ordered(paths) if is_add else ()
    else:
        new = with_paths(old, paths) if is_add else without_paths(old, paths)
        if new != old:
            survive_stale(tables, old if is_add else new)
    if source == API:
        table.marked.discard(key)
    if old and not new and len(table.routes[key]) == 1:
        _survive_loss(tables, table, key, old)
    if new:
        table.routes.setdefault(key, {})[source] = new
        hold_paths(tables, new)
    else:
        table.drop_route(key, source)
    if old and source != CLASSIFY:
        release_paths(tables, old)


def _survive_loss(tables: Tables, table: FibTable, key: Prefix, paths: tuple[FibPath, ...]) -> None:
    """Die where the last of a route goes that alone covers its gateway, a neighbour (fib_entry_src_adj_reactivate)."""
    value, length = key
    for path in paths:
        bits = 128 if path.is_ipv6 else 32
        host = int.from_bytes(path.next_hop)
        has_gateway = _looks_up(path) and any(path.next_hop)
        if not has_gateway or _main(tables, path.is_ipv6).tables.get(path.table_id) is not table:
            continue
        is_covered = host >> bits - length == value >> bits - length and length < bits
        if not is_covered or (host, bits) in table.routes:
            continue
        book = tables.ip6 if path.is_ipv6 else tables.ip4
        known = tables.part(NeighborMain).entries.items()
        there = ((row, each.get(ip_address(path.next_hop))) for row, each in known)
        if any(entry and has_route(entry) and book.table_of(row) == path.table_id for row, entry in there):
            found = (prefix for prefix, _ in entries(tables, path.is_ipv6, path.table_id) if length < prefix[1] < bits)
            if not any(host >> bits - more == start >> bits - more for start, more in found):
                raise DiedError


def survive_stale(tables: Tables, paths: Iterable[FibPath]) -> None:
    """Die where VPP resolves a path over a deleted interface again (ip_pmtu_adj_delegate_adj_created)."""
    indexes = (path.sw_if_index for path in paths if path.kind == NORMAL)
    if any(index != NONE and not tables.sw.has(index) for index in indexes):
        raise DiedError


def _unlabelled(paths: tuple[FibPath, ...]) -> tuple[FibPath, ...]:
    return tuple(path._replace(labels=()) for path in paths)


def hold_paths(tables: Tables, labelled: tuple[FibPath, ...]) -> None:
    """Use a list of paths; a new one holds the tables that it looks into."""
    paths = _unlabelled(labelled)
    users = tables.part(PathLists).users
    users[paths] += 1
    for path in paths:
        if users[paths] == 1 and _looks_up(path):
            fib.lock_for_lookup(tables, path.is_ipv6, path.table_id)


def release_paths(tables: Tables, labelled: tuple[FibPath, ...]) -> None:
    """Use a list of paths no longer; it goes with the last that uses it."""
    paths = _unlabelled(labelled)
    lists = tables.part(PathLists)
    lists.users[paths] -= 1
    if lists.users[paths]:
        return
    del lists.users[paths]
    lists.dead.pop(paths, None)
    for path in paths:
        if _looks_up(path):
            fib.unlock_for_lookup(tables, path.is_ipv6, path.table_id)


def _looks_up(path: FibPath) -> bool:
    return path.kind == NORMAL and path.sw_if_index == NONE


def _interface_gone(tables: Tables, index: int) -> None:
    lists = tables.part(PathLists)
    for paths in lists.users:
        gone = frozenset(path for path in paths if path.sw_if_index == index and path.kind == NORMAL)
        if gone:
            lists.dead[paths] = lists.dead.get(paths, frozenset()) | gone


def _main(tables: Tables, is_ipv6: bool) -> FibMain:
    return tables.fib6 if is_ipv6 else tables.fib4


def _key(is_ipv6: bool, value: int, length: int) -> Prefix:
    host_bits = (128 if is_ipv6 else 32) - length
    return value >> host_bits << host_bits, length


def _completed(
    tables: Tables, paths: Iterable[FibPath], prefix: GivenPrefix, *, is_first: bool = True
) -> tuple[FibPath, ...]:
    """Return paths as VPP completes them, for a prefix with its host bits (fib_table_route_path_fixup).

    A gateway with the address of the prefix drops, in whatever table it is looked up. Of a host that is reached through
    an interface, the host is the next hop; of several in a command, VPP completes the first alone.
    """
    is_ipv6, value, length = prefix
    bits = 128 if is_ipv6 else 32
    address = value.to_bytes(bits // 8)
    is_host = length == bits and is_first
    completed = []
    for path in paths:
        if _looks_up(path) and path.next_hop == address and any(address):
            hop = address if tables.release.has(_TYPES_NO_DROPS) else b""
            completed.append(path._replace(kind=DROP, next_hop=hop, table_id=0))
        elif is_host and path.kind == NORMAL and path.sw_if_index != NONE and not any(path.next_hop):
            completed.append(path._replace(next_hop=address))
        else:
            completed.append(path)
    return tuple(completed)


def _answer(call: Call, values: Values) -> None:
    """Change a route of a source, that of the API when none is named."""
    is_ipv6, length = bool(values["route.prefix.address.af"]), values["route.prefix.len"]
    table = required(_main(call.tables, is_ipv6).tables.get(values["route.table_id"]), retval=Retval.NO_SUCH_FIB)
    paths = [unpacked(call.tables, row) for row in values["route.paths"]]
    bits = 128 if is_ipv6 else 32
    if length > bits:
        raise RefusedError(Retval.INVALID_PREFIX_LENGTH)
    is_add, is_multipath = bool(values["is_add"]), bool(values["is_multipath"])
    if not paths and (is_add or is_multipath):
        raise RefusedError(Retval.NO_PATHS_IN_ROUTE)
    if is_add and values["route.table_id"]:
        _survive(call.tables, paths[-1])
    value = int.from_bytes(values["route.prefix.address.un"][: bits // 8])
    key = _key(is_ipv6, value, length)
    if call.tables.release.has(_DROPS_OVER_LOCAL0):
        paths = [path._replace(sw_if_index=0) if path.kind == DROP else path for path in paths]
    completed = _completed(call.tables, paths, (is_ipv6, value, length))
    source = values.get("route.src", 0) or API
    change(call.tables, table, key, source, completed, is_add=is_add, is_multipath=is_multipath)


def _survive(tables: Tables, path: FibPath) -> None:
    """Die where VPP takes the last path, which has no interface, for one over local0, and asks for its table."""
    drops = (DROP,) if tables.release.has(_DROPS_OVER_LOCAL0) else ()
    answers = (UNREACHABLE, PROHIBIT) if tables.release.has(_ENDS_AT_ANSWERS) else ()
    if path.kind in (*drops, *answers):
        raise DiedError


def _command(tables: Tables, rest: Input) -> str:
    """`ip route [add|del] [count <n>] <prefix>... [table <id>] [via <path>]...`: paths are added to those there are.

    The table of the first prefix is that of all.
    """
    line = rest.line()
    if line.is_at_end:
        return ""
    is_add, table_id, count = True, 0, 1
    prefixes: list[GivenPrefix] = []
    paths: list[FibPath] = []
    while not line.is_at_end:
        if (number := line.number_after("table")) is not None:
            table_id = number
        elif (number := line.number_after("count")) is not None:
            count = number
        elif (found := line.prefix()) is not None:
            prefixes.append(found)
        elif line.take("via"):
            paths.append(_special(tables, line) or read_path(tables, line, is_ipv6=bool(prefixes) and prefixes[-1][0]))
        elif line.take("del"):
            is_add = False
        elif not line.take("add"):
            raise line.unknown("parse error")
    if not prefixes:
        raise RefusedError(Retval.UNSPECIFIED, "expected ip4/ip6 destination address/length.")
    if is_add and not paths:
        raise RefusedError(Retval.UNSPECIFIED, "expected paths.")
    table = required(_main(tables, prefixes[0][0]).tables.get(table_id), f"Nonexistent table id {table_id}")
    valid = [prefix for prefix in prefixes if prefix[2] <= (128 if prefix[0] else 32)]
    wrong = [f"Invalid prefix len: {each[2]}\n" for each in prefixes if each not in valid]
    for place, prefix in enumerate(_counted(valid, count if paths else 1)):
        completed = _completed(tables, paths, prefix, is_first=not place)
        change(tables, table, _key(*prefix), CLI, completed, is_add=is_add, is_multipath=bool(paths))
        paths = [new if new.kind == DROP else old for old, new in zip(paths, completed, strict=True)]
    rate = f"{count:.6e} routes/sec\n" if count > 1 and paths else ""
    return "".join((*wrong, rate))


def _counted(prefixes: Iterable[GivenPrefix], count: int) -> Iterator[GivenPrefix]:
    """Yield prefixes, each with those that follow it, `count` in all."""
    for is_ipv6, value, length in prefixes:
        bits = 128 if is_ipv6 else 32
        for place in range(count):
            yield is_ipv6, (value + (place << bits - length)) % (1 << bits), length


def _special(tables: Tables, line: Input) -> FibPath | None:
    """Take what hands packets to a graph node (unformat_dpo); VPP reads it back as a look-up in the default table."""
    drop = ("drop",) if tables.release.has(_TYPES_NO_DROPS) else ()
    for word in ("null-send-unreach", "null-send-prohibit", "punt", *drop):
        if line.take_word(word):
            return FibPath()
    return None


def read_path(tables: Tables, line: Input, *, is_ipv6: bool) -> FibPath:
    """Take what stands behind `via`, up to the next one (unformat_fib_route_path); raise RefusedError."""
    path = FibPath(is_ipv6=is_ipv6, has_rpf_id=True)
    while not line.is_at_end and line.next_word != "via":
        taken = _setting(tables, line, path) or _next_hop(tables, line, path)
        if taken is None:
            raise line.unknown("parse error")
        path = taken
    return path


def _setting(tables: Tables, line: Input, path: FibPath) -> FibPath | None:
    if (weight := line.number_after("weight")) is not None:
        return path._replace(weight=weight)
    if (preference := line.number_after("preference")) is not None:
        return path._replace(preference=preference)
    if line.take("out-labels"):
        labels: list[int] = []
        while (label := line.number()) is not None:
            labels.append(label)
        return path._replace(labels=tuple(labels))
    if not tables.release.has(_TYPES_NO_DROPS) and line.take("drop"):
        return path._replace(kind=DROP, next_hop=b"", sw_if_index=NONE)
    if line.take("local"):
        return path._replace(kind=LOCAL, next_hop=b"")
    for word, is_ipv6 in (("ip4-lookup-in-table", False), ("ip6-lookup-in-table", True)):
        if (number := line.number_after(word)) is not None:
            return path._replace(table_id=_known(tables, line, is_ipv6, number), is_ipv6=is_ipv6)
        if line.take_word(word[:3]):
            return path._replace(is_ipv6=is_ipv6)
    if line.take("lookup", "in", "table") and (number := line.number()) is not None:
        return path._replace(table_id=_at_index(tables, path, number))
    if line.take("resolve-via-host") or line.take("resolve-via-attached"):
        return path
    return None


def _known(tables: Tables, line: Input, is_ipv6: bool, table_id: int) -> int:
    if table_id not in _main(tables, is_ipv6).tables:
        raise line.unknown("parse error")
    return table_id


def _at_index(tables: Tables, path: FibPath, index: int) -> int:
    """Return the table that has an index, for which VPP takes this number, whatever the ids of tables are."""
    found = next((each for each, table in _main(tables, path.is_ipv6).tables.items() if table.index == index), None)
    return required(found, f"no FIB table has the index {index}, at which VPP crashes")


def _next_hop(tables: Tables, line: Input, path: FibPath) -> FibPath | None:
    hop = line.address()
    if hop is None:
        row = line.interface(tables)
        return path._replace(sw_if_index=row.index) if row is not None else None
    is_ipv6 = hop.version == 6
    row = line.interface(tables)
    number = line.number_after("next-hop-table") if row is None else None
    table_id = 0 if number is None else _known(tables, line, is_ipv6, number)
    sw_if_index = NONE if row is None else row.index
    return path._replace(next_hop=hop.packed, is_ipv6=is_ipv6, sw_if_index=sw_if_index, table_id=table_id)


_ENDS = {RouteEnd.BLACKHOLE: DROP, RouteEnd.UNREACHABLE: UNREACHABLE, RouteEnd.PROHIBIT: PROHIBIT}


def _load_static(tables: Tables, state: State, rows: Rows) -> None:
    """Put the routes of files into their tables."""
    routes = state.of(Route).values()
    if not routes:
        return
    source = len(sources(tables))
    tables.part(SourceMain).added.append((SOURCE.encode(), SOURCE_PRIORITY))
    for route in routes:
        key = address_key(route.prefix)
        table = (tables.fib6 if route.is_ipv6 else tables.fib4).tables[route.table_id]
        paths = [_path_static(hop, route, rows) for hop in route.hops]
        if route.end is not None:
            paths.append(FibPath(kind=_ENDS[route.end], is_ipv6=route.is_ipv6))
        change(tables, table, (key.value, key.length), source, tuple(paths), is_add=True, is_multipath=False)


def _path_static(hop: NextHop, route: Route, rows: Rows) -> FibPath:
    key = address_key(f"{hop.gateway}/0") if hop.gateway else None
    path = FibPath(
        next_hop=b"" if key is None else key.value.to_bytes(key.width // 8),
        weight=hop.weight,
        preference=hop.preference,
        is_ipv6=route.is_ipv6 if key is None else key.family == 6,
        table_id=hop.table_id if hop.table_id is not None else 0 if hop.interface else route.table_id,
    )
    return path._replace(sw_if_index=rows[hop.interface].index) if hop.interface else path


KIND = Kind(
    quirks=(_DROPS_OVER_LOCAL0, _TYPES_NO_DROPS, _ENDS_AT_ANSWERS),
    changes={"ip_route_add_del": _answer, "ip_route_add_del_v2": _answer},
    commands={"ip route": _command},
    deleted=_interface_gone,
    load=_load_static,
)
