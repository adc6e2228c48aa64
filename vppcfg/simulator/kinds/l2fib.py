"""Simulates static MAC addresses of bridge domains (vnet/l2/l2_fib.c). They outlive their interface and domain."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.state import State
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.l2 import MacEntry, MacTable
from vppcfg.simulator.port import mac_bytes
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values


def _answer(call: Call, values: Values) -> Outgoing:
    tables, mac, index = call.tables, values["mac"], values["sw_if_index"]
    bd_index = tables.bridges.by_id.get(values["bd_id"])
    if bd_index is None:
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    if values["is_add"]:
        tables.part(MacTable).entries[bd_index, mac] = _entry(tables, index, values)
    elif not tables.part(MacTable).delete(bd_index, mac, index):
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    return call.reply()


def _entry(tables: Tables, sw_if_index: int, values: Values) -> MacEntry:
    """Return the entry that is asked for; the interface must be in a bridge domain, in whatever one."""
    if values["filter_mac"]:
        return _FILTER
    interfaces.require(tables, sw_if_index)
    config = tables.l2.get(sw_if_index)
    if config is None or config.bridge is None:
        raise RefusedError(Retval.INVALID_SW_IF_INDEX)
    return MacEntry(sw_if_index=sw_if_index, is_static=bool(values["static_mac"]), is_bvi=bool(values["bvi_mac"]))


_FILTER = MacEntry(sw_if_index=NONE, is_static=True, is_filter=True)


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show the entries of one bridge domain, or of all, deleted ones included."""
    for (bd_index, mac), entry in sorted(call.tables.part(MacTable).entries.items(), key=lambda item: item[0]):
        bd_id = call.tables.bridges.domains[bd_index].bd_id
        if values["bd_id"] in (NONE, bd_id):
            yield call.details(
                {
                    "bd_id": NONE if bd_id is None else bd_id,
                    "mac": mac,
                    "sw_if_index": entry.sw_if_index,
                    "static_mac": entry.is_static,
                    "filter_mac": entry.is_filter,
                    "bvi_mac": entry.is_bvi,
                }
            )


def _named(tables: Tables, line: Input) -> tuple[int, bytes]:
    """Return the bridge domain, by its index, and the MAC address that a command begins with."""
    whole = line.unknown("expected mac address")
    mac = line.mac_after("")
    if mac is None:
        raise whole
    whole = line.unknown("expected bridge domain ID")
    bd_id = line.number()
    if bd_id is None:
        raise whole
    if bd_id not in tables.bridges.by_id:
        raise RefusedError(Retval.UNSPECIFIED, f"bridge domain ID {bd_id} invalid")
    return tables.bridges.by_id[bd_id], mac


def _command_add(tables: Tables, line: Input) -> str:
    """`l2fib add <mac> <id> {filter | <interface> [static | bvi]}`; of the interface it asks no more than an index."""
    key = _named(tables, line)
    if line.take("filter"):
        tables.part(MacTable).entries[key] = _FILTER
        return ""
    row = line.require_interface(tables)
    is_static = line.take("static")
    is_bvi = not is_static and line.take("bvi")
    if row.index >= tables.l2_length:
        raise RefusedError(Retval.UNSPECIFIED, f"Interface sw_if_index {row.index} not in L2 mode")
    entry = MacEntry(sw_if_index=row.index, is_static=is_static or is_bvi, is_bvi=is_bvi)
    tables.part(MacTable).entries[key] = entry
    return ""


def _command_delete(tables: Tables, line: Input) -> str:
    """`l2fib del <mac> <id>`."""
    if not tables.part(MacTable).delete(*_named(tables, line), 0):
        raise RefusedError(Retval.UNSPECIFIED, "mac entry not found")
    return ""


def _load(tables: Tables, state: State, rows: Rows) -> None:
    entries = tables.part(MacTable).entries
    for bridge in state.bridges.values():
        for mac in bridge.filtered_macs:
            entries[tables.bridges.by_id[bridge.bd_id], mac_bytes(mac)] = _FILTER
        for mac in bridge.stray_macs:
            gone = MacEntry(sw_if_index=_GONE, is_static=True)
            entries[tables.bridges.by_id[bridge.bd_id], mac_bytes(mac)] = gone
    for name, row in rows.items():
        for each in state.interfaces[name].static_macs:
            entry = MacEntry(sw_if_index=row.index, is_static=True)
            entries[tables.bridges.by_id[each.bd_id], mac_bytes(each.mac)] = entry


_GONE = 1 << 20
"""The index of an interface that is gone; none ever gets one so large."""

KIND = Kind(
    changes={"l2fib_add_del": _answer},
    queries={"l2_fib_table_dump": _dump},
    commands={"l2fib add": _command_add, "l2fib del": _command_delete},
    load=_load,
)
