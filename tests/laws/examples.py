"""How many examples the laws are tried on: each draws new ones every time, `make test-long` twenty times as many."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

TIMES = int(os.environ.get("LAW_TIMES", "1"))
"""How many times as many examples as `make test` tries."""


def examples(count: int) -> settings:
    """Return the settings of a law that `make test` tries on `count` examples."""
    return settings(max_examples=count * TIMES, deadline=None, suppress_health_check=list(HealthCheck))
