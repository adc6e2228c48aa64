"""What every test on an engine shares: it is opened, held and given back, and an interrupted test is kept."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from vppcfg.cli.loadtest.engines import opened
from vppcfg.cli.loadtest.live import Live
from vppcfg.cli.loadtest.result_view import write_partial
from vppcfg.cli.loadtest.setting import LoadSetting, setting_of
from vppcfg.common.clock import Clock
from vppcfg.loadtest.engine import Engine
from vppcfg.loadtest.result import Result
from vppcfg.loadtest.session import held
from vppcfg.record import record

_T = TypeVar("_T")


@record
class Course:
    """A test that is about to begin."""

    args: argparse.Namespace
    engine: Engine
    clock: Clock
    setting: LoadSetting
    live: Live

    def run(self, test: Callable[[], _T], so_far: Callable[[], Result | None]) -> _T:
        """Return what a test finds while its ports are ours; when it is interrupted, write what there is so far."""
        try:
            with held(self.engine, self.setting.ports):
                found = test()
        except BaseException:
            left = so_far()
            if left is not None:
                write_partial(left, self.args)
            raise
        self.live.close()
        return found


@contextmanager
def course_of(args: argparse.Namespace, latency_pps: float = 0.0) -> Iterator[Course]:
    """Open the engine that the options name for this context. Raise UsageError or EngineError."""
    with opened(args) as (engine, clock):
        setting = setting_of(args, engine, latency_pps)
        live = Live(setting.line_rate, setting.traffic.directions, is_quiet=args.quiet)
        try:
            yield Course(args=args, engine=engine, clock=clock, setting=setting, live=live)
        finally:
            live.close()
