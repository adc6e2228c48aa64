"""The option that has the golden adoptions written again."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-adopt", action="store_true", help="write what comes out into the golden folders")
