"""How many examples the laws are tried on: the same ones in each `make test`, twenty times as many new ones in
`make test-long`.
"""

import os

from hypothesis import HealthCheck, settings

TIMES = int(os.environ.get("LAW_TIMES", "1"))
"""How many times as many examples as `make test` tries."""


IS_SAME = TIMES == 1
"""Whether each run tries the same examples: a change is then judged by itself, and not by its luck.

Hypothesis draws them by the text and the annotations of a test: modules of laws keep these as texts, so that the
examples stay.
"""


def examples(count: int) -> settings:
    """Return the settings of a law that `make test` tries on `count` examples."""
    return settings(
        max_examples=count * TIMES, deadline=None, derandomize=IS_SAME, suppress_health_check=list(HealthCheck)
    )
