"""Simulates the queues of ports and the threads that poll them (vnet/interface/rx_queue.c, tx_queue.c)."""

from __future__ import annotations

from dataclasses import dataclass, field

from vppcfg.model.interface import DEVICE_TYPES
from vppcfg.simulator.tables import HwInterface, Tables

_WITH_QUEUES = frozenset({"tap", *(kind.device_class for kind in DEVICE_TYPES.values())})


@dataclass(slots=True, kw_only=True)
class Queues:
    """The queues of one port."""

    rx: list[int] = field(default_factory=list)
    """The thread of each receive queue."""
    tx: list[frozenset[int]] = field(default_factory=list)
    """The threads of each transmit queue."""
    modes: dict[int, int] = field(default_factory=dict)
    """The modes that were set, by receive queue."""


@dataclass(slots=True, kw_only=True)
class QueueMain:
    """The workers, and the queues that are spread over them."""

    workers: int = 0
    turn: int = 0
    """The worker that gets the next receive queue (next_worker_thread_index)."""
    of_port: dict[int, Queues] = field(default_factory=dict)
    """By the index of the port."""

    @property
    def threads(self) -> int:
        """Return how many threads forward packets, the main one included."""
        return self.workers + 1


def has_queues(port: HwInterface) -> bool:
    """Return whether a port is one of a driver; a memif has queues only while it is connected."""
    is_alone = port.device_class == "memif" and port.has_link_of_its_own
    return port.device_class in _WITH_QUEUES and not is_alone


def register(tables: Tables, port: HwInterface) -> None:
    """Give a new port its queues: the receive queues to one worker after the other, threads to transmit queues."""
    main = tables.part(QueueMain)
    queues = main.of_port[port.index] = Queues()
    if port.device_class not in _WITH_QUEUES:
        return
    for _ in range(port.rx_queues):
        add_rx(main, queues)
    spread_tx(main, queues, port.tx_queues)


def add_rx(main: QueueMain, queues: Queues) -> None:
    """Add a receive queue, on the worker whose turn it is; without workers on the main thread."""
    queues.rx.append(main.turn + 1 if main.workers else 0)
    main.turn = (main.turn + 1) % max(main.workers, 1)


def spread_tx(main: QueueMain, queues: Queues, count: int) -> None:
    """Give a port so many transmit queues, and each thread one of them."""
    queues.tx = [frozenset(range(queue, main.threads, count)) for queue in range(count)]


def set_workers(tables: Tables, workers: int) -> None:
    """Let there be workers, as if VPP had been started with so many: all queues are spread anew."""
    main = tables.part(QueueMain)
    main.workers, main.turn = workers, 0
    for port in tables.hw:
        modes = main.of_port[port.index].modes if port.index in main.of_port else {}
        register(tables, port)
        main.of_port[port.index].modes = modes


def ensure_queue(tables: Tables, port: HwInterface, queue: int, *, is_rx: bool) -> None:
    """Give a port more queues, where it has too few to have one of this number."""
    main, queues = tables.part(QueueMain), queues_of(tables, port)
    while is_rx and queues.rx and len(queues.rx) <= queue:
        add_rx(main, queues)
    while not is_rx and queues.tx and len(queues.tx) <= queue:
        queues.tx.append(frozenset())


def queues_of(tables: Tables, port: HwInterface) -> Queues:
    """Return the queues of a port, none of one that has none."""
    return tables.part(QueueMain).of_port.get(port.index, Queues()) if has_queues(port) else Queues()
