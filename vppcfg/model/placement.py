"""Which of VPP's threads look after the queues of ports: the main thread is thread 0, worker0 is thread 1, and so on.

VPP counts threads in what it reports, and in what sets transmit queues; in what sets receive queues it
counts workers (sw_interface_set_rx_placement, vnet/interface.api). Here it is always threads.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import field, replace

from vppcfg.record import record

MAIN = "main"
_WORKER = "worker"


@record
class QueuePlacement:
    """One queue of a port and the threads that look after it; a receive queue has exactly one."""

    queue: int
    threads: tuple[int, ...] = ()
    """Ascending; none where it is not known, and of an unused transmit queue."""
    is_chosen: bool = field(default=False, compare=False)
    """Whether an operator placed them rather than VPP, as far as it can be inferred; VPP does not report it."""


Placements = tuple[QueuePlacement, ...]
"""By queue, ascending, each once."""


def thread_name(thread: int) -> str:
    """Return what a thread is called in a file: main, worker0 and so on."""
    return f"{_WORKER}{thread - 1}" if thread else MAIN


def thread_of(name: str) -> int:
    """Return the number of the thread that a file calls `name`."""
    return 0 if name == MAIN else int(name.removeprefix(_WORKER)) + 1


def in_order(placements: Iterable[QueuePlacement]) -> Placements:
    """Return the queues in their order."""
    return tuple(sorted(placements, key=lambda each: each.queue))


def moved(before: Placements, after: Placements) -> Iterator[tuple[QueuePlacement, QueuePlacement]]:
    """Yield each queue that is known before and after and has other threads; what one side does not know is open.

    So is a transmit queue that is to be unused.
    """
    if before is after or not before or not after:
        return
    known = {each.queue: each for each in before}
    for each in after:
        former = known.get(each.queue)
        if former is not None and each.threads and former.threads != each.threads:
            yield former, each


def moved_to(placements: Placements, desired: QueuePlacement) -> Placements:
    """Return the queues with one of them looked after as it is wanted."""
    return tuple(desired if each.queue == desired.queue else each for each in placements)


def left_without_queue(before: Placements, after: Placements) -> list[int]:
    """Return the threads that could send before and cannot any more once `after` is in force, which may be a part.

    VPP drops what a thread sends to a port where it has no transmit queue (vnet/interface_output.c, "no tx queue").
    """
    reached = {each.queue: each for each in before}
    reached.update({each.queue: each for each in after if each.queue in reached})
    return sorted(_threads(before) - _threads(reached.values()))


def _threads(placements: Iterable[QueuePlacement]) -> set[int]:
    return {thread for each in placements for thread in each.threads}


def moved_placements(before: Placements, after: Placements) -> tuple[Placements, Placements]:
    """Return what a difference shows of the queues before and after: those that move, as if they had been chosen."""
    pairs = list(moved(before, after))
    return tuple(_chosen(each) for each, _ in pairs), tuple(_chosen(each) for _, each in pairs)


def _chosen(placement: QueuePlacement) -> QueuePlacement:
    return QueuePlacement(queue=placement.queue, threads=placement.threads, is_chosen=True)


def placed_by_hand(placements: Placements, queues: Collection[int]) -> Placements:
    """Return the queues, of which an operator placed those that are named and no others."""
    return tuple(replace(each, is_chosen=each.queue in queues) for each in placements)


def chosen(placements: Placements) -> Placements:
    """Return the queues that an operator placed."""
    return tuple(each for each in placements if each.is_chosen)
