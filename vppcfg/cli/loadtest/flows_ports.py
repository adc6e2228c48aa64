"""The ports of flows, by what the options say of the router and what the router says of its cores."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from vppcfg.errors import UsageError

if TYPE_CHECKING:
    from vppcfg.loadtest.flows.place import Placed
    from vppcfg.loadtest.flows.router import RouterMachine
    from vppcfg.loadtest.flows.run import FlowsPlan


def placed_flows(
    args: argparse.Namespace, plan: FlowsPlan, router: RouterMachine | None
) -> tuple[tuple[Placed, ...], str]:
    """Return a client port per flow with its core, and how they were found."""
    from vppcfg.loadtest.flows.place import spread, toeplitz_cores

    count = len(plan.server_ports)
    if args.cport:
        if len(set(args.cport)) != count:
            raise UsageError(f"--cport names {len(set(args.cport))} ports, and there are {count} flows")
        return tuple((port, None) for port in args.cport), "named by the operator"
    if router is None:
        return ((0, None),) * count, "not chosen: no router is named"
    cores = _cores(args, router)
    if args.router_device:
        by_hash = toeplitz_cores(router, args.router_device, _source_address(plan), plan.server)
        if by_hash is not None:
            return spread(plan.server_ports, cores, by_hash), "Toeplitz"
    if plan.server_netns is None or not (args.lab or args.router == "local"):
        return ((0, None),) * count, "not chosen: the card tells no hash, and only servers of our own can be probed"
    if args.lab and _is_vpp(args.lab):
        return ((0, None),) * count, "not chosen: VPP has one thread in a laboratory"
    return _probed(plan, router, cores), "probe"


def _probed(plan: FlowsPlan, router: RouterMachine, cores: tuple[int, ...]) -> tuple[Placed, ...]:
    """Return client ports by trying which core they load."""
    from contextlib import ExitStack

    from vppcfg.loadtest.flows.place import core_of, listener, packets_by_core, spread

    def look() -> dict[int, int]:
        return packets_by_core(router.run(["cat", "/proc/net/softnet_stat"]))

    with ExitStack() as stack:
        for port in plan.server_ports:
            stack.enter_context(listener(plan.server_netns or "", port))
        return spread(
            plan.server_ports,
            cores,
            lambda port, client_port: core_of(plan.client_netns, plan.server, port, client_port, look),
        )


def _cores(args: argparse.Namespace, router: RouterMachine) -> tuple[int, ...]:
    from vppcfg.common.numbers import cpus_of
    from vppcfg.loadtest.flows.router import ticks_by_core

    online = tuple(sorted(ticks_by_core(router.run(["cat", "/proc/stat"]))))
    if not args.cores:
        return online
    try:
        wanted = cpus_of(args.cores)
    except ValueError as error:
        raise UsageError(f"--cores: {error}") from error
    missing = sorted(set(wanted) - set(online))
    if missing or not wanted:
        raise UsageError(f"--cores: the router has no core {missing[0] if missing else args.cores}")
    return wanted


def _source_address(plan: FlowsPlan) -> str:
    """Return the address from which the clients reach the server."""
    import socket

    from vppcfg.errors import EngineError
    from vppcfg.linux.inside import run_inside

    def address() -> str:
        family = socket.AF_INET6 if ":" in plan.server else socket.AF_INET
        with socket.socket(family, socket.SOCK_DGRAM) as sock:
            sock.connect((plan.server, plan.server_ports[0]))
            return str(sock.getsockname()[0])

    try:
        return run_inside(plan.client_netns, address)
    except OSError as error:
        raise EngineError(f"there is no way to {plan.server}: {error.strerror or error}") from error


def _is_vpp(lab: str) -> bool:
    from vppcfg.loadtest.lab.build import find
    from vppcfg.loadtest.lab.layout import Dut

    return find(lab).dut is Dut.VPP
