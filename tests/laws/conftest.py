"""What the laws share."""

from collections.abc import Iterator

import pytest

from tests.api_definitions import api_learned_once


@pytest.fixture(scope="module", autouse=True)
def keep_api_definitions() -> Iterator[None]:
    """Learn the API of simulated VPPs once for all examples."""
    with api_learned_once():
        yield
