"""Client ports whose flows land on different cores of the router."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from vppcfg.errors import EngineError
from vppcfg.loadtest.flows.router import Router
from vppcfg.loadtest.flows.toeplitz import FourTuple, core_by_queue, rss_of

FIRST_CLIENT_PORT = 40000
_CANDIDATES = 200
Placed = tuple[int, int | None]
"""A client port and the core that its flow lands on."""


def spread(
    server_ports: Iterable[int], cores: Iterable[int], core_of: Callable[[int, int], int | None]
) -> tuple[Placed, ...]:
    """Return a client port for each server port, so that the flows load the `cores` as evenly as can be.

    `core_of` takes server port and client port and returns the core, None when that cannot be told. Raise EngineError
    when a core is not found within many ports.
    """
    flows = list(server_ports)
    wanted = sorted(cores)
    room = Counter({core: len(flows) // len(wanted) for core in wanted})
    room.update(wanted[: len(flows) % len(wanted)])
    placed: list[Placed] = []
    for number, server_port in enumerate(flows):
        placed.append(_place(server_port, room, FIRST_CLIENT_PORT + number * _CANDIDATES, core_of))
    return tuple(placed)


def _place(server_port: int, room: Counter[int], first: int, core_of: Callable[[int, int], int | None]) -> Placed:
    for client_port in range(first, first + _CANDIDATES):
        core = core_of(server_port, client_port)
        if core is not None and room[core] > 0:
            room[core] -= 1
            return client_port, core
    missing = sorted(core for core, left in room.items() if left)
    raise EngineError(
        f"no port among {_CANDIDATES} leads to core {missing[0]} of the router",
        "the router spreads flows over fewer cores; name the ports with --cport, or the cores with --cores",
    )


def toeplitz_cores(router: Router, device: str, client: str, server: str) -> Callable[[int, int], int | None] | None:
    """Return a function as `spread` takes it, by the hash of the router's card; None when the card does not tell."""
    try:
        rss = rss_of(router.run(["ethtool", "-x", device]))
    except EngineError:
        return None
    if rss is None:
        return None
    cores = core_by_queue(
        router.run(["cat", "/proc/interrupts"]),
        device,
        lambda number: router.run(["cat", f"/proc/irq/{number}/smp_affinity_list"]),
    )

    def core_of(server_port: int, client_port: int) -> int | None:
        flow = FourTuple(source=client, destination=server, source_port=client_port, destination_port=server_port)
        return cores.get(rss.queue_of(flow))

    return core_of if cores else None
