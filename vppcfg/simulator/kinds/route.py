"""Routes that somebody types, those that VPP makes by itself, and who holds a FIB table.

They are as in vnet/ip/lookup.c, vnet/fib/fib_source.c, fib_table.c and vnet/ip/ip_api.c. What linux-nl copies is in
`simulator/linux_nl`. Packets go nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vppcfg.simulator.command_line import Command, Input
from vppcfg.simulator.fib_entries import (
    COPIED,
    DROP,
    LOCAL,
    NORMAL,
    Entry,
    FibPath,
    NetlinkMain,
    Prefix,
    prefix_of,
)
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.kinds.neighbor import NeighborMain, has_route
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import FibMain, FibRoute, FibSource, FibTable, Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values

_FIB = """
version 23.06- 1.0.0 4ef4abc1
struct fib_source: u8 priority, u8 id, string name[64]
request fib_source_dump 51077d14 streams fib_source_details
reply fib_source_details 8668acdb: fib_source src
"""
_PATH = (
    "u32 sw_if_index, u32 table_id, u32 rpf_id, u8 weight, u8 preference, fib_path_type type, fib_path_flags flags, "
    "fib_path_nh_proto proto, fib_path_nh nh, u8 n_labels, fib_mpls_label label_stack[16]"
)
_IP = f"""
import prefix
struct fib_mpls_label: u8 is_uniform, u32 label, u8 ttl, u8 exp
struct fib_path_nh: address_union address, u32 via_label, u32 obj_id, u32 classify_table_index
enum fib_path_type u32 FIB_API_PATH_TYPE_NORMAL=0 FIB_API_PATH_TYPE_LOCAL=1 FIB_API_PATH_TYPE_DROP=2 \
FIB_API_PATH_TYPE_ICMP_UNREACH=5 FIB_API_PATH_TYPE_ICMP_PROHIBIT=6
enum fib_path_flags u32 FIB_API_PATH_FLAG_NONE=0
enum fib_path_nh_proto u32 FIB_API_PATH_NH_PROTO_IP4=0 FIB_API_PATH_NH_PROTO_IP6=1
struct fib_path: {_PATH}
struct ip_route_v2: u32 table_id, u32 stats_index, prefix prefix, u8 n_paths, u8 src, fib_path paths[n_paths]
request ip_route_v2_dump d16f72e6 streams ip_route_v2_details: u8 src, ip_table table
reply ip_route_v2_details b09aa6c0: ip_route_v2 route
"""
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
_CLI = _SOURCES.index("CLI")
_LABELS = (0, 0, 0, 0) * 16
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


def _main(tables: Tables, is_ipv6: bool) -> FibMain:
    return tables.fib6 if is_ipv6 else tables.fib4


def _source_names(tables: Tables) -> tuple[str, ...]:
    """Return who can put routes into a table, by id: plugins come behind VPP's own."""
    return (*_SOURCES, *COPIED) if tables.part(NetlinkMain).is_running else _SOURCES


def _dump_sources(call: Call, _values: Values) -> Iterator[Outgoing]:
    names = _source_names(call.tables)
    for number, (name, priority) in enumerate(zip(names, _PRIORITIES[: len(names)], strict=True)):
        yield call.details({"src.id": number, "src.priority": priority, "src.name": name.encode()})


def _dump_routes(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show the routes of a table; none of a table that is not there, and those of one source where one is named.

    Of a prefix that has routes of several sources it is the best one's.
    """
    is_ipv6, table_id = values["table.is_ip6"], values["table.table_id"]
    table = _main(call.tables, is_ipv6).tables.get(table_id)
    if table is None:
        return
    names = _source_names(call.tables)
    for (value, length), (source, paths) in _best(call.tables, is_ipv6, table_id, names).items():
        if values["src"] in (0, names.index(source)):
            raw = value.to_bytes(16 if is_ipv6 else 4)
            yield call.details(
                {
                    "route.table_id": table_id,
                    "route.prefix.address.af": is_ipv6,
                    "route.prefix.address.un": raw.ljust(16, b"\0"),
                    "route.prefix.len": length,
                    "route.src": names.index(source),
                    "route.paths": tuple(map(_packed, paths)),
                }
            )


def _best(tables: Tables, is_ipv6: bool, table_id: int, names: tuple[str, ...]) -> dict[Prefix, Entry]:
    """Return the entry of each prefix whose source has the lowest priority."""
    typed = _main(tables, is_ipv6).tables[table_id].routes
    entries = [
        *_own_routes(tables, is_ipv6, table_id),
        *((key, (_SOURCES[_CLI], (_typed_path(route, is_ipv6),))) for key, route in typed.items()),
        *tables.part(NetlinkMain).entries(is_ipv6, table_id),
    ]
    best: dict[Prefix, Entry] = {}
    for key, entry in entries:
        if key not in best or _PRIORITIES[names.index(entry[0])] < _PRIORITIES[names.index(best[key][0])]:
            best[key] = entry
    return best


def _own_routes(tables: Tables, is_ipv6: bool, table_id: int) -> Iterator[tuple[Prefix, Entry]]:
    """Yield what a table has without anybody's doing."""
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


def _typed_path(route: FibRoute, is_ipv6: bool) -> FibPath:
    return FibPath(route.sw_if_index, route.next_hop, is_ipv6=is_ipv6)


def _packed(path: FibPath) -> tuple[Any, ...]:
    hop = (path.next_hop.ljust(16, b"\0"), 0, 0, 0)
    labels = tuple(part for label in path.labels for part in (1, label, 0, 0))
    return (
        *(path.sw_if_index, 0, 0, path.weight, path.preference, path.kind, 0, path.is_ipv6, *hop, len(path.labels)),
        *(labels + _LABELS)[: len(_LABELS)],
    )


def _command_route(tables: Tables, rest: Input) -> str:
    """`ip route [add|del] <prefix> [table <id>] [via <address> [<interface>]|via <interface>]`."""
    line = rest.line()
    is_add, table_id, prefix, route = True, 0, None, None
    while not line.is_at_end:
        if (number := line.number_after("table")) is not None:
            table_id = number
        elif (found := line.prefix()) is not None:
            prefix = found
        elif line.take("via"):
            route = _path(tables, line)
        elif line.take("del"):
            is_add = False
        elif not line.take("add"):
            raise line.unknown("parse error")
    if prefix is None:
        raise RefusedError(Retval.UNSPECIFIED, "expected ip4/ip6 destination address/length.")
    if is_add and route is None:
        raise RefusedError(Retval.UNSPECIFIED, "expected paths.")
    is_ipv6, value, length = prefix
    table = _main(tables, is_ipv6).tables.get(table_id)
    if table is None:
        raise RefusedError(Retval.UNSPECIFIED, f"Nonexistent table id {table_id}")
    host_bits = (128 if is_ipv6 else 32) - length
    key = (value >> host_bits << host_bits, length)
    if is_add and route is not None:
        table.routes[key] = route
    else:
        table.routes.pop(key, None)
    return ""


def _path(tables: Tables, line: Input) -> FibRoute:
    """Return where a route leads: to an address, through an interface, or both."""
    hop = line.address()
    row = line.interface(tables)
    if hop is None and row is None:
        raise line.unknown("parse error")
    packed = hop.packed if hop is not None else b""
    return FibRoute(next_hop=packed.ljust(16, b"\0"), sw_if_index=row.index if row is not None else NONE)


def _command_summary(is_ipv6: bool) -> Command:
    """`show ip fib summary table <id>`: who holds a table; the prefixes of each length are left out."""

    def command(tables: Tables, line: Input) -> str:
        table_id = line.number_after("table") or 0
        table = _main(tables, is_ipv6).tables.get(table_id)
        if table is None:
            return ""
        book = tables.ip6 if is_ipv6 else tables.ip4
        bound = sum(book.table_of(row.index) == table_id for row in tables.sw)
        return f"{table.name.decode(errors='replace')}, flags:none locks:[{_locks(table, bound)}]\n"

    return command


def _locks(table: FibTable, bound: int) -> str:
    held = [f"interface:{bound}, "] if bound else []
    held += [f"{source.value}:1, " for source in FibSource if source in table.holders]
    return "".join([*held, f"recursive-resolution:{table.endpoints}, "] if table.endpoints else held)


KIND = Kind(
    api={"fib": _FIB, "ip": _IP},
    queries={"fib_source_dump": _dump_sources, "ip_route_v2_dump": _dump_routes},
    commands={
        "ip route": _command_route,
        "show ip fib summary": _command_summary(is_ipv6=False),
        "show ip6 fib summary": _command_summary(is_ipv6=True),
    },
)
