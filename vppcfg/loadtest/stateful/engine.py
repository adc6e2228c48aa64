"""The interface (protocol) to generators of connections: T-Rex in advanced stateful mode, and a simulated device."""

from __future__ import annotations

from typing import Protocol

from vppcfg.loadtest.engine import Delay, Direction, Generator, PortHolder, Tally
from vppcfg.loadtest.stateful.profile import StatefulProfile
from vppcfg.record import record


@record
class ErrorCount:
    """How often something went wrong, as one side of the connections counts it."""

    side: str
    """`client` or `server`."""
    protocol: str
    """`TCP`, `UDP`, `application` or `flow table`."""
    name: str
    """As the generator calls the counter."""
    meaning: str
    count: int


@record
class ConnectionCount:
    """Connections as their clients count them, since the test began or in an interval."""

    begun: int = 0
    established: int = 0
    """Those whose handshake was done; with UDP, all that were begun."""
    answered: int = 0
    """Those whose client has got the whole answer."""
    ended: int = 0
    """Closed by both sides, or failed."""
    failed: int = 0
    """Ended without being closed: never established, given up, reset, or cut at the end of the test."""
    sent_bytes: int = 0
    """Payload that clients sent."""
    received_bytes: int = 0
    """Payload that clients got."""

    def __sub__(self, other: ConnectionCount) -> ConnectionCount:
        return ConnectionCount(
            begun=self.begun - other.begun,
            established=self.established - other.established,
            answered=self.answered - other.answered,
            ended=self.ended - other.ended,
            failed=self.failed - other.failed,
            sent_bytes=self.sent_bytes - other.sent_bytes,
            received_bytes=self.received_bytes - other.received_bytes,
        )


@record
class StatefulCount:
    """One look at the counters of a generator."""

    at_s: float
    """By the clock of the run."""
    connections: ConnectionCount
    open_now: int
    """Connections at this moment."""
    tallies: tuple[Tally, ...]
    """Packets per direction since `prepare`; those that measure latency count too."""
    errors: tuple[ErrorCount, ...] = ()
    cpu_share: float | None = None
    """Load of the generator's busiest or mean core, 0 to 1; None when unknown."""
    queue_full: int | None = None
    """How often the generator found a queue full since `prepare`; None when unknown."""


@record
class StatefulTraffic:
    """The connections to be made; `start` and `update` of an engine set the rate."""

    profile: StatefulProfile
    directions: tuple[Direction, ...]
    """From the ports with clients to those with servers, and back."""
    latency_pps: float = 0.0
    """Rate of stamped packets (ICMP) per direction beside the connections, whatever their rate; 0 for none."""


class StatefulEngine(PortHolder, Protocol):
    """A generator of connections. Methods raise EngineError; `stop` and `release` may be called at any time."""

    def describe(self) -> Generator:
        """Return what the generator is; nothing is changed by it."""

    def prepare(self, traffic: StatefulTraffic) -> None:
        """Load the profile and let all counters begin at zero."""

    def start(self, rate_cps: float, limit_s: float) -> None:
        """Begin `rate_cps` connections per second, and begin no more after `limit_s`."""

    def update(self, rate_cps: float) -> None:
        """Change the rate of a running test."""

    def stop_new_connections(self) -> None:
        """Begin no connections from now on; those that are open go on to their end."""

    def count(self) -> StatefulCount:
        """Return all counters, whether traffic runs or not."""

    def delays(self) -> tuple[Delay, ...]:
        """Return the latency by direction since `start`; empty when nothing measures it."""
