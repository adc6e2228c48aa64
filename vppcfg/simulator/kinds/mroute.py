"""Simulates multicast routes (vnet/mfib): a path keeps the index of a deleted interface, and serves the next with it.

Those of VPP itself are in every table: what all interfaces with a protocol accept. A table is there while its locks add
up to more than none. Unlike the locks of a FIB table, they count down without asking (mfib_table_unlock): who lets go
what it never held takes the lock of another.
"""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from vppcfg.simulator.api_paths import packed, unpacked
from vppcfg.simulator.command_line import Command, Input
from vppcfg.simulator.fib_entries import LOCAL, NORMAL, FibPath
from vppcfg.simulator.ip6_link import Ip6LinkMain
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.retval import DiedError, RefusedError, Retval
from vppcfg.simulator.tables import FibSource, Tables
from vppcfg.simulator.wire import Outgoing, Values

ACCEPT, _FORWARD = 2, 4
"""Flags of a path."""
_WORDS = {"Negate-Signal": 1, "Accept": ACCEPT, "Forward": _FORWARD, "Signal-Present": 8, "Don't-Preserve": 16}
_SPECIAL, API, CLI = 0, 2, 3
"""Sources, the best one first (mfib_source_t)."""
_SOURCES = {_SPECIAL: "Special", API: "API", CLI: "CLI"}
_MOST_PATHS = 255
_INTERFACE = "interface"
_FLUSHED = {FibSource.API.value: API, FibSource.CLI.value: CLI}
"""Whose routes go with their last lock."""
Place = tuple[bool, int]
"""Whether IPv6, and the id of a table."""
_OWN = {
    False: (("224.0.0.1", 32), ("224.0.0.2", 32)),
    True: (("ff02::1", 128), ("ff02::2", 128), ("ff02::16", 128), ("ff02::1:ff00:0", 104)),
}
"""Groups of VPP's own routes, by family."""


class Group(NamedTuple):
    """What a multicast route is for."""

    address: int
    source: int
    length: int
    """Of the group, and of the source behind it where one is named."""


Paths = dict[tuple[int, int], tuple[int, FibPath]]
"""What is done on an interface, as flags, and the path, by the path's kind and interface."""


@dataclass(slots=True, kw_only=True)
class MrouteMain:
    """Tables, and the routes that were added to them."""

    routes: dict[Place, dict[Group, dict[int, Paths]]] = field(default_factory=dict)
    """By source."""
    locks: dict[Place, Counter[str]] = field(default_factory=dict)
    """How often each source holds a table; below 0 where it has let go more than that."""
    entered: dict[Place, int] = field(default_factory=dict)
    """Ids of the tables that interfaces are in, by family and sw_if_index; without those in the default ones."""


def has_table(tables: Tables, is_ipv6: bool, table_id: int) -> bool:
    """Return whether there is a table for multicast of this id."""
    return not table_id or (is_ipv6, table_id) in tables.part(MrouteMain).locks


def hold(tables: Tables, is_ipv6: bool, table_id: int, source: str) -> None:
    """Hold a table, which is made where there is none."""
    tables.part(MrouteMain).locks.setdefault((is_ipv6, table_id), Counter())[source] += 1


def let_go(tables: Tables, is_ipv6: bool, table_id: int, source: str) -> None:
    """Count down what a source holds of a table, whether it holds it or not."""
    main, place = tables.part(MrouteMain), (is_ipv6, table_id)
    if (locks := main.locks.get(place)) is None:
        return
    locks[source] -= 1
    if not locks.total():
        del main.locks[place]
        main.routes.pop(place, None)
    elif not locks[source] and source in _FLUSHED:
        routes = main.routes.get(place, {})
        for group in list(routes):
            _delete(routes, group, _FLUSHED[source])


def enter(tables: Tables, is_ipv6: bool, sw_if_index: int, table_id: int) -> None:
    """Put an interface into a table, or into none where there is none of this id (mfib_table_bind)."""
    entered, is_there = tables.part(MrouteMain).entered, has_table(tables, is_ipv6, table_id)
    if old := entered.pop((is_ipv6, sw_if_index), 0):
        let_go(tables, is_ipv6, old, _INTERFACE)
    if table_id and is_there:
        hold(tables, is_ipv6, table_id, _INTERFACE)
        entered[is_ipv6, sw_if_index] = table_id


def change(
    tables: Tables,
    place: Place,
    group: Group,
    source: int,
    paths: list[tuple[int, FibPath]],
    *,
    is_add: bool,
) -> None:
    """Add or delete paths of one source; a path that is there gets other flags."""
    routes = tables.part(MrouteMain).routes.setdefault(place, {})
    known = routes.setdefault(group, {}).setdefault(source, {})
    for flags, path in paths:
        key = path.kind, path.sw_if_index
        if is_add:
            known[key] = flags, path
        else:
            known.pop(key, None)
    if not known:
        _delete(routes, group, source)


def _delete(routes: dict[Group, dict[int, Paths]], group: Group, source: int) -> None:
    found = routes.get(group, {})
    found.pop(source, None)
    if not found:
        routes.pop(group, None)


def _own(tables: Tables, is_ipv6: bool, table_id: int) -> Iterator[tuple[Group, Paths]]:
    """Yield VPP's own routes: each interface with the protocol accepts what they are for."""
    yield Group(0, 0, 0), {}
    entered = tables.part(MrouteMain).entered
    local = {(LOCAL, FibPath().sw_if_index): (0, FibPath(kind=LOCAL, is_ipv6=is_ipv6))}
    accepting = {
        (NORMAL, row.index): (ACCEPT, FibPath(row.index, is_ipv6=is_ipv6))
        for row in tables.sw
        if entered.get((is_ipv6, row.index), 0) == table_id and _has_protocol(tables, is_ipv6, row.index)
    }
    for text, length in _OWN[is_ipv6]:
        yield Group(int(ipaddress.ip_address(text)), 0, length), {**local, **accepting}


def _has_protocol(tables: Tables, is_ipv6: bool, index: int) -> bool:
    if is_ipv6:
        return index in tables.part(Ip6LinkMain).links
    return tables.sw[index].unnumbered is not None or tables.ip4.shows(index)


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show the routes of a table in order of their groups, each with the paths of its best source.

    Raise DiedError where one has more than 255: VPP counts them in eight bits and writes them all, beyond its message.
    """
    is_ipv6, table_id = bool(values["table.is_ip6"]), values["table.table_id"]
    size = 16 if is_ipv6 else 4
    for group, sources in _routes(call.tables, is_ipv6, table_id):
        paths = sources[min(sources)]
        if len(paths) > _MOST_PATHS:
            raise DiedError
        yield call.details(
            {
                "route.table_id": table_id,
                "route.prefix.af": is_ipv6,
                "route.prefix.grp_address_length": group.length,
                "route.prefix.grp_address": group.address.to_bytes(size).ljust(16, b"\0"),
                "route.prefix.src_address": group.source.to_bytes(size).ljust(16, b"\0"),
                "route.paths": tuple((_dumped_flags(flags, path), *packed(path)) for flags, path in paths.values()),
            }
        )


def _routes(tables: Tables, is_ipv6: bool, table_id: int) -> list[tuple[Group, dict[int, Paths]]]:
    """Return the routes of a table in order of their groups, with the paths of each source."""
    if not has_table(tables, is_ipv6, table_id):
        return []
    found = {
        group: dict(sources) for group, sources in tables.part(MrouteMain).routes.get((is_ipv6, table_id), {}).items()
    }
    for group, paths in _own(tables, is_ipv6, table_id):
        found.setdefault(group, {})[_SPECIAL] = paths
    return sorted(found.items(), key=lambda row: row[0])


def _dumped_flags(flags: int, path: FibPath) -> int:
    """Return what the dump has of a path's flags: one at most, and none of what VPP takes itself."""
    return flags if flags in (ACCEPT, _FORWARD) and path.kind == NORMAL else 0


def _answer(call: Call, values: Values) -> None:
    is_ipv6, table_id = bool(values["route.prefix.af"]), values["route.table_id"]
    if not has_table(call.tables, is_ipv6, table_id):
        raise RefusedError(Retval.NO_SUCH_FIB)
    size = 16 if is_ipv6 else 4
    address, source = (int.from_bytes(values[f"route.prefix.{name}_address"][:size]) for name in ("grp", "src"))
    group = Group(address, source, values["route.prefix.grp_address_length"])
    paths = [(row[0], unpacked(call.tables, row[1:])) for row in values["route.paths"]]
    change(call.tables, (is_ipv6, table_id), group, API, paths, is_add=values["is_add"])


def _command(tables: Tables, rest: Input) -> None:
    """`ip mroute [add|del] [<source>] <group>[/<length>] [table <id>] via <interface>|local Accept|Forward`."""
    line = rest.line()
    is_add, table_id, group, is_ipv6 = True, 0, Group(0, 0, 0), False
    path: tuple[int, FibPath] | None = None
    while not line.is_at_end:
        if (number := line.number_after("table")) is not None:
            table_id = number
        elif line.take("del"):
            is_add = False
        elif line.take("via"):
            path = _path(tables, line, is_ipv6)
        elif (found := _group(line)) is not None:
            is_ipv6, group = found
        elif not line.take("add"):
            raise line.unknown("parse error")
    if not has_table(tables, is_ipv6, table_id):
        raise RefusedError(Retval.UNSPECIFIED, f"Nonexistent table id {table_id}")
    if path is not None:
        change(tables, (is_ipv6, table_id), group, CLI, [path], is_add=is_add)
    elif not is_add:
        _delete(tables.part(MrouteMain).routes.setdefault((is_ipv6, table_id), {}), group, CLI)


def _group(line: Input) -> tuple[bool, Group] | None:
    if (prefix := line.prefix()) is not None:
        return prefix[0], Group(prefix[1], 0, prefix[2])
    first = line.address()
    if first is None:
        return None
    second = line.address()
    is_ipv6 = first.version == 6
    bits = 128 if is_ipv6 else 32
    return is_ipv6, Group(int(first), 0, bits) if second is None else Group(int(second), int(first), 2 * bits)


def _path(tables: Tables, line: Input, is_ipv6: bool) -> tuple[int, FibPath]:
    if line.take("local"):
        path = FibPath(kind=LOCAL, is_ipv6=is_ipv6)
    else:
        path = FibPath(line.require_interface(tables, "parse error").index, is_ipv6=is_ipv6)
    flags = 0
    while (flag := line.choice_after("", _WORDS)) is not None:
        flags |= flag
    return flags, path


def _command_show(is_ipv6: bool) -> Command:
    """`show ip mfib table <id> [[<source>] <group>[/<length>]]`: all groups in brief, or the paths of one by source."""

    def command(tables: Tables, rest: Input) -> str:
        line = rest.line()
        table_id = line.number_after("table") or 0
        found = _group(line)
        return "".join(
            f"{_head(is_ipv6, group)}{_by_source(tables, sources) if found is not None else ''}"
            f"\n  Interfaces:{''.join(_interfaces(tables, sources[min(sources)]))}\n"
            for group, sources in _routes(tables, is_ipv6, table_id)
            if found is None or group == found[1]
        )

    return command


def _head(is_ipv6: bool, group: Group) -> str:
    address, size = (ipaddress.IPv6Address, 128) if is_ipv6 else (ipaddress.IPv4Address, 32)
    source = address(group.source) if group.source else "*"
    return f"({source}, {address(group.address)}/{min(group.length, size)}): "


def _by_source(tables: Tables, sources: dict[int, Paths]) -> str:
    lines = [""]
    for source, paths in sorted(sources.items()):
        lines += [f"  src:{_SOURCES[source]} flags:none locks:1: "]
        for number, (_, path) in enumerate(paths.values()):
            hop = str(ipaddress.ip_address(path.next_hop[: 16 if path.is_ipv6 else 4])) if any(path.next_hop) else ""
            way = "receive" if path.kind == LOCAL else "attached-nexthop" if hop else "attached"
            share = f"weight={path.weight} pref={path.preference}"
            lines += [f"      path:[{number}] pl-index:0 ip{'6' if path.is_ipv6 else '4'} {share} {way}: "]
            lines += [f"        {hop} {_name(tables, path)}"]
        lines += ["    Extensions:"]
        lines += [f"     path:{number} flags:{_words(flags)}" for number, (flags, _) in enumerate(paths.values())]
    return "\n".join(lines)


def _interfaces(tables: Tables, paths: Paths) -> Iterator[str]:
    for flags, path in paths.values():
        if path.kind != LOCAL:
            yield f"\n   {_name(tables, path)}: {_words(flags)}"


def _name(tables: Tables, path: FibPath) -> str:
    if path.kind == LOCAL:
        return "[@0]: dpo-receive"
    return tables.name_at(path.sw_if_index)


def _words(flags: int) -> str:
    return "".join(f"{word}," for word, flag in _WORDS.items() if flags & flag)


KIND = Kind(
    changes={"ip_mroute_add_del": _answer},
    queries={"ip_mroute_dump": _dump},
    commands={
        "ip mroute": _command,
        "show ip mfib": _command_show(is_ipv6=False),
        "show ip6 mfib": _command_show(is_ipv6=True),
    },
)
