"""Path MTUs of hosts (vnet/ip/ip_path_mtu.c). Each tracks a route, which keeps its table."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass, field

from vppcfg.model.path_mtu import PathMtu
from vppcfg.model.state import State
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.kinds import fib
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values

_API = """
import prefix
struct ip_path_mtu: u32 client_index, u32 context, u32 table_id, address nh, u16 path_mtu
request ip_path_mtu_update 10bbe5cb: ip_path_mtu pmtu
reply ip_path_mtu_update_reply e8d4e804: i32 retval
request ip_path_mtu_get f75ba505 streams ip_path_mtu_details then ip_path_mtu_get_reply: u32 cursor
reply ip_path_mtu_get_reply 53b48f5d: i32 retval, u32 cursor
reply ip_path_mtu_details ac9539a7: ip_path_mtu pmtu
"""
_NO_MTU = (0, 0xFFFF)
"""What removes one."""


@dataclass(slots=True, kw_only=True)
class PathMtuMain:
    """MTUs by table and address."""

    mtus: dict[tuple[int, bytes], int] = field(default_factory=dict)


def update(tables: Tables, table_id: int, address: bytes, mtu: int) -> None:
    """Set the MTU of a host, or remove it; raise RefusedError where there is no such table."""
    if not fib.has_table(tables, len(address) == 16, table_id):
        raise RefusedError(Retval.NO_SUCH_TABLE)
    mtus = tables.part(PathMtuMain).mtus
    if mtu in _NO_MTU:
        mtus.pop((table_id, address), None)
    else:
        mtus[table_id, address] = mtu


def _answer(call: Call, values: Values) -> Outgoing:
    address = values["pmtu.nh.un"][: 16 if values["pmtu.nh.af"] else 4]
    update(call.tables, values["pmtu.table_id"], address, values["pmtu.path_mtu"])
    return call.reply()


def _get(call: Call, _values: Values) -> Iterator[Outgoing]:
    for (table_id, address), mtu in call.tables.part(PathMtuMain).mtus.items():
        shown = {"pmtu.table_id": table_id, "pmtu.path_mtu": mtu, "pmtu.nh.af": len(address) == 16}
        yield "ip_path_mtu_details", {**shown, "pmtu.nh.un": address.ljust(16, b"\0")}
    yield call.reply(cursor=NONE)


def _load(tables: Tables, state: State, rows: Rows) -> None:
    for path in state.of(PathMtu).values():
        update(tables, path.table_id, ipaddress.ip_address(path.address).packed, path.mtu)


KIND = Kind(
    api={"ip": _API},
    changes={"ip_path_mtu_update": _answer},
    queries={"ip_path_mtu_get": _get},
    load=_load,
)
