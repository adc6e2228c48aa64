"""Everything that rules look at: the load, and what is known of traffic and configuration besides it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil

from vppcfg.record import record
from vppcfg.tune.load import Load, PortLoad, ThreadLoad
from vppcfg.tune.thresholds import FRAME, PAST_S

_RECEIVES = 0.01
"""Ours: a port with less than this share of all packets is not one that traffic is sent to."""

_ROUNDED = 0.02
"""Ours: counters of calls and vectors are read in turn, so that a poll which fills a frame may seem to find more."""


@record
class FrameTrial:
    """What a generator sent in one run and what came back, for one frame size."""

    frame: str
    offered_pps: float
    received_pps: float

    @property
    def loss(self) -> float:
        """Return the share that was lost."""
        return max(1 - self.received_pps / self.offered_pps, 0.0)


@dataclass(frozen=True, kw_only=True)
class Situation:
    """What the rules judge; what is not known is None or empty."""

    load: Load
    offered: Mapping[str, float] = field(default_factory=dict)
    """Packets per second sent to a port; under an empty name, to each port that receives."""
    frame: float | None = None
    """Size of the Ethernet frames with checksum, in bytes, where the counters do not show it."""
    trials: tuple[FrameTrial, ...] = ()
    configured_rx_queues: Mapping[str, int] = field(default_factory=dict)
    """Receive queues that the configuration asks for, by port or its PCI address."""
    largest_load_share: float | None = None
    """Packets per second over what the busiest worker could do, from a fitted model."""
    load_note: str = ""

    @property
    def is_past(self) -> bool:
        """Return whether the rates are an average over so long a time that they show nothing about the present."""
        return not self.load.duration_s and (self.load.covered_s or 0.0) > PAST_S

    def offered_to(self, port: PortLoad) -> float | None:
        """Return the packets per second that are sent to a port, None when that is unknown."""
        if port.name in self.offered:
            return self.offered[port.name]
        receives = (port.rx_pps or 0.0) > _RECEIVES * max(self.load.rx_pps, 1.0)
        return self.offered.get("") if receives else None

    def rx_line_pps(self, port: PortLoad) -> float | None:
        """Return the line rate in packets per second for the frames that a port receives."""
        return port.line_pps(port.rx_frame or self.frame)

    def tx_line_pps(self, port: PortLoad) -> float | None:
        """Return the line rate in packets per second for the frames that a port sends."""
        return port.line_pps(port.tx_frame or self.frame)

    def knows_frame(self, port: PortLoad) -> bool:
        """Return whether the frame size was measured or given, rather than assumed to be the smallest."""
        return bool(port.rx_frame or port.tx_frame or self.frame)

    def pollers(self, port: PortLoad) -> tuple[ThreadLoad, ...]:
        """Return the threads that poll a port; where that is unknown, all threads that take packets."""
        placed = {queue.thread for queue in port.rx_queues}
        known = tuple(thread for thread in self.load.threads if thread.index in placed)
        return known or self.load.forwarding

    def busy_queues(self, thread: ThreadLoad) -> int:
        """Return how many queues with traffic a thread polls.

        It is at least the number that its packets per poll need, as one queue gives no more than a frame of FRAME
        packets; a port without a rate may be idle.
        """
        few = _RECEIVES * self.load.rx_pps
        ports = [port for port in self.load.ports if port.rx_pps is not None and port.rx_pps > few]
        known = sum(queue.thread == thread.index for port in ports for queue in port.rx_queues)
        needed = ceil(thread.n_rx / FRAME - _ROUNDED)
        return max(known, needed, 1)


def nodes_source(situation: Situation) -> str:
    """Return the name of the source that the counters of nodes were read from."""
    return situation.load.reading.source("threads")
