"""What commands of load tests share: settings from options, ports taken and released, results when interrupted."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from vppcfg import __version__
from vppcfg.cli.loadtest.engines import opened, pairs_in
from vppcfg.cli.loadtest.live import Live
from vppcfg.cli.loadtest.result_view import write_partial
from vppcfg.common.clock import Clock
from vppcfg.common.rates import parse_speed
from vppcfg.errors import UsageError
from vppcfg.loadtest.document import read_result
from vppcfg.loadtest.engine import Engine, Generator, PortHolder, Traffic, held
from vppcfg.loadtest.load import LineRate, directions_of, line_rate_of, link_speed, offered_of
from vppcfg.loadtest.profile import Profile, profile_of
from vppcfg.loadtest.result import Baseline, Offered, Result, ResultKind
from vppcfg.record import record

_NOT_SETTINGS = {"run", "command", "loadtest_command", "debug", "quiet", "color", "output", "title"}
_T = TypeVar("_T")


@record
class LoadSetting:
    """A test as its options describe it, before it begins."""

    generator: Generator
    ports: tuple[str, ...]
    traffic: Traffic
    line_rate: LineRate
    offered: Offered


def setting_of(args: argparse.Namespace, engine: Engine, latency_pps: float = 0.0) -> LoadSetting:
    """Return the setting that the options describe. Raise UsageError, or EngineError when the engine is not there."""
    ports = ports_of(args)
    directions = directions_of(ports, is_unidirectional=args.unidirectional)
    profile = _profile(args)
    speed = parse_speed(args.link) if args.link else None
    generator = engine.describe()
    line_rate = line_rate_of(profile, speed or link_speed(generator, ports))
    traffic = Traffic(profile=profile, directions=directions, latency_pps=latency_pps)
    return LoadSetting(
        generator=generator,
        ports=ports,
        traffic=traffic,
        line_rate=line_rate,
        offered=offered_of(traffic, line_rate, args.vlan, args.crossings),
    )


def ports_of(args: argparse.Namespace) -> tuple[str, ...]:
    """Return the ports that --ports names."""
    return tuple(port.strip() for port in args.ports.split(",") if port.strip())


def plain_result(kind: ResultKind, args: argparse.Namespace, **found: Any) -> Result:
    """Return a result with what all tests have, such as options, and what was `found`, by attribute."""
    return Result(
        kind=kind,
        started_at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        vppcfg_version=__version__,
        command=tuple(sys.argv[1:]),
        settings=_settings(args),
        title=args.title,
        **found,
    )


def begun_result(kind: ResultKind, args: argparse.Namespace, setting: LoadSetting) -> Result:
    """Return the result of a test that begins: its settings, but nothing counted yet."""
    return plain_result(
        kind,
        args,
        generator=setting.generator,
        offered=setting.offered,
        baseline=_baseline(args.baseline, setting.offered),
        is_complete=False,
    )


def _settings(args: argparse.Namespace) -> Mapping[str, Any]:
    """Return the options of a command that describe the test, defaults included."""
    return {name: value for name, value in sorted(vars(args).items()) if name not in _NOT_SETTINGS}


def _profile(args: argparse.Namespace) -> Profile:
    """Return the profile; an option of its own wins over the same tunable."""
    tunables = dict(pairs_in(args.tunables, "--tunables"))
    unknown = sorted(set(tunables) - {"size", "vm", "offset"})
    if unknown:
        raise UsageError(f"--tunables: there is no {unknown[0]}", "the tunables are: size, vm, offset")
    offset = args.offset if args.offset is not None else _number(tunables.get("offset", "0"))
    return profile_of(
        args.profile, args.size or tunables.get("size", "64"), args.vm or tunables.get("vm", "none"), offset
    )


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise UsageError(f"--tunables: an offset of {text} is not a number")
    return int(text)


def _baseline(file_name: str | None, offered: Offered) -> Baseline | None:
    """Return the test of the generator alone. Raise UsageError when it was about other traffic."""
    if file_name is None:
        return None
    result = read_result(Path(file_name))
    alone = result.offered
    if alone is None or not result.totals:
        raise UsageError(f"{file_name} holds no traffic that could be compared", "take a ramp as the baseline")
    for what, one, other in (
        ("frames of", f"{alone.mean_frame_bytes:g} bytes", f"{offered.mean_frame_bytes:g} bytes"),
        ("links of", f"{alone.link_bps:,} bit/s", f"{offered.link_bps:,} bit/s"),
        ("directions:", len(alone.directions), len(offered.directions)),
    ):
        if one != other:
            raise UsageError(
                f"{file_name} is no baseline of this test: it has {what} {one}, this test {other}",
                "take the baseline with the same options",
            )
    return Baseline(started_at=result.started_at, offered=alone, totals=result.totals, file=file_name)


@record
class LoadSession:
    """An open engine with the settings of a test that is about to begin."""

    args: argparse.Namespace
    engine: Engine
    clock: Clock
    setting: LoadSetting
    live: Live

    def run(self, test: Callable[[], _T], so_far: Callable[[], Result | None]) -> _T:
        """Return what a test finds while its ports are ours; when it is interrupted, write what there is so far."""
        found = run_holding_ports(self.engine, self.setting.ports, test, so_far, self.args)
        self.live.close()
        return found


def run_holding_ports(
    engine: PortHolder,
    ports: tuple[str, ...],
    test: Callable[[], _T],
    so_far: Callable[[], Result | None],
    args: argparse.Namespace,
) -> _T:
    """Return what a test finds while the ports are ours; when it is interrupted, write what there is so far."""
    try:
        with held(engine, ports):
            return test()
    except BaseException:
        left = so_far()
        if left is not None:
            write_partial(left, args)
        raise


@contextmanager
def load_session(args: argparse.Namespace, latency_pps: float = 0.0) -> Iterator[LoadSession]:
    """Open the engine that the options name for this context. Raise UsageError or EngineError."""
    with opened(args) as (engine, clock):
        setting = setting_of(args, engine, latency_pps)
        live = Live(setting.line_rate, setting.traffic.directions, is_quiet=args.quiet)
        try:
            yield LoadSession(args=args, engine=engine, clock=clock, setting=setting, live=live)
        finally:
            live.close()
