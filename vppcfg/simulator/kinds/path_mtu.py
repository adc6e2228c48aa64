"""Simulates path MTUs of hosts (vnet/ip/ip_path_mtu.c). Each tracks a route, which keeps its table."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from vppcfg.model.path_mtu import PathMtu
from vppcfg.model.state import State
from vppcfg.simulator.fib_entries import NORMAL, FibPath
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.kinds import fib
from vppcfg.simulator.kinds.route import best, main_of
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values

_NO_MTU = (0, 0xFFFF)
"""What removes one."""
_ABOVE_ALL = 0xFFFE
_DEEPEST = 8
"""So often is a next hop looked up, at most."""


@dataclass(slots=True, kw_only=True)
class PathMtuMain:
    """MTUs by table and address."""

    mtus: dict[tuple[int, bytes], int] = field(default_factory=dict)


def update(tables: Tables, table_id: int, address: bytes, mtu: int) -> None:
    """Set the MTU of a host, or remove it; raise RefusedError where there is no such table."""
    is_ipv6 = len(address) == 16
    if not fib.has_table(tables, is_ipv6, table_id):
        raise RefusedError(Retval.NO_SUCH_TABLE)
    mtus, table = tables.part(PathMtuMain).mtus, main_of(tables, is_ipv6).tables[table_id]
    if mtu not in _NO_MTU:
        if (table_id, address) not in mtus:
            fib.lock_for_lookup(tables, is_ipv6, table_id)
        mtus[table_id, address] = mtu
        table.left_hosts.discard(int.from_bytes(address))
    elif (table_id, address) in mtus:
        if _stays(tables, table_id, address, mtus.pop((table_id, address))):
            table.left_hosts.add(int.from_bytes(address))
        fib.unlock_for_lookup(tables, is_ipv6, table_id)


def _stays(tables: Tables, table_id: int, address: bytes, mtu: int) -> bool:
    """Return whether VPP enters a path MTU again while it removes it (ip_pmtu_destroy, ip_pmtu_stack).

    It does not for a host on a link, nor where a route leads to it by an interface and the MTU is larger than any.
    """
    ways = _ways(tables, table_id, address)
    is_on_link = any(path.sw_if_index != NONE and path.next_hop in (b"", address) for path in chain(*ways[:2]))
    return not is_on_link and (mtu < _ABOVE_ALL or not _leads_out(tables, table_id, address))


def _ways(tables: Tables, table_id: int, address: bytes) -> list[tuple[FibPath, ...]]:
    """Return the paths of all prefixes that have a host, the longest one first."""
    routes = best(tables, len(address) == 16, table_id)
    bits, host = 8 * len(address), int.from_bytes(address)
    keys = ((host >> (bits - length) << (bits - length), length) for length in range(bits, -1, -1))
    return [routes[key][1] for key in keys if key in routes]


def _leads_out(tables: Tables, table_id: int, address: bytes, depth: int = 0) -> bool:
    """Return whether packets to a host leave by an interface that is up."""
    if depth > _DEEPEST:
        return False
    for path in (path for path in _ways(tables, table_id, address)[0] if path.kind == NORMAL):
        if path.sw_if_index != NONE:
            row = tables.sw.get(path.sw_if_index)
            if row is not None and row.is_up:
                return True
        elif _leads_out(tables, path.table_id, path.next_hop if any(path.next_hop) else address, depth + 1):
            return True
    return False


def _answer(call: Call, values: Values) -> None:
    address = values["pmtu.nh.un"][: 16 if values["pmtu.nh.af"] else 4]
    update(call.tables, values["pmtu.table_id"], address, values["pmtu.path_mtu"])


def _get(call: Call, _values: Values) -> Iterator[Outgoing]:
    for (table_id, address), mtu in call.tables.part(PathMtuMain).mtus.items():
        shown = {"pmtu.table_id": table_id, "pmtu.path_mtu": mtu, "pmtu.nh.af": len(address) == 16}
        yield "ip_path_mtu_details", {**shown, "pmtu.nh.un": address.ljust(16, b"\0")}
    yield call.reply(cursor=NONE)


def _load(tables: Tables, state: State, rows: Rows) -> None:
    for path in state.of(PathMtu).values():
        update(tables, path.table_id, ipaddress.ip_address(path.address).packed, path.mtu)


KIND = Kind(
    changes={"ip_path_mtu_update": _answer},
    queries={"ip_path_mtu_get": _get},
    load=_load,
)
