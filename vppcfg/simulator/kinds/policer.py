"""Simulates policers and where they are applied, which nothing shows (plugins/policer, vnet/policer up to 26.02).

The prompt gives no policer to an interface here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from vppcfg.common.numbers import DSCP_NAMES
from vppcfg.simulator import arcs, interfaces
from vppcfg.simulator.command_line import Command, Input
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.l2 import L2_INPUT, L2_OUTPUT, bit_of
from vppcfg.simulator.pool import Pool
from vppcfg.simulator.releases import ReleaseQuirk
from vppcfg.simulator.retval import RefusedError, Retval, required
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values

_HAS_L2 = ReleaseQuirk(
    span="26.06-", text="a policer is on frames in L2, too, as a bit that outlives the interface (0f37c4847df)"
)
_CHECKS = ReleaseQuirk(span="25.06-", text="an unknown policer is not put on an interface (d1177514c40)")
_SAYS = ReleaseQuirk(span="25.02-", text="`configure policer` says that there is no such policer (7ae20bb3feb)")
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


def _answer_update(call: Call, values: Values) -> None:
    """Give a policer other settings in place."""
    policer = required(call.tables.part(PolicerMain).policers.get(values["policer_index"]), retval=Retval.NO_SUCH_ENTRY)
    policer.values = _shown(values)


def _answer_delete(call: Call, values: Values) -> None:
    """Delete a policer, also one that is on interfaces."""
    policers = call.tables.part(PolicerMain).policers
    if not policers.has(values["policer_index"]):
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    policers.remove(values["policer_index"])


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    for each in call.tables.part(PolicerMain).policers:
        if values["policer_index"] in (NONE, each.index):
            yield "policer_details", {"name": each.name, **each.values}


def _answer_put(call: Call, values: Values) -> None:
    """Put a policer on an interface or take it off; the first versions of the messages know it by its name."""
    interfaces.require(call.tables, values["sw_if_index"])
    index = values["policer_index"] if call.message.endswith("_v2") else _named(call.tables, values["name"])
    is_output = call.message.startswith("policer_output")
    put(call.tables, values["sw_if_index"], index, is_output=is_output, is_on=values["apply"])


def _named(tables: Tables, raw: bytes) -> int:
    name = raw.split(b"\0", 1)[0]
    return next((each.index for each in tables.part(PolicerMain).policers if each.name == name), NONE)


def typed_policer(tables: Tables, line: Input) -> int | None:
    """Take the name of a policer, or its number, and return that (unformat_policer_next_index)."""
    number = _named(tables, line.next_word.encode())
    if number == NONE:
        return line.number()
    line.string()
    return number


_CHOICES = {
    "rate": ("rate_type", ("kbps", "pps")),
    "round": ("round_type", ("closest", "up", "down")),
    "type": ("type", ("1r2c", "1r3c", "2r3c-2698", "2r3c-4115", "2r3c-mef5cf1")),
}
_TYPED_ACTIONS = {
    "drop": (0, 0),
    "transmit": (1, 0),
    **{f"mark-and-transmit {name.upper()}": (2, number) for name, number in DSCP_NAMES.items()},
}
"""The type of an action, and its DSCP."""


def _command_add(*, is_update: bool) -> Command:
    """`policer add` and `configure policer`: what is not typed is 0, and packets are dropped."""

    def command(tables: Tables, line: Input) -> str:
        line, values, name = line.line(), dict.fromkeys((*_CONFIGURATION, *_ACTIONS), 0), None
        while not line.is_at_end:
            if line.take("name"):
                name = line.string()
            elif not _take_value(line, values):
                raise line.unknown()
        index = NONE if name is None else _named(tables, name.encode())
        if is_update and index == NONE:
            if tables.release.has(_SAYS):
                raise RefusedError(Retval.UNSPECIFIED, "Update policer failure")
            return ""
        if not is_update and index != NONE:
            raise RefusedError(Retval.UNSPECIFIED, "Policer already exists")
        if bool(values["cir"]) != bool(values["cb"]):
            raise RefusedError(Retval.UNSPECIFIED, "Config failed sanity check")
        if is_update:
            tables.part(PolicerMain).policers[index].values = values
        elif name is not None:
            add(tables, name.encode(), values)
        return ""

    return command


def _take_value(line: Input, values: dict[str, Any]) -> bool:
    for word in ("cir", "cb"):
        number = line.number_after(word, NONE)
        if number is not None:
            values[word] = number
            return True
    for word, (key, choices) in _CHOICES.items():
        found = line.choice_after(word, {choice: place for place, choice in enumerate(choices)})
        if found is not None:
            values[key] = found
            return True
    for when in ("conform", "exceed", "violate"):
        action = line.choice_after(f"{when}-action", _TYPED_ACTIONS)
        if action is not None:
            values[f"{when}_action.type"], values[f"{when}_action.dscp"] = action
            return True
    return False


def _command_delete(tables: Tables, line: Input) -> str:
    line = line.line()
    if line.is_at_end:
        return ""
    index = _named(tables, (line.string() or "").encode()) if line.take("name") else line.number_after("index")
    if not line.is_at_end:
        raise line.unknown()
    policers = tables.part(PolicerMain).policers
    if index is None or not policers.has(index):
        raise RefusedError(Retval.NO_SUCH_ENTRY, "No such policer")
    policers.remove(index)
    return ""


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
    commands={
        "policer add": _command_add(is_update=False),
        "configure policer": _command_add(is_update=True),
        "policer del": _command_delete,
    },
    quirks=(_HAS_L2, _CHECKS),
)
