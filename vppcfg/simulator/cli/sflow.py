"""CLI commands for sFlow (plugins/sflow/sflow.c)."""

from __future__ import annotations

from vppcfg.simulator.mains.sflow import Direction
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.unformat import Input
from vppcfg.simulator.vnet import sflow

_DIRECTIONS = {"both": Direction.BOTH, "rx": Direction.RX, "tx": Direction.TX}
_SHOWN: dict[int, str] = {Direction.UNDEFINED: "undefined", **{number: word for word, number in _DIRECTIONS.items()}}
_COUNTERS = (
    "packet samples sent",
    "packet samples dropped",
    "counter samples sent",
    "counter samples dropped",
    "drop samples sent",
    "drop samples dropped",
)


def set_enabled(tables: Tables, line: Input) -> str:
    """`sflow enable-disable <interface> [disable]`."""
    row, is_on = None, True
    while not line.is_at_end:
        if line.take("disable"):
            is_on = False
        elif line.take("enable"):
            is_on = True
        elif (found := line.interface(tables)) is not None:
            row = found
        else:
            break
    if row is None:
        raise RefusedError(Retval.UNSPECIFIED, "Please specify an interface...")
    sflow.set_enabled(tables, row.index, is_on)
    return ""


def _number(line: Input, what: str) -> int:
    number = line.number()
    if number is None:
        raise RefusedError(Retval.UNSPECIFIED, f"Please specify {what}...")
    return number


def set_rate(tables: Tables, line: Input) -> str:
    """`sflow sampling-rate <packets>`."""
    tables.sflow.sampling_rate = _number(line, "a sampling rate")
    return ""


def set_interval(tables: Tables, line: Input) -> str:
    """`sflow polling-interval <seconds>`."""
    tables.sflow.polling_interval_s = _number(line, "a polling interval")
    return ""


def set_header(tables: Tables, line: Input) -> str:
    """`sflow header-bytes <bytes>`."""
    sflow.set_header_bytes(tables, _number(line, "a header bytes limit"))
    return ""


def set_direction(tables: Tables, line: Input) -> str:
    """`sflow direction rx|tx|both`."""
    word = next((word for word in _DIRECTIONS if line.take(word)), None)
    if word is None:
        raise RefusedError(Retval.UNSPECIFIED, "Please specify a sampling direction (rx|tx|both)...")
    tables.sflow.direction = _DIRECTIONS[word]
    return ""


def show(tables: Tables, _line: Input) -> str:
    """`show sflow`; a port that is gone is still there, under the name it had."""
    main = tables.sflow
    names = [port.name for index in sflow.ports(tables) if (port := tables.hw.stale(index)) is not None]
    lines = [
        f"sflow sampling-rate {main.sampling_rate}",
        f"sflow direction {_SHOWN.get(main.direction, 'none')}",
        f"sflow polling-interval {main.polling_interval_s}",
        f"sflow header-bytes {main.header_bytes}",
        f"sflow drop-monitoring {'enable' if main.has_drop_monitoring else 'disable'}",
        *(f"sflow enable {name}" for name in names),
        "Status",
        f"  interfaces enabled: {len(names)}",
        *(f"  {counter}: 0" for counter in _COUNTERS),
    ]
    return "".join(f"{line}\n" for line in lines)
