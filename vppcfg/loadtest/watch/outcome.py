"""The outcome of a watch for a target: lost probes, and percentiles and jitter of round-trip times."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from vppcfg.record import record


@record
class Moment:
    """The probes that were sent in one interval."""

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
    """The figures of one target over the whole time; round-trip times are in microseconds."""

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


def percentile(ascending: Sequence[float], share: float) -> float:
    """Return the smallest value that at least `share` of all values do not exceed (nearest rank)."""
    rank = -(-len(ascending) * share // 1)  # rounded up
    return ascending[max(int(rank), 1) - 1]


def jitter_us(rtts_us: Sequence[float | None]) -> float | None:
    """Return the mean difference of two round-trip times in a row; a lost probe parts them. None when there is none."""
    steps = [abs(later - former) for former, later in pairwise(rtts_us) if former is not None and later is not None]
    return sum(steps) / len(steps) if steps else None


def watched_of(
    *,
    target: str,
    address: str,
    probe: str,
    interval_s: float,
    rtts_us: Sequence[float | None],
    moments: tuple[Moment, ...],
    duplicates: int = 0,
    refused: int = 0,
) -> Watched:
    """Return a target's figures; `rtts_us` has every probe in order, None for one that was lost."""
    back = sorted(rtt for rtt in rtts_us if rtt is not None)
    return Watched(
        target=target,
        address=address,
        probe=probe,
        interval_s=interval_s,
        moments=moments,
        sent=len(rtts_us),
        received=len(back),
        duplicates=duplicates,
        refused=refused,
        least_us=back[0] if back else None,
        median_us=percentile(back, 0.5) if back else None,
        p95_us=percentile(back, 0.95) if back else None,
        p99_us=percentile(back, 0.99) if back else None,
        most_us=back[-1] if back else None,
        mean_us=sum(back) / len(back) if back else None,
        jitter_us=jitter_us(rtts_us),
    )
