"""The fit tells n log n from what grows faster."""

import math
import random
from collections.abc import Callable

import pytest

from bench.growth import growth

SIZES = (1, 250, 1000, 2500, 10_000, 50_000)


def is_too_fast(cost: Callable[[int], float]) -> bool:
    found = growth({size: 0.2 + cost(size) for size in SIZES})
    assert found is not None
    return found.is_too_fast


@pytest.mark.parametrize("noise", [0.9, 1.0, 1.1])
def test_n_log_n_is_allowed(noise: float) -> None:
    assert not is_too_fast(lambda size: 3e-5 * size * math.log(size + 1) * (noise if size == 50_000 else 1))


@pytest.mark.parametrize("small", [0.40, 0.44, 0.48, 0.52])
def test_what_is_left_of_a_small_figure_hardly_counts(small: float) -> None:
    found = growth({1: 0.39, 1000: small, 2500: 0.52, 10_000: 0.98})
    assert found is not None
    assert not found.is_too_fast


def test_a_quadratic_part_that_shows_in_the_largest_network_is_found() -> None:
    assert is_too_fast(lambda size: 3e-4 * size + 3e-4 * size**2 / 10_000)


def test_the_exponent_is_that_of_the_figures() -> None:
    found = growth({size: size**1.5 for size in SIZES})
    assert found is not None
    assert found.exponent == pytest.approx(1.5, abs=0.02)
    assert found.exponent - found.error > 1.2


def alarms(cost: Callable[[int], float], sizes: tuple[int, ...]) -> int:
    """Return how many of 1,000 runs on a noisy machine end with an alarm."""
    noise = random.Random(1)
    found = [growth({size: (0.3 + cost(size)) * noise.gauss(1, 0.05) for size in sizes}) for _ in range(1000)]
    return sum(grown is not None and grown.is_too_fast for grown in found)


@pytest.mark.parametrize("sizes", [SIZES, SIZES[:-1]], ids=["to 50,000", "to 10,000"])
def test_noise_raises_no_alarm(sizes: tuple[int, ...]) -> None:
    assert alarms(lambda size: 1e-4 * size, sizes) < 5


def test_noise_hides_no_quadratic_part() -> None:
    assert alarms(lambda size: 1e-4 * size + 1e-4 * size**2 / 10_000, SIZES) > 990
    assert alarms(lambda size: 1e-4 * size + 1e-4 * size**2 / 2500, SIZES[:-1]) > 990


def test_figures_that_are_lost_in_noise_tell_nothing() -> None:
    assert growth({1: 0.2, 250: 0.21, 1000: 0.22}) is None
