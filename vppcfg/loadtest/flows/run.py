"""Runs flows side by side and watches the router's cores meanwhile. Everything stops when it ends, however it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from vppcfg.common.clock import Clock, sleep_until
from vppcfg.errors import EngineError
from vppcfg.loadtest.engine import uninterrupted
from vppcfg.loadtest.flows.iperf3 import Client, Servers
from vppcfg.loadtest.flows.outcome import CoresSample, Flow, FlowsOutcome
from vppcfg.loadtest.flows.place import FlowsPlan, Placed
from vppcfg.loadtest.flows.router import RouterMachine, loads_between, ticks_by_core

LONGEST_S = 86_400
_GRACE_S = 20.0


@contextmanager
def serving(plan: FlowsPlan, clock: Clock) -> Iterator[None]:
    """Run the plan's servers within this context, unless they run already. Raise EngineError."""
    if plan.server_netns is None:
        yield
        return
    servers = Servers(plan.server_netns, plan.server_ports, clock)
    try:
        servers.start()
        yield
    finally:
        with uninterrupted():
            servers.stop()


def run_flows(
    plan: FlowsPlan,
    placed: tuple[Placed, ...],
    router: RouterMachine | None,
    clock: Clock,
    on_sample: Callable[[CoresSample], None],
) -> tuple[tuple[Flow, ...], tuple[CoresSample, ...]]:
    """Run all flows at once and return them, and the load of the router's cores second by second. Raise EngineError."""
    words = ["--time", str(plan.duration_s), *(["--reverse"] if plan.is_reverse else [])]
    clients: list[Client] = []
    try:
        for server_port, (client_port, _) in zip(plan.server_ports, placed, strict=True):
            clients.append(Client(plan.client_netns, plan.server, server_port, client_port or None, words))
        samples = tuple(_watch(router, plan.duration_s, clock, on_sample, lambda: all(c.is_running for c in clients)))
        ended_first = sorted(clients, key=lambda client: client.is_running)  # one that failed tells why
        results = {client: client.result(_GRACE_S) for client in ended_first}
        flows = [results[client] for client in clients]
    finally:
        with uninterrupted():
            for client in clients:
                client.stop()
    return tuple(replace(flow, core=core) for flow, (_, core) in zip(flows, placed, strict=True)), samples


def outcome_of(
    version: str, plan: FlowsPlan, placed_by: str, flows: tuple[Flow, ...], samples: tuple[CoresSample, ...]
) -> FlowsOutcome:
    """Return the outcome of a test. Raise EngineError when nothing went through the router."""
    outcome = FlowsOutcome(
        iperf3_version=version, duration_s=plan.duration_s, flows=flows, placed_by=placed_by, cores=samples
    )
    if outcome.goodput_bps <= 0:
        raise EngineError("nothing went through the router", "see whether the flows reach the server at all")
    return outcome


def _watch(
    router: RouterMachine | None,
    duration_s: int,
    clock: Clock,
    on_sample: Callable[[CoresSample], None],
    is_running: Callable[[], bool],
) -> Iterator[CoresSample]:
    """Yield the load of the cores every second until the flows have run their time, or one of them ends early."""
    began_s = clock.now()
    former = ticks_by_core(router.run(["cat", "/proc/stat"])) if router else {}
    for second in range(1, duration_s + 1):
        sleep_until(clock, began_s + second)
        later = ticks_by_core(router.run(["cat", "/proc/stat"])) if router else {}
        sample = CoresSample(at_s=clock.now() - began_s, loads=loads_between(former, later))
        on_sample(sample)
        if router:
            yield sample
        former = later
        if not is_running():
            return
