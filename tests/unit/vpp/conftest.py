"""What the tests of the client of VPP's API share."""

from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from tests.api_definitions import api_learned_once

_LEARNING = {
    *("test_bounds", "test_connection", "test_contradictions"),
    *("test_definitions", "test_live", "test_unixsocket"),
}
"""Modules about how the API is learned, which therefore learn it each time."""


@pytest.fixture(scope="module", autouse=True)
def keep_api_definitions(request: pytest.FixtureRequest) -> Iterator[None]:
    """Learn the API of a stand-in for VPP once, but not for tests about how it is learned."""
    with nullcontext() if request.path.stem in _LEARNING else api_learned_once():
        yield
