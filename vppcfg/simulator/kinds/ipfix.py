"""Simulates IPFIX: the exporter, which does not hold its table, and flow records, which outlive their interfaces.

The first exporter is always there (vnet/ipfix-export/flow_api.c); others, which nothing here uses, do not exist. What
is recorded is frozen while any interface is recorded (plugins/flowprobe/flowprobe.c).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from vppcfg.model.features import TrafficDirection
from vppcfg.model.ipfix import FlowLayer, FlowVariant
from vppcfg.model.state import State
from vppcfg.record import record
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.retval import RefusedError, Retval, required
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values

_NOBODY = bytes(4)
_PORT, _PATH_MTU, _INTERVAL_S = 4739, 512, 20
_LEAST_MTU, _MOST_MTU = 68, 1450
_ACTIVE_S, _PASSIVE_S = 15, 120
_WORDS = {"ip4": 0, "ip6": 1, "l2": 2}
_DIRECTIONS = {"rx": 0, "tx": 1, "both": 2}
_LAYERS = {"l2": 1, "l3": 2, "l4": 4}


@record
class Exporter:
    """Where records go (ipfix_exporter_t)."""

    collector: bytes = _NOBODY
    source: bytes = _NOBODY
    port: int = 0
    fib_index: int = NONE
    path_mtu: int = 0
    interval_s: int = 0
    has_checksum: bool = False


@dataclass(slots=True, kw_only=True)
class IpfixMain:
    """The first exporter and what flowprobe keeps (flow_report_main_t, flowprobe_main_t)."""

    exporter: Exporter = Exporter()
    table_ids: dict[int, int] = field(default_factory=dict)
    """The ids that tables had when the exporter was set, by index: VPP reports that of one that is gone."""
    layers: int = 0
    active_s: int = _ACTIVE_S
    passive_s: int = _PASSIVE_S
    probes: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Variant and direction by interface."""


def set_exporter(tables: Tables, desired: Exporter, table_id: int | None) -> None:
    """Set the exporter; raise RefusedError for values that VPP refuses."""
    main = tables.part(IpfixMain)
    fib_index = NONE
    if table_id is not None:
        table = required(tables.fib4.tables.get(table_id), f"fib ID {table_id} doesn't exist", Retval.NO_SUCH_FIB)
        fib_index = table.index
        main.table_ids[fib_index] = table_id
    if desired.collector != _NOBODY and desired.source == _NOBODY:
        raise RefusedError(Retval.INVALID_VALUE, "src address required")
    if desired.path_mtu > _MOST_MTU:
        raise RefusedError(Retval.INVALID_VALUE, f"too big path-mtu value, maximum is {_MOST_MTU}")
    if desired.path_mtu < _LEAST_MTU:
        raise RefusedError(Retval.INVALID_VALUE, f"too small path-mtu value, minimum is {_LEAST_MTU}")
    main.exporter = replace(desired, fib_index=fib_index)


def set_params(tables: Tables, layers: int, active_s: int, passive_s: int) -> None:
    """Set what is recorded; raise RefusedError while interfaces are, or when flows would be forgotten too early."""
    main = tables.part(IpfixMain)
    if 0 < passive_s < active_s:
        raise RefusedError(Retval.INVALID_VALUE, "Passive timer has to be greater than active one...")
    if main.probes:
        text = "Couldn't change flowperpacket params when feature is enabled on some interface ..."
        raise RefusedError(Retval.UNSUPPORTED, text)
    main.layers = layers & sum(_LAYERS.values())
    main.active_s = _ACTIVE_S if active_s == NONE else active_s
    main.passive_s = _PASSIVE_S if passive_s == NONE else passive_s


def set_probe(tables: Tables, sw_if_index: int, which: int, direction: int, *, is_add: bool) -> None:
    """Record an interface, or no longer, in whatever direction; raise RefusedError with VPP's code."""
    main = tables.part(IpfixMain)
    if not main.layers:
        text = "Please specify flowprobe params record first..."
        raise RefusedError(Retval.CANNOT_ENABLE_DISABLE_FEATURE, text)
    known = main.probes.get(sw_if_index)
    if known is not None and known[0] != which:
        raise RefusedError(Retval.ENTRY_ALREADY_EXISTS, "Interface has enable different datapath ...")
    if known is not None and is_add:
        raise RefusedError(Retval.ENTRY_ALREADY_EXISTS, "Datapath is already enabled for given interface...")
    if known is None and not is_add:
        raise RefusedError(Retval.NO_SUCH_ENTRY, "Interface has no datapath enabled")
    if is_add:
        main.probes[sw_if_index] = which, direction
    else:
        del main.probes[sw_if_index]


def _answer_exporter(call: Call, values: Values) -> None:
    """Set the exporter; VPP reads the collector as IPv4 whatever it is, and requires a source of the same family."""
    table_id = None if values["vrf_id"] == NONE else values["vrf_id"]
    if table_id is not None and table_id not in call.tables.fib4.tables:
        raise RefusedError(Retval.NO_SUCH_FIB)
    if values["src_address.af"]:
        raise RefusedError(Retval.INVALID_VALUE)
    port, mtu, interval = values["collector_port"], values["path_mtu"], values["template_interval"]
    desired = Exporter(
        collector=bytes(values["collector_address.un"][:4]),
        source=bytes(values["src_address.un"][:4]),
        port=_PORT if port == 0xFFFF else port,
        path_mtu=_PATH_MTU if mtu == NONE else mtu,
        interval_s=_INTERVAL_S if interval == NONE else interval,
        has_checksum=bool(values["udp_checksum"]),
    )
    set_exporter(call.tables, desired, table_id)


def _dump_exporter(call: Call, _values: Values) -> Iterator[Outgoing]:
    main = call.tables.part(IpfixMain)
    exporter = main.exporter
    ids = {table.index: table_id for table_id, table in call.tables.fib4.tables.items()}
    table_id = ids.get(exporter.fib_index, main.table_ids.get(exporter.fib_index, NONE))
    yield call.details(
        {
            "collector_address.un": exporter.collector.ljust(16, b"\0"),
            "collector_port": exporter.port,
            "src_address.un": exporter.source.ljust(16, b"\0"),
            "vrf_id": NONE if exporter.fib_index == NONE else table_id,
            "path_mtu": exporter.path_mtu,
            "template_interval": exporter.interval_s,
            "udp_checksum": exporter.has_checksum,
        }
    )


def _answer_params(call: Call, values: Values) -> None:
    set_params(call.tables, values["record_flags"], values["active_timer"], values["passive_timer"])


def _answer_get_params(call: Call, _values: Values) -> Outgoing:
    main = call.tables.part(IpfixMain)
    return call.reply(record_flags=main.layers, active_timer=main.active_s, passive_timer=main.passive_s)


def _answer_probe(call: Call, values: Values) -> None:
    interfaces.require(call.tables, values["sw_if_index"])
    if values["which"] not in _WORDS.values() or values["direction"] not in _DIRECTIONS.values():
        raise RefusedError(Retval.INVALID_VALUE)
    which, direction = values["which"], values["direction"]
    set_probe(call.tables, values["sw_if_index"], which, direction, is_add=values["is_add"])


def _dump_probes(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show who is recorded, interfaces that are gone too."""
    for index, (which, direction) in sorted(call.tables.part(IpfixMain).probes.items()):
        if values["sw_if_index"] in {NONE, index}:
            yield call.details({"sw_if_index": index, "which": which, "direction": direction})


def _port(line: Input) -> int | None:
    """Take a port (unformat_udp_port)."""
    number = line.number()
    return number if number is not None and 0 < number <= 0xFFFF else None


def _command_exporter(tables: Tables, line: Input) -> str:
    """Run `set ipfix exporter [collector <ip4> [port <n>] src <ip4> [fib-id <n>] [path-mtu <n>] ...]`."""
    found: dict[str, Any] = {"port": _PORT, "path_mtu": _PATH_MTU, "interval_s": _INTERVAL_S, "fib_id": None}
    numbers = {"fib-id": "fib_id", "path-mtu": "path_mtu", "template-interval": "interval_s"}
    ends = {"collector": "collector", "src": "source"}
    while not line.is_at_end:
        if line.take_field(ends, lambda: line.packed(4), found) or line.take_field(numbers, line.number, found):
            continue
        if line.take_field({"port": "port"}, lambda: _port(line), found):
            continue
        if not line.take("udp-checksum"):
            break
        found["has_checksum"] = True
    fib_id = found.pop("fib_id")
    desired = Exporter(**found)
    set_exporter(tables, desired, fib_id)
    if desired.collector == _NOBODY:
        return "IPFIX Collector is disabled\n"
    fib_index = tables.part(IpfixMain).exporter.fib_index
    collector, source = (ipaddress.IPv4Address(end) for end in (desired.collector, desired.source))
    return (
        f"Collector {collector}, src address {source}, fib index {-1 if fib_index == NONE else fib_index}, "
        f"path MTU {desired.path_mtu}, template resend interval {desired.interval_s}s, "
        f"udp checksum {'enabled' if desired.has_checksum else 'disabled'}\n"
    )


def _command_params(tables: Tables, line: Input) -> None:
    """Run `flowprobe params record [l2] [l3] [l4] [active <n>] [passive <n>]`."""
    layers, numbers = 0, {"active": NONE, "passive": NONE}
    while not line.is_at_end:
        if line.take("record"):
            while (layer := next((layer for layer in _LAYERS if line.take(layer)), None)) is not None:
                layers |= _LAYERS[layer]
        elif not (line.take_setting("active", numbers) or line.take_setting("passive", numbers)):
            break
    set_params(tables, layers, numbers["active"], numbers["passive"])


def _command_probe(tables: Tables, line: Input) -> None:
    """Run `flowprobe feature add-del <interface> [l2|ip4|ip6] [rx|tx|both] [disable]`."""
    row, which, direction, is_add = None, _WORDS["ip4"], _DIRECTIONS["tx"], True
    while not line.is_at_end:
        if line.take("disable"):
            is_add = False
        elif (found := line.interface(tables)) is not None:
            row = found
        elif (word := next((word for word in (*_WORDS, *_DIRECTIONS) if line.take(word)), None)) is not None:
            which, direction = _WORDS.get(word, which), _DIRECTIONS.get(word, direction)
        else:
            break
    if row is None and tables.part(IpfixMain).layers:
        raise RefusedError(Retval.UNSPECIFIED, "Please specify an interface...")
    set_probe(tables, NONE if row is None else row.index, which, direction, is_add=is_add)


def _load(tables: Tables, state: State, rows: Rows) -> None:
    exporter, params = state.ipfix.exporter, state.ipfix.params
    if exporter.collector:
        ends = [ipaddress.IPv4Address(end).packed for end in (exporter.collector, exporter.source)]
        desired = Exporter(
            collector=ends[0],
            source=ends[1],
            port=exporter.port,
            path_mtu=exporter.path_mtu,
            interval_s=exporter.template_interval_s,
            has_checksum=exporter.has_udp_checksum,
        )
        set_exporter(tables, desired, exporter.table_id or None)
    numbers = {layer: _LAYERS[layer.value] for layer in FlowLayer}
    set_params(tables, sum(numbers[layer] for layer in params.layers), params.active_s, params.passive_s)
    words = {TrafficDirection.INPUT: 0, TrafficDirection.OUTPUT: 1, TrafficDirection.BOTH: 2}
    for name, row in rows.items():
        records = state.interfaces[name].flow_records
        if records is not None:
            variants = {variant: _WORDS[variant.value] for variant in FlowVariant}
            set_probe(tables, row.index, variants[records.variant], words[records.direction], is_add=True)


EXPORT = Kind(
    changes={"set_ipfix_exporter": _answer_exporter},
    queries={"ipfix_exporter_dump": _dump_exporter},
    commands={"set ipfix exporter": _command_exporter},
)
KIND = Kind(
    changes={"flowprobe_set_params": _answer_params, "flowprobe_interface_add_del": _answer_probe},
    queries={"flowprobe_get_params": _answer_get_params, "flowprobe_interface_dump": _dump_probes},
    commands={"flowprobe params": _command_params, "flowprobe feature add-del": _command_probe},
    plugin="flowprobe",
    load=_load,
)
