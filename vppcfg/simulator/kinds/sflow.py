"""Simulates sFlow: how packets are sampled, and on which ports (plugins/sflow)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from vppcfg.model.state import State
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Answer, Call, Kind, Rows
from vppcfg.simulator.releases import ReleaseQuirk
from vppcfg.simulator.retval import RefusedError, Retval, required
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values

_STEP, _LEAST, _MOST = 32, 64, 256
"""Bytes of a packet's header."""
_MONITORS_DROPS = ReleaseQuirk(span="25.10-", text="`show sflow` shows a direction and drops (8d68794032b)")
_NOT_A_PORT = "Invalid interface, only works on physical ports"


class Direction(IntEnum):
    """sflow_direction_t."""

    UNDEFINED = 0
    RX = 1
    TX = 2
    BOTH = 3


@dataclass(slots=True, kw_only=True)
class SflowMain:
    """The settings, and the ports by hardware index; these outlive the port that stood there (sflow_main_t)."""

    sampling_rate: int = 10000
    polling_interval_s: int = 20
    header_bytes: int = 128
    direction: int = Direction.RX
    has_drop_monitoring: int = 0
    enabled: dict[int, bool] = field(default_factory=dict)

    @property
    def ports(self) -> Sequence[int]:
        """Return the hardware indexes whose packets are sampled."""
        return sorted(index for index, is_on in self.enabled.items() if is_on)


def set_enabled(tables: Tables, sw_if_index: int, is_on: bool) -> None:
    """Sample a port, or no longer; raise RefusedError for no port, or when that would change nothing.

    VPP remembers it by the hardware index, and does not forget it when the port goes.
    """
    row, enabled = tables.sw.get(sw_if_index), tables.part(SflowMain).enabled
    if row is None or row.is_sub:
        raise RefusedError(Retval.INVALID_SW_IF_INDEX, _NOT_A_PORT)
    if enabled.get(row.hw_index, False) == is_on:
        retval = Retval.VALUE_EXIST
        raise RefusedError(retval, f"sflow_enable_disable returned {retval.value}")
    enabled[row.hw_index] = is_on


def _rounded(size: int) -> int:
    """Return how much of a packet VPP reports when asked for `size` bytes: whole steps, between its limits."""
    rounded = (((size + _STEP - 1) & 0xFFFFFFFF) // _STEP) * _STEP
    return min(max(rounded, _LEAST), _MOST)


def _answer_enabled(call: Call, values: Values) -> None:
    """Sample a port, or no longer; the field is named after a hardware index and has a sw_if_index."""
    set_enabled(call.tables, values["hw_if_index"], values["enable_disable"])


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show the ports whose packets are sampled, by their hardware indexes."""
    for index in call.tables.part(SflowMain).ports:
        if values["hw_if_index"] in {NONE, index}:
            yield call.details({"hw_if_index": index})


_SETTINGS = {
    "sampling_rate": ("sampling_rate", "sampling_N"),
    "polling_interval": ("polling_interval_s", "polling_S"),
    "header_bytes": ("header_bytes", "header_B"),
    "direction": ("direction", "sampling_D"),
    "drop_monitoring": ("has_drop_monitoring", "drop_M"),
}
"""What is set and shown by a message of its own: the attribute and the field, by the middle of the message's name."""


def _setter(attribute: str, name: str) -> Answer:
    def answer(call: Call, values: Values) -> None:
        value = values[name]
        if attribute == "header_bytes":
            value = _rounded(value)
        elif attribute == "has_drop_monitoring":
            value = int(bool(value))
        setattr(call.tables.part(SflowMain), attribute, value)

    return answer


def _getter(attribute: str, name: str) -> Answer:
    def answer(call: Call, _values: Values) -> Outgoing:
        return call.reply(**{name: getattr(call.tables.part(SflowMain), attribute)})

    return answer


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


def _command_enabled(tables: Tables, line: Input) -> None:
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
    row = required(row, "Please specify an interface...")
    set_enabled(tables, row.index, is_on)


def _number(line: Input, what: str) -> int:
    return required(line.number(), f"Please specify {what}...")


def _command_rate(tables: Tables, line: Input) -> None:
    """`sflow sampling-rate <packets>`."""
    tables.part(SflowMain).sampling_rate = _number(line, "a sampling rate")


def _command_interval(tables: Tables, line: Input) -> None:
    """`sflow polling-interval <seconds>`."""
    tables.part(SflowMain).polling_interval_s = _number(line, "a polling interval")


def _command_header(tables: Tables, line: Input) -> None:
    """`sflow header-bytes <bytes>`."""
    tables.part(SflowMain).header_bytes = _rounded(_number(line, "a header bytes limit"))


def _command_direction(tables: Tables, line: Input) -> None:
    """`sflow direction rx|tx|both`."""
    word = next((word for word in _DIRECTIONS if line.take(word)), None)
    word = required(word, "Please specify a sampling direction (rx|tx|both)...")
    tables.part(SflowMain).direction = _DIRECTIONS[word]


def _command_drops(tables: Tables, line: Input) -> None:
    """`sflow drop-monitoring enable|disable`."""
    is_on = line.take("enable")
    if not is_on and not line.take("disable"):
        raise RefusedError(Retval.UNSPECIFIED, "Please specify enable or disable...")
    tables.part(SflowMain).has_drop_monitoring = int(is_on)


def _command_show(tables: Tables, _line: Input) -> str:
    """Run `show sflow`, which still shows a deleted port, whose name is gone."""
    main = tables.part(SflowMain)
    names = [tables.hw[index].name if tables.hw.has(index) else "(nil)" for index in main.ports]
    is_new = tables.release.has(_MONITORS_DROPS)
    direction = f"direction {_SHOWN.get(main.direction, 'none')}" if is_new else "sampling-direction ingress"
    monitoring = [f"sflow drop-monitoring {'enable' if main.has_drop_monitoring else 'disable'}"]
    lines = [
        f"sflow sampling-rate {main.sampling_rate}",
        f"sflow {direction}",
        f"sflow polling-interval {main.polling_interval_s}",
        f"sflow header-bytes {main.header_bytes}",
        *(monitoring if is_new else []),
        *(f"sflow enable {name}" for name in names),
        "Status",
        f"  interfaces enabled: {len(names)}",
        *(f"  {counter}: 0" for counter in _COUNTERS if is_new or not counter.startswith("drop ")),
    ]
    return "".join(f"{line}\n" for line in lines)


def _load(tables: Tables, state: State, rows: Rows) -> None:
    """Set how packets are sampled, and on which ports."""
    main = tables.part(SflowMain)
    main.sampling_rate = state.sflow.sampling_rate
    main.polling_interval_s = state.sflow.polling_interval_s
    main.header_bytes = state.sflow.header_bytes
    if state.sflow.direction is not None:
        main.direction = {"input": Direction.RX, "output": Direction.TX, "both": Direction.BOTH}[
            state.sflow.direction.value
        ]
    main.has_drop_monitoring = int(bool(state.sflow.has_drops))
    for name, row in rows.items():
        if state.interfaces[name].has_sflow and not row.is_sub:
            set_enabled(tables, row.index, True)


KIND = Kind(
    plugin="sflow",
    releases="25.02-",
    quirks=(_MONITORS_DROPS,),
    changes={
        "sflow_enable_disable": _answer_enabled,
        **{f"sflow_{middle}_set": _setter(*names) for middle, names in _SETTINGS.items()},
    },
    queries={
        "sflow_interface_dump": _dump,
        **{f"sflow_{middle}_get": _getter(*names) for middle, names in _SETTINGS.items()},
    },
    commands={
        "sflow enable-disable": _command_enabled,
        "sflow sampling-rate": _command_rate,
        "sflow polling-interval": _command_interval,
        "sflow header-bytes": _command_header,
        "sflow direction": _command_direction,
        "sflow drop-monitoring": _command_drops,
        "show sflow": _command_show,
    },
    load=_load,
)
