"""Simulates policers and where they are applied, which nothing shows (plugins/policer, vnet/policer up to 26.02)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from vppcfg.simulator import arcs, interfaces
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.l2 import L2_INPUT, L2_OUTPUT, bit_of
from vppcfg.simulator.pool import Pool
from vppcfg.simulator.releases import ReleaseQuirk
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values

_HAS_L2 = ReleaseQuirk(
    span="26.06-", text="a policer is on frames in L2, too, as a bit that outlives the interface (0f37c4847df)"
)
_CHECKS = ReleaseQuirk(span="25.06-", text="an unknown policer is not put on an interface (d1177514c40)")
_CONFIGURATION = ("cir", "eir", "cb", "eb", "rate_type", "round_type", "type", "color_aware")
_ACTIONS = tuple(f"{when}_action.{what}" for when in ("conform", "exceed", "violate") for what in ("type", "dscp"))


@dataclass(slots=True, kw_only=True)
class Policer:
    """One policer."""

    index: int
    name: bytes
    values: dict[str, Any]
    """The values of the message, by the names of a dump."""


@dataclass(slots=True, kw_only=True)
class PolicerMain:
    """All policers."""

    policers: Pool[Policer] = field(default_factory=Pool)


def put(tables: Tables, sw_if_index: int, policer: int, *, is_output: bool, is_on: bool) -> None:
    """Apply a policer to an interface, or remove it; VPP counts. Raise RefusedError for an unknown one."""
    if tables.release.has(_CHECKS) and not tables.part(PolicerMain).policers.has(policer):
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    has_l2 = tables.release.has(_HAS_L2)
    places = arcs.both("ip{}-output", "policer-output") if is_output else _input_places(has_l2)
    arcs.set_features(tables, sw_if_index, places, is_on=is_on)
    if not has_l2:
        return
    config = tables.l2_of(sw_if_index)
    bit = bit_of(L2_OUTPUT if is_output else L2_INPUT, "POLICER")
    if is_output:
        config.output_bits = config.output_bits | bit if is_on else config.output_bits & ~bit
    else:
        config.input_bits = config.input_bits | bit if is_on else config.input_bits & ~bit


def _input_places(has_l2: bool) -> tuple[arcs.Feature, ...]:
    return arcs.both("ip{}-unicast", "policer-input") if has_l2 else (("device-input", "policer-input"),)


def _answer_add(call: Call, values: Values) -> Outgoing:
    policers = call.tables.part(PolicerMain).policers
    name = values["name"].split(b"\0", 1)[0]
    if any(each.name == name for each in policers):
        return call.reply(retval=Retval.VALUE_EXIST, policer_index=NONE)
    return call.reply(policer_index=add(call.tables, name, _shown(values)).index)


def _shown(values: Values) -> dict[str, Any]:
    return {each: values[f"infos.{each}"] for each in (*_CONFIGURATION, *_ACTIONS)}


def add(tables: Tables, name: bytes, values: dict[str, Any]) -> Policer:
    """Make a policer; `values` are those of a dump."""
    return tables.part(PolicerMain).policers.add(lambda index: Policer(index=index, name=name, values=values))


def _answer_update(call: Call, values: Values) -> Outgoing:
    """Give a policer other settings in place."""
    policer = call.tables.part(PolicerMain).policers.get(values["policer_index"])
    if policer is None:
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    policer.values = _shown(values)
    return call.reply()


def _answer_delete(call: Call, values: Values) -> Outgoing:
    """Delete a policer, also one that is on interfaces."""
    policers = call.tables.part(PolicerMain).policers
    if not policers.has(values["policer_index"]):
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    policers.remove(values["policer_index"])
    return call.reply()


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    for each in call.tables.part(PolicerMain).policers:
        if values["policer_index"] in (NONE, each.index):
            yield "policer_details", {"name": each.name, **each.values}


def _answer_put(call: Call, values: Values) -> Outgoing:
    """Put a policer on an interface or take it off; the first versions of the messages know it by its name."""
    interfaces.require(call.tables, values["sw_if_index"])
    index = values["policer_index"] if call.message.endswith("_v2") else _named(call.tables, values["name"])
    is_output = call.message.startswith("policer_output")
    put(call.tables, values["sw_if_index"], index, is_output=is_output, is_on=values["apply"])
    return call.reply()


def _named(tables: Tables, raw: bytes) -> int:
    name = raw.split(b"\0", 1)[0]
    return next((each.index for each in tables.part(PolicerMain).policers if each.name == name), NONE)


KIND = Kind(
    plugin="policer",
    plugin_releases="26.06-",
    changes={
        "policer_add": _answer_add,
        "policer_del": _answer_delete,
        "policer_update": _answer_update,
        "policer_input": _answer_put,
        "policer_output": _answer_put,
        "policer_input_v2": _answer_put,
        "policer_output_v2": _answer_put,
    },
    queries={"policer_dump_v2": _dump},
    quirks=(_HAS_L2, _CHECKS),
)
