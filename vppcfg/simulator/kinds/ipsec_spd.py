"""Simulates IPsec's policy databases and their bindings, which outlive interfaces (vnet/ipsec/ipsec_spd.c)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from vppcfg.simulator import arcs, interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.pool import Pool
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import Outgoing, Values

_FEATURES = (
    *arcs.both("ip{}-output", "ipsec{}-output-feature"),
    *arcs.both("ip{}-unicast", "ipsec{}-input-feature"),
)


@dataclass(slots=True, kw_only=True)
class SpdMain:
    """The databases by their place, and their places by interface."""

    ids: Pool[tuple[int, int]] = field(default_factory=Pool)
    """Place and id."""
    bound: dict[int, int] = field(default_factory=dict)

    def place_of(self, spd_id: int) -> int | None:
        """Return where a database is."""
        return next((place for place, known in self.ids if known == spd_id), None)


def add_delete(tables: Tables, spd_id: int, *, is_add: bool) -> None:
    """Make a database, or delete one with all that it is bound to; raise RefusedError."""
    main = tables.part(SpdMain)
    place = main.place_of(spd_id)
    if is_add:
        if place is not None:
            raise RefusedError(Retval.ENTRY_ALREADY_EXISTS)
        main.ids.add(lambda index: (index, spd_id))
        return
    if place is None:
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    for sw_if_index in [index for index, known in main.bound.items() if known == place]:
        _unbind(tables, sw_if_index)
    main.ids.remove(place)


def bind(tables: Tables, sw_if_index: int, spd_id: int, *, is_add: bool) -> None:
    """Bind a database to an interface, or take it off; raise RefusedError."""
    main = tables.part(SpdMain)
    place = main.place_of(spd_id)
    if place is None:
        raise RefusedError(Retval.SYSCALL_ERROR_1)
    if (sw_if_index in main.bound) == is_add:
        raise RefusedError(Retval.SYSCALL_ERROR_2)
    if is_add:
        main.bound[sw_if_index] = place
        arcs.enable(tables, sw_if_index, *_FEATURES)
    else:
        _unbind(tables, sw_if_index)


def _unbind(tables: Tables, sw_if_index: int) -> None:
    del tables.part(SpdMain).bound[sw_if_index]
    arcs.disable(tables, sw_if_index, *_FEATURES)


def _answer_add_delete(call: Call, values: Values) -> Outgoing:
    add_delete(call.tables, values["spd_id"], is_add=values["is_add"])
    return call.reply()


def _answer_bind(call: Call, values: Values) -> Outgoing:
    interfaces.require(call.tables, values["sw_if_index"])
    bind(call.tables, values["sw_if_index"], values["spd_id"], is_add=values["is_add"])
    return call.reply()


def _dump(call: Call, _values: Values) -> Iterator[Outgoing]:
    for _, spd_id in call.tables.part(SpdMain).ids:
        yield call.details({"spd_id": spd_id})


def _dump_bound(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show what databases are bound to, by their place and not their id, interfaces that are gone too."""
    for sw_if_index, place in call.tables.part(SpdMain).bound.items():
        if not values["spd_index_valid"] or values["spd_index"] == place:
            yield call.details({"spd_index": place, "sw_if_index": sw_if_index})


def _command_spd(tables: Tables, rest: Input) -> str:
    """`ipsec spd add|del <id>`, whose result VPP does not look at."""
    line = rest.line()
    is_add = not line.take("del")
    line.take("add")
    spd_id = line.number()
    if spd_id is None:
        raise line.unknown("parse error")
    with suppress(RefusedError):
        add_delete(tables, spd_id, is_add=is_add)
    return ""


def _command_bind(tables: Tables, rest: Input) -> str:
    """`set interface ipsec spd <interface> <id> [del]`."""
    line = rest.line()
    row = line.require_interface(tables, "parse error")
    spd_id = line.number()
    if spd_id is None:
        raise line.unknown("parse error")
    bind(tables, row.index, spd_id, is_add=not line.take("del"))
    return ""


KIND = Kind(
    changes={"ipsec_spd_add_del": _answer_add_delete, "ipsec_interface_add_del_spd": _answer_bind},
    queries={"ipsec_spds_dump": _dump, "ipsec_spd_interface_dump": _dump_bound},
    commands={"ipsec spd": _command_spd, "set interface ipsec spd": _command_bind},
)
