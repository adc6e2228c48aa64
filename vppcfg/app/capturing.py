"""Takes readings of a running VPP: the stats segment first, API dumps and CLI commands beside it."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vppcfg.errors import DataplaneError
from vppcfg.record import record
from vppcfg.tune.capture import COMMANDS, Capture

if TYPE_CHECKING:
    from vppcfg.vpp.stats import StatsSegment
    from vppcfg.vpp.telemetry import Telemetry

log = logging.getLogger("vppcfg.cli.tune_live")  # the name stands in messages

_ALWAYS = ("errors", "interface", "buffers")
_COUNTING = ("runtime", *_ALWAYS)
"""What is read each time where the stats segment does not have it."""
_PATIENCE_S = 15.0
"""A little more than VPP's own update interval."""
_TICKS = 10
_PID = re.compile(r"Current PID:\s+(\d+)")


@record
class ReadingPlan:
    """Which VPP is read, how often, and how far apart."""

    api_socket: str
    json_dir: str | None
    stats_socket: str | None
    """None for stats.sock beside the API socket, where there is one."""
    root: str
    """Where /proc and /sys are."""
    readings: int
    interval_s: float

    @property
    def ticks(self) -> int:
        """Return in how many equal steps progress is reported, from the first reading to the last."""
        return (self.readings - 1) * _TICKS


def take_captures(plan: ReadingPlan, progress: Callable[[int], None]) -> list[Capture]:
    """Return all readings of a running VPP, the last one with a description of its hardware and of the host.

    It takes `interval_s` times the readings less one; `progress` is called with how many of `plan.ticks` are over.
    Raise DataplaneError when VPP cannot be read.
    """
    from vppcfg.vpp.telemetry import Telemetry

    with ExitStack() as stack:
        telemetry = stack.enter_context(Telemetry(plan.api_socket, json_dir=plan.json_dir))
        stats = _open_stats(plan, stack)
        return _CaptureReader(plan, telemetry, stats, progress).captures()


def _open_stats(plan: ReadingPlan, stack: ExitStack) -> StatsSegment | None:
    from vppcfg.vpp.stats import StatsSegment

    path = plan.stats_socket or str(Path(plan.api_socket).with_name("stats.sock"))
    try:
        return stack.enter_context(StatsSegment(path))
    except DataplaneError as error:
        if plan.stats_socket:
            raise
        log.warning("%s; VPP's CLI is asked instead", error.message)
        return None


class _CaptureReader:
    """Takes readings one after the other."""

    def __init__(
        self, plan: ReadingPlan, telemetry: Telemetry, stats: StatsSegment | None, progress: Callable[[int], None]
    ) -> None:
        self._plan = plan
        self._progress = progress
        self._telemetry = telemetry
        self._stats = stats
        self._pid: int | None = None

    def captures(self) -> list[Capture]:
        """Return all readings; the last one describes hardware and placement too."""
        count = self._plan.readings
        version = self._telemetry.texts({"version": COMMANDS["version"]})
        match = _PID.search(version.get("version", ""))
        self._pid = int(match[1]) if match else None
        if self._stats is not None and not self._stats.has_nodes:
            log.info("Without `statseg { per-node-counters on }`, `show runtime` is run, which stops workers briefly")
        captures, before = [], self._host()
        for number in range(count):
            if number:
                self._pause((number - 1) * _TICKS)
            captures.append(self._capture(number + 1, before if number == count - 1 else None))
        return captures

    def _pause(self, done: int) -> None:
        """Wait for one interval; `done` ticks are over before it."""
        for tick in range(_TICKS):
            time.sleep(self._plan.interval_s / _TICKS)
            self._progress(done + tick + 1)

    def _capture(self, number: int, host_before: dict[str, Any] | None) -> Capture:
        """Return a reading; the last one comes with the facts of the host at the first."""
        documents: dict[str, Any] = {"api": self._telemetry.placement()}
        has_nodes = self._stats is not None and self._stats.has_nodes
        if self._stats is not None:
            if has_nodes and not self._stats.wait_for_update(_PATIENCE_S):
                log.warning("VPP has not refreshed its counters in %.0f s: is it hung?", _PATIENCE_S)
            documents["stats"] = self._stats.read()
        taken_s = time.monotonic()
        names: tuple[str, ...] = _ALWAYS if has_nodes else _COUNTING
        if host_before is not None:
            names = tuple(name for name in COMMANDS if name != "runtime" or not has_nodes)
            documents["host"] = _since(host_before, self._host())
        texts = self._telemetry.texts({name: COMMANDS[name] for name in names})
        return Capture(
            name=f"reading {number}", taken_s=taken_s, texts=texts, documents=documents, whole=frozenset(texts)
        )

    def _host(self) -> dict[str, Any]:
        from vppcfg.host.running import read_running

        return read_running(self._plan.root, self._pid)


def _since(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of now, with preemptions counted since `before`."""
    former = before["preemptions"]
    gained = {name: count - former.get(name, count) for name, count in now["preemptions"].items()}
    return {**now, "preemptions": gained}
