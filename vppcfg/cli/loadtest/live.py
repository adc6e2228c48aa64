"""Shows a running test: one line that is rewritten on a terminal, one line per second anywhere else."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self, TextIO

from vppcfg.cli.output import is_terminal, write
from vppcfg.common.printable import printable
from vppcfg.errors import UsageError
from vppcfg.loadtest.engine import Direction
from vppcfg.loadtest.load import LineRate, loss_text
from vppcfg.loadtest.ramp_schedule import LoadPhase
from vppcfg.loadtest.recorder import EngineStatus
from vppcfg.loadtest.result import Trial

_CLEAR = "\r\x1b[K"
_SCALES = ((1e9, "G"), (1e6, "M"), (1e3, "K"))


def _put(text: str, stream: TextIO | None) -> None:
    """Write, or do not where there is no room: that ends no test."""
    with suppress(UsageError):
        write(text, stream)


class Ticker:
    """A context manager around the test."""

    def __init__(
        self,
        *,
        is_quiet: bool = False,
        stream: TextIO | None = None,
        columns: Callable[[], int] = lambda: shutil.get_terminal_size((80, 24)).columns,
    ) -> None:
        self._is_quiet = is_quiet
        self._stream = stream or sys.stderr
        self._columns = columns
        self._is_open = False

    def show(self, text: str) -> None:
        """Show how far the test is."""
        if self._is_quiet:
            return
        text = printable(text)
        if is_terminal(self._stream):
            _put(_CLEAR + text[: self._columns() - 1], self._stream)
            self._is_open = True
        else:
            _put(text + "\n", self._stream)

    def close(self) -> None:
        """Take away what is rewritten."""
        if self._is_open:
            _put(_CLEAR, self._stream)
            self._is_open = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Live:
    """An Observer that writes to standard error; the lines are those of trex-loadtest."""

    def __init__(
        self,
        line_rate: LineRate,
        directions: tuple[Direction, ...],
        *,
        is_quiet: bool = False,
        stream: TextIO | None = None,
        columns: Callable[[], int] = lambda: shutil.get_terminal_size((80, 24)).columns,
    ) -> None:
        self._line_rate = line_rate
        self._sides = sides_of(directions)
        self._is_quiet = is_quiet
        self._stream = stream or sys.stderr
        self._is_terminal = is_terminal(self._stream)
        self._columns = columns
        self._percent_shown: int | None = None
        self._is_losing = False
        self._is_line_open = False
        self._elapsed_s = 0.0

    def note(self, text: str, *, is_warning: bool = False) -> None:
        """Write a line that stays."""
        if is_warning or not self._is_quiet:
            _put((_CLEAR if self._is_line_open else "") + text + "\n", self._stream)
            self._is_line_open = False

    def close(self) -> None:
        """Take away what is rewritten."""
        if self._is_line_open:
            _put(_CLEAR, self._stream)
            self._is_line_open = False

    def mapped(self) -> None:
        """Print which ports send to which."""
        self.note(f"Mapped ports to sides {self._sides}")

    def begin(self, phase: LoadPhase, load_pps: float, duration_s: float) -> None:
        """Print that a phase begins."""
        if phase is LoadPhase.WARM_UP:
            self.note(f"Warming up {self._sides} at rate of {rate_text(load_pps)} for {duration_s:g} seconds")
        elif phase is LoadPhase.TRIAL:
            self._percent_shown = None
        elif phase is LoadPhase.HOLD and duration_s:
            self.note(f"Holding load {self._sides} for {duration_s:g} seconds")

    def change(self, load_pps: float) -> None:
        """Print what the load is now, once per percent of line rate."""
        percent = self._line_rate.percent(load_pps)
        if self._percent_shown is None or int(percent + 1e-9) != self._percent_shown:
            self._percent_shown = int(percent + 1e-9)
            self.note(f"Setting load {self._sides} to {round(percent, 2):g}% of linerate")

    def trial(self, trial: Trial, number: int, took_s: float) -> None:
        """Print what a trial of a search found."""
        self._elapsed_s += took_s
        loss = max(total.loss_ratio for total in trial.totals)
        percent = self._line_rate.percent(trial.load_pps)
        self.note(
            f"trial {number:3d}: {trial.load_pps:15,.1f} pps ({percent:6.2f} %) for {trial.duration_s:g} s, "
            f"loss {loss_text(loss)} [{clock_text(self._elapsed_s)}]"
        )

    def observe(self, status: EngineStatus) -> None:
        """Show how far the test is."""
        if status.is_losing and not self._is_losing:
            self.note("WARNING: DUT packetloss too high", is_warning=True)
        self._is_losing = status.is_losing
        if self._is_quiet:
            return
        if self._is_terminal:
            _put(_CLEAR + self._short(status)[: self._columns() - 1], self._stream)
            self._is_line_open = True
        else:
            self.note(f"{self._stats(status)} [{self._progress(status)}]")

    def _stats(self, status: EngineStatus) -> str:
        """Return the line of trex-loadtest: all directions together, against the line rate of one port."""
        sent_pps = sum(tally.sent for tally in status.sample.tallies) / status.sample.duration_s
        wire_bps = sent_pps * self._line_rate.mean_wire_bits
        percent = 100 * wire_bps / self._line_rate.link_bps
        rate, rate_unit = _scaled(sent_pps)
        bits, bits_unit = (wire_bps / 1e6, "M") if wire_bps < 1e9 else (wire_bps / 1e9, "G")
        return f"stats:{rate:9.2f} {rate_unit}pps {bits:8.2f} {bits_unit}bps ({percent:.2f}% of linerate)"

    def _progress(self, status: EngineStatus) -> str:
        percent = self._line_rate.percent(status.load_pps)
        return (
            f"{status.phase.value} {clock_text(status.elapsed_s)}, {clock_text(status.remaining_s)} left, "
            f"load {percent:.2f} %, loss {loss_text(status.loss_ratio)}"
        )

    def _short(self, status: EngineStatus) -> str:
        sent_pps = sum(tally.sent for tally in status.sample.tallies) / status.sample.duration_s
        rate, unit = _scaled(sent_pps)
        return f"{self._progress(status)}, {rate:.2f} {unit}pps"


def sides_of(directions: tuple[Direction, ...]) -> str:
    """Return `[0] <--> [1]`, or `[0] ---> [1]` for one way."""
    there = [direction for direction in directions if not direction.is_return]
    arrow = "--->" if len(there) == len(directions) else "<-->"
    near, far = (", ".join(names) for names in zip(*((way.source, way.sink) for way in there), strict=True))
    return f"[{near}] {arrow} [{far}]"


def rate_text(load_pps: float) -> str:
    """Return a rate in T-Rex's spelling, such as `1kpps`."""
    rate, unit = _scaled(load_pps)
    return f"{rate:.6g}{unit.lower()}pps"


def clock_text(duration_s: float) -> str:
    """Return minutes and seconds, hours when there are some."""
    minutes, seconds = divmod(round(max(duration_s, 0)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"


def _scaled(value: float) -> tuple[float, str]:
    for scale, unit in _SCALES:
        if value >= scale:
            return value / scale, unit
    return value, ""
