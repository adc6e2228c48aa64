"""The keys `rx-placement` and `tx-placement` of a port: the threads that look after its queues, by queue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from vppcfg.entries.configuration import InterfaceConfig, QueueConfig
from vppcfg.entries.yaml.text import KeyValue
from vppcfg.model.placement import Placements, QueuePlacement, chosen, in_order, left_without_queue, thread_name

RX_KEY, TX_KEY = "rx-placement", "tx-placement"
LAST_QUEUE = 1023
"""Drivers have fewer: DPDK is built for 1024 queues at most (RTE_MAX_QUEUES_PER_PORT)."""

Found = tuple[str, tuple[str | int, ...], str]
"""The rule that is broken, where below the interface, and what is wrong."""


def parse(raw: Mapping[str | int, Any]) -> tuple[QueueConfig, ...]:
    """Return the entries of a map of the right shape; a key that is no queue is kept for a rule to find."""
    return tuple(
        QueueConfig(
            key=key,
            queue=key if isinstance(key, int) and not isinstance(key, bool) and 0 <= key <= LAST_QUEUE else None,
            threads=(given,) if isinstance(given, str) else tuple(given),
        )
        for key, given in raw.items()
    )


def from_state(placements: Placements) -> tuple[QueueConfig, ...]:
    """Return the entries of queues that were placed by hand."""
    return tuple(
        QueueConfig(key=each.queue, queue=each.queue, threads=tuple(map(thread_name, each.threads)))
        for each in chosen(placements)
        if each.threads
    )


def keys(config: InterfaceConfig) -> Iterator[KeyValue]:
    """Yield the keys of a port that has them."""
    for key, entries in ((RX_KEY, config.rx_placement), (TX_KEY, config.tx_placement)):
        if entries:
            yield KeyValue(key, tuple(KeyValue(each.key, _as_yaml(each.threads)) for each in entries))


def _as_yaml(threads: tuple[str, ...]) -> str | list[str]:
    return threads[0] if len(threads) == 1 else list(threads)


def placements_of(entries: Iterable[QueueConfig]) -> Placements:
    """Return where the file places queues."""
    return in_order(
        QueuePlacement(queue=each.queue, threads=tuple(sorted(each.numbers)), is_chosen=True)
        for each in entries
        if each.queue is not None
    )


def resolve(
    config: InterfaceConfig, observed: tuple[Placements, Placements], workers: int
) -> tuple[Placements, Placements, list[Found]]:
    """Return where the receive and transmit queues of a port are to be, and why some of it cannot be.

    What cannot be is left out. Without workers the main thread has all queues, and VPP reports nothing of them.
    """
    found: list[Found] = []
    rx = tuple(_possible(RX_KEY, config.name, placements_of(config.rx_placement), observed[0], workers, found))
    tx = tuple(_possible(TX_KEY, config.name, placements_of(config.tx_placement), observed[1], workers, found))
    if left := left_without_queue(observed[1], tx):
        names = " and ".join(map(thread_name, left))
        text = f"{names} would be left without a transmit queue of {config.name}"
        found.append(("tx-placement-gap", (TX_KEY,), f"{text}, and VPP would drop what goes there from them"))
        tx = ()
    return rx, tx, found


def _possible(
    key: str, name: str, placements: Placements, observed: Placements, workers: int, found: list[Found]
) -> Iterator[QueuePlacement]:
    queues = {each.queue for each in observed}
    for each in placements:
        missing = next((thread for thread in each.threads if thread > workers), None)
        if missing is not None:
            there = "has no workers" if not workers else "has one worker, worker0" if workers == 1 else ""
            there = there or f"has {workers} workers, worker0 to worker{workers - 1}"
            found.append(("placement-missing", (key, each.queue), f"VPP {there}, and no {thread_name(missing)}"))
        elif workers and each.queue not in queues:
            kind = "receive" if key == RX_KEY else "transmit"
            there = f"{len(queues)} {kind} queue{'s' if len(queues) != 1 else ''}"
            text = f"{name} has {there}, counted from 0, and no queue {each.queue}"
            found.append(("placement-missing", (key, each.queue), text))
        elif workers:
            yield each
