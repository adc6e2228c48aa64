"""The interface to traffic generators: T-Rex, trafgen and the simulated device."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Protocol

from vppcfg.errors import EngineError
from vppcfg.loadtest.profile import Profile
from vppcfg.record import record

_INTERRUPTIONS = (signal.SIGINT, signal.SIGTERM)


@record
class Port:
    """A port of a generator, under the name that the generator has for it."""

    name: str
    """As the generator calls it: `0` for T-Rex, a Linux name for trafgen."""
    link_bps: int | None = None
    """Speed of its link in bits per second, None when the generator does not know."""
    mac: str = ""
    driver: str = ""


@record
class Direction:
    """One way through the device under test, from a port of the generator to another."""

    source: str
    sink: str
    is_return: bool = False
    """Whether it is the way back of a pair of ports: from 48/8 to 16/8 in the profiles."""

    @property
    def name(self) -> str:
        """Return `0->1`."""
        return f"{self.source}->{self.sink}"


@record
class Generator:
    """A generator with its version, its ports, and what a reader of results should know of it."""

    engine: str
    """`trex`, `trafgen` or `simulated`."""
    version: str = ""
    server: str = ""
    """Host and port, empty when it runs in this process or on this machine."""
    ports: tuple[Port, ...] = ()
    cores: int | None = None
    facts: tuple[str, ...] = ()
    """What else a reader of the result should know, one sentence each."""

    def port(self, name: str) -> Port | None:
        """Return the port with a name."""
        return next((port for port in self.ports if port.name == name), None)


@record
class Tally:
    """Packets of one direction, since `prepare` or in an interval."""

    sent: int = 0
    received: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(sent=self.sent + other.sent, received=self.received + other.received)

    def __sub__(self, other: Tally) -> Tally:
        return Tally(sent=self.sent - other.sent, received=self.received - other.received)

    @property
    def lost(self) -> int:
        """Return how many packets did not come back; packets that came from elsewhere make it no less than 0."""
        return max(self.sent - self.received, 0)


@record
class Count:
    """One look at the counters of a generator."""

    at_s: float
    """By the clock of the run."""
    tallies: tuple[Tally, ...]
    """One per direction, since `prepare`. Streams that measure latency count too."""
    uncertainty_s: float = 0.0
    """How far apart the counters of one direction may have been read, packets on their way included; 0 once the traffic
    has stopped and settled. At a rate r, sent - received may be wrong by r * uncertainty_s packets."""
    cpu_share: float | None = None
    """Load of the generator's busiest or mean core, 0 to 1; None when unknown."""
    queue_full: int | None = None
    """How often the generator found a queue full since `prepare`; None when unknown."""


@record
class Delay:
    """Latency of one direction since `prepare`, in microseconds."""

    direction: Direction
    sent: int
    received: int
    average_us: float
    minimum_us: float | None
    maximum_us: float
    jitter_us: float
    histogram: tuple[tuple[float, int], ...] = ()
    """Lower edge in microseconds and packets, ascending; an edge is the upper one of the former."""
    dropped: int = 0
    out_of_order: int = 0
    duplicated: int = 0


@record
class Traffic:
    """The packets to be offered; `start` and `update` of an engine set the rate."""

    profile: Profile
    directions: tuple[Direction, ...]
    latency_pps: float = 0.0
    """Rate of a further stream per direction that measures latency, whatever the load; 0 for none."""


class PortHolder(Protocol):
    """What takes ports of a generator and gives them back; `stop` and `release` may be called at any time, or twice."""

    def acquire(self, ports: tuple[str, ...]) -> None:
        """Take the ports for us. Raise EngineError when one is in use, has no link, or must not be used."""

    def stop(self) -> None:
        """Stop the traffic of our ports."""

    def release(self) -> None:
        """Give the ports back, and close what was opened."""


class Engine(PortHolder, Protocol):
    """A generator of traffic. Methods raise EngineError."""

    def describe(self) -> Generator:
        """Return what the generator is; nothing is changed by it."""

    def prepare(self, traffic: Traffic) -> None:
        """Load the streams and let all counters begin at zero."""

    def start(self, load_pps: float, limit_s: float) -> None:
        """Offer `load_pps` packets per second in each direction, and stop by itself after `limit_s`.

        A stream that measures latency comes on top of the load.
        """

    def update(self, load_pps: float) -> None:
        """Change the load of a running test."""

    def count(self) -> Count:
        """Return all counters, whether traffic runs or not."""

    def delays(self) -> tuple[Delay, ...]:
        """Return the latency by direction since `prepare`; empty when the traffic has no stream that measures it."""


@contextmanager
def held(engine: PortHolder, ports: tuple[str, ...]) -> Iterator[None]:
    """Take the ports of a generator for this context. An interruption at any moment leaves no traffic and no port."""
    try:
        with uninterrupted():
            engine.acquire(ports)
        yield
    except BaseException:
        with suppress(EngineError):  # the first error explains more
            stop_and_release(engine)
        raise
    else:
        stop_and_release(engine)


def stop_and_release(engine: PortHolder) -> None:
    """Stop the traffic and free the ports; the ports are freed even when stopping fails."""
    with uninterrupted():
        try:
            engine.stop()
        finally:
            engine.release()


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let SIGINT and SIGTERM wait until this context ends. For work of a moment only."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Python runs handlers of signals in the main thread only
        return
    pending: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        pending.append(number)

    former = {number: signal.signal(number, note) for number in _INTERRUPTIONS}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
        for noted in dict.fromkeys(pending):
            signal.raise_signal(noted)
