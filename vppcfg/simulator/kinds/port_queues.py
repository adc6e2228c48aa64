"""Simulates queues of ports: which threads poll them (vnet/interface_api.c, vnet/interface_cli.c), and receive modes.

A mode is how VPP learns that packets have come to a port (vnet/interface/rx_queue.c).
"""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.interface import RxMode, usual_rx_mode
from vppcfg.model.state import State
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.queues import QueueMain, queues_of
from vppcfg.simulator.releases import ReleaseQuirk
from vppcfg.simulator.retval import RefusedError, Retval, required
from vppcfg.simulator.tables import HwInterface, Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values, fixed

_PAGE_ROWS = 3
_NAMES_A_THREAD = ReleaseQuirk(span="25.10-", text="the CLI places no queue without the name of a thread (61ee7875f66)")
_FORGETS_THE_PORT = ReleaseQuirk(
    span="25.06", text="a worker named behind the port puts local0 in its place (fc7b794758f)"
)
_NO_THREAD = "please specify valid worker thread or main"


def place_rx(tables: Tables, port: HwInterface, queue: int, worker: int | None) -> None:
    """Have a worker, or the main thread, look after a receive queue; raise RefusedError when one is not there."""
    workers = tables.part(QueueMain).workers
    thread = 0 if worker is None else (worker + 1 if workers else worker)
    if thread > workers:
        raise RefusedError(Retval.UNIMPLEMENTED, _NO_THREAD)
    queues = queues_of(tables, port)
    if queue >= len(queues.rx):
        raise RefusedError(Retval.UNIMPLEMENTED, f"unknown queue {queue} on interface {port.name}")
    queues.rx[queue] = thread


def place_tx(tables: Tables, port: HwInterface, queue: int, threads: frozenset[int]) -> None:
    """Have threads send by a transmit queue; raise RefusedError when one of them, or the queue, is not there."""
    if threads and max(threads) >= tables.part(QueueMain).threads:
        text = f"please specify valid thread(s) - last thread index {max(threads)}"
        raise RefusedError(Retval.INVALID_VALUE, text)
    queues = queues_of(tables, port)
    if queue >= len(queues.tx):
        raise RefusedError(Retval.INVALID_QUEUE, f"unknown queue {queue} on interface {port.name}")
    queues.tx[queue] = threads


def _port(call: Call, values: Values) -> HwInterface:
    row = interfaces.require(call.tables, values["sw_if_index"])
    if row.is_sub:
        raise RefusedError(Retval.INVALID_VALUE)
    return call.tables.hw_of(row)


def _answer_rx(call: Call, values: Values) -> None:
    worker = None if values["is_main"] else values["worker_id"]
    place_rx(call.tables, _port(call, values), values["queue_id"], worker)


def _answer_tx(call: Call, values: Values) -> None:
    place_tx(call.tables, _port(call, values), values["queue_id"], frozenset(values["threads"]))


def _get_tx(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show the transmit queues of one port, or of all, a page at a time; how long one is depends on the time in VPP."""
    ports = [port for port in call.tables.hw if queues_of(call.tables, port).tx]
    if not ports:
        yield call.reply(retval=Retval.NO_SUCH_ENTRY, cursor=NONE)
        return
    if values["sw_if_index"] != NONE:
        row = call.tables.sw.get(values["sw_if_index"])
        if row is None or row.is_sub:
            wrong = Retval.INVALID_SW_IF_INDEX if row is None else Retval.INVALID_INTERFACE
            yield call.reply(retval=wrong, cursor=NONE)
            return
        ports = [call.tables.hw_of(row)]
    rows = [(port, *row) for port in ports for row in enumerate(queues_of(call.tables, port).tx)]
    end = values["cursor"] + _PAGE_ROWS
    for port, queue, threads in rows[values["cursor"] : end]:
        shown = {"sw_if_index": port.sw_if_index, "queue_id": queue, "shared": int(len(threads) > 1)}
        yield "sw_interface_tx_placement_details", {**shown, "threads": sorted(threads)}
    is_cut = end < len(rows)
    yield call.reply(retval=Retval.EAGAIN if is_cut else 0, cursor=end if is_cut else NONE)


def _show_threads(call: Call, _values: Values) -> Outgoing:
    """Show the main thread and the workers; their places are made up."""
    pid, rows = call.tables.process.pid, []
    for number in range(call.tables.part(QueueMain).threads):
        name, kind = (f"vpp_wk_{number - 1}", "workers") if number else ("vpp_main", "")
        rows.append((number, fixed(name, 64), fixed(kind, 64), pid + number, number, number, 0))
    return call.reply(thread_data=rows)


def _command_rx(tables: Tables, line: Input) -> None:
    """`set interface rx-placement <port> [queue <n>] [worker <n> | main]`."""
    port, queue, worker, is_main = None, 0, None, False
    while not line.is_at_end:
        if (found := line.port(tables)) is not None:
            port = found
        elif (number := line.number_after("queue")) is not None:
            queue = number
        elif line.take("main"):
            is_main = True
        elif (number := line.number_after("worker")) is not None:
            worker = number
            if port is not None and tables.release.has(_FORGETS_THE_PORT):
                port = tables.hw[0]
        else:
            raise _not_understood(line)
    port = required(port, "please specify valid interface name")
    if worker is None and not is_main:
        if tables.release.has(_NAMES_A_THREAD) or not tables.part(QueueMain).workers:
            raise RefusedError(Retval.UNSPECIFIED, _NO_THREAD)
        is_main = True  # no number is the largest one, and the one after that is the main thread's
    place_rx(tables, port, queue, None if is_main else worker)


def _command_tx(tables: Tables, line: Input) -> None:
    """`set interface tx-queue <port> [queue <n>] [threads <list>]`."""
    port, queue, threads = None, 0, frozenset[int]()
    while not line.is_at_end:
        if (found := line.port(tables)) is not None:
            port = found
        elif (number := line.number_after("queue")) is not None:
            queue = number
        elif line.take("threads"):
            threads = line.ids()
            if not threads:
                raise _not_understood(line)
        else:
            raise _not_understood(line)
    port = required(port, "please specify valid interface name")
    place_tx(tables, port, queue, threads)


def _not_understood(line: Input) -> RefusedError:
    line.skip_space()
    return RefusedError(Retval.UNSPECIFIED, f"parse error: '{line.shown}'")


def _load(tables: Tables, state: State, rows: Rows) -> None:
    """Place the queues as in the state."""
    for name, row in rows.items():
        desired = state.interfaces[name]
        queues = queues_of(tables, tables.hw_of(row))
        if not row.is_sub and desired.rx_placement:
            queues.rx = [each.threads[0] if each.threads else 0 for each in desired.rx_placement]
        if not row.is_sub and desired.tx_placement:
            queues.tx = [frozenset(each.threads) for each in desired.tx_placement]


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


def _answer_mode(call: Call, values: Values) -> None:
    row = interfaces.require(call.tables, values["sw_if_index"])
    if row.is_sub:
        raise RefusedError(Retval.INVALID_VALUE)
    queue = values["queue_id"] if values["queue_id_valid"] else None
    set_mode(call.tables, call.tables.hw_of(row), values["mode"], queue)


def _dump_modes(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show the queues of one port, or those of all in the order of the threads that look after them."""
    index = values["sw_if_index"]
    ports = [port for port in call.tables.hw if index in (NONE, port.sw_if_index)]
    rows = [(thread, port, queue) for port in ports for queue, thread in enumerate(queues_of(call.tables, port).rx)]
    for thread, port, queue in sorted(rows, key=lambda row: row[0]) if index == NONE else rows:
        shown = {"sw_if_index": port.sw_if_index, "mode": mode_of(call.tables, port, queue)}
        yield call.details({**shown, "queue_id": queue, "worker_id": thread})


def _command_mode(tables: Tables, line: Input) -> None:
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
    port = required(port, "please specify valid interface name")
    mode = required(mode, "please specify valid rx-mode")
    set_mode(tables, port, mode, queue)


def _load_modes(tables: Tables, state: State, rows: Rows) -> None:
    for name, row in rows.items():
        port = state.interfaces[name]
        mode = port.rx_mode or usual_rx_mode(port.device_class)
        if mode in _MODES and not row.is_sub:
            queues = queues_of(tables, tables.hw_of(row))
            queues.modes = dict.fromkeys(range(len(queues.rx)), _MODES[mode])


KIND = Kind(
    changes={"sw_interface_set_rx_placement": _answer_rx, "sw_interface_set_tx_placement": _answer_tx},
    queries={"sw_interface_tx_placement_get": _get_tx, "show_threads": _show_threads},
    commands={"set interface rx-placement": _command_rx, "set interface tx-queue": _command_tx},
    load=_load,
    quirks=(_NAMES_A_THREAD,),
)

RX_MODE = Kind(
    changes={"sw_interface_set_rx_mode": _answer_mode},
    queries={"sw_interface_rx_placement_dump": _dump_modes},
    commands={"set interface rx-mode": _command_mode},
    load=_load_modes,
)
