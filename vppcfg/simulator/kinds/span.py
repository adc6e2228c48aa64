"""Simulates mirroring (vnet/span): VPP keeps both ends by sw_if_index, so that a mirror outlives its interfaces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from vppcfg.model.features import TrafficDirection
from vppcfg.model.state import State
from vppcfg.record import record
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values

_BOTH = 3
_STATES = {"disable": 0, "rx": 1, "tx": 2, "both": _BOTH}


@record
class Source:
    """The interface whose frames are copied, at the L2 or at the device feature arc (span_feat_t)."""

    sw_if_index: int
    is_l2: bool


@dataclass(slots=True, kw_only=True)
class SpanMain:
    """The direction of the copies of each source, by the index of their target (span_main_t)."""

    mirrors: dict[Source, dict[int, int]] = field(default_factory=dict)


def set_mirror(tables: Tables, source: Source, target: int, state: int) -> None:
    """Set which frames go to a target; without one, end all mirrors of the source. VPP does not check indexes."""
    if state > _BOTH:
        raise RefusedError(Retval.UNIMPLEMENTED)
    if source.sw_if_index == NONE or (target == NONE and state) or source.sw_if_index == target:
        raise RefusedError(Retval.INVALID_INTERFACE, "Invalid interface")
    if source.is_l2 and state & _STATES["rx"]:
        tables.extend_l2_config(source.sw_if_index)
    mirrors = tables.part(SpanMain).mirrors.setdefault(source, {})
    if target == NONE:
        mirrors.clear()
    elif state:
        mirrors[target] = state
    else:
        mirrors.pop(target, None)


def _answer(call: Call, values: Values) -> None:
    source = Source(sw_if_index=values["sw_if_index_from"], is_l2=bool(values["is_l2"]))
    set_mirror(call.tables, source, values["sw_if_index_to"], values["state"])


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    mirrors = call.tables.part(SpanMain).mirrors
    for source in sorted(mirrors, key=lambda source: source.sw_if_index):
        for target, state in sorted(mirrors[source].items()) if source.is_l2 == bool(values["is_l2"]) else ():
            yield call.details(
                {
                    "sw_if_index_from": source.sw_if_index,
                    "sw_if_index_to": target,
                    "state": state,
                    "is_l2": source.is_l2,
                }
            )


def _command(tables: Tables, line: Input) -> None:
    """`set interface span <interface> [l2] {disable | destination <interface> [both|rx|tx]}`."""
    source, target, is_l2, state = NONE, NONE, False, None
    while not line.is_at_end:
        if (row := line.interface(tables)) is not None:
            source = row.index
        elif (row := line.interface_after(tables, "destination")) is not None:
            target = row.index
        elif (word := line.choice_after("", _STATES)) is not None:
            if state is not None:
                raise RefusedError(Retval.UNSPECIFIED, "Multiple mirror states in input")
            state = word
        elif line.take("l2"):
            is_l2 = True
        else:
            raise RefusedError(Retval.UNSPECIFIED, "Invalid input")
    set_mirror(tables, Source(sw_if_index=source, is_l2=is_l2), target, _BOTH if state is None else state)


def _load(tables: Tables, state: State, rows: Rows) -> None:
    states = {TrafficDirection.INPUT: 1, TrafficDirection.OUTPUT: 2, TrafficDirection.BOTH: _BOTH}
    for name, row in rows.items():
        for each in state.interfaces[name].mirrors:
            source = Source(sw_if_index=row.index, is_l2=each.is_l2)
            if each.target in rows:
                set_mirror(tables, source, rows[each.target].index, states[each.direction])


KIND = Kind(
    changes={"sw_interface_span_enable_disable": _answer},
    queries={"sw_interface_span_dump": _dump},
    commands={"set interface span": _command},
    load=_load,
)
