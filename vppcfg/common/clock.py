"""The time of day with its zone, and the clock of load tests, which in simulations advances only by sleeping."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from typing import Any, Protocol

_SPAN = re.compile(r"([0-9]{1,6})\s*(s|m)?")
_SECONDS = {"s": 1, "m": 60}


class Clock(Protocol):
    """Where a load test takes its time from."""

    def now(self) -> float:
        """Return seconds since some moment; never goes backwards."""

    def sleep(self, duration_s: float) -> None:
        """Return after `duration_s` seconds, at once when that is not positive."""


class SystemClock:
    """The time of this machine."""

    def now(self) -> float:
        """Return the monotonic clock in seconds."""
        return time.monotonic()

    def sleep(self, duration_s: float) -> None:
        """Sleep."""
        time.sleep(max(duration_s, 0.0))


class SimulatedClock:
    """A time that passes only by `sleep`; with a pace, one simulated second takes that many real ones."""

    def __init__(self, pace: float = 0.0) -> None:
        self._now_s = 0.0
        self._pace = pace

    def now(self) -> float:
        """Return the simulated seconds that have passed."""
        return self._now_s

    def sleep(self, duration_s: float) -> None:
        """Let simulated time pass."""
        if duration_s > 0:
            time.sleep(duration_s * self._pace)
            self._now_s += duration_s


def sleep_until(clock: Clock, moment_s: float) -> None:
    """Sleep until `clock` shows `moment_s`."""
    clock.sleep(moment_s - clock.now())


def local_time() -> datetime:
    """Return the time of day in the zone of the process; in UTC where Python takes its offset for impossible.

    TZ may name any offset of up to 24 hours and more; a datetime has less than 24 hours.
    """
    now = datetime.now(UTC)
    try:
        return now.astimezone()
    except ValueError:
        return now


def seconds_of(value: Any, least_s: int, most_s: int) -> int | None:
    """Return the seconds of `30`, `30s` or `2m`; None when it is no span of time within the bounds."""
    found = None if isinstance(value, bool) else _SPAN.fullmatch(str(value).strip())
    seconds = int(found[1]) * _SECONDS[found[2] or "s"] if found else least_s - 1
    return seconds if least_s <= seconds <= most_s else None
