"""The fit tells n log n from what grows faster."""

from __future__ import annotations

import math
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


def test_a_quadratic_part_that_shows_in_the_largest_network_is_found() -> None:
    assert is_too_fast(lambda size: 3e-4 * size + 3e-4 * size**2 / 10_000)


def test_the_exponent_is_that_of_the_figures() -> None:
    found = growth({size: size**1.5 for size in SIZES})
    assert found is not None
    assert found.exponent == pytest.approx(1.5, abs=0.02)


def test_figures_that_are_lost_in_noise_tell_nothing() -> None:
    assert growth({1: 0.2, 250: 0.21, 1000: 0.22}) is None
