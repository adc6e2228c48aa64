"""What a watch saw of a target."""

from __future__ import annotations

from vppcfg.record import record


@record
class Moment:
    """The probes of one interval, by the time that they were sent at."""

    at_s: float
    """The end of the interval, since the watch began."""
    sent: int
    rtts_us: tuple[float, ...] = ()
    """Round-trip times of those that came back, ascending; microseconds."""

    @property
    def lost(self) -> int:
        """Return how many did not come back."""
        return self.sent - len(self.rtts_us)


@record
class Watched:
    """One target over the whole time."""

    target: str
    """As the operator named it."""
    address: str
    probe: str
    """`icmp` or `udp`."""
    interval_s: float
    """Between two probes."""
    moments: tuple[Moment, ...]
    sent: int
    received: int
    duplicates: int = 0
    refused: int = 0
    """Answers such as `host unreachable`."""
    least_us: float | None = None
    median_us: float | None = None
    p95_us: float | None = None
    p99_us: float | None = None
    most_us: float | None = None
    mean_us: float | None = None
    jitter_us: float | None = None
    """Mean difference between two round-trip times in a row (RFC 3393, as ipdv without sign)."""

    @property
    def loss_ratio(self) -> float:
        """Return the share that did not come back."""
        return (self.sent - self.received) / self.sent if self.sent else 0.0
