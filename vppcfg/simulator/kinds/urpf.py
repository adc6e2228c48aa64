"""Simulates reverse path checks (plugins/urpf): they outlive the interface that they were set on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum

from vppcfg.model.features import UrpfMode
from vppcfg.model.state import State
from vppcfg.record import record
from vppcfg.simulator import arcs, interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.kinds import fib
from vppcfg.simulator.retval import RefusedError, Retval, refused_as
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values


class Mode(IntEnum):
    """urpf_mode_t."""

    OFF = 0
    LOOSE = 1
    STRICT = 2


@record
class Place:
    """Where packets are checked."""

    sw_if_index: int
    is_ipv6: bool
    is_output: bool


@record
class Check:
    """How packets are checked (urpf_data_t)."""

    mode: Mode
    table_id: int | None
    """None for that of the interface."""


@dataclass(slots=True, kw_only=True)
class UrpfMain:
    """The checks (urpf_cfgs)."""

    checks: dict[Place, Check] = field(default_factory=dict)


def update(tables: Tables, place: Place, mode: int, table_id: int | None) -> None:
    """Set a check; raise RefusedError when there is no such mode or table."""
    if mode not in set(Mode) or (table_id is not None and not fib.has_table(tables, place.is_ipv6, table_id)):
        raise RefusedError(Retval.INVALID_VALUE)
    checks = tables.part(UrpfMain).checks
    old = checks[place].mode if place in checks else Mode.OFF
    if old is not Mode(mode):
        for each, is_on in ((old, False), (Mode(mode), True)):
            if each is not Mode.OFF:
                arcs.set_features(tables, place.sw_if_index, [_feature(place, each)], is_on=is_on)
    checks[place] = Check(mode=Mode(mode), table_id=table_id)


def _feature(place: Place, mode: Mode) -> arcs.Feature:
    family, direction = 6 if place.is_ipv6 else 4, "tx" if place.is_output else "rx"
    arc = f"ip{family}-{'output' if place.is_output else 'unicast'}"
    return arc, f"ip{family}-{direction}-urpf-{mode.name.lower()}"


def _answer(call: Call, values: Values) -> None:
    """Set a check; the first version of the message always names table 0."""
    index = values["sw_if_index"]
    interfaces.require(call.tables, index)
    table_id = values.get("table_id", 0)
    place = Place(sw_if_index=index, is_ipv6=bool(values["af"]), is_output=not values["is_input"])
    update(call.tables, place, values["mode"], None if table_id == NONE else table_id)


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show the checks of interfaces that there are, those too that are off and name a table."""
    desired, tables = values["sw_if_index"], call.tables
    shown = [
        (place, check) for place, check in tables.part(UrpfMain).checks.items() if tables.sw.has(place.sw_if_index)
    ]
    for place, check in sorted(shown, key=lambda row: (row[0].sw_if_index, row[0].is_ipv6, row[0].is_output)):
        if desired in (NONE, place.sw_if_index) and (check.mode or check.table_id is not None):
            own = fib.table_of(tables, place.is_ipv6, place.sw_if_index)
            yield call.details(
                {
                    "sw_if_index": place.sw_if_index,
                    "is_input": not place.is_output,
                    "mode": check.mode,
                    "af": place.is_ipv6,
                    "table_id": own if check.table_id is None else check.table_id,
                }
            )


def _command(tables: Tables, rest: Input) -> None:
    """`set urpf [ip4|ip6] [rx|tx] [off|strict|loose] <interface> [table <table-id>]`."""
    line = rest.line()
    row, is_ipv6, is_output, mode, table_id = None, False, False, Mode.STRICT, None
    modes = {"off": Mode.OFF, "loose": Mode.LOOSE, "strict": Mode.STRICT}
    while not line.is_at_end:
        if (found := line.interface(tables)) is not None:
            row = found
        elif (chosen := line.choice_after("", modes)) is not None:
            mode = chosen
        elif (number := line.number_after("table")) is not None:
            table_id = number
        elif (family := line.choice_after("", {"ip4": False, "ip6": True})) is not None:
            is_ipv6 = family
        elif (direction := line.choice_after("", {"rx": False, "tx": True})) is not None:
            is_output = direction
        else:
            raise line.unknown("parse error")
    if row is None:
        raise line.unknown("unknown interface")
    with refused_as("unknown table id"):
        update(tables, Place(sw_if_index=row.index, is_ipv6=is_ipv6, is_output=is_output), mode, table_id)


def _load(tables: Tables, state: State, rows: Rows) -> None:
    modes = {UrpfMode.LOOSE: Mode.LOOSE, UrpfMode.STRICT: Mode.STRICT}
    for name, row in rows.items():
        for each in state.interfaces[name].urpf:
            place = Place(sw_if_index=row.index, is_ipv6=each.is_ipv6, is_output=each.is_output)
            update(tables, place, modes[each.mode], each.table_id)


KIND = Kind(
    changes={"urpf_update": _answer, "urpf_update_v2": _answer},
    queries={"urpf_interface_dump": _dump},
    commands={"set urpf": _command},
    plugin="urpf",
    load=_load,
)
