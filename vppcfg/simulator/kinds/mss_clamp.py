"""Simulates TCP MSS clamping (plugins/mss_clamp): it outlives the interface that it was set on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from vppcfg.model.features import MssLimit, TrafficDirection
from vppcfg.model.state import State
from vppcfg.record import record
from vppcfg.simulator import arcs, interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values

_RX, _TX = 1, 2
_WORDS = {"disable": 0, "enable": _RX | _TX, "rx": _RX, "tx": _TX}
_UNSET = 0xFFFF


@record
class Clamp:
    """What one interface does: the directions and limits of IPv4 and of IPv6."""

    directions: tuple[int, int]
    limits: tuple[int, int]


@dataclass(slots=True, kw_only=True)
class MssMain:
    """What each index does (mssc_main_t)."""

    clamps: dict[int, Clamp] = field(default_factory=dict)


def set_clamp(tables: Tables, sw_if_index: int, directions: tuple[int, int], limits: tuple[int, int]) -> None:
    """Set both families of an interface; a limit without a direction is forgotten."""
    clamps = tables.part(MssMain).clamps
    old = clamps[sw_if_index].directions if sw_if_index in clamps else (0, 0)
    for family, was, becomes in zip((4, 6), old, directions, strict=True):
        for bit, arc, end in ((_RX, "unicast", "in"), (_TX, "output", "out")):
            if (was ^ becomes) & bit:
                feature = f"ip{family}-{arc}", f"tcp-mss-clamping-ip{family}-{end}"
                arcs.set_features(tables, sw_if_index, [feature], is_on=bool(becomes & bit))
    kept = tuple(limit if direction else 0 for direction, limit in zip(directions, limits, strict=True))
    clamps[sw_if_index] = Clamp(directions=directions, limits=(kept[0], kept[1]))


def _answer(call: Call, values: Values) -> None:
    interfaces.require(call.tables, values["sw_if_index"])
    directions = (values["ipv4_direction"], values["ipv6_direction"])
    set_clamp(call.tables, values["sw_if_index"], directions, (values["ipv4_mss"], values["ipv6_mss"]))


def _answer_get(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show who clamps anything, interfaces that are gone too; the cursor counts indexes."""
    desired = values["sw_if_index"]
    if desired != NONE and not call.tables.sw.has(desired):
        yield call.reply(retval=Retval.INVALID_SW_IF_INDEX, cursor=NONE)
        return
    for index, clamp in sorted(call.tables.part(MssMain).clamps.items()):
        if desired in (NONE, index) and any(clamp.directions) and (desired == index or index >= values["cursor"]):
            shown = {
                "sw_if_index": index,
                "ipv4_mss": clamp.limits[0],
                "ipv6_mss": clamp.limits[1],
                "ipv4_direction": clamp.directions[0],
                "ipv6_direction": clamp.directions[1],
            }
            yield "mss_clamp_details", shown
    yield call.reply(cursor=NONE)


def _command(tables: Tables, line: Input) -> None:
    """`set interface tcp-mss-clamp <interface> ip4 [enable|disable|rx|tx] ip4-mss <size> ip6 ... ip6-mss <size>`."""
    row = None
    directions: dict[str, int | None] = {"ip4": None, "ip6": None}
    limits: dict[str, int | None] = {"ip4": None, "ip6": None}
    while not line.is_at_end:
        family = line.next_word[:3]
        if family in directions and (direction := line.choice_after(f"{family} ", _WORDS)) is not None:
            directions[family] = direction
        elif family in limits and (limit := line.number_after(f"{family}-mss")) is not None:
            limits[family] = limit
        elif (found := line.interface(tables)) is not None:
            row = found
        else:
            break
    if row is None:
        raise _refused("Please specify an interface")
    four, six = directions["ip4"], directions["ip6"]
    if four is None or six is None:
        raise _refused("Please specify the MSS clamping direction for ip4 and ip6")
    for family, limit in limits.items():
        if directions[family] and limit is None:
            raise _refused(f"Please specify the Max Segment Size for {family}")
        if directions[family] and limit is not None and limit >= _UNSET:
            raise _refused("Invalid Max Segment Size")
    set_clamp(tables, row.index, (four, six), (limits["ip4"] or 0, limits["ip6"] or 0))


def _refused(text: str) -> RefusedError:
    return RefusedError(Retval.UNSPECIFIED, text)


def _load(tables: Tables, state: State, rows: Rows) -> None:
    flags = {TrafficDirection.INPUT: _RX, TrafficDirection.OUTPUT: _TX, TrafficDirection.BOTH: _RX | _TX}
    for name, row in rows.items():
        known: dict[bool, MssLimit] = {each.is_ipv6: each for each in state.interfaces[name].mss_clamp}
        if known:
            four, six = known.get(False), known.get(True)
            directions = (flags[four.direction] if four else 0, flags[six.direction] if six else 0)
            set_clamp(tables, row.index, directions, (four.mss if four else 0, six.mss if six else 0))


KIND = Kind(
    changes={"mss_clamp_enable_disable": _answer},
    queries={"mss_clamp_get": _answer_get},
    commands={"set interface tcp-mss-clamp": _command},
    plugin="mss_clamp",
    load=_load,
)
