"""The findings of a test with connections: a sample per second, everything together, and what went wrong."""

from __future__ import annotations

from vppcfg.loadtest.engine import Delay, Direction, Tally
from vppcfg.loadtest.ramp_schedule import LoadPhase
from vppcfg.loadtest.stateful.engine import ConnectionCount, ErrorCount
from vppcfg.record import record


@record
class ConnectionKind:
    """One application of the profile."""

    name: str
    transport: str
    """`TCP` or `UDP`."""
    port: int
    weight: int
    """How many of its connections there are in relation to those of the others."""
    request_bytes: int
    answer_bytes: int
    open_s: float = 0.0
    """How long clients keep an answered connection."""


@record
class ConnectionSample:
    """What was counted in about one second of a test."""

    at_s: float
    """The end of it, since the test began."""
    duration_s: float
    phase: LoadPhase
    rate_cps: float
    """Connections per second that were asked for."""
    connections: ConnectionCount
    """What was counted in it."""
    open_now: int
    """Connections that were open at the end of it."""
    tallies: tuple[Tally, ...]
    """Packets in it, one entry per direction."""
    cpu_share: float | None = None
    queue_full: int | None = None
    """How often since the former sample."""

    @property
    def begun_cps(self) -> float:
        """Return how many connections were begun per second."""
        return self.connections.begun / self.duration_s

    @property
    def answered_cps(self) -> float:
        """Return how many connections were answered per second."""
        return self.connections.answered / self.duration_s

    @property
    def failed_cps(self) -> float:
        """Return how many connections failed per second."""
        return self.connections.failed / self.duration_s


@record
class StatefulOutcome:
    """Connections between clients on some ports and servers on others."""

    profile: str
    kinds: tuple[ConnectionKind, ...]
    clients: int
    servers: int
    offset: int = 0
    """Third octet of all addresses."""
    directions: tuple[Direction, ...]
    latency_pps: float = 0.0
    """Stamped packets per second and direction."""
    samples: tuple[ConnectionSample, ...] = ()
    totals: ConnectionCount | None = None
    """Counted after all connections had ended; None when the test was interrupted."""
    intended: int = 0
    """How many connections should have been begun."""
    failed_ratio: float = 0.0
    """Share of the connections that failed, or were never begun though they should have been."""
    tallies: tuple[Tally, ...] = ()
    """All packets, one entry per direction."""
    errors: tuple[ErrorCount, ...] = ()
    delays: tuple[Delay, ...] = ()
    failures_begin_cps: float | None = None
    """The rate in the first sample of the last unbroken run of samples in which too many fail; None for none."""

    @property
    def most_open(self) -> int:
        """Return how many connections were open at once at most."""
        return max((sample.open_now for sample in self.samples), default=0)

    @property
    def most_answered_cps(self) -> float:
        """Return how many connections per second were answered at most."""
        return max((sample.answered_cps for sample in self.samples), default=0.0)
