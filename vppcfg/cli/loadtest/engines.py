"""The engine that the options name, with the clock it runs by."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from vppcfg.common.clock import Clock, SimulatedClock, SystemClock
from vppcfg.errors import UsageError
from vppcfg.loadtest.engine import Engine, uninterrupted
from vppcfg.loadtest.simulated import SimulatedDevice, SimulatedEngine

if TYPE_CHECKING:
    from vppcfg.loadtest.stateful.engine import StatefulEngine
    from vppcfg.loadtest.stateful.simulated import SimulatedGateway

_MAC = re.compile(r"[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}")
_SHARES = {"loss": "loss_ratio", "collapse": "collapse", "jitter": "jitter"}


@contextmanager
def opened(args: argparse.Namespace) -> Iterator[tuple[Engine, Clock]]:
    """Open the engine for this context, and close it whatever happens."""
    args.engine = args.engine or default_engine(args.ports)
    engine, clock = _engine(args)
    try:
        yield engine, clock
    finally:
        with uninterrupted():
            engine.release()


def default_engine(ports: str) -> str:
    """Return the engine whose ports are named like these: T-Rex's have numbers."""
    return "trex" if all(port.strip().isdecimal() for port in ports.split(",")) else "trafgen"


def _engine(args: argparse.Namespace) -> tuple[Engine, Clock]:
    refuse_device_without_simulation(args)
    if args.next_mac and args.engine != "trafgen":
        raise UsageError("--next-mac is about frames of trafgen", "T-Rex has the MAC addresses in its configuration")
    if args.engine == "simulated":
        device, pace = simulated_device(args.device)
        simulated_clock = SimulatedClock(pace)
        return SimulatedEngine(device, simulated_clock), simulated_clock
    clock = SystemClock()
    if args.engine == "trafgen":
        from vppcfg.loadtest.trafgen.engine import TrafgenEngine

        ports = tuple(port.strip() for port in args.ports.split(",") if port.strip())
        return TrafgenEngine(clock, ports, _next_macs(args.next_mac)), clock
    from vppcfg.loadtest.trex.engine import TrexEngine

    return TrexEngine(args.server, clock, is_forced=args.force, is_guarded=True, root=Path("/")), clock


@contextmanager
def opened_stateful(args: argparse.Namespace) -> Iterator[tuple[StatefulEngine, Clock]]:
    """Open the engine for connections for this context, and close it whatever happens."""
    engine, clock = _stateful_engine(args)
    try:
        yield engine, clock
    finally:
        with uninterrupted():
            engine.release()


def _stateful_engine(args: argparse.Namespace) -> tuple[StatefulEngine, Clock]:
    refuse_device_without_simulation(args)
    if args.engine == "simulated":
        from vppcfg.loadtest.stateful.simulated import SimulatedStatefulEngine

        gateway, pace = simulated_gateway(args.device)
        simulated_clock = SimulatedClock(pace)
        return SimulatedStatefulEngine(gateway, simulated_clock), simulated_clock
    from vppcfg.loadtest.trex.stateful import TrexStatefulEngine

    clock = SystemClock()
    return TrexStatefulEngine(args.server, clock, is_forced=args.force, is_guarded=True, root=Path("/")), clock


def refuse_device_without_simulation(args: argparse.Namespace) -> None:
    """Raise UsageError for a simulated device beside another engine."""
    if args.device and args.engine != "simulated":
        raise UsageError("--device is about a simulated device", "use it with --engine simulated")


def simulated_gateway(text: str) -> tuple[SimulatedGateway, float]:
    """Return the device for connections that `KEY=VALUE,...` describes, and its pace. Raise UsageError."""
    from vppcfg.common.rates import parse_figure
    from vppcfg.loadtest.stateful.simulated import SimulatedGateway

    attributes = {
        "capacity": "capacity_cps", "generator": "generator_cps", "open": "most_open", "latency": "latency_us",
    }  # fmt: skip
    values: dict[str, float] = {}
    pace = 0.0
    for key, value in pairs_in(text, "--device"):
        if key == "pace":
            pace = parse_figure(value)
        elif key in attributes:
            values[attributes[key]] = parse_figure(value)
        else:
            raise UsageError(f"--device: there is no {key}", "`--help` lists what a simulated device has")
    return SimulatedGateway(**values), pace


def _next_macs(texts: list[str]) -> dict[str, str]:
    """Return MAC addresses by port. Raise UsageError."""
    macs = {port: mac for text in texts for port, mac in pairs_in(text, "--next-mac")}
    for port, mac in macs.items():
        if not _MAC.fullmatch(mac):
            raise UsageError(f"--next-mac: {mac!r} of {port} is no MAC address", "write 02:00:00:00:00:11")
    return macs


def simulated_device(text: str) -> tuple[SimulatedDevice, float]:
    """Return the device that `KEY=VALUE,...` describes, and its pace. Raise UsageError."""
    from vppcfg.common.rates import parse_figure, parse_speed

    values: dict[str, float | int] = {}
    pace = 0.0
    for key, value in pairs_in(text, "--device"):
        if key in _SHARES:
            values[_SHARES[key]] = _share(key, value)
        elif key in ("capacity", "generator"):
            values[f"{key}_pps"] = parse_figure(value)
        elif key == "link":
            values["link_bps"] = parse_speed(value)
        elif key in ("latency", "seed"):
            values["latency_us" if key == "latency" else "seed"] = parse_figure(value)
        elif key == "pace":
            pace = parse_figure(value)
        else:
            raise UsageError(f"--device: there is no {key}", "`--help` lists what a simulated device has")
    return SimulatedDevice(**values), pace  # type: ignore[arg-type]  # the keys are attributes of that type


def pairs_in(text: str, option: str) -> Iterator[tuple[str, str]]:
    """Yield keys and values of `KEY=VALUE,...`. Raise UsageError."""
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not value:
            raise UsageError(f"{option}: {part!r} is no KEY=VALUE")
        yield key.strip(), value.strip()


def _share(key: str, text: str) -> float:
    from vppcfg.common.rates import parse_figure

    value = parse_figure(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    if value > 1:
        raise UsageError(f"--device: {key} is a share of 1, or a percentage", f"write {key}=0.01 or {key}=1%")
    return value
