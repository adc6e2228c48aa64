"""Simulates receive modes: how VPP learns that packets have come to a port (vnet/interface/rx_queue.c)."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.interface import RxMode, usual_rx_mode
from vppcfg.model.state import State
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.queues import queues_of
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import HwInterface, Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values

_POLLING, _INTERRUPT, _ADAPTIVE, _DEFAULT = 1, 2, 3, 4
"""The last one is what a message without a mode sets, not what a driver starts with."""
_MODES = {RxMode.POLLING: 1, RxMode.INTERRUPT: 2, RxMode.ADAPTIVE: 3}
_WORDS = {mode.value: number for mode, number in _MODES.items()}
_REFUSED_BY = {"af-packet": {_ADAPTIVE}, "vhost-user": {_INTERRUPT, _ADAPTIVE}}
"""What drivers cannot do; an unconnected vhost-user port only polls."""


def mode_of(tables: Tables, port: HwInterface, queue: int) -> int:
    """Return the mode of a queue, as its driver sets it by default; nobody is connected to a vhost-user port."""
    usual = _POLLING if port.device_class == "vhost-user" else _MODES[usual_rx_mode(port.device_class)]
    return queues_of(tables, port).modes.get(queue, usual)


def set_mode(tables: Tables, port: HwInterface, mode: int, queue: int | None) -> None:
    """Set the mode of a queue, or of all; raise RefusedError for one that is not there or cannot."""
    queues = queues_of(tables, port)
    count = len(queues.rx)
    if queue is not None and queue >= count:
        text = f"unknown queue {queue} on interface {port.name}"
        raise RefusedError(Retval.UNIMPLEMENTED, text)
    if mode in _REFUSED_BY.get(port.device_class, ()):
        named = NONE if queue is None else queue
        raise RefusedError(Retval.UNIMPLEMENTED, f"unable to set rx-mode on interface {port.name} queue-id {named}.")
    for each in range(count) if queue is None else (queue,):
        queues.modes[each] = _POLLING if mode == _DEFAULT else mode


def _answer(call: Call, values: Values) -> Outgoing:
    row = interfaces.require(call.tables, values["sw_if_index"])
    if row.is_sub:
        raise RefusedError(Retval.INVALID_VALUE)
    queue = values["queue_id"] if values["queue_id_valid"] else None
    set_mode(call.tables, call.tables.hw_of(row), values["mode"], queue)
    return call.reply()


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show the queues of one port, or those of all in the order of the threads that look after them."""
    index = values["sw_if_index"]
    ports = [port for port in call.tables.hw if index in (NONE, port.sw_if_index)]
    rows = [(thread, port, queue) for port in ports for queue, thread in enumerate(queues_of(call.tables, port).rx)]
    for thread, port, queue in sorted(rows, key=lambda row: row[0]) if index == NONE else rows:
        shown = {"sw_if_index": port.sw_if_index, "mode": mode_of(call.tables, port, queue)}
        yield call.details({**shown, "queue_id": queue, "worker_id": thread})


def _command(tables: Tables, line: Input) -> str:
    """`set interface rx-mode <port> [queue <n>] polling | interrupt | adaptive`."""
    port, queue, mode = None, None, None
    while not line.is_at_end:
        if (found := line.port(tables)) is not None:
            port = found
        elif (number := line.number_after("queue")) is not None:
            queue = number
        elif (word := line.choice_after("", _WORDS)) is not None:
            mode = word
        else:
            line.skip_space()
            raise RefusedError(Retval.UNSPECIFIED, f"parse error: '{line.shown}'")
    if port is None:
        raise RefusedError(Retval.UNSPECIFIED, "please specify valid interface name")
    if mode is None:
        raise RefusedError(Retval.UNSPECIFIED, "please specify valid rx-mode")
    set_mode(tables, port, mode, queue)
    return ""


def _load(tables: Tables, state: State, rows: Rows) -> None:
    for name, row in rows.items():
        port = state.interfaces[name]
        mode = port.rx_mode or usual_rx_mode(port.device_class)
        if mode in _MODES and not row.is_sub:
            queues = queues_of(tables, tables.hw_of(row))
            queues.modes = dict.fromkeys(range(len(queues.rx)), _MODES[mode])


KIND = Kind(
    changes={"sw_interface_set_rx_mode": _answer},
    queries={"sw_interface_rx_placement_dump": _dump},
    commands={"set interface rx-mode": _command},
    load=_load,
)
