"""The golden folders of `vppcfg startup`: one per case, and the option that writes what comes out into them."""

from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-startup", action="store_true", help="write what comes out into the golden folders")


@pytest.fixture
def is_updating(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-startup"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        cases = sorted(path.parent for path in GOLDEN.glob("*/config.yaml"))
        metafunc.parametrize("case", cases, ids=[case.name for case in cases])
