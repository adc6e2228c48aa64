"""A simulated traffic generator with a simulated device under test: for tests, and for trying the commands.

What it forwards follows from the load alone; counters grow with the clock that it is given.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

from vppcfg.common.clock import Clock
from vppcfg.errors import EngineError
from vppcfg.loadtest.engine import Count, Delay, Direction, Generator, Port, Tally, Traffic
from vppcfg.record import record

_STEP_S = 0.1
"""Jitter is drawn anew this often."""
_QUEUE_PACKETS = 1024
"""What waits in front of a device that is overloaded."""


@record
class SimulatedDevice:
    """How much of a load a simulated device forwards per direction."""

    capacity_pps: float = 1e6
    loss_ratio: float = 0.0
    """Lost at any load."""
    collapse: float = 0.0
    """How much less it forwards for each packet above its capacity, 0 to 1: livelock."""
    jitter: float = 0.0
    """Standard deviation of the capacity, as a share of it."""
    latency_us: float = 10.0
    link_bps: int = 10**9
    generator_pps: float = float("inf")
    """The generator's own limit."""
    seed: int = 0

    def forwarded_pps(self, offered_pps: float, capacity_pps: float) -> float:
        """Return how much of a load comes out again at a capacity of the moment."""
        excess = max(offered_pps - capacity_pps, 0.0)
        return max(min(offered_pps, capacity_pps) - self.collapse * excess, 0.0) * (1 - self.loss_ratio)


class SimulatedEngine:
    """A generator with two ports and a simulated device between them."""

    def __init__(self, device: SimulatedDevice, clock: Clock) -> None:
        self._device = device
        self._clock = clock
        self._random = random.Random(device.seed)
        self._traffic: Traffic | None = None
        self._acquired: tuple[str, ...] = ()
        self._load_pps = 0.0
        self._stops_at_s = 0.0
        self._counted_s = clock.now()
        self._sent = 0.0
        self._lost = 0.0
        self._delays: dict[float, float] = {}

    @property
    def is_idle(self) -> bool:
        """Return whether no traffic runs and no port is taken."""
        return self._load_pps == 0 and not self._acquired

    def describe(self) -> Generator:
        """Return two ports."""
        ports = tuple(Port(name=name, link_bps=self._device.link_bps, driver="simulated") for name in ("0", "1"))
        return Generator(engine="simulated", ports=ports, facts=(f"a simulated device: {self._device}",))

    def acquire(self, ports: tuple[str, ...]) -> None:
        """Take the ports. Raise EngineError when there is no such port."""
        for port in ports:
            if port not in ("0", "1"):
                raise EngineError(f"the simulated generator has no port {port}", "its ports are 0 and 1")
        self._acquired = ports

    def prepare(self, traffic: Traffic) -> None:
        """Begin to count at zero."""
        self._traffic = traffic
        self._counted_s = self._clock.now()
        self._load_pps = self._sent = self._lost = 0.0
        self._delays = {}

    def start(self, load_pps: float, limit_s: float) -> None:
        """Offer a load."""
        self._advance()
        self._load_pps = load_pps
        self._stops_at_s = self._clock.now() + limit_s

    def update(self, load_pps: float) -> None:
        """Change the load."""
        self._advance()
        self._load_pps = load_pps

    def count(self) -> Count:
        """Return the same counters for every direction."""
        self._advance()
        tally = Tally(sent=int(self._sent), received=int(self._sent) - int(self._lost))
        return Count(at_s=self._clock.now(), tallies=(tally,) * len(self._directions), cpu_share=0.0, queue_full=0)

    def delays(self) -> tuple[Delay, ...]:
        """Return the latency of the device; a queue stands before it when it is overloaded."""
        if self._traffic is None or not self._traffic.latency_pps:
            return ()
        self._advance()
        sent = int(sum(self._delays.values()))
        most_us, least_us = max(self._delays, default=0.0), min(self._delays, default=0.0)
        return tuple(
            Delay(
                direction=direction,
                sent=sent,
                received=sent,
                average_us=sum(time_us * count for time_us, count in self._delays.items()) / sent if sent else 0.0,
                minimum_us=least_us,
                maximum_us=most_us,
                jitter_us=(most_us - least_us) / 4,
                histogram=_classes(self._delays),
            )
            for direction in self._directions
        )

    def stop(self) -> None:
        """Stop the traffic; fractions of a packet are dropped from the counters."""
        self._advance()
        self._load_pps = 0.0
        self._sent, self._lost = float(int(self._sent)), float(int(self._lost))

    def release(self) -> None:
        """Give the ports back."""
        self._acquired = ()

    @property
    def _directions(self) -> tuple[Direction, ...]:
        return self._traffic.directions if self._traffic else ()

    def _advance(self) -> None:
        """Advance the counters to now, or to the moment when the traffic stops by itself."""
        now = self._clock.now()
        if self._load_pps:
            until = min(now, self._stops_at_s)
            while self._counted_s < until:
                step_s = min(_STEP_S, until - self._counted_s) if self._device.jitter else until - self._counted_s
                self._forward(step_s)
                self._counted_s += step_s
        self._counted_s = now

    def _forward(self, duration_s: float) -> None:
        device = self._device
        latency_pps = self._traffic.latency_pps if self._traffic else 0.0
        offered = min(self._load_pps + latency_pps, device.generator_pps)
        capacity = device.capacity_pps
        if device.jitter:
            capacity *= max(1 + self._random.gauss(0.0, device.jitter), 0.0)
        self._sent += offered * duration_s
        self._lost += (offered - device.forwarded_pps(offered, capacity)) * duration_s
        waiting_us = _QUEUE_PACKETS / capacity * 1e6 if offered > capacity > 0 else 0.0
        time_us = device.latency_us + waiting_us
        self._delays[time_us] = self._delays.get(time_us, 0.0) + latency_pps * duration_s


def _classes(delays: Mapping[float, float]) -> tuple[tuple[float, int], ...]:
    """Return a histogram of times in microseconds and packets."""
    counts: dict[float, float] = {}
    for time_us, count in delays.items():
        counts[edge_us(time_us)] = counts.get(edge_us(time_us), 0.0) + count
    return tuple((edge, int(count)) for edge, count in sorted(counts.items()) if int(count))


def edge_us(latency_us: float) -> float:
    """Return the lower edge of a latency's class, as T-Rex has them: below 10, then one digit and zeros."""
    magnitude = 10.0
    if latency_us < magnitude:
        return 0.0
    while latency_us >= 10 * magnitude:
        magnitude *= 10
    return latency_us // magnitude * magnitude
