"""Reads routes that other programs have through interfaces and in FIB tables, path by path.

A route whose interface is deleted stays and drops, and so does every route that is added with the same paths, until
none of them is left (fib_path_list_db_insert, vnet/fib/fib_path_list.c): they are removed before the interface goes.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from vppcfg.model.attachment import ApiCall, Attachment, Layer, Values, index_placeholder, stored_call
from vppcfg.model.nd_proxy import NdProxy
from vppcfg.model.vrf import FibTable, table_key
from vppcfg.operations.request import NO_INDEX
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.unmanaged.reader import Reader, ReadScope
from vppcfg.wire.codec import text_of_address, text_of_prefix
from vppcfg.wire.reading import Replies

_ROUTES, _DETAILS = "ip_route_v2_dump", "ip_route_v2_details"
_ADD_ROUTE = "ip_route_add_del_v2"
_CARRIED = {"CLI": "route of the prompt", "API": "route of the API"}
"""Sources whose routes no other program restores: those of Linux and of protocols come again by themselves."""
_IDS = {"API": 8, "CLI": 9}
"""fib_source_t (vnet/fib/fib_source.h), the same in all releases from 22.06."""
_ND_PROXY = 13
"""FIB_SOURCE_IP6_ND_PROXY, likewise."""
_SET_PROXY = "ip6nd_proxy_add_del"
_LABELS = 16
_NUMBERS = ("table_id", "rpf_id", "weight", "preference", "type", "flags", "proto", "nh.via_label", "n_labels")
_LABEL = ("is_uniform", "label", "ttl", "exp")
_STACK = tuple(f"label_stack.{place}.{part}" for place in range(_LABELS) for part in _LABEL)
PATH = ("sw_if_index", "nh.address", *_NUMBERS, *_STACK)
Path = Mapping[str, Any]
_NORMAL = 0
_ENDS = {1: "local", 2: "drop", 5: "null-send-unreach", 6: "null-send-prohibit"}


def _route_requests(connection: Connection, scope: ReadScope) -> list[bytes]:
    return [
        connection.request(
            _ROUTES, {"src": number, "table.table_id": table.table_id, "table.is_ip6": int(table.is_ipv6)}
        )[1]
        for table in connection.survey.walkable(scope.tables, "routes of the prompt and of the API")
        for number in _IDS.values()
    ]


def _wanted(connection: Connection, scope: ReadScope) -> Callable[[bytes], bool]:
    """Return what tells whether a route leads to, or is in, what is asked about: of a full table few are kept."""
    message = connection.message(_DETAILS)
    kind, table_of = message.index.to_bytes(2), message.reader("route.table_id")
    tables = {table.table_id for table in scope.tables if table.key in scope.holders}
    indexes = frozenset(scope.indexes())
    numbers = [number.to_bytes(4) for number in indexes | tables]

    def is_wanted(data: bytes) -> bool:
        if not data.startswith(kind):
            return True
        if not any(number in data for number in numbers):  # wherever: most end here
            return False
        try:
            paths = message.items(data, "sw_if_index", "table_id")
            return table_of(data)[0] in tables or any(index in indexes or table in tables for index, table in paths)
        except struct.error:
            return True  # whoever reads it says what is wrong with it

    return is_wanted


def _read_routes(connection: Connection, _: Replies, scope: ReadScope) -> Iterator[Attachment]:
    replies = connection.ask(_route_requests(connection, scope), _wanted(connection, scope))
    kinds = {_IDS[source]: kind for source, kind in _CARRIED.items()}
    heads = ("route.table_id", "route.src", "route.prefix.address.af", "route.prefix.address.un", "route.prefix.len")
    for (table_id, source, family, raw, length), paths in connection.lists(replies, _DETAILS, heads, *PATH):
        table = FibTable(table_id=table_id, is_ipv6=bool(family))
        values: Values = {
            "route.table_id": table_id,
            "route.prefix.address.af": family,
            "route.prefix.address.un": raw,
            "route.prefix.len": length,
            "route.src": source,
        }
        prefix = text_of_prefix(family, raw, length) + (f" table {table_id}" if table_id else "")
        ways = [dict(zip(PATH, each, strict=True)) for each in paths]
        named = [(path, scope.names.get(path["sw_if_index"], "") if path["type"] == _NORMAL else "") for path in ways]
        kept = [(path, name) for path, name in named if not is_stale(scope, path)]
        found = []
        for path, name in named:
            beyond = "" if name else lookup_table_of(path)
            holder = next((each for each in (table.key, name, beyond) if each in scope.holders), "")
            if holder and source in kinds:
                attachment = _of_path(holder, kinds[source], prefix, values, path, name)
                attachment = _through_table(attachment, beyond, source)
                is_exact = name or not _is_like_a_drop(path)
                whole = stored_call(_ADD_ROUTE, {"is_add": 0, "is_multipath": 0, **values})
                found.append(attachment if is_exact else replace(attachment, put=None, take=whole, lines=()))
        has_stale = len(kept) < len(named)
        if has_stale:
            yield from {each.holder: _of_route(each, prefix, values, kept) for each in found}.values()
        else:
            yield from found


def is_stale(scope: ReadScope, path: Path) -> bool:
    """Return whether a path is over a deleted interface.

    VPP resolves it again when another path of the route comes or goes, and ends: the route is removed as a whole.
    """
    index = path["sw_if_index"]
    return path["type"] == _NORMAL and index != NO_INDEX and index not in scope.names


def _of_route(attachment: Attachment, prefix: str, route: Values, paths: Sequence[tuple[Path, str]]) -> Attachment:
    """Return a path of a route that VPP changes as a whole only, with all of its paths that lead anywhere."""
    return replace(
        attachment,
        name=" ".join((prefix, *(way_of(*each) for each in paths))),
        put=None,
        take=stored_call(_ADD_ROUTE, {"is_add": 0, "is_multipath": 0, **route}),
        lines=tuple(line for each in paths for line in _lines(prefix, *each)),
        removal=f"ip route del {prefix}",
    )


def _lines(prefix: str, path: Path, name: str) -> tuple[str, ...]:
    """Return the command that adds a path to a route; none where it has no words."""
    if has_modes(path):
        return ()
    return (f"ip route add {prefix} {way_of(path, name)}{share_of(path)}{labels_of(path)}",)


def _is_like_a_drop(path: Path) -> bool:
    """Return whether a path is shown as a look-up in the default table, which may be another end too.

    So are `null-send-unreach`, `null-send-prohibit` and `punt`, and before 24.10 `drop` (5f694322a92).
    """
    return path["type"] == _NORMAL and not any(path["nh.address"]) and not path["table_id"]


def lookup_table_of(path: Path) -> str:
    """Return the FIB table, other than the default one, that a path of no interface goes on in; '' for none."""
    is_there = path["type"] == _NORMAL and path["sw_if_index"] == NO_INDEX and path["table_id"]
    return table_key(path["table_id"], is_ipv6=path["proto"] == 1) if is_there else ""


def _through_table(attachment: Attachment, beyond: str, source: int) -> Attachment:
    """Return the path of a route with the table that it needs.

    One of the prompt is changed by the prompt: the API does not find its look-ups in a table (fib_path_cmp_i).
    """
    if not beyond:
        return attachment
    put, take = (replace(call, needs=(beyond,)) for call in (attachment.put, attachment.take) if call is not None)
    if source == _IDS["CLI"] and attachment.lines:
        put, take = (
            ApiCall(message="cli_inband", text=line, needs=(beyond,))
            for line in (*attachment.lines, attachment.removal)
        )
    return replace(attachment, put=put, take=take)


def _of_path(holder: str, kind: str, prefix: str, route: Values, path: Path, name: str) -> Attachment:
    element = element_of(path, name)
    change = {"is_multipath": 1, **route}
    return Attachment(
        holder=holder,
        kind=kind,
        name=f"{prefix} {way_of(path, name)}",
        layer=Layer.ROUTED,
        put=stored_call(_ADD_ROUTE, {"is_add": 1, **change}, "paths", [element]),
        take=stored_call(_ADD_ROUTE, {"is_add": 0, **change}, "paths", [element]),
        outlives=True,
        lines=_lines(prefix, path, name),
        removal=f"ip route del {prefix} {way_of(path, name)}",
    )


def element_of(path: Path, name: str) -> dict[str, Any]:
    """Return a path without its zeros; one that leads nowhere has the number that it was given, which is compared."""
    return {key: value for key, value in path.items() if value} | (
        {"sw_if_index": index_placeholder(name)} if name else {}
    )


def way_of(path: Path, name: str) -> str:
    """Return where a path leads, as the prompt takes it."""
    if path["type"] != _NORMAL:
        return f"via {_ENDS.get(path['type'], name)}"
    hop = path["nh.address"]
    gateway = text_of_address(path["proto"], hop) if any(hop) and path["proto"] in (0, 1) else ""
    if not gateway and not name:
        return f"via ip{6 if path['proto'] else 4}-lookup-in-table {path['table_id']}"
    if not name and path["table_id"]:
        return f"via {gateway} next-hop-table {path['table_id']}"
    return f"via {gateway} {name}".replace("  ", " ").rstrip()


def share_of(path: Path) -> str:
    weight = f" weight {path['weight']}" if path["weight"] not in (0, 1) else ""
    return weight + (f" preference {path['preference']}" if path["preference"] else "")


def labels_of(path: Path) -> str:
    """Return the MPLS labels that a path gives its packets, as the prompt takes them."""
    labels = " ".join(str(path[f"label_stack.{place}.label"]) for place in range(path["n_labels"]))
    return f" out-labels {labels}" if labels else ""


def has_modes(path: Path) -> bool:
    """Return whether a label of a path has a TTL or a class of its own, which the prompt takes in no words."""
    places = range(path["n_labels"])
    return any(path[f"label_stack.{place}.{part}"] for place in places for part in ("ttl", "exp"))


def _proxy_requests(connection: Connection, scope: ReadScope) -> list[bytes]:
    return [
        connection.request(_ROUTES, {"src": _ND_PROXY, "table.table_id": table.table_id, "table.is_ip6": 1})[1]
        for table in connection.survey.walkable(filter(attrgetter("is_ipv6"), scope.tables), "IPv6 ND proxies")
    ]


def _read_proxies(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
    """Yield the hosts that VPP answers neighbour solicitations for, but for those of files."""
    heads = ("route.table_id", "route.src", "route.prefix.address.un")
    own = {(each.address, each.interface, each.table_id) for each in scope.state.of(NdProxy).values()}
    for (table_id, source, raw), paths in connection.lists(replies, "ip_route_v2_details", heads, "sw_if_index"):
        for (index,) in paths if source == _ND_PROXY else ():
            name, host = scope.names.get(index, ""), text_of_address(1, raw)
            table = FibTable(table_id=table_id, is_ipv6=True)
            if (host, name, table_id) in own or not scope.holders & {name, table.key}:
                continue
            holder = table.key if table.key in scope.holders else name
            values: Values = {"sw_if_index": index_placeholder(name), "ip": raw}
            interface = scope.state.interfaces.get(name)
            is_there = interface is not None and interface.tables[1] == table_id
            yield Attachment(
                holder=holder,
                kind="IPv6 ND proxy",
                name=host,
                layer=Layer.ROUTED,
                put=stored_call(_SET_PROXY, {"is_add": 1, **values}) if is_there and holder == name else None,
                take=stored_call(_SET_PROXY, {"is_add": 0, **values}) if is_there else None,
                outlives=True,
                lines=(f"set ip6 nd proxy {name} {host}",) if holder == name else (),
                removal=f"set ip6 nd proxy {name} del {host}" if is_there else "",
            )


READERS = (
    Reader((_ROUTES, _ADD_ROUTE), lambda connection, scope: (), _read_routes),
    Reader((_ROUTES, _SET_PROXY), _proxy_requests, _read_proxies),
)
