"""Simulates FIB tables, and which of them an interface is in (vnet/ip/ip_api.c, table_api.c)."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.errors import UsageError
from vppcfg.model.state import State
from vppcfg.simulator import interfaces
from vppcfg.simulator.addresses import AddressBook
from vppcfg.simulator.command_line import Command, Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.kinds import mroute
from vppcfg.simulator.retval import RefusedError, Retval, required
from vppcfg.simulator.tables import FibMain, FibSource, Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values

_API_ROUTES = 8
"""FIB_SOURCE_API."""

_LOOKED_UP = "recursive-resolution"
"""The FIB source of what looks up its other end (vnet/fib/fib_source.h)."""


def _of(tables: Tables, is_ipv6: bool) -> tuple[FibMain, AddressBook]:
    return (tables.fib6, tables.ip6) if is_ipv6 else (tables.fib4, tables.ip4)


def bind(tables: Tables, sw_if_index: int, is_ipv6: bool, table_id: int) -> None:
    """Put an interface into a FIB table; raise RefusedError when there is no such table or it has addresses.

    Of IPv4 the table that it was in is let go of before. When that is the same one, and no other source locks it, there
    is a new one then, without a name (fib_table_bind in vnet/interface_api.c).
    """
    main, book = _of(tables, is_ipv6)
    if table_id not in main.tables:
        raise RefusedError(Retval.NO_SUCH_FIB)
    donor = tables.sw[sw_if_index].unnumbered
    if book.shows(sw_if_index if donor is None else donor):
        raise RefusedError(Retval.ADDRESS_FOUND_FOR_INTERFACE)
    old = book.table_of(sw_if_index)
    for hook in tables.table_hooks:
        hook(tables, sw_if_index, is_ipv6, old, table_id)
    book.unbind(sw_if_index)
    mroute.enter(tables, is_ipv6, sw_if_index, table_id)
    if not is_ipv6:
        _collect(main, book, old)
        main.find_or_create(table_id)
    if table_id:
        book.bind(sw_if_index, table_id)
    _collect(main, book, old)


def has_table(tables: Tables, is_ipv6: bool, table_id: int) -> bool:
    """Return whether there is a table of this id."""
    return table_id in _of(tables, is_ipv6)[0].tables


def table_of(tables: Tables, is_ipv6: bool, sw_if_index: int) -> int:
    """Return the id of the table that an interface is in."""
    return _of(tables, is_ipv6)[1].table_of(sw_if_index)


def unbind(tables: Tables, sw_if_index: int) -> None:
    """Take an interface that goes away, and has no addresses any more, out of its FIB tables."""
    for is_ipv6 in (False, True):
        main, book = _of(tables, is_ipv6)
        old = book.table_of(sw_if_index)
        book.unbind(sw_if_index)
        mroute.enter(tables, is_ipv6, sw_if_index, 0)
        _collect(main, book, old)


def _collect(main: FibMain, book: AddressBook, table_id: int) -> None:
    """Delete a table whose locks are none in all: one that is taken off too often counts against the others."""
    table = main.tables.get(table_id)
    if table is None or not table_id:
        return
    held = len(table.holders) + table.locks.total()
    if held <= 0 and book.bound_to(table_id) + held == 0:
        main.delete(table_id)


def lock_for_lookup(tables: Tables, is_ipv6: bool, table_id: int, source: str = _LOOKED_UP) -> None:
    """Lock a table in which a tunnel looks up its other end, or for what has a FIB source of its own."""
    _of(tables, is_ipv6)[0].tables[table_id].locks[source] += 1


def unlock_for_lookup(tables: Tables, is_ipv6: bool, table_id: int, source: str = _LOOKED_UP) -> None:
    """Unlock a table again for what goes away."""
    main, book = _of(tables, is_ipv6)
    main.tables[table_id].locks[source] -= 1
    _collect(main, book, table_id)


def hold(
    tables: Tables, is_ipv6: bool, table_id: int, holder: FibSource, name: bytes = b"", *, has_multicast: bool = True
) -> None:
    """Make a table, with VPP's name unless one is given, or hold one that is there, whose name stays."""
    _of(tables, is_ipv6)[0].create(table_id, name, holder)
    if table_id and has_multicast:
        mroute.hold(tables, is_ipv6, table_id, holder.value)


def _release(tables: Tables, is_ipv6: bool, table_id: int, holder: FibSource) -> None:
    """Let go what one holds of a table, which stays while another does or an interface is in it."""
    main, book = _of(tables, is_ipv6)
    mroute.let_go(tables, is_ipv6, table_id, holder.value)
    table = main.tables.get(table_id)
    if table is not None and table_id:
        table.holders.discard(holder)
        _collect(main, book, table_id)


def _answer_add_delete(call: Call, values: Values) -> None:
    """Make a table, or let go what the API holds of it. VPP refuses neither."""
    is_ipv6, table_id = values["table.is_ip6"], values["table.table_id"]
    if values["is_add"]:
        has_multicast = values.get("create_mfib", True)
        name = values["table.name"].split(b"\0", 1)[0]
        hold(call.tables, is_ipv6, table_id, FibSource.API, name, has_multicast=has_multicast)
    else:
        _release(call.tables, is_ipv6, table_id, FibSource.API)


def _answer_replace(call: Call, values: Values) -> None:
    """Mark the routes of the API in a table, or remove those that were not added again since."""
    table = _of(call.tables, values["table.is_ip6"])[0].tables.get(values["table.table_id"])
    table = required(table, retval=Retval.NO_SUCH_FIB)
    if call.message == "ip_table_replace_begin":
        table.marked = {key for key, found in table.routes.items() if _API_ROUTES in found}
        return
    for key in table.marked:
        table.drop_route(key, _API_ROUTES)
    table.marked = set()


def _dump(call: Call, _values: Values) -> Iterator[Outgoing]:
    """Show all tables, those of IPv4 first."""
    for is_ipv6 in (False, True):
        for table_id, table in _of(call.tables, is_ipv6)[0].by_index():
            yield call.details({"table.table_id": table_id, "table.is_ip6": is_ipv6, "table.name": table.name[:63]})


def _answer_set_table(call: Call, values: Values) -> None:
    """Put an interface into a table."""
    interfaces.require(call.tables, values["sw_if_index"])
    bind(call.tables, values["sw_if_index"], values["is_ipv6"], values["vrf_id"])


def _answer_get_table(call: Call, values: Values) -> Outgoing:
    """Show the id of the table that an interface is in."""
    if not call.tables.sw.has(values["sw_if_index"]):
        return call.reply(retval=Retval.INVALID_SW_IF_INDEX, vrf_id=NONE)
    _, book = _of(call.tables, values["is_ipv6"])
    return call.reply(vrf_id=book.table_of(values["sw_if_index"]))


def _command_table(is_ipv6: bool) -> Command:
    """`ip table [add|del] <table-id> [name <name>] [no-mfib]`; `ip6 table` is the same."""

    def command(tables: Tables, rest: Input) -> None:
        line = rest.line()
        table_id, name, is_add, has_multicast = None, "", True, True
        while not line.is_at_end:
            if (number := line.number()) is not None:
                table_id = number
            elif line.take("del"):
                is_add = False
            elif line.take("name"):
                name = line.string() or ""
            elif line.take("no-mfib"):
                has_multicast = False
            elif not line.take("add"):
                raise line.unknown("parse error")
        if table_id == 0:
            raise RefusedError(Retval.UNSPECIFIED, "Can't change the default table")
        if table_id is None:
            return
        if is_add:
            hold(tables, is_ipv6, table_id, FibSource.CLI, name.encode()[:63], has_multicast=has_multicast)
        else:
            _release(tables, is_ipv6, table_id, FibSource.CLI)

    return command


def _command_bind(is_ipv6: bool) -> Command:
    """`set interface ip table <interface> <table-id>`; `set interface ip6 table` is the same."""

    def command(tables: Tables, line: Input) -> None:
        row = line.require_interface(tables)
        shown = line.unknown("expected table id")
        table_id = line.number()
        if table_id is None:
            raise shown
        try:
            bind(tables, row.index, is_ipv6, table_id)
        except RefusedError as refusal:
            is_missing = refusal.retval is Retval.NO_SUCH_FIB
            text = f"no such table {table_id}" if is_missing else "IP addresses are still present on "
            raise RefusedError(refusal.retval, text if is_missing else text + tables.name_of(row)) from None

    return command


def _load(tables: Tables, state: State, rows: Rows) -> None:
    """Put interfaces into the tables that are there."""
    for name, row in rows.items():
        for is_ipv6, table_id in zip((False, True), state.interfaces[name].tables, strict=True):
            if table_id:
                main, book = _of(tables, is_ipv6)
                if table_id not in main.tables:
                    raise UsageError(f"the state has {name} in FIB table {table_id}, and no such table")
                book.bind(row.index, table_id)
                mroute.enter(tables, is_ipv6, row.index, table_id)


KIND = Kind(
    changes={
        "ip_table_add_del": _answer_add_delete,
        "ip_table_add_del_v2": _answer_add_delete,
        "ip_table_replace_begin": _answer_replace,
        "ip_table_replace_end": _answer_replace,
        "sw_interface_set_table": _answer_set_table,
    },
    queries={"ip_table_dump": _dump, "sw_interface_get_table": _answer_get_table},
    commands={
        "ip table": _command_table(is_ipv6=False),
        "ip6 table": _command_table(is_ipv6=True),
        "set interface ip table": _command_bind(is_ipv6=False),
        "set interface ip6 table": _command_bind(is_ipv6=True),
    },
    load=_load,
)
