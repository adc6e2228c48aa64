"""Predicts what a worker can forward: packets per second at any vector size, with an interval, from fitted costs."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt

from vppcfg.common.rates import pps
from vppcfg.record import record
from vppcfg.tune.fit import NodeFit, fit_nodes
from vppcfg.tune.load import Load
from vppcfg.tune.sample import CostSample
from vppcfg.tune.thresholds import FRAME, SATURATED_VECTOR

CURVE = (1, 2, 4, 8, 16, 32, 64, 128, 256)
INSIDE = 0.05
"""Error within the range of vector sizes of the samples: a held-out sample of the same machine was 4.5 % off."""
OUTSIDE = 0.15
"""Error outside that range: ours, no measurement has tested it."""
HEADROOM = 0.8
"""Share of its capacity that a worker should carry."""
_SATURATED_ERROR = 0.01
"""A saturated worker's own figure agreed with what was measured within 0.7 % in five of five cases."""


@record
class Estimate:
    """A rate and where it lies for sure enough; `high_pps` is None when nothing bounds it from above."""

    pps: float
    low_pps: float
    high_pps: float | None
    basis: str


@record
class Model:
    """The costs of one path on one machine."""

    base_hz: float
    fits: tuple[NodeFit, ...]
    rest_per_poll: float
    """Clocks per turn of the loop that no node accounts for."""
    smallest_n: float
    largest_n: float
    """Vector sizes of the samples."""

    def clocks_per_packet(self, n: float) -> float:
        """Return the clocks of everything per packet, with vectors of `n` packets."""
        return sum(fit.weight * fit.clocks(1 / n) for fit in self.fits) + self.rest_per_poll / n

    def pps(self, n: float = FRAME) -> float:
        """Return packets per second of one worker with vectors of `n` packets."""
        return self.base_hz / self.clocks_per_packet(n)

    def estimate(self, n: float = FRAME) -> Estimate:
        """Return the rate at `n` with its interval."""
        known = self.smallest_n * 0.5 <= n <= self.largest_n * 2
        scatter = sqrt(sum((fit.error * fit.weight * fit.clocks(1 / n)) ** 2 for fit in self.fits))
        error = max(INSIDE if known else OUTSIDE, 2 * scatter / self.clocks_per_packet(n))
        rate = self.pps(n)
        basis = "within the measured range" if known else f"extrapolated from vectors of up to {self.largest_n:.0f}"
        return Estimate(pps=rate, low_pps=rate * (1 - error), high_pps=rate * (1 + error), basis=basis)

    def predicted(self, sample: CostSample) -> float:
        """Return the clocks per packet that the model gives for a sample's own calls, the rest left out."""
        return sum(
            fit.clocks(node.calls / node.vectors) * node.vectors / sample.rx_packets
            for fit in self.fits
            if (node := sample.nodes.get(fit.name))
        )


def fitted(samples: Sequence[CostSample]) -> Model:
    """Return the model of two samples or more. Raise UsageError when they do not give one."""
    vectors = [sample.n_graph for sample in samples]
    return Model(
        base_hz=sum(sample.base_hz for sample in samples) / len(samples),
        fits=fit_nodes(samples),
        rest_per_poll=sum(sample.rest_per_poll for sample in samples) / len(samples),
        smallest_n=min(vectors),
        largest_n=max(vectors),
    )


def from_one(sample: CostSample) -> Estimate:
    """Return what one sample tells: the capacity of a saturated worker, a lower bound of one that is not."""
    rate = sample.base_hz / sample.clocks_per_packet
    if sample.n_graph >= SATURATED_VECTOR:
        low, high = rate * (1 - _SATURATED_ERROR), rate * (1 + _SATURATED_ERROR)
        return Estimate(pps=rate, low_pps=low, high_pps=high, basis="measured at saturation")
    low = max(rate, sample.rx_pps)
    basis = "a lower bound: idle polls and small vectors make packets look expensive, by half perhaps"
    return Estimate(pps=low, low_pps=low, high_pps=None, basis=basis)


def workers_needed(offered_pps: float, worker_pps: float, headroom: float = HEADROOM) -> int:
    """Return how many workers carry a load with room to spare; 1 at least."""
    return max(ceil(offered_pps / (headroom * worker_pps)), 1)


def cpu_load(load: Load, samples: Sequence[CostSample]) -> tuple[float, str]:
    """Return the busiest worker's load by a model of samples of the same path, and a sentence about it.

    Raise UsageError when the samples do not give a model.
    """
    model = fitted(samples)
    busiest = load.forwarding[0]
    share = busiest.rx_pps / model.pps()
    table = busiest.rx_packets / busiest.table_duration_s / model.pps()
    both = f"{100 * table:.0f} to {100 * share:.0f}" if busiest.disagreement else f"{100 * share:.0f}"
    most = model.estimate()
    return share, (
        f"the CPU load of {busiest.name} is {both} % of the {pps(most.pps)} that it could forward "
        f"({pps(most.low_pps)} to {pps(most.high_pps or most.pps)}, {most.basis})"
    )
