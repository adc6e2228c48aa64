"""Simulates the routes of a table with their sources, those that VPP makes itself, and who holds a FIB table.

They are as in vnet/ip/lookup.c, vnet/fib/fib_source.c, fib_table.c and vnet/ip/ip_api.c. What linux-nl copies,
tests put into `NetlinkMain`. Packets go nowhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from vppcfg.simulator.api_paths import packed
from vppcfg.simulator.command_line import Command, Input
from vppcfg.simulator.fib_entries import COPIED, DROP, LOCAL, NORMAL, Entry, FibPath, NetlinkMain, Prefix, prefix_of
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.kinds.neighbor import NeighborMain, has_route
from vppcfg.simulator.retval import Retval
from vppcfg.simulator.tables import FibMain, FibSource, Tables
from vppcfg.simulator.wire import Outgoing, Values

_SOURCES = (
    *("invalid", "special", "classify", "proxy", "interface", "SR", "BIER", "6RD", "API", "CLI", "LISP", "MAP"),
    *("DHCP", "IPv6-proxy-nd", "IPv6-nd", "adjacency", "mpls", "attached_export", "recursive-resolution"),
    *("urpf-exempt", "default-route", "interpose", "path-mtu"),
)
"""By id (fib_source_t); those of plugins come behind them."""
_PRIORITIES = (
    255,
    0,
    1,
    2,
    3,
    16,
    32,
    48,
    128,
    129,
    144,
    160,
    176,
    192,
    193,
    208,
    224,
    240,
    251,
    252,
    253,
    254,
    16,
    16,
    17,
)
"""By id likewise; the lowest one wins (vnet/fib/fib_source.h)."""
CLASSIFY = _SOURCES.index("classify")
API = _SOURCES.index("API")
CLI = _SOURCES.index("CLI")
ND_PROXY = _SOURCES.index("IPv6-proxy-nd")
_EVERY_TABLE = {
    False: (
        ("0.0.0.0/0", "default-route"),
        ("0.0.0.0/32", "default-route"),
        ("224.0.0.0/4", "special"),
        ("240.0.0.0/4", "special"),
        ("255.255.255.255/32", "default-route"),
    ),
    True: (("::/0", "default-route"), ("fe80::/10", "special")),
}
"""ip4_specials and ip6_specials; that of link-local addresses leads to the tables of links, all others drop."""
_LINK_LOCAL = "fe80::/10"
_LAST_SOURCE = 255


def main_of(tables: Tables, is_ipv6: bool) -> FibMain:
    """Return the tables of a family."""
    return tables.fib6 if is_ipv6 else tables.fib4


@dataclass(slots=True, kw_only=True)
class SourceMain:
    """The sources that clients have added, with their priorities; each call makes one more, of whatever name."""

    added: list[tuple[bytes, int]] = field(default_factory=list)


def _own_sources(tables: Tables) -> tuple[str, ...]:
    """Return the names of VPP's own sources by id; plugins come behind them."""
    return (*_SOURCES, *COPIED) if tables.part(NetlinkMain).is_running else _SOURCES


def sources(tables: Tables) -> list[tuple[bytes, int]]:
    """Return the names and priorities of all who can put routes into a table, by id."""
    own = zip(_own_sources(tables), _PRIORITIES, strict=False)
    return [*((name.encode(), priority) for name, priority in own), *tables.part(SourceMain).added]


def _add_source(call: Call, values: Values) -> Outgoing:
    """Make a source, without a look at whether there is one of this name."""
    number = len(sources(call.tables))
    if number == _LAST_SOURCE:
        return call.reply()
    name = values["src.name"].split(b"\0", 1)[0]
    call.tables.part(SourceMain).added.append((name, values["src.priority"]))
    return call.reply(id=number)


def _dump_sources(call: Call, _values: Values) -> Iterator[Outgoing]:
    for number, (name, priority) in enumerate(sources(call.tables)):
        yield call.details({"src.id": number, "src.priority": priority, "src.name": name})


def _dump_routes(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show the routes of a table; none of a table that is not there, and those of one source where one is named.

    Of a prefix that has routes of several sources it is the best one's.
    """
    is_ipv6, table_id = values["table.is_ip6"], values["table.table_id"]
    table = main_of(call.tables, is_ipv6).tables.get(table_id)
    if table is None:
        return
    for (value, length), (source, paths) in best(call.tables, is_ipv6, table_id).items():
        if values["src"] in (0, source):
            yield call.details(_shown(table_id, is_ipv6, (value, length), (source, paths)))


def _shown(table_id: int, is_ipv6: bool, prefix: Prefix, entry: tuple[int, tuple[FibPath, ...]]) -> dict[str, Any]:
    value, length = prefix
    source, paths = entry
    return {
        "route.table_id": table_id,
        "route.prefix.address.af": is_ipv6,
        "route.prefix.address.un": value.to_bytes(16 if is_ipv6 else 4).ljust(16, b"\0"),
        "route.prefix.len": length,
        "route.src": source,
        "route.paths": tuple(map(packed, paths)),
    }


def _look_up(call: Call, values: Values) -> Outgoing:
    """Show the route of a prefix, or the longest one that has it, by its best source."""
    is_ipv6, table_id = bool(values["prefix.address.af"]), values["table_id"]
    if table_id not in main_of(call.tables, is_ipv6).tables:
        return call.reply(retval=Retval.NO_SUCH_FIB)
    bits = 128 if is_ipv6 else 32
    if values["prefix.len"] > bits:
        return call.reply(retval=Retval.INVALID_PREFIX_LENGTH)
    asked, length = int.from_bytes(values["prefix.address.un"][: bits // 8]), values["prefix.len"]
    place = ("routes", is_ipv6, table_id)
    if place not in call.tables.worked_out:
        call.tables.worked_out[place] = best(call.tables, is_ipv6, table_id)
    known = call.tables.worked_out[place]
    for shorter in range(length, -1 if not values["exact"] else length - 1, -1):
        key = (asked >> (bits - shorter) << (bits - shorter), shorter)
        if key in known:
            return call.reply(**_shown(table_id, is_ipv6, key, known[key]))
    return call.reply(retval=Retval.NO_SUCH_ENTRY)


def entries(tables: Tables, is_ipv6: bool, table_id: int) -> Iterator[tuple[Prefix, tuple[int, tuple[FibPath, ...]]]]:
    """Yield what each source has in a table: the prefix, the number of the source, and its paths."""
    ids = {name: number for number, name in enumerate(_own_sources(tables))}
    for key, (name, paths) in _own_routes(tables, is_ipv6, table_id):
        yield key, (ids[name], paths)
    for key, found in main_of(tables, is_ipv6).tables[table_id].routes.items():
        for entry in found.items():
            yield key, entry
    for host in main_of(tables, is_ipv6).tables[table_id].left_hosts:
        yield (host, 128 if is_ipv6 else 32), (ids["path-mtu"], (FibPath(kind=DROP, is_ipv6=is_ipv6),))
    for key, (name, paths) in tables.part(NetlinkMain).entries(is_ipv6, table_id):
        yield key, (ids[name], paths)


def best(tables: Tables, is_ipv6: bool, table_id: int) -> dict[Prefix, tuple[int, tuple[FibPath, ...]]]:
    """Return the entry of each prefix whose source is the best: of the lowest priority, then of the lowest id."""
    known = sources(tables)
    found: dict[Prefix, tuple[int, tuple[FibPath, ...]]] = {}
    for key, entry in entries(tables, is_ipv6, table_id):
        if key not in found or (known[entry[0]][1], entry[0]) < (known[found[key][0]][1], found[key][0]):
            found[key] = entry
    return found


def _own_routes(tables: Tables, is_ipv6: bool, table_id: int) -> Iterator[tuple[Prefix, Entry]]:
    """Yield the default routes of a table."""
    for text, source in _EVERY_TABLE[is_ipv6]:
        kind = NORMAL if text == _LINK_LOCAL else DROP
        yield prefix_of(text), (source, (FibPath(kind=kind, is_ipv6=is_ipv6),))
    book = tables.ip6 if is_ipv6 else tables.ip4
    for row in tables.sw:
        if book.table_of(row.index) == table_id and row.is_up and tables.parent_of(row).is_up:
            for assigned in book.of(row.index):
                if assigned.sw_if_index == row.index:
                    yield from _of_address(row.index, assigned.address, assigned.length, is_ipv6)
            yield from _of_neighbors(tables, row.index, is_ipv6)


def _of_address(index: int, address: int, length: int, is_ipv6: bool) -> Iterator[tuple[Prefix, Entry]]:
    """Yield what comes with an address: its network, itself, and in IPv4 the ends of the network."""
    bits = 128 if is_ipv6 else 32
    rest = bits - length
    network = address >> rest << rest
    raw = address.to_bytes(bits // 8)
    if rest:
        yield (network, length), ("interface", (FibPath(index, is_ipv6=is_ipv6),))
    yield (address, bits), ("interface", (FibPath(index, raw, LOCAL, is_ipv6=is_ipv6),))
    if not is_ipv6 and rest > 1:
        for end in (network, network | (1 << rest) - 1):
            if end != address:
                yield (end, bits), ("interface", (FibPath(kind=DROP),))


def _of_neighbors(tables: Tables, index: int, is_ipv6: bool) -> Iterator[tuple[Prefix, Entry]]:
    for address, entry in tables.part(NeighborMain).entries.get(index, {}).items():
        if (address.version == 6) == is_ipv6 and not address.is_link_local and has_route(entry):
            bits = 128 if is_ipv6 else 32
            yield (int(address), bits), ("adjacency", (FibPath(index, address.packed, is_ipv6=is_ipv6),))


def _command_summary(is_ipv6: bool) -> Command:
    """`show ip fib summary table <id>`: who holds a table, and how many prefixes of each length it has."""

    def command(tables: Tables, line: Input) -> str:
        table_id = line.number_after("table") or 0
        table = main_of(tables, is_ipv6).tables.get(table_id)
        if table is None:
            return ""
        lengths = Counter(length for _, length in best(tables, is_ipv6, table_id))
        return f"{head_of(tables, is_ipv6, table_id)}\n{'Prefix length':^20}{'Count':^16}\n" + "".join(
            f"{length:20}{count:16}\n" for length, count in sorted(lengths.items())
        )

    return command


def head_of(tables: Tables, is_ipv6: bool, table_id: int) -> str:
    """Return the line about a table, with who holds it."""
    table = main_of(tables, is_ipv6).tables[table_id]
    book = tables.ip6 if is_ipv6 else tables.ip4
    bound = sum(book.table_of(row.index) == table_id for row in tables.sw)
    held = [f"interface:{bound}, "] if bound else []
    held += [f"{source.value}:1, " for source in FibSource if source in table.holders]
    held += [f"{source}:{count}, " for source, count in table.locks.items() if count]
    return f"{table.name.decode(errors='replace')}, fib_index:{table.index}, epoch:0 flags:none locks:[{''.join(held)}]"


def _command_memory(tables: Tables, line: Input) -> str:
    """`show fib memory`: how many entries all tables have (vnet/fib/fib_node.c); the other rows are left out."""
    families = {is_ipv6: main_of(tables, is_ipv6).tables for is_ipv6 in (False, True)}
    count = sum(len(best(tables, is_ipv6, number)) for is_ipv6, found in families.items() for number in found)
    head = f"FIB memory\n  Nodes:\n{'Name':^30} {'Size':^5} {'in-use':^8}/{'allocated':^9}   totals\n"
    return f"{head}{'Entry':^30} {72:^5} {count:^8}/{count:^9}   {72 * count}/{72 * count} \n"


KIND = Kind(
    changes={"fib_source_add": _add_source},
    queries={
        "fib_source_dump": _dump_sources,
        "ip_route_v2_dump": _dump_routes,
        "ip_route_lookup_v2": _look_up,
    },
    commands={
        "show fib memory": _command_memory,
        "show ip fib summary": _command_summary(is_ipv6=False),
        "show ip6 fib summary": _command_summary(is_ipv6=True),
    },
)
