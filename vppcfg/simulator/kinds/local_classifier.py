"""Simulates the classifier for packets to an interface's own addresses (vnet/classify, vnet/ip).

The setting and its routes outlive the interface and its addresses. That an IPv6 address which comes later gets such a
route is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Command, Input
from vppcfg.simulator.fib_entries import FibPath
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.kinds.classifier import ClassifierMain
from vppcfg.simulator.kinds.route import CLASSIFY
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import FibTable, Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values


@dataclass(slots=True, kw_only=True)
class LocalMain:
    """Which table each interface has."""

    local: dict[tuple[int, bool], int] = field(default_factory=dict)
    """By interface and family."""
    routes: dict[tuple[bool, int, int], int] = field(default_factory=dict)
    """The table of each address that is classified, by family and FIB table."""


def _answer_interface(call: Call, values: Values) -> Outgoing:
    interfaces.require(call.tables, values["sw_if_index"])
    _set(call.tables, values["sw_if_index"], bool(values["is_ipv6"]), values["table_index"])
    return call.reply()


def _set(tables: Tables, sw_if_index: int, is_ipv6: bool, table: int) -> None:
    """Set the table of an interface, and of the first address that it has; NONE takes it off."""
    main = tables.part(LocalMain)
    if table == NONE:
        main.local.pop((sw_if_index, is_ipv6), None)
    elif tables.part(ClassifierMain).tables.has(table):
        main.local[sw_if_index, is_ipv6] = table
    else:
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    book = tables.ip6 if is_ipv6 else tables.ip4
    first = next((each for each in book.of(sw_if_index) if each.sw_if_index == sw_if_index), None)
    if first is not None:
        table_id = tables.ip4.table_of(sw_if_index)  # VPP takes the IPv4 table for IPv6, too
        _route(tables, is_ipv6, table_id, first.address, table)


def _route(tables: Tables, is_ipv6: bool, table_id: int, address: int, table: int) -> None:
    """Have packets to an address go to a table, or to none."""
    fib: FibTable | None = (tables.fib6 if is_ipv6 else tables.fib4).tables.get(table_id)
    routes = tables.part(LocalMain).routes
    if fib is None:
        return
    key = address, 128 if is_ipv6 else 32
    if table == NONE:
        routes.pop((is_ipv6, table_id, address), None)
        fib.drop_route(key, CLASSIFY)
    else:
        routes[is_ipv6, table_id, address] = table
        fib.routes.setdefault(key, {})[CLASSIFY] = (FibPath(is_ipv6=is_ipv6),)


def _address_changed(tables: Tables, sw_if_index: int, address: int, is_added: bool) -> None:
    """Have packets to a new address of an interface that is up go where those to the first one do."""
    table = tables.part(LocalMain).local.get((sw_if_index, False))
    if is_added and table is not None and tables.sw[sw_if_index].is_up:
        _route(tables, False, tables.ip4.table_of(sw_if_index), address, table)


def _admin_changed(tables: Tables, sw_if_index: int) -> None:
    """Have packets to the addresses of an interface that comes up go there likewise."""
    for assigned in tables.ip4.of(sw_if_index):
        if assigned.sw_if_index == sw_if_index:
            _address_changed(tables, sw_if_index, assigned.address, is_added=True)


def _command(is_ipv6: bool) -> Command:
    """`set ip|ip6 classify intfc <interface> table-index <n>`; it takes none off."""

    def command(tables: Tables, line: Input) -> str:
        row = line.interface_after(tables, "intfc")
        table = line.number_after("table-index")
        if table is None or table == NONE:
            raise RefusedError(Retval.UNSPECIFIED, "classify table-index must be specified")
        if row is None:
            raise RefusedError(Retval.UNSPECIFIED, "interface / subif must be specified")
        _set(tables, row.index, is_ipv6, table)
        return ""

    return command


def classifier_text(tables: Tables, is_ipv6: bool, table_id: int, address: int) -> str:
    """Return what `show ip fib` prints of the table that packets to an address are classified by, '' for none."""
    table = tables.part(LocalMain).routes.get((is_ipv6, table_id, address))
    return "" if table is None else f"        [@0]: ip{6 if is_ipv6 else 4}-classify:[0]:table:{table}\n"


KIND = Kind(
    changes={
        "classify_set_interface_ip_table": _answer_interface,
    },
    commands={
        "set ip classify": _command(is_ipv6=False),
        "set ip6 classify": _command(is_ipv6=True),
    },
    admin_changed=_admin_changed,
    address_changed=_address_changed,
)
